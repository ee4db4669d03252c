//! Trouble: questions the engine itself asks, about a thread that cannot go on alone.
//!
//! Trouble is not a step. The step that failed keeps its number, so that a retry finds the calls and effects
//! an earlier attempt left. A decision on trouble only marks it, like any other; the driver carries it out as
//! the thread's next write, and until then it can be undone.

use super::audit::{self, Because, Fact};
use super::commit::wake_parent;
use super::decide::{reopen_all, standing};
use super::rows::{Awaits, DecisionRow, EffectRow, InterruptRow, Stage, ThreadRow};
use super::{Store, StoreError, arrive, effects, ledger, traces};
use crate::graph::{Decision, EffectState, Event, Interrupt, ThreadId, What};
use crate::inbox::Status;
use rusqlite::Connection;
use serde_json::{Value, json};

/// Trouble about to be put to a person.
#[derive(Clone, Debug)]
pub struct NewTrouble {
    /// The thread.
    pub thread: ThreadId,
    /// The version it was read at; `None` where it is to be stopped whatever it does.
    pub version: Option<i64>,
    /// The question; its action is the trouble's code.
    pub interrupt: Interrupt,
    /// The trouble in a sentence.
    pub text: String,
}

impl Store {
    /// Puts trouble to a person; the thread waits.
    pub async fn trouble(&self, trouble: NewTrouble) -> Result<(), StoreError> {
        let now = self.now_ms();
        self.write(move |db| put(db, &trouble, now)).await
    }

    /// Carries out what was decided about a thread's trouble. `step_limit` is what "as much again" adds.
    pub async fn settle_trouble(
        &self,
        thread: ThreadId,
        version: i64,
        step_limit: i64,
    ) -> Result<(), StoreError> {
        let now = self.now_ms();
        self.write(move |db| settle(db, &thread, version, step_limit, now)).await
    }
}

fn put(db: &Connection, trouble: &NewTrouble, now: i64) -> Result<(), StoreError> {
    let mut row = ThreadRow::find(db, &trouble.thread)?;
    if trouble.version.is_some_and(|version| version != row.version) {
        return Err(StoreError::Moved);
    }
    if row.status.ended() {
        return Err(StoreError::NotOpen { id: row.id.to_string(), why: format!("it is {}", row.status) });
    }
    let pending = InterruptRow::pending(db, row.seq)?;
    let code = &trouble.interrupt.action;
    if pending.iter().any(|p| p.engine && p.stage == Stage::Open && &p.action == code) {
        return Ok(());
    }
    // A person who stops a thread does not want a held decision to act as soon as it may go on.
    if trouble.version.is_none() {
        reopen_all(db, &row, Because::Stopped, now)?;
        audit::record(db, &Fact::Stopped { thread: row.id.to_string() }, now)?;
    }
    let mut asked = InterruptRow::new(db, row.seq, row.steps, true, now, &trouble.interrupt)?;
    for (_, event) in arrive::queued(db, row.seq)? {
        if let What::News { warning, .. } = &event.what {
            asked.warn(warning, &event.id)?;
        }
    }
    asked.insert(db)?;
    row.interrupts += 1;
    row.error_code = Some(code.clone());
    row.error_text = Some(trouble.text.clone());
    row.status = Status::Trouble;
    row.version += 1;
    row.updated_at = now;
    row.update(db)
}

fn settle(db: &Connection, thread: &ThreadId, version: i64, more: i64, now: i64) -> Result<(), StoreError> {
    let mut row = ThreadRow::find(db, thread)?;
    if row.version != version {
        return Err(StoreError::Moved);
    }
    let mut fate = Fate::GoesOn;
    let mut came = Vec::new();
    for mut interrupt in InterruptRow::pending(db, row.seq)? {
        if !interrupt.engine || interrupt.stage != Stage::Decided {
            continue;
        }
        let mut decision = DecisionRow::in_force(db, &interrupt)?;
        decision.consumed = true;
        decision.update(db)?;
        interrupt.close(db, None)?;
        came.extend(interrupt.binds()?);
        match (interrupt.action.as_str(), &decision.decision) {
            ("step_limit", Decision::Accept) => row.step_limit += more,
            ("budget", Decision::Accept) => row.allowance += 1,
            ("step_limit" | "budget", Decision::Ignore) => fate = fate.max(Fate::Ends),
            ("in_doubt", Decision::Accept) => settle_effect(db, &row, &interrupt.args()?, now)?,
            ("in_doubt", Decision::Edit { args }) => settle_effect(db, &row, args, now)?,
            (_, Decision::Respond { text }) => {
                let event = Event { id: interrupt.id.to_string(), what: What::Hint { text: text.clone() } };
                arrive::queue(db, row.seq, &event, now)?;
            }
            (_, Decision::Ignore) => fate = fate.max(Fate::Abandoned),
            (_, Decision::Accept | Decision::Edit { .. } | Decision::Draft) => {}
        }
    }
    row.version += 1;
    row.updated_at = now;
    match fate {
        Fate::GoesOn => {
            (row.error_code, row.error_text) = (None, None);
            row.status = standing(db, &row)?;
            row.update(db)
        }
        Fate::Ends => end(db, &mut row, Status::Done, came, now),
        Fate::Abandoned => end(db, &mut row, Status::Abandoned, came, now),
    }
}

/// What a thread's decided trouble comes to, mildest first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Fate {
    GoesOn,
    Ends,
    Abandoned,
}

/// The person found out whether an effect in doubt happened.
fn settle_effect(db: &Connection, row: &ThreadRow, args: &Value, now: i64) -> Result<(), StoreError> {
    let name = args.get("effect").and_then(Value::as_str).unwrap_or_default();
    let Some(mut effect) = EffectRow::find(db, row.seq, row.steps, name)? else {
        return Err(StoreError::Damaged(format!("effect `{name}` of thread {} is missing", row.id)));
    };
    let done = args.get("outcome").and_then(Value::as_str) != Some("not_done");
    effect.state = if done { EffectState::Settled } else { EffectState::NotDone };
    effect.outcome = json!({ "settled": if done { "done" } else { "not_done" } }).to_string();
    effect.ended_at = Some(now);
    effect.update(db)?;
    effects::record_end(db, &row.id, &effect, now)
}

/// Ends a thread from outside its graph, with everything that hangs on it. `came` names the events that reached it
/// while it was in trouble: no node has looked at them, so their mails are given a thread of their own.
fn end(
    db: &Connection,
    row: &mut ThreadRow,
    status: Status,
    mut came: Vec<String>,
    now: i64,
) -> Result<(), StoreError> {
    for mut pending in InterruptRow::pending(db, row.seq)? {
        pending.close(db, Some("its thread was ended"))?;
        if pending.engine {
            came.extend(pending.binds()?);
        }
    }
    row.status = status;
    row.update(db)?;
    traces::ended(db, row.seq)?;
    came.extend(arrive::drop_all(db, row.seq)?.into_iter().map(|event| event.id));
    ledger::ended(db, row.seq, &came, row.status.word(), now)?;
    if row.awaits == Awaits::Children {
        let mut children = db.prepare_cached(
            "SELECT seq FROM threads WHERE parent = ? AND joined = 1 AND status NOT IN ('done', 'abandoned')",
        )?;
        let children: Vec<i64> =
            children.query_map([row.seq], |found| found.get(0))?.collect::<Result<_, _>>()?;
        for child in children {
            let mut child = ThreadRow::by_seq(db, child)?;
            child.version += 1;
            end(db, &mut child, Status::Abandoned, Vec::new(), now)?;
        }
    }
    wake_parent(db, row, now)
}
