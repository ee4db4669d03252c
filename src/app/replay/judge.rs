//! Compares what is proposed now with what the user decided then. Pure.

use crate::graph::{Decision, Kind};
use crate::store::PastDecision;
use crate::workflows::mail_facts::Class;
use serde_json::Value;
use similar::TextDiff;
use std::collections::BTreeSet;

/// The right proposal, according to a decision.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Expected {
    /// This call, with these arguments.
    Call(Value),
    /// No such call.
    None,
}

/// How a proposal compares with what was decided.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Judged {
    /// Whether it is what was decided.
    pub same: bool,
    /// How much of its text the user would have had to change, from 0 to 1; `None` if there is no text.
    pub distance: Option<f64>,
}

/// The class that an answer gives a mail; `None` if the answer does not tell.
pub(super) fn class(past: &PastDecision) -> Option<Class> {
    match (past.kind, &past.decision) {
        (Kind::Triage, Decision::Accept | Decision::Edit { .. } | Decision::Draft) => Some(Class::Notify),
        (Kind::Triage, Decision::Respond { .. }) => Some(Class::Respond),
        (Kind::Triage, Decision::Ignore) => Some(Class::Ignore),
        // A user who refuses a reply may have wanted to know about the mail, or not even that.
        (Kind::Approval | Kind::Question, Decision::Ignore) => None,
        (Kind::Approval | Kind::Question, _) => Some(Class::Respond),
        (Kind::Trouble, _) => None,
    }
}

/// The call that an answer makes right; `None` if the answer does not tell: a response asks for something else.
pub(super) fn expected(past: &PastDecision) -> Option<Expected> {
    if past.kind != Kind::Approval {
        return None;
    }
    match &past.decision {
        Decision::Accept | Decision::Draft => Some(Expected::Call(past.proposed.clone())),
        Decision::Edit { args } => Some(Expected::Call(args.clone())),
        Decision::Ignore => Some(Expected::None),
        Decision::Respond { .. } => None,
    }
}

/// Compares a proposal (`None` if the tool was not called) with the expected call.
pub(super) fn judge(tool: &str, expected: &Expected, got: Option<&Value>) -> Judged {
    let (args, got) = match (expected, got) {
        (Expected::None, got) => return Judged { same: got.is_none(), distance: None },
        (Expected::Call(_), None) => return Judged::default(),
        (Expected::Call(args), Some(got)) => (args, got),
    };
    match tool {
        "write_email" => {
            let same_people = people(args, &["to", "cc", "bcc"]) == people(got, &["to", "cc", "bcc"]);
            let distance = distance(text(args, "content"), text(got, "content"));
            let same = same_people && words(text(args, "content")) == words(text(got, "content"));
            Judged { same, distance: Some(distance) }
        }
        "schedule_meeting" => {
            let slot = |args: &Value| (instant(args), args.get("duration_minutes").cloned());
            let same_people = people(args, &["attendees"]) == people(got, &["attendees"]);
            Judged { same: same_people && slot(args) == slot(got), distance: None }
        }
        "python" => {
            let (was, is) = (text(args, "code"), text(got, "code"));
            Judged { same: was.trim() == is.trim(), distance: Some(distance(was, is)) }
        }
        _ => Judged { same: args == got, distance: None },
    }
}

fn text<'a>(args: &'a Value, key: &str) -> &'a str {
    args.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

/// The start, comparable however it is written.
fn instant(args: &Value) -> Result<jiff::Timestamp, String> {
    let start = text(args, "start");
    start.parse().map_err(|_| start.to_owned())
}

/// Addresses without names, in lower case.
fn people(args: &Value, keys: &[&str]) -> BTreeSet<String> {
    let lists = keys.iter().filter_map(|key| args.get(key)).flat_map(|value| match value {
        Value::Array(list) => list.iter().filter_map(Value::as_str).collect(),
        other => other.as_str().into_iter().collect::<Vec<&str>>(),
    });
    let bare = |typed: &str| match typed.rsplit_once('<') {
        Some((_, address)) => address.trim_end_matches('>').to_lowercase(),
        None => typed.trim().to_lowercase(),
    };
    lists.map(bare).collect()
}

/// How much of two texts differs, by words.
fn distance(was: &str, is: &str) -> f64 {
    1.0 - f64::from(TextDiff::from_words(was, is).ratio())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn wrote(to: &str, content: &str) -> Value {
        json!({"to": [to], "subject": "s", "content": content})
    }

    #[test]
    fn a_draft_is_the_same_by_its_people_and_words() {
        let expected = Expected::Call(wrote("Bo <bo@far.test>", "Yes,\nwith pleasure."));
        let same = judge("write_email", &expected, Some(&wrote("BO@far.test", "Yes, with pleasure.")));
        assert!(same.same);
        let other = judge("write_email", &expected, Some(&wrote("al@far.test", "Yes,\nwith pleasure.")));
        assert_eq!(other, Judged { same: false, distance: Some(0.0) });
        let edited = judge("write_email", &expected, Some(&wrote("bo@far.test", "No.")));
        assert!(!edited.same && edited.distance.is_some_and(|distance| distance > 0.5), "{edited:?}");
        assert_eq!(judge("write_email", &expected, None), Judged::default());
        assert!(judge("write_email", &Expected::None, None).same);
        assert!(!judge("write_email", &Expected::None, Some(&Value::Null)).same);
    }

    #[test]
    fn a_meeting_is_the_same_by_its_slot_and_people() {
        let meeting =
            |start: &str, who: &str| json!({"attendees": [who], "start": start, "duration_minutes": 30});
        let expected = Expected::Call(meeting("2026-11-20T10:00:00+01:00", "bo@far.test"));
        for (start, who, same) in [
            ("2026-11-20T09:00:00Z", "Bo <bo@far.test>", true),
            ("2026-11-20T10:00:00Z", "bo@far.test", false),
            ("2026-11-20T09:00:00Z", "al@far.test", false),
            ("tomorrow", "bo@far.test", false),
        ] {
            assert_eq!(
                judge("schedule_meeting", &expected, Some(&meeting(start, who))).same,
                same,
                "{start} {who}"
            );
        }
    }
}
