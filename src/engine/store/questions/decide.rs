//! Decisions: made once, by compare-and-set, and undoable until the thread has acted on them.

use crate::engine::graph::{BatchId, Decision, InterruptId, ThreadId, Warning};
use crate::engine::store::grants::give;
use crate::engine::store::log::{Asked, Decided, EntryKind, Released, Snoozed, Tx, UndoReason};
use crate::engine::store::questions::items::question_shown;
use crate::engine::store::record::answers::{reopen_all, take_back};
use crate::engine::store::record::append::append;
use crate::engine::store::record::listed::Listed;
use crate::engine::store::record::project::save;
use crate::engine::store::record::questions::{answer_to, asked_of, not_open, open_question, schema_of};
use crate::engine::store::record::since_step::{self, SinceStep};
use crate::engine::store::rows::{InterruptRow, Stage, ThreadRow, damaged};
use crate::engine::store::threads::list::outcome;
use crate::engine::store::{Inbox, StoreError};
use crate::inbox::{
    DecidedBy, DecisionRequest, Edited, GrantLine, GrantRequest, Outcome, PROGRAM_ACTIONS, Question, Status,
    check,
};
use crate::text;
use jiff::Timestamp;
use rusqlite::Connection;
use serde_json::Value;

/// Words to an agent of ours, and what a person writes in place of a proposal: nothing leaves before it is held itself, so
/// there is little to take back.
const WORDS_MS: i64 = 1000;

/// How long a decided thread waits, so that the decision can still be taken back.
#[derive(Clone, Copy, Debug, Default)]
pub struct Holds {
    /// After accepting or editing something irreversible.
    pub irreversible_ms: i64,
    /// After any other decision.
    pub other_ms: i64,
    /// After answering a program that waits.
    pub agents_ms: i64,
    /// After accepting or editing a program's request that carries a warning.
    pub warned_agents_ms: i64,
}

impl Holds {
    fn after(&self, question: &InterruptRow, confirms: bool, decision: &Decision) -> i64 {
        let acts = matches!(decision, Decision::Accept | Decision::Edit { .. });
        let program = question.action.starts_with(PROGRAM_ACTIONS);
        match (acts, program) {
            (true, _) if question.irreversible => self.irreversible_ms,
            (true, true) if confirms => self.warned_agents_ms,
            // An edit may have made it harmful, so only unedited requests skip the hold.
            (true, true) if question.harmless && *decision == Decision::Accept => 0,
            (_, true) => self.agents_ms,
            (false, false) if matches!(decision, Decision::Respond { .. }) => self.other_ms.min(WORDS_MS),
            (_, false) => self.other_ms,
        }
    }
}

/// More about a decision.
#[derive(Clone, Debug, Default)]
pub struct DecisionDetails {
    /// Which of its offers the program that asked is to remember, by index.
    pub remember: Option<usize>,
    /// Decisions of one batch can be taken back together.
    pub batch: Option<BatchId>,
    /// What the proposal became, if it was edited.
    pub edited: Option<Edited>,
}

impl Inbox<'_> {
    /// Makes a decision and returns the thread's new status.
    pub async fn decide(
        self,
        request: DecisionRequest,
        details: DecisionDetails,
        holds: Holds,
    ) -> Result<Outcome, StoreError> {
        self.0.write(move |tx| run(tx, request, details, holds)).await
    }

    /// Accepts, and allows similar calls from now on: both or neither.
    pub async fn accept_and_grant(
        self,
        accept: DecisionRequest,
        holds: Holds,
        request: GrantRequest,
    ) -> Result<(Outcome, GrantLine), StoreError> {
        self.0
            .write(move |tx| {
                let grant = give(tx, &request)?;
                Ok((run(tx, accept, DecisionDetails::default(), holds)?, grant))
            })
            .await
    }

    /// Takes a decision back if the thread has not acted on it.
    pub async fn undo(self, id: InterruptId) -> Result<ThreadId, StoreError> {
        self.0
            .write(move |tx| {
                let interrupt = InterruptRow::find(tx, &id)?;
                match interrupt.status {
                    Stage::Decided => {}
                    Stage::Open => {
                        let text = format!("`{}` is open; there is nothing to undo", interrupt.id);
                        return Err(StoreError::Conflict(text));
                    }
                    Stage::Closed => return Err(not_open(tx, &interrupt)?),
                }
                undo_one(tx, &interrupt)
            })
            .await
    }

    /// Ends a decision's hold.
    pub async fn act_now(self, id: InterruptId, by: DecidedBy) -> Result<Outcome, StoreError> {
        self.0.write(move |tx| act_now(tx, &id, by)).await
    }

    /// Takes back every decision the thread has not acted on, so the person is asked again.
    pub async fn ask_again(self, thread: ThreadId, version: i64) -> Result<(), StoreError> {
        self.0
            .write(move |tx| {
                let mut row = ThreadRow::find(tx, &thread)?;
                if row.version != version {
                    return Err(StoreError::Moved);
                }
                let recent = SinceStep::read(tx, &row)?;
                reopen_all(tx, &mut row, &recent, UndoReason::HeldTooLong)
            })
            .await
    }

    /// Hides an open interrupt until a time, or shows it again.
    pub async fn snooze(self, id: InterruptId, until: Option<Timestamp>) -> Result<Question, StoreError> {
        self.0
            .write(move |tx| {
                let interrupt = InterruptRow::find(tx, &id)?;
                if interrupt.status != Stage::Open {
                    return Err(not_open(tx, &interrupt)?);
                }
                let mut row = ThreadRow::by_seq(tx, interrupt.thread)?;
                let snoozed = Snoozed { until: until.map(Timestamp::as_millisecond), overdue: None };
                append(tx, &mut row, EntryKind::Snoozed, Some(interrupt.seq), &snoozed)?;
                question_shown(tx, &InterruptRow::find(tx, &interrupt.id)?)
            })
            .await
    }
}

fn run(
    tx: &Tx<'_>,
    request: DecisionRequest,
    details: DecisionDetails,
    holds: Holds,
) -> Result<Outcome, StoreError> {
    let (listed, at) = open_question(tx, &request.interrupt)?;
    let question = &listed.questions[at];
    let decision = typed(request.decision);
    let needs_text = matches!(decision, Decision::Edit { .. }) || details.remember.is_some();
    let asked = needs_text.then(|| asked_of(tx, question)).transpose()?.map(|(asked, _)| asked);
    // Only edited arguments are checked against the schema.
    let schema = match (&decision, &asked) {
        (Decision::Edit { .. }, Some(asked)) => schema_of(tx, asked)?,
        _ => Value::Bool(true),
    };
    check(&decision, question.allow(), &schema, &question.hash(), request.shown.as_ref())
        .map_err(|refusal| StoreError::refused(question.id.to_string(), refusal))?;
    if let Some(place) = details.remember {
        let offered = asked.as_ref().map_or(0, |asked| asked.interrupt.grantable.remember.len());
        if place >= offered || decision != Decision::Accept {
            let text = match text::count_noun(offered, "choice") {
                _ if offered == 0 => "has nothing to remember".to_owned(),
                choices => format!("has {choices} to remember; accept it with one of them"),
            };
            return Err(StoreError::Conflict(format!("`{}` {text}", question.id)));
        }
    }
    let answer = NewAnswer { decision, learn: request.learn, by: request.by, details };
    record_answer(tx, listed, at, asked.as_ref(), answer, holds)
}

fn act_now(tx: &Tx<'_>, id: &InterruptId, by: DecidedBy) -> Result<Outcome, StoreError> {
    let interrupt = InterruptRow::find(tx, id)?;
    let mut row = ThreadRow::by_seq(tx, interrupt.thread)?;
    if (interrupt.status, row.status) != (Stage::Decided, Status::Held) {
        return Err(StoreError::Conflict(format!("`{}` is not held", interrupt.id)));
    }
    let from = tx.opened()?;
    append(tx, &mut row, EntryKind::Released, Some(interrupt.seq), &Released { by, from })?;
    let listed = Listed::of(tx, ThreadRow::by_seq(tx, row.seq)?)?;
    let open = listed.live().filter(|question| question.status == Stage::Open);
    outcome(&listed.row, open.map(|question| question.id.clone()).collect())
}

/// A valid answer.
pub struct NewAnswer {
    pub decision: Decision,
    pub learn: bool,
    pub by: DecidedBy,
    pub details: DecisionDetails,
}

/// Records an answer to the question at index `at`, and returns the thread's new status. `asked` is the question in
/// full, if it was edited.
pub fn record_answer(
    tx: &Tx<'_>,
    mut listed: Listed,
    at: usize,
    asked: Option<&Asked>,
    answer: NewAnswer,
    holds: Holds,
) -> Result<Outcome, StoreError> {
    let question = &listed.questions[at];
    let NewAnswer { decision, learn, by, details } = answer;
    let edited = details.edited;
    let confirms =
        edited.as_ref().map_or(question.confirms, |edited| Warning::need_confirmation(&edited.warnings));
    let is_own = matches!(decision, Decision::Edit { .. })
        && asked.is_some_and(|asked| asked.interrupt.edit_from.is_some());
    let after =
        if is_own { holds.other_ms.min(WORDS_MS) } else { holds.after(question, confirms, &decision) };
    let hold_ms = hold(tx, &listed, at, after, holds)?;
    let (title, done) = edited.map_or((None, None), |edited| (Some(edited.title), edited.done));
    let decided = Decided {
        decision,
        by,
        shown: question.hash(),
        unlearned: !learn,
        remember: details.remember,
        batch: details.batch,
        hold_ms,
        title: title.filter(|title| asked.is_none_or(|asked| *title != asked.interrupt.title)),
        done: done
            .filter(|done| asked.is_none_or(|asked| asked.interrupt.labels.done.as_ref() != Some(done))),
        from: tx.opened()?,
    };
    let seq = question.seq;
    let entry = listed.decide(tx, seq, &decided)?;
    let open = listed.live().filter(|question| question.status == Stage::Open);
    let outcome = outcome(&listed.row, open.map(|question| question.id.clone()).collect())?;
    save(tx, listed, &entry)?;
    Ok(outcome)
}

/// How long the thread is held if this was its last question, whose own answer is held for `own` milliseconds. Decisions
/// that can no longer be undone are not held.
fn hold(db: &Connection, listed: &Listed, at: usize, own: i64, holds: Holds) -> Result<i64, StoreError> {
    let question = &listed.questions[at];
    let mut longest = own;
    for other in listed.live().filter(|other| other.seq != question.seq) {
        match answer_to(db, other)? {
            None if !question.trouble || other.trouble => return Ok(0),
            Some(answer) if !other.acted => {
                longest = longest.max(holds.after(other, other.confirms, &answer.decision));
            }
            _ => {}
        }
    }
    Ok(longest)
}

/// Removes control characters that a terminal may have added to typed text.
fn typed(decision: Decision) -> Decision {
    match decision {
        Decision::Respond { text } => Decision::Respond { text: text::sanitize_typed(&text) },
        Decision::Edit { args } => Decision::Edit { args: text::sanitize_typed_json(args) },
        Decision::Accept | Decision::Ignore | Decision::Draft => decision,
    }
}

/// Takes back the answer to one question, on behalf of a person.
pub fn undo_one(tx: &Tx<'_>, interrupt: &InterruptRow) -> Result<ThreadId, StoreError> {
    let mut row = ThreadRow::by_seq(tx, interrupt.thread)?;
    let acted = || {
        let why = "the thread has already acted on it".to_owned();
        StoreError::NotOpen { id: interrupt.id.to_string(), why }
    };
    if interrupt.status != Stage::Decided {
        return Err(acted());
    }
    let recent = SinceStep::read(tx, &row)?;
    let question = recent.questions.iter().find(|question| question.seq == interrupt.seq);
    match question.and_then(since_step::AskedQuestion::current_answer) {
        None => damaged(format!("the decision on interrupt {} is missing", interrupt.id)),
        Some(answer) if answer.acted => Err(acted()),
        Some(_) => {
            take_back(tx, &mut row, interrupt.seq, UndoReason::Person)?;
            Ok(row.id)
        }
    }
}
