//! What nodes may use, each behind a trait that the app fills in.

use crate::calendar::Calendar;
use crate::config::{Rule, Sheet, User};
use crate::graph::{AgentCall, BoxFuture, InterruptId, NodeError, StepContext, ThreadId};
use crate::llm::{Model, ModelError, Usage};
use crate::mail::risk::{DistinctiveText, Receiver};
use crate::mail::{self, Account, Mail};
use crate::tools::cage::Pythons;
use crate::tools::catalogue::Shelf;
use crate::tools::http::Http;
use crate::tools::sandbox::Sandbox;
use crate::workflows::lesson::Cause;
use crate::workflows::mail_cache::MailCache;
use crate::workflows::mail_facts::Class;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// What a service that takes its time gives back.
type Answer<'a, T> = BoxFuture<'a, Result<T, NodeError>>;

/// A model, and what the config says of it.
#[derive(Clone)]
pub struct Picked {
    /// Who answers.
    pub model: Arc<dyn Model>,
    /// What its provider calls it, by the config.
    pub name: String,
    /// Whether it is the rules built in, which cost nothing.
    pub builtin: bool,
    /// The server that answers; `None` for what is built in.
    pub server: Option<String>,
    /// How many tokens it reads at most, where the config says so.
    pub window: Option<u64>,
}

/// The models of the config.
pub trait Models: Send + Sync {
    /// The model for a workflow's role (`turn`, `final` …), or the one a thread was started with. It may have to
    /// run a command for a key, so it is not called where nobody may wait.
    fn pick(&self, workflow: &str, role: &str, wanted: Option<&str>) -> Result<Picked, ModelError>;
    /// The model that alone may read something, by the config's name for it, whatever else was picked.
    fn only(&self, name: &str) -> Result<Picked, ModelError>;
    /// Whether a thread may be started with this model; the error names those there are.
    fn known(&self, name: &str) -> Result<(), String>;
}

/// One model call, as it is recorded.
#[derive(Clone, Debug)]
pub struct CallRecord {
    /// What it was for (`analyze.initial`).
    pub task: String,
    /// Which model was asked, by the config's name for it.
    pub model: String,
    /// The name it gave itself, which may be a longer one.
    pub answered_as: Option<String>,
    /// Whether it was the rules built in.
    pub builtin: bool,
    /// How long it took.
    pub took: Duration,
    /// What it used; nothing where it failed.
    pub usage: Usage,
    /// Why it failed, as a fixed word.
    pub error: Option<String>,
    /// What stood above the conversation: instructions, tools, the shape of the answer.
    pub head: Value,
    /// The conversation, as it was told.
    pub messages: Value,
    /// What came back.
    pub answer: Option<Value>,
}

/// What is known of a profile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Profile {
    /// The version read; a new one is written only on top of it.
    pub version: u64,
    /// The whole text.
    pub text: String,
    /// Lines that no update may drop.
    pub pinned: Vec<String>,
}

/// An answer that something is to be learned from.
#[derive(Clone, Debug, PartialEq)]
pub struct Lesson {
    /// Which profile learns.
    pub namespace: String,
    /// What happened.
    pub cause: Cause,
    /// The answered interrupt.
    pub interrupt: Option<InterruptId>,
}

/// The mail accounts of the config.
pub trait Accounts: Send + Sync {
    /// The account of this name; `None` where the config has no such any more.
    fn get(&self, name: &str) -> Option<Account>;
    /// The account mail goes out by that belongs to none.
    fn first(&self) -> Option<Account>;
}

/// Whether a program's call is allowed without asking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Covering {
    /// By this grant, where several count by the first of them.
    Grant(String),
    /// It is not; this of its commands is the first that nothing allows.
    Asks(usize),
}

/// What somebody wants to do without asking.
#[derive(Clone, Debug, Default)]
pub struct Wish<'a> {
    pub tool: &'a str,
    /// Whose mail it is about, bare; empty where it is about none.
    pub sender: &'a str,
    /// Everybody it would reach, bare.
    pub recipients: &'a [String],
    /// Everybody in the conversation already, bare.
    pub conversation: &'a [String],
    /// The person's own addresses.
    pub own: &'a [String],
    /// Whether there is anything unusual about the call; then no grant counts.
    pub warned: bool,
}

/// What nodes read and write in the store. A replay reads as the store does, and writes nothing.
pub trait Records: Send + Sync {
    /// Whether one more model call is within the budgets.
    fn check_budget(&self, step: &StepContext) -> Result<(), NodeError>;
    /// Records a model call.
    fn record_call(&self, step: &StepContext, call: CallRecord);

    /// Keeps bytes and gives their digest, in hexadecimal, so that states stay small.
    fn put_blob(&self, bytes: Vec<u8>) -> Answer<'_, String>;
    /// The bytes of a digest.
    fn blob(&self, digest: &str) -> Result<Vec<u8>, NodeError>;

    /// The newest profile of a namespace. If there is none yet, `preset` becomes its first version.
    fn profile<'a>(&'a self, namespace: &'a str, preset: &'a str) -> Answer<'a, Profile>;
    /// Writes the version after `read`; `None` if somebody was quicker.
    fn write_profile<'a>(
        &'a self,
        namespace: &'a str,
        read: u64,
        text: String,
        cause: Option<(ThreadId, Option<InterruptId>)>,
    ) -> Answer<'a, Option<u64>>;
    /// Keeps answers to learn from. The same step keeps them once, however often it is asked to.
    fn learn<'a>(&'a self, step: &'a StepContext, lessons: Vec<Lesson>) -> Answer<'a, ()>;
    /// What a profile was taught lately, oldest first: at most a few hundred answers.
    fn lessons(&self, namespace: &str) -> Result<Vec<Cause>, NodeError>;
    /// The newest mails of a sender, one line each: what about, and what became of it.
    fn mails_from(&self, sender: &str) -> Result<Vec<String>, NodeError>;

    /// Whether the person wrote to this address, noted its mail, or had mail from it before sayso looked.
    fn is_known(&self, address: &str) -> Result<bool, NodeError>;
    /// Whether this account has been looked at for less than a day.
    fn is_first_day(&self, account: &str) -> Result<bool, NodeError>;
    /// The address of somebody the person knows who is called this.
    fn by_name(&self, name: &str) -> Result<Option<String>, NodeError>;
    /// What is known of the server that checks senders for an account.
    fn receiver(&self, account: &str) -> Result<Option<Receiver>, NodeError>;
    /// Remembers that the person noted a mail from this address. It makes nobody trusted.
    fn noted<'a>(&'a self, address: &'a str) -> Answer<'a, ()>;
    /// Addresses the person wrote to, for look-alikes: at most a few thousand, newest first. Having written to the
    /// person makes nobody trusted.
    fn contacts(&self) -> Result<Vec<String>, NodeError>;
    /// Remembers whom the person wrote to.
    fn wrote_to<'a>(&'a self, addresses: &'a [String]) -> Answer<'a, ()>;

    /// Keeps a mail that a person handed in, as the mail of this thread.
    fn hand_in<'a>(&'a self, step: &'a StepContext, mail: &'a Mail) -> Answer<'a, ()>;
    /// The first of these codes and words that stands in a mail of another conversation than the one the thread and the
    /// mails of these identities are of, and who wrote that mail, unless it is one of the person's `own` addresses.
    fn find_repeated_text(
        &self,
        step: &StepContext,
        inside: &[String],
        own: &[String],
        text: &DistinctiveText,
    ) -> Result<Option<(String, String)>, NodeError>;
    /// Notes what triage made of the thread's mails.
    fn triaged<'a>(&'a self, step: &'a StepContext, class: Class, reason: &'a str) -> Answer<'a, ()>;
    /// Where the mailbox keeps a mail now, by its identity: somebody may have moved it since it came.
    fn place_of(&self, identity: &str) -> Result<Option<String>, NodeError>;
    /// Notes that the thread's mails are handled, and how (`replied`, `noted`, `ignored`, `elsewhere` …).
    fn handled<'a>(&'a self, step: &'a StepContext, outcome: &'a str) -> Answer<'a, ()>;

    /// What allows a program's call without asking.
    fn agent_grant(&self, tool: &str, call: &AgentCall) -> Result<Covering, NodeError>;
    /// The grant or policy that covers this, by its id, as [`crate::graph::Interrupt::granted`] takes it; `None` asks
    /// the person. The store looks again when the question is committed, and before the effect.
    fn covering_grant(&self, step: &StepContext, wish: &Wish<'_>) -> Result<Option<String>, NodeError>;
    /// Whether a built-in grant (`builtin:output_files`, `builtin:mark_handled` …) is in force.
    fn is_builtin_on(&self, name: &str) -> Result<bool, NodeError>;
}

/// Everything a node may use besides its state.
pub struct Services {
    pub models: Arc<dyn Models>,
    /// What they read and write in the store.
    pub records: Arc<dyn Records>,
    /// The mail accounts.
    pub accounts: Arc<dyn Accounts>,
    /// Mails parsed lately.
    pub mails: MailCache,
    /// The person's calendar; `None` where the config names none.
    pub calendar: Option<Arc<dyn Calendar>>,
    /// Where model-written code runs.
    pub sandbox: Sandbox,
    /// The machine's own Python, for those who have one.
    pub pythons: Pythons,
    /// How work on workbooks goes.
    pub sheet: Sheet,
    /// What decides on mail before any model: the first that matches counts.
    pub rules: Vec<Rule>,
    /// The APIs that can be asked.
    pub apis: Shelf,
    /// What makes requests to them.
    pub http: Http,
    /// The person it all works for.
    pub user: User,
    /// The time of day.
    pub clock: Arc<dyn Fn() -> Timestamp + Send + Sync>,
}

impl Services {
    /// The mail whose bytes have this digest.
    pub(super) fn mail(&self, digest: &str) -> Result<Arc<Mail>, NodeError> {
        self.mails.get(digest, || {
            let raw = self.records.blob(digest)?;
            mail::parse(&raw).map_err(|error| NodeError::failed(format!("the mail cannot be read: {error}")))
        })
    }
}
