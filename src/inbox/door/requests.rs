//! Programs that ask a person: asks their questions and waits for the answers.
//!
//! A request is asked in one transaction, so it reaches the inbox without a driver, and the asker may die right after.
//! Waiting means looking whenever something changed. We take the driver's lock only for the instant in which a final
//! answer is handed to the thread, and only if nobody else drives. An answer is reported when it can no longer be
//! undone.
//!
//! An expired question is closed by whichever notices first: its asker, `sayso request --answer`, or the driver. Time
//! is measured by [`Moment`], so that setting the clock ends nothing early. An answer wins over an expiry in the same
//! moment.

use super::Inbox;
use super::drive_or_wait::drive_or_wait;
use crate::engine::driver::{Ended, Engine, Scope, Until, arrival};
use crate::engine::graph::{
    AnyState, Event, EventKind, InputError, Interrupt, InterruptId, Next, NoEffects, StepContext, ThreadId,
    Waiting, run_node,
};
use crate::engine::store::{self, Commit, NewStep, NewThread, NextStep, Repeated};
use crate::inbox::{Ending, InboxError, NextView, RequestAnswer, Spec, Status};
use crate::tools::moment::Moment;
use crate::tools::process::Process;
use crate::workflows::hidden::request::{NAME, Report, Request, RequestInput};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

/// A program's question.
#[derive(Clone, Debug, Default)]
pub struct NewRequest {
    /// The input of `start request`.
    pub input: Value,
    /// Lets the asker find its question again, however often it asks.
    pub key: Option<String>,
}

impl NewRequest {
    /// The same, asked by this process, which waits for the answer. Without a key, nobody could come back for it.
    pub fn waited_for(mut self, patience: Option<Duration>) -> Self {
        self.input["waiting"] = json!(Waiting::of(patience.map(|patience| patience.as_secs())));
        self.input["asker"] = json!(Process::current());
        self.input["stays"] = json!(self.key.is_some());
        self
    }
}

/// Why waiting ended.
#[derive(Clone, Debug, PartialEq)]
pub enum WaitResult {
    /// It was answered, or ended without an answer.
    Answered(RequestAnswer),
    /// The asker was told to stop waiting.
    Told,
}

const MAX_KEY: usize = 200;

/// The longest sleep before looking at the clock again.
const LOOK_EVERY: Duration = Duration::from_secs(20);

/// How often the driver looks for expired requests.
const SWEEP_EVERY: Duration = Duration::from_secs(3);

/// How long to wait for a thread that only has to record something.
const GRACE_PERIOD: Duration = Duration::from_secs(1);

/// Why a question was closed that nobody answered here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CloseReason {
    Expired,
    /// The asker withdrew it.
    Withdrawn,
    /// The process that asked is gone.
    Orphaned,
    /// We saw the agent do it, and what came of it.
    Ran(Report),
    /// The agent went on without an answer from here.
    Elsewhere,
}

impl CloseReason {
    fn ending(&self) -> Ending {
        match self {
            CloseReason::Expired => Ending::Expired,
            CloseReason::Withdrawn | CloseReason::Orphaned | CloseReason::Ran(_) | CloseReason::Elsewhere => {
                Ending::Withdrawn
            }
        }
    }

    fn reason(&self) -> &'static str {
        match self {
            CloseReason::Expired => "nobody answered in time, and the asker no longer waits for it",
            CloseReason::Withdrawn => "the asker no longer waits for it",
            CloseReason::Orphaned => "the process that asked ended before anybody answered",
            CloseReason::Ran(_) => "it was answered there, in the agent's own window, and the agent did it",
            CloseReason::Elsewhere => {
                "it was answered there, in the agent's own window, or the agent went on without it"
            }
        }
    }
}

/// Programs that ask a person.
#[derive(Clone, Copy)]
pub struct Requests<'a>(pub(super) &'a Inbox);

impl<'a> Requests<'a> {
    /// Asks a program's question, once per key.
    pub async fn ask(self, asking: NewRequest) -> Result<RequestAnswer, InboxError> {
        let key = asking.key.unwrap_or_default();
        if key.chars().count() > MAX_KEY {
            let text = format!("a key has at most {MAX_KEY} characters");
            let error = InputError::Field { field: "key".to_owned(), text };
            return Err(InboxError::Input { workflow: NAME.to_owned(), error });
        }
        let Prepared { new, state, first } = self.prepare(asking.input, &key).await?;
        let asked = state.get::<Request>().map(|state| state.asked.clone()).unwrap_or_default();
        if let Some(twin) = self.find_duplicate(&asked, None)? {
            return self.answer_of(&twin);
        }
        match self.0.store().threads().begin(new, first).await? {
            store::StartResult::New(thread) => match self.find_duplicate(&asked, Some(&thread))? {
                // Both were asked in the same moment: the older question stays.
                Some(twin) => {
                    self.withdraw(&thread).await?;
                    self.answer_of(&twin)
                }
                None => self.answer_of(&thread),
            },
            store::StartResult::Earlier(thread) => {
                let earlier = self.request_in(&thread)?;
                if let Some(now) = state.get::<Request>().filter(|now| now.asked.asks_the_same(&earlier)) {
                    if let Some(waiting) = now.asked.waiting {
                        let process = now.asked.asker.as_ref().map(|asker| (asker.pid, asker.born));
                        let waiting = Some(Waiting { process, ..waiting });
                        self.0.store().inbox().set_waiting(thread.clone(), waiting).await?;
                    }
                    return self.answer_in(&thread).await;
                }
                Err(InboxError::Conflict(format!(
                    "the key `{key}` belongs to another request (thread `{thread}`: {}); ask that again, or use another \
                     key",
                    earlier.title
                )))
            }
        }
    }

    /// The question that a program's request would be if it were asked now: with its warnings, and with the grant that
    /// would answer it. Nothing is asked or stored.
    pub async fn preview(self, input: Value) -> Result<Interrupt, InboxError> {
        match self.prepare(input, "").await?.first.next {
            NextStep::Ask(asked, _) => asked.into_iter().next(),
            NextStep::Goto(_) | NextStep::Spawn(..) | NextStep::End | NextStep::Abandon => None,
        }
        .ok_or_else(|| InboxError::Failed(format!("`{NAME}` did not ask")))
    }

    /// Checks a request, and runs the node that asks.
    async fn prepare(self, input: Value, key: &str) -> Result<Prepared, InboxError> {
        let spec = self.request_spec()?;
        let wrong = |error| InboxError::Input { workflow: NAME.to_owned(), error };
        spec.workflow.started(input.clone()).map_err(wrong)?;
        let input = spec.prepare(input).map_err(wrong)?;
        let new = self.0.engine.new_thread(NAME, input, key)?;
        let state = spec.workflow.apply(spec.workflow.empty(), &new.updates);
        let state = state.map_err(|error| InboxError::Failed(error.to_string()))?;
        let first = first_turn(&self.0.engine, spec, &new.title, &state).await?;
        Ok(Prepared { new, state, first })
    }

    /// An older question about the same call, from a hook or a tool; with `before`, one older than that thread.
    fn find_duplicate(
        self,
        asked: &RequestInput,
        before: Option<&ThreadId>,
    ) -> Result<Option<ThreadId>, InboxError> {
        if asked.session.is_none() || asked.action.is_none() {
            return Ok(None);
        }
        let waiting = self.0.store().threads().waiting_of(NAME)?;
        let mut older = waiting.into_iter().take_while(|thread| Some(thread) != before);
        Ok(older.find(|thread| {
            self.request_in(thread).is_ok_and(|other| other.is_same_call_by_hook_or_tool(asked))
        }))
    }

    /// The state of a request, by its question; closes it if it has expired.
    pub async fn answer(self, id: &InterruptId) -> Result<RequestAnswer, InboxError> {
        let thread = self.0.store().inbox().item(id)?.item.thread;
        self.answer_in(&thread).await
    }

    /// The state of this thread's request. Closes it if it has expired, and carries on with a decision that only lacks
    /// a driver.
    pub async fn answer_in(self, thread: &ThreadId) -> Result<RequestAnswer, InboxError> {
        let answer = self.answer_of(thread)?;
        let thread = &answer.thread;
        let over = answer.status == Status::Waiting && self.time_left(thread)? == Some(Duration::ZERO);
        if over {
            self.close(thread, &CloseReason::Expired).await?;
        }
        if over || answer.status.active() {
            self.finish(thread).await?;
            return self.answer_of(thread);
        }
        Ok(answer)
    }

    /// Whether this thread is a program's question.
    pub fn is_one(self, thread: &ThreadId) -> Result<bool, InboxError> {
        Ok(self.0.store().threads().line(thread)?.workflow == NAME)
    }

    /// Waits for the answer to a request, or until told to stop.
    pub async fn wait(
        self,
        thread: &ThreadId,
        stop: impl Future<Output = ()>,
    ) -> Result<WaitResult, InboxError> {
        let store = self.0.store();
        let _watcher = store.watch_others();
        let mut changes = store.changes();
        tokio::pin!(stop);
        loop {
            changes.borrow_and_update();
            let answer = self.answer_of(thread)?;
            if answer.r#type.is_some() {
                return Ok(WaitResult::Answered(answer));
            }
            let mut paused = false;
            if answer.status.active() {
                let scope = Scope::WithChildren(thread.clone());
                let driven = drive_or_wait(&self.0.engine, &scope, Until::Idle, stop.as_mut(), |_| {}).await;
                let driven = driven?;
                if let Some((_, why)) = driven.failed.into_iter().find(|(failed, _)| failed == thread) {
                    return Err(InboxError::Failed(why));
                }
                match driven.ended {
                    Ended::Stopped => return Ok(WaitResult::Told),
                    Ended::Paused => paused = true,
                    Ended::Idle => continue,
                }
            }
            let time_left = if paused { None } else { self.time_left(thread)? };
            if time_left == Some(Duration::ZERO) && self.close(thread, &CloseReason::Expired).await? {
                self.finish(thread).await?;
                continue;
            }
            tokio::select! {
                biased;
                () = &mut stop => return Ok(WaitResult::Told),
                _ = changes.changed() => {}
                () = tokio::time::sleep(time_left.unwrap_or(LOOK_EVERY).min(LOOK_EVERY)) => {}
            }
        }
    }

    /// Records that nobody waits for the answer any more. The question stays.
    pub async fn stop_waiting(self, thread: &ThreadId) -> Result<(), InboxError> {
        self.0.store().inbox().set_waiting(thread.clone(), None).await
    }

    /// Closes a question if the process that waits for the answer is gone, or records that nobody waits if it stays.
    async fn look_for_asker(
        self,
        thread: &ThreadId,
        asked: &RequestInput,
        now: &Moment,
    ) -> Result<(), InboxError> {
        // Whoever stopped waiting before it ended has left its question behind.
        let Some(waiting) = self.0.store().inbox().waiting(thread)? else { return Ok(()) };
        let is_gone = match waiting.process {
            Some((pid, born)) => !Process { pid, born }.is_alive(),
            None => asked.is_orphaned(now),
        };
        if is_gone && (asked.stays || asked.asker.is_none()) {
            self.stop_waiting(thread).await?;
        } else if is_gone {
            self.close(thread, &CloseReason::Orphaned).await?;
        }
        Ok(())
    }

    /// Withdraws an unanswered request; returns whether it was withdrawn.
    pub async fn withdraw(self, thread: &ThreadId) -> Result<bool, InboxError> {
        let closed = self.close(thread, &CloseReason::Withdrawn).await?;
        if closed {
            self.finish(thread).await?;
        }
        Ok(closed)
    }

    /// Closes every expired request, and every question expired by the config's policy.
    pub async fn close_expired(self) -> Result<(), InboxError> {
        self.sweep(&mut HashMap::new()).await?;
        self.0.expire_now(self.0.store().now()).await?;
        Ok(())
    }

    /// Closes requests and questions as they expire, for the driver.
    pub async fn close_expiring(self) {
        tokio::join!(self.close_requests(), self.0.expire_unanswered());
    }

    async fn close_requests(self) {
        let mut requests = HashMap::new();
        let mut changes = self.0.store().changes();
        loop {
            changes.borrow_and_update();
            match self.sweep(&mut requests).await {
                // Until somebody asks, there is nothing to look for.
                Ok(0) => drop(changes.changed().await),
                Ok(_) => {}
                Err(error) => tracing::warn!(%error, "requests that are over cannot be closed now"),
            }
            tokio::time::sleep(SWEEP_EVERY).await;
        }
    }

    /// Returns how many requests wait. Reads each only once; it never changes.
    async fn sweep(self, requests: &mut HashMap<ThreadId, RequestInput>) -> Result<usize, InboxError> {
        let waiting = self.0.store().threads().waiting_of(NAME)?;
        let count = waiting.len();
        requests.retain(|thread, _| waiting.contains(thread));
        let now = Moment::now(self.0.store().now());
        for thread in waiting {
            let asked = match requests.get(&thread) {
                Some(asked) => asked,
                None => match self.request_in(&thread) {
                    Ok(asked) => &*requests.entry(thread.clone()).or_insert(asked),
                    // An unreadable request does not keep the others open.
                    Err(error) => {
                        tracing::warn!(%thread, %error, "a request cannot be read");
                        continue;
                    }
                },
            };
            if asked.time_left(&now) == Some(Duration::ZERO) {
                self.close(&thread, &CloseReason::Expired).await?;
            } else if asked.asker.is_none() || asked.is_orphaned(&now) {
                self.look_for_asker(&thread, asked, &now).await?;
            }
        }
        Ok(count)
    }

    /// Closes an unanswered question; returns whether it was closed.
    pub(super) async fn close(self, thread: &ThreadId, closing: &CloseReason) -> Result<bool, InboxError> {
        let ending = closing.ending();
        let mut payload = json!({ "how": ending });
        if let CloseReason::Ran(report) = closing {
            payload["report"] = json!(report);
        }
        let what = EventKind::AnsweredElsewhere { reason: closing.reason().to_owned(), payload };
        let event = Event { id: format!("settled:{}", ending.word()), what };
        let arrival = arrival(self.request_spec()?, thread, &event, None)
            .map_err(|error| InboxError::Failed(error.to_string()))?;
        self.0.store().threads().deliver_if_unanswered(arrival).await
    }

    /// Lets a thread whose question was closed reach its end, if that takes only a moment.
    pub(super) async fn finish(self, thread: &ThreadId) -> Result<(), InboxError> {
        let scope = Scope::WithChildren(thread.clone());
        drive_or_wait(&self.0.engine, &scope, Until::Idle, tokio::time::sleep(GRACE_PERIOD), |_| {}).await?;
        Ok(())
    }

    fn time_left(self, thread: &ThreadId) -> Result<Option<Duration>, InboxError> {
        Ok(self.request_in(thread)?.time_left(&Moment::now(self.0.store().now())))
    }

    /// What a thread asked, from its first step.
    pub(super) fn request_in(self, thread: &ThreadId) -> Result<RequestInput, InboxError> {
        let state = self.0.engine.state_of::<Request>(thread, Some(1))?;
        state.map(|state| state.asked.clone()).ok_or_else(|| not_a_request(thread))
    }

    fn answer_of(self, thread: &ThreadId) -> Result<RequestAnswer, InboxError> {
        let stored = self.0.store().threads().view(thread)?;
        let thread = stored.line.id.clone();
        // The state at the time the rest was read, whatever has happened since.
        let state = self.0.engine.state_of::<Request>(&thread, Some(stored.line.steps))?;
        let state = state.ok_or_else(|| not_a_request(&thread))?;
        let asked = stored.steps.iter().find_map(|step| match &step.next {
            NextView::Ask { ask, .. } => ask.first().cloned(),
            NextView::Goto { .. } | NextView::Spawn { .. } | NextView::End { .. } => None,
        });
        // A fork asks again under a new id.
        let open = self.0.store().threads().outcome(&thread)?.interrupts;
        let decided = stored.decisions.iter().rev().find(|decision| decision.undone_at.is_none());
        let id = open.first().cloned().or_else(|| decided.map(|decision| decision.interrupt.clone()));
        let Some(id) = id.or(asked) else {
            let text = format!("thread `{thread}` has not asked yet; `sayso run` takes it further");
            return Err(InboxError::Conflict(text));
        };
        let abandoned = (stored.line.status == Status::Abandoned).then_some(Ending::Ignore);
        let ending = state.given.as_ref().map(|given| given.ending()).or(abandoned);
        if ending.is_some() {
            self.0.store().threads().verify(&thread)?;
        }
        let (by, at) = match ending {
            None => (None, None),
            Some(Ending::Expired | Ending::Withdrawn) => (None, Some(stored.line.updated_at)),
            Some(_) => (decided.map(|decision| decision.by.clone()), decided.map(|decision| decision.at)),
        };
        Ok(RequestAnswer {
            id,
            thread,
            status: stored.line.status,
            interrupts: open,
            r#type: ending,
            args: state.args(),
            by: by.map(|by| by.to_string()),
            at,
            remember: state.remembered().map(|remember| remember.told.clone()),
        })
    }

    pub(super) fn request_spec(self) -> Result<&'a Spec, InboxError> {
        self.0.engine.spec(NAME)
    }
}

/// A request that has been checked and not yet asked.
struct Prepared {
    new: NewThread,
    state: AnyState,
    /// The commit to store with its start.
    first: Commit,
}

fn not_a_request(thread: &ThreadId) -> InboxError {
    InboxError::Conflict(format!(
        "thread `{thread}` was not started by `sayso request`; `sayso show {thread}` tells what became of it"
    ))
}

/// Runs the asking node before the thread exists, and returns the commit to store with its start.
async fn first_turn(
    engine: &Engine,
    spec: &Spec,
    title: &str,
    state: &AnyState,
) -> Result<Commit, InboxError> {
    let failed = |text: String| InboxError::Failed(text);
    let node = spec.workflow.shape().entry.clone();
    let step = StepContext {
        thread: ThreadId::random(),
        workflow: NAME.to_owned(),
        node: node.clone(),
        number: 1,
        forked: false,
        allowance: 1,
        by_person: false,
        last_try: true,
    };
    let limit = engine.settings().node_timeout;
    let quiet: crate::engine::graph::ProgressSink = Arc::new(|_| {});
    let output = run_node(
        &spec.workflow,
        step,
        Arc::new(NoEffects("a request only asks; it does nothing")),
        state,
        limit,
        &quiet,
    )
    .await;
    let output = output.map_err(|error| failed(error.to_string()))?;
    let Next::Ask(asked, then) = output.next else {
        return Err(failed(format!("`{NAME}` did not ask")));
    };
    let after = spec.workflow.apply(state.clone(), &output.updates).map_err(|e| failed(e.to_string()))?;
    let took_ms = Some(i64::try_from(output.took.as_millis()).unwrap_or(i64::MAX));
    Ok(Commit {
        thread: ThreadId::random(),
        version: 0,
        steps: vec![NewStep { node, updates: output.updates, took_ms }],
        next: NextStep::Ask(asked, then),
        title: title.to_owned(),
        output: spec.workflow.output(&after).map(|output| output.to_string()),
        fingerprint: spec.workflow.fingerprint().to_owned(),
        snapshot: None,
        snapshot_bytes: 0,
        repeats: Repeated::default(),
        has_calls: false,
        last_event: None,
        has_result: spec.results,
        hold_ms: engine.holds(false).irreversible_ms,
        step_limit: engine.step_limit(),
    })
}
