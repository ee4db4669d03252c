//! A workflow as the inbox knows it, and the list of all workflows.

use super::{Block, Card, Edited, LEARNING_WORKFLOW, Question, ROW_WORKFLOW};
use crate::engine::graph::{AnyState, InputError, Workflow};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The hidden workflow for questions that belong to no other thread: a login, a first look, an absent server.
pub const ASKING_WORKFLOW: &str = "intake";

/// The hidden workflow that puts mail where a person wants it.
pub const MOVING_WORKFLOW: &str = "put_away";

/// The workflows that the engine starts itself.
pub const ENGINE_WORKFLOWS: [&str; 4] = [ASKING_WORKFLOW, LEARNING_WORKFLOW, MOVING_WORKFLOW, ROW_WORKFLOW];

/// The action of the question about a server that cannot be reached.
pub const ABSENT_ACTION: &str = "unreachable";

type Prepare = Arc<dyn Fn(Value) -> Result<Value, InputError> + Send + Sync>;
type Explain = Arc<dyn Fn(&AnyState, Option<&Question>) -> Vec<Block> + Send + Sync>;
type Subject = Arc<dyn Fn(&AnyState) -> Vec<Block> + Send + Sync>;
type TitleFailure = Arc<dyn Fn(&AnyState, &str, bool) -> Option<String> + Send + Sync>;
type NameSpan = Arc<dyn Fn(&AnyState, Option<&str>, usize) -> Option<String> + Send + Sync>;
type Edit = Arc<dyn Fn(&AnyState, &Question, &Value) -> Edited + Send + Sync>;
type Profiles = Arc<dyn Fn(&AnyState) -> Vec<String> + Send + Sync>;
type DrawCard = Arc<dyn Fn(&AnyState, Option<&Question>) -> Card + Send + Sync>;

/// Names of tools and effects, each with the words people read for it.
pub type Words = &'static [(&'static str, &'static str)];

/// A workflow and how it presents itself to people. Start flags, forms, help and drawings all read this.
#[derive(Clone)]
pub struct Spec {
    /// The compiled graph.
    pub workflow: Workflow,
    /// What it does, in one line.
    pub about: &'static str,
    /// Whether people cannot start it; child graphs are started only by other threads.
    pub hidden: bool,
    /// Whether programs start it rather than people, so that no menu offers it.
    pub for_programs: bool,
    /// Whether its finished threads appear in the inbox as results.
    pub results: bool,
    /// Whether it also handles every name that begins with its own and a slash.
    pub is_server: bool,
    /// Whether the config's policy may let its questions expire. Must be false if even *ignore* reaches the outside.
    pub expires: bool,
    /// The tasks that a model can be chosen for in the config, with `ROLE_model`.
    pub roles: &'static [&'static str],
    draw: DrawCard,
    prepare: Prepare,
    explain: Option<Explain>,
    subject: Option<Subject>,
    title_failure: Option<TitleFailure>,
    trace: Option<NameSpan>,
    edit: Option<Edit>,
    profiles: Option<Profiles>,
}

impl Spec {
    /// A workflow whose cards `card` draws: of a question, from the state in which the thread asked it; without one, of
    /// the result.
    pub fn new(
        workflow: Workflow,
        about: &'static str,
        card: impl Fn(&AnyState, Option<&Question>) -> Card + Send + Sync + 'static,
    ) -> Self {
        Self {
            workflow,
            about,
            hidden: false,
            for_programs: false,
            results: true,
            is_server: false,
            expires: true,
            roles: &[],
            draw: Arc::new(card),
            prepare: Arc::new(Ok),
            explain: None,
            subject: None,
            title_failure: None,
            trace: None,
            edit: None,
            profiles: None,
        }
    }

    /// People cannot start it.
    pub fn hidden(mut self) -> Self {
        self.hidden = true;
        self
    }

    /// Programs start it, not people.
    pub fn for_programs(mut self) -> Self {
        self.for_programs = true;
        self
    }

    /// Sets the tasks that a model can be chosen for in the config.
    pub fn with_roles(mut self, roles: &'static [&'static str]) -> Self {
        self.roles = roles;
        self
    }

    /// Its finished threads do not appear in the inbox.
    pub fn without_results(mut self) -> Self {
        self.results = false;
        self
    }

    /// Its questions wait for a person however long it takes.
    pub fn without_expiry(mut self) -> Self {
        self.expires = false;
        self
    }

    /// It also handles every name that begins with its own and a slash: `prod/agent` for `prod`.
    pub fn on_server(mut self) -> Self {
        self.is_server = true;
        self
    }

    /// `prepare` checks the input people start it with: it completes the input, or refuses it before anything is
    /// stored.
    pub fn preparing(
        mut self,
        prepare: impl Fn(Value) -> Result<Value, InputError> + Send + Sync + 'static,
    ) -> Self {
        self.prepare = Arc::new(prepare);
        self
    }

    /// `explain` says why an item is there: the reasoning, and the lines of memory and rules that applied.
    pub fn explaining(
        mut self,
        explain: impl Fn(&AnyState, Option<&Question>) -> Vec<Block> + Send + Sync + 'static,
    ) -> Self {
        self.explain = Some(Arc::new(explain));
        self
    }

    /// `profiles` lists the memory profiles that a thread uses.
    pub fn with_profiles(
        mut self,
        profiles: impl Fn(&AnyState) -> Vec<String> + Send + Sync + 'static,
    ) -> Self {
        self.profiles = Some(Arc::new(profiles));
        self
    }

    /// The namespaces of the memory profiles that a thread uses.
    pub fn profiles(&self, state: &AnyState) -> Vec<String> {
        self.profiles.as_ref().map(|profiles| profiles(state)).unwrap_or_default()
    }

    /// `subject` shows what a thread is about, below a trouble that the engine draws.
    pub fn with_trouble_subject(
        mut self,
        subject: impl Fn(&AnyState) -> Vec<Block> + Send + Sync + 'static,
    ) -> Self {
        self.subject = Some(Arc::new(subject));
        self
    }

    /// `title` says in a sentence what a thread could not do when a node failed; its last argument, whether the node
    /// had carried out an effect before.
    pub fn with_failure_titles(
        mut self,
        title: impl Fn(&AnyState, &str, bool) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        self.title_failure = Some(Arc::new(title));
        self
    }

    /// What a thread could not do when `node` failed, if the workflow can tell.
    pub fn failure_title(&self, state: &AnyState, node: &str, acted: bool) -> Option<String> {
        self.title_failure.as_ref().and_then(|title| title(state, node, acted))
    }

    /// `name` names spans in traces: the thread as a whole (no node), and the `nth` run of a node, counted from 1.
    pub fn with_span_names(
        mut self,
        name: impl Fn(&AnyState, Option<&str>, usize) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        self.trace = Some(Arc::new(name));
        self
    }

    /// `edit` says what a proposal becomes with a person's arguments.
    pub fn with_edits(
        mut self,
        edit: impl Fn(&AnyState, &Question, &Value) -> Edited + Send + Sync + 'static,
    ) -> Self {
        self.edit = Some(Arc::new(edit));
        self
    }

    /// What a question becomes with these arguments.
    pub fn edited(&self, state: &AnyState, question: &Question, args: &Value) -> Edited {
        self.edit.as_ref().map_or_else(|| question.edited(args), |edit| edit(state, question, args))
    }

    /// The name in traces of the thread, or of the `nth` run of a node.
    pub fn span_name(&self, state: &AnyState, node: Option<&str>, nth: usize) -> String {
        let custom = self.trace.as_ref().and_then(|name| name(state, node, nth));
        custom.unwrap_or_else(|| node.unwrap_or_else(|| self.workflow.name()).to_owned())
    }

    /// Why a question or, without one, the thread's result is there, if the workflow can tell.
    pub fn explain(&self, state: &AnyState, question: Option<&Question>) -> Option<Vec<Block>> {
        self.explain.as_ref().map(|explain| explain(state, question))
    }

    /// What to show below a trouble of a thread, if the workflow shows anything there.
    pub fn in_trouble(&self, state: &AnyState) -> Vec<Block> {
        self.subject.as_ref().map(|subject| subject(state)).unwrap_or_default()
    }

    /// Checks and completes the input a person gave.
    pub fn prepare(&self, input: Value) -> Result<Value, InputError> {
        (self.prepare)(input)
    }

    /// Draws the card of a question, from the state its thread was in when it asked; without one, that of its result.
    pub fn card(&self, state: &AnyState, question: Option<&Question>) -> Card {
        (self.draw)(state, question)
    }
}

/// All workflows, by name.
#[derive(Clone, Default)]
pub struct Registry(BTreeMap<String, Spec>);

impl Registry {
    /// If two have the same name, the later one wins.
    pub fn new(specs: impl IntoIterator<Item = Spec>) -> Self {
        Self(specs.into_iter().map(|spec| (spec.workflow.name().to_owned(), spec)).collect())
    }

    /// Finds a workflow by its name, or by the name of its server.
    pub fn get(&self, name: &str) -> Option<&Spec> {
        let server = || self.0.get(name.split_once('/')?.0).filter(|spec| spec.is_server);
        self.0.get(name).or_else(server)
    }

    /// Adds a workflow.
    pub fn with(mut self, spec: Spec) -> Self {
        self.0.insert(spec.workflow.name().to_owned(), spec);
        self
    }

    /// All workflows, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = &Spec> {
        self.0.values()
    }

    /// The names that people may start, for messages.
    pub fn names(&self) -> Vec<&str> {
        self.iter().filter(|spec| !spec.hidden).map(|spec| spec.workflow.name()).collect()
    }
}
