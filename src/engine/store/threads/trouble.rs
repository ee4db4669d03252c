//! Trouble: questions the engine itself asks about a thread that cannot continue alone.
//!
//! Trouble is not a step. The failed step keeps its number, so that a retry finds the calls and effects an earlier
//! attempt left. A decision about trouble is only recorded, like any other; the driver carries it out as the thread's
//! next write, and until then it can be undone.

use crate::engine::graph::{Decision, EffectState, Event, EventKind, Interrupt, ThreadId};
use crate::engine::store::log::{Asked, EntryKind, PersonAction, Resolved, Tx, UndoReason};
use crate::engine::store::record::answers::reopen_all;
use crate::engine::store::record::append::append;
use crate::engine::store::record::questions::schema;
use crate::engine::store::record::since_step::{AskedQuestion, SinceStep, is_news};
use crate::engine::store::rows::{Awaits, MailRow, ThreadRow};
use crate::engine::store::threads::arrive;
use crate::engine::store::{StoreError, Threads, effects};
use crate::inbox::{SetAside, Status};
use serde_json::{Value, json};

/// Trouble to ask a person about.
#[derive(Clone, Debug)]
pub struct NewTrouble {
    pub thread: ThreadId,
    /// The version it was read at; `None` stops the thread whatever it is doing.
    pub version: Option<i64>,
    /// The question; its action is the trouble's code.
    pub interrupt: Interrupt,
    /// The trouble in a sentence.
    pub text: String,
}

impl Threads<'_> {
    /// Asks a person about trouble; the thread waits.
    pub async fn trouble(self, trouble: NewTrouble) -> Result<(), StoreError> {
        self.0.write(move |tx| ask(tx, &trouble)).await
    }

    /// Carries out the decision about a thread's trouble. `step_limit` is what "as much again" adds.
    pub async fn settle_trouble(
        self,
        thread: ThreadId,
        version: i64,
        step_limit: i64,
    ) -> Result<(), StoreError> {
        self.0.write(move |tx| settle(tx, &thread, version, step_limit)).await
    }
}

fn ask(tx: &Tx<'_>, trouble: &NewTrouble) -> Result<(), StoreError> {
    let mut row = ThreadRow::find(tx, &trouble.thread)?;
    if trouble.version.is_some_and(|version| version != row.version) {
        return Err(StoreError::Moved);
    }
    if row.status.ended() {
        return Err(StoreError::NotOpen { id: row.id.to_string(), why: format!("it is {}", row.status) });
    }
    let recent = SinceStep::read(tx, &row)?;
    let code = &trouble.interrupt.action;
    if recent.troubles().any(|question| question.is_open() && question.asked.interrupt.action == *code) {
        return Ok(());
    }
    // A person who stops a thread does not want a held decision to take effect as soon as it may continue.
    if trouble.version.is_none() {
        reopen_all(tx, &mut row, &recent, UndoReason::Stopped)?;
        let from = tx.opened()?;
        append(tx, &mut row, EntryKind::Stopped, None, &PersonAction { from })?;
        // A thread in trouble goes no further without a person anyway, and its card stays.
        let waits = |question: &AskedQuestion| question.current_answer().is_none_or(|answer| !answer.acted);
        if recent.troubles().any(waits) {
            return Ok(());
        }
    }
    let schema = schema(tx, &trouble.interrupt.schema)?;
    let mut asked = Asked::new(recent.step.steps, schema, Some(trouble.text.clone()), &trouble.interrupt);
    for (_, event) in &recent.waiting_events {
        if let EventKind::News { warning, .. } = &event.what {
            asked.warn(warning, &event.id);
        }
    }
    append(tx, &mut row, EntryKind::Asked, None, &asked)?;
    Ok(())
}

fn settle(tx: &Tx<'_>, thread: &ThreadId, version: i64, step_limit: i64) -> Result<(), StoreError> {
    let mut row = ThreadRow::find(tx, thread)?;
    if row.version != version {
        return Err(StoreError::Moved);
    }
    let recent = SinceStep::read(tx, &row)?;
    let mut resolved = Resolved::default();
    let mut hints = Vec::new();
    for (question, answer) in recent.troubles().filter_map(|q| Some((q, q.current_answer()?))) {
        resolved.takes.push(answer.seq);
        match (question.asked.interrupt.action.as_str(), &answer.body.decision) {
            ("step_limit", Decision::Accept) => resolved.more_steps += step_limit,
            ("budget", Decision::Accept) => resolved.more_budgets += 1,
            ("in_doubt", Decision::Accept) => {
                settle_effect(tx, &mut row, &recent, &question.asked.interrupt.args)?;
            }
            ("in_doubt", Decision::Edit { args }) => settle_effect(tx, &mut row, &recent, args)?,
            (_, Decision::Respond { text }) => {
                let what = EventKind::Hint { text: text.clone() };
                hints.push(Event { id: question.asked.id.to_string(), what });
            }
            (_, Decision::Ignore) => resolved.ends = Some(Status::Abandoned),
            (_, Decision::Accept | Decision::Edit { .. } | Decision::Draft) => {}
        }
    }
    if resolved.ends.is_some() {
        return end(tx, &mut row, &recent, resolved);
    }
    for hint in hints {
        arrive::queue(tx, &mut row, &hint)?;
    }
    append(tx, &mut row, EntryKind::Resolved, None, &resolved)?;
    Ok(())
}

/// Records a person's finding whether an effect in doubt happened.
fn settle_effect(
    tx: &Tx<'_>,
    row: &mut ThreadRow,
    recent: &SinceStep,
    args: &Value,
) -> Result<(), StoreError> {
    let name = args.get("effect").and_then(Value::as_str).unwrap_or_default();
    let Some(effect) = recent.effects.iter().find(|effect| effect.body.name == name) else {
        return Err(StoreError::Damaged(format!("effect `{name}` of thread {} is missing", row.id)));
    };
    let done = args.get("outcome").and_then(Value::as_str) != Some("not_done");
    let state = if done { EffectState::Settled } else { EffectState::NotDone };
    let outcome = json!({ "settled": if done { "done" } else { "not_done" } });
    effects::end(tx, row, effect.seq, name, state, outcome)
}

/// Ends a thread from outside its graph, together with the children it waits for. No node has seen the mails that
/// reached it during its trouble, so those get a new thread.
pub(super) fn end(
    tx: &Tx<'_>,
    row: &mut ThreadRow,
    recent: &SinceStep,
    resolved: Resolved,
) -> Result<(), StoreError> {
    let mut event_ids: Vec<String> =
        recent.troubles().flat_map(|trouble| trouble.asked.interrupt.shown_with.clone()).collect();
    event_ids.extend(
        recent.waiting_events.iter().filter(|(_, event)| is_news(event)).map(|(_, event)| event.id.clone()),
    );
    let status = resolved.ends.unwrap_or(Status::Abandoned);
    append(tx, row, EntryKind::Resolved, None, &resolved)?;
    let outcome = resolved.set_aside.as_ref().map_or(status.word(), SetAside::word);
    MailRow::thread_ended(tx, row.seq, &event_ids, outcome, tx.now())?;
    if recent.step.awaits != Awaits::Children {
        return Ok(());
    }
    let rest = "WHERE parent = ? AND status NOT IN ('done', 'abandoned')";
    for mut child in ThreadRow::select(tx, rest, [row.seq])? {
        let recent = SinceStep::read(tx, &child)?;
        let abandoned = Resolved { ends: Some(Status::Abandoned), ..Resolved::default() };
        end(tx, &mut child, &recent, abandoned)?;
    }
    Ok(())
}
