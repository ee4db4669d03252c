//! The list of decisions: what was answered, by whom, and how it ended.

use super::{By, GrantLine};
use crate::graph::{InterruptId, Kind, ThreadId};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;
use strum::{EnumString, IntoStaticStr, VariantArray};

/// What a person did with a question, without the words they used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, EnumString, IntoStaticStr, VariantArray)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum AnswerKind {
    Accept,
    Edit,
    Respond,
    Ignore,
    Draft,
}

/// How a decision ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, EnumString, IntoStaticStr, VariantArray)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum DecisionEnd {
    /// It can still be taken back, or its thread has not gone on yet.
    Pending,
    /// What was approved happened, or the answer reached its thread.
    Done,
    /// A person refused.
    Ignored,
    /// Nobody answered in time.
    Expired,
    /// A person took it back, or something happened that it did not know of.
    Undone,
    /// What was approved did not happen.
    Failed,
    /// Whether it happened, nobody knows yet.
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
    pub interrupt: InterruptId,
    pub thread: ThreadId,
    pub workflow: String,
    pub kind: Kind,
    /// The tool, or what the question is called.
    pub action: String,
    pub title: String,
    /// Whose mail it was about, or which agent, folder or server asked.
    pub source: Option<String>,
    pub answer: AnswerKind,
    /// What the person said, where they did.
    pub text: Option<String>,
    /// What it was decided on: the arguments as they were proposed, or as the person changed them.
    #[serde(skip)]
    pub args: Value,
    pub by: By,
    pub end: DecisionEnd,
    /// How it ended, as people say it: "sent", "denied".
    pub outcome: String,
    /// Where it stands in the log; a page begins after one.
    #[serde(skip)]
    pub place: i64,
}

/// What stands behind a decision, and what came of it besides its end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DecisionLinks {
    /// The grant that took it, and the one that was given with it.
    pub grants: Vec<GrantLine>,
    pub lessons: Vec<LessonLink>,
}

/// What a profile was to learn from a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LessonLink {
    pub namespace: String,
    /// The version that was written; none where nothing was stored, or not yet.
    pub version: Option<u64>,
}

/// Which decisions to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DecisionQuery {
    pub since: Option<Timestamp>,
    /// Only those before this time.
    pub until: Option<Timestamp>,
    pub answer: Option<AnswerKind>,
    pub end: Option<DecisionEnd>,
    pub workflow: Option<String>,
    /// Only where all these words occur, in any case, in the title, the source, the tool or the answer.
    pub words: Vec<String>,
    /// Begin after this place, as an earlier page gave it.
    pub after: Option<i64>,
    /// At most this many.
    pub limit: usize,
}

impl DecisionQuery {
    /// Whether a line is wanted. Times and places are the list's business.
    pub fn takes(&self, line: &DecisionLine) -> bool {
        let holds = |word: &String| {
            let word = word.to_lowercase();
            let texts = [Some(&line.title), line.source.as_ref(), Some(&line.action), line.text.as_ref()];
            texts.into_iter().flatten().any(|text| text.to_lowercase().contains(&word))
                || [line.outcome.as_str(), &line.by.to_string()].iter().any(|text| text.contains(&word))
        };
        self.answer.is_none_or(|answer| answer == line.answer)
            && self.end.is_none_or(|end| end == line.end)
            && self.workflow.as_ref().is_none_or(|workflow| *workflow == line.workflow)
            && self.words.iter().all(holds)
    }
}

/// A page of decisions, newest first.
#[derive(Clone, Debug, Default)]
pub struct DecisionPage {
    pub decisions: Vec<DecisionLine>,
    /// Where the next page begins; `None` after the last.
    pub next: Option<i64>,
}
