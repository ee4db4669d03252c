//! What a node returns: updates, and where the thread goes next.

use super::{Interrupt, State};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A node's result.
#[derive(Debug)]
pub struct Command<S: State> {
    /// In the order they happened.
    pub updates: Vec<S::Update>,
    pub next: Next,
}

impl<S: State> Command<S> {
    /// Goes to `node`.
    pub fn goto(node: impl Into<String>) -> Self {
        Self::with(Next::Goto(node.into()))
    }

    /// Asks a person, then goes to `then`.
    pub fn ask(interrupts: Vec<Interrupt>, then: impl Into<String>) -> Self {
        Self::with(Next::Ask(interrupts, then.into()))
    }

    /// Starts children, waits for all of them, then goes to `then`.
    pub fn spawn(children: Vec<Child>, then: impl Into<String>) -> Self {
        Self::with(Next::Spawn(children, then.into()))
    }

    /// Ends the thread; inside a mounted graph, ends the mount.
    pub fn end() -> Self {
        Self::with(Next::End)
    }

    /// Gives the thread up; its updates stay on record.
    pub fn abandon() -> Self {
        Self::with(Next::Abandon)
    }

    /// Adds an update.
    pub fn update(mut self, update: S::Update) -> Self {
        self.updates.push(update);
        self
    }

    fn with(next: Next) -> Self {
        Self { updates: Vec::new(), next }
    }
}

/// Where a thread goes after a node. Except for `Abandon`, the node declares each as an [`super::Edge`].
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    /// Go to a node.
    Goto(String),
    /// Wait until a person has answered all of these, then go to a node.
    Ask(Vec<Interrupt>, String),
    /// Wait until every child has ended, then go to a node.
    Spawn(Vec<Child>, String),
    End,
    /// Give up. This needs no declared edge, and inside a mounted graph it ends the whole thread.
    Abandon,
}

/// A thread that another thread starts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Child {
    /// Chosen by the starting node, so that it can find the result.
    pub key: String,
    /// The name of the registered workflow.
    pub workflow: String,
    /// The input of the child's `start`.
    pub input: Value,
}
