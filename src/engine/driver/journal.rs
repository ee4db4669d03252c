//! The engine's journal, backed by the store.

use super::fail_point::fail_point;
use crate::engine::graph::{BoxFuture, EffectState, Intent, Journal, JournalError, PriorEffect, ThreadId};
use crate::engine::store::{CallResult, DriverLock, EffectIntent, Store, StoreError};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::Notify;

/// The journal of one attempt at one step. It lives as long as anything that attempt began. So an effect that outlives
/// its node keeps its thread from being driven until the outcome is recorded: in this process because the thread counts
/// as at work, in others because the journal keeps the driver's lock, even if the driver itself is gone.
pub(crate) struct StepJournal {
    pub store: Store,
    pub thread: ThreadId,
    pub version: i64,
    pub step: i64,
    /// How many events it has taken in.
    pub heard: i64,
    /// The tools that the config allows to act without asking.
    pub policies: Vec<String>,
    pub calls: HashMap<String, Value>,
    /// Whether any call results have been recorded or are being written.
    pub has_calls: AtomicBool,
    pub released: Arc<Notify>,
    pub _lock: Option<Arc<DriverLock>>,
}

impl Drop for StepJournal {
    fn drop(&mut self) {
        self.released.notify_one();
    }
}

impl Journal for StepJournal {
    fn recorded(&self, name: &str) -> Option<Value> {
        self.calls.get(name).cloned()
    }

    fn record(&self, name: &str, result: &Value) {
        self.has_calls.store(true, Ordering::SeqCst);
        let call = CallResult {
            thread: self.thread.clone(),
            version: self.version,
            step: self.step,
            heard: self.heard,
            name: name.to_owned(),
            result: result.to_string(),
        };
        self.store.effects().record_call(call);
    }

    fn begin<'a>(&'a self, intent: &'a Intent) -> BoxFuture<'a, Result<PriorEffect, JournalError>> {
        Box::pin(async move {
            fail_point("before_intent");
            let effect = EffectIntent {
                thread: self.thread.clone(),
                version: self.version,
                step: self.step,
                policies: self.policies.clone(),
                intent: intent.clone(),
            };
            let begun = self.store.effects().begin(effect).await.map_err(journal_error)?;
            fail_point("after_intent");
            Ok(begun)
        })
    }

    fn set_state<'a>(
        &'a self,
        name: &'a str,
        state: EffectState,
        outcome: &'a Value,
    ) -> BoxFuture<'a, Result<(), JournalError>> {
        Box::pin(async move {
            fail_point("before_outcome");
            let write = self.store.effects().set_state(
                self.thread.clone(),
                self.step,
                name.to_owned(),
                state,
                outcome.clone(),
            );
            write.await.map_err(journal_error)?;
            fail_point("after_outcome");
            Ok(())
        })
    }
}

fn journal_error(error: StoreError) -> JournalError {
    match error {
        StoreError::Moved => JournalError::Moved,
        StoreError::NotApproved(text) | StoreError::Damaged(text) => JournalError::NotApproved(text),
        other => JournalError::Storage(other.into()),
    }
}
