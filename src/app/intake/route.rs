//! Parses a mail and chooses its route.

use super::{Intake, IntakeError};
use crate::engine::driver::{Gathering, arrival};
use crate::engine::graph::{Event, EventKind, ThreadId, Warning};
use crate::engine::store::{ConversationThreads, MAIL_EVENT, NewMail, NewThread, Route, StoreError, TakenIn};
use crate::mail::compose::is_own;
use crate::mail::risk::sender_shown;
use crate::mail::{self, Account, FetchedMail, Mail};
use crate::text::{hex, short_line, truncate};
use crate::workflows::email::Email;
use crate::workflows::hidden::intake::{self, IntakeQuestion};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// The workflow that handles mail.
pub(super) const EMAIL: &str = "email";

/// How often a route is chosen again if the conversation changed meanwhile.
const TRIES: usize = 10;

/// How many of the Message-IDs that a mail refers to are looked up.
const REFERENCES: usize = 50;

/// A mail that cannot be read.
pub(super) struct UnreadableMail {
    pub(super) identity: String,
    /// The SHA-256 of its bytes, in hex.
    pub(super) digest: String,
    pub(super) why: String,
}

/// A mail that was read.
pub(super) struct ParsedMail {
    pub(super) mail: Mail,
    pub(super) identity: String,
    /// The words for search.
    pub(super) words: String,
}

/// A mail, or why it cannot be read.
pub(super) type ParseResult = Result<ParsedMail, UnreadableMail>;

impl Intake {
    /// Parses a mail off the runtime's threads: a hostile mail may take long.
    pub(super) async fn read(
        &self,
        account: &Account,
        incoming: &FetchedMail,
    ) -> Result<ParseResult, IntakeError> {
        let (read, name, bytes) = (self.0.read.clone(), account.name.clone(), incoming.raw.clone());
        let parse = move || {
            let (mail, identity) = read(&name, &bytes)?;
            Ok(ParsedMail { words: mail.words(), mail, identity })
        };
        let done = tokio::task::spawn_blocking(parse).await;
        // If the parser panics, the mail counts as unreadable.
        let done = done.unwrap_or_else(|_| Err("reading it broke off".to_owned()));
        Ok(done.map_err(|why| {
            let digest = hex(&Sha256::digest(&incoming.raw));
            let mut identity = format!("unreadable:{}:{digest}", account.name);
            // Mails that came without content differ only in their places.
            if incoming.raw.is_empty() {
                identity = format!("{identity}:{}", incoming.place);
            }
            UnreadableMail { identity, digest, why }
        }))
    }

    pub(super) fn new_mail(
        &self,
        account: &Account,
        read: &ParseResult,
        incoming: &FetchedMail,
    ) -> Result<NewMail, IntakeError> {
        let mut mail = NewMail {
            identity: String::new(),
            account: account.name.clone(),
            message_id: None,
            conversation: String::new(),
            sender: String::new(),
            subject: String::new(),
            sent_at: None,
            came_at: incoming.arrived,
            raw: incoming.raw.clone(),
            place: incoming.place.clone(),
            seen: incoming.seen,
            words: String::new(),
        };
        match read {
            Err(unread) => {
                mail.identity.clone_from(&unread.identity);
                mail.conversation.clone_from(&unread.identity);
            }
            Ok(ParsedMail { mail: parsed, identity, words }) => {
                mail.identity.clone_from(identity);
                mail.message_id.clone_from(&parsed.message_id);
                mail.conversation = self.conversation(account, parsed, identity)?;
                mail.sender = parsed.from.address.to_lowercase();
                mail.subject.clone_from(&parsed.subject);
                mail.sent_at = parsed.date;
                mail.words.clone_from(words);
            }
        }
        Ok(mail)
    }

    /// The id that the mails of a conversation share: that of a known mail it refers to, else its own.
    fn conversation(&self, account: &Account, mail: &Mail, identity: &str) -> Result<String, StoreError> {
        let mut refers: Vec<String> = mail.in_reply_to.clone();
        refers.extend(mail.references.iter().rev().take(REFERENCES).rev().cloned());
        let existing = self.engine().store().mail().conversation_of(&account.name, &refers)?;
        Ok(existing.unwrap_or_else(|| mail.conversation().unwrap_or(identity).to_owned()))
    }

    /// Whether the user wrote it. Anybody can put the user's address into From, so it must also be known as sent: by
    /// sayso, or because it is in the sent folder. What sayso sent has the same words, perhaps with a list's below them:
    /// whoever was sent a mail knows its Message-ID.
    pub(super) async fn is_own(&self, account: &Account, mail: &Mail) -> Result<bool, IntakeError> {
        let mut own_addresses: Vec<String> = account.addresses.clone();
        own_addresses.extend(self.0.config.user.addresses().map(str::to_owned));
        own_addresses.push(account.address.clone());
        let Some(id) = mail.message_id.as_ref().filter(|_| is_own(&mail.from.address, &own_addresses)) else {
            return Ok(false);
        };
        let store = self.engine().store();
        if let Some(raw) = store.mail().sent_raw(id)? {
            let sent = store.blob(&raw).ok().and_then(|raw| mail::parse(&raw).ok());
            return Ok(sent.is_none_or(|sent| mail.text.trim_start().starts_with(sent.text.trim())));
        }
        Ok(store.mail().sent_by_any(id)? || account.mailbox.is_sent(id).await?)
    }

    /// Lets a mail start a thread, or join the live thread of its conversation. One that it starts begins with all its
    /// mails that are there.
    pub(super) async fn dispatch(
        &self,
        account: &Account,
        read: &ParseResult,
        incoming: &FetchedMail,
        gathering: &Gathering,
    ) -> Result<TakenIn, IntakeError> {
        let store = self.engine().store();
        for _ in 0..TRIES {
            let mail = self.new_mail(account, read, incoming)?;
            let route = match read {
                Err(unread) => Route::Unreadable(self.ask_about(account, unread, incoming)?),
                Ok(ParsedMail { mail: parsed, identity, .. }) => {
                    let received = received(account, parsed, identity, &incoming.place);
                    let before = store.mail().conversation_threads(&account.name, &mail.conversation)?;
                    match &before.live {
                        Some(thread) => self.join(thread, parsed, identity, received)?,
                        None => {
                            let new = self.handle(received, &before)?;
                            gathering.add(&new.id);
                            Route::Start(new)
                        }
                    }
                }
            };
            match store.mail().take_in(mail, route, self.engine().step_limit()).await {
                // Since we looked, the thread has ended or another has begun.
                Err(StoreError::Moved) => {}
                taken => return Ok(taken?),
            }
        }
        Err(IntakeError::Thread("a conversation did not stand still; it is looked at again".to_owned()))
    }

    fn join(
        &self,
        thread: &ThreadId,
        mail: &Mail,
        identity: &str,
        received: Value,
    ) -> Result<Route, IntakeError> {
        let line = self.engine().store().threads().line(thread)?;
        let spec = self.engine().registry().get(&line.workflow);
        let spec =
            spec.ok_or_else(|| IntakeError::Thread(format!("there is no workflow `{}`", line.workflow)))?;
        let text = format!("{} wrote again: {}", sender_shown(&mail.from), mail.subject);
        let text = short_line(&text, 120);
        let warning = Warning::caution("new_mail", text);
        let what = EventKind::News { topic: "mail".to_owned(), payload: received, warning };
        let event = Event { id: format!("{MAIL_EVENT}{identity}"), what };
        let arrival =
            arrival(spec, thread, &event, None).map_err(|error| IntakeError::Thread(error.to_string()))?;
        Ok(Route::Join(arrival))
    }

    fn handle(&self, received: Value, before: &ConversationThreads) -> Result<NewThread, IntakeError> {
        let mut input = json!({ "received": received });
        if let Some((thread, output)) = &before.earlier {
            let summary = match output {
                Some(output) => summary(output),
                // It was set aside before it had a result.
                None => self.state_summary(thread),
            };
            input["earlier"] = json!({"thread": thread, "summary": summary});
        }
        Ok(self.engine().new_thread(EMAIL, input, "")?)
    }

    /// How far a thread without a result got, in a few words.
    fn state_summary(&self, thread: &ThreadId) -> String {
        let state = self.engine().state_at(thread, None).ok().flatten();
        state.and_then(|state| state.get::<Email>().map(Email::summary)).unwrap_or_default()
    }

    fn ask_about(
        &self,
        account: &Account,
        unread: &UnreadableMail,
        incoming: &FetchedMail,
    ) -> Result<NewThread, IntakeError> {
        let asked = IntakeQuestion::Unreadable {
            account: account.name.clone(),
            place: incoming.place.clone(),
            raw: unread.digest.clone(),
            bytes: incoming.raw.len() as u64,
            error: unread.why.clone(),
        };
        self.asking(&asked)
    }

    /// A thread that asks the user about intake.
    pub(super) fn asking(&self, asked: &IntakeQuestion) -> Result<NewThread, IntakeError> {
        let input = serde_json::to_value(asked).map_err(|error| IntakeError::Thread(error.to_string()))?;
        Ok(self.engine().new_thread(intake::NAME, input, "")?)
    }
}

/// The mail as the workflow's input.
fn received(account: &Account, mail: &Mail, identity: &str, place: &str) -> Value {
    json!({
        "account": account.name,
        "identity": identity,
        "raw": mail.raw,
        "place": place,
        "message_id": mail.message_id,
        "from": mail.from.to_string(),
        "subject": mail.subject,
        "date": mail.date,
        "automatic": mail.auto_submitted.is_some(),
    })
}

/// The result of an earlier thread, in a few words.
fn summary(output: &Value) -> String {
    let text = output.get("summary").and_then(Value::as_str).map(str::to_owned);
    text.unwrap_or_else(|| truncate(&output.to_string(), 500).into_owned())
}
