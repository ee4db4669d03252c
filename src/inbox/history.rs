//! The list of decisions: the answers, who gave them, and how they ended.

use super::{DecidedBy, GrantLine};
use crate::graph::{InterruptId, Kind, ThreadId};
use crate::text::when;
use jiff::{Timestamp, Zoned};
use serde::Serialize;
use serde_json::Value;
use strum::{EnumString, IntoStaticStr, VariantArray};

/// The type of a person's answer, without its text, or what else they did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, EnumString, IntoStaticStr, VariantArray)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum AnswerKind {
    Accept,
    Edit,
    Respond,
    Ignore,
    Draft,
    /// They hid a question until later, or ended that.
    Snooze,
    /// They gave a mail another class.
    Reclassify,
    /// They put a mail away.
    Move,
}

/// How a decision ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, EnumString, IntoStaticStr, VariantArray)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum DecisionEnd {
    /// It can still be undone, or its thread has not gone on yet.
    Pending,
    /// The approved action happened, or the answer reached its thread.
    Done,
    /// A person refused.
    Ignored,
    /// Nobody answered in time.
    Expired,
    /// A person undid it, or news arrived that it did not take into account.
    Undone,
    /// The approved action did not happen.
    Failed,
    /// Nobody knows yet whether it happened.
    InDoubt,
}

impl DecisionEnd {
    /// The word used in JSON and on the command line.
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// A decision in the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DecisionLine {
    pub at: Timestamp,
    /// The question; `None` if a mail was reclassified or moved.
    pub interrupt: Option<InterruptId>,
    pub thread: ThreadId,
    pub workflow: String,
    /// The question's kind.
    pub kind: Option<Kind>,
    /// The tool, or the name of the question.
    pub action: String,
    pub title: String,
    /// The sender of the mail, or the agent, folder or server that asked.
    pub source: Option<String>,
    pub answer: AnswerKind,
    /// What the person wrote, if anything.
    pub text: Option<String>,
    /// The arguments that were decided on: as proposed, or as the person edited them.
    #[serde(skip)]
    pub args: Value,
    /// Who answered; `None` if a person did something else.
    pub by: Option<DecidedBy>,
    pub end: DecisionEnd,
    /// How it ended, in people's words: "sent", "refused".
    pub outcome: String,
    /// Its position in the log; pages start after one.
    #[serde(skip)]
    pub place: i64,
}

/// What led to a decision, and what it led to besides its end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DecisionLinks {
    /// The grant that made it, and the grant given with it.
    pub grants: Vec<GrantLine>,
    pub lessons: Vec<LessonLink>,
}

/// What a profile should learn from a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LessonLink {
    pub namespace: String,
    /// The version that was written; `None` if nothing is stored, or not yet.
    pub version: Option<u64>,
}

/// Which decisions to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DecisionQuery {
    pub since: Option<Timestamp>,
    /// Only decisions before this time.
    pub until: Option<Timestamp>,
    pub answer: Option<AnswerKind>,
    /// Without what was snoozed, reclassified or moved.
    pub only_answers: bool,
    pub end: Option<DecisionEnd>,
    pub workflow: Option<String>,
    pub kind: Option<Kind>,
    /// In the source, in any case.
    pub from: Option<String>,
    /// In how it ended, in any case.
    pub outcome: Option<String>,
    /// All of these words must occur, in any case: in the title, the source, the tool, the answer, who gave it or how it
    /// ended.
    pub words: Vec<String>,
    /// Start after this place, from an earlier page.
    pub after: Option<i64>,
    /// At most this many.
    pub limit: usize,
}

impl DecisionQuery {
    /// Parses words, and `from:` `kind:` `workflow:` `is:` `older:` `newer:`; the error says what was not understood.
    pub fn parse(typed: &str, now: &Zoned) -> Result<Self, String> {
        let mut query = Self::default();
        for word in typed.split_whitespace() {
            match word.split_once(':') {
                Some(("from", who)) if !who.is_empty() => query.from = Some(who.to_owned()),
                Some(("workflow", name)) if !name.is_empty() => query.workflow = Some(name.to_owned()),
                Some(("is", outcome)) if !outcome.is_empty() => query.outcome = Some(outcome.to_owned()),
                Some(("kind", kind)) => {
                    let kind = Kind::from_word(&kind.to_lowercase());
                    query.kind = Some(kind.ok_or("kind: takes triage, approval, question or trouble")?);
                }
                Some(("older", age)) => query.until = Some(when::parse_past(age, now)?),
                Some(("newer", age)) => query.since = Some(when::parse_past(age, now)?),
                _ => query.words.push(word.to_owned()),
            }
        }
        Ok(query)
    }

    /// Whether a line matches. Times and places are checked by the list.
    pub fn takes(&self, line: &DecisionLine) -> bool {
        let has = |text: &str, word: &String| text.to_lowercase().contains(&word.to_lowercase());
        let contains = |word: &String| {
            let by = line.by.as_ref().map(DecidedBy::to_string).unwrap_or_default();
            let always = [&line.title, &line.action, &line.outcome, &by];
            let mut texts = always.into_iter().chain(&line.source).chain(&line.text);
            texts.any(|text| has(text, word))
        };
        self.answer.is_none_or(|answer| answer == line.answer)
            && self.end.is_none_or(|end| end == line.end)
            && self.workflow.as_ref().is_none_or(|workflow| *workflow == line.workflow)
            && self.kind.is_none_or(|kind| line.kind == Some(kind))
            && self.from.as_ref().is_none_or(|who| has(line.source.as_deref().unwrap_or_default(), who))
            && self.outcome.as_ref().is_none_or(|word| has(&line.outcome, word))
            && self.words.iter().all(contains)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_match_in_any_case_wherever_they_stand() {
        let line = DecisionLine {
            at: Timestamp::UNIX_EPOCH,
            interrupt: Some(InterruptId::random()),
            thread: ThreadId::random(),
            workflow: "email".to_owned(),
            kind: Some(Kind::Approval),
            action: "send_email".to_owned(),
            title: "Reply to Ines".to_owned(),
            source: Some("Ines@example.com".to_owned()),
            answer: AnswerKind::Accept,
            text: Some("Fine".to_owned()),
            args: Value::Null,
            by: Some(DecidedBy::Grant("gAbC".to_owned())),
            end: DecisionEnd::Done,
            outcome: "sent to Ann, Bob refused".to_owned(),
            place: 1,
        };
        let takes = |word: &str| {
            DecisionQuery { words: vec![word.to_owned()], ..DecisionQuery::default() }.takes(&line)
        };
        for word in ["INES", "ines@", "Send_", "fine", "Bob", "bob", "SENT", "gabc", "Grant:gAbC"] {
            assert!(takes(word), "{word}");
        }
        assert!(!takes("carol"));
        let now = Timestamp::UNIX_EPOCH.to_zoned(jiff::tz::TimeZone::UTC);
        let finds = |typed: &str| DecisionQuery::parse(typed, &now).unwrap().takes(&line);
        for typed in ["from:ines", "kind:approval is:SENT", "workflow:email Re", "reply is:refused"] {
            assert!(finds(typed), "{typed}");
        }
        for typed in ["from:bob", "kind:question", "is:ignored", "workflow:docs", "is:sent carol"] {
            assert!(!finds(typed), "{typed}");
        }
        let older = DecisionQuery::parse("older:1h", &now).unwrap();
        assert_eq!(older.until, Some(now.timestamp() - jiff::SignedDuration::from_hours(1)));
        for typed in ["kind:mail", "older:soon", "newer:"] {
            assert!(DecisionQuery::parse(typed, &now).is_err(), "{typed}");
        }
    }
}
