//! Every way out passes here, so no mail is left unhandled. A mail leaves only by a decision: by the person, their
//! grant, a rule, or triage ignoring it. A mail that nobody decided on is shown instead.

use super::NodeResult;
use super::triage::first_line;
use crate::agent::Services;
use crate::agent::mail_facts::Class;
use crate::config::{AfterHandling, MailMode};
use crate::engine::graph::{Authorization, Command, Ctx, Decision, NodeError};
use crate::mail::{Account, Handled};
use crate::text::short_line;
use crate::workflows::email::mails::Conversation;
use crate::workflows::email::send::Mark;
use crate::workflows::email::state::{Email, EmailUpdate, MailStatus, TriagedBy};
use crate::workflows::email::{own_mail, remind};
use std::sync::Arc;

/// The grant that allows marking mail in the mailbox.
const GRANT: &str = "builtin:mark_handled";

/// Answering is over. Sets the outcome, or shows the mail if nobody has decided on it.
pub(in crate::workflows::email) async fn leave(ctx: Ctx<Services>, state: Arc<Email>) -> NodeResult {
    if state.is_settled() {
        return Ok(Command::end().update(EmailUpdate::Left { outcome: "elsewhere".to_owned() }));
    }
    let conversation = Conversation::read(ctx.services(), &state)?;
    if let Some((mail_ref, newest)) =
        conversation.newest().filter(|(mail_ref, _)| !state.is_over(&mail_ref.raw))
    {
        if conversation.has_news() {
            // It came after the model's turn, so we know nothing about it yet.
            return Ok(Command::end());
        }
        let (class, by, reasoning) = (Class::Notify, TriagedBy::Model, why_shown(&state));
        if !ctx.step_context().forked {
            ctx.services().records.record_triage(ctx.step_context(), class, &reasoning, None).await?;
        }
        let gist = if state.triaged == mail_ref.raw { state.gist.clone() } else { first_line(newest) };
        let mail = mail_ref.raw.clone();
        return Ok(Command::end().update(EmailUpdate::Triaged {
            class,
            reasoning,
            gist,
            by,
            unsure: false,
            suspicious: false,
            mail,
            passed_over: Vec::new(),
        }));
    }
    let outcome = if let Some(outcome) = state.sent_outcome() {
        outcome
    } else if state.observed {
        "unsent"
    } else if state.email_input.iter().any(|mail| mail.status == MailStatus::Expired) {
        "expired"
    } else {
        "ignored"
    };
    Ok(Command::end().update(EmailUpdate::Left { outcome: outcome.to_owned() }))
}

/// Why a mail that needed an answer is only shown.
fn why_shown(state: &Email) -> String {
    if state.dialog.expired {
        return "It should be answered, and nobody answered it in time.".to_owned();
    }
    if state.dialog.stopped {
        return "It should be answered, and you left it without a reply.".to_owned();
    }
    let said = [state.dialog.answer.as_deref().unwrap_or_default(), state.dialog.thought()];
    let reason = said.into_iter().map(str::trim).find(|reason| !reason.is_empty());
    let lead = "It should be answered, but the model proposes no reply";
    match reason {
        Some(reason) => format!("{lead}: {}", short_line(reason, 300)),
        None => format!("{lead} and gives no reason."),
    }
}

/// Records that the mail is handled, and updates the mailbox as the config says.
pub(in crate::workflows::email) async fn mark_as_read_node(
    ctx: Ctx<Services>,
    state: Arc<Email>,
) -> NodeResult {
    let services = ctx.services();
    let outcome = match &state.outcome {
        Some(outcome) => outcome.clone(),
        None if state.is_settled() => "elsewhere".to_owned(),
        None if Conversation::read(services, &state)?.has_news() => {
            return Ok(Command::goto("triage_router"));
        }
        None if state.classification_decision == Some(Class::Ignore) => "ignored".to_owned(),
        None => return Ok(Command::goto("triage_interrupt_handler")),
    };
    let mut notes = Vec::new();
    if !ctx.step_context().forked {
        services.records.record_handled(ctx.step_context(), &outcome).await?;
        if !state.is_settled() && services.records.is_builtin_on(GRANT)? {
            notes = mark(&ctx, &state).await?;
        }
    }
    let handled = EmailUpdate::Handled { outcome, notes };
    // A fork receives no mail, so it would never see an answer.
    Ok(match &state.remind {
        Some(reminder) if !state.is_settled() && !ctx.step_context().forked => {
            Command::ask(vec![remind::question(services, &state, reminder)], "reminded").update(handled)
        }
        _ => Command::end().update(handled),
    })
}

/// Processes the person's decision on a mail that nobody answered.
pub(in crate::workflows::email) async fn reminded(ctx: Ctx<Services>, state: Arc<Email>) -> NodeResult {
    let has_news = !state.is_settled()
        && (state.remind.is_none() || Conversation::read(ctx.services(), &state)?.has_news());
    if has_news && state.dialog.answers.is_empty() {
        // What came is dealt with first. Then the reminder is asked again, unless that has ended it.
        return Ok(Command::goto("triage_router"));
    }
    let instructions = match state.dialog.answers.first().map(|answer| &answer.decision) {
        Some(Decision::Respond { text }) => Some(text.clone()),
        Some(Decision::Accept) => {
            state.remind.as_ref().map(|reminder| remind::follow_up_text(ctx.services(), reminder.sent_at))
        }
        Some(Decision::Ignore | Decision::Edit { .. } | Decision::Draft) | None => None,
    };
    let written_mail = own_mail::from_answer(&ctx, &state).await?;
    let next = if has_news {
        // New mail came after they answered, so it goes first.
        Command::goto("triage_router")
    } else if instructions.is_some() || written_mail.is_some() {
        Command::goto("response_agent")
    } else {
        Command::end()
    };
    Ok(next.update(EmailUpdate::Reminded { told: instructions, own: written_mail }))
}

/// Marks each mail in its mailbox. If a mailbox refuses for good, we note it and go on: the decision stands.
async fn mark(ctx: &Ctx<Services>, state: &Email) -> Result<Vec<String>, NodeError> {
    let mut notes = Vec::new();
    for (index, mail_ref) in state.email_input.iter().enumerate() {
        let account = ctx.services().accounts.get(&mail_ref.account).filter(|_| !mail_ref.place.is_empty());
        let Some(account) = account else { continue };
        let Some(handled) = mark_kind(&account, state, &mail_ref.raw) else { continue };
        let basis = Authorization::Grant { name: GRANT.to_owned() };
        let effect = Arc::new(Mark { mailbox: account.mailbox.clone(), handled });
        let place =
            ctx.services().records.place_of(&mail_ref.identity)?.unwrap_or_else(|| mail_ref.place.clone());
        match ctx.once(&format!("mark:{index}"), basis, place.into_bytes(), effect).await {
            Ok(_) => {}
            Err(NodeError::Failed { text }) => {
                tracing::warn!(account = %account.name, %text, "a mail could not be marked");
                notes.push(format!("The mailbox of {} could not be told: {text}", account.name));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(notes)
}

/// How to mark the mail in its mailbox, if at all.
fn mark_kind(account: &Account, state: &Email, digest: &str) -> Option<Handled> {
    let is_dismissed =
        state.classification_decision == Some(Class::Ignore) && state.triaged_by == TriagedBy::Person;
    let (handled, after) = if state.is_answered(digest) {
        (Handled::Answered, &account.handled_done)
    } else if state.status_of(digest) == MailStatus::Decided || is_dismissed {
        (Handled::Done, &account.handled_done)
    } else if state.status_of(digest) == MailStatus::Ignored {
        (Handled::Ignored, &account.handled_ignored)
    } else {
        // Nobody has decided on it, so it stays unread.
        return None;
    };
    (account.mode == MailMode::Act && *after != AfterHandling::None).then_some(handled)
}
