//! The node where the model proposes calls.

use super::NodeResult;
use crate::graph::{Command, Ctx};
use crate::llm::ToolCall;
use crate::workflows::email::answer;
use crate::workflows::email::mails::{self, Conversation};
use crate::workflows::email::state::{Email, EmailUpdate, NextTurn, Turn};
use crate::workflows::{Services, ask_model};
use std::collections::HashSet;
use std::sync::Arc;

/// Asks the model for its next calls.
pub(in crate::workflows::email) async fn llm_call(ctx: Ctx<Services>, state: Arc<Email>) -> NodeResult {
    if state.is_settled() {
        return Ok(Command::goto("leave"));
    }
    if state.then == NextTurn::Ask && !state.pending.is_empty() {
        // The person wrote the mail themselves.
        return Ok(Command::goto("interrupt_handler"));
    }
    let services = ctx.services();
    let conversation = Conversation::read(services, &state)?;
    let mut updates = Vec::new();
    if let Some(mails) = mails::completed_refs(&conversation) {
        updates.push(EmailUpdate::Read { mails });
    }
    let profiles = answer::profiles(services, &conversation).await?;
    let request = answer::request(services, &state, &conversation, profiles)?;
    let model = conversation.model(&ctx, "reply", &state).await?;
    let reply = ask_model(&ctx, "reply", &model, &request).await?;
    let (calls, text) = if reply.calls.is_empty() {
        let (call, text) = answer::call_for_words(&ctx, &state, &conversation, &model, reply).await?;
        (vec![call], text)
    } else {
        (reply.calls, reply.text)
    };
    let mut calls = with_unique_ids(calls, &state);
    answer::keep_person_only_args(&state, &mut calls);
    let command = Command::goto("interrupt_handler");
    let about = conversation.newest().map(|(mail_ref, _)| mail_ref.raw.clone()).unwrap_or_default();
    updates.push(EmailUpdate::Proposed { text, calls, about });
    Ok(Command { updates, ..command })
}

/// Gives calls ids that no earlier call has, so an answer is never mistaken for an answer to another call.
fn with_unique_ids(calls: Vec<ToolCall>, state: &Email) -> Vec<ToolCall> {
    let earlier = state.messages.iter().filter_map(|turn| match turn {
        Turn::Called { calls, .. } => Some(calls),
        Turn::Told { .. } | Turn::Became { .. } | Turn::Came { .. } => None,
    });
    let mut used: HashSet<String> = earlier.flatten().map(|call| call.id.clone()).collect();
    let renamed = calls.into_iter().map(|mut call| {
        let mut n = 1;
        let original_id = call.id.clone();
        while !used.insert(call.id.clone()) {
            n += 1;
            call.id = format!("{original_id}.{n}");
        }
        call
    });
    renamed.collect()
}
