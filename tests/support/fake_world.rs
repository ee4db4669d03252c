//! What players act on. It counts everything done to it and fails on demand.

use sayso::agent::GrantQuery;
use sayso::app::Setup;
use sayso::config::Env;
use sayso::engine::graph::{BoxFuture, Effect, EffectError, EffectTrace, StepContext};
use sayso::engine::store::{Clock, Store};
use serde_json::{Value, json};
use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use tokio::sync::Semaphore;

/// Where a node waits until the test lets it go on.
struct Gate {
    reached: Semaphore,
    open: Semaphore,
}

#[derive(Default)]
pub struct FakeWorld {
    runs: Mutex<Vec<String>>,
    counts: Mutex<HashMap<String, u32>>,
    performed: Mutex<Vec<String>>,
    pub faults: Mutex<VecDeque<EffectError>>,
    /// What looking for a deed finds; by default whether it was performed.
    pub found: Mutex<Option<EffectTrace>>,
    gates: Mutex<HashMap<String, Arc<Gate>>>,
    /// The data folder and clock of the grants that players consult.
    grants: Mutex<Option<(PathBuf, Clock)>>,
}

impl FakeWorld {
    /// Players consult the grants of this folder from now on.
    pub fn consult(&self, data: PathBuf, clock: Clock) {
        *self.grants.lock().unwrap() = Some((data, clock));
    }

    /// The grant that covers this, found as a real workflow finds it.
    pub fn covers(&self, step: &StepContext, wish: &GrantQuery<'_>) -> Option<String> {
        let (data, clock) = self.grants.lock().unwrap().clone()?;
        let store = Store::open_with(&data, clock).unwrap();
        let config = super::config::load(&data, &Env::default());
        Setup::over((*config).clone(), Env::default(), store)
            .services()
            .records
            .covering_grant(step, wish)
            .unwrap()
    }

    /// Counts `what` once more, and gives the count.
    pub fn count(&self, what: &str) -> u32 {
        let mut counts = self.counts.lock().unwrap();
        let count = counts.entry(what.to_owned()).or_default();
        *count += 1;
        *count
    }

    /// How often `what` was counted.
    pub fn counted(&self, what: &str) -> u32 {
        self.counts.lock().unwrap().get(what).copied().unwrap_or(0)
    }

    /// The frozen bytes of everything performed, in order.
    pub fn performed(&self) -> Vec<String> {
        self.performed.lock().unwrap().clone()
    }

    /// Every node that was started, as `name:line`.
    pub fn runs(&self) -> Vec<String> {
        self.runs.lock().unwrap().clone()
    }

    pub fn ran(&self, what: String) {
        self.runs.lock().unwrap().push(what);
    }

    pub fn fault(&self, fault: EffectError) {
        self.faults.lock().unwrap().push_back(fault);
    }

    fn gate(&self, name: &str) -> Arc<Gate> {
        let fresh = || Arc::new(Gate { reached: Semaphore::new(0), open: Semaphore::new(0) });
        self.gates.lock().unwrap().entry(name.to_owned()).or_insert_with(fresh).clone()
    }

    /// Waits at a gate until it is opened.
    pub async fn pass(&self, name: &str) {
        let gate = self.gate(name);
        gate.reached.add_permits(1);
        gate.open.acquire().await.unwrap().forget();
    }

    /// Waits until a node has reached a gate.
    pub async fn reached(&self, name: &str) {
        self.gate(name).reached.acquire().await.unwrap().forget();
    }

    /// Lets one through.
    pub fn open(&self, name: &str) {
        self.gate(name).open.add_permits(1);
    }
}

/// A deed; a gated one waits at the gate of its name before it happens.
pub struct Deed {
    pub world: Arc<FakeWorld>,
    pub gate: Option<String>,
}

impl Effect for Deed {
    fn perform<'a>(&'a self, frozen: &'a [u8]) -> BoxFuture<'a, Result<Value, EffectError>> {
        Box::pin(async move {
            if let Some(gate) = &self.gate {
                self.world.pass(gate).await;
            }
            self.world.count("attempts");
            if let Some(fault) = self.world.faults.lock().unwrap().pop_front() {
                return Err(fault);
            }
            self.world.performed.lock().unwrap().push(String::from_utf8_lossy(frozen).into_owned());
            Ok(json!("performed"))
        })
    }

    fn find<'a>(&'a self, frozen: &'a [u8]) -> BoxFuture<'a, EffectTrace> {
        Box::pin(async move {
            self.world.count("finds");
            if let Some(found) = self.world.found.lock().unwrap().clone() {
                return found;
            }
            let deed = String::from_utf8_lossy(frozen).into_owned();
            if self.world.performed().contains(&deed) {
                EffectTrace::Done(json!("found"))
            } else {
                EffectTrace::NotDone
            }
        })
    }
}
