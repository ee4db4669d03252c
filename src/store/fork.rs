//! Forks: another thread that shares the beginning of this one, by reference.

use super::audit::{self, Fact};
use super::commit::{NewThread, Parent, start, warn_if_done_in_original};
use super::load::steps;
use super::rows::{Awaits, InterruptRow, Stage, ThreadRow};
use super::{Store, StoreError};
use crate::graph::ThreadId;
use crate::inbox::{NextView, Status};
use rusqlite::Connection;

impl Store {
    /// Begins a thread that shares steps `0..=step` of another. What the last of them asked is asked anew,
    /// and what it started is started anew; no effect of the shared part is ever carried out again.
    pub async fn fork(&self, thread: ThreadId, step: u64, step_limit: i64) -> Result<ThreadId, StoreError> {
        let now = self.now_ms();
        self.write(move |db| run(db, &thread, step, step_limit, now)).await
    }
}

fn run(
    db: &Connection,
    thread: &ThreadId,
    step: u64,
    step_limit: i64,
    now: i64,
) -> Result<ThreadId, StoreError> {
    let origin = ThreadRow::find(db, thread)?;
    let Some(n) = i64::try_from(step).ok().filter(|n| *n < origin.steps) else {
        let last = origin.steps - 1;
        return Err(StoreError::Conflict(format!(
            "thread `{}` has steps 0 to {last}, no step {step}",
            origin.id
        )));
    };
    let Some(last) = steps(db, &origin, 0)?.into_iter().nth(usize::try_from(n).unwrap_or(usize::MAX)) else {
        return super::rows::damaged(format!("step {n} of thread {} is missing", origin.id));
    };
    let next = last.next()?;
    let ThreadRow { workflow, fingerprint, title, node, .. } = &origin;
    let mut fork = ThreadRow::new(workflow, fingerprint, title, node, step_limit, now);
    (fork.origin, fork.origin_step) = (Some(origin.seq), Some(n));
    (fork.steps, fork.head) = (n + 1, last.digest);
    match &next {
        NextView::Goto { goto } => fork.node.clone_from(goto),
        NextView::End { .. } => fork.status = Status::Done,
        NextView::Ask { then, ask } => {
            (fork.node, fork.awaits) = (then.clone(), Awaits::Answers);
            fork.status = if ask.is_empty() { Status::Ready } else { Status::Waiting };
            fork.interrupts = ask.len() as i64;
        }
        NextView::Spawn { then, spawn } => {
            (fork.node, fork.awaits) = (then.clone(), Awaits::Children);
            fork.status = if spawn.is_empty() { Status::Ready } else { Status::Joining };
        }
    }
    fork.insert(db)?;
    match next {
        NextView::Goto { .. } | NextView::End { .. } => {}
        NextView::Ask { ask, .. } => {
            for id in ask {
                let mut interrupt = InterruptRow::find(db, &id)?;
                interrupt.id = crate::graph::InterruptId::random();
                (interrupt.thread, interrupt.step, interrupt.created_at) = (fork.seq, n, now);
                (interrupt.stage, interrupt.closed_why) = (Stage::Open, None);
                (interrupt.snoozed_until, interrupt.waits) = (None, None);
                warn_if_done_in_original(db, &fork, &mut interrupt)?;
                interrupt.insert(db)?;
            }
        }
        NextView::Spawn { spawn, .. } => {
            let parent = Parent { thread: fork.seq, step: n, joined: true };
            for id in spawn {
                let child = ThreadRow::find(db, &id)?;
                let Some(first) = steps(db, &child, 0)?.into_iter().next() else {
                    return super::rows::damaged(format!("thread {} has no beginning", child.id));
                };
                let NextView::Goto { goto: entry } = first.next()? else {
                    return super::rows::damaged(format!("thread {} begins nowhere", child.id));
                };
                let new = NewThread {
                    workflow: child.workflow,
                    fingerprint: child.fingerprint,
                    entry,
                    updates: first.updates,
                    title: child.title,
                    key: child.child_key.unwrap_or_default(),
                };
                start(db, &new, Some(&parent), step_limit, now)?;
            }
        }
    }
    let started = Fact::Started {
        thread: fork.id.to_string(),
        workflow: fork.workflow,
        input: None,
        forked_from: Some(origin.id.to_string()),
    };
    audit::record(db, &started, now)?;
    Ok(fork.id)
}
