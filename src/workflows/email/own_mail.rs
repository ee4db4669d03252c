//! "Write it myself": the person writes a mail instead of accepting the proposal. It becomes a proposal like any other,
//! so its warnings are shown before it is sent.

use super::attach;
use super::mails::Conversation;
use super::state::{Email, OwnMail};
use super::tools::{self, WriteEmailArgs};
use crate::agent::Services;
use crate::engine::graph::{Answer, Ctx, Decision, Interrupt, NodeError};
use crate::mail::Mail;
use crate::mail::compose::{reply_recipients, reply_subject};
use serde_json::{Value, json};

/// The mail the person wrote in their first answer, if they wrote one.
pub(super) async fn from_answer(ctx: &Ctx<Services>, state: &Email) -> Result<Option<OwnMail>, NodeError> {
    match state.dialog.answers.first() {
        Some(Answer { key, decision: Decision::Edit { args }, .. }) => {
            read(ctx, state, key, args).await.map(Some)
        }
        _ => Ok(None),
    }
}

/// Reads what the person typed into the form of the card `key`.
pub(super) async fn read(
    ctx: &Ctx<Services>,
    state: &Email,
    key: &str,
    args: &Value,
) -> Result<OwnMail, NodeError> {
    let written: WriteEmailArgs = serde_json::from_value(args.clone())
        .map_err(|error| NodeError::failed(format!("the mail cannot be read: {error}")))?;
    let attached = attach::read(ctx, state, &format!("own:{key}"), &written.attachments).await?;
    Ok(OwnMail { args: args.clone(), attached })
}

/// Lets the person answer a card about a mail with their own mail.
pub(super) fn offer(interrupt: &mut Interrupt, conversation: &Conversation, answered: &Mail) {
    let people = reply_recipients(answered, &conversation.own_addresses());
    let to: Vec<&str> = people.to.iter().map(|one| one.address.as_str()).collect();
    offer_to(interrupt, &json!(to), &reply_subject(&answered.subject));
}

/// Like `offer`, with these recipients.
pub(super) fn offer_to(interrupt: &mut Interrupt, to: &Value, subject: &str) {
    interrupt.allow.edit = true;
    interrupt.labels.edit = Some("write it myself".to_owned());
    interrupt.schema = tools::edit_schema(tools::WRITE_EMAIL);
    interrupt.edit_from = Some(json!({"to": to, "subject": subject, "content": ""}));
}
