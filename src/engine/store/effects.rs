//! The journal: intents before the first byte leaves, outcomes afterwards, and results of repeatable calls.
//!
//! Whether an effect may begin is decided from the log alone, with every entry checked: what was asked, what was
//! answered, which grant covers it, whether driving is paused, and what has arrived since.

use crate::engine::graph::{Authorization, Decision, EffectState, Hash, Intent, PriorEffect, ThreadId};
use crate::engine::store::blobs::{self, Blob};
use crate::engine::store::log::{
    self, EffectBegun, EffectEnded, Entry, EntryKind, NewEntry, Tx, UndoReason, digest_hex, parse_digest,
};
use crate::engine::store::record::answers::{amend, reopen_all};
use crate::engine::store::record::append::append;
use crate::engine::store::record::project::apply;
use crate::engine::store::record::since_step::{AskedQuestion, SinceStep, StoredAnswer, is_news};
use crate::engine::store::record::{calls, forks};
use crate::engine::store::rows::{EffectRow, ThreadRow, damaged};
use crate::engine::store::{Effects, StoreError, grants, settings};
use crate::inbox::{DecidedBy, POLICY_GRANT};
use rusqlite::params;
use serde_json::Value;
use std::collections::BTreeMap;

/// An intent, and its place in the thread.
#[derive(Clone, Debug)]
pub struct EffectIntent {
    pub thread: ThreadId,
    /// The version at which its node started.
    pub version: i64,
    /// The step its node works on.
    pub step: i64,
    /// The tools that the config allows to act without asking.
    pub policies: Vec<String>,
    /// What is about to be done.
    pub intent: Intent,
}

/// The result of a repeatable call, and its place in the thread.
#[derive(Clone, Debug)]
pub struct CallResult {
    pub thread: ThreadId,
    /// The version at which its node started.
    pub version: i64,
    /// The step its node works on.
    pub step: i64,
    /// How many events its node has taken in.
    pub heard: i64,
    pub name: String,
    /// As JSON.
    pub result: String,
}

impl EffectIntent {
    /// Whether the config still allows what this grant stands for, if it stands for the config.
    fn allows_policy(&self, grant: &str) -> bool {
        grant
            .strip_prefix(POLICY_GRANT)
            .is_none_or(|tool| self.policies.iter().any(|allowed| allowed == tool))
    }
}

impl Effects<'_> {
    /// Commits an intent, or returns what an earlier attempt left. What certainly did not happen has then begun again.
    pub async fn begin(self, effect: EffectIntent) -> Result<PriorEffect, StoreError> {
        self.0.write(move |tx| begin(tx, &effect)).await?.ok_or(StoreError::Moved)
    }

    /// Commits the state of an effect. It is recorded whatever happened to the thread meanwhile.
    pub async fn set_state(
        self,
        thread: ThreadId,
        step: i64,
        name: String,
        state: EffectState,
        outcome: Value,
    ) -> Result<(), StoreError> {
        self.0
            .write(move |tx| {
                let mut row = ThreadRow::find(tx, &thread)?;
                let rest = "WHERE thread = ? AND step = ? AND name = ?";
                let stored = EffectRow::select(tx, rest, params![row.seq, step, name])?.pop();
                let Some(effect) = stored else { return damaged(format!("effect `{name}` is missing")) };
                end(tx, &mut row, effect.seq, &name, state, outcome)
            })
            .await
    }

    /// Whether a thread's current step has carried out an effect, or may have.
    pub fn has_acted(self, thread: &ThreadId) -> Result<bool, StoreError> {
        self.0.read(|db| {
            let recent = SinceStep::read(db, &ThreadRow::find(db, thread)?)?;
            Ok(recent.effects.iter().any(|effect| effect.state != EffectState::NotDone))
        })
    }

    /// Stores the result of a repeatable call without waiting for the disk. If the thread has moved on, or something
    /// has reached it that its node does not know, the result is outdated and dropped.
    pub fn record_call(self, call: CallResult) {
        self.0.write_later(move |tx| {
            let row = ThreadRow::find(tx, &call.thread)?;
            if (row.version, row.waiting_events) != (call.version, call.heard) {
                return Err(StoreError::Moved);
            }
            calls::write(tx, row.seq, call.step, &call.name, &call.result)
        });
    }
}

/// Records the state of the effect that began with this entry.
pub fn end(
    tx: &Tx<'_>,
    row: &mut ThreadRow,
    effect: i64,
    name: &str,
    state: EffectState,
    outcome: Value,
) -> Result<(), StoreError> {
    let begun = log::entry(tx, effect)?;
    let is_it = begun.kind == EntryKind::Begun && begun.stream == row.seq;
    if !is_it || begun.parse_body::<EffectBegun>()?.name != name {
        return damaged(format!("effect `{name}` of thread {} is not on record", row.id));
    }
    append(tx, row, EntryKind::Ended, Some(effect), &EffectEnded { state, outcome })?;
    Ok(())
}

/// `None` if the person has to be asked again first.
fn begin(tx: &Tx<'_>, effect: &EffectIntent) -> Result<Option<PriorEffect>, StoreError> {
    let mut row = ThreadRow::find(tx, &effect.thread)?;
    if row.version != effect.version {
        return Err(StoreError::Moved);
    }
    let recent = SinceStep::verified(tx, &row)?;
    let has_unseen_news =
        recent.has_unstarted_approval() && recent.waiting_events.iter().any(|(_, event)| is_news(event));
    let stopped = recent.troubles().next().is_some();
    if recent.step.steps != effect.step || stopped || has_unseen_news || settings::is_paused_by_the_log(tx)? {
        return Err(StoreError::Moved);
    }
    let Intent { name, basis, frozen } = &effect.intent;
    if let Some(earlier) = recent.effects.iter().find(|earlier| earlier.body.name == *name) {
        if earlier.state == EffectState::NotDone {
            approve(tx, &row, &recent, effect)?;
            end(tx, &mut row, earlier.seq, name, EffectState::Begun, Value::Null)?;
        }
        return Ok(Some(PriorEffect::Earlier {
            state: earlier.state,
            frozen: blobs::get(tx, &parse_digest(&earlier.body.bytes)?)?,
            outcome: earlier.outcome.clone(),
        }));
    }
    let approved = approve(tx, &row, &recent, effect)?;
    let question =
        recent.questions.iter().find(|question| approved.is_some_and(|(card, _)| card == question.seq));
    if let Some(question) = question
        && let Some((warning, bind)) = forks::unseen_warning(tx, &row, &question.asked)?
    {
        if question.current_answer().is_some_and(|answer| answer.acted) {
            return Err(StoreError::NotApproved(warning.text.to_string()));
        }
        reopen_all(tx, &mut row, &recent, UndoReason::DoneElsewhere)?;
        amend(tx, &mut row, question, &warning, &bind)?;
        return Ok(None);
    }
    let begun = EffectBegun {
        step: effect.step,
        name: name.clone(),
        basis: basis.clone(),
        bytes: digest_hex(&blobs::put(tx, &Blob::new(frozen))?),
        executed: approved.as_ref().map(|(_, hash)| hash.to_string()),
        from: tx.opened()?,
    };
    let card = approved.map(|(card, _)| card);
    let repeats =
        |entry: &&Entry| Some(entry.seq) == card || (entry.kind == EntryKind::Decided && entry.about == card);
    let similar: Vec<&Entry> = recent.entries.iter().filter(repeats).collect();
    let new = NewEntry::new(Some(row.seq), EntryKind::Begun, Some(row.last), &begun)?;
    apply(tx, &tx.append(NewEntry { about: card, similar: &similar, ..new })?)?;
    Ok(Some(PriorEffect::New))
}

/// Checks that the effect is exactly what was approved, byte for byte. Returns the card that permits it (the last one
/// if there are several) with the hash of what is carried out.
fn approve(
    tx: &Tx<'_>,
    row: &ThreadRow,
    recent: &SinceStep,
    effect: &EffectIntent,
) -> Result<Option<(i64, Hash)>, StoreError> {
    let refuse = |text: String| Err(StoreError::NotApproved(text));
    let ended = |grant: &str| {
        refuse(format!("no grant in force goes by `{grant}`; `sayso grants` shows those there are"))
    };
    let executes = |question: &AskedQuestion, args: &Value| {
        (question.seq, Hash::of(&question.asked.interrupt.action, args, &question.asked.interrupt.shown_with))
    };
    let basis = &effect.intent.basis;
    match basis {
        Authorization::Grant { name } if grants::builtin_on(tx, name)? => Ok(None),
        Authorization::Grant { name } => ended(name),
        Authorization::Decision { key, args } | Authorization::Draft { key, args } => {
            let asked = recent.node_questions().find(|question| question.asked.interrupt.key == *key);
            let Some((question, answer)) = asked.and_then(|q| Some((q, q.current_answer()?))) else {
                return refuse("nobody approved this effect".to_owned());
            };
            let leaves = matches!(basis, Authorization::Decision { .. });
            let id = &question.asked.id;
            let allowed = match &answer.body.decision {
                Decision::Accept if leaves => &question.asked.interrupt.args,
                Decision::Edit { args } if leaves => args,
                Decision::Draft if !leaves => &question.asked.interrupt.args,
                Decision::Accept | Decision::Edit { .. } | Decision::Draft => {
                    return refuse(format!("`{id}` was approved, but not in this way"));
                }
                Decision::Respond { .. } | Decision::Ignore => {
                    return refuse(format!("`{id}` was not approved"));
                }
            };
            if answer.body.shown != question.hash() || allowed != args {
                return refuse(format!("what would be done is not what was approved on `{id}`"));
            }
            if let DecidedBy::Grant(grant) = &answer.body.by
                && !(grants::covers(tx, grant, &question.asked, &row.id, tx.now())?
                    && effect.allows_policy(grant))
            {
                // If nothing has begun, the thread is looked at again and the person is asked.
                return if answer.acted { ended(grant) } else { Err(StoreError::Moved) };
            }
            Ok(Some(executes(question, args)))
        }
        Authorization::Answers { given } => {
            all_answered(recent, given)?;
            let mut card = None;
            for (question, answer) in recent.node_questions().filter_map(|q| Some((q, q.current_answer()?))) {
                if let Some(args) = answered(question, answer, given)? {
                    card = Some(executes(question, args));
                }
            }
            Ok(card)
        }
    }
}

/// Checks that what is sent answers every question and no other.
fn all_answered(recent: &SinceStep, args_by_key: &BTreeMap<String, Value>) -> Result<(), StoreError> {
    let asked: Vec<&AskedQuestion> = recent.node_questions().collect();
    let each = asked
        .iter()
        .all(|question| !question.is_open() && args_by_key.contains_key(&question.asked.interrupt.key));
    if each && !asked.is_empty() && asked.len() == args_by_key.len() {
        return Ok(());
    }
    Err(StoreError::NotApproved("what would be sent does not answer what was asked".to_owned()))
}

/// Checks that the answer being sent is the one that was given. Returns the arguments it carries out.
fn answered<'a>(
    question: &'a AskedQuestion,
    answer: &'a StoredAnswer,
    args_by_key: &BTreeMap<String, Value>,
) -> Result<Option<&'a Value>, StoreError> {
    let id = &question.asked.id;
    let allowed = match &answer.body.decision {
        Decision::Accept => Some(&question.asked.interrupt.args),
        Decision::Edit { args } => Some(args),
        Decision::Respond { .. } | Decision::Ignore => None,
        Decision::Draft => {
            return Err(StoreError::NotApproved(format!("`{id}` was approved, but not in this way")));
        }
    };
    let same = args_by_key.get(&question.asked.interrupt.key) == Some(allowed.unwrap_or(&Value::Null));
    if answer.body.shown == question.hash() && same {
        return Ok(allowed);
    }
    Err(StoreError::NotApproved(format!("what would be sent is not what was answered on `{id}`")))
}
