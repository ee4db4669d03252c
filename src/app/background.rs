//! Work in the background of a process that drives.

use crate::graph::BoxFuture;

/// Work that goes on as long as a process drives everything.
pub trait Background: Send + Sync {
    /// Before anything is driven. Whoever calls this holds the driver's lock.
    fn begin(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {})
    }

    /// Goes on until it is dropped.
    fn run(&self) -> BoxFuture<'_, ()>;

    /// Whether it goes on beside all driving, also of a single thread.
    fn is_beside_all_driving(&self) -> bool {
        false
    }

    /// After the last thread was driven.
    fn finish(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {})
    }
}
