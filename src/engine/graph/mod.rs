//! Durable graphs of plain async functions.
//!
//! A *workflow* is a graph of nodes over one state type. A *thread* is one run of it, and a thread **is** its list of
//! updates: whatever happens (the start input, a node's result, people's answers, children's results, arriving mail)
//! becomes an update, and [`State::apply`] is the only place where state changes. History, time travel and forks are
//! folds over a prefix of that list.
//!
//! Asking a person is an edge, not a call inside a node. A node that asks is finished and committed before anybody
//! reads the question; the answers enter as an update and the next node starts. So nothing runs again because a person
//! took a month to answer, and the drawing of a graph shows every place where a person is asked.
//!
//! Mail, models, SQL and terminals are not here. The driver supplies a [`Journal`] (where intents and outcomes are
//! kept) and commits the [`Output`] of each node; `driver/` does both over SQLite.

mod agent_call;
mod builder;
mod command;
mod context;
mod difference;
mod draw;
mod error;
mod event;
mod hash;
mod ids;
mod interrupt;
mod journal;
mod picture;
mod progress;
mod runner;
mod shape;
mod state;
mod workflow;

pub use agent_call::{Act, ActPattern, AgentCall, Allowed, Texts, Word, WordPattern};
pub use builder::{Builder, Graph};
pub use command::{Child, Command, Next};
pub use context::{Ctx, StepContext};
pub use difference::Difference;
pub use error::{BuildError, FoldError, InputError, NodeError};
pub use event::{ChildResult, Event, EventKind};
pub use hash::{Hash, canonical};
pub use ids::{BadId, BatchId, GrantId, InterruptId, ThreadId};
pub use interrupt::{
    Allow, Answer, Decision, Grade, Grantable, Interrupt, Kind, Labels, Remember, Waiting, Warning,
};
pub use journal::{
    Authorization, Effect, EffectError, EffectState, EffectTrace, Intent, Journal, JournalError, NoEffects,
    PriorEffect, SHORTFALL,
};
pub use picture::{END, Highlight, LEGEND, Picture, START, TakenPath};
pub use progress::{Progress, ProgressSink};
pub use runner::{Failure, Output, run_node};
pub use shape::{Edge, NodeShape, Shape, ask, end, goto, spawn};
pub use state::State;
pub use workflow::{AnyState, Workflow};

/// A boxed future, returned by every async method behind `dyn`.
pub type BoxFuture<'a, T> = std::pin::Pin<Box<dyn std::future::Future<Output = T> + Send + 'a>>;
