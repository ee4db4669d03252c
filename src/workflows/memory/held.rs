//! When an update is too much to be made without asking.

use crate::graph::Warning;

/// What an update takes away that it should not take by itself.
pub(super) fn unusual(before: &str, after: &str, pinned: &[String]) -> Vec<Warning> {
    let has = |text: &str, wanted: &str| text.lines().any(|line| bare(line) == bare(wanted));
    let mut warnings: Vec<Warning> = pinned
        .iter()
        .filter(|pin| has(before, pin) && !has(after, pin))
        .map(|pin| Warning {
            code: "pinned_line".to_owned(),
            text: format!("It would drop a line you pinned: {}", pin.trim()),
        })
        .collect();
    let lines = || before.lines().filter(|line| !bare(line).is_empty());
    let (all, gone) = (lines().count(), lines().filter(|line| !has(after, line)).count());
    if gone * 3 > all {
        let text = format!("It would drop {gone} of {all} lines.");
        warnings.push(Warning { code: "much_dropped".to_owned(), text });
    }
    warnings
}

fn bare(line: &str) -> &str {
    line.trim().trim_start_matches(['-', '*']).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(before: &str, after: &str, pinned: &[&str]) -> Vec<String> {
        let pinned: Vec<String> = pinned.iter().map(|&pin| pin.to_owned()).collect();
        unusual(before, after, &pinned).into_iter().map(|warning| warning.code).collect()
    }

    #[test]
    fn a_third_may_go_and_no_more() {
        let before = "- a\n- b\n- c\n- d\n- e\n- f\n";
        assert!(codes(before, "- a\n- b\n- c\n- d\n- x\n", &[]).is_empty());
        assert_eq!(codes(before, "- a\n- b\n- c\n", &[]), ["much_dropped"]);
        assert_eq!(codes(before, "", &[]), ["much_dropped"]);
        assert!(codes("", "- a\n", &[]).is_empty());
    }

    #[test]
    fn a_pinned_line_stays_or_is_asked_about() {
        let before = "- a\n- b\n- c\n- d\n";
        assert_eq!(codes(before, "- a\n- b\n- c\n", &["- d"]), ["pinned_line"]);
        assert!(codes(before, "a\nb\nc\n* d\n", &["- d"]).is_empty(), "another bullet is the same line");
        assert!(codes(before, "- a\n- b\n- c\n", &["gone long ago"]).is_empty());
    }
}
