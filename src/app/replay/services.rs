//! Services for a replay. They cannot send, mark, request or learn anything, because the parts that could are missing;
//! what the store would keep is thrown away.

use crate::app::accounts::{ConfiguredAccounts, UnopenedAccount, accounts};
use crate::app::models::ConfiguredModels;
use crate::app::records::StoreRecords;
use crate::calendar::{self, Calendar, ReadOnly};
use crate::config::{Config, Env, Price, Rule};
use crate::graph::{AgentCall, BoxFuture, InterruptId, NodeError, StepContext, ThreadId};
use crate::llm::Usage;
use crate::mail::Mail;
use crate::mail::risk::{DistinctiveText, Receiver};
use crate::store::Store;
use crate::text::hex;
use crate::tools::cage::PythonFinder;
use crate::tools::catalogue::CatalogueStore;
use crate::tools::http::{Http, Limits, Resolve};
use crate::tools::sandbox::Sandbox;
use crate::workflows::lesson::Cause;
use crate::workflows::mail_facts::Class;
use crate::workflows::{CallRecord, GrantCheck, GrantQuery, Lesson, MailCache, Profile, Records, Services};
use jiff::Timestamp;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// A path that does not exist.
const NOWHERE: &str = "/nowhere/in-a-replay";

/// The clock of a replay: the time of the step that runs again.
#[derive(Clone, Default)]
pub(super) struct ReplayClock(Arc<AtomicI64>);

impl ReplayClock {
    pub(super) fn set(&self, at: Timestamp) {
        self.0.store(at.as_millisecond(), Ordering::Relaxed);
    }

    fn get(&self) -> Timestamp {
        Timestamp::from_millisecond(self.0.load(Ordering::Relaxed)).unwrap_or_default()
    }
}

pub(super) fn services(
    config: &Arc<Config>,
    env: &Env,
    store: &Store,
    profiles: BTreeMap<String, String>,
    rules: Option<Vec<Rule>>,
    then: &ReplayClock,
    spent: &Arc<CostMeter>,
) -> Services {
    let mut offline_accounts = accounts(config);
    for account in &mut offline_accounts {
        (account.mailbox, account.outgoing) =
            (Arc::new(UnopenedAccount("a replay opens no mailbox".to_owned())), None);
    }
    let clock = then.clone();
    Services {
        models: Arc::new(ConfiguredModels::new(config.clone(), env.clone())),
        records: Arc::new(ReplayRecords {
            records: StoreRecords { config: config.clone(), store: store.clone() },
            blobs: Mutex::default(),
            profiles,
            then: then.clone(),
            spent: spent.clone(),
        }),
        accounts: Arc::new(ConfiguredAccounts(offline_accounts)),
        mails: MailCache::default(),
        calendar: config.calendar.as_ref().map(|named| {
            let open = calendar::open(named, config.user.time_zone.clone());
            Arc::new(ReadOnly { calendar: open, refusal: "a replay changes nothing in a calendar" })
                as Arc<dyn Calendar>
        }),
        // The sandbox has no access to the outside anyway.
        sandbox: Sandbox::of_this_program(),
        pythons: PythonFinder::new(&config.sheet.python, Sandbox::of_this_program()),
        sheet: config.sheet.clone(),
        rules: rules.unwrap_or_else(|| config.rules.clone()),
        // The built-in APIs use host names, and no name is resolved.
        apis: CatalogueStore::new(PathBuf::from(NOWHERE), BTreeMap::new(), env.clone()),
        http: Http::new(Arc::new(NoNames), Limits::default()),
        user: config.user.clone(),
        clock: Arc::new(move || clock.get()),
    }
}

fn refused<T>(what: &str) -> Result<T, NodeError> {
    Err(NodeError::failed(format!("{what}: a replay does nothing to the outside")))
}

/// The tokens and cost of a replay's calls.
#[derive(Default)]
pub(super) struct CostMeter {
    prices: BTreeMap<String, Price>,
    sum: Mutex<TotalCost>,
}

#[derive(Clone, Copy, Default)]
pub(super) struct TotalCost {
    pub usage: Usage,
    pub cost: f64,
    /// Whether the price of some call is unknown.
    pub unpriced: bool,
}

impl CostMeter {
    pub(super) fn new(prices: BTreeMap<String, Price>) -> Self {
        Self { prices, sum: Mutex::default() }
    }

    fn add(&self, call: &CallRecord) {
        let mut sum = self.sum.lock().unwrap_or_else(PoisonError::into_inner);
        sum.usage += call.usage;
        match self.prices.get(&call.model) {
            _ if call.builtin => {}
            Some(price) => sum.cost += call.usage.cost(price),
            None => sum.unpriced = true,
        }
    }

    pub(super) fn sum(&self) -> TotalCost {
        *self.sum.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Read-only records, with memory as it was at the time.
struct ReplayRecords {
    records: StoreRecords,
    /// What nodes store during the replay; dropped at its end.
    blobs: Mutex<HashMap<String, Vec<u8>>>,
    /// Profiles to use instead of those of the time.
    profiles: BTreeMap<String, String>,
    then: ReplayClock,
    spent: Arc<CostMeter>,
}

impl Records for ReplayRecords {
    fn check_budget(&self, _: &StepContext) -> Result<(), NodeError> {
        // The cost of the whole replay was checked before it began.
        Ok(())
    }

    fn record_call(&self, _: &StepContext, call: CallRecord) {
        self.spent.add(&call);
    }

    fn put_blob(&self, bytes: Vec<u8>) -> BoxFuture<'_, Result<String, NodeError>> {
        Box::pin(async move {
            let digest = hex(&Sha256::digest(&bytes));
            self.blobs.lock().unwrap_or_else(PoisonError::into_inner).insert(digest.clone(), bytes);
            Ok(digest)
        })
    }

    fn blob(&self, digest: &str) -> Result<Vec<u8>, NodeError> {
        let blobs = self.blobs.lock().unwrap_or_else(PoisonError::into_inner);
        blobs.get(digest).cloned().map_or_else(|| self.records.blob(digest), Ok)
    }

    fn profile<'a>(
        &'a self,
        namespace: &'a str,
        preset: &'a str,
    ) -> BoxFuture<'a, Result<Profile, NodeError>> {
        Box::pin(async move {
            let profile =
                |version, text: &str| Profile { version, text: text.to_owned(), pinned: Vec::new() };
            if let Some(text) = self.profiles.get(namespace) {
                return Ok(profile(0, text));
            }
            let then = self.then.get();
            let history = self.records.store.memory().history(namespace).map_err(NodeError::failed)?;
            let version = history.iter().find(|version| version.updated_at <= then);
            Ok(version.map_or_else(|| profile(0, preset), |old| profile(old.version, &old.profile)))
        })
    }

    fn learn<'a>(&'a self, _: &'a StepContext, _: Vec<Lesson>) -> BoxFuture<'a, Result<(), NodeError>> {
        Box::pin(async { Ok(()) })
    }

    fn lessons(&self, namespace: &str) -> Result<Vec<Cause>, NodeError> {
        self.records.lessons(namespace)
    }

    fn mails_from(&self, sender: &str) -> Result<Vec<String>, NodeError> {
        self.records.mails_from(sender)
    }

    fn write_profile<'a>(
        &'a self,
        _: &'a str,
        _: u64,
        _: String,
        _: Option<(ThreadId, Option<InterruptId>)>,
    ) -> BoxFuture<'a, Result<Option<u64>, NodeError>> {
        Box::pin(async { refused("writing memory") })
    }

    fn is_known(&self, address: &str) -> Result<bool, NodeError> {
        self.records.is_known(address)
    }

    fn is_first_day(&self, account: &str) -> Result<bool, NodeError> {
        self.records.is_first_day(account)
    }

    fn address_by_name(&self, name: &str) -> Result<Option<String>, NodeError> {
        self.records.address_by_name(name)
    }

    fn receiver(&self, account: &str) -> Result<Option<Receiver>, NodeError> {
        self.records.receiver(account)
    }

    fn record_noted_sender<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<(), NodeError>> {
        Box::pin(async { Ok(()) })
    }

    fn contacts(&self) -> Result<Vec<String>, NodeError> {
        self.records.contacts()
    }

    fn record_recipients<'a>(&'a self, _: &'a [String]) -> BoxFuture<'a, Result<(), NodeError>> {
        Box::pin(async { Ok(()) })
    }

    fn hand_in<'a>(&'a self, _: &'a StepContext, _: &'a Mail) -> BoxFuture<'a, Result<(), NodeError>> {
        Box::pin(async { Ok(()) })
    }

    fn find_repeated_text(
        &self,
        step: &StepContext,
        inside: &[String],
        own: &[String],
        text: &DistinctiveText,
    ) -> Result<Option<(String, String)>, NodeError> {
        self.records.find_repeated_text(step, inside, own, text)
    }

    fn record_triage<'a>(
        &'a self,
        _: &'a StepContext,
        _: Class,
        _: &'a str,
    ) -> BoxFuture<'a, Result<(), NodeError>> {
        Box::pin(async { Ok(()) })
    }

    fn place_of(&self, identity: &str) -> Result<Option<String>, NodeError> {
        self.records.place_of(identity)
    }

    fn record_handled<'a>(&'a self, _: &'a StepContext, _: &'a str) -> BoxFuture<'a, Result<(), NodeError>> {
        Box::pin(async { Ok(()) })
    }

    /// Nothing is granted, so every action is asked about, and there the replay ends.
    fn covering_grant(&self, _: &StepContext, _: &GrantQuery<'_>) -> Result<Option<String>, NodeError> {
        Ok(None)
    }

    fn agent_grant(&self, _: &str, _: &AgentCall) -> Result<GrantCheck, NodeError> {
        Ok(GrantCheck::NotCovered(0))
    }

    fn is_builtin_on(&self, _: &str) -> Result<bool, NodeError> {
        Ok(false)
    }
}

/// Resolves no name.
struct NoNames;

impl Resolve for NoNames {
    fn resolve<'a>(
        &'a self,
        _: &'a str,
    ) -> Pin<Box<dyn Future<Output = std::io::Result<Vec<IpAddr>>> + Send + 'a>> {
        Box::pin(async { Err(std::io::Error::other("a replay makes no request")) })
    }
}
