//! Servers that cannot be reached. Threads wait for them without asking, and one card per server tells the user. The
//! card goes away once a thread gets through; accepting it retries at once.

use super::drive::{UnreachableServer, arrival};
use super::engine::Engine;
use crate::engine::graph::{Event, EventKind, ThreadId};
use crate::engine::store::StoreError;
use crate::inbox::ASKING_WORKFLOW;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap, HashSet};

/// The result of updating the cards.
#[derive(Default)]
pub(crate) struct CardChanges {
    /// Threads to retry at once, because the user asked for it.
    pub(crate) at_once: Vec<ThreadId>,
    /// Whether a card was added or removed.
    pub(crate) changed: bool,
}

/// What the driver remembers between looks about servers that cannot be reached.
#[derive(Default)]
pub(crate) struct UnreachableServers {
    waiting: HashMap<ThreadId, UnreachableServer>,
    /// The open card of each server; `None` before the first look.
    cards: Option<BTreeMap<String, ThreadId>>,
    /// Servers that have answered since.
    back: HashSet<String>,
}

impl UnreachableServers {
    pub(crate) fn add(&mut self, thread: ThreadId, unreachable: UnreachableServer) {
        self.back.remove(&unreachable.server);
        self.waiting.insert(thread, unreachable);
    }

    pub(crate) fn is_waiting(&self, thread: &ThreadId) -> bool {
        self.waiting.contains_key(thread)
    }

    /// Whether this thread is the card of a server; whoever learned that the server is gone also asks.
    pub(crate) fn is_card(&self, thread: &ThreadId) -> bool {
        self.cards.iter().flat_map(BTreeMap::values).any(|card| card == thread)
    }

    /// A thread got through. Returns the other threads that waited for the same server, so they can be retried.
    pub(crate) fn thread_got_through(&mut self, thread: &ThreadId) -> Vec<ThreadId> {
        let Some(unreachable) = self.waiting.remove(thread) else { return Vec::new() };
        let others = self.release(&unreachable.server);
        self.back.insert(unreachable.server);
        others
    }

    /// Forgets threads that no longer wait for anything.
    pub(crate) fn retain(&mut self, is_runnable: impl Fn(&ThreadId) -> bool) {
        self.waiting.retain(|thread, _| is_runnable(thread));
    }

    fn release(&mut self, server: &str) -> Vec<ThreadId> {
        let waits_for_server = |unreachable: &UnreachableServer| unreachable.server == server;
        self.waiting
            .extract_if(|_, unreachable| waits_for_server(unreachable))
            .map(|(thread, _)| thread)
            .collect()
    }

    /// Adds and removes cards. `idle` means nothing is running that could tell us more.
    pub(crate) async fn update_cards(
        &mut self,
        engine: &Engine,
        idle: bool,
    ) -> Result<CardChanges, StoreError> {
        let mut changes = CardChanges::default();
        let mut cards = match self.cards.take() {
            Some(cards) => cards,
            None => open_cards(engine)?,
        };
        let mut answered = Vec::new();
        for (server, card) in &cards {
            match engine.store().threads().outcome(card) {
                Ok(outcome) if outcome.status.ended() => answered.push(server.clone()),
                // A card that cannot be read is not answered.
                Ok(_) | Err(StoreError::Damaged(_)) => {}
                Err(error) => return Err(error),
            }
        }
        for server in answered {
            cards.remove(&server);
            changes.at_once.extend(self.release(&server));
        }
        let servers: BTreeMap<&str, &UnreachableServer> =
            self.waiting.values().map(|unreachable| (unreachable.server.as_str(), unreachable)).collect();
        for (server, unreachable) in &servers {
            if !cards.contains_key(*server)
                && let Some(card) = open_card(engine, unreachable).await?
            {
                cards.insert((*server).to_owned(), card);
                changes.changed = true;
            }
        }
        let is_over =
            |server: &String| !servers.contains_key(server.as_str()) && (idle || self.back.contains(server));
        for server in cards.keys().filter(|server| is_over(server)).cloned().collect::<Vec<_>>() {
            if let Some(card) = cards.remove(&server) {
                close_card(engine, &server, &card).await?;
                changes.changed = true;
            }
        }
        self.cards = Some(cards);
        Ok(changes)
    }
}

fn key(server: &str) -> String {
    format!("absent:{server}")
}

fn open_cards(engine: &Engine) -> Result<BTreeMap<String, ThreadId>, StoreError> {
    let mut cards = BTreeMap::new();
    for (key, thread) in engine.store().threads().waiting_with_keys()? {
        if let Some(server) = key.strip_prefix("absent:") {
            cards.insert(server.split('#').next().unwrap_or_default().to_owned(), thread);
        }
    }
    Ok(cards)
}

async fn open_card(engine: &Engine, unreachable: &UnreachableServer) -> Result<Option<ThreadId>, StoreError> {
    let key = key(&unreachable.server);
    let newest = engine.store().threads().newest_with_key(ASKING_WORKFLOW, &key)?;
    if let Some((thread, status)) = &newest
        && !status.ended()
    {
        return Ok(Some(thread.clone()));
    }
    // Keys are unique, so the next key contains the id of the last thread.
    let key = newest.map_or_else(|| key.clone(), |(last, _)| format!("{key}#{last}"));
    let input = json!({"ask": "absent", "server": unreachable.server, "why": unreachable.why});
    match engine.new_thread(ASKING_WORKFLOW, input, &key) {
        Ok(new) => Ok(Some(engine.store().threads().start(new, engine.step_limit()).await?)),
        Err(StoreError::NotFound { .. }) => Ok(None),
        Err(error) => {
            tracing::error!(server = %unreachable.server, %error, "a server that cannot be reached cannot be asked about");
            Ok(None)
        }
    }
}

async fn close_card(engine: &Engine, server: &str, card: &ThreadId) -> Result<(), StoreError> {
    let Some(spec) = engine.registry().get(ASKING_WORKFLOW) else { return Ok(()) };
    let what = EventKind::AnsweredElsewhere {
        reason: "nothing waits for it any more".to_owned(),
        payload: Value::Null,
    };
    let event = Event { id: key(server), what };
    let arrival = arrival(spec, card, &event, None).map_err(|e| StoreError::Conflict(e.to_string()))?;
    match engine.store().threads().deliver(arrival).await {
        // Somebody answered it at the same moment, or it cannot be read and stays.
        Ok(_) | Err(StoreError::NotOpen { .. } | StoreError::Moved | StoreError::Damaged(_)) => Ok(()),
        Err(error) => Err(error),
    }
}
