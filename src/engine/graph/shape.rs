//! A graph as data: its nodes and declared edges, for checks, drawings and fingerprints.

use serde::Serialize;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};

/// One edge out of a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Edge {
    /// Go to a node.
    Goto(String),
    /// Ask a person, then go to a node.
    Ask(String),
    /// Wait for children, then go to a node.
    Spawn(String),
    End,
}

impl Edge {
    /// The node it leads to, if any.
    pub fn target(&self) -> Option<&str> {
        match self {
            Edge::Goto(node) | Edge::Ask(node) | Edge::Spawn(node) => Some(node),
            Edge::End => None,
        }
    }
}

/// An edge to `node`.
pub fn goto(node: &str) -> Edge {
    Edge::Goto(node.to_owned())
}

/// An edge that asks a person, then goes to `then`.
pub fn ask(then: &str) -> Edge {
    Edge::Ask(then.to_owned())
}

/// An edge that waits for children, then goes to `then`.
pub fn spawn(then: &str) -> Edge {
    Edge::Spawn(then.to_owned())
}

/// The end of the graph or of a mounted part.
pub fn end() -> Edge {
    Edge::End
}

/// A node and its edges, with full names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NodeShape {
    /// The full name (`response_agent/llm_call`).
    pub name: String,
    pub edges: Vec<Edge>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Shape {
    /// The name above its drawing.
    pub name: String,
    /// The node where threads start.
    pub entry: String,
    /// In the order they were declared.
    pub nodes: Vec<NodeShape>,
}

impl Shape {
    /// A short digest that changes when nodes or edges change.
    pub fn fingerprint(&self) -> String {
        let mut hasher = Sha256::new();
        hasher.update(self.entry.as_bytes());
        for node in &self.nodes {
            hasher.update(b"\n");
            hasher.update(node.name.as_bytes());
            for edge in &node.edges {
                hasher.update(b"\t");
                hasher.update(format!("{edge:?}").as_bytes());
            }
        }
        hasher.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
    }

    /// Whether the graph has a node with this full name.
    pub fn has(&self, node: &str) -> bool {
        self.nodes.iter().any(|shape| shape.name == node)
    }

    /// The nodes that can be reached from the entry.
    pub(super) fn reached(&self) -> BTreeSet<&str> {
        let edges: BTreeMap<&str, &[Edge]> =
            self.nodes.iter().map(|n| (n.name.as_str(), n.edges.as_slice())).collect();
        let mut seen = BTreeSet::from([self.entry.as_str()]);
        let mut todo = vec![self.entry.as_str()];
        while let Some(node) = todo.pop() {
            for target in edges.get(node).into_iter().flat_map(|e| e.iter()).filter_map(Edge::target) {
                if seen.insert(target) {
                    todo.push(target);
                }
            }
        }
        seen
    }

    /// The nodes from which the end can be reached.
    pub(super) fn ending(&self) -> BTreeSet<&str> {
        let mut ends: BTreeSet<&str> = BTreeSet::new();
        loop {
            let before = ends.len();
            for node in &self.nodes {
                let leads = |edge: &Edge| match edge.target() {
                    None => true,
                    Some(target) => ends.contains(target),
                };
                if node.edges.iter().any(leads) {
                    ends.insert(&node.name);
                }
            }
            if ends.len() == before {
                return ends;
            }
        }
    }
}
