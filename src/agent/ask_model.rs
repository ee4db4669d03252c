//! The only way a node talks to a model: within budget, recorded, shown as it streams, paid once per step.

use super::recorded_model::RecordedModel;
use super::services::{Picked, Services};
use crate::agent::llm::{
    Delta, ModelError, OutputSchema, ReadReply, Reply, Request, Structured, propose, structured,
};
use crate::config::ME;
use crate::engine::graph::{Ctx, NodeError};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The model for `role`, or the one named `model_name`.
pub async fn pick_model(
    ctx: &Ctx<Services>,
    role: &str,
    model_name: Option<&str>,
) -> Result<Picked, NodeError> {
    pick_model_of(ctx, &ctx.step_context().workflow, role, model_name).await
}

/// The model that another workflow's config names for `role`. Workflows that nobody starts have no config section.
pub async fn pick_model_of(
    ctx: &Ctx<Services>,
    workflow: &str,
    role: &str,
    model_name: Option<&str>,
) -> Result<Picked, NodeError> {
    if ctx.step_context().by_person {
        return pick_only(ctx, ME).await;
    }
    let models = ctx.services().models.clone();
    let (workflow, role) = (workflow.to_owned(), role.to_owned());
    let model_name = model_name.map(str::to_owned);
    // A key may come from a command that asks the person; nothing else should wait for that.
    let picked = tokio::task::spawn_blocking(move || models.pick(&workflow, &role, model_name.as_deref()));
    picked.await.map_err(NodeError::failed)?.map_err(node_error)
}

/// The only model that may read something; the person may read everything.
pub async fn pick_only(ctx: &Ctx<Services>, name: &str) -> Result<Picked, NodeError> {
    let name = if ctx.step_context().by_person { ME } else { name };
    let (models, name) = (ctx.services().models.clone(), name.to_owned());
    let picked = tokio::task::spawn_blocking(move || models.pick_only(&name));
    picked.await.map_err(NodeError::failed)?.map_err(node_error)
}

/// Asks a model; `read` sees the reply before it is checked. `name` is unique within the node.
pub async fn ask_model(
    ctx: &Ctx<Services>,
    name: &str,
    picked: &Picked,
    request: &Request,
    read: ReadReply<'_>,
) -> Result<Reply, NodeError> {
    ctx.call(name, async {
        let mut reply = answer(ctx, picked, &recorded_model(ctx, picked)?, request, read).await?;
        if let Some(note) = left_out_note(reply.left_out) {
            reply.text = format!("{note}\n\n{}", reply.text).trim_end().to_owned();
        }
        Ok(reply)
    })
    .await
}

/// The answer of a model, shown as it streams.
pub async fn answer(
    ctx: &Ctx<Services>,
    picked: &Picked,
    model: &RecordedModel,
    request: &Request,
    read: ReadReply<'_>,
) -> Result<Reply, NodeError> {
    let show = |delta: Delta<'_>| match delta {
        Delta::Text(text) => ctx.show_text(text),
        Delta::Restart => ctx.show_text("\n… once more:\n"),
    };
    propose(model, request, read, &show).await.map_err(|error| node_error_at(picked, error))
}

/// The note on an answer whose model could not read everything.
pub fn left_out_note(left_out: usize) -> Option<String> {
    let bytes = match left_out {
        0 => return None,
        few @ ..2_048 => format!("{few} bytes"),
        many => format!("{} kB", many / 1_024),
    };
    Some(format!("({bytes} of what there is to read were left out: it is too long for the model.)"))
}

/// A structured answer, with a note about it.
#[derive(Serialize, Deserialize)]
pub struct StructuredAnswer<T> {
    pub value: T,
    /// Says that the model could not read everything.
    pub note: Option<String>,
}

impl<T> From<Structured<T>> for StructuredAnswer<T> {
    fn from(answer: Structured<T>) -> Self {
        Self { note: left_out_note(answer.left_out), value: answer.value }
    }
}

/// Asks a model for data that fits a schema. `name` is unique within the node.
pub async fn ask_structured<T>(
    ctx: &Ctx<Services>,
    name: &str,
    picked: &Picked,
    request: &Request,
    output: OutputSchema,
) -> Result<StructuredAnswer<T>, NodeError>
where
    T: Serialize + DeserializeOwned,
{
    ctx.call(name, async {
        let model = recorded_model(ctx, picked)?;
        Ok(structured(&model, request, output).await.map_err(|error| node_error_at(picked, error))?.into())
    })
    .await
}

/// Like [`ask_structured`], but if the answer stays unreadable after all tries, the inner result says why, and the node
/// does not fail.
pub async fn try_structured<T>(
    ctx: &Ctx<Services>,
    name: &str,
    picked: &Picked,
    request: &Request,
) -> Result<Result<T, String>, NodeError>
where
    T: Serialize + DeserializeOwned + JsonSchema,
{
    ctx.call(name, async {
        let model = recorded_model(ctx, picked)?;
        match structured(&model, request, OutputSchema::of::<T>()).await {
            Ok(answer) => Ok(Ok(answer.value)),
            Err(error @ ModelError::Unreadable { .. }) => Ok(Err(error.to_string())),
            Err(error) => Err(node_error_at(picked, error)),
        }
    })
    .await
}

/// The model, once the budget is checked, with every call recorded. Rules cost nothing.
pub fn recorded_model(ctx: &Ctx<Services>, picked: &Picked) -> Result<RecordedModel, NodeError> {
    let (records, step) = (ctx.services().records.clone(), ctx.step_context().clone());
    if !picked.builtin {
        records.check_budget(&step)?;
    }
    Ok(RecordedModel { picked: picked.clone(), records, step })
}

/// An unreachable server is reported once, not by each thread that needs it.
pub fn node_error_at(picked: &Picked, error: ModelError) -> NodeError {
    match (&error, &picked.server) {
        (ModelError::Unreachable { .. }, Some(server)) => {
            NodeError::Unreachable { server: server.clone(), text: format!("{error}. {}", error.explain()) }
        }
        _ => node_error(error),
    }
}

fn node_error(error: ModelError) -> NodeError {
    let text = format!("{error}. {}", error.explain());
    if error.is_transient() {
        NodeError::Transient { text, retry_after: error.retry_after() }
    } else {
        NodeError::Failed { text }
    }
}
