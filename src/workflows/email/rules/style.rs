//! What edits and words teach about writing replies and planning meetings. Lines begin with their topic ("Length: …"),
//! so a later edit can change them. Words about a single mail are not kept.

use serde_json::Value;

use super::profile_draft::{MAX_LINE, ProfileDraft};
use crate::agent::lesson::{Cause, CauseKind};
use crate::text::phrases::normalize_text;
use crate::text::words::line;

const LASTING: &str = "always, never, every, usually, generally, in general, by default, prefer*, avoid, don t use, do not use, from \
    now on, in future, in the future, next time, mornings, afternoons, evenings, mondays, tuesdays, wednesdays, \
    thursdays, fridays, weekends, no meetings, immer, nie, niemals, stets, grundsätzlich, generell, künftig, ab \
    jetzt, ab sofort, in zukunft, bevorzug*, vermeide*, jedes mal, nächstes mal";

/// Whether words are meant for the future. A wish for one mail ("shorter, propose Tuesday") is not.
pub(super) fn is_lasting(words: &str) -> bool {
    normalize_text(words).has(LASTING)
}

fn learn_from_words(draft: &mut ProfileDraft<'_>, cause: &Cause) {
    let words = cause.feedback.trim();
    if words.is_empty() {
        return;
    }
    if cause.kind == CauseKind::Told || is_lasting(words) {
        draft.remember(&line(words, MAX_LINE));
        return;
    }
    draft.note("Those words were about this one only.");
}

pub(super) fn learn_reply_style(draft: &mut ProfileDraft<'_>, cause: &Cause) {
    learn_from_words(draft, cause);
    if cause.kind != CauseKind::ProposalEdited {
        return;
    }
    let content =
        |args: &Value| args.get("content").and_then(Value::as_str).unwrap_or_default().trim().to_owned();
    let (before, after) = (content(&cause.proposed), content(&cause.edited));
    let notes_before = draft.notes.len();
    if before != after && !after.is_empty() {
        if let Some(greeting) = greeting(&after).filter(|now| Some(now) != greeting(&before).as_ref()) {
            draft.set("Greeting", &format!("begin with “{greeting} …”"));
        }
        if let Some(end) = sign_off(&after).filter(|now| Some(now) != sign_off(&before).as_ref()) {
            draft.set("Sign-off", &format!("end with “{end}”"));
        }
        let (words_before, words_after) =
            (before.split_whitespace().count(), after.split_whitespace().count());
        if words_after * 10 <= words_before * 7 {
            draft.set(
                "Length",
                &format!("keep replies short (cut from {words_before} to {words_after} words)"),
            );
        } else if words_after * 10 >= words_before * 14 && words_after > words_before + 10 {
            draft.set("Length", &format!("say more (grown from {words_before} to {words_after} words)"));
        }
        if before.contains('!') && !after.contains('!') {
            draft.set("Tone", "no exclamation marks");
        }
    }
    let people = |args: &Value, key: &str| -> Vec<String> {
        let list = args.get(key).and_then(Value::as_array);
        let list = list.map(Vec::as_slice).unwrap_or_default();
        list.iter().filter_map(Value::as_str).map(|address| line(&address.to_lowercase(), 80)).collect()
    };
    let cc_before = people(&cause.proposed, "cc");
    for address in
        people(&cause.edited, "cc").into_iter().filter(|address| !cc_before.contains(address)).take(3)
    {
        if let Some(to) = people(&cause.edited, "to").first() {
            draft.remember(&format!("Copy {address} when writing to {to}"));
        }
    }
    if draft.notes.len() == notes_before {
        draft.note("The edit changed what this mail says, not how mails are written.");
    }
}

pub(super) fn learn_meeting_style(draft: &mut ProfileDraft<'_>, cause: &Cause) {
    learn_from_words(draft, cause);
    if cause.kind != CauseKind::ProposalEdited {
        return;
    }
    let notes_before = draft.notes.len();
    let (before, after) = (&cause.proposed, &cause.edited);
    let minutes = |args: &Value| args.get("duration_minutes").and_then(Value::as_u64);
    if let Some(now) = minutes(after).filter(|now| Some(*now) != minutes(before)) {
        draft.set("Duration", &format!("meetings of {now} minutes"));
    }
    let hour = |args: &Value| -> Option<u32> {
        let (_, time) = args.get("start")?.as_str()?.split_once('T')?;
        time.get(..2)?.parse().ok().filter(|hour| *hour < 24)
    };
    if let (Some(was), Some(now)) = (hour(before), hour(after))
        && was != now
    {
        let part = match now {
            0..12 => "the morning",
            12..17 => "the afternoon",
            _ => "the evening",
        };
        draft.set("Time of day", &format!("prefer {part} (moved from {was}:00 to {now}:00)"));
    }
    let place =
        |args: &Value| args.get("location").and_then(Value::as_str).unwrap_or_default().trim().to_owned();
    let now = place(after);
    if !now.is_empty() && now != place(before) {
        draft.set("Place", &line(&now, 80));
    }
    if draft.notes.len() == notes_before {
        draft.note("The edit changed this meeting, not how meetings are made.");
    }
}

/// The greeting before the name.
fn greeting(content: &str) -> Option<String> {
    let first = content.lines().next()?.trim();
    let greetings = ["good morning", "good afternoon", "good evening", "hi", "hello", "hey", "dear"];
    let lower = first.to_lowercase();
    let word = greetings.iter().find(|word| {
        lower.starts_with(&format!("{word} ")) || lower.trim_end_matches([',', '!']) == **word
    })?;
    first.get(..word.len()).map(str::to_owned)
}

/// The short lines at the end, joined.
fn sign_off(content: &str) -> Option<String> {
    let last = content.rsplit("\n\n").next().filter(|block| *block != content)?;
    let lines: Vec<&str> = last.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    (lines.len() <= 3 && lines.iter().all(|line| line.len() <= 40) && !last.contains('?'))
        .then(|| lines.join(" / "))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::memory::update;
    use super::*;
    use crate::agent::lesson::MemoryFacts;

    #[test]
    fn edits_of_replies_teach_how_to_write() {
        let edit = Cause {
            proposed: json!({"to": ["bob@x.example"], "content": "Hi Bob!\n\nThat is a wonderful idea, and I would be very glad to come to the meeting on Tuesday afternoon!\n\nBest,\nAda"}),
            edited: json!({"to": ["bob@x.example"], "cc": ["eve@x.example"], "content": "Dear Bob,\n\nTuesday works.\n\nKind regards\nAda"}),
            ..Cause::new(CauseKind::ProposalEdited)
        };
        let facts = MemoryFacts {
            namespace: "email_assistant/response_preferences".into(),
            profile: "Use British spelling.\n- Length: say more (grown from 3 to 40 words)".into(),
            causes: vec![edit],
            ..MemoryFacts::default()
        };
        let profile = update(&facts).profile;
        for part in [
            "Use British spelling.",
            "“Dear …”",
            "Kind regards / Ada",
            "Length: keep replies short",
            "Tone: no",
            "Copy eve@x.example",
        ] {
            assert!(profile.contains(part), "{part} in {profile}");
        }
        assert!(!profile.contains("say more"));
    }

    #[test]
    fn edits_of_meetings_teach_when_and_how_long() {
        let edit = Cause {
            proposed: json!({"start": "2026-03-03T16:00:00+01:00", "duration_minutes": 60}),
            edited: json!({"start": "2026-03-03T10:00:00+01:00", "duration_minutes": 30, "location": "Room 4"}),
            ..Cause::new(CauseKind::ProposalEdited)
        };
        let facts =
            MemoryFacts { namespace: "cal_preferences".into(), causes: vec![edit], ..MemoryFacts::default() };
        let profile = update(&facts).profile;
        assert_eq!(
            profile,
            "- Duration: meetings of 30 minutes\n- Time of day: prefer the morning (moved from 16:00 to 10:00)\n- Place: Room 4\n"
        );
        let feedback =
            Cause { feedback: "make it Wednesday".into(), ..Cause::new(CauseKind::ProposalAnswered) };
        let facts = MemoryFacts { causes: vec![feedback], profile: profile.clone(), ..facts };
        assert_eq!(update(&facts).profile, profile);
    }

    #[test]
    fn a_wish_for_one_mail_is_no_lasting_preference() {
        for (words, learned) in [
            ("shorter please, propose only Tuesday", ""),
            ("Shorter and cc Bob; friendlier.", ""),
            ("not before ten", ""),
            ("bitte immer kürzer", "- bitte immer kürzer\n"),
            ("Always propose Tuesday, and be brief", "- Always propose Tuesday, and be brief\n"),
        ] {
            let cause = Cause { feedback: words.into(), ..Cause::new(CauseKind::ProposalAnswered) };
            let facts = MemoryFacts {
                namespace: "email_assistant.response_preferences".into(),
                causes: vec![cause],
                ..MemoryFacts::default()
            };
            assert_eq!(update(&facts).profile, learned, "{words}");
        }
    }
}
