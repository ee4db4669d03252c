//! What a node gives back: updates, and where the thread goes next.

use super::{Interrupt, State};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A node's result.
#[derive(Debug)]
pub struct Command<S: State> {
    /// What happened, in order.
    pub updates: Vec<S::Update>,
    /// Where the thread goes.
    pub next: Next,
    /// Threads to start that nobody waits for.
    pub start: Vec<Child>,
}

impl<S: State> Command<S> {
    /// Go to `node`.
    pub fn goto(node: impl Into<String>) -> Self {
        Self::with(Next::Goto(node.into()))
    }

    /// Ask a person, then go to `then`.
    pub fn ask(interrupts: Vec<Interrupt>, then: impl Into<String>) -> Self {
        Self::with(Next::Ask(interrupts, then.into()))
    }

    /// Start children, wait for all of them, then go to `then`.
    pub fn spawn(children: Vec<Child>, then: impl Into<String>) -> Self {
        Self::with(Next::Spawn(children, then.into()))
    }

    /// The thread has ended; inside a mounted graph, the mount has.
    pub fn end() -> Self {
        Self::with(Next::End)
    }

    /// The thread is given up; what it said stays on record.
    pub fn abandon() -> Self {
        Self::with(Next::Abandon)
    }

    /// The same command with one more update.
    pub fn update(mut self, update: S::Update) -> Self {
        self.updates.push(update);
        self
    }

    /// The same command that also starts a thread nobody waits for.
    pub fn starting(mut self, child: Child) -> Self {
        self.start.push(child);
        self
    }

    fn with(next: Next) -> Self {
        Self { updates: Vec::new(), next, start: Vec::new() }
    }
}

/// Where a thread goes after a node. Every possibility is declared on the node as an [`super::Edge`].
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    /// On to a node.
    Goto(String),
    /// Wait until a person has answered every one of these, then on to a node.
    Ask(Vec<Interrupt>, String),
    /// Wait until every child has ended, then on to a node.
    Spawn(Vec<Child>, String),
    /// No further.
    End,
    /// Given up. It takes the edge [`super::Edge::End`], and inside a mounted graph it ends the thread too.
    Abandon,
}

/// A thread to be started by another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Child {
    /// Chosen by the starting node, so that it finds the result again.
    pub key: String,
    /// The registered workflow's name.
    pub workflow: String,
    /// The keys of its `start`.
    pub input: Value,
}
