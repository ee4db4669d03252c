//! Decisions: taken once, by compare-and-set, and taken back until the thread has acted on them.

use super::audit::{self, Because, Fact};
use super::commit::{forget_calls, living_children, record_decision};
use super::lists::outcome;
use super::rows::{Awaits, DecisionRow, InterruptRow, Stage, ThreadRow, time};
use super::{Store, StoreError};
use crate::graph::{BatchId, Decision, InterruptId, ThreadId};
use crate::inbox::{By, Decide, Item, Outcome, Refusal, Status, check};
use crate::text;
use jiff::Timestamp;
use rusqlite::Connection;
use serde_json::Value;

/// How long a decided thread waits so that the decision can still be taken back.
#[derive(Clone, Copy, Debug, Default)]
pub struct Holds {
    /// After accepting or editing something irreversible.
    pub irreversible_ms: i64,
    /// After any other decision.
    pub other_ms: i64,
}

impl Store {
    /// Takes a decision and says where its thread stands then; those of one batch can be taken back together.
    pub async fn decide(
        &self,
        decide: Decide,
        batch: Option<BatchId>,
        holds: Holds,
    ) -> Result<Outcome, StoreError> {
        let now = self.now_ms();
        self.write(move |db| run(db, decide, batch, holds, now)).await
    }

    /// Takes a decision back, while the thread has not acted on it.
    pub async fn undo(&self, id: InterruptId) -> Result<ThreadId, StoreError> {
        let now = self.now_ms();
        self.write(move |db| {
            let mut interrupt = InterruptRow::find(db, &id)?;
            let mut row = ThreadRow::by_seq(db, interrupt.thread)?;
            match interrupt.stage {
                Stage::Decided => {}
                Stage::Open => {
                    return Err(StoreError::Conflict(format!(
                        "`{}` is open; there is nothing to undo",
                        interrupt.id
                    )));
                }
                Stage::Closed => return Err(not_open(db, &interrupt)?),
            }
            if !reopen(db, &row.id, &mut interrupt, Because::Person, now)? {
                let why = "the thread has already acted on it".to_owned();
                return Err(StoreError::NotOpen { id: interrupt.id.to_string(), why });
            }
            restand(db, &mut row, now)?;
            Ok(row.id)
        })
        .await
    }

    /// Takes back every decision a thread has not acted on; it is asked again.
    pub async fn ask_again(&self, thread: ThreadId, version: i64) -> Result<(), StoreError> {
        let now = self.now_ms();
        self.write(move |db| {
            let mut row = ThreadRow::find(db, &thread)?;
            if row.version != version {
                return Err(StoreError::Moved);
            }
            reopen_all(db, &row, Because::HeldTooLong, now)?;
            restand(db, &mut row, now)
        })
        .await
    }

    /// Puts an open interrupt out of sight until a time, or back into it.
    pub async fn snooze(&self, id: InterruptId, until: Option<Timestamp>) -> Result<Item, StoreError> {
        self.write(move |db| {
            let mut interrupt = InterruptRow::find(db, &id)?;
            if interrupt.stage != Stage::Open {
                return Err(not_open(db, &interrupt)?);
            }
            interrupt.snoozed_until = until.map(Timestamp::as_millisecond);
            interrupt.waits = None;
            interrupt.update(db)?;
            let row = ThreadRow::by_seq(db, interrupt.thread)?;
            interrupt.item(db, &row.id, &row.workflow)
        })
        .await
    }
}

fn run(
    db: &Connection,
    decide: Decide,
    batch: Option<BatchId>,
    holds: Holds,
    now: i64,
) -> Result<Outcome, StoreError> {
    let interrupt = InterruptRow::find(db, &decide.interrupt)?;
    if interrupt.stage != Stage::Open {
        return Err(not_open(db, &interrupt)?);
    }
    interrupt.check_hash()?;
    let decision = typed(decide.decision);
    // Only edited arguments are checked against it.
    let schema = match decision {
        Decision::Edit { .. } => interrupt.schema(db)?,
        Decision::Accept | Decision::Respond { .. } | Decision::Ignore | Decision::Draft => Value::Bool(true),
    };
    check(&decision, interrupt.allow(), &schema, &interrupt.hash, decide.shown.as_deref())
        .map_err(|refusal| StoreError::Refused { id: interrupt.id.to_string(), refusal })?;
    let row = ThreadRow::by_seq(db, interrupt.thread)?;
    let taken = record_decision(db, &row.id, &interrupt, decision, decide.learn, decide.by, batch, now)?;
    decided(db, row, interrupt, &taken, holds, now)
}

/// This decision on this interrupt is on record: the thread stands accordingly.
pub(super) fn decided(
    db: &Connection,
    mut row: ThreadRow,
    mut interrupt: InterruptRow,
    taken: &DecisionRow,
    holds: Holds,
    now: i64,
) -> Result<Outcome, StoreError> {
    interrupt.stage = Stage::Decided;
    interrupt.snoozed_until = None;
    interrupt.waits = None;
    interrupt.update(db)?;

    row.decisions += 1;
    let pending = InterruptRow::pending(db, row.seq)?;
    row.status = stands(db, &row, &pending)?;
    row.version += 1;
    row.updated_at = now;
    if row.status == Status::Ready {
        let hold = hold(db, &pending, taken, holds)?;
        if hold > 0 {
            (row.status, row.hold_ms, row.held_at) = (Status::Held, hold, Some(now));
        }
    }
    row.update(db)?;
    outcome(&row, &pending)
}

/// What a person typed is kept, less the control characters a terminal may have put in.
fn typed(decision: Decision) -> Decision {
    match decision {
        Decision::Respond { text } => Decision::Respond { text: text::typed(&text) },
        Decision::Edit { args } => Decision::Edit { args: text::typed_json(args) },
        Decision::Accept | Decision::Ignore | Decision::Draft => decision,
    }
}

/// Where a living thread stands, by what it still waits for.
pub(super) fn standing(db: &Connection, row: &ThreadRow) -> Result<Status, StoreError> {
    stands(db, row, &InterruptRow::pending(db, row.seq)?)
}

fn stands(db: &Connection, row: &ThreadRow, pending: &[InterruptRow]) -> Result<Status, StoreError> {
    if row.status.ended() {
        return Ok(row.status);
    }
    let open = |engine| pending.iter().any(|p| p.engine == engine && p.stage == Stage::Open);
    Ok(if open(true) {
        Status::Trouble
    } else if pending.iter().any(|p| p.engine) {
        // What was decided about its trouble comes before everything else it may wait for.
        Status::Ready
    } else if row.awaits == Awaits::Answers && open(false) {
        Status::Waiting
    } else if row.awaits == Awaits::Children && living_children(db, row.seq, row.steps - 1)? > 0 {
        Status::Joining
    } else {
        Status::Ready
    })
}

/// How long a thread is held, now that the last of its questions is decided too.
fn hold(
    db: &Connection,
    pending: &[InterruptRow],
    last: &DecisionRow,
    holds: Holds,
) -> Result<i64, StoreError> {
    let mut longest = 0;
    for interrupt in pending.iter().filter(|pending| pending.stage == Stage::Decided) {
        let earlier;
        let decision = if interrupt.seq == last.interrupt {
            last
        } else {
            earlier = DecisionRow::in_force(db, interrupt)?;
            &earlier
        };
        // What cannot be undone any more is not held either.
        if decision.consumed {
            continue;
        }
        let acts = matches!(decision.decision, Decision::Accept | Decision::Edit { .. });
        let this = if interrupt.irreversible && acts { holds.irreversible_ms } else { holds.other_ms };
        longest = longest.max(this);
    }
    Ok(longest)
}

/// The thread stands anew after decisions were taken back.
pub(super) fn restand(db: &Connection, row: &mut ThreadRow, now: i64) -> Result<(), StoreError> {
    forget_calls(db, row)?;
    row.status = standing(db, row)?;
    (row.hold_ms, row.held_at) = (0, None);
    row.version += 1;
    row.updated_at = now;
    row.update(db)
}

/// Takes back the decisions a thread has not acted on; `false` where it has.
pub(super) fn reopen_all(
    db: &Connection,
    row: &ThreadRow,
    because: Because,
    now: i64,
) -> Result<bool, StoreError> {
    let mut all = true;
    for mut pending in InterruptRow::pending(db, row.seq)? {
        if pending.stage == Stage::Decided {
            all &= reopen(db, &row.id, &mut pending, because, now)?;
        }
    }
    Ok(all)
}

pub(super) fn reopen(
    db: &Connection,
    thread: &ThreadId,
    interrupt: &mut InterruptRow,
    because: Because,
    now: i64,
) -> Result<bool, StoreError> {
    let mut decision = DecisionRow::in_force(db, interrupt)?;
    if decision.consumed {
        return Ok(false);
    }
    decision.undone_at = Some(now);
    decision.update(db)?;
    interrupt.stage = Stage::Open;
    interrupt.update(db)?;
    let undone = Fact::Undone { thread: thread.to_string(), interrupt: interrupt.id.to_string(), because };
    audit::record(db, &undone, now)?;
    Ok(true)
}

/// What became of an interrupt that is not open.
pub(super) fn not_open(db: &Connection, interrupt: &InterruptRow) -> Result<StoreError, StoreError> {
    let why = match (&interrupt.closed_why, interrupt.stage) {
        (Some(why), Stage::Closed) => why.clone(),
        _ => {
            let decision = DecisionRow::in_force(db, interrupt)?;
            let word = match decision.decision {
                Decision::Accept => "accepted",
                Decision::Edit { .. } => "edited and accepted",
                Decision::Respond { .. } => "answered",
                Decision::Ignore => "ignored",
                Decision::Draft => "kept as a draft",
            };
            if decision.by == By::Expiry {
                let why = format!("nobody answered in time, so it expired at {}", time(decision.at)?);
                return Ok(StoreError::NotOpen { id: interrupt.id.to_string(), why });
            }
            format!("it was {word} (by {}) at {}", decision.by, time(decision.at)?)
        }
    };
    Ok(StoreError::NotOpen { id: interrupt.id.to_string(), why })
}

impl StoreError {
    /// Whether the card shown was not the card as it stands.
    pub fn is_stale(&self) -> bool {
        matches!(self, StoreError::Refused { refusal: Refusal::Stale, .. })
    }
}
