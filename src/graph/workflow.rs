//! A named graph with its types erased to JSON, so that one registry holds workflows over any state.

use super::builder::Run;
use super::{
    Answer, ChildResult, Command, Ctx, Event, FoldError, Graph, InputError, Journal, Next, NodeError,
    ProgressSink, Shape, State, StepContext,
};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

/// A thread's folded state, with its type erased.
#[derive(Clone)]
pub struct Folded(Arc<dyn Any + Send + Sync>);

impl Folded {
    /// The state itself, if it has type `S`.
    pub fn get<S: State>(&self) -> Option<&S> {
        self.0.downcast_ref()
    }
}

/// A node's result as data, with full node names.
#[derive(Debug)]
pub struct NodeOutput {
    /// A JSON array of updates.
    pub updates: String,
    pub next: Next,
    /// Threads to start without waiting for them.
    pub start: Vec<super::Child>,
}

type NodeFuture<'a> = super::BoxFuture<'a, Result<NodeOutput, NodeError>>;

trait AnyGraph: Send + Sync {
    fn shape(&self) -> &Shape;
    fn timeout(&self, node: &str) -> Option<Duration>;
    fn input_schema(&self) -> Value;
    fn started(&self, input: Value) -> Result<String, InputError>;
    fn answered(&self, answers: Vec<Answer>) -> Result<String, FoldError>;
    fn joined(&self, children: Vec<ChildResult>) -> Result<String, FoldError>;
    fn arrived(&self, event: Event) -> Result<Option<String>, FoldError>;
    fn empty(&self) -> Folded;
    fn read(&self, snapshot: &str) -> Result<Folded, FoldError>;
    fn write(&self, state: &Folded) -> Result<String, FoldError>;
    fn apply(&self, state: Folded, updates: &str) -> Result<Folded, FoldError>;
    fn title(&self, state: &Folded) -> String;
    fn output(&self, state: &Folded) -> Option<Value>;
    fn run(&self, node: &str, at: NodeRun, state: &Folded) -> Option<NodeFuture<'static>>;
    fn resolve(&self, node: &str, next: Next) -> Result<Next, String>;
}

/// A node's position in its thread, and what it reports to.
pub(super) struct NodeRun {
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

    /// The graph as data.
    pub fn shape(&self) -> &Shape {
        self.graph.shape()
    }

    /// A node's own time limit, if it has one.
    pub fn timeout(&self, node: &str) -> Option<Duration> {
        self.graph.timeout(node)
    }

    /// JSON schema of the input of `start`.
    pub fn input_schema(&self) -> Value {
        self.graph.input_schema()
    }

    /// The first updates of a thread started with `input`, as a JSON array.
    pub fn started(&self, input: Value) -> Result<String, InputError> {
        self.graph.started(input)
    }

    /// The updates for a person's answers.
    pub fn answered(&self, answers: Vec<Answer>) -> Result<String, FoldError> {
        self.graph.answered(answers)
    }

    /// The updates for children's results.
    pub fn joined(&self, children: Vec<ChildResult>) -> Result<String, FoldError> {
        self.graph.joined(children)
    }

    /// The updates for an event; `None` if the workflow does not take it.
    pub fn arrived(&self, event: Event) -> Result<Option<String>, FoldError> {
        self.graph.arrived(event)
    }

    /// The state before any update.
    pub fn empty(&self) -> Folded {
        self.graph.empty()
    }

    /// Reads a state from its snapshot.
    pub fn read(&self, snapshot: &str) -> Result<Folded, FoldError> {
        self.graph.read(snapshot)
    }

    /// Writes a state's snapshot.
    pub fn write(&self, state: &Folded) -> Result<String, FoldError> {
        self.graph.write(state)
    }

    /// Applies a JSON array of updates to the state, in place if nobody else holds it.
    pub fn apply(&self, state: Folded, updates: &str) -> Result<Folded, FoldError> {
        self.graph.apply(state, updates)
    }

    /// The thread's title, one line.
    pub fn title(&self, state: &Folded) -> String {
        self.graph.title(state)
    }

    /// The thread's result so far.
    pub fn output(&self, state: &Folded) -> Option<Value> {
        self.graph.output(state)
    }

    /// Starts a node; `None` if the graph has no such node.
    pub(super) fn run(&self, node: &str, at: NodeRun, state: &Folded) -> Option<NodeFuture<'static>> {
        self.graph.run(node, at, state)
    }

    /// Checks that the node declared the edge it took, and returns full names.
    pub(super) fn resolve(&self, node: &str, next: Next) -> Result<Next, String> {
        self.graph.resolve(node, next)
    }
}

struct TypedWorkflow<S: State, D> {
    name: String,
    graph: Graph<S, D>,
    services: Arc<D>,
}

impl<S: State, D> TypedWorkflow<S, D> {
    fn parse<T: DeserializeOwned>(&self, what: &'static str, json: &str) -> Result<T, FoldError> {
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
    fn typed(&self, state: &Folded) -> Arc<S> {
        state.0.clone().downcast::<S>().unwrap_or_default()
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
        self.one(&S::joined(children))
    }

    fn arrived(&self, event: Event) -> Result<Option<String>, FoldError> {
        S::arrived(event).map(|update| self.one(&update)).transpose()
    }

    fn empty(&self) -> Folded {
        Folded(Arc::new(S::default()))
    }

    fn read(&self, snapshot: &str) -> Result<Folded, FoldError> {
        Ok(Folded(Arc::new(self.parse::<S>("state", snapshot)?)))
    }

    fn write(&self, state: &Folded) -> Result<String, FoldError> {
        self.encode("state", &*self.typed(state))
    }

    fn apply(&self, state: Folded, updates: &str) -> Result<Folded, FoldError> {
        // We apply what is stored, read back, so the live state and a later fold cannot differ.
        let updates: Vec<S::Update> = self.parse("update", updates)?;
        let mut state = state.0.downcast::<S>().unwrap_or_default();
        let inner = Arc::make_mut(&mut state);
        updates.into_iter().for_each(|update| inner.apply(update));
        Ok(Folded(state))
    }

    fn title(&self, state: &Folded) -> String {
        self.typed(state).title()
    }

    fn output(&self, state: &Folded) -> Option<Value> {
        self.typed(state).output()
    }

    fn run(&self, node: &str, at: NodeRun, state: &Folded) -> Option<NodeFuture<'static>> {
        let run: Run<S, D> = self.graph.nodes.get(node)?.run.clone();
        let ctx = Ctx::new(self.services.clone(), at.step, at.journal, at.progress);
        let state = self.typed(state);
        let workflow = self.name.clone();
        Some(Box::pin(async move {
            let Command { updates, next, start } = run(ctx, state).await?;
            let updates = serde_json::to_string(&updates)
                .map_err(|e| NodeError::failed(format!("an update of `{workflow}` cannot be kept: {e}")))?;
            Ok(NodeOutput { updates, next, start })
        }))
    }

    fn resolve(&self, node: &str, next: Next) -> Result<Next, String> {
        self.graph.resolve(node, next)
    }
}
