//! Drives one thread by one node: folds in what arrived, runs the node, commits once.

use super::cache::{Cached, SinceSnapshot};
use super::engine::{Engine, fold};
use super::fail_point::fail_point;
use super::journal::StepJournal;
use super::trouble;
use crate::engine::graph::{
    AnyState, Child, Event, Failure, FoldError, InterruptId, Next, NodeError, Output, StepContext, ThreadId,
    run_node,
};
use crate::engine::store::{
    Arrival, Awaits, Commit, Committed, GrantedAnswer, Loaded, NewStep, NewThread, NewTrouble, NextStep,
    StoreError, Tail,
};
use crate::inbox::{POLICY_GRANT, Spec, Status};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;

/// The minimum number of steps between snapshots.
const SNAPSHOT_STEPS: usize = 64;

/// Other processes see a node as running once it takes longer than this.
const SHOW_RUNNING_AFTER: Duration = Duration::from_millis(250);

/// Stands in for a version while the thread's own commit is about to change it.
pub(crate) const COMMITTING: i64 = -1;

/// A server that could not be reached, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UnreachableServer {
    pub(crate) server: String,
    pub(crate) why: String,
}

/// The result of driving a thread by one node.
#[derive(Debug)]
pub(crate) enum DriveResult {
    /// The thread can continue at once.
    Continue,
    /// The thread waits for somebody or has ended.
    Idle,
    /// Try again after this wait.
    RetryAfter(Duration),
    /// A server it needs cannot be reached; try again after this wait.
    ServerUnreachable(UnreachableServer, Duration),
    /// The decision can still be taken back for this long.
    Held(Duration),
    /// Nothing can be written right now (full disk, locked file). The thread is not at fault.
    Blocked(StoreError),
    /// Its rows cannot be trusted, or the disk has failed.
    Broken(StoreError),
}

/// How a thread is driven.
pub(crate) struct Turn {
    /// How often its next node has failed for a reason that may pass.
    pub(crate) attempt: u32,
    /// How long it has been held.
    pub(crate) waited: Duration,
    /// Whether somebody waits for it alone, and is told at once that a server cannot be reached.
    pub(crate) alone: bool,
    /// The version its node is based on, so that the node can be dropped once that is outdated.
    pub(crate) working_on: Arc<AtomicI64>,
}

/// Updates that a thread takes in before its next node.
struct IncomingSteps {
    steps: Vec<NewStep>,
    state: AnyState,
    last_event: Option<i64>,
}

impl Engine {
    /// Drives a thread by one node.
    async fn drive(&self, thread: &ThreadId, turn: &Turn) -> DriveResult {
        self.try_drive(thread, turn).await.unwrap_or_else(after_store_error)
    }

    async fn try_drive(&self, thread: &ThreadId, turn: &Turn) -> Result<DriveResult, StoreError> {
        let working_on = &turn.working_on;
        let cached = self.cache().take(thread);
        let loaded = self.store().threads().load(thread, cached.as_ref().map(|cached| &cached.folded))?;
        working_on.store(loaded.row.version, Ordering::SeqCst);
        if let Some(result) = self.handle_without_node(&loaded, turn.waited).await? {
            return Ok(result);
        }
        let Some(spec) = self.registry().get(&loaded.row.workflow) else {
            return self.fail(&loaded, None, None, Failure::LostNode(unknown_workflow(&loaded))).await;
        };
        if loaded.has_unseen_news {
            return self.deliver_queued_events(&loaded).await;
        }
        let (state, since) = match folded(spec, cached, &loaded.tail) {
            Ok(folded) => folded,
            Err(error) => {
                return self.fail(&loaded, Some(spec), None, Failure::Failed(error.to_string())).await;
            }
        };
        let incoming = match incoming_steps(spec, state, &loaded) {
            Ok(incoming) => incoming,
            Err(error) => {
                return self.fail(&loaded, Some(spec), None, Failure::Failed(error.to_string())).await;
            }
        };
        if let Some(failure) = before_node(spec, &loaded, &incoming) {
            return self.fail(&loaded, Some(spec), Some(&incoming.state), failure).await;
        }
        let (output, has_calls) = self.run(spec, &loaded, &incoming, turn.attempt).await;
        working_on.store(COMMITTING, Ordering::SeqCst);
        let output = match output {
            Ok(output) => output,
            Err(error) => {
                let result = self.after_error(spec, &loaded, &incoming.state, error, turn).await;
                working_on.store(loaded.row.version, Ordering::SeqCst);
                return result;
            }
        };
        match self.commit(spec, since, &loaded, incoming, output, has_calls).await? {
            Ok(committed) if committed.status.active() && committed.status != Status::Held => {
                Ok(DriveResult::Continue)
            }
            Ok(committed) if committed.has_events => Ok(DriveResult::Continue),
            Ok(_) => Ok(DriveResult::Idle),
            Err(failure) => self.fail(&loaded, Some(spec), None, failure).await,
        }
    }

    /// Handles threads that need no node now: paused, held, trouble decided, or a lapsed grant. Returns `None` if the
    /// next node is due.
    async fn handle_without_node(
        &self,
        loaded: &Loaded,
        waited: Duration,
    ) -> Result<Option<DriveResult>, StoreError> {
        let thread = &loaded.row.id;
        // Read together with the thread, so any pause before this moment counts.
        if loaded.paused {
            return Ok(Some(DriveResult::Held(Duration::ZERO)));
        }
        let hold = Duration::from_millis(loaded.row.hold_ms.unsigned_abs());
        if loaded.row.status == Status::Held && waited < hold {
            return Ok(Some(DriveResult::Held(hold - waited)));
        }
        if loaded.trouble_decided && loaded.row.status != Status::Trouble {
            self.store()
                .threads()
                .settle_trouble(thread.clone(), loaded.row.version, self.step_limit())
                .await?;
            return Ok(Some(DriveResult::Continue));
        }
        if !loaded.row.status.active() {
            return self.deliver_queued_events(loaded).await.map(Some);
        }
        let lapsed = loaded.granted.iter().filter(|answer| !self.still_granted(answer));
        let lapsed: Vec<InterruptId> = lapsed.map(|answer| answer.interrupt.clone()).collect();
        if !lapsed.is_empty() {
            self.store().grants().reopen(thread.clone(), loaded.row.version, lapsed).await?;
            return Ok(Some(DriveResult::Continue));
        }
        Ok(None)
    }

    /// Whether the grant still allows this without asking.
    fn still_granted(&self, answer: &GrantedAnswer) -> bool {
        let by_config = |tool: &str| self.settings().policies.contains_key(tool);
        answer.covered && answer.grant.strip_prefix(POLICY_GRANT).is_none_or(by_config)
    }

    async fn run(
        &self,
        spec: &Spec,
        loaded: &Loaded,
        incoming: &IncomingSteps,
        attempt: u32,
    ) -> (Result<Output, NodeError>, bool) {
        fail_point("before_node");
        let journal = Arc::new(StepJournal {
            store: self.store().clone(),
            thread: loaded.row.id.clone(),
            version: loaded.row.version,
            step: loaded.at.steps,
            heard: loaded.row.waiting_events,
            policies: self.settings().policies.keys().cloned().collect(),
            has_calls: AtomicBool::new(!loaded.calls.is_empty()),
            calls: loaded.calls.clone(),
            released: self.released().clone(),
            _lock: self.lock(),
        });
        self.register_journal(&loaded.row.id, &journal);
        let step = StepContext {
            thread: loaded.row.id.clone(),
            workflow: loaded.row.workflow.clone(),
            node: loaded.row.node.clone(),
            number: loaded.at.steps.unsigned_abs() + incoming.steps.len() as u64,
            forked: loaded.row.origin.is_some(),
            allowance: u32::try_from(loaded.row.allowance).unwrap_or(u32::MAX),
            by_person: loaded.row.by_person,
            last_try: attempt >= self.settings().retries,
        };
        let limit = self.settings().node_timeout;
        let work = run_node(&spec.workflow, step, journal.clone(), &incoming.state, limit, self.sink());
        tokio::pin!(work);
        let output = tokio::select! {
            biased;
            output = &mut work => output,
            () = tokio::time::sleep(SHOW_RUNNING_AFTER) => {
                self.store().threads().mark_running(loaded.row.id.clone(), loaded.row.version);
                work.await
            }
        };
        (output, journal.has_calls.load(Ordering::SeqCst))
    }

    async fn commit(
        &self,
        spec: &Spec,
        since: SinceSnapshot,
        loaded: &Loaded,
        incoming: IncomingSteps,
        output: Output,
        has_calls: bool,
    ) -> Result<Result<Committed, Failure>, StoreError> {
        let Output { updates, next, took } = output;
        let next = match next {
            Next::Goto(node) => NextStep::Goto(node),
            Next::Ask(asked, then) => NextStep::Ask(asked, then),
            Next::Spawn(children, then) => match self.children(children) {
                Ok(children) => NextStep::Spawn(children, then),
                Err(failure) => return Ok(Err(failure)),
            },
            Next::End => NextStep::End,
            Next::Abandon => NextStep::Abandon,
        };
        let IncomingSteps { mut steps, state, last_event } = incoming;
        // The state is changed in place if this is its only copy.
        let state = match spec.workflow.apply(state, &updates) {
            Ok(state) => state,
            Err(error) => return Ok(Err(Failure::Failed(error.to_string()))),
        };
        let since = since.and(steps.iter().map(|step| &step.updates).chain([&updates]));
        // Snapshots are rare enough to cost little next to the updates that made the state grow.
        let snapshot_due = since.steps >= SNAPSHOT_STEPS && since.bytes >= 3 * loaded.at.snapshot_bytes;
        let snapshot = if snapshot_due { spec.workflow.write(&state).ok() } else { None };
        let snapshot_taken = snapshot.is_some();
        let took_ms = Some(i64::try_from(took.as_millis()).unwrap_or(i64::MAX));
        steps.push(NewStep { node: loaded.row.node.clone(), updates, took_ms });
        let commit = Commit {
            thread: loaded.row.id.clone(),
            version: loaded.row.version,
            steps,
            next,
            title: spec.workflow.title(&state),
            output: spec.workflow.output(&state).map(|output| output.to_string()),
            fingerprint: spec.workflow.fingerprint().to_owned(),
            snapshot,
            snapshot_bytes: loaded.at.snapshot_bytes,
            repeats: loaded.repeats.clone(),
            has_calls,
            last_event,
            has_result: spec.results,
            hold_ms: self.holds(false).irreversible_ms,
            step_limit: self.step_limit(),
        };
        fail_point("before_commit");
        let committed = self.store().threads().commit(commit).await?;
        fail_point("after_commit");
        let since = if snapshot_taken { SinceSnapshot::default() } else { since };
        self.cache().put(loaded.row.id.clone(), Cached { state, folded: committed.at.clone(), since });
        Ok(Ok(committed))
    }

    fn children(&self, children: Vec<Child>) -> Result<Vec<NewThread>, Failure> {
        let start = |child: Child| {
            self.new_thread(&child.workflow, child.input, &child.key)
                .map_err(|error| Failure::Failed(format!("`{}` cannot be started: {error}", child.workflow)))
        };
        children.into_iter().map(start).collect()
    }

    /// Asks a person about a failure. `state` is the state the node failed in, if it can be read.
    pub(super) async fn fail(
        &self,
        loaded: &Loaded,
        spec: Option<&Spec>,
        state: Option<&AnyState>,
        failure: Failure,
    ) -> Result<DriveResult, StoreError> {
        let text = failure.text();
        tracing::warn!(thread = %loaded.row.id, node = %loaded.row.node, code = failure.code(), %text, "trouble");
        let hints = spec.is_some_and(Engine::takes_hints);
        let could_not = match spec.zip(state) {
            Some((spec, state)) => {
                let acted = self.store().effects().has_acted(&loaded.row.id)?;
                spec.failure_title(state, &loaded.row.node, acted)
            }
            None => None,
        };
        let trouble = NewTrouble {
            thread: loaded.row.id.clone(),
            version: Some(loaded.row.version),
            interrupt: trouble::interrupt(&failure, &loaded.row.workflow, &loaded.row.node, could_not, hints),
            text,
        };
        self.store().threads().trouble(trouble).await?;
        Ok(DriveResult::Idle)
    }

    /// Stops a thread, whatever it is doing. A person decides whether it continues.
    pub(crate) async fn stop(&self, thread: &ThreadId, workflow: &str) -> Result<(), StoreError> {
        let hints = self.registry().get(workflow).is_some_and(Engine::takes_hints);
        let trouble = NewTrouble {
            thread: thread.clone(),
            version: None,
            interrupt: trouble::interrupt(&Failure::Stopped, workflow, "", None, hints),
            text: Failure::Stopped.text(),
        };
        self.store().threads().trouble(trouble).await
    }

    /// Delivers queued events to a thread that waits, has just ended, or would otherwise act on an approval without
    /// them.
    async fn deliver_queued_events(&self, loaded: &Loaded) -> Result<DriveResult, StoreError> {
        let takes_events =
            matches!(loaded.row.status, Status::Waiting | Status::Done) || loaded.has_unseen_news;
        if !takes_events || loaded.events.is_empty() {
            return Ok(DriveResult::Idle);
        }
        let Some(spec) = self.registry().get(&loaded.row.workflow) else {
            return Err(StoreError::Conflict(unknown_workflow(loaded)));
        };
        for (seq, event) in &loaded.events {
            let arrival = arrival(spec, &loaded.row.id, event, Some(*seq))
                .map_err(|e| StoreError::Conflict(e.to_string()))?;
            self.store().threads().deliver(arrival).await?;
        }
        Ok(DriveResult::Continue)
    }
}

fn unknown_workflow(loaded: &Loaded) -> String {
    format!("This sayso does not know the workflow `{}`.", loaded.row.workflow)
}

/// Drives one thread as far as it goes.
pub(crate) async fn drive_while_possible(
    engine: Engine,
    thread: ThreadId,
    mut turn: Turn,
) -> (ThreadId, DriveResult, u32) {
    let (mut seen, mut rounds) = (None, 0_u32);
    loop {
        let result = engine.drive(&thread, &turn).await;
        if !matches!(result, DriveResult::Continue) || engine.is_at_work(&thread) {
            return (thread, result, turn.attempt);
        }
        (turn.attempt, turn.waited) = (0, Duration::ZERO);
        // If the lists differ from the log, it may be tried for ever and never move.
        rounds = rounds.wrapping_add(1);
        if rounds.is_multiple_of(50) {
            let version = engine.store().threads().version(&thread).ok();
            if std::mem::replace(&mut seen, version) == version {
                let text = format!("thread {thread} is not listed as the log has it");
                return (thread, DriveResult::Broken(StoreError::Damaged(text)), turn.attempt);
            }
        }
    }
}

/// Turns an event into updates of its workflow. An event the workflow does not handle changes nothing.
pub(crate) fn arrival(
    spec: &Spec,
    thread: &ThreadId,
    event: &Event,
    queued: Option<i64>,
) -> Result<Arrival, FoldError> {
    let updates = spec.workflow.arrived(event.clone())?.unwrap_or_else(|| "[]".to_owned());
    let entry = spec.workflow.shape().entry.clone();
    Ok(Arrival { thread: thread.clone(), event: event.clone(), updates, entry, queued })
}

/// The thread's committed state, and what was folded since its last snapshot.
fn folded(spec: &Spec, cached: Option<Cached>, tail: &Tail) -> Result<(AnyState, SinceSnapshot), FoldError> {
    let (state, before) = match cached {
        Some(cached) if tail.continues => (Some(cached.state), cached.since),
        _ => (None, SinceSnapshot::default()),
    };
    Ok((fold(spec, state, tail)?, before.and(tail.updates.iter())))
}

/// Turns answers, children's results and events into steps of the thread.
fn incoming_steps(spec: &Spec, state: AnyState, loaded: &Loaded) -> Result<IncomingSteps, FoldError> {
    let workflow = &spec.workflow;
    let mut updates = Vec::new();
    match loaded.row.awaits {
        Awaits::Nothing => {}
        Awaits::Answers => updates.push(("ANSWERS", workflow.answered(loaded.answers.clone())?)),
        Awaits::Children => updates.push(("JOIN", workflow.joined(loaded.children.clone())?)),
    }
    for (_, event) in &loaded.events {
        if let Some(update) = workflow.arrived(event.clone())? {
            updates.push(("ARRIVED", update));
        }
    }
    let state = updates.iter().try_fold(state, |state, (_, update)| workflow.apply(state, update))?;
    let steps =
        updates.into_iter().map(|(node, updates)| NewStep { node: node.to_owned(), updates, took_ms: None });
    Ok(IncomingSteps { steps: steps.collect(), state, last_event: loaded.events.last().map(|(seq, _)| *seq) })
}

/// What to do after the store refused a write.
fn after_store_error(error: StoreError) -> DriveResult {
    match error {
        // Somebody was quicker, so we look at the thread again.
        StoreError::Moved => DriveResult::Continue,
        StoreError::Full | StoreError::Busy => DriveResult::Blocked(error),
        error => DriveResult::Broken(error),
    }
}

/// Returns the reason if the node must not be started at all.
fn before_node(spec: &Spec, loaded: &Loaded, incoming: &IncomingSteps) -> Option<Failure> {
    if !spec.workflow.shape().has(&loaded.row.node) {
        let text = format!(
            "The workflow `{}` has no node `{}` any more: it has changed since this thread started waiting.",
            loaded.row.workflow, loaded.row.node
        );
        return Some(Failure::LostNode(text));
    }
    let has_news = incoming.steps.iter().any(|step| step.node != "JOIN");
    if !has_news && loaded.row.steps_since_person >= loaded.row.step_limit {
        let text =
            format!("It has taken {} steps since it last heard from you.", loaded.row.steps_since_person);
        return Some(Failure::StepLimit(text));
    }
    None
}
