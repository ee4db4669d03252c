//! The local backend: people's door to the threads of this data folder. What they may ask for is in `backend.rs`.

mod backend;

use super::drive::arrival;
use super::engine::Engine;
use super::intake::Intake;
use super::servers::Servers;
pub(super) use super::told::told;
use super::told::unknown_workflow;
use super::traces::Traces;
use super::worker::{Ended, Scope, Until, Worker};
use super::{notices, screen, trouble};
use crate::graph::{BatchId, Event, InterruptId, ThreadId, What};
use crate::inbox::{BackendError, By, Card, Decide, Item, Outcome};
use crate::store::StoreError;

/// The threads of one data folder.
#[derive(Clone)]
pub struct Local {
    engine: Engine,
    intake: Option<Intake>,
    pub(super) notices: Option<notices::Way>,
    pub(super) servers: Option<Servers>,
    pub(super) traces: Option<Traces>,
}

impl Local {
    /// The door to an engine's threads.
    pub fn new(engine: Engine) -> Self {
        Self { engine, intake: None, servers: None, notices: None, traces: None }
    }

    /// The same, with mail to take in where this process drives.
    pub fn with_intake(mut self, intake: Intake) -> Self {
        self.intake = Some(intake);
        self
    }

    /// What takes mail in, if anything does.
    pub fn intake(&self) -> Option<&Intake> {
        self.intake.as_ref()
    }

    /// Drives every thread, takes mail in, looks at servers and tells traces, until told to stop.
    pub async fn tend(
        &self,
        worker: &mut Worker,
        stop: impl Future<Output = ()>,
    ) -> Result<Ended, StoreError> {
        self.begin_telling().await;
        let driving = worker.run(&Scope::All, Until::Told, stop);
        let taking_in = async {
            match &self.intake {
                Some(intake) => intake.run(std::future::pending()).await,
                None => std::future::pending().await,
            }
        };
        let servers = async {
            match &self.servers {
                Some(servers) => servers.run(std::future::pending()).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            ended = driving => ended,
            () = taking_in => Ok(Ended::Told),
            () = servers => Ok(Ended::Told),
            () = self.close_expiring() => Ok(Ended::Told),
            () = self.expire_unanswered() => Ok(Ended::Told),
            () = self.tell_news() => Ok(Ended::Told),
            never = self.tell_traces() => match never {},
        }
    }

    /// The engine behind it.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    pub(super) fn read_card(&self, id: &InterruptId) -> Result<(Item, Card), StoreError> {
        let stored = self.engine.store().item(id)?;
        let mut item = stored.item;
        let spec = self.engine.registry().get(&item.workflow);
        let card = match spec {
            Some(spec) if !stored.engine => match self.engine.state_at(&item.thread, Some(stored.steps))? {
                Some(state) => spec.card(&state, &item),
                None => trouble::card(&item),
            },
            _ => trouble::card(&item),
        };
        item.text = card.text();
        Ok((item, card))
    }

    fn read_result(&self, id: &ThreadId) -> Result<(Item, Card), StoreError> {
        let mut item = self.engine.store().result(id)?;
        let state = self.engine.state_at(&item.thread, None)?;
        let drawn = match (self.engine.registry().get(&item.workflow), state) {
            (Some(spec), Some(state)) => spec.card(&state, &item),
            _ => Card::default(),
        };
        let card = if drawn.blocks.is_empty() { screen::output(&item) } else { drawn };
        item.text = card.text();
        Ok((item, card))
    }

    async fn take(&self, decide: Decide, batch: Option<BatchId>) -> Result<Outcome, BackendError> {
        if let Some(servers) = &self.servers {
            servers.ready_for(&decide.interrupt).await?;
        }
        let holds = self.engine.holds(decide.by == By::Tui);
        self.engine.store().decide(decide, batch, holds).await.map_err(told)
    }

    /// Lets something a person said reach a thread, where its workflow takes such a thing.
    async fn arrives(
        &self,
        thread: &ThreadId,
        sort: &str,
        what: What,
        refusal: &str,
    ) -> Result<Outcome, BackendError> {
        let line = self.engine.store().line(thread).map_err(told)?;
        let Some(spec) = self.engine.registry().get(&line.workflow) else {
            return Err(unknown_workflow(&line.workflow, &self.engine.registry().names()));
        };
        let event = Event { id: format!("{sort}:{}", line.steps), what };
        if !matches!(spec.workflow.arrived(event.clone()), Ok(Some(_))) {
            return Err(BackendError::Conflict(format!("threads of `{}` {refusal}", line.workflow)));
        }
        let arrival =
            arrival(spec, &line.id, &event, None).map_err(|e| BackendError::Failed(e.to_string()))?;
        let thread = self.engine.store().arrive(arrival).await.map_err(told)?;
        self.standing(&thread)
    }

    fn standing(&self, thread: &ThreadId) -> Result<Outcome, BackendError> {
        self.engine.store().outcome(thread).map_err(told)
    }

    /// Reads off the runtime's threads: a big thread takes its time.
    pub(super) async fn blocking<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Self) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, BackendError> {
        let this = self.clone();
        match tokio::task::spawn_blocking(move || read(&this)).await {
            Ok(result) => result.map_err(told),
            Err(_) => Err(BackendError::Failed("reading broke off".to_owned())),
        }
    }
}
