//! Background work in the process that drives.

use crate::engine::graph::BoxFuture;

/// Work that goes on while a process drives all threads.
pub trait Background: Send + Sync {
    /// Runs until it is dropped.
    fn run(&self) -> BoxFuture<'_, ()>;

    /// Whether it also runs while only single threads are driven.
    fn runs_beside_single_threads(&self) -> bool {
        false
    }

    /// Runs after the last thread was driven.
    fn finish(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {})
    }
}
