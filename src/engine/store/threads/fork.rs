//! Forks: new threads that share the first steps of another by reference.

use crate::engine::graph::{InterruptId, ThreadId};
use crate::engine::store::log::{EntryKind, Forked, Parent, Stepped, Tx};
use crate::engine::store::record::append::{append, append_steps};
use crate::engine::store::record::forks;
use crate::engine::store::record::since_step::AskedQuestion;
use crate::engine::store::record::steps::steps_of;
use crate::engine::store::rows::{InterruptRow, ThreadRow, damaged};
use crate::engine::store::threads::start::{NewThread, start_child, start_fork};
use crate::engine::store::{StoreError, Threads};
use crate::inbox::NextView;

impl Threads<'_> {
    /// Starts a thread that shares steps `0..=step` of another. What the last of them asked or started is asked or
    /// started again; no effect of the shared part is ever carried out again.
    pub async fn fork(self, thread: ThreadId, step: u64, step_limit: i64) -> Result<ThreadId, StoreError> {
        self.0.write(move |tx| run(tx, &thread, step, step_limit)).await
    }
}

fn run(tx: &Tx<'_>, thread: &ThreadId, step: u64, step_limit: i64) -> Result<ThreadId, StoreError> {
    let origin = ThreadRow::find(tx, thread)?;
    origin.refuse_pruned()?;
    let steps = steps_of(tx, &origin)?;
    let Some(last) = usize::try_from(step).ok().and_then(|n| steps.get(n)) else {
        let text = format!("thread `{}` has steps 0 to {}, no step {step}", origin.id, steps.len() - 1);
        return Err(StoreError::Conflict(text));
    };
    // A shared step may itself be shared, so the entry is that of the thread that took the step.
    let forked = Forked { thread: origin.seq, step: last.n, entry: last.entry };
    let row = &mut start_fork(tx, &origin, forked, step_limit)?;
    let mut open = Vec::new();
    let next = match &last.next {
        NextView::Goto { .. } | NextView::End { .. } => last.next.clone(),
        NextView::Ask { ask, then } => {
            let mut new_ids = Vec::new();
            for id in ask {
                let original = InterruptRow::find(tx, id)?;
                let mut asked = AskedQuestion::read(tx, original.thread, original.seq)?.asked;
                (asked.id, asked.step, asked.interrupt.snoozed_until) = (InterruptId::random(), last.n, None);
                forks::warn_if_done(tx, row, &mut asked)?;
                let entry = append(tx, row, EntryKind::Asked, Some(original.seq), &asked)?;
                open.push(entry.seq);
                new_ids.push(asked.id);
            }
            NextView::Ask { ask: new_ids, then: then.clone() }
        }
        NextView::Spawn { spawn, then } => {
            let parent = Parent { thread: row.seq, step: last.n };
            let mut new_ids = Vec::new();
            for id in spawn {
                let child = ThreadRow::find(tx, id)?;
                let Some(first) = steps_of(tx, &child)?.into_iter().next() else {
                    return damaged(format!("thread {} has no beginning", child.id));
                };
                let NextView::Goto { goto: entry } = first.next else {
                    return damaged(format!("thread {} begins nowhere", child.id));
                };
                let new = NewThread {
                    id: ThreadId::random(),
                    workflow: child.workflow,
                    fingerprint: child.fingerprint,
                    entry,
                    updates: first.updates,
                    title: child.title,
                    key: child.child_key.unwrap_or_default(),
                };
                new_ids.push(start_child(tx, &new, parent, row.by_person, step_limit)?.id);
            }
            NextView::Spawn { spawn: new_ids, then: then.clone() }
        }
    };
    let stepped = Stepped { open, ..Stepped::new(last.n + 1, &[], next) };
    append_steps(tx, row, &stepped, &[], &[])?;
    Ok(row.id.clone())
}
