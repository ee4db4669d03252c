//! What follows a node that returned no command: it is tried again, a person is asked, or its thread has moved.

use super::drive::{DriveResult, Turn, UnreachableServer};
use super::engine::Engine;
use crate::engine::graph::{AnyState, Failure, JournalError, NodeError, Progress};
use crate::engine::store::{Loaded, StoreError};
use crate::inbox::Spec;
use std::time::Duration;

/// A server may ask for any wait; we try again after at most this long.
const MAX_WAIT: Duration = Duration::from_secs(3600);

impl Engine {
    pub(super) async fn after_error(
        &self,
        spec: &Spec,
        loaded: &Loaded,
        state: &AnyState,
        error: NodeError,
        turn: &Turn,
    ) -> Result<DriveResult, StoreError> {
        if let NodeError::Unreachable { server, .. } = &error {
            let (thread, server) = (loaded.row.id.clone(), server.clone());
            (self.sink())(Progress::Unreachable { thread, server });
        }
        let may_retry = turn.attempt < self.settings().retries;
        let wait = backoff(turn.attempt, self.settings().retry_wait);
        let failure = match error {
            NodeError::Transient { text, retry_after } if may_retry => {
                let wait = retry_after.map_or(wait, |asked| asked.min(MAX_WAIT));
                return self.try_again(loaded, &text, DriveResult::RetryAfter(wait)).await;
            }
            NodeError::Unreachable { text, .. } if may_retry => {
                return self.try_again(loaded, &text, DriveResult::RetryAfter(wait)).await;
            }
            NodeError::Unreachable { server, text } if !turn.alone => {
                let unreachable = UnreachableServer { server, why: text.clone() };
                let wait = wait.max(Duration::from_secs(1));
                return self
                    .try_again(loaded, &text, DriveResult::ServerUnreachable(unreachable, wait))
                    .await;
            }
            NodeError::Transient { text, .. } | NodeError::Unreachable { text, .. } => {
                Failure::Failed(match turn.attempt {
                    0 => text,
                    before => format!("{text} (tried {} times)", before + 1),
                })
            }
            NodeError::Failed { text } | NodeError::Unchecked { text } => Failure::Failed(text),
            NodeError::Budget { text } => Failure::Budget(text),
            NodeError::InDoubt { effect, text } => Failure::InDoubt { effect, text },
            NodeError::Journal(JournalError::Moved) => return Ok(DriveResult::Continue),
            NodeError::Journal(JournalError::Storage(error)) => {
                return Err(match error.downcast::<StoreError>() {
                    Ok(error) => *error,
                    Err(error) => StoreError::Failed(error.to_string()),
                });
            }
            NodeError::Journal(error @ (JournalError::Twice(_) | JournalError::NotApproved(_))) => {
                Failure::Failed(error.to_string())
            }
        };
        self.fail(loaded, Some(spec), Some(state), failure).await
    }

    async fn try_again(
        &self,
        loaded: &Loaded,
        text: &str,
        result: DriveResult,
    ) -> Result<DriveResult, StoreError> {
        tracing::info!(thread = %loaded.row.id, node = %loaded.row.node, %text, "will be tried again");
        // The results of its calls are still being written; the next attempt must find them.
        let _ = self.store().flush().await;
        Ok(result)
    }
}

/// Each wait is four times as long as the last, at most two minutes.
fn backoff(attempt: u32, first_wait: Duration) -> Duration {
    first_wait.saturating_mul(4u32.saturating_pow(attempt)).min(Duration::from_secs(120))
}
