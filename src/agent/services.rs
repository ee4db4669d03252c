//! The services nodes may use. The app implements the traits.

use super::records::Records;
use crate::agent::llm::{Model, ModelError};
use crate::agent::mail_cache::MailCache;
use crate::calendar::Calendar;
use crate::config::{Rule, Sheet, User};
use crate::engine::graph::{EffectError, InputError, NodeError};
use crate::mail::{self, Account, Mail, MailError};
use crate::tools::cage::{Python, Reader};
use crate::tools::catalogue::CatalogueStore;
use crate::tools::http::Http;
use jiff::Timestamp;
use serde_json::Value;
use std::sync::Arc;

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

/// Everything a node may use besides its state.
pub struct Services {
    pub models: Arc<dyn Models>,
    pub records: Records,
    pub accounts: Arc<dyn Accounts>,
    /// Recently parsed mails.
    pub mails: MailCache,
    /// The person's calendar; `None` if the config names none.
    pub calendar: Option<Arc<dyn Calendar>>,
    /// Reads workbooks.
    pub reader: Reader,
    /// Runs the code that models write.
    pub python: Arc<dyn Python>,
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
