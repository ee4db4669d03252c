//! Writes down lessons, after the decisions were acted on: a decision that was taken back teaches nothing.

use super::NodeResult;
use crate::graph::{Command, Ctx, Decision, NodeError};
use crate::workflows::email::mails::{self, Conversation};
use crate::workflows::email::state::{Email, EmailUpdate, NextTurn, PendingLesson};
use crate::workflows::email::{risks, rules};
use crate::workflows::lesson::{Cause, CauseKind};
use crate::workflows::{Lesson, Services};
use std::sync::Arc;

/// After a mail was shown.
pub(in crate::workflows::email) async fn update_memory(ctx: Ctx<Services>, state: Arc<Email>) -> NodeResult {
    learn(&ctx, &state).await?;
    let next = match state.outcome {
        _ if state.is_settled() => "mark_as_read_node",
        _ if state.again => "triage_router",
        None => "response_agent",
        Some(_) => "mark_as_read_node",
    };
    Ok(Command::goto(next).update(EmailUpdate::Learned))
}

/// After a proposal was answered.
pub(in crate::workflows::email) async fn update_memory_of_reply(
    ctx: Ctx<Services>,
    state: Arc<Email>,
) -> NodeResult {
    learn(&ctx, &state).await?;
    let next = match state.then {
        _ if state.is_settled() => "leave",
        NextTurn::Model => "llm_call",
        NextTurn::Ask => "interrupt_handler",
        NextTurn::Leave => "leave",
    };
    Ok(Command::goto(next).update(EmailUpdate::Learned))
}

async fn learn(ctx: &Ctx<Services>, state: &Email) -> Result<(), NodeError> {
    if state.lessons.is_empty() {
        return Ok(());
    }
    let conversation = Conversation::read(ctx.services(), state)?;
    if risks::teaches_nothing(ctx.services(), &conversation)? {
        return Ok(());
    }
    let mail = conversation.about().map(|(_, mail)| mails::lesson_facts(mail));
    let only = conversation.only_model();
    let lessons = state.lessons.iter().filter(|learn| lasts(learn)).map(|learn| Lesson {
        namespace: conversation.namespace(&learn.namespace),
        cause: Cause { mail: mail.clone(), only: only.clone(), ..cause(learn) },
        interrupt: learn.answer.as_ref().map(|answer| answer.interrupt.clone()),
    });
    ctx.services().records.learn(ctx.step_context(), lessons.collect()).await
}

/// A wish for one mail is not a lasting preference.
fn lasts(learn: &PendingLesson) -> bool {
    match learn.answer.as_ref().map(|answer| &answer.decision) {
        Some(Decision::Respond { text }) if learn.kind == CauseKind::ProposalAnswered => {
            rules::is_lasting(text)
        }
        _ => true,
    }
}

fn cause(learn: &PendingLesson) -> Cause {
    let mut cause = Cause { action: learn.action.clone(), ..Cause::new(learn.kind) };
    let Some(answer) = &learn.answer else { return cause };
    if learn.kind != CauseKind::NotifyIgnored && learn.kind != CauseKind::NotifyResponded {
        cause.proposed.clone_from(&answer.proposed);
    }
    match &answer.decision {
        Decision::Edit { args } => cause.edited = args.clone(),
        Decision::Respond { text } => cause.feedback.clone_from(text),
        Decision::Accept | Decision::Ignore | Decision::Draft => {}
    }
    cause
}
