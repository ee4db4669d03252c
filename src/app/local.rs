//! The local backend: people's door to the threads of this data folder.

use super::drive::arrival;
use super::engine::{Engine, StartError};
use super::{screen, trouble};
use crate::graph::{BoxFuture, Event, Failure, InterruptId, Kind, ThreadId, What};
use crate::inbox::{
    Backend, BackendError, By, Card, Decide, GrantLine, GrantRequest, Item, ItemKind, ItemPage, ItemQuery, MailPage, MailQuery, MemoryLine, MemoryVersion, MemoryView, Outcome, Overview, Refusal, SkippedPage, SkippedQuery, SourceLine, Status, ThreadPage, ThreadQuery, ThreadView, Together,
};
use crate::store::{DriverLock, NewTrouble, StoreError};
use crate::text::{self, nearest};
use jiff::Timestamp;
use serde_json::Value;
use tokio::sync::watch;

/// The threads of one data folder.
#[derive(Clone)]
pub struct Local {
    engine: Engine,
}

type Reply<'a, T> = BoxFuture<'a, Result<T, BackendError>>;

fn soon<'a, T>() -> Reply<'a, T> {
    Box::pin(async { Err(BackendError::Conflict("not yet".to_owned())) })
}

impl Local {
    /// The door to an engine's threads.
    pub fn new(engine: Engine) -> Self {
        Self { engine }
    }

    /// The engine behind it.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    fn read_card(&self, id: &InterruptId) -> Result<(Item, Card), StoreError> {
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

    fn read_thread(&self, id: &ThreadId) -> Result<ThreadView, StoreError> {
        let stored = self.engine.store().thread(id)?;
        let line = stored.line;
        // The state as it was when the rest was read, whatever has happened since.
        let state = self.engine.state_at(&line.id, Some(line.steps))?;
        let state = match (state, self.engine.registry().get(&line.workflow)) {
            (Some(state), Some(spec)) => {
                let state = spec.workflow.write(&state).map_err(|e| StoreError::Conflict(e.to_string()))?;
                serde_json::from_str(&state).unwrap_or(Value::Null)
            }
            _ => Value::Null,
        };
        Ok(ThreadView {
            id: line.id,
            workflow: line.workflow,
            title: line.title,
            status: line.status,
            state,
            output: stored.output,
            error: stored.error,
            parent: line.parent,
            forked_from: line.forked_from,
            steps: stored.steps,
            decisions: stored.decisions,
            effects: stored.effects,
            usage: self.engine.store().usage(id, false)?,
        })
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

impl Backend for Local {
    fn items(&self, query: ItemQuery) -> Reply<'_, ItemPage> {
        // A page is read in no time, and a reader who wants them all takes page after page.
        Box::pin(async move { self.engine.store().items(&query).map_err(told) })
    }

    fn card(&self, id: InterruptId) -> Reply<'_, (Item, Card)> {
        Box::pin(self.blocking(move |this| this.read_card(&id)))
    }

    fn result(&self, thread: ThreadId) -> Reply<'_, (Item, Card)> {
        Box::pin(self.blocking(move |this| this.read_result(&thread)))
    }

    fn decide(&self, decide: Decide) -> Reply<'_, Outcome> {
        Box::pin(async move {
            let holds = self.engine.holds(decide.by == By::Tui);
            let thread = self.engine.store().decide(decide, None, holds).await.map_err(told)?;
            self.standing(&thread)
        })
    }

    fn undo(&self, id: InterruptId) -> Reply<'_, Outcome> {
        Box::pin(async move {
            let thread = self.engine.store().undo(id).await.map_err(told)?;
            self.standing(&thread)
        })
    }

    fn decide_together(&self, _: Vec<Decide>) -> Reply<'_, Together> {
        soon()
    }
    fn undo_batch(&self, _: InterruptId) -> Reply<'_, Together> {
        soon()
    }
    fn grant(&self, _: GrantRequest) -> Reply<'_, GrantLine> {
        soon()
    }
    fn grants(&self) -> Reply<'_, Vec<GrantLine>> {
        soon()
    }
    fn revoke(&self, _: String) -> Reply<'_, GrantLine> {
        soon()
    }
    fn restore(&self, _: String) -> Reply<'_, GrantLine> {
        soon()
    }
    fn reclassify(&self, _: ThreadId, _: String) -> Reply<'_, Outcome> {
        soon()
    }
    fn skipped(&self, _: SkippedQuery) -> Reply<'_, SkippedPage> {
        soon()
    }
    fn memory_show(&self, _: String) -> Reply<'_, MemoryView> {
        soon()
    }
    fn memory_history(&self, _: String) -> Reply<'_, Vec<MemoryVersion>> {
        soon()
    }
    fn memory_edit(&self, _: String, _: u64, _: String) -> Reply<'_, MemoryView> {
        soon()
    }
    fn memory_pin(&self, _: String, _: String, _: bool) -> Reply<'_, MemoryView> {
        soon()
    }
    fn memory_revert(&self, _: String, _: u64) -> Reply<'_, MemoryView> {
        soon()
    }

    fn memory(&self) -> Reply<'_, Vec<MemoryLine>> {
        Box::pin(self.blocking(|this| {
            let store = this.engine.store();
            let mut lines = Vec::new();
            for namespace in store.memory_namespaces()? {
                lines.extend(store.memory(&namespace)?.map(|newest| MemoryLine {
                    namespace: newest.namespace,
                    version: newest.version,
                    profile: newest.profile,
                    updated_at: newest.updated_at,
                    cause: newest.cause.kind,
                }));
            }
            Ok(lines)
        }))
    }

    fn snooze(&self, id: InterruptId, until: Option<Timestamp>) -> Reply<'_, Item> {
        Box::pin(async move { self.engine.store().snooze(id, until).await.map_err(told) })
    }

    fn start(&self, workflow: String, input: Value) -> Reply<'_, Outcome> {
        Box::pin(async move {
            let known = self.engine.registry();
            let unknown = || unknown_workflow(&workflow, &known.names());
            let wrong = |error| BackendError::Input { workflow: workflow.clone(), error };
            let spec = known.get(&workflow).filter(|spec| !spec.hidden).ok_or_else(unknown)?;
            // Types first: a path that is not even text cannot be looked at.
            spec.workflow.started(input.clone()).map_err(wrong)?;
            let input = spec.prepare(input).map_err(wrong)?;
            let new = self.engine.new_thread(&workflow, input, "").map_err(|error| match error {
                StartError::Unknown(_) => unknown(),
                StartError::Input(error) => wrong(error),
            })?;
            let thread = self.engine.store().start(new, self.engine.step_limit()).await.map_err(told)?;
            self.standing(&thread)
        })
    }

    fn proceed(&self, thread: ThreadId, words: String) -> Reply<'_, Outcome> {
        Box::pin(async move {
            let words = text::typed(&words);
            if words.trim().is_empty() {
                return Err(BackendError::Conflict(
                    "there are no words to go on with; say something".to_owned(),
                ));
            }
            let line = self.engine.store().line(&thread).map_err(told)?;
            let Some(spec) = self.engine.registry().get(&line.workflow) else {
                return Err(unknown_workflow(&line.workflow, &self.engine.registry().names()));
            };
            let event = Event { id: format!("words:{}", line.steps), what: What::Words { text: words } };
            if !matches!(spec.workflow.arrived(event.clone()), Ok(Some(_))) {
                let text = format!("threads of `{}` cannot be continued; start a new one", line.workflow);
                return Err(BackendError::Conflict(text));
            }
            let arrival =
                arrival(spec, &line.id, &event, None).map_err(|e| BackendError::Failed(e.to_string()))?;
            let thread = self.engine.store().arrive(arrival).await.map_err(told)?;
            self.standing(&thread)
        })
    }

    fn file_away(&self, thread: ThreadId) -> Reply<'_, Outcome> {
        Box::pin(async move {
            self.engine.store().file_away(thread.clone()).await.map_err(told)?;
            self.standing(&thread)
        })
    }

    fn fork(&self, thread: ThreadId, step: u64) -> Reply<'_, Outcome> {
        Box::pin(async move {
            let fork =
                self.engine.store().fork(thread, step, self.engine.step_limit()).await.map_err(told)?;
            self.standing(&fork)
        })
    }

    fn stop(&self, thread: ThreadId) -> Reply<'_, Outcome> {
        Box::pin(async move {
            let line = self.engine.store().line(&thread).map_err(told)?;
            let hints = self.engine.registry().get(&line.workflow).is_some_and(Engine::takes_hints);
            let failure = Failure::Stopped;
            let title = format!("{} was stopped", line.workflow);
            let trouble = NewTrouble {
                thread: line.id.clone(),
                version: None,
                interrupt: trouble::interrupt(&failure, &title, "", hints),
                text: failure.text(),
            };
            self.engine.store().trouble(trouble).await.map_err(told)?;
            self.standing(&line.id)
        })
    }

    fn threads(&self, query: ThreadQuery) -> Reply<'_, ThreadPage> {
        Box::pin(async move { self.engine.store().threads(&query).await.map_err(told) })
    }

    fn thread(&self, id: ThreadId) -> Reply<'_, ThreadView> {
        Box::pin(self.blocking(move |this| this.read_thread(&id)))
    }

    fn outcome(&self, id: ThreadId) -> Reply<'_, Outcome> {
        Box::pin(async move { self.standing(&id) })
    }

    fn mails(&self, query: MailQuery) -> Reply<'_, MailPage> {
        Box::pin(async move { self.engine.store().mails(&query).map_err(told) })
    }

    fn sources(&self) -> Reply<'_, Vec<SourceLine>> {
        Box::pin(async move { self.engine.store().sources().map_err(told) })
    }

    fn fetch_mail(&self) -> Reply<'_, ()> {
        Box::pin(async move { self.engine.store().want_sync().await.map_err(told) })
    }

    fn pause(&self, paused: bool) -> Reply<'_, ()> {
        Box::pin(async move { self.engine.store().pause(paused).await.map_err(told) })
    }

    fn overview(&self) -> Reply<'_, Overview> {
        Box::pin(self.blocking(|this| {
            let store = this.engine.store();
            let counts = store.counts()?;
            let kinds = Kind::ALL.iter().map(|kind| ItemKind::Interrupt(*kind)).zip(counts.open);
            let results = std::iter::once((ItemKind::Result, counts.results));
            Ok(Overview {
                open: kinds.chain(results).map(|(kind, count)| (kind.word().to_owned(), count)).collect(),
                snoozed: counts.snoozed,
                threads: Status::ALL.iter().map(|s| s.word().to_owned()).zip(counts.threads).collect(),
                paused: store.paused()?,
                driver: DriverLock::holder(store.folder()),
            })
        }))
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.engine.store().changes()
    }
}

fn unknown_workflow(name: &str, known: &[&str]) -> BackendError {
    let near = nearest(name, known.iter().copied());
    let hint = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.is_empty() => "none is built in".to_owned(),
        None => format!("there are {}", known.join(", ")),
    };
    BackendError::NotFound { what: "workflow", id: name.to_owned(), hint }
}

/// The store's errors as people are told them.
pub(super) fn told(error: StoreError) -> BackendError {
    match error {
        StoreError::Unknown(what, id) => {
            let hint = match what {
                "interrupt" => "`sayso list` shows what is open",
                _ => "`sayso threads` shows them all",
            };
            BackendError::NotFound { what, id, hint: hint.to_owned() }
        }
        StoreError::Ambiguous { id, some } => {
            BackendError::Ambiguous { id, count: some.len(), some: some.join(", ") }
        }
        StoreError::NotOpen { id, why } => BackendError::NotOpen { id, why },
        StoreError::Refused { id, refusal: Refusal::Stale } => BackendError::Stale { id },
        StoreError::Refused { id, refusal } => BackendError::Refused { id, refusal },
        StoreError::Conflict(text) => BackendError::Conflict(text),
        other => BackendError::Failed(other.to_string()),
    }
}
