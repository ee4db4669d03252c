//! Starts, reads, forks and stops threads for a person.

use super::{Inbox, thread_view};
use crate::config::ME;
use crate::engine::driver::arrival;
use crate::engine::graph::{Event, EventKind, Shape, ThreadId};
use crate::inbox::{
    CallView, Card, DecisionView, Facets, InboxError, Outcome, Page, StepStates, ThreadLine, ThreadQuery,
    ThreadView, UsageView, YOUR_TURN,
};
use crate::text;
use crate::workflows::email::Email;
use serde_json::Value;

/// How many mails are read for the words around a match.
const MAIL_SNIPPETS: usize = 20;

/// Starts, reads, forks and stops threads.
#[derive(Clone, Copy)]
pub struct Threads<'a>(pub(super) &'a Inbox);

impl Threads<'_> {
    /// A page of threads. The first matches of words show the text around them, in a step or a mail.
    pub async fn list(self, query: ThreadQuery) -> Result<Page<ThreadLine>, InboxError> {
        let mut page = self.0.store().threads().list(&query).await?;
        if !query.best_first || query.filter.words.is_empty() {
            return Ok(page);
        }
        let words = query.filter.words.join(" ");
        let read = move |inbox: &Inbox| {
            for line in page.rows.iter_mut().take(MAIL_SNIPPETS).filter(|line| line.snippet.is_none()) {
                line.snippet = inbox.mail().around(&line.id, &words);
            }
            Ok(page)
        };
        self.0.blocking(read).await
    }

    /// What threads can be filtered by.
    pub async fn facets(self) -> Result<Facets, InboxError> {
        let read = |inbox: &Inbox| {
            let registry = inbox.engine.registry();
            let is_server = |name: &String| registry.get(name).is_some_and(|spec| spec.is_server);
            let mut facets = inbox.store().threads().facets()?;
            facets.workflows.retain(|name| !is_server(name));
            let servers = registry.iter().filter(|spec| spec.is_server);
            facets.servers = servers.map(|spec| spec.workflow.name().to_owned()).collect();
            Ok(facets)
        };
        self.0.blocking(read).await
    }

    pub async fn view(self, id: ThreadId) -> Result<ThreadView, InboxError> {
        let mut view = self.0.blocking(move |inbox| inbox.read_thread(&id)).await?;
        if let Some(remote) = &self.0.remote
            && let Some(there) = remote.state_there(&view.id).await?
        {
            view.state = there;
        }
        Ok(view)
    }

    /// The conversation in a thread and its result, as its workflow draws the last state.
    pub async fn conversation(self, id: ThreadId) -> Result<Card, InboxError> {
        self.0.blocking(move |inbox| inbox.read_conversation(&id)).await
    }

    /// What a step changed, and the state after it.
    pub async fn step_states(self, id: ThreadId, step: u64) -> Result<StepStates, InboxError> {
        self.0.blocking(move |inbox| inbox.read_states(&id, step)).await
    }

    /// The decisions in a thread, oldest first.
    pub async fn answers(self, thread: ThreadId) -> Result<Vec<DecisionView>, InboxError> {
        self.0.blocking(move |inbox| inbox.store().threads().answers(&thread)).await
    }

    /// What a model was told and what it answered; `call` is the number of the call in the thread's trace.
    pub async fn model_call(self, thread: ThreadId, call: u64) -> Result<CallView, InboxError> {
        self.0.blocking(move |inbox| thread_view::read_call(inbox.store(), &thread, call)).await
    }

    /// What a thread's model calls have used so far.
    pub async fn usage(self, thread: ThreadId) -> Result<UsageView, InboxError> {
        self.0.blocking(move |inbox| inbox.store().statistics().usage(&thread)).await
    }

    pub async fn outcome(self, id: ThreadId) -> Result<Outcome, InboxError> {
        self.0.outcome_of(&id)
    }

    pub async fn graph(self, workflow: String) -> Result<Shape, InboxError> {
        Ok(self.0.engine.spec(&workflow)?.workflow.shape().clone())
    }

    /// Checks every server once, unless a driver runs. Returns a sentence for each thing that could not be read.
    pub async fn look_at_servers(self) -> Result<Vec<String>, InboxError> {
        match &self.0.remote {
            Some(remote) => remote.look_once().await,
            None => Ok(Vec::new()),
        }
    }

    pub async fn start(self, workflow: String, input: Value) -> Result<Outcome, InboxError> {
        self.start_from(workflow, input, None).await
    }

    /// Starts a thread from what was typed; the draft under this key goes as the thread begins.
    pub async fn start_from(
        self,
        workflow: String,
        input: Value,
        draft: Option<String>,
    ) -> Result<Outcome, InboxError> {
        let engine = &self.0.engine;
        let wrong = |error| InboxError::Input { workflow: workflow.clone(), error };
        let spec = engine.spec(&workflow)?;
        if spec.hidden {
            return Err(engine.unknown_workflow(&workflow));
        }
        // Types first: we cannot look at a path that is not even text.
        spec.workflow.started(input.clone()).map_err(wrong)?;
        let mut input = spec.prepare(input).map_err(wrong)?;
        // The person is no model: they take the place of the one in the config, and may give it back.
        let by_person = input.get("model").and_then(Value::as_str) == Some(ME) && !spec.roles.is_empty();
        if let Some(keys) = input.as_object_mut().filter(|_| by_person) {
            keys.remove("model");
        }
        let new = engine.new_thread(&workflow, input, "")?;
        let threads = self.0.store().threads();
        let thread = threads.start_for_person(new, by_person, draft, engine.step_limit()).await?;
        self.0.outcome_of(&thread)
    }

    /// Continues a thread after its result.
    pub async fn proceed(self, thread: ThreadId, words: String) -> Result<Outcome, InboxError> {
        let text = text::sanitize_typed(&words);
        if text.trim().is_empty() {
            let text = "there is nothing to go on with; say something";
            return Err(InboxError::Conflict(text.to_owned()));
        }
        self.0
            .deliver(&thread, "words", EventKind::Words { text }, "cannot be continued; start a new one")
            .await
    }

    /// Starts a new thread from a step of another.
    pub async fn fork(self, thread: ThreadId, step: u64) -> Result<Outcome, InboxError> {
        let threads = self.0.store().threads();
        let line = threads.line(&thread)?;
        if self.0.engine.registry().get(&line.workflow).is_some_and(|spec| spec.is_server) {
            let text = format!("`{}` is on a server, and only that server can fork it", line.id);
            return Err(InboxError::Conflict(text));
        }
        let fork = threads.fork(thread, step, self.0.engine.step_limit()).await?;
        self.0.outcome_of(&fork)
    }

    /// Whether the person is in the model's place: they took it, or a step of the model's is asked of them.
    pub async fn is_taken_over(self, thread: ThreadId) -> Result<bool, InboxError> {
        self.0.store().threads().is_by_person(&thread, YOUR_TURN)
    }

    /// Puts the person in the model's place from the next step on, or the model back.
    pub async fn hand(self, thread: ThreadId, to_person: bool) -> Result<Outcome, InboxError> {
        let line = self.0.store().threads().line(&thread)?;
        if self.0.engine.registry().get(&line.workflow).is_none_or(|spec| spec.roles.is_empty()) {
            let text = format!("threads of `{}` ask no model", line.workflow);
            return Err(InboxError::Conflict(text));
        }
        if !to_person && !self.0.has_model() {
            let text =
                "there is no model to give it to: put one into [model] of the config, or run `sayso init`";
            return Err(InboxError::Conflict(text.to_owned()));
        }
        self.0.store().threads().hand(line.id.clone(), to_person, YOUR_TURN).await?;
        self.0.outcome_of(&line.id)
    }

    /// Stops a thread at once.
    pub async fn stop(self, thread: ThreadId) -> Result<Outcome, InboxError> {
        let line = self.0.store().threads().line(&thread)?;
        self.0.engine.stop(&line.id, &line.workflow).await?;
        self.0.outcome_of(&line.id)
    }
}

impl Inbox {
    pub(super) fn outcome_of(&self, thread: &ThreadId) -> Result<Outcome, InboxError> {
        self.store().threads().outcome(thread)
    }

    /// Delivers something a person said to a thread, if its workflow takes such events and it isn't one of mail that
    /// only they have written.
    pub(super) async fn deliver(
        &self,
        thread: &ThreadId,
        name: &str,
        what: EventKind,
        refusal: &str,
    ) -> Result<Outcome, InboxError> {
        let email = self.engine.state_of::<Email>(thread, None)?;
        if email.is_some_and(|email| email.is_begun_by_person()) {
            let text = format!("`{thread}` began with your own mail, and nobody has answered it yet");
            return Err(InboxError::Conflict(text));
        }
        self.deliver_anywhere(thread, name, what, refusal).await
    }

    /// Delivers something a person said to a thread, if its workflow takes such events.
    pub(super) async fn deliver_anywhere(
        &self,
        thread: &ThreadId,
        name: &str,
        what: EventKind,
        refusal: &str,
    ) -> Result<Outcome, InboxError> {
        let line = self.store().threads().line(thread)?;
        let spec = self.engine.spec(&line.workflow)?;
        let event = Event { id: format!("{name}:{}", line.steps), what };
        if !matches!(spec.workflow.arrived(event.clone()), Ok(Some(_))) {
            return Err(InboxError::Conflict(format!("threads of `{}` {refusal}", line.workflow)));
        }
        let arrival =
            arrival(spec, &line.id, &event, None).map_err(|error| InboxError::Failed(error.to_string()))?;
        let thread = self.store().threads().deliver(arrival).await?;
        self.outcome_of(&thread)
    }
}
