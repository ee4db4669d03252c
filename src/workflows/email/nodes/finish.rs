//! Every way out passes here, so no mail is left unhandled. A mail leaves only by a decision: by the person, their
//! grant, a rule, or triage ignoring it. A mail that nobody decided on is shown instead.

use super::NodeResult;
use super::triage::first_line;
use crate::config::{AfterHandling, MailMode};
use crate::graph::{Answer, Authorization, Command, Ctx, Decision, NodeError};
use crate::mail::{Account, Handled};
use crate::text::{Visible, truncate};
use crate::workflows::Services;
use crate::workflows::email::mails::Conversation;
use crate::workflows::email::progress::holds;
use crate::workflows::email::send::Mark;
use crate::workflows::email::state::{By, Email, EmailUpdate, Turn};
use crate::workflows::email::{own_mail, remind, tools};
use crate::workflows::mail_facts::Class;
use serde_json::Value;
use std::sync::Arc;

/// The grant that allows marking mail in the mailbox.
const GRANT: &str = "builtin:mark_handled";

/// Answering is over. Sets the outcome, or shows the mail if nobody has decided on it.
pub(in crate::workflows::email) async fn leave(ctx: Ctx<Services>, state: Arc<Email>) -> NodeResult {
    if state.is_settled() {
        return Ok(Command::end().update(EmailUpdate::Left { outcome: "elsewhere".to_owned() }));
    }
    let conversation = Conversation::read(ctx.services(), &state)?;
    if let Some((known, newest)) = conversation.newest().filter(|(known, _)| !state.is_over(&known.raw)) {
        if conversation.has_news() {
            // It came after the model's turn, so we know nothing about it yet.
            return Ok(Command::end());
        }
        let (class, by, reasoning) = (Class::Notify, By::Model, why_shown(&state));
        if !ctx.step_context().forked {
            ctx.services().records.triaged(ctx.step_context(), class, &reasoning).await?;
        }
        let gist = if state.triaged == known.raw { state.gist.clone() } else { first_line(newest) };
        let mail = known.raw.clone();
        return Ok(Command::end().update(EmailUpdate::Triaged {
            class,
            reasoning,
            gist,
            by,
            unsure: false,
            mail,
        }));
    }
    let outcome = if let Some(outcome) = state.sent_outcome() {
        outcome
    } else if state.observed {
        "observed"
    } else if state.expired {
        "expired"
    } else {
        "ignored"
    };
    Ok(Command::end().update(EmailUpdate::Left { outcome: outcome.to_owned() }))
}

/// Why a mail that needed an answer is only shown.
fn why_shown(state: &Email) -> String {
    let called = state.messages.iter().rev().find_map(|turn| match turn {
        Turn::Called { text, calls } => Some((text, calls)),
        Turn::Told { .. } | Turn::Became { .. } | Turn::Came { .. } => None,
    });
    let reason = called.and_then(|(text, calls)| {
        let done = calls.iter().find(|call| call.name == tools::DONE);
        let given = done.and_then(|call| call.args.get("reason")).and_then(Value::as_str);
        given.into_iter().chain([text.as_str()]).map(str::trim).find(|reason| !reason.is_empty())
    });
    let said = "Triage says to answer it, but the model proposes no reply";
    match reason {
        Some(reason) => format!("{said}: {}", truncate(Visible::line(reason).as_str(), 300)),
        None => format!("{said} and gives no reason."),
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
        services.records.handled(ctx.step_context(), &outcome).await?;
        if !state.is_settled() && services.records.is_builtin_on(GRANT)? {
            notes = mark(&ctx, &state).await?;
        }
    }
    let handled = EmailUpdate::Handled { outcome, notes };
    // A fork receives no mail, so it would never see an answer.
    Ok(match &state.remind {
        Some(wanted) if !state.is_settled() && !ctx.step_context().forked => {
            Command::ask(vec![remind::question(services, &state, wanted)], "reminded").update(handled)
        }
        _ => Command::end().update(handled),
    })
}

/// Processes the person's decision on a mail that nobody answered.
pub(in crate::workflows::email) async fn reminded(ctx: Ctx<Services>, state: Arc<Email>) -> NodeResult {
    let told = match state.answers.first().map(|answer| &answer.decision) {
        Some(Decision::Respond { text }) => Some(text.clone()),
        Some(Decision::Accept) => {
            state.remind.as_ref().map(|wanted| remind::words(ctx.services(), wanted.sent_at))
        }
        Some(Decision::Ignore | Decision::Edit { .. } | Decision::Draft) | None => None,
    };
    let own = match state.answers.first() {
        Some(Answer { key, decision: Decision::Edit { args }, .. }) => {
            Some(own_mail::read(&ctx, &state, key, args).await?)
        }
        _ => None,
    };
    let next = if state.remind.is_none() && !state.is_settled() {
        // New mail came after they answered, so it goes first.
        Command::goto("triage_router")
    } else if told.is_some() || own.is_some() {
        Command::goto("response_agent")
    } else {
        Command::end()
    };
    Ok(next.update(EmailUpdate::Reminded { told, own }))
}

/// Marks each mail in its mailbox. If a mailbox refuses for good, we note it and go on: the decision stands.
async fn mark(ctx: &Ctx<Services>, state: &Email) -> Result<Vec<String>, NodeError> {
    let mut notes = Vec::new();
    for (n, known) in state.email_input.iter().enumerate() {
        let account = ctx.services().accounts.get(&known.account).filter(|_| !known.place.is_empty());
        let Some(account) = account else { continue };
        let Some(handled) = wanted(&account, state, &known.raw) else { continue };
        let basis = Authorization::Grant { name: GRANT.to_owned() };
        let effect = Arc::new(Mark { mailbox: account.mailbox.clone(), handled });
        let place = ctx.services().records.place_of(&known.identity)?.unwrap_or_else(|| known.place.clone());
        match ctx.once(&format!("mark:{n}"), basis, place.into_bytes(), effect).await {
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
fn wanted(account: &Account, state: &Email, raw: &str) -> Option<Handled> {
    let dismissed = state.classification_decision == Some(Class::Ignore) && state.triaged_by == By::Person;
    let (handled, after) = if holds(&state.answered, raw) {
        (Handled::Answered, &account.handled_done)
    } else if holds(&state.decided, raw) || dismissed {
        (Handled::Done, &account.handled_done)
    } else if holds(&state.ignored, raw) {
        (Handled::Ignored, &account.handled_ignored)
    } else {
        // Nobody has decided on it, so it stays unread.
        return None;
    };
    (account.mode == MailMode::Act && *after != AfterHandling::None).then_some(handled)
}
