//! The local backend: people's door to the threads of this data folder.

pub(super) use super::errors::unknown_workflow;
use super::grants::policy_line;
use super::intake::Intake;
use super::servers::Servers;
use super::traces::Traces;
use super::{memory, notices, review, screen, trouble};
use crate::driver::{Engine, StartError, arrival};
use crate::graph::{BatchId, BoxFuture, Event, InterruptId, Kind, Shape, ThreadId, What};
use crate::inbox::{
    Activity, ActivityQuery, Backend, BackendError, By, CallView, Card, Decide, ErrorLine, GrantLine,
    GrantRequest, Item, ItemKind, ItemPage, ItemQuery, MailPage, MailQuery, MemoryLine, MemoryVersion,
    MemoryView, Outcome, Overview, PruneQuery, Pruned, Pruning, SkippedPage, SkippedQuery, SourceLine,
    Status, StepStates, Storage, ThreadPage, ThreadQuery, ThreadView, Together, UsageView,
};
use crate::llm::facts::email::Class;
use crate::store::{DriverLock, StoreError};
use crate::text;
use futures_util::future::join_all;
use jiff::Timestamp;
use serde_json::{Value, json};
use tokio::sync::watch;

/// The threads of one data folder.
#[derive(Clone)]
pub struct Local {
    engine: Engine,
    intake: Option<Intake>,
    pub(super) notices: Option<notices::Way>,
    pub(super) servers: Option<Servers>,
    pub(super) traces: Option<Traces>,
}

type Reply<'a, T> = BoxFuture<'a, Result<T, BackendError>>;

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

    /// The engine behind it.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    pub(super) fn read_card(&self, id: &InterruptId) -> Result<(Item, Card), StoreError> {
        let stored = self.engine.store().inbox().item(id)?;
        let mut item = stored.item;
        let spec = self.engine.registry().get(&item.workflow);
        let state = self.engine.state_at(&item.thread, Some(stored.steps));
        let card = match spec {
            Some(spec) if !stored.engine => state?.map(|state| spec.card(&state, &item)),
            Some(spec) => {
                let mut card = trouble::card(&item, self.about(&item));
                // Where even the state cannot be read, the trouble still says why.
                let state = state.ok().flatten();
                card.blocks.extend(state.map(|state| spec.in_trouble(&state)).unwrap_or_default());
                Some(card)
            }
            None => None,
        };
        let card = card.unwrap_or_else(|| trouble::card(&item, self.about(&item)));
        item.text = card.text();
        Ok((item, card))
    }

    fn read_result(&self, id: &ThreadId) -> Result<(Item, Card), StoreError> {
        let mut item = self.engine.store().inbox().result(id)?;
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
        self.engine.store().inbox().decide(decide, batch, holds).await.map_err(BackendError::from)
    }

    /// Lets something a person said reach a thread, where its workflow takes such a thing.
    async fn arrives(
        &self,
        thread: &ThreadId,
        sort: &str,
        what: What,
        refusal: &str,
    ) -> Result<Outcome, BackendError> {
        let line = self.engine.store().threads().line(thread)?;
        let Some(spec) = self.engine.registry().get(&line.workflow) else {
            return Err(unknown_workflow(&line.workflow, &self.engine.registry().names()));
        };
        let event = Event { id: format!("{sort}:{}", line.steps), what };
        if !matches!(spec.workflow.arrived(event.clone()), Ok(Some(_))) {
            return Err(BackendError::Conflict(format!("threads of `{}` {refusal}", line.workflow)));
        }
        let arrival =
            arrival(spec, &line.id, &event, None).map_err(|e| BackendError::Failed(e.to_string()))?;
        let thread = self.engine.store().threads().arrive(arrival).await?;
        self.standing(&thread)
    }

    fn standing(&self, thread: &ThreadId) -> Result<Outcome, BackendError> {
        self.engine.store().threads().outcome(thread).map_err(BackendError::from)
    }

    /// Reads off the runtime's threads: a big thread takes its time.
    pub(super) async fn blocking<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Self) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, BackendError> {
        let this = self.clone();
        match tokio::task::spawn_blocking(move || read(&this)).await {
            Ok(result) => result.map_err(BackendError::from),
            Err(_) => Err(BackendError::Failed("reading broke off".to_owned())),
        }
    }
}

impl Backend for Local {
    fn items(&self, query: ItemQuery) -> Reply<'_, ItemPage> {
        // A page is read in no time, and a reader who wants them all takes page after page.
        Box::pin(async move { self.engine.store().inbox().items(&query).map_err(BackendError::from) })
    }

    fn card(&self, id: InterruptId) -> Reply<'_, (Item, Card)> {
        Box::pin(self.blocking(move |this| this.read_card(&id)))
    }

    fn result(&self, thread: ThreadId) -> Reply<'_, (Item, Card)> {
        Box::pin(self.blocking(move |this| this.read_result(&thread)))
    }

    fn decide(&self, decide: Decide) -> Reply<'_, Outcome> {
        Box::pin(self.take(decide, None))
    }

    fn undo(&self, id: InterruptId) -> Reply<'_, Outcome> {
        Box::pin(async move {
            let thread = self.engine.store().inbox().undo(id).await?;
            self.standing(&thread)
        })
    }

    fn decide_together(&self, decides: Vec<Decide>) -> Reply<'_, Together> {
        Box::pin(async move {
            let batch = BatchId::random();
            // All at once: the store groups them, and one that is refused does not hurt the others.
            let each = decides.into_iter().map(|decide| {
                let (id, batch) = (decide.interrupt.clone(), batch.clone());
                async move { (id, self.take(decide, Some(batch)).await) }
            });
            Ok(join_all(each).await)
        })
    }

    fn undo_batch(&self, id: InterruptId) -> Reply<'_, Together> {
        Box::pin(async move {
            let undone = self.engine.store().inbox().undo_batch(id).await?;
            let stands = |thread: ThreadId| self.standing(&thread);
            Ok(undone
                .into_iter()
                .map(|(id, done)| (id, done.map_err(BackendError::from).and_then(stands)))
                .collect())
        })
    }

    fn grant(&self, request: GrantRequest) -> Reply<'_, GrantLine> {
        Box::pin(async move { self.engine.store().grants().give(request).await.map_err(BackendError::from) })
    }

    fn grants(&self) -> Reply<'_, Vec<GrantLine>> {
        Box::pin(self.blocking(|this| {
            let mut lines = this.engine.store().grants().list()?;
            let given = lines.iter().position(|line| !line.builtin).unwrap_or(lines.len());
            let policies = this.engine.settings().policies.iter();
            lines.splice(given..given, policies.map(|(tool, policy)| policy_line(tool, policy)));
            Ok(lines)
        }))
    }

    fn revoke(&self, id: String) -> Reply<'_, GrantLine> {
        Box::pin(async move { self.engine.store().grants().revoke(id).await.map_err(BackendError::from) })
    }

    fn restore(&self, id: String) -> Reply<'_, GrantLine> {
        Box::pin(async move { self.engine.store().grants().restore(id).await.map_err(BackendError::from) })
    }

    fn reclassify(&self, thread: ThreadId, class: String) -> Reply<'_, Outcome> {
        Box::pin(async move {
            if !Class::ALL.iter().any(|known| known.as_str() == class) {
                let known = Class::ALL.map(Class::as_str).join(", ");
                return Err(BackendError::Conflict(format!("`{class}` is not a class; there are {known}")));
            }
            let what = What::Corrected { payload: json!({ "class": class }) };
            self.arrives(&thread, "corrected", what, "have no class to correct").await
        })
    }

    fn skipped(&self, query: SkippedQuery) -> Reply<'_, SkippedPage> {
        Box::pin(self.blocking(move |this| this.engine.store().mail().skipped(&query)))
    }

    fn memory_show(&self, namespace: String) -> Reply<'_, MemoryView> {
        Box::pin(self.blocking(move |this| {
            let store = this.engine.store();
            store.memory().view(&store.memory().named(&namespace)?)
        }))
    }

    fn memory_history(&self, namespace: String) -> Reply<'_, Vec<MemoryVersion>> {
        Box::pin(self.blocking(move |this| {
            let store = this.engine.store();
            store.memory().history(&store.memory().named(&namespace)?)
        }))
    }

    fn memory_edit(&self, namespace: String, read: u64, profile: String) -> Reply<'_, MemoryView> {
        Box::pin(async move {
            let store = self.engine.store();
            let name = store.memory().named(&namespace)?;
            store.memory().edit(name, read, text::typed(&profile)).await.map_err(BackendError::from)
        })
    }

    fn memory_pin(&self, namespace: String, line: String, pinned: bool) -> Reply<'_, MemoryView> {
        Box::pin(async move {
            let store = self.engine.store();
            let name = store.memory().named(&namespace)?;
            store.memory().pin(name, line, pinned).await.map_err(BackendError::from)
        })
    }

    fn memory_revert(&self, namespace: String, version: u64) -> Reply<'_, MemoryView> {
        Box::pin(async move {
            let store = self.engine.store();
            let name = store.memory().named(&namespace)?;
            store.memory().revert(name, version).await.map_err(BackendError::from)
        })
    }

    fn memory(&self) -> Reply<'_, Vec<MemoryLine>> {
        Box::pin(self.blocking(|this| memory::lines(this.engine.store())))
    }

    fn snooze(&self, id: InterruptId, until: Option<Timestamp>) -> Reply<'_, Item> {
        Box::pin(
            async move { self.engine.store().inbox().snooze(id, until).await.map_err(BackendError::from) },
        )
    }

    fn start(&self, workflow: String, input: Value) -> Reply<'_, Outcome> {
        Box::pin(async move {
            if let Some(servers) = &self.servers
                && let Some(thread) = servers.start(&workflow, &input).await?
            {
                return self.standing(&thread);
            }
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
            let limit = self.engine.step_limit();
            let thread = self.engine.store().threads().start_for_person(new, limit).await?;
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
            self.arrives(
                &thread,
                "words",
                What::Words { text: words },
                "cannot be continued; start a new one",
            )
            .await
        })
    }

    fn file_away(&self, thread: ThreadId) -> Reply<'_, Outcome> {
        Box::pin(async move {
            self.engine.store().inbox().file_away(thread.clone()).await?;
            self.standing(&thread)
        })
    }

    fn fork(&self, thread: ThreadId, step: u64) -> Reply<'_, Outcome> {
        Box::pin(async move {
            let line = self.engine.store().threads().line(&thread)?;
            if self.servers.as_ref().is_some_and(|servers| servers.has(&line.workflow)) {
                let text = format!("`{}` lives on a server, which alone can fork it", line.id);
                return Err(BackendError::Conflict(text));
            }
            let fork = self.engine.store().threads().fork(thread, step, self.engine.step_limit()).await?;
            self.standing(&fork)
        })
    }

    fn stop(&self, thread: ThreadId) -> Reply<'_, Outcome> {
        Box::pin(async move {
            if let Some(servers) = &self.servers
                && let Some(ended) = servers.end(&thread).await?
            {
                return self.standing(&ended);
            }
            let line = self.engine.store().threads().line(&thread)?;
            self.engine.stop(&line.id, &line.workflow).await?;
            self.standing(&line.id)
        })
    }

    fn threads(&self, query: ThreadQuery) -> Reply<'_, ThreadPage> {
        Box::pin(async move {
            match &self.servers {
                Some(servers) => servers.threads(&query).await,
                None => self.engine.store().threads().list(&query).await.map_err(BackendError::from),
            }
        })
    }

    fn thread(&self, id: ThreadId) -> Reply<'_, ThreadView> {
        Box::pin(async move {
            let Some(servers) = &self.servers else {
                return self.blocking(move |this| this.read_thread(&id)).await;
            };
            let wanted = id.clone();
            match self.blocking(move |this| this.read_thread(&wanted)).await {
                Ok(mut view) => {
                    if let Some(there) = servers.state_there(&view.id).await? {
                        view.state = there;
                    }
                    Ok(view)
                }
                Err(error @ BackendError::NotFound { .. }) => servers.thread(&id).await?.ok_or(error),
                Err(error) => Err(error),
            }
        })
    }

    fn conversation(&self, thread: ThreadId) -> Reply<'_, Card> {
        Box::pin(self.told_conversation(thread))
    }

    fn step_states(&self, thread: ThreadId, step: u64) -> Reply<'_, StepStates> {
        Box::pin(self.told_states(thread, step))
    }

    fn model_call(&self, thread: ThreadId, call: u64) -> Reply<'_, CallView> {
        Box::pin(self.blocking(move |this| review::read_call(this.engine.store(), &thread, call)))
    }

    fn graph(&self, workflow: String) -> Reply<'_, Shape> {
        let spec = self.engine.registry().get(&workflow);
        let shape = spec.map(|spec| spec.workflow.shape().clone());
        let known = self.engine.registry().names();
        let found = shape.ok_or_else(|| unknown_workflow(&workflow, &known));
        Box::pin(async move { found })
    }

    fn outcome(&self, id: ThreadId) -> Reply<'_, Outcome> {
        Box::pin(async move { self.standing(&id) })
    }

    fn mails(&self, query: MailQuery) -> Reply<'_, MailPage> {
        Box::pin(async move { self.engine.store().mail().list(&query).map_err(BackendError::from) })
    }

    fn sources(&self) -> Reply<'_, Vec<SourceLine>> {
        Box::pin(async move { self.read_sources().map_err(BackendError::from) })
    }

    fn fetch_mail(&self) -> Reply<'_, ()> {
        Box::pin(async move { self.engine.store().mail().want_sync().await.map_err(BackendError::from) })
    }

    fn pause(&self, paused: bool) -> Reply<'_, ()> {
        Box::pin(async move { self.engine.store().pause(paused).await.map_err(BackendError::from) })
    }

    fn errors(&self) -> Reply<'_, Vec<ErrorLine>> {
        Box::pin(self.blocking(|this| this.read_errors()))
    }

    fn overview(&self) -> Reply<'_, Overview> {
        Box::pin(self.blocking(|this| {
            let store = this.engine.store();
            let counts = store.inbox().counts()?;
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

    fn usage(&self, thread: ThreadId) -> Reply<'_, UsageView> {
        Box::pin(self.blocking(move |this| this.engine.store().figures().usage(&thread, false)))
    }

    fn activity(&self, query: ActivityQuery) -> Reply<'_, Activity> {
        Box::pin(self.blocking(move |this| this.engine.store().figures().activity(&query)))
    }

    fn storage(&self) -> Reply<'_, Storage> {
        Box::pin(self.blocking(|this| this.engine.store().figures().storage()))
    }

    fn prune_plan(&self, query: PruneQuery) -> Reply<'_, Pruning> {
        Box::pin(self.blocking(move |this| this.engine.store().prune().plan(&query)))
    }

    fn prune(&self, query: PruneQuery) -> Reply<'_, Pruned> {
        Box::pin(self.prune_all(query))
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.engine.store().changes()
    }
}
