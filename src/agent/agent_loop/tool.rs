//! A tool as a value: what models are told about it, whether it asks, how its card looks, and how it runs.

use super::dialog::CallResult;
use crate::agent::llm::{ToolCall, ToolSpec};
use crate::agent::{GrantQuery, Services};
use crate::engine::graph::{
    Answer, Authorization, BoxFuture, Ctx, Decision, Interrupt, NodeError, State, Warning,
};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::future::Future;
use std::sync::Arc;

type Made<T> = BoxFuture<'static, Result<T, NodeError>>;
pub(super) type Ask<S> = Arc<dyn Fn(Ctx<Services>, Arc<S>, Interrupt) -> Made<Asked<S>> + Send + Sync>;
pub(super) type Run<S> = Arc<dyn Fn(Ctx<Services>, Arc<S>, Accepted) -> Made<Outcome<S>> + Send + Sync>;

/// What a model may call.
pub struct Tool<S: State> {
    pub spec: ToolSpec,
    pub(super) when: When<S>,
    pub(super) is_offered: bool,
    pub(super) runs_own: bool,
}

/// When a tool runs.
pub(super) enum When<S: State> {
    /// At once.
    Free(Run<S>),
    /// Once a person has agreed.
    Asks(Ask<S>, Run<S>),
    /// Never: it ends the loop, and this argument is the answer.
    Ends(&'static str),
}

impl<S: State> Tool<S> {
    /// A tool that runs without asking.
    pub fn free<F, Fut>(spec: ToolSpec, run: F) -> Self
    where
        F: Fn(Ctx<Services>, Arc<S>, Accepted) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Outcome<S>, NodeError>> + Send + 'static,
    {
        Self::new(spec, When::Free(Arc::new(move |c, s, a| Box::pin(run(c, s, a)))))
    }

    /// A tool that asks before it runs. `ask` is given a question with the call's id, arguments and schema, and the
    /// thread's title; it fills in the rest.
    pub fn asks<A, AFut, F, Fut>(spec: ToolSpec, ask: A, run: F) -> Self
    where
        A: Fn(Ctx<Services>, Arc<S>, Interrupt) -> AFut + Send + Sync + 'static,
        AFut: Future<Output = Result<Asked<S>, NodeError>> + Send + 'static,
        F: Fn(Ctx<Services>, Arc<S>, Accepted) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Outcome<S>, NodeError>> + Send + 'static,
    {
        let ask: Ask<S> = Arc::new(move |c, s, i| Box::pin(ask(c, s, i)));
        let when = When::Asks(ask, Arc::new(move |c, s, a| Box::pin(run(c, s, a))));
        Self::new(spec, when)
    }

    /// A tool that ends the loop. The argument with this name is the answer.
    pub fn ends(spec: ToolSpec, answer: &'static str) -> Self {
        Self::new(spec, When::Ends(answer))
    }

    fn new(spec: ToolSpec, when: When<S>) -> Self {
        Self { spec, when, is_offered: true, runs_own: false }
    }

    /// Whether a model may propose it now. A call that is already there runs all the same.
    #[must_use]
    pub fn offered_if(self, is_offered: bool) -> Self {
        Self { is_offered, ..self }
    }

    /// What the person wrote themselves runs without asking them once more. Only for what has no effect outside.
    #[must_use]
    pub fn running_own(self) -> Self {
        Self { runs_own: true, ..self }
    }
}

/// The question about a call.
pub enum Asked<S: State> {
    /// A card, and what was found out while it was made.
    Card(Box<Interrupt>, Vec<S::Update>),
    /// The call makes no sense, for this reason: the model is told, and nobody is asked.
    Unusable(String),
}

impl<S: State> From<Interrupt> for Asked<S> {
    fn from(interrupt: Interrupt) -> Self {
        Self::Card(Box::new(interrupt), Vec::new())
    }
}

/// Lets the person allow a tool for the rest of the thread, and uses that permission if they gave it.
pub fn allow_in_thread(ctx: &Ctx<Services>, interrupt: &mut Interrupt) -> Result<(), NodeError> {
    interrupt.grantable.thread = true;
    let warned = Warning::need_confirmation(&interrupt.warnings);
    let query = GrantQuery { tool: &interrupt.action, warned, ..GrantQuery::default() };
    interrupt.granted = ctx.services().records.covering_grant(ctx.step_context(), &query)?;
    Ok(())
}

/// A call that may run.
#[derive(Clone, Debug)]
pub struct Accepted {
    /// The call as it was proposed.
    pub call: ToolCall,
    /// The arguments to run it with, as the person left them.
    pub args: Value,
    /// The person's answer, if they were asked.
    pub answer: Option<Answer>,
}

impl Accepted {
    /// What permits an effect of this call. Without an answer nothing does, and the effect is refused.
    pub fn basis(&self) -> Authorization {
        let (key, args) = (self.call.id.clone(), self.args.clone());
        match &self.answer {
            Some(Answer { decision: Decision::Draft, .. }) => Authorization::Draft { key, args },
            _ => Authorization::Decision { key, args },
        }
    }

    /// The arguments as the type that the tool's schema was made of.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, NodeError> {
        serde_json::from_value(self.args.clone()).map_err(NodeError::failed)
    }
}

/// What came of a call.
pub struct Outcome<S: State> {
    pub(super) result: Option<(CallResult, String, Value)>,
    pub(super) updates: Vec<S::Update>,
    pub(super) question: Option<Box<Interrupt>>,
    pub(super) ends: bool,
}

impl<S: State> Outcome<S> {
    /// It was done, and the model is told this.
    pub fn done(text: impl Into<String>) -> Self {
        Self::with(CallResult::Done, text.into(), Value::Null)
    }

    /// It failed, and the model is told why.
    pub fn failed(text: impl Into<String>) -> Self {
        Self::with(CallResult::Failed, text.into(), Value::Null)
    }

    /// It went as `how` says.
    pub fn with(how: CallResult, text: String, data: Value) -> Self {
        Self { result: Some((how, text, data)), updates: Vec::new(), question: None, ends: false }
    }

    /// It was not done, and the person is asked about it again.
    pub fn again() -> Self {
        Self { result: None, updates: Vec::new(), question: None, ends: false }
    }

    /// It was not done. It runs again after this question, which the workflow's own state answers.
    pub fn after(question: Interrupt) -> Self {
        Self { question: Some(Box::new(question)), ..Self::again() }
    }

    /// What it changes in the state.
    #[must_use]
    pub fn update(mut self, update: S::Update) -> Self {
        self.updates.push(update);
        self
    }

    /// The loop ends with it, unless the person has something to say.
    #[must_use]
    pub fn ending(self) -> Self {
        Self { ends: true, ..self }
    }
}
