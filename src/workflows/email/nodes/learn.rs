//! Writes down lessons, after the decisions were acted on: a decision that was taken back teaches nothing.

use super::NodeResult;
use super::act::{lesson_of, namespace};
use crate::agent::agent_loop::{Names, Turn};
use crate::agent::lesson::{Cause, CauseKind};
use crate::agent::llm::ToolCall;
use crate::agent::mail_facts::Class;
use crate::agent::{Lesson, Services};
use crate::engine::graph::{Answer, Command, Ctx, Decision, NodeError};
use crate::inbox::RowCause;
use crate::workflows::email::mails::{self, Conversation};
use crate::workflows::email::state::{Email, EmailUpdate, PendingLesson, PendingRow};
use crate::workflows::email::{risks, rows, tools};
use std::sync::Arc;

/// After a mail was shown.
pub(in crate::workflows::email) async fn update_memory(ctx: Ctx<Services>, state: Arc<Email>) -> NodeResult {
    let learned = learn(&ctx, &state).await?;
    let next = match (&state.outcome, state.classification_decision) {
        _ if state.is_settled() => "mark_as_read_node",
        (_, None) => "triage_router",
        (None, Some(_)) => "response_agent",
        (Some(_), Some(_)) => "mark_as_read_node",
    };
    Ok(Command::goto(next).update(learned))
}

/// After a proposal was answered.
pub(in crate::workflows::email) async fn update_memory_of_reply(
    ctx: Ctx<Services>,
    state: Arc<Email>,
) -> NodeResult {
    let learned = learn(&ctx, &state).await?;
    let next = Names::default().after_act(&state.dialog).unwrap_or("leave");
    Ok(Command::goto(next).update(learned))
}

/// Writes the lessons down, and says which mails the answers decided.
async fn learn(ctx: &Ctx<Services>, state: &Email) -> Result<EmailUpdate, NodeError> {
    let conversation = Conversation::read(ctx.services(), state)?;
    let lessons: Vec<PendingLesson> = state.lessons.iter().cloned().chain(of_answers(state)).collect();
    let pending_row = state.pending_row.clone().or_else(|| dismissed(state));
    let may_teach = !lessons.is_empty() || pending_row.is_some();
    if may_teach && !risks::teaches_nothing(ctx.services(), &conversation)? {
        if let (Some(pending), Some(mail)) = (&pending_row, conversation.about())
            && !conversation.is_own(&mail.0)
        {
            let (step, was) = (ctx.step_context(), state.classification_decision);
            rows::teach(ctx.services(), step, was, mail, pending).await?;
        }
        let mail = conversation.about().map(|(_, mail)| mails::lesson_facts(mail));
        let only = conversation.only_model();
        let lessons = lessons.iter().map(|learn| Lesson {
            namespace: conversation.namespace(&learn.namespace),
            cause: Cause { mail: mail.clone(), only: only.clone(), ..cause(learn) },
            interrupt: learn.answer.as_ref().map(|answer| answer.interrupt.clone()),
        });
        ctx.services().records.learn(ctx.step_context(), lessons.collect()).await?;
    }
    // What is asked about again is not decided yet.
    let decided =
        if state.dialog.pending.is_empty() { conversation.decided(&state.acted_on) } else { Vec::new() };
    // A mail that came meanwhile has yet to be classified; nobody let that one expire.
    let expired =
        state.classification_decision.is_some() && state.acted_on.iter().any(|answer| answer.expired);
    Ok(EmailUpdate::Learned { decided, expired })
}

/// What words about proposals may teach: what of them lasts, whoever keeps the profile judges. Edits teach once they are
/// carried out.
fn of_answers(state: &Email) -> Vec<PendingLesson> {
    let answer_to = |call: &ToolCall| state.acted_on.iter().find(|answer| answer.key == call.id);
    let of_call = |call: &ToolCall| {
        let answer: &Answer = answer_to(call)?;
        match &answer.decision {
            Decision::Respond { .. } if call.name != tools::QUESTION => {
                lesson_of(namespace(&call.name), CauseKind::ProposalAnswered, call, answer)
            }
            Decision::Accept
            | Decision::Edit { .. }
            | Decision::Respond { .. }
            | Decision::Ignore
            | Decision::Draft => None,
        }
    };
    called(state).filter_map(of_call).collect()
}

fn called(state: &Email) -> impl Iterator<Item = &ToolCall> {
    state.dialog.messages.iter().flat_map(Turn::calls)
}

/// What dismissing every proposal says. Taking one of two, or having answered before, does not mean that the mail needed
/// no answer.
fn dismissed(state: &Email) -> Option<PendingRow> {
    let answer = state.acted_on.iter().find(|answer| answer.learn && !answer.expired)?;
    let name = &called(state).find(|call| call.id == answer.key)?.name;
    let is_about_it = !matches!(name.as_str(), tools::UNSUBSCRIBE | tools::REMOVE_EVENT);
    let all = state.acted_on.iter().all(|one| matches!(one.decision, Decision::Ignore));
    let interrupt = Some(answer.interrupt.clone());
    (is_about_it && all && state.sent_outcome().is_none()).then_some(PendingRow {
        cause: RowCause::Ignored,
        wanted: Class::Ignore,
        interrupt,
    })
}

fn cause(learn: &PendingLesson) -> Cause {
    let mut cause = Cause { action: learn.action.clone(), ..Cause::new(learn.kind) };
    let Some(answer) = &learn.answer else { return cause };
    cause.proposed.clone_from(&answer.proposed);
    match &answer.decision {
        Decision::Edit { args } => cause.edited = args.clone(),
        Decision::Respond { text } => cause.feedback.clone_from(text),
        Decision::Accept | Decision::Ignore | Decision::Draft => {}
    }
    cause
}
