//! Runs one node and decides what to do with its result.

use super::workflow::{NodeOutput, NodeRun};
use super::{
    AnyState, Journal, JournalError, Next, NodeError, Progress, ProgressSink, StepContext, Workflow,
};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A server may ask for any wait; we try again after at most this long.
const MAX_WAIT: Duration = Duration::from_secs(3600);

/// A node's result, ready to be committed.
#[derive(Debug)]
pub struct Output {
    /// A JSON array of updates.
    pub updates: String,
    /// Where the thread goes, with full names.
    pub next: Next,
    /// How long the node ran.
    pub took: Duration,
}

/// Why a thread cannot go on by itself; these are the codes of trouble.
#[derive(Clone, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Failure {
    /// The node failed for good, or used up its retries.
    Failed(String),
    /// The graph no longer has this node.
    LostNode(String),
    /// Too many steps without an answer from a person.
    StepLimit(String),
    /// A budget would be exceeded.
    Budget(String),
    /// An effect may have happened.
    InDoubt {
        /// The name of the effect.
        effect: String,
        /// What is known.
        text: String,
    },
    /// A person stopped it.
    Stopped,
}

impl Failure {
    /// The trouble's code, which is also its interrupt's action.
    pub fn code(&self) -> &'static str {
        self.into()
    }

    /// A sentence for people.
    pub fn text(&self) -> String {
        match self {
            Failure::Failed(text)
            | Failure::LostNode(text)
            | Failure::StepLimit(text)
            | Failure::Budget(text) => text.clone(),
            Failure::InDoubt { effect, text } => {
                format!("It is not known whether `{effect}` was done: {text}")
            }
            Failure::Stopped => "You stopped this thread.".to_owned(),
        }
    }
}

/// What to do after a node that returned no command.
#[derive(Debug)]
pub enum Retry {
    /// Try again after this long.
    After(Duration, String),
    /// Report that the server is away, and try again after this long.
    Unreachable { server: String, text: String, wait: Duration },
    /// Ask a person.
    Never(Failure),
    /// The thread has moved on: drop the result and look again.
    Moved,
    /// Nothing can be recorded, so nothing more may be done.
    Storage(Box<dyn std::error::Error + Send + Sync>),
}

/// Runs one node within its time limit and checks the edge it took.
pub async fn run_node(
    workflow: &Workflow,
    step: StepContext,
    journal: Arc<dyn Journal>,
    state: &AnyState,
    limit: Duration,
    progress: &ProgressSink,
) -> Result<Output, NodeError> {
    let (thread, node) = (step.thread.clone(), step.node.clone());
    let node = node.as_str();
    let run = NodeRun { step, journal, progress: progress.clone() };
    let Some(work) = workflow.run(node, run, state) else {
        return Err(NodeError::failed(format!("workflow `{}` has no node `{node}`", workflow.name())));
    };
    progress(Progress::Started { thread: thread.clone(), node: node.to_owned() });
    let limit = workflow.timeout(node).unwrap_or(limit);
    // In a separate task, so that a panic in a node affects only its thread.
    let began = Instant::now();
    let task = AbortOnDrop(tokio::spawn(work));
    let result = tokio::time::timeout(limit, task).await;
    let took = began.elapsed();
    progress(Progress::Finished { thread });
    let NodeOutput { updates, next } = match result {
        Ok(Ok(result)) => result?,
        Ok(Err(broken)) => {
            return Err(NodeError::failed(format!("node `{node}` broke: {}", panic_text(broken))));
        }
        Err(_) => {
            return Err(NodeError::transient(format!(
                "node `{node}` took longer than {} s; raise engine.node_timeout_seconds if it needs longer",
                limit.as_secs_f32()
            )));
        }
    };
    let next = workflow.resolve(node, next).map_err(NodeError::failed)?;
    Ok(Output { updates, next, took })
}

impl Retry {
    /// Decides what follows a failed attempt; `attempt` counts from 0, and `first_wait` is the first wait.
    pub fn after(error: NodeError, attempt: u32, retries: u32, first_wait: Duration) -> Self {
        match error {
            NodeError::Transient { text, retry_after } if attempt < retries => {
                let wait =
                    retry_after.map_or_else(|| backoff(attempt, first_wait), |wait| wait.min(MAX_WAIT));
                Retry::After(wait, text)
            }
            NodeError::Transient { text, .. } => Retry::Never(Failure::Failed(match attempt {
                0 => text,
                _ => format!("{text} (tried {} times)", attempt + 1),
            })),
            NodeError::Unreachable { text, .. } if attempt < retries => {
                Retry::After(backoff(attempt, first_wait), text)
            }
            NodeError::Unreachable { server, text } => Retry::Unreachable {
                server,
                text,
                wait: backoff(attempt, first_wait).max(Duration::from_secs(1)),
            },
            NodeError::Failed { text } => Retry::Never(Failure::Failed(text)),
            NodeError::Budget { text } => Retry::Never(Failure::Budget(text)),
            NodeError::InDoubt { effect, text } => Retry::Never(Failure::InDoubt { effect, text }),
            NodeError::Journal(JournalError::Moved) => Retry::Moved,
            NodeError::Journal(JournalError::Storage(error)) => Retry::Storage(error),
            NodeError::Journal(e @ (JournalError::Twice(_) | JournalError::NotApproved(_))) => {
                Retry::Never(Failure::Failed(e.to_string()))
            }
        }
    }
}

/// Each wait is four times as long as the last, at most two minutes.
fn backoff(attempt: u32, first_wait: Duration) -> Duration {
    first_wait.saturating_mul(4u32.saturating_pow(attempt)).min(Duration::from_secs(120))
}

fn panic_text(error: tokio::task::JoinError) -> String {
    match error.try_into_panic() {
        Ok(payload) => match payload.downcast::<String>() {
            Ok(text) => *text,
            Err(payload) => {
                payload.downcast::<&str>().map_or("a panic".to_owned(), |text| (*text).to_owned())
            }
        },
        Err(_) => "it was cancelled".to_owned(),
    }
}

struct AbortOnDrop<T>(tokio::task::JoinHandle<T>);

impl<T> Drop for AbortOnDrop<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl<T> std::future::Future for AbortOnDrop<T> {
    type Output = Result<T, tokio::task::JoinError>;

    fn poll(
        mut self: std::pin::Pin<&mut Self>,
        cx: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Self::Output> {
        std::pin::Pin::new(&mut self.0).poll(cx)
    }
}
