//! Declares graphs, and refuses those that are not well-formed.

use super::{BoxFuture, BuildError, Command, Ctx, Edge, Next, NodeError, NodeShape, Shape, State};
use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

pub(super) type Run<S, D> =
    Arc<dyn Fn(Ctx<D>, Arc<S>) -> BoxFuture<'static, Result<Command<S>, NodeError>> + Send + Sync>;

pub(super) struct Node<S: State, D> {
    pub(super) run: Run<S, D>,
    edges: Vec<Edge>,
    pub(super) timeout: Option<Duration>,
    /// The mount it is in, against which relative names are resolved; empty at the top.
    scope: String,
    /// Where its `End` leads: a full name inside a mount, `None` (the thread's end) at the top.
    after: Option<String>,
}

/// A checked graph: every edge leads to a node or the end.
pub struct Graph<S: State, D> {
    pub(super) shape: Shape,
    pub(super) nodes: BTreeMap<String, Node<S, D>>,
    /// Maps the full name of each mount to the full name of its entry node.
    mounts: BTreeMap<String, String>,
}

/// A graph under construction.
pub struct Builder<S: State, D> {
    name: String,
    entry: String,
    order: Vec<String>,
    nodes: BTreeMap<String, Node<S, D>>,
    mounts: BTreeMap<String, String>,
    error: Option<BuildError>,
}

impl<S: State, D: Send + Sync + 'static> Graph<S, D> {
    /// Starts a graph named `name` whose threads start at node `entry`.
    pub fn builder(name: &str, entry: &str) -> Builder<S, D> {
        Builder {
            name: name.to_owned(),
            entry: entry.to_owned(),
            order: Vec::new(),
            nodes: BTreeMap::new(),
            mounts: BTreeMap::new(),
            error: None,
        }
    }

    /// The graph as data.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Turns the relative names in a node's result into full ones; fails if the node did not declare that edge.
    pub(super) fn resolve(&self, node: &str, next: Next) -> Result<Next, String> {
        let Some(from) = self.nodes.get(node) else { return Err(format!("there is no node `{node}`")) };
        let full = |name: String| resolve(&self.mounts, &from.scope, &name);
        let (next, edge) = match next {
            Next::Goto(to) => {
                let to = full(to);
                (Next::Goto(to.clone()), Edge::Goto(to))
            }
            Next::Ask(asked, then) => {
                let then = full(then);
                (Next::Ask(asked, then.clone()), Edge::Ask(then))
            }
            Next::Spawn(children, then) => {
                let then = full(then);
                (Next::Spawn(children, then.clone()), Edge::Spawn(then))
            }
            Next::Abandon => return Ok(Next::Abandon),
            Next::End => match &from.after {
                Some(after) => (Next::Goto(after.clone()), Edge::Goto(after.clone())),
                None => (Next::End, Edge::End),
            },
        };
        if from.edges.contains(&edge) {
            Ok(next)
        } else {
            Err(format!("node `{node}` took the way {edge:?}, which it does not declare"))
        }
    }
}

impl<S: State, D: Send + Sync + 'static> Builder<S, D> {
    /// Adds a node with all its edges.
    pub fn node<F, Fut>(mut self, name: &str, run: F, edges: impl IntoIterator<Item = Edge>) -> Self
    where
        F: Fn(Ctx<D>, Arc<S>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Command<S>, NodeError>> + Send + 'static,
    {
        let run: Run<S, D> = Arc::new(move |ctx, state| Box::pin(run(ctx, state)));
        let node = Node {
            run,
            edges: edges.into_iter().collect(),
            timeout: None,
            scope: String::new(),
            after: None,
        };
        self.check_name(name);
        self.add(name.to_owned(), node);
        self
    }

    /// Sets a time limit for the node added last.
    pub fn timeout(mut self, limit: Duration) -> Self {
        if let Some(node) = self.order.last().and_then(|name| self.nodes.get_mut(name)) {
            node.timeout = Some(limit);
        }
        self
    }

    /// Has `handle` decide what follows an error, in every node added so far, with these edges besides their own.
    pub fn rescue<F>(mut self, edges: &[Edge], handle: F) -> Self
    where
        F: Fn(&Ctx<D>, &S, NodeError) -> Result<Command<S>, NodeError> + Send + Sync + 'static,
    {
        let handle = Arc::new(handle);
        for node in self.nodes.values_mut() {
            let (run, handle) = (node.run.clone(), handle.clone());
            node.run = Arc::new(move |ctx, state| {
                let (work, handle) = (run(ctx.clone(), state.clone()), handle.clone());
                Box::pin(async move { work.await.or_else(|error| handle(&ctx, &state, error)) })
            });
            let more: Vec<Edge> = edges.iter().filter(|edge| !node.edges.contains(edge)).cloned().collect();
            node.edges.extend(more);
        }
        self
    }

    /// Mounts a graph over the same state under `name`; when it ends, the thread goes on to `after`.
    pub fn mount(mut self, name: &str, graph: Graph<S, D>, after: &str) -> Self {
        self.check_name(name);
        if self.nodes.contains_key(name) || self.mounts.contains_key(name) {
            self.error.get_or_insert(BuildError::Twice(name.to_owned()));
        }
        let inside = |inner: &str| format!("{name}/{inner}");
        self.mounts.insert(name.to_owned(), inside(&graph.shape.entry));
        self.mounts.extend(graph.mounts.iter().map(|(mount, entry)| (inside(mount), inside(entry))));
        let mut nodes = graph.nodes;
        for shape in &graph.shape.nodes {
            let Some(mut node) = nodes.remove(&shape.name) else { continue };
            node.scope = if node.scope.is_empty() { name.to_owned() } else { inside(&node.scope) };
            let ends_mount = node.after.is_none();
            node.after = Some(if let Some(inner) = &node.after { inside(inner) } else { after.to_owned() });
            node.edges = node
                .edges
                .into_iter()
                .map(|edge| match edge {
                    Edge::Goto(to) => Edge::Goto(inside(&to)),
                    Edge::Ask(to) => Edge::Ask(inside(&to)),
                    Edge::Spawn(to) => Edge::Spawn(inside(&to)),
                    Edge::End if ends_mount => Edge::Goto(after.to_owned()),
                    Edge::End => Edge::End,
                })
                .collect();
            self.add(inside(&shape.name), node);
        }
        self
    }

    /// Checks the whole graph and finishes it.
    pub fn build(mut self) -> Result<Graph<S, D>, BuildError> {
        if let Some(error) = self.error {
            return Err(error);
        }
        let mounts = self.mounts;
        // Names inside a mount are already full, and names at the top are full as typed, so both resolve from the top.
        let full = |name: &str| resolve(&mounts, "", name);
        for node in self.nodes.values_mut() {
            node.after = node.after.as_deref().map(full);
            for edge in &mut node.edges {
                match edge {
                    Edge::Goto(to) | Edge::Ask(to) | Edge::Spawn(to) => *to = full(to),
                    Edge::End => {}
                }
            }
        }
        let nodes = self.order.iter().filter_map(|name| {
            let node = self.nodes.get(name)?;
            Some(NodeShape { name: name.clone(), edges: node.edges.clone() })
        });
        let shape = Shape { name: self.name, entry: full(&self.entry), nodes: nodes.collect() };
        check(&shape)?;
        Ok(Graph { shape, nodes: self.nodes, mounts })
    }

    fn check_name(&mut self, name: &str) {
        if name.is_empty() || name.contains('/') || matches!(name, "START" | "ANSWERS" | "JOIN" | "ARRIVED") {
            self.error.get_or_insert(BuildError::Name(name.to_owned()));
        }
    }

    fn add(&mut self, name: String, node: Node<S, D>) {
        if self.nodes.insert(name.clone(), node).is_some() || self.mounts.contains_key(&name) {
            self.error.get_or_insert(BuildError::Twice(name.clone()));
        }
        self.order.push(name);
    }
}

/// Resolves `name` inside `scope` to a full name; a mount's name means its entry.
fn resolve(mounts: &BTreeMap<String, String>, scope: &str, name: &str) -> String {
    let mut full = if scope.is_empty() { name.to_owned() } else { format!("{scope}/{name}") };
    while let Some(entry) = mounts.get(&full) {
        full = entry.clone();
    }
    full
}

fn check(shape: &Shape) -> Result<(), BuildError> {
    if !shape.has(&shape.entry) {
        return Err(BuildError::UnknownTarget { node: "START".to_owned(), target: shape.entry.clone() });
    }
    for node in &shape.nodes {
        if let Some(target) = node.edges.iter().filter_map(Edge::target).find(|target| !shape.has(target)) {
            return Err(BuildError::UnknownTarget { node: node.name.clone(), target: target.to_owned() });
        }
    }
    let (reached, ending) = (shape.reached(), shape.ending());
    for node in &shape.nodes {
        if !reached.contains(node.name.as_str()) {
            return Err(BuildError::Unreachable(node.name.clone()));
        }
        if !ending.contains(node.name.as_str()) {
            return Err(BuildError::Endless(node.name.clone()));
        }
    }
    Ok(())
}
