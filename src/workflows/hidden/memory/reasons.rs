//! Which parts of an update wait for the person: every changed line that is not provably narrow, every dropped pinned
//! line, and the loss of more than a third of the profile.

use super::narrow;
use crate::agent::lesson::MemoryFacts;
use crate::engine::graph::Warning;
use crate::inbox::{Tone, changed_lines};
use crate::text::truncate;

/// How many lines we name one by one; the diff shows all.
const MAX_LISTED: usize = 6;

/// Why the person must see an update before it is stored; empty if they need not.
pub(super) fn reasons_to_ask(facts: &MemoryFacts, after: &str) -> Vec<Warning> {
    let mut reasons = pinned_line_warnings(facts, after);
    reasons.extend(much_dropped(&facts.profile, after));
    let mut lines = changed_line_warnings(facts, after);
    let more = lines.len().saturating_sub(MAX_LISTED);
    lines.truncate(MAX_LISTED);
    reasons.extend(lines);
    if more > 0 {
        reasons.push(warning("more_lines", format!("Other changed lines that need your approval: {more}.")));
    }
    reasons
}

fn changed_line_warnings(facts: &MemoryFacts, after: &str) -> Vec<Warning> {
    let judge = |tone: Tone, line: &str| match tone {
        Tone::Added if !narrow::may_be_added(facts, line) => {
            let text = format!("{}: {}", narrow::why_held(facts, line), short(line));
            Some(warning("wide_line", text))
        }
        Tone::Removed if !narrow::may_be_dropped(facts, line) => {
            Some(warning("dropped_line", format!("It would drop: {}", short(line))))
        }
        Tone::Added | Tone::Removed | Tone::Plain | Tone::Quiet => None,
    };
    let spans = changed_lines(&facts.profile, after);
    let lines = spans.iter().map(|span| (span.tone, span.text.as_str().trim_end()));
    lines.filter(|(_, line)| !line.is_empty()).filter_map(|(tone, line)| judge(tone, line)).collect()
}

fn pinned_line_warnings(facts: &MemoryFacts, after: &str) -> Vec<Warning> {
    let dropped = facts.pinned.iter().filter(|pin| has_line(&facts.profile, pin) && !has_line(after, pin));
    dropped
        .map(|pin| warning("pinned_line", format!("It would drop a line you pinned: {}", pin.trim())))
        .collect()
}

fn much_dropped(before: &str, after: &str) -> Option<Warning> {
    let lines = || before.lines().filter(|line| !strip_bullet(line).is_empty());
    let (all, dropped) = (lines().count(), lines().filter(|line| !has_line(after, line)).count());
    (dropped * 3 > all).then(|| warning("much_dropped", format!("It would drop {dropped} of {all} lines.")))
}

fn has_line(text: &str, expected: &str) -> bool {
    text.lines().any(|line| strip_bullet(line) == strip_bullet(expected))
}

fn strip_bullet(line: &str) -> &str {
    line.trim().trim_start_matches(['-', '*']).trim()
}

fn short(line: &str) -> String {
    truncate(strip_bullet(line), 200).into_owned()
}

fn warning(code: &str, text: String) -> Warning {
    Warning::caution(code, text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workflows::email::defaults;

    fn codes(before: &str, after: &str, pinned: &[&str]) -> Vec<String> {
        let facts = MemoryFacts {
            namespace: defaults::RESPONSE.to_owned(),
            profile: before.to_owned(),
            pinned: pinned.iter().map(|&pin| pin.to_owned()).collect(),
            ..MemoryFacts::default()
        };
        reasons_to_ask(&facts, after).into_iter().map(|warning| warning.code).collect()
    }

    #[test]
    fn a_third_may_go_and_no_more() {
        let before = "- short\n- brief\n- warm\n- formal\n- plain\n- polite\n";
        assert!(codes(before, "- short\n- brief\n- warm\n- formal\n- friendly\n", &[]).is_empty());
        assert_eq!(codes(before, "- short\n- brief\n- warm\n", &[]), ["much_dropped"]);
        assert_eq!(codes(before, "", &[]), ["much_dropped"]);
        assert!(codes("", "- short\n", &[]).is_empty());
    }

    #[test]
    fn a_pinned_line_stays_or_is_asked_about() {
        let before = "- short\n- brief\n- warm\n- formal\n";
        assert_eq!(codes(before, "- short\n- brief\n- warm\n", &["- formal"]), ["pinned_line"]);
        assert!(codes(before, "- short\n- brief\n- warm\n", &["gone long ago"]).is_empty());
    }

    #[test]
    fn a_line_moved_under_another_heading_is_a_change() {
        let before = "# Do\n- Ask me about prices\n- warm\n# Never do\n- short\n";
        let after = "# Do\n- warm\n# Never do\n- Ask me about prices\n- short\n";
        assert_eq!(codes(before, after, &[]), ["dropped_line", "wide_line"]);
        let indented = "# Do\n  - Ask me about prices\n- warm\n# Never do\n- short\n";
        assert_eq!(codes(before, indented, &[]), ["dropped_line", "wide_line"]);
    }

    #[test]
    fn blank_lines_say_nothing_and_headings_do() {
        assert!(codes("# Tone\n- short\n", "# Tone\n\n- short\n\n", &[]).is_empty());
        assert_eq!(codes("- short\n", "# Never\n- short\n", &[]), ["wide_line"]);
    }

    #[test]
    fn a_flood_of_lines_is_named_in_part_and_counted() {
        let after: String = (0..40).map(|n| format!("- copy mark{n}@x.example\n")).collect();
        let codes = codes("", &after, &[]);
        assert_eq!((codes.len(), codes.last().unwrap().as_str()), (MAX_LISTED + 1, "more_lines"));
    }
}
