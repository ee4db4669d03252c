//! Queries to the inbox and their results.

use super::query_language::{Candidate, Flag, Query};
use super::{
    DecidedBy, DecisionLine, InboxError, Item, ItemKind, ItemLine, ItemStatus, Outcome, SeenHash, Status,
};
use crate::engine::graph::{Decision, Hash, InterruptId, Warning};
use jiff::Timestamp;
use serde::{Serialize, Serializer};

/// Which items to list, and where to start.
#[derive(Clone, Debug, Default)]
pub struct ItemQuery {
    /// Results are listed only when asked for; so are snoozed items, without the others.
    pub filter: Query,
    /// Start after this place, from an earlier page.
    pub after: Option<i64>,
    /// At most this many.
    pub limit: usize,
}

impl ItemQuery {
    pub fn is_snoozed(&self) -> bool {
        self.filter.flags.contains(&Flag::Snoozed)
    }

    /// Whether a listed item matches.
    pub fn matches(&self, item: &Item, now: Timestamp) -> bool {
        let grade = Warning::highest_grade(item.warnings());
        let new_mail = item.warnings().iter().any(|warning| warning.code == "new_mail");
        let status = if self.is_snoozed() { ItemStatus::Snoozed } else { ItemStatus::Open };
        let irreversible = item.question().is_some_and(|question| question.irreversible);
        let has = |flag: &Flag| flag.holds(grade, new_mail, irreversible, status);
        let source = item.question().and_then(|question| question.source.as_deref()).unwrap_or_default();
        let gist = item.question().map_or("", |question| &question.gist);
        let row = Candidate {
            texts: &[item.title(), gist, source, item.action(), item.workflow()],
            source,
            workflow: item.workflow(),
            kind: Some(item.kind()),
            at: item.created_at(),
        };
        self.filter.matches(&row, now) && self.filter.flags.iter().all(has)
    }
}

impl ItemLine {
    /// Whether a query finds it.
    pub fn matches(&self, query: &Query, now: Timestamp) -> bool {
        let has = |flag: &Flag| flag.holds(self.grade, self.new_mail, self.irreversible, self.status);
        let source = self.source.as_deref().unwrap_or_default();
        let shown = Candidate {
            texts: &[&self.title, &self.gist, source, &self.action, &self.workflow],
            source,
            workflow: &self.workflow,
            kind: Some(self.kind),
            at: self.created_at,
        };
        query.matches(&shown, now) && query.flags.iter().all(has)
    }
}

/// Which threads to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThreadQuery {
    pub filter: Query,
    /// Only with mail to this account.
    pub account: Option<String>,
    /// List the best matches first, and only one page of them.
    pub best_first: bool,
    /// Without the threads that the engine starts itself, unless they are asked for.
    pub hides_engine: bool,
    /// Start after this place, from an earlier page.
    pub after: Option<i64>,
    /// At most this many.
    pub limit: usize,
}

/// Which decisions to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DecisionQuery {
    pub filter: Query,
    /// Without what was snoozed, reclassified or moved.
    pub only_answers: bool,
    /// Start after this place, from an earlier page.
    pub after: Option<i64>,
    /// At most this many.
    pub limit: usize,
}

impl DecisionQuery {
    pub fn matches(&self, line: &DecisionLine, now: Timestamp) -> bool {
        let by = line.by.as_ref().map(DecidedBy::to_string).unwrap_or_default();
        let (source, text) =
            (line.source.as_deref().unwrap_or_default(), line.text.as_deref().unwrap_or_default());
        let row = Candidate {
            texts: &[&line.title, &line.action, &line.outcome, &by, source, text],
            source,
            workflow: &line.workflow,
            kind: line.kind.map(ItemKind::Question),
            at: line.at,
        };
        self.filter.matches(&row, now)
            && self.filter.answer.is_none_or(|answer| answer == line.answer)
            && self.filter.matches_end(Some(line.end), &line.outcome)
    }
}

/// What threads can be filtered by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facets {
    /// The workflows that have threads.
    pub workflows: Vec<String>,
    /// The accounts whose mail is in threads.
    pub accounts: Vec<String>,
    /// The servers whose threads are listed too.
    pub servers: Vec<String>,
}

/// A decision that is about to be made.
#[derive(Clone, Debug, PartialEq)]
pub struct DecisionRequest {
    /// Any unique prefix of an id.
    pub interrupt: InterruptId,
    pub decision: Decision,
    /// The card it is bound to; `None` binds it to nothing.
    pub shown: Option<SeenHash>,
    /// Whether we may learn from it.
    pub learn: bool,
    pub by: DecidedBy,
}

impl DecisionRequest {
    /// A decision made on the screen, on the card with this hash.
    pub fn on_screen(interrupt: InterruptId, hash: Hash, decision: Decision, learn: bool) -> Self {
        Self { interrupt, decision, shown: Some(SeenHash::Whole(hash)), learn, by: DecidedBy::Tui }
    }
}

/// The inbox in numbers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Overview {
    /// Open and not snoozed, by kind, in the order of `Kind::ALL`.
    #[serde(serialize_with = "by_name")]
    pub open: Vec<(String, u64)>,
    /// Open and snoozed.
    pub snoozed: u64,
    /// Threads by status, in the order of `Status::ALL`.
    #[serde(serialize_with = "by_name")]
    pub threads: Vec<(String, u64)>,
    /// Whether all driving is paused.
    pub paused: bool,
    /// The id of the driving process, if there is one.
    pub driver: Option<u32>,
    /// Threads that wait for an unreachable model server.
    pub waiting_for_model: u64,
}

impl Overview {
    /// How many items of a kind are open and not snoozed.
    pub fn open_of(&self, kind: ItemKind) -> u64 {
        count(&self.open, kind.word())
    }

    pub fn threads_in(&self, status: Status) -> u64 {
        count(&self.threads, status.word())
    }

    /// Whether a thread runs, or is about to.
    pub fn is_at_work(&self) -> bool {
        self.threads_in(Status::Running) + self.threads_in(Status::Ready) > 0
    }
}

fn by_name<S: Serializer>(counts: &[(String, u64)], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(counts.iter().map(|(name, count)| (name, count)))
}

fn count(counts: &[(String, u64)], name: &str) -> u64 {
    counts.iter().find(|(word, _)| word == name).map_or(0, |(_, count)| *count)
}

/// The result of each of several decisions.
pub type BatchResults = Vec<(InterruptId, Result<Outcome, InboxError>)>;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::graph::{Kind, ThreadId};
    use crate::inbox::{AnswerKind, DecisionEnd, Place};

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
            args: serde_json::Value::Null,
            by: Some(DecidedBy::Grant("gAbC".to_owned())),
            end: DecisionEnd::Done,
            outcome: "sent to Ann, Bob refused".to_owned(),
            ended_at: None,
            seq: 1,
            batch: None,
        };
        let now = Timestamp::UNIX_EPOCH.to_zoned(jiff::tz::TimeZone::UTC);
        let finds = |typed: &str| {
            let filter = Query::parse(typed, Place::Decisions, &now).unwrap();
            DecisionQuery { filter, ..DecisionQuery::default() }.matches(&line, now.timestamp())
        };
        for typed in [
            "INES",
            "ines@ Send_",
            "fine",
            "bob SENT",
            "gabc",
            "Grant:gAbC",
            "from:ines",
            "kind:approval is:SENT",
            "workflow:email Re",
            "is:done answer:accept",
        ] {
            assert!(finds(typed), "{typed}");
        }
        for typed in [
            "carol",
            "from:bob",
            "kind:question",
            "is:ignored",
            "workflow:docs",
            "is:sent carol",
            "older:1h",
            "answer:edit",
        ] {
            assert!(!finds(typed), "{typed}");
        }
    }
}
