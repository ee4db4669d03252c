//! Rows: what sayso itself does with mail, learned from decisions. A row says what to do with the mail of a sender, a
//! list, a domain or a kind.
//!
//! Promises: a row that skips comes only from a person's yes, or their own hand. What a first answer makes may show
//! mail, never lower or skip it. An answer counts once.

use super::RowKey;
use crate::engine::graph::{InterruptId, ThreadId};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};

/// How often a person must answer the same before sayso asks whether to skip such mail, or lowers it.
const OFTEN: u32 = 2;

/// How many answers a row names.
const MAX_DECISIONS: usize = 20;

/// What to do with mail.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr, EnumString, VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum RowAnswer {
    /// It deserves an answer, so it comes first.
    First,
    Show,
    /// It needs no answer, so it comes last.
    Lower,
    /// Only mail sent to many, by a sender who was checked, and never about the person's own money.
    Skip,
}

impl RowAnswer {
    pub fn word(self) -> &'static str {
        self.into()
    }

    /// Whether it brings mail forward; otherwise it holds mail back.
    pub fn shows(self) -> bool {
        matches!(self, Self::First | Self::Show)
    }

    /// With the mail it is about: `show mail from ines@shop.example first`.
    pub fn sentence(self, key: &RowKey) -> String {
        let mail = key.words();
        match self {
            Self::First => format!("show {mail} first"),
            Self::Show => format!("show {mail}"),
            Self::Lower => format!("show {mail} lower"),
            Self::Skip => format!("skip {mail}"),
        }
    }
}

/// What a person did with a mail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RowCause {
    /// They ignored a mail, or dismissed a proposal.
    Ignored,
    /// They took note of a mail that was shown.
    Noted,
    /// They wanted to answer a mail that was only shown.
    Answered,
    /// They said what class a mail is of.
    Reclassified,
}

/// A decision that a row comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowDecision {
    pub thread: ThreadId,
    pub step: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interrupt: Option<InterruptId>,
    pub cause: RowCause,
}

/// What happens to a row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RowChange {
    /// A decision says that this is what to do.
    Decided {
        answer: RowAnswer,
        decision: RowDecision,
    },
    /// A person is asked about it.
    Asked,
    /// A person said what to do.
    Set {
        answer: RowAnswer,
    },
    /// That a person ignored the mail of this thread no longer counts.
    TakenBack {
        thread: ThreadId,
    },
    /// A person keeps it although they corrected it.
    Kept,
    Paused,
    Resumed,
    Deleted,
}

/// What a person is to be asked about a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RowQuestion {
    /// Whether to skip such mail from now on.
    Skip,
    /// Whether to drop a row that they keep correcting.
    Drop,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum RowState {
    /// Answers were counted; nothing is done yet.
    Noticed,
    /// It is acted on.
    Given,
    Paused,
}

/// What sayso does with some mail, and why. The field names are a contract: we add but never rename.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryRow {
    pub key: RowKey,
    pub answer: RowAnswer,
    pub state: RowState,
    /// How many decisions say so.
    pub confirmed: u32,
    /// How many decisions said otherwise since it was given.
    pub corrected: u32,
    /// The newest of those that say so, oldest first.
    pub decisions: Vec<RowDecision>,
    /// Whether a person was asked about it and has not answered.
    #[serde(default)]
    pub asked: bool,
    /// Whether a person said so themselves.
    #[serde(default)]
    pub by_hand: bool,
    /// The newest decision that only counted against it.
    #[serde(default)]
    pub corrected_by: Option<RowDecision>,
}

impl MemoryRow {
    /// The row after all that happened to it; `None` if there is none any more.
    pub fn folded(key: &RowKey, changes: Vec<RowChange>) -> Option<Self> {
        let mut counting: Vec<RowChange> = Vec::new();
        for change in changes {
            if let RowChange::TakenBack { thread } = &change {
                counting.retain(|earlier| match earlier {
                    RowChange::Decided { decision, .. } => {
                        decision.thread != *thread || decision.cause != RowCause::Ignored
                    }
                    _ => true,
                });
            }
            counting.push(change);
        }
        counting.into_iter().fold(None, |row, change| Self::changed(row, key, change))
    }

    /// The row after a change; `None` if there is none any more.
    pub fn changed(row: Option<Self>, key: &RowKey, change: RowChange) -> Option<Self> {
        let new = |answer, state| Self {
            key: key.clone(),
            answer,
            state,
            confirmed: 0,
            corrected: 0,
            decisions: Vec::new(),
            asked: false,
            by_hand: false,
            corrected_by: None,
        };
        Some(match (change, row) {
            (RowChange::Decided { answer, decision }, Some(row)) => row.decided(answer, decision),
            (RowChange::Decided { answer, decision }, None) => {
                new(answer, RowState::Noticed).agreed(decision)
            }
            (RowChange::Set { answer }, row) => {
                let row = row.filter(|row| row.answer == answer);
                let row = row.unwrap_or_else(|| new(answer, RowState::Given));
                Self { state: RowState::Given, corrected: 0, asked: false, by_hand: true, ..row }
            }
            (RowChange::Deleted, _) | (_, None) => return None,
            // What no longer counts is left out of all that happened, by `folded`.
            (RowChange::TakenBack { .. }, Some(row)) => row,
            (RowChange::Asked, Some(row)) => Self { asked: true, ..row },
            (RowChange::Kept, Some(row)) => Self { asked: false, corrected: 0, ..row },
            // Going on must not put into force what was never given.
            (RowChange::Paused, Some(row)) if row.state == RowState::Given => {
                Self { state: RowState::Paused, ..row }
            }
            (RowChange::Resumed, Some(row)) if row.state == RowState::Paused => {
                Self { state: RowState::Given, ..row }
            }
            (RowChange::Paused | RowChange::Resumed, Some(row)) => row,
        })
    }

    fn decided(self, answer: RowAnswer, decision: RowDecision) -> Self {
        let fresh = |row: Self| Self {
            answer,
            state: RowState::Noticed,
            confirmed: 0,
            decisions: Vec::new(),
            by_hand: false,
            ..row
        };
        if answer == self.answer {
            return self.agreed(decision);
        }
        match (self.state, decision.cause) {
            (RowState::Paused, _) => self,
            _ if self.is_light() => fresh(Self { asked: false, ..self }).agreed(decision),
            // A mail that was shown was noted: that contradicts no row.
            (_, RowCause::Noted) => self,
            // Once is no habit, and one mail does not speak for all of a domain or a kind: what was given stays until
            // the person agrees to drop it.
            (_, cause) if cause == RowCause::Ignored || self.key.is_wide() => {
                Self { corrected: self.corrected + 1, corrected_by: Some(decision), ..self }
            }
            _ => fresh(Self { corrected: self.corrected + 1, ..self }).agreed(decision),
        }
    }

    /// Whether nothing is lost if it gives way: it does nothing yet, or only goes by mail that was noted.
    fn is_light(&self) -> bool {
        let by_noting = self.decisions.iter().all(|decision| decision.cause == RowCause::Noted);
        let is_given_lightly = !self.by_hand && !self.decisions.is_empty() && by_noting;
        self.state == RowState::Noticed || is_given_lightly
    }

    fn agreed(mut self, decision: RowDecision) -> Self {
        let said_outright = decision.cause == RowCause::Reclassified;
        self.confirmed += 1;
        self.decisions.push(decision);
        let more = self.decisions.len().saturating_sub(MAX_DECISIONS);
        self.decisions.drain(..more);
        let is_given = match self.answer {
            RowAnswer::First | RowAnswer::Show => true,
            RowAnswer::Lower => said_outright || self.confirmed >= OFTEN,
            RowAnswer::Skip => false,
        };
        if is_given && self.state == RowState::Noticed {
            self.state = RowState::Given;
        }
        self
    }

    /// Whether it counts this decision already.
    pub fn counts(&self, decision: &RowDecision) -> bool {
        // A step that is tried again has another number, but the answer is the same one.
        let is_same = |one: &RowDecision| match (&one.interrupt, &decision.interrupt) {
            (Some(one), Some(other)) => one == other,
            _ => (&one.thread, one.step) == (&decision.thread, decision.step),
        };
        self.decisions.iter().chain(&self.corrected_by).any(is_same)
    }

    /// What a person is to be asked about it now.
    pub fn question(&self) -> Option<RowQuestion> {
        match (self.state, self.answer) {
            _ if self.asked => None,
            (RowState::Noticed, RowAnswer::Skip) if self.confirmed >= OFTEN => Some(RowQuestion::Skip),
            (RowState::Given, _) if self.corrected >= OFTEN => Some(RowQuestion::Drop),
            _ => None,
        }
    }

    /// What it does, in words.
    pub fn sentence(&self) -> String {
        self.answer.sentence(&self.key)
    }
}

/// A row, and what it did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RowLine {
    #[serde(flatten)]
    pub row: MemoryRow,
    /// When it last decided what became of a mail.
    pub applied_at: Option<Timestamp>,
    /// How many mails it decided.
    pub applied: u64,
    /// What the conversation is about, if the row is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
}

/// A row with the newest mails it decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RowView {
    #[serde(flatten)]
    pub line: RowLine,
    pub mails: Vec<super::MailLine>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decision(cause: RowCause, step: u64) -> RowDecision {
        RowDecision { thread: ThreadId::random(), step, interrupt: None, cause }
    }

    fn after(causes: &[(RowAnswer, RowCause)]) -> MemoryRow {
        let key: RowKey = "news@shop.example".parse().unwrap();
        let changes = causes.iter().zip(1..);
        let row = changes.fold(None, |row, ((answer, cause), step)| {
            let change = RowChange::Decided { answer: *answer, decision: decision(*cause, step) };
            MemoryRow::changed(row, &key, change)
        });
        row.unwrap()
    }

    #[test]
    fn skipping_is_asked_about_and_showing_is_not() {
        let once = after(&[(RowAnswer::Skip, RowCause::Ignored)]);
        let resumed = MemoryRow::changed(Some(once.clone()), &once.key, RowChange::Resumed);
        assert_eq!(resumed.as_ref(), Some(&once), "it was never given");
        assert_eq!((once.state, once.question()), (RowState::Noticed, None));
        let twice = after(&[(RowAnswer::Skip, RowCause::Ignored); 2]);
        assert_eq!((twice.state, twice.question()), (RowState::Noticed, Some(RowQuestion::Skip)));
        assert_eq!(after(&[(RowAnswer::First, RowCause::Answered)]).state, RowState::Given);
        assert_eq!(after(&[(RowAnswer::Lower, RowCause::Ignored)]).state, RowState::Noticed);
        assert_eq!(after(&[(RowAnswer::Lower, RowCause::Ignored); 2]).state, RowState::Given);
        assert_eq!(after(&[(RowAnswer::Lower, RowCause::Reclassified)]).state, RowState::Given);
        let mixed = after(&[(RowAnswer::Skip, RowCause::Ignored), (RowAnswer::Show, RowCause::Noted)]);
        assert_eq!((mixed.answer, mixed.confirmed), (RowAnswer::Show, 1));
    }

    #[test]
    fn what_contradicts_a_row_corrects_it() {
        let key: RowKey = "news@shop.example".parse().unwrap();
        let given = MemoryRow::changed(None, &key, RowChange::Set { answer: RowAnswer::Skip });
        let say = |row: Option<MemoryRow>, answer, cause, step| {
            MemoryRow::changed(row, &key, RowChange::Decided { answer, decision: decision(cause, step) })
        };
        let shown = say(given, RowAnswer::Show, RowCause::Reclassified, 1).unwrap();
        assert_eq!((shown.answer, shown.state, shown.corrected), (RowAnswer::Show, RowState::Given, 1));
        let ignored = say(Some(shown), RowAnswer::Skip, RowCause::Ignored, 2).unwrap();
        assert_eq!((ignored.answer, ignored.question()), (RowAnswer::Show, Some(RowQuestion::Drop)));
        let kept = MemoryRow::changed(Some(ignored), &key, RowChange::Kept).unwrap();
        assert_eq!(kept.question(), None);
        assert_eq!(MemoryRow::changed(Some(kept), &key, RowChange::Deleted), None);
    }

    #[test]
    fn what_is_taken_back_leaves_the_row_that_was_there_before() {
        let key: RowKey = "news@shop.example".parse().unwrap();
        let ignored = |thread: &ThreadId, step| RowChange::Decided {
            answer: RowAnswer::Skip,
            decision: RowDecision { thread: thread.clone(), ..decision(RowCause::Ignored, step) },
        };
        let noted = RowChange::Decided { answer: RowAnswer::Show, decision: decision(RowCause::Noted, 1) };
        let (one, other) = (ThreadId::random(), ThreadId::random());
        let taken_back = |thread: &ThreadId| RowChange::TakenBack { thread: thread.clone() };
        let folded = |changes: &[RowChange]| MemoryRow::folded(&key, changes.to_vec());
        let before = folded(std::slice::from_ref(&noted));
        assert_eq!(folded(&[noted.clone(), ignored(&one, 2), taken_back(&one)]), before);
        let set = RowChange::Set { answer: RowAnswer::Show };
        let corrected = |changes: &[RowChange]| folded(changes).map(|row| row.corrected);
        let both = [set, ignored(&one, 2), ignored(&other, 3), taken_back(&one)];
        assert_eq!((corrected(&both[..3]), corrected(&both)), (Some(2), Some(1)));
        assert_eq!(folded(&[ignored(&one, 2), taken_back(&one)]), None);
    }

    #[test]
    fn what_a_person_set_does_not_give_way_to_one_ignore() {
        let key: RowKey = "news@shop.example".parse().unwrap();
        let noted = after(&[(RowAnswer::Show, RowCause::Noted)]);
        let say = |row: MemoryRow, answer, cause, step| {
            let change = RowChange::Decided { answer, decision: decision(cause, step) };
            MemoryRow::changed(Some(row), &key, change).unwrap()
        };
        assert_eq!(say(noted.clone(), RowAnswer::Skip, RowCause::Ignored, 9).answer, RowAnswer::Skip);
        for before in [None, Some(noted)] {
            let set = MemoryRow::changed(before, &key, RowChange::Set { answer: RowAnswer::Show }).unwrap();
            let seen = say(set, RowAnswer::Show, RowCause::Noted, 2);
            let ignored = say(seen, RowAnswer::Skip, RowCause::Ignored, 3);
            assert_eq!((ignored.answer, ignored.corrected), (RowAnswer::Show, 1));
        }
    }
}
