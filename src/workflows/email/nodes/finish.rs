//! The ways out: every one of them passes here, so no mail is left unhandled.

use super::Given;
use crate::config::{AfterHandling, MailMode};
use crate::graph::{Basis, Command, Ctx, Decision, NodeError};
use crate::llm::facts::email::Class;
use crate::mail::{Account, Handled};
use crate::workflows::Services;
use crate::workflows::email::remind;
use crate::workflows::email::send::Mark;
use crate::workflows::email::state::{By, Email, EmailUpdate};
use std::sync::Arc;

/// The grant that lets the mailbox be touched.
const GRANT: &str = "builtin:mark_handled";

/// Answering is over: says what came of it.
pub(in crate::workflows::email) async fn leave(_: Ctx<Services>, state: Arc<Email>) -> Given {
    let did = |kind: &str| state.sent.iter().any(|note| note.kind == kind);
    let outcome = if state.is_settled() {
        "elsewhere"
    } else if did("mail") {
        "replied"
    } else if did("meeting") {
        "scheduled"
    } else if did("unsubscribe") {
        "unsubscribed"
    } else if did("draft") {
        "drafted"
    } else if state.observed {
        "observed"
    } else if state.expired {
        "expired"
    } else if state.refused {
        "ignored"
    } else {
        "done"
    };
    Ok(Command::end().update(EmailUpdate::Left { outcome: outcome.to_owned() }))
}

/// Notes in the ledger that the mail is handled, and tells the mailbox as far as the config wants it told.
pub(in crate::workflows::email) async fn mark_as_read_node(ctx: Ctx<Services>, state: Arc<Email>) -> Given {
    let services = ctx.services();
    let outcome = match &state.outcome {
        Some(outcome) => outcome.clone(),
        None if state.is_settled() => "elsewhere".to_owned(),
        None => "ignored".to_owned(),
    };
    let mut notes = Vec::new();
    if !ctx.place().forked {
        services.ledger.handled(ctx.place(), &outcome).await?;
        if !state.is_settled() && services.grants.builtin(GRANT)? {
            notes = mark(&ctx, &state, &outcome).await?;
        }
    }
    let handled = EmailUpdate::Handled { outcome, notes };
    // A fork receives no mail, so it would never hear of an answer.
    Ok(match &state.remind {
        Some(wanted) if !state.is_settled() && !ctx.place().forked => {
            Command::ask(vec![remind::question(services, &state, wanted)], "reminded").update(handled)
        }
        _ => Command::end().update(handled),
    })
}

/// Takes up what the person said about a mail that nobody answered.
pub(in crate::workflows::email) async fn reminded(ctx: Ctx<Services>, state: Arc<Email>) -> Given {
    let told = match state.answers.first().map(|answer| &answer.decision) {
        Some(Decision::Respond { text }) => Some(text.clone()),
        Some(Decision::Accept) => {
            state.remind.as_ref().map(|wanted| remind::words(ctx.services(), wanted.sent_at))
        }
        Some(Decision::Ignore | Decision::Edit { .. } | Decision::Draft) | None => None,
    };
    let next = if state.remind.is_none() && !state.is_settled() {
        // New mail came after they answered: it is what matters now.
        Command::goto("triage_router")
    } else if told.is_some() {
        Command::goto("response_agent")
    } else {
        Command::end()
    };
    Ok(next.update(EmailUpdate::Reminded { told }))
}

/// Tells each mail's mailbox. One that refuses for good is noted and no reason to stop: what was decided stands.
async fn mark(ctx: &Ctx<Services>, state: &Email, outcome: &str) -> Result<Vec<String>, NodeError> {
    let mut notes = Vec::new();
    for (n, known) in state.email_input.iter().enumerate() {
        let account = ctx.services().accounts.get(&known.account).filter(|_| !known.place.is_empty());
        let Some(account) = account else { continue };
        let Some(handled) = wanted(&account, state, &known.raw, outcome) else { continue };
        let basis = Basis::Grant { name: GRANT.to_owned() };
        let effect = Arc::new(Mark { mailbox: account.mailbox.clone(), handled });
        let place = ctx.services().ledger.place_of(&known.identity)?.unwrap_or_else(|| known.place.clone());
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

/// What the mailbox is to be told, where it is to be told anything.
fn wanted(account: &Account, state: &Email, raw: &str, outcome: &str) -> Option<Handled> {
    // Nobody has looked at it, so it stays as unread as it is.
    if outcome == "expired" {
        return None;
    }
    let alone = state.classification_decision == Some(Class::Ignore) && state.triaged_by != By::Person;
    let (handled, after) = if outcome == "ignored" && alone {
        (Handled::Ignored, &account.handled_ignored)
    } else if state.answered.iter().any(|answered| answered == raw) {
        (Handled::Answered, &account.handled_done)
    } else {
        (Handled::Done, &account.handled_done)
    };
    (account.mode == MailMode::Act && *after != AfterHandling::None).then_some(handled)
}
