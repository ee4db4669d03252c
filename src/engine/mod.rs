//! Durable threads: what a graph is, where its steps are kept, and what runs them.

pub mod driver;
pub mod graph;
pub mod store;
