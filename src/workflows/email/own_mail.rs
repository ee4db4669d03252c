//! Mail the person writes themselves: instead of accepting a proposal, or at the start of a conversation. It becomes a
//! proposal like any other, and is approved already, unless it has a warning.

use super::mails::Conversation;
use super::state::{Email, Forwarded, OwnMail};
use super::tools::{self, WriteEmailArgs};
use super::{attach, send};
use crate::agent::Services;
use crate::agent::agent_loop::{CallResult, Turn};
use crate::engine::graph::{Answer, Ctx, Decision, InputError, Interrupt, NodeError};
use crate::inbox::check_args;
use crate::mail::compose::{self, forward_subject, reply_recipients, reply_subject};
use crate::mail::{Address, Mail};
use crate::text::{sanitize_typed_json, there_are};
use serde_json::{Value, json};

/// A mail that a person begins, with what it starts from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Letter {
    /// The schema of its arguments.
    pub schema: Value,
    pub args: Value,
    /// The mail it forwards.
    pub forwarded: Option<Forwarded>,
    /// The key under which its text is kept until it is sent.
    pub draft: Option<String>,
}

impl Letter {
    /// Lets the person choose which of these addresses it leaves from, if there are several. The first is proposed; what
    /// is forwarded leaves from the address it came to, unless they choose.
    pub fn from_one_of(mut self, addresses: &[String]) -> Self {
        if let [first, _, ..] = addresses {
            let field = &mut self.schema["properties"][FROM];
            *field = json!({ "enum": addresses, "description": "The address it leaves from." });
            if self.forwarded.is_none() {
                field["default"] = json!(first);
            }
        }
        self
    }

    /// The input of the thread that sends it.
    pub fn into_input(mut self) -> Value {
        let from = self.args.as_object_mut().and_then(|args| args.remove(FROM));
        json!({ "write": self.args, "forwarded": self.forwarded, FROM: from })
    }
}

/// The address that a mail of the person's own leaves from.
const FROM: &str = "from";

/// A mail to anybody.
pub fn new_mail() -> Letter {
    Letter { schema: tools::edit_schema(tools::WRITE_EMAIL), ..Letter::default() }
}

/// A mail that forwards the mail a thread is about, with its attachments; `None` if the thread has no mail.
pub fn forward(state: &Email, parse: impl FnOnce(&str) -> Option<Mail>) -> Option<Letter> {
    let about = state.email_input.iter().find(|mail| mail.raw == state.about);
    let mail_ref = about.or(state.email_input.last())?;
    let mail = parse(&mail_ref.raw)?;
    let files = (1..).zip(&mail.attachments).map(|(n, file)| attach::forwarded_name(n, &file.name));
    let args = json!({
        "to": [],
        "subject": forward_subject(&mail.subject),
        "content": "",
        "attachments": files.collect::<Vec<_>>(),
    });
    let forwarded = Forwarded { raw: mail_ref.raw.clone(), account: mail_ref.account.clone() };
    let schema = tools::forward_schema();
    Some(Letter { schema, args, forwarded: Some(forwarded), ..Letter::default() })
}

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
    Ok(OwnMail { args: args.clone(), attached, why: None })
}

/// A sent mail once more, for those whom the server did not take it for. The person is asked about it.
pub(super) fn to_refused(sent: WriteEmailArgs, refused: &[(String, String)]) -> OwnMail {
    let mut to = [sent.to.as_slice(), &sent.cc, &sent.bcc].concat();
    to.retain(|typed| {
        send::bare_addresses(std::slice::from_ref(typed)).iter().any(|to| send::is_refused(to, refused))
    });
    let args = json!(WriteEmailArgs { to, cc: Vec::new(), bcc: Vec::new(), ..sent });
    let who = with_reasons(refused);
    let why = format!("the server would not take it for {who}. Everybody else has it.");
    OwnMail { args, why: Some(why), ..OwnMail::default() }
}

/// Refused recipients, each with the server's reason.
pub(super) fn with_reasons(refused: &[(String, String)]) -> String {
    let who: Vec<String> = refused.iter().map(|(who, why)| format!("{who} ({why})")).collect();
    who.join(", ")
}

/// Completes the input of a thread that begins with a mail, or refuses it before anything is stored.
pub(super) fn prepare(services: &Services, mut input: Value) -> Result<Value, InputError> {
    if let Some(from) = input.get(FROM).and_then(Value::as_str) {
        let account = services.accounts.of_address(from).ok_or_else(|| {
            let all = services.accounts.addresses();
            InputError::field(FROM, format!("no account sends from {from}; {}", there_are(&all)))
        })?;
        let own = account.addresses.iter().find(|own| own.eq_ignore_ascii_case(from));
        input[FROM] = own.map_or_else(|| from.into(), |own| own.as_str().into());
    }
    let forwards = input.get("forwarded").is_some_and(|forwarded| !forwarded.is_null());
    let schema = if forwards { tools::forward_schema() } else { tools::edit_schema(tools::WRITE_EMAIL) };
    let args = sanitize_typed_json(input["write"].take());
    check_args(&schema, &args).map_err(InputError::Whole)?;
    let written: WriteEmailArgs =
        serde_json::from_value(args.clone()).map_err(|error| InputError::Whole(error.to_string()))?;
    compose::subject(&written.subject).map_err(|error| InputError::field("subject", error.to_string()))?;
    for path in written.attachments.iter().filter(|path| attach::of_forwarded(path).is_none()) {
        attach::read_file(&services.user, path).map_err(InputError::Whole)?;
    }
    input["write"] = args;
    Ok(input)
}

/// Lets the person answer a card about a mail with their own mail.
pub(super) fn offer(interrupt: &mut Interrupt, conversation: &Conversation, answered: &Mail) {
    let people = reply_recipients(answered, &conversation.own_addresses());
    let to: Vec<&str> = people.to.iter().map(|one| one.address.as_str()).collect();
    offer_to(interrupt, &json!(to), &reply_subject(&answered.subject));
    offer_everybody(&mut interrupt.schema, &people.also);
}

/// Lets the person add these people to the copies with one key.
pub(super) fn offer_everybody(schema: &mut Value, others: &[Address]) {
    if !others.is_empty() {
        let others: Vec<&str> = others.iter().map(|one| one.address.as_str()).collect();
        schema["properties"]["cc"]["examples"] = json!(others);
    }
}

/// Like `offer`, with these recipients.
pub(super) fn offer_to(interrupt: &mut Interrupt, to: &Value, subject: &str) {
    interrupt.allow.edit = true;
    interrupt.labels.edit = Some("write it myself".to_owned());
    interrupt.schema = tools::edit_schema(tools::WRITE_EMAIL);
    interrupt.edit_from = Some(json!({"to": to, "subject": subject, "content": ""}));
}

impl Email {
    /// The subject of the person's own mail.
    pub(super) fn own_subject(&self) -> Option<&str> {
        let newest = self.dialog.messages.iter().flat_map(Turn::calls).next_back();
        let args = self.own_mail.as_ref().map(|own| &own.args).or(newest.map(|call| &call.args));
        args?.get("subject")?.as_str()
    }

    /// Whether nobody's mail is answered: the person began the conversation.
    pub fn is_begun_by_person(&self) -> bool {
        self.email_input.is_empty() && self.file.is_none() && self.json.is_none()
    }

    /// Whether the pending calls are mail the person wrote themselves.
    pub(super) fn is_own_mail(&self, tool: &str) -> bool {
        self.dialog.own && tool == tools::WRITE_EMAIL
    }

    /// Whether a letter holds the person's newest words just as they typed them.
    pub fn repeats_words(&self, args: &Value) -> bool {
        let newest = self.dialog.messages.iter().rev().find_map(|turn| match turn {
            Turn::Told { text } | Turn::Became { how: CallResult::Answered, text, .. } => Some(text.trim()),
            Turn::Became { .. } | Turn::Called { .. } | Turn::Said { .. } | Turn::News { .. } => None,
        });
        let paragraphs = |text: &str| format!("\n\n{text}\n\n");
        let content = args.get("content").and_then(Value::as_str).unwrap_or_default();
        newest.is_some_and(|words| !words.is_empty() && paragraphs(content).contains(&paragraphs(words)))
    }
}
