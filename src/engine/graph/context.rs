//! What a node receives: its services, its position, and two ways to reach the outside world.
//!
//! [`Ctx::call`] is for work that may be repeated after a crash (a model call, a read); its result is journaled so that
//! a retried step does not pay twice. [`Ctx::once`] is for work that must not be repeated blindly.

use super::{
    Authorization, Effect, EffectError, EffectState, EffectTrace, Intent, Journal, JournalError, NodeError,
    PriorEffect, Progress, ProgressSink, ThreadId,
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};

/// Where in its thread a node runs.
#[derive(Clone, Debug)]
pub struct StepContext {
    pub thread: ThreadId,
    pub workflow: String,
    pub node: String,
    /// The number that this step will have.
    pub number: u64,
    /// Whether the thread is a fork, which receives no mail and marks nothing as handled.
    pub forked: bool,
    /// How many times the thread has been granted its budget, at least 1.
    pub allowance: u32,
    /// Whether a person is in the model's place.
    pub by_person: bool,
    /// Whether this is the last try: after a transient failure now, a person is asked instead of trying again.
    pub last_try: bool,
}

/// A node's access to everything that is not its state.
pub struct Ctx<D> {
    services: Arc<D>,
    step: Arc<StepContext>,
    journal: Arc<dyn Journal>,
    progress: ProgressSink,
    used_names: Arc<Mutex<HashSet<String>>>,
}

impl<D> Clone for Ctx<D> {
    fn clone(&self) -> Self {
        Self {
            services: self.services.clone(),
            step: self.step.clone(),
            journal: self.journal.clone(),
            progress: self.progress.clone(),
            used_names: self.used_names.clone(),
        }
    }
}

impl<D> Ctx<D> {
    /// Creates the context for one attempt at one step.
    pub fn new(
        services: Arc<D>,
        step: StepContext,
        journal: Arc<dyn Journal>,
        progress: ProgressSink,
    ) -> Self {
        Self { services, step: Arc::new(step), journal, progress, used_names: Arc::default() }
    }

    /// Models, mailboxes, the clock: everything a node may use.
    pub fn services(&self) -> &D {
        &self.services
    }

    pub fn step_context(&self) -> &StepContext {
        &self.step
    }

    /// Shows a piece of streaming text.
    pub fn show_text(&self, delta: &str) {
        (self.progress)(Progress::Text { thread: self.step.thread.clone(), delta: delta.to_owned() });
    }

    /// Shows how far long work has got.
    pub fn show_bar(&self, what: &str, done: u64, total: u64) {
        let thread = self.step.thread.clone();
        (self.progress)(Progress::Bar { thread, what: what.to_owned(), done, total });
    }

    /// Does work that may be repeated after a crash; without a crash it runs at most once per step.
    pub async fn call<T, F>(&self, name: &str, work: F) -> Result<T, NodeError>
    where
        T: Serialize + DeserializeOwned,
        F: Future<Output = Result<T, NodeError>>,
    {
        self.claim(name)?;
        if let Some(earlier) = self.journal.recorded(name)
            && let Ok(value) = serde_json::from_value(earlier)
        {
            return Ok(value);
        }
        let value = work.await?;
        let json = serde_json::to_value(&value)
            .map_err(|e| NodeError::failed(format!("the result of `{name}` cannot be kept: {e}")))?;
        self.journal.record(name, &json);
        Ok(value)
    }

    /// Does work that must not be repeated blindly.
    ///
    /// The intent and `frozen` are durable before `effect` is performed. After a crash we look for the effect; if it
    /// can be neither found nor ruled out, it waits for a person as trouble `in_doubt`.
    pub async fn once(
        &self,
        name: &str,
        basis: Authorization,
        frozen: Vec<u8>,
        effect: Arc<dyn Effect>,
    ) -> Result<Value, NodeError> {
        self.claim(name)?;
        let intent = Intent { name: name.to_owned(), basis, frozen };
        let journal = self.journal.clone();
        // In a separate task: if the node is dropped (a stop, a timeout) the outcome is still recorded.
        let work = tokio::spawn(carry_out(journal, intent, effect));
        match work.await {
            Ok(result) => result,
            Err(_) => Err(NodeError::InDoubt {
                effect: name.to_owned(),
                text: "it broke off in the middle".to_owned(),
            }),
        }
    }

    fn claim(&self, name: &str) -> Result<(), JournalError> {
        let mut used = self.used_names.lock().unwrap_or_else(PoisonError::into_inner);
        if used.insert(name.to_owned()) { Ok(()) } else { Err(JournalError::Twice(name.to_owned())) }
    }
}

async fn carry_out(
    journal: Arc<dyn Journal>,
    mut intent: Intent,
    effect: Arc<dyn Effect>,
) -> Result<Value, NodeError> {
    match journal.begin(&intent).await? {
        PriorEffect::New => {}
        PriorEffect::Earlier { state: EffectState::Done | EffectState::Settled, outcome, .. } => {
            return Ok(outcome);
        }
        PriorEffect::Earlier { state: EffectState::NotDone, frozen, .. } => intent.frozen = frozen,
        PriorEffect::Earlier { state: EffectState::Begun | EffectState::InDoubt, frozen, .. } => {
            intent.frozen = frozen;
            match effect.find(&intent.frozen).await {
                EffectTrace::Done(outcome) => return done(&*journal, &intent.name, outcome).await,
                EffectTrace::NotDone => {
                    // What permitted it may have ended since, so it begins again as any other.
                    not_done(&*journal, &intent.name, "it was begun and not found afterwards").await?;
                    journal.begin(&intent).await?;
                }
                EffectTrace::Unknown(text) => return in_doubt(&*journal, &intent.name, text).await,
            }
        }
    }
    match effect.perform(&intent.frozen).await {
        Ok(outcome) => done(&*journal, &intent.name, outcome).await,
        Err(EffectError::NotDone(text)) => {
            not_done(&*journal, &intent.name, &text).await?;
            Err(NodeError::Transient { text, retry_after: None })
        }
        Err(EffectError::Refused(text)) => {
            not_done(&*journal, &intent.name, &text).await?;
            Err(NodeError::Failed { text })
        }
        Err(EffectError::Unknown(text)) => match effect.find(&intent.frozen).await {
            EffectTrace::Done(outcome) => done(&*journal, &intent.name, outcome).await,
            EffectTrace::NotDone => {
                not_done(&*journal, &intent.name, &text).await?;
                Err(NodeError::Transient { text, retry_after: None })
            }
            EffectTrace::Unknown(_) => in_doubt(&*journal, &intent.name, text).await,
        },
    }
}

async fn done(journal: &dyn Journal, name: &str, outcome: Value) -> Result<Value, NodeError> {
    journal.set_state(name, EffectState::Done, &outcome).await?;
    Ok(outcome)
}

async fn not_done(journal: &dyn Journal, name: &str, why: &str) -> Result<(), NodeError> {
    Ok(journal.set_state(name, EffectState::NotDone, &json!({ "error": why })).await?)
}

async fn in_doubt(journal: &dyn Journal, name: &str, text: String) -> Result<Value, NodeError> {
    journal.set_state(name, EffectState::InDoubt, &json!({ "error": text })).await?;
    Err(NodeError::InDoubt { effect: name.to_owned(), text })
}
