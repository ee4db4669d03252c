//! What nodes use, filled from the config and the store.

use super::accounts::accounts;
use super::apis::shelf;
use super::blobs::StoreBlobs;
use super::mail_services::{ConfiguredAccounts, StoreContacts, StoreLedger};
use super::memory::StoreMemory;
use super::models::ConfiguredModels;
use crate::calendar;
use crate::config::{Config, Env};
use crate::graph::{NodeError, StepContext};
use crate::store::{Prompt, Span, Store, StoreError};
use crate::tools::http::Http;
use crate::tools::sandbox::Sandbox;
use crate::workflows::{CallRecord, Meter, Services};
use jiff::Timestamp;
use std::sync::Arc;

/// The services of a data folder.
pub fn services(config: &Arc<Config>, env: Env, store: &Store) -> Services {
    let clock = store.clone();
    Services {
        models: Arc::new(ConfiguredModels::new(config.clone(), env.clone())),
        meter: Arc::new(StoreMeter { config: config.clone(), store: store.clone() }),
        blobs: Arc::new(StoreBlobs(store.clone())),
        memory: Arc::new(StoreMemory(store.clone())),
        contacts: Arc::new(StoreContacts(store.clone())),
        accounts: Arc::new(ConfiguredAccounts(accounts(config))),
        ledger: Arc::new(StoreLedger(store.clone())),
        calendar: config.calendar.as_ref().map(|c| calendar::open(c, config.user.time_zone.clone())),
        sandbox: Sandbox::of_this_program(),
        sheet: config.sheet.clone(),
        rules: config.rules.clone(),
        grants: Arc::new(super::grants::StoreGrants::new(config.clone(), store.clone())),
        apis: shelf(config, env),
        http: Http::default(),
        user: config.user.clone(),
        clock: Arc::new(move || clock.now()),
    }
}

/// Whether model-written code can be run here, and what it is shut in by. A child is started, runs a line, and tries
/// what it must not be able to do.
pub async fn check_sandbox() -> Result<String, String> {
    match Sandbox::of_this_program().check().await {
        Ok(layers) => {
            Ok(format!("code runs in a child without files, network or programs: {}", layers.text()))
        }
        Err(error) => Err(error.to_string()),
    }
}

/// Records calls, and asks a person before a budget is passed.
struct StoreMeter {
    config: Arc<Config>,
    store: Store,
}

impl StoreMeter {
    fn midnight(&self) -> Timestamp {
        let now = self.store.now();
        let zone = self.config.user.time_zone.clone();
        now.to_zoned(zone).start_of_day().map_or(now, |day| day.timestamp())
    }
}

impl Meter for StoreMeter {
    fn check(&self, step: &StepContext) -> Result<(), NodeError> {
        let unreadable = |e: StoreError| NodeError::failed(e);
        let spent = self.store.figures().usage(&step.thread, true).map_err(unreadable)?;
        let today = self.store.figures().cost_since(self.midnight()).map_err(unreadable)?;
        // A call without a known price is counted as a call, and costs what is known: nothing.
        let cost = spent.cost.unwrap_or_default();
        let times = f64::from(step.allowance.max(1));
        let budget = &self.config.budget;
        let text = if spent.calls >= budget.calls_per_thread.saturating_mul(u64::from(step.allowance.max(1)))
        {
            format!("This thread has called models {} times (budget.calls_per_thread).", spent.calls)
        } else if cost >= budget.thread * times {
            format!("This thread has cost ${cost:.2} (budget.thread).")
        } else if today >= budget.day * times {
            format!("Models have cost ${today:.2} today (budget.day).")
        } else {
            return Ok(());
        };
        Err(NodeError::Budget { text })
    }

    fn record(&self, step: &StepContext, call: CallRecord) {
        let prices = &self.config.prices;
        // By the name it was configured by; a server may add a date to it.
        let named = call.answered_as.as_ref().and_then(|name| prices.get(name));
        let price = prices.get(&call.model).or(named);
        let cost = price.map(|price| call.usage.cost(price));
        let prompt = Prompt {
            head: call.head.to_string(),
            messages: call.messages.to_string(),
            answer: call.answer.map(|answer| answer.to_string()),
        };
        let span = Span {
            thread: step.thread.clone(),
            step: step.number,
            // Rules built in cost nothing, so they use up nothing.
            counts: !call.builtin,
            cost: if call.builtin { Some(0.0) } else { cost },
            task: call.task,
            model: call.model,
            ms: u64::try_from(call.took.as_millis()).unwrap_or(u64::MAX),
            input: call.usage.input,
            output: call.usage.output,
            cached: call.usage.cached,
            error: call.error,
        };
        self.store.figures().record_span(span, prompt);
    }
}
