//! The one way a node speaks to a model: within budget, recorded, shown as it streams, paid once a step.

use super::services::{CallRecord, Services};
use crate::graph::{Ctx, NodeError, Place};
use crate::llm::{Delta, ModelError, Observed, Observer, Reply, Request, propose};
use std::sync::Arc;
use std::time::Duration;

/// Asks the model for `role`, or the one named `wanted`. `name` is unique within the node.
pub async fn ask_model(
    ctx: &Ctx<Services>,
    name: &str,
    role: &str,
    wanted: Option<&str>,
    request: &Request,
) -> Result<Reply, NodeError> {
    let services = ctx.services();
    ctx.call(name, async {
        services.meter.check(ctx.place())?;
        let workflow = ctx.place().workflow.as_str();
        let model = services.models.pick(workflow, role, wanted).map_err(failed)?;
        let watch = Watch { services: services.meter.clone(), place: ctx.place().clone() };
        let model = Observed::wrap(model, Arc::new(watch));
        let show = |delta: Delta<'_>| match delta {
            Delta::Text(text) => ctx.show_text(text),
            Delta::Restart => ctx.show_text("\n… once more:\n"),
        };
        propose(&model, request, &show).await.map_err(failed)
    })
    .await
}

struct Watch {
    services: Arc<dyn super::services::Meter>,
    place: Place,
}

impl Observer for Watch {
    fn called(&self, model: &str, request: &Request, outcome: &Result<Reply, ModelError>, took: Duration) {
        let call = CallRecord {
            task: request.task.clone(),
            model: outcome.as_ref().map_or_else(|_| model.to_owned(), |reply| reply.model.clone()),
            took,
            usage: outcome.as_ref().map(|reply| reply.usage).unwrap_or_default(),
            error: outcome.as_ref().err().map(|error| error.code().to_owned()),
        };
        self.services.record(&self.place, call);
    }
}

fn failed(error: ModelError) -> NodeError {
    let text = format!("{error}. {}", error.explain());
    if error.transient() {
        NodeError::Transient { text, retry_after: error.retry_after() }
    } else {
        NodeError::Failed { text }
    }
}
