//! Reports a model's calls: the hook for spans, costs and budgets, which live elsewhere.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{BoxFuture, Model, ModelError, OnText, Reply, Request};

/// Hears of every single call, including those that [`propose`](super::propose) and [`structured`](super::structured)
/// repeat, so that it sees what was paid even if the answer was useless.
pub trait Observer: Send + Sync {
    /// A call ended; `took` includes waiting for a place and retries. A dropped call (a stop, a time limit) is reported
    /// as cut: the server may still have charged for it.
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
            let mut call = Call { observed: self, request, begun: Instant::now(), ended: false };
            let outcome = self.inner.complete(request, on_text).await;
            call.report(&outcome);
            outcome
        })
    }
}

/// A running call, which is reported once, however it ends.
struct Call<'a> {
    observed: &'a Observed,
    request: &'a Request,
    begun: Instant,
    ended: bool,
}

impl Call<'_> {
    fn report(&mut self, outcome: &Result<Reply, ModelError>) {
        self.ended = true;
        let Observed { inner, observer } = self.observed;
        observer.called(inner.label(), self.request, outcome, self.begun.elapsed());
    }
}

impl Drop for Call<'_> {
    fn drop(&mut self) {
        if !self.ended {
            let model = self.observed.inner.label().to_owned();
            self.report(&Err(ModelError::Cut { model, why: "it was dropped before it ended".to_owned() }));
        }
    }
}
