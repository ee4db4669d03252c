//! The services nodes may use. The app implements the traits.

use crate::agent::lesson::Cause;
use crate::agent::llm::{Model, ModelError, Usage};
use crate::agent::mail_cache::MailCache;
use crate::agent::mail_facts::Class;
use crate::calendar::Calendar;
use crate::config::{Rule, Sheet, User};
use crate::engine::graph::{
    AgentCall, BoxFuture, EffectError, InputError, InterruptId, NodeError, StepContext, ThreadId,
};
use crate::inbox::{MailLine, MemoryRow, RowChange, RowKey};
use crate::mail::risk::{DistinctiveText, KnownDomains, Receiver};
use crate::mail::{self, Account, Mail, MailError};
use crate::tools::cage::PythonFinder;
use crate::tools::catalogue::CatalogueStore;
use crate::tools::http::Http;
use crate::tools::sandbox::Sandbox;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// What an async service returns.
type ServiceFuture<'a, T> = BoxFuture<'a, Result<T, NodeError>>;

/// A model with its settings from the config.
#[derive(Clone)]
pub struct Picked {
    pub model: Arc<dyn Model>,
    /// The provider's name for it, from the config.
    pub name: String,
    /// Whether it is the built-in rules, which cost nothing.
    pub builtin: bool,
    /// Whether a person is in its place: the loop asks them, and nobody is asked for what rules can tell.
    pub person: bool,
    /// The server that answers; `None` for the built-in rules.
    pub server: Option<String>,
    /// How many tokens it can read, if the config says so.
    pub window: Option<u64>,
}

/// The configured models.
pub trait Models: Send + Sync {
    /// The model for a workflow's role (`turn`, `final` …), or the one a thread was started with. It may run a command
    /// to get a key, so don't call it where blocking is not allowed.
    fn pick(&self, workflow: &str, role: &str, model_name: Option<&str>) -> Result<Picked, ModelError>;
    /// The model with this config name, for text that only this model may read, whatever else was picked.
    fn pick_only(&self, name: &str) -> Result<Picked, ModelError>;
    /// Whether a thread may be started with this model; the error lists the known models.
    fn check_name(&self, name: &str) -> Result<(), String>;
    /// Whether the config names a language model at all.
    fn has_any(&self) -> bool;
    /// Whether a thread of this workflow would get answers from a language model in these roles; the error says how to
    /// get one.
    fn check_answers(&self, workflow: &str, roles: &[&str], input: &Value) -> Result<(), String>;
}

/// Refuses a thread's input that names an unknown model.
pub fn check_model(models: &dyn Models, input: &Value) -> Result<(), InputError> {
    match input.get("model").and_then(Value::as_str) {
        Some(model) => models.check_name(model).map_err(|text| InputError::field("model", text)),
        None => Ok(()),
    }
}

/// Refuses a thread that no language model would answer.
pub fn need_model(
    models: &dyn Models,
    workflow: &str,
    roles: &[&str],
    input: &Value,
) -> Result<(), InputError> {
    check_model(models, input)?;
    models.check_answers(workflow, roles, input).map_err(InputError::Whole)
}

/// The record of one model call.
#[derive(Clone, Debug)]
pub struct CallRecord {
    /// What it was for (`analyze.initial`).
    pub task: String,
    /// The model that was asked ([`Picked::name`]).
    pub model: String,
    /// The name the model gave itself, which may be longer.
    pub answered_as: Option<String>,
    /// Whether it was the built-in rules.
    pub builtin: bool,
    pub took: Duration,
    /// Zero if the call failed.
    pub usage: Usage,
    /// The error code, if it failed.
    pub error: Option<String>,
    /// Everything before the conversation: instructions, tools, the output schema.
    pub head: Value,
    /// The conversation as it was sent.
    pub messages: Value,
    pub answer: Option<Value>,
}

/// One version of a profile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Profile {
    /// The version that was read; only the version right after it can be written.
    pub version: u64,
    pub text: String,
    /// Lines that no update may drop.
    pub pinned: Vec<String>,
}

/// An answer to learn from.
#[derive(Clone, Debug, PartialEq)]
pub struct Lesson {
    /// The profile that learns.
    pub namespace: String,
    pub cause: Cause,
    /// The answered interrupt.
    pub interrupt: Option<InterruptId>,
}

/// A mail of a conversation, whichever thread took it or sent it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConversationMail {
    /// The digest of its bytes, in hexadecimal.
    pub raw: String,
    /// Whether its mailbox called it unread when we last looked, and it was not handled since.
    pub is_unread: bool,
}

/// The mail accounts of the config.
pub trait Accounts: Send + Sync {
    /// Every account, in the order of the config.
    fn all(&self) -> Vec<Account>;
    /// `None` if the config no longer has this account.
    fn get(&self, name: &str) -> Option<Account> {
        self.all().into_iter().find(|account| account.name == name)
    }
    /// The account that sends mail which belongs to no account.
    fn first(&self) -> Option<Account> {
        let mut all = self.all();
        let sends = all.iter().position(|account| account.outgoing.is_some()).unwrap_or(0);
        (!all.is_empty()).then(|| all.swap_remove(sends))
    }
    /// The account that sends from this address. Accounts may share the person's other addresses; then the first counts.
    fn of_address(&self, address: &str) -> Option<Account> {
        let is_main = |account: &Account| account.address.eq_ignore_ascii_case(address);
        let has = |account: &Account| account.addresses.iter().any(|own| own.eq_ignore_ascii_case(address));
        let mut sending = self.all();
        sending.retain(|account| account.outgoing.is_some() && has(account));
        let main = sending.iter().position(is_main).unwrap_or(0);
        (!sending.is_empty()).then(|| sending.swap_remove(main))
    }
    /// The address of each account that sends, the usual one first.
    fn addresses(&self) -> Vec<String> {
        let sending = self.all().into_iter().filter(|account| account.outgoing.is_some());
        sending.map(|account| account.address).collect()
    }
}

/// Whether a program's call is allowed without asking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GrantCheck {
    /// Allowed by this grant; if several grants together allow it, by the first of them.
    Grant(String),
    /// Not allowed; the index of the first command that no grant allows.
    NotCovered(usize),
}

/// Something a node wants to do without asking.
#[derive(Clone, Debug, Default)]
pub struct GrantQuery<'a> {
    pub tool: &'a str,
    /// The bare address of the mail's sender; empty if no mail is involved.
    pub sender: &'a str,
    /// Everybody it would reach, as bare addresses.
    pub recipients: &'a [String],
    /// Everybody already in the conversation, as bare addresses.
    pub conversation: &'a [String],
    /// The person's own addresses.
    pub own: &'a [String],
    /// Whether anything about the call is unusual; then no grant counts.
    pub warned: bool,
}

/// What nodes read from and write to the store.
pub trait Records: Send + Sync {
    /// Whether one more model call is within the budgets.
    fn check_budget(&self, step: &StepContext) -> Result<(), NodeError>;
    /// Records a model call.
    fn record_call(&self, step: &StepContext, call: CallRecord);

    /// Stores bytes and returns their digest in hexadecimal, so that states stay small.
    fn put_blob(&self, bytes: Vec<u8>) -> ServiceFuture<'_, String>;
    /// The bytes with this digest.
    fn blob(&self, digest: &str) -> Result<Vec<u8>, NodeError>;

    /// The newest profile of a namespace. If there is none yet, `preset` becomes its first version.
    fn profile<'a>(&'a self, namespace: &'a str, preset: &'a str) -> ServiceFuture<'a, Profile>;
    /// Writes the version after `read`; `None` if somebody else was faster.
    fn write_profile<'a>(
        &'a self,
        namespace: &'a str,
        read: u64,
        text: String,
        cause: Option<(ThreadId, Option<InterruptId>)>,
    ) -> ServiceFuture<'a, Option<u64>>;
    /// Stores answers to learn from. The same step stores them only once, even if it is called again.
    fn learn<'a>(&'a self, step: &'a StepContext, lessons: Vec<Lesson>) -> ServiceFuture<'a, ()>;
    /// The rows in force about these, in their order.
    fn rows(&self, keys: &[RowKey]) -> Result<Vec<MemoryRow>, NodeError>;
    /// The row about this, in force or not.
    fn row(&self, key: &RowKey) -> Result<Option<MemoryRow>, NodeError>;
    /// The threads of the conversation of a mail, by its identity.
    fn threads_of_conversation(&self, identity: &str) -> Result<Vec<ThreadId>, NodeError>;
    /// Whether the person, or sayso for them, wrote a mail with one of these Message-IDs.
    fn wrote_any(&self, ids: &[String], own: &[String]) -> Result<bool, NodeError>;
    /// Changes a row. A decision counts once, even if it is called again.
    fn change_row(&self, key: RowKey, change: RowChange) -> ServiceFuture<'_, ()>;
    /// The newest mails from these senders (`*` matches anything) since then, each with the digest of its bytes.
    fn mails_from(&self, senders: &str, since: Timestamp) -> Result<Vec<(String, MailLine)>, NodeError>;

    /// Whether the person wrote to this address, accepted its mail, or had mail from it before sayso looked.
    fn is_known(&self, address: &str) -> Result<bool, NodeError>;
    /// Whether sayso has watched this account for less than a day.
    fn is_first_day(&self, account: &str) -> Result<bool, NodeError>;
    /// The address of somebody the person knows by this name.
    fn address_by_name(&self, name: &str) -> Result<Option<String>, NodeError>;
    /// What is known about the server that checks senders for an account.
    fn receiver(&self, account: &str) -> Result<Option<Receiver>, NodeError>;
    /// Remembers that the person accepted a mail from this address. This makes nobody trusted.
    fn record_noted_sender<'a>(&'a self, address: &'a str) -> ServiceFuture<'a, ()>;
    /// The domains the person wrote to, for spotting look-alikes: of a few thousand addresses at most, the newest.
    /// Writing to the person makes nobody trusted.
    fn contacts(&self) -> Result<Arc<KnownDomains>, NodeError>;
    /// Remembers whom the person wrote to.
    fn record_recipients<'a>(&'a self, addresses: &'a [String]) -> ServiceFuture<'a, ()>;

    /// Stores a mail that a person handed in, as the mail of this thread.
    fn hand_in<'a>(&'a self, step: &'a StepContext, mail: &'a Mail) -> ServiceFuture<'a, ()>;
    /// The first of these codes and phrases that appears in a mail of another conversation, and who wrote that mail.
    /// The conversation of the thread and of the mails in `inside` does not count, nor does mail from an `own` address.
    fn find_repeated_text(
        &self,
        step: &StepContext,
        inside: &[String],
        own: &[String],
        text: &DistinctiveText,
    ) -> Result<Option<(String, String)>, NodeError>;
    /// Records a mail that the thread has sent, so that answers to it belong to its conversation.
    fn record_sent<'a>(
        &'a self,
        step: &'a StepContext,
        account: &'a str,
        mail: &'a Mail,
    ) -> ServiceFuture<'a, ()>;
    /// The newest mails of the conversations that these belong to, the newest first, and how many more there are. Mail
    /// that came is named by its identity, mail that was sent by its Message-ID.
    fn conversation(
        &self,
        identities: &[String],
        sent: &[String],
    ) -> Result<(Vec<ConversationMail>, usize), NodeError>;
    /// Records how triage classified the thread's mails, and the row that did with the mail that has this digest.
    fn record_triage<'a>(
        &'a self,
        step: &'a StepContext,
        class: Class,
        reason: &'a str,
        row: Option<(&'a RowKey, &'a str)>,
    ) -> ServiceFuture<'a, ()>;
    /// Where the mailbox keeps a mail now, by its identity; it may have been moved since it arrived.
    fn place_of(&self, identity: &str) -> Result<Option<String>, NodeError>;
    /// Records that the thread's mails are handled, and how (`replied`, `accepted`, `ignored`, `elsewhere` …).
    fn record_handled<'a>(&'a self, step: &'a StepContext, outcome: &'a str) -> ServiceFuture<'a, ()>;

    /// Whether a grant allows a program's call without asking.
    fn agent_grant(&self, tool: &str, call: &AgentCall) -> Result<GrantCheck, NodeError>;
    /// The id of the grant or policy that covers this, for [`crate::engine::graph::Interrupt::granted`]; if `None`, the person
    /// is asked. The store checks again when the question is committed, and before the effect.
    fn covering_grant(&self, step: &StepContext, query: &GrantQuery<'_>)
    -> Result<Option<String>, NodeError>;
    /// Whether a built-in grant (`builtin:output_files`, `builtin:mark_handled` …) is in force.
    fn is_builtin_on(&self, name: &str) -> Result<bool, NodeError>;
}

/// Everything a node may use besides its state.
pub struct Services {
    pub models: Arc<dyn Models>,
    pub records: Arc<dyn Records>,
    pub accounts: Arc<dyn Accounts>,
    /// Recently parsed mails.
    pub mails: MailCache,
    /// The person's calendar; `None` if the config names none.
    pub calendar: Option<Arc<dyn Calendar>>,
    /// Where model-written code runs.
    pub sandbox: Sandbox,
    /// The machine's own Python, if it has one.
    pub pythons: PythonFinder,
    /// Settings for work on workbooks.
    pub sheet: Sheet,
    /// Rules that decide on mail before any model does; the first match counts.
    pub rules: Vec<Rule>,
    /// The APIs that can be asked.
    pub apis: CatalogueStore,
    /// Makes the requests to them.
    pub http: Http,
    /// The person sayso works for.
    pub user: User,
    pub clock: Arc<dyn Fn() -> Timestamp + Send + Sync>,
}

impl Services {
    /// The mail whose bytes have this digest.
    pub fn mail(&self, digest: &str) -> Result<Arc<Mail>, NodeError> {
        self.mails.get(digest, || {
            let raw = self.records.blob(digest)?;
            mail::parse(&raw).map_err(|error| NodeError::failed(format!("the mail cannot be read: {error}")))
        })
    }
}

/// What an error of a mailbox means for a change that was to be made in it.
pub fn mailbox_error(error: MailError) -> EffectError {
    match error {
        // After a new login it can succeed.
        MailError::Temporary(text) | MailError::Login(text) => EffectError::NotDone(text),
        MailError::Permanent(text) => EffectError::Refused(text),
    }
}
