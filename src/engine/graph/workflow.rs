//! A named graph with its types erased to JSON, so that one registry holds workflows over any state.

use super::builder::Run;
use super::{
    Answer, ChildResult, Command, Ctx, Event, FoldError, Graph, InputError, Journal, Next, NodeError,
    ProgressSink, Shape, State, StepContext,
};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::any::Any;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

/// A thread's folded state, with its type erased.
#[derive(Clone)]
pub struct AnyState(Arc<dyn Any + Send + Sync>);

impl AnyState {
    /// The state itself, if it has type `S`.
    pub fn get<S: State>(&self) -> Option<&S> {
        self.0.downcast_ref()
    }

    /// The same, to keep.
    pub fn take<S: State>(self) -> Option<Arc<S>> {
        self.0.downcast().ok()
    }
}

/// A node's result as data.
#[derive(Debug)]
pub struct NodeOutput {
    /// A JSON array of updates.
    pub updates: String,
    pub next: Next,
}

pub type NodeFuture<'a> = super::BoxFuture<'a, Result<NodeOutput, NodeError>>;

/// A graph and its nodes' services, with their types erased.
pub trait AnyGraph: Send + Sync {
    /// The graph as data.
    fn shape(&self) -> &Shape;
    /// A node's own time limit, if it has one.
    fn timeout(&self, node: &str) -> Option<Duration>;
    /// JSON schema of the input of `start`.
    fn input_schema(&self) -> Value;
    /// The first updates of a thread started with `input`, as a JSON array.
    fn started(&self, input: Value) -> Result<String, InputError>;
    /// The updates for a person's answers.
    fn answered(&self, answers: Vec<Answer>) -> Result<String, FoldError>;
    /// The updates for children's results. It is an error if the workflow does not take them.
    fn joined(&self, children: Vec<ChildResult>) -> Result<String, FoldError>;
    /// The updates for an event; `None` if the workflow does not take it.
    fn arrived(&self, event: Event) -> Result<Option<String>, FoldError>;
    /// The state before any update.
    fn empty(&self) -> AnyState;
    /// Reads a state from its snapshot.
    fn read(&self, snapshot: &str) -> Result<AnyState, FoldError>;
    /// Writes a state's snapshot.
    fn write(&self, state: &AnyState) -> Result<String, FoldError>;
    /// Applies a JSON array of updates to the state, in place if nobody else holds it.
    fn apply(&self, state: AnyState, updates: &str) -> Result<AnyState, FoldError>;
    /// The thread's title, one line.
    fn title(&self, state: &AnyState) -> String;
    /// The thread's result so far.
    fn output(&self, state: &AnyState) -> Option<Value>;
    /// Starts a node; `None` if the graph has no such node.
    fn run(&self, node: &str, at: NodeRun, state: &AnyState) -> Option<NodeFuture<'static>>;
    /// Checks that the node declared the edge it took, and returns full names.
    fn resolve(&self, node: &str, next: Next) -> Result<Next, String>;
}

/// A node's position in its thread, and what it reports to.
pub struct NodeRun {
    pub(super) step: StepContext,
    pub(super) journal: Arc<dyn Journal>,
    pub(super) progress: ProgressSink,
}

/// A compiled graph with a name and its nodes' services. Cloning is cheap.
#[derive(Clone)]
pub struct Workflow {
    name: String,
    fingerprint: String,
    graph: Arc<dyn AnyGraph>,
}

impl Workflow {
    /// Names a graph and gives its nodes their services.
    pub fn new<S: State, D: Send + Sync + 'static>(name: &str, graph: Graph<S, D>, services: Arc<D>) -> Self {
        let fingerprint = graph.shape.fingerprint();
        Self {
            name: name.to_owned(),
            fingerprint,
            graph: Arc::new(TypedWorkflow { name: name.to_owned(), graph, services }),
        }
    }

    /// The name used to start threads.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Changes when nodes or edges change.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }
}

impl Deref for Workflow {
    type Target = dyn AnyGraph;

    fn deref(&self) -> &Self::Target {
        &*self.graph
    }
}

struct TypedWorkflow<S: State, D> {
    name: String,
    graph: Graph<S, D>,
    services: Arc<D>,
}

impl<S: State, D> TypedWorkflow<S, D> {
    fn parse<T: DeserializeOwned>(&self, what: &'static str, json: &str) -> Result<T, FoldError> {
        if let Ok(value) = serde_json::from_str(json) {
            return Ok(value);
        }
        // Keeping track of the place takes longer than reading.
        let mut reader = serde_json::Deserializer::from_str(json);
        serde_path_to_error::deserialize(&mut reader).map_err(|e| FoldError {
            what,
            workflow: self.name.clone(),
            path: e.path().to_string(),
            text: e.inner().to_string(),
        })
    }

    fn encode<T: serde::Serialize>(&self, what: &'static str, value: &T) -> Result<String, FoldError> {
        serde_json::to_string(value).map_err(|e| FoldError {
            what,
            workflow: self.name.clone(),
            path: ".".to_owned(),
            text: e.to_string(),
        })
    }

    fn one(&self, update: &S::Update) -> Result<String, FoldError> {
        Ok(format!("[{}]", self.encode("update", update)?))
    }

    /// A workflow reads only states that it made itself, so the default is never used. If it ever were, the thread
    /// would get an empty state and not a panic.
    fn typed(&self, state: AnyState) -> Arc<S> {
        state.take().unwrap_or_default()
    }
}

impl<S: State, D: Send + Sync + 'static> AnyGraph for TypedWorkflow<S, D> {
    fn shape(&self) -> &Shape {
        &self.graph.shape
    }

    fn timeout(&self, node: &str) -> Option<Duration> {
        self.graph.nodes.get(node)?.timeout
    }

    fn input_schema(&self) -> Value {
        schemars::schema_for!(S::Input).to_value()
    }

    fn started(&self, input: Value) -> Result<String, InputError> {
        let input: S::Input = serde_path_to_error::deserialize(input).map_err(|e| {
            let (field, text) = (e.path().to_string(), e.inner().to_string());
            if field == "." { InputError::Whole(text) } else { InputError::Field { field, text } }
        })?;
        self.one(&S::started(input)).map_err(|e| InputError::Whole(e.to_string()))
    }

    fn answered(&self, answers: Vec<Answer>) -> Result<String, FoldError> {
        self.one(&S::answered(answers))
    }

    fn joined(&self, children: Vec<ChildResult>) -> Result<String, FoldError> {
        let update = S::joined(children).ok_or_else(|| FoldError {
            what: "update",
            workflow: self.name.clone(),
            path: ".".to_owned(),
            text: "it starts children, but does not take in their results".to_owned(),
        })?;
        self.one(&update)
    }

    fn arrived(&self, event: Event) -> Result<Option<String>, FoldError> {
        S::arrived(event).map(|update| self.one(&update)).transpose()
    }

    fn empty(&self) -> AnyState {
        AnyState(Arc::new(S::default()))
    }

    fn read(&self, snapshot: &str) -> Result<AnyState, FoldError> {
        Ok(AnyState(Arc::new(self.parse::<S>("state", snapshot)?)))
    }

    fn write(&self, state: &AnyState) -> Result<String, FoldError> {
        self.encode("state", &*self.typed(state.clone()))
    }

    fn apply(&self, state: AnyState, updates: &str) -> Result<AnyState, FoldError> {
        // We apply what is stored, read back, so the live state and a later fold cannot differ.
        let updates: Vec<S::Update> = self.parse("update", updates)?;
        let mut state = self.typed(state);
        let inner = Arc::make_mut(&mut state);
        updates.into_iter().for_each(|update| inner.apply(update));
        Ok(AnyState(state))
    }

    fn title(&self, state: &AnyState) -> String {
        self.typed(state.clone()).title()
    }

    fn output(&self, state: &AnyState) -> Option<Value> {
        self.typed(state.clone()).output()
    }

    fn run(&self, node: &str, at: NodeRun, state: &AnyState) -> Option<NodeFuture<'static>> {
        let run: Run<S, D> = self.graph.nodes.get(node)?.run.clone();
        let ctx = Ctx::new(self.services.clone(), at.step, at.journal, at.progress);
        let state = self.typed(state.clone());
        let workflow = self.name.clone();
        Some(Box::pin(async move {
            let Command { updates, next } = run(ctx, state).await?;
            let updates = serde_json::to_string(&updates)
                .map_err(|e| NodeError::failed(format!("an update of `{workflow}` cannot be kept: {e}")))?;
            Ok(NodeOutput { updates, next })
        }))
    }

    fn resolve(&self, node: &str, next: Next) -> Result<Next, String> {
        self.graph.resolve(node, next)
    }
}
