//! A model watched from outside: the hook for spans, costs and budgets, which live elsewhere.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{BoxFuture, Model, ModelError, OnText, Reply, Request};

/// Told of every single call, also of those that [`propose`](super::propose) and
/// [`structured`](super::structured) repeat: what was paid is seen even when the answer was of no use.
pub trait Observer: Send + Sync {
    /// A call ended; `took` includes waiting for a place and retries. A dropped call is not reported.
    fn called(&self, model: &str, request: &Request, outcome: &Result<Reply, ModelError>, took: Duration);
}

/// A model whose calls are reported to an [`Observer`].
pub struct Observed {
    inner: Arc<dyn Model>,
    observer: Arc<dyn Observer>,
}

impl Observed {
    /// Reports the calls of `inner` to `observer`.
    pub fn wrap(inner: Arc<dyn Model>, observer: Arc<dyn Observer>) -> Self {
        Self { inner, observer }
    }
}

impl Model for Observed {
    fn label(&self) -> &str {
        self.inner.label()
    }

    fn complete<'a>(
        &'a self,
        request: &'a Request,
        on_text: OnText<'a>,
    ) -> BoxFuture<'a, Result<Reply, ModelError>> {
        Box::pin(async move {
            let begun = Instant::now();
            let outcome = self.inner.complete(request, on_text).await;
            self.observer.called(self.inner.label(), request, &outcome, begun.elapsed());
            outcome
        })
    }
}
