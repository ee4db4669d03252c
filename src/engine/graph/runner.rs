//! Runs one node.

use super::workflow::{NodeOutput, NodeRun};
use super::{AnyState, Journal, Next, NodeError, Progress, ProgressSink, StepContext, Workflow};
use std::sync::Arc;
use std::time::{Duration, Instant};

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
