//! A model whose calls are recorded, for spans, costs and budgets.

use super::records::{CallRecord, Records};
use super::services::Picked;
use crate::agent::llm::{BoxFuture, Model, ModelError, OnText, Reply, Request};
use crate::engine::graph::StepContext;
use serde_json::json;
use std::time::Instant;

/// Records every single call, including those that [`propose`](crate::agent::llm::propose) and
/// [`structured`](crate::agent::llm::structured) repeat: they are paid even if the answer was useless.
pub struct RecordedModel {
    pub picked: Picked,
    pub records: Records,
    pub step: StepContext,
}

impl Model for RecordedModel {
    fn label(&self) -> &str {
        self.picked.model.label()
    }

    fn complete<'a>(
        &'a self,
        request: &'a Request,
        on_text: OnText<'a>,
    ) -> BoxFuture<'a, Result<Reply, ModelError>> {
        Box::pin(async move {
            let mut call = Call { model: self, request, begun: Instant::now(), ended: false };
            let outcome = self.picked.model.complete(request, on_text).await;
            call.record(&outcome);
            outcome
        })
    }
}

/// A running call, which is recorded once, however it ends. One that is dropped (a stop, a time limit) counts as cut:
/// the server may still have charged for it.
struct Call<'a> {
    model: &'a RecordedModel,
    request: &'a Request,
    begun: Instant,
    ended: bool,
}

impl Call<'_> {
    /// The time it took includes waiting for a place and retries.
    fn record(&mut self, outcome: &Result<Reply, ModelError>) {
        self.ended = true;
        let (RecordedModel { picked, records, step }, request) = (self.model, self.request);
        let call = CallRecord {
            task: request.task.clone(),
            model: picked.name.clone(),
            answered_as: outcome.as_ref().ok().map(|reply| reply.model.clone()),
            builtin: picked.builtin,
            took: self.begun.elapsed(),
            usage: outcome.as_ref().map(|reply| reply.usage).unwrap_or_default(),
            error: outcome.as_ref().err().map(|error| error.code().to_owned()),
            head: json!({
                "system": request.system,
                "tools": request.tools,
                "choice": request.choice,
                "output": request.output,
            }),
            messages: json!(request.messages),
            answer: outcome.as_ref().ok().map(|reply| json!({ "text": reply.text, "calls": reply.calls })),
        };
        records.record_call(step, call);
    }
}

impl Drop for Call<'_> {
    fn drop(&mut self) {
        if !self.ended {
            let model = self.model.label().to_owned();
            self.record(&Err(ModelError::Cut { model, why: "it was dropped before it ended".to_owned() }));
        }
    }
}
