//! The loop that answers a mail: its tools, and the model's turn.

use super::{act, interrupt};
use crate::agent::agent_loop::{CallResult, ModelTurn, Tool, Turn, Words};
use crate::agent::llm::{Reply, Request};
use crate::agent::{Picked, Services};
use crate::engine::graph::{Ctx, NodeError};
use crate::workflows::email::mails::{self, Conversation};
use crate::workflows::email::state::{Email, EmailUpdate};
use crate::workflows::email::{answer, rules, tools};
use std::sync::Arc;

/// All tools; a model is offered those that fit the newest mail.
pub(in crate::workflows::email) fn reply_tools(
    services: &Services,
    state: &Email,
) -> Result<Vec<Tool<Email>>, NodeError> {
    let conversation = Conversation::read(services, state)?;
    let receiver = conversation.receiver(services)?;
    let zone = &services.user.time_zone;
    let offered = conversation.newest().map(|(_, newest)| tools::offered(newest, receiver.as_ref(), zone));
    let offered = offered.unwrap_or_default();
    let tools = tools::specs().into_iter().map(|spec| {
        let is_offered = offered.iter().any(|tool| tool.name == spec.name);
        let tool = match spec.name.as_str() {
            tools::DONE => Tool::ends(spec, "reason"),
            tools::CHECK_CALENDAR => Tool::free(spec, act::check_calendar),
            _ => Tool::asks(spec, interrupt::ask, act::act),
        };
        tool.offered_if(is_offered)
    });
    Ok(tools.collect())
}

/// What the model is asked next.
pub(in crate::workflows::email) async fn reply_turn(
    ctx: Ctx<Services>,
    state: Arc<Email>,
) -> Result<ModelTurn<Email>, NodeError> {
    let services = ctx.services();
    let conversation = Conversation::read(services, &state)?;
    let mut updates = Vec::new();
    if let Some(mails) = mails::completed_refs(&conversation) {
        updates.push(EmailUpdate::Read { mails });
    }
    let about = conversation.newest().map(|(mail_ref, _)| mail_ref.raw.clone()).unwrap_or_default();
    if about != state.about {
        updates.push(EmailUpdate::About { mail: about });
    }
    let profiles = answer::profiles(services, &conversation).await?;
    let request = answer::request(services, &state, &conversation, profiles)?;
    let model = conversation.model(&ctx, "reply", &state).await?;
    Ok(ModelTurn { model, request, updates })
}

/// The letter that the rules make of the person's words, where no model does.
pub(in crate::workflows::email) fn letter_of_words(
    state: &Email,
    request: &Request,
) -> Result<Option<Reply>, String> {
    let has_words = matches!(
        state.dialog.messages.last(),
        Some(Turn::Told { .. } | Turn::Became { how: CallResult::Answered, .. })
    );
    let letter = has_words.then(|| rules::letter(&request.facts)).transpose()?;
    Ok(letter.map(|letter| letter.into_reply("builtin", request)))
}

/// What words without a call mean.
pub(in crate::workflows::email) async fn reply_words(
    ctx: Ctx<Services>,
    state: Arc<Email>,
    model: Picked,
    reply: Reply,
) -> Result<Words, NodeError> {
    let conversation = Conversation::read(ctx.services(), &state)?;
    answer::meaning(&ctx, &state, &conversation, &model, &reply).await
}
