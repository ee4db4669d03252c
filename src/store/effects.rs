//! The journal: intents before the first byte leaves, outcomes after, results of repeatable calls.

use super::audit::{self, Fact};
use super::rows::{DecisionRow, EffectRow, GrantRow, InterruptRow, Stage, ThreadRow, damaged, json};
use super::seal::{Digest, Seal};
use super::{Store, StoreError, blobs, grants};
use crate::graph::{Basis, Begun, Decision, EffectState, Intent, ThreadId};
use crate::inbox::{By, Status};
use crate::text::hex;
use rusqlite::{Connection, params};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};

/// An intent, and the place in its thread it belongs to.
#[derive(Clone, Debug)]
pub struct EffectIntent {
    /// The thread.
    pub thread: ThreadId,
    /// The version its node was started at.
    pub version: i64,
    /// The step its node works on.
    pub step: i64,
    /// What is about to be done.
    pub intent: Intent,
}

impl Store {
    /// Commits an intent, or tells what an earlier attempt left.
    pub async fn begin_effect(&self, effect: EffectIntent) -> Result<Begun, StoreError> {
        let now = self.now_ms();
        self.write(move |db| begin(db, &effect, now)).await
    }

    /// Commits how far an effect has come. Whatever happened to its thread meanwhile, the truth is kept.
    pub async fn settle_effect(
        &self,
        thread: ThreadId,
        step: i64,
        name: String,
        state: EffectState,
        outcome: Value,
    ) -> Result<(), StoreError> {
        let now = self.now_ms();
        self.write(move |db| {
            let seq = ThreadRow::seq_of(db, &thread)?;
            let Some(mut effect) = EffectRow::find(db, seq, step, &name)? else {
                return damaged(format!("effect `{name}` is missing"));
            };
            effect.state = state;
            effect.outcome = outcome.to_string();
            effect.ended_at = if state == EffectState::Begun { None } else { Some(now) };
            effect.update(db)?;
            record_end(db, &thread, &effect, now)
        })
        .await
    }

    /// Keeps the result of a repeatable call without waiting for the disk. Where the thread has moved on, the
    /// result rests on premises that no longer hold and is dropped.
    pub fn record_call(&self, thread: ThreadId, version: i64, step: i64, name: &str, result: &Value) {
        let (name, result) = (name.to_owned(), result.to_string());
        self.write_later(move |db| {
            let row = ThreadRow::find(db, &thread)?;
            if row.version != version {
                return Err(StoreError::Moved);
            }
            let digest = seal_call(row.seq, step, &name, &result);
            db.prepare_cached(
                "INSERT OR REPLACE INTO calls (thread, step, name, result, digest) VALUES (?, ?, ?, ?, ?)",
            )?
            .execute(params![row.seq, step, name, result, digest.bytes()])?;
            Ok(())
        });
    }
}

fn begin(db: &Connection, effect: &EffectIntent, now: i64) -> Result<Begun, StoreError> {
    let mut row = ThreadRow::find(db, &effect.thread)?;
    if row.version != effect.version || row.steps != effect.step {
        return Err(StoreError::Moved);
    }
    let Intent { name, basis, frozen } = &effect.intent;
    if let Some(earlier) = EffectRow::find(db, row.seq, effect.step, name)? {
        return Ok(Begun::Earlier {
            state: earlier.state,
            frozen: blobs::get(db, &earlier.frozen)?,
            outcome: json("an effect's outcome", &earlier.outcome)?,
        });
    }
    let approved = approve(db, &row, basis, now)?;
    let by = match basis {
        Basis::Decision { .. } => "decision".to_owned(),
        Basis::Draft { .. } => "draft".to_owned(),
        Basis::Answers { .. } => "answers".to_owned(),
        Basis::Grant { name } => format!("grant:{name}"),
    };
    let basis = serde_json::to_string(basis).map_err(|e| StoreError::Sql(e.to_string()))?;
    let mut new = EffectRow {
        seq: 0,
        thread: row.seq,
        step: effect.step,
        name: name.clone(),
        basis,
        state: EffectState::Begun,
        frozen: blobs::put(db, frozen)?,
        outcome: Value::Null.to_string(),
        begun_at: now,
        ended_at: None,
    };
    new.insert(db)?;
    row.effects += 1;
    row.status = Status::Running;
    row.updated_at = now;
    row.update(db)?;
    let begun = Fact::EffectBegun {
        thread: row.id.to_string(),
        step: new.step,
        effect: new.name,
        by,
        interrupt: approved.as_ref().map(|approved| approved.interrupt.clone()),
        action: approved.as_ref().map(|approved| approved.action.clone()),
        executed: approved.map(|approved| approved.executed),
        bytes: hex(&new.frozen),
    };
    audit::record(db, &begun, now)?;
    Ok(Begun::New)
}

/// The card an effect rests on, the last where it rests on several, as the audit names it.
struct Approved {
    interrupt: String,
    action: String,
    executed: String,
}

fn approved(interrupt: &InterruptRow, args: &Value) -> Result<Approved, StoreError> {
    Ok(Approved {
        interrupt: interrupt.id.to_string(),
        action: interrupt.action.clone(),
        executed: audit::bound(&interrupt.action, args, &interrupt.binds()?),
    })
}

/// Tells the audit how far an effect has come.
pub(super) fn record_end(
    db: &Connection,
    thread: &ThreadId,
    effect: &EffectRow,
    now: i64,
) -> Result<(), StoreError> {
    let ended = Fact::EffectEnded {
        thread: thread.to_string(),
        step: effect.step,
        effect: effect.name.clone(),
        state: effect.state.word().to_owned(),
        outcome: audit::sha(&effect.outcome),
    };
    audit::record(db, &ended, now)
}

/// Checks that what is about to be done is what was approved, byte for byte, and closes the way back.
fn approve(
    db: &Connection,
    row: &ThreadRow,
    basis: &Basis,
    now: i64,
) -> Result<Option<Approved>, StoreError> {
    let pending = InterruptRow::pending(db, row.seq)?;
    let decided = pending.iter().filter(|p| !p.engine && p.stage == Stage::Decided);
    let mut by_card = None;
    let otherwise = match basis {
        Basis::Grant { name } if GrantRow::builtin_on(db, name)? => true,
        Basis::Grant { name } => {
            let text = format!("no grant in force goes by `{name}`; `sayso grants` shows those there are");
            return Err(StoreError::NotApproved(text));
        }
        Basis::Decision { .. } | Basis::Draft { .. } => false,
        Basis::Answers { given } => {
            all_answered(&pending, given)?;
            true
        }
    };
    for interrupt in decided {
        let mut decision = DecisionRow::in_force(db, interrupt)?;
        if let Basis::Decision { key, args } | Basis::Draft { key, args } = basis
            && *key == interrupt.key
        {
            interrupt.check_hash()?;
            let leaves = matches!(basis, Basis::Decision { .. });
            let allowed = match &decision.decision {
                Decision::Accept if leaves => interrupt.args()?,
                Decision::Edit { args } if leaves => args.clone(),
                Decision::Draft if !leaves => interrupt.args()?,
                Decision::Accept | Decision::Edit { .. } | Decision::Draft => {
                    let text = format!("`{}` was approved, but not in this way", interrupt.id);
                    return Err(StoreError::NotApproved(text));
                }
                Decision::Respond { .. } | Decision::Ignore => {
                    return Err(StoreError::NotApproved(format!("`{}` was not approved", interrupt.id)));
                }
            };
            if decision.shown != DecisionRow::half(&interrupt.hash) || allowed != *args {
                let text = format!("what would be done is not what was approved on `{}`", interrupt.id);
                return Err(StoreError::NotApproved(text));
            }
            // A grant that ended since it answered: the thread is looked at anew, and the person is asked.
            if let By::Grant(grant) = &decision.by
                && !decision.consumed
                && !grants::covers(db, grant, interrupt, &row.id, now)?
            {
                return Err(StoreError::Moved);
            }
            decision.executed = Some(args.to_string());
            by_card = Some(approved(interrupt, args)?);
        }
        if let Basis::Answers { given } = basis {
            let args = answered(interrupt, &decision, given)?;
            if let Some(args) = &args {
                by_card = Some(approved(interrupt, args)?);
            }
            decision.executed = args.map(|args| args.to_string());
        }
        decision.consumed = true;
        decision.update(db)?;
    }
    if otherwise || by_card.is_some() {
        Ok(by_card)
    } else {
        Err(StoreError::NotApproved("nobody approved this effect".to_owned()))
    }
}

/// Checks that what leaves answers every question and no other.
fn all_answered(pending: &[InterruptRow], given: &BTreeMap<String, Value>) -> Result<(), StoreError> {
    let asked: Vec<&InterruptRow> = pending.iter().filter(|p| !p.engine).collect();
    let each = asked.iter().all(|p| p.stage == Stage::Decided && given.contains_key(&p.key));
    if each && !asked.is_empty() && asked.len() == given.len() {
        return Ok(());
    }
    Err(StoreError::NotApproved("what would be sent does not answer what was asked".to_owned()))
}

/// Checks that an answer about to leave is the one that was given; gives the arguments it carries out.
fn answered(
    interrupt: &InterruptRow,
    decision: &DecisionRow,
    given: &BTreeMap<String, Value>,
) -> Result<Option<Value>, StoreError> {
    interrupt.check_hash()?;
    let allowed = match &decision.decision {
        Decision::Accept => Some(interrupt.args()?),
        Decision::Edit { args } => Some(args.clone()),
        Decision::Respond { .. } | Decision::Ignore => None,
        Decision::Draft => {
            let text = format!("`{}` was approved, but not in this way", interrupt.id);
            return Err(StoreError::NotApproved(text));
        }
    };
    let same = given.get(&interrupt.key) == Some(allowed.as_ref().unwrap_or(&Value::Null));
    if decision.shown == DecisionRow::half(&interrupt.hash) && same {
        return Ok(allowed);
    }
    Err(StoreError::NotApproved(format!("what would be sent is not what was answered on `{}`", interrupt.id)))
}

fn seal_call(thread: i64, step: i64, name: &str, result: &str) -> Digest {
    Seal::of("calls").int(thread).int(step).text(name).text(result).done()
}

/// The results an earlier attempt at this step left.
pub(super) fn calls(db: &Connection, thread: i64, step: i64) -> Result<HashMap<String, Value>, StoreError> {
    let mut found =
        db.prepare_cached("SELECT name, result, digest FROM calls WHERE thread = ? AND step = ?")?;
    let mut rows = found.query([thread, step])?;
    let mut calls = HashMap::new();
    while let Some(row) = rows.next()? {
        let (name, result, digest): (String, String, Vec<u8>) = (row.get(0)?, row.get(1)?, row.get(2)?);
        if digest != seal_call(thread, step, &name, &result).bytes() {
            return damaged(format!("the result of call `{name}` is not as it was written"));
        }
        calls.insert(name, json("a call's result", &result)?);
    }
    Ok(calls)
}
