//! A workflow as the inbox knows it, and the list of them all.

use super::{Block, Card, Item, LEARNING_WORKFLOW};
use crate::graph::{Folded, InputError, Workflow};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The hidden workflow that puts to a person what no thread of theirs asks: a login, a first look, an absent server.
pub const ASKING_WORKFLOW: &str = "intake";

/// The hidden workflow that moves mail where a person wants it.
pub const MOVING_WORKFLOW: &str = "put_away";

/// The workflows whose threads the engine starts for itself.
pub const ENGINE_WORKFLOWS: [&str; 3] = [ASKING_WORKFLOW, LEARNING_WORKFLOW, MOVING_WORKFLOW];

/// What it proposes where a server cannot be reached.
pub const ABSENT_ACTION: &str = "unreachable";

type Prepare = Arc<dyn Fn(Value) -> Result<Value, InputError> + Send + Sync>;
type Explain = Arc<dyn Fn(&Folded, &Item) -> Vec<Block> + Send + Sync>;
type Subject = Arc<dyn Fn(&Folded) -> Vec<Block> + Send + Sync>;
type Errors = Arc<dyn Fn(&Folded) -> Vec<(String, String)> + Send + Sync>;
type NameSpan = Arc<dyn Fn(&Folded, Option<&str>, usize) -> Option<String> + Send + Sync>;
type Profiles = Arc<dyn Fn(&Folded) -> Vec<String> + Send + Sync>;
type DrawCard = Arc<dyn Fn(&Folded, &Item) -> Card + Send + Sync>;

/// A workflow with what people are told of it. Start flags, forms, help and drawings all read this.
#[derive(Clone)]
pub struct Spec {
    /// The compiled graph.
    pub workflow: Workflow,
    /// What it does, in one line.
    pub about: &'static str,
    /// Whether people start it; child graphs are started by other threads only.
    pub hidden: bool,
    /// Whether its finished threads appear in the inbox as results.
    pub results: bool,
    /// Whether it answers for every name that begins with its own and a slash.
    pub family: bool,
    /// Whether its questions may expire by the config's policy. Not where even *ignore* reaches the outside.
    pub expires: bool,
    /// The tasks a model can be chosen for in the config, by `ROLE_model`.
    pub roles: &'static [&'static str],
    draw: DrawCard,
    prepare: Prepare,
    explain: Option<Explain>,
    subject: Option<Subject>,
    trace: Option<NameSpan>,
    errors: Option<Errors>,
    profiles: Option<Profiles>,
}

impl Spec {
    /// A workflow whose cards are drawn by `card`, from the state the thread was in when it asked.
    pub fn new(
        workflow: Workflow,
        about: &'static str,
        card: impl Fn(&Folded, &Item) -> Card + Send + Sync + 'static,
    ) -> Self {
        Self {
            workflow,
            about,
            hidden: false,
            results: true,
            family: false,
            expires: true,
            roles: &[],
            draw: Arc::new(card),
            prepare: Arc::new(Ok),
            explain: None,
            subject: None,
            trace: None,
            errors: None,
            profiles: None,
        }
    }

    /// The same, not to be started by people.
    pub fn hidden(mut self) -> Self {
        self.hidden = true;
        self
    }

    /// The same, with tasks a model can be chosen for in the config.
    pub fn with_roles(mut self, roles: &'static [&'static str]) -> Self {
        self.roles = roles;
        self
    }

    /// The same, without results in the inbox.
    pub fn without_results(mut self) -> Self {
        self.results = false;
        self
    }

    /// The same, whose questions wait for a person however long it takes.
    pub fn without_expiry(mut self) -> Self {
        self.expires = false;
        self
    }

    /// The same, for every name that begins with its own and a slash: `prod/agent` for `prod`.
    pub fn family(mut self) -> Self {
        self.family = true;
        self
    }

    /// The same, with a look at what people start it with: it completes the input, or refuses it before
    /// anything is stored.
    pub fn preparing(
        mut self,
        prepare: impl Fn(Value) -> Result<Value, InputError> + Send + Sync + 'static,
    ) -> Self {
        self.prepare = Arc::new(prepare);
        self
    }

    /// The same, able to say why an item is there: the reasoning, the lines of memory and the rules that applied.
    pub fn explaining(
        mut self,
        explain: impl Fn(&Folded, &Item) -> Vec<Block> + Send + Sync + 'static,
    ) -> Self {
        self.explain = Some(Arc::new(explain));
        self
    }

    /// The same, with the profiles of the memory that a thread goes by.
    pub fn going_by(mut self, profiles: impl Fn(&Folded) -> Vec<String> + Send + Sync + 'static) -> Self {
        self.profiles = Some(Arc::new(profiles));
        self
    }

    /// The profiles of the memory that a thread goes by, by their namespaces.
    pub fn profiles(&self, state: &Folded) -> Vec<String> {
        self.profiles.as_ref().map(|profiles| profiles(state)).unwrap_or_default()
    }

    /// The same, able to show what a thread is about below a trouble, which the engine draws.
    pub fn showing_in_trouble(
        mut self,
        subject: impl Fn(&Folded) -> Vec<Block> + Send + Sync + 'static,
    ) -> Self {
        self.subject = Some(Arc::new(subject));
        self
    }

    /// The same, with names of its own in traces: for the thread as a whole (no node), and for the `nth` run of a node,
    /// counted from 1.
    pub fn tracing(
        mut self,
        name: impl Fn(&Folded, Option<&str>, usize) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        self.trace = Some(Arc::new(name));
        self
    }

    /// The same, with what a thread remembers to have gone wrong: where, and what.
    pub fn remembering(
        mut self,
        errors: impl Fn(&Folded) -> Vec<(String, String)> + Send + Sync + 'static,
    ) -> Self {
        self.errors = Some(Arc::new(errors));
        self
    }

    /// Whether its threads remember what went wrong.
    pub fn remembers_errors(&self) -> bool {
        self.errors.is_some()
    }

    /// What a thread remembers to have gone wrong: where, and what.
    pub fn errors(&self, state: &Folded) -> Vec<(String, String)> {
        self.errors.as_ref().map(|errors| errors(state)).unwrap_or_default()
    }

    /// What a trace calls the thread, or the `nth` run of a node.
    pub fn span_name(&self, state: &Folded, node: Option<&str>, nth: usize) -> String {
        let own = self.trace.as_ref().and_then(|name| name(state, node, nth));
        own.unwrap_or_else(|| node.unwrap_or_else(|| self.workflow.name()).to_owned())
    }

    /// Why an item is there, where the workflow can say.
    pub fn explain(&self, state: &Folded, item: &Item) -> Option<Vec<Block>> {
        self.explain.as_ref().map(|explain| explain(state, item))
    }

    /// What stands below a trouble of a thread, where the workflow shows anything there.
    pub fn in_trouble(&self, state: &Folded) -> Vec<Block> {
        self.subject.as_ref().map(|subject| subject(state)).unwrap_or_default()
    }

    /// The input a person gave, completed.
    pub fn prepare(&self, input: Value) -> Result<Value, InputError> {
        (self.prepare)(input)
    }

    /// The card of an item, from the state its thread was in then.
    pub fn card(&self, state: &Folded, item: &Item) -> Card {
        (self.draw)(state, item)
    }
}

/// All workflows, by name.
#[derive(Clone, Default)]
pub struct Registry(BTreeMap<String, Spec>);

impl Registry {
    /// A registry of these; of two of one name the later one counts.
    pub fn new(specs: impl IntoIterator<Item = Spec>) -> Self {
        Self(specs.into_iter().map(|spec| (spec.workflow.name().to_owned(), spec)).collect())
    }

    /// The workflow of this name.
    pub fn get(&self, name: &str) -> Option<&Spec> {
        let family = || self.0.get(name.split_once('/')?.0).filter(|spec| spec.family);
        self.0.get(name).or_else(family)
    }

    /// The same registry with one more.
    pub fn with(mut self, spec: Spec) -> Self {
        self.0.insert(spec.workflow.name().to_owned(), spec);
        self
    }

    /// All of them, by name.
    pub fn iter(&self) -> impl Iterator<Item = &Spec> {
        self.0.values()
    }

    /// The names people may start, for messages.
    pub fn names(&self) -> Vec<&str> {
        self.iter().filter(|spec| !spec.hidden).map(|spec| spec.workflow.name()).collect()
    }
}
