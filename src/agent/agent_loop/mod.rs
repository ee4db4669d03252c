//! The loop of all agents: a model proposes, a person or a grant decides, something runs, the result goes back.
//!
//! ```text
//! llm_call → interrupt_handler (asks) → act → llm_call | end
//! ```
//!
//! [`agent_loop`] adds these nodes to a graph under the names it is given. To build an agent on it:
//!
//! 1. The state holds a [`Dialog`] (`#[serde(flatten)]` shows its fields beside the state's own) and lends it by
//!    [`LoopState`]. Its updates take in the loop's: a last variant `#[serde(untagged)] Loop(LoopUpdate)` with
//!    `From<LoopUpdate>` and `Clone`, which `apply` hands on to [`Dialog::apply`]. `State::answered` gives the loop
//!    every answer that is not the workflow's own: `LoopUpdate::Answered { answers }.into()`. [`LoopUpdate::Told`]
//!    starts the conversation and continues it after a result, [`Dialog::stop`] ends it. An agent that needs nothing
//!    but its conversation has [`Dialog`] itself for its state, and [`draw`] for its cards.
//! 2. A function of the state gives the tools it has now: [`Tool::free`] runs at once, [`Tool::asks`] first shows a card,
//!    [`Tool::ends`] ends the loop with one of its arguments as the answer. `run` returns what the model is told, and
//!    updates of the state ([`Outcome`]); an effect is `ctx.once(name, accepted.basis(), …)`. A message may hold several
//!    calls of a tool (unless [`Options::first_call_only`]), so the names of `ctx.call` and `ctx.once` have the call's id
//!    in them.
//! 3. [`Options::new`] takes the function that makes a [`ModelTurn`]: the model, and a request with instructions and an
//!    opening message. The loop adds the conversation and the tools. Words without a call are the answer;
//!    [`Options::wanting`] has them checked and cleaned of talk, and [`Options::words`] gives them another meaning.
//! 4. When the loop is over it goes to [`Names::end`], where the state's `dialog.answer` is the answer, or
//!    `dialog.stopped` says that the person ended it.
//!
//! The loop itself sees to: ids that are unique in the conversation; deciding all calls of a message together; telling
//! the model what was refused, answered in words, unknown or misshapen (sent back once, with what is wrong); the limit
//! of steps (`dialog.max_steps`), which asks; calls that news made outdated; budgets and progress (by
//! [`ask_model`](super::ask_model)); and the person in the model's place. [`card`] and [`why`] show its own questions.

mod dialog;
mod nodes;
pub mod person;
mod talk;
mod tool;

pub use dialog::{CallResult, Dialog, LoopUpdate, QUESTION, STEP_LIMIT, Turn, UNCHECKED_ANSWER};
pub use talk::{Wish, draw};
pub use tool::{Accepted, Asked, Outcome, Tool, allow_in_thread};

use super::{Picked, Services, written_text};
use crate::agent::llm::{Reply, Request};
use crate::engine::graph::{BoxFuture, Builder, Ctx, Edge, NodeError, State, ask, end, goto};
use crate::inbox::{Block, Question, YOUR_TURN};
use crate::text::Visible;
use nodes::AgentLoop;
use serde_json::Value;
use std::future::Future;
use std::sync::Arc;

/// A state with a conversation that the loop may go on with.
pub trait LoopState: State<Update: Clone + From<LoopUpdate>> {
    fn dialog(&self) -> &Dialog;
}

/// What the loop's nodes are called, and where it leads.
#[derive(Clone, Copy, Debug)]
pub struct Names {
    pub llm_call: &'static str,
    /// Empty if no tool asks: then there is no such node.
    pub interrupt_handler: &'static str,
    pub act: &'static str,
    /// The workflow's own node after each `act`, which goes on to [`Names::after_act`]. The loop's next node otherwise.
    pub between: Option<&'static str>,
    /// The node after the loop; the graph's end if there is none.
    pub end: Option<&'static str>,
}

impl Default for Names {
    fn default() -> Self {
        let (llm_call, interrupt_handler, act) = ("llm_call", "interrupt_handler", "act");
        Self { llm_call, interrupt_handler, act, between: None, end: None }
    }
}

impl Names {
    /// The names of a loop in which no tool asks.
    pub fn free() -> Self {
        Self { interrupt_handler: "", ..Self::default() }
    }

    /// Where the loop goes after `act`; `None` is its end.
    pub fn after_act(&self, dialog: &Dialog) -> Option<&'static str> {
        match dialog.pending.as_slice() {
            _ if dialog.is_over() => None,
            [] => Some(self.llm_call),
            [..] => Some(self.interrupt_handler),
        }
    }
}

/// What the next call of the model needs.
pub struct ModelTurn<S: State> {
    pub model: Picked,
    /// Instructions and an opening message; the loop adds the conversation and the tools.
    pub request: Request,
    /// What was found out while it was made.
    pub updates: Vec<S::Update>,
}

/// What words without a call mean.
pub enum Words {
    /// They, or what is left of them, are the answer.
    Answer(String),
    /// The person is asked whether they are.
    Unsure,
    /// They stand for this call.
    Call {
        tool: &'static str,
        args: Value,
        /// What is left of them.
        text: String,
    },
}

type Made<T> = BoxFuture<'static, Result<T, NodeError>>;
type MakeTurn<S> = Arc<dyn Fn(Ctx<Services>, Arc<S>) -> Made<ModelTurn<S>> + Send + Sync>;
type ReadWords<S> = Arc<dyn Fn(Ctx<Services>, Arc<S>, Picked, Reply) -> Made<Words> + Send + Sync>;
type ReadSaid<S> = fn(&S, &Request) -> Result<Option<Reply>, String>;
type ReadReply<S> = fn(&S, &mut Reply) -> Result<(), String>;

/// How a loop differs from others.
pub struct Options<S: State> {
    turn: MakeTurn<S>,
    words: Option<ReadWords<S>>,
    said: ReadSaid<S>,
    read: ReadReply<S>,
    first_call_only: bool,
    end_label: fn(&S) -> &'static str,
}

impl<S: LoopState> Options<S> {
    /// The model and the request for its next turn.
    pub fn new<F, Fut>(turn: F) -> Self
    where
        F: Fn(Ctx<Services>, Arc<S>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<ModelTurn<S>, NodeError>> + Send + 'static,
    {
        Self {
            turn: Arc::new(move |ctx, state| Box::pin(turn(ctx, state))),
            words: None,
            said: |_, _| Ok(None),
            read: |_, _| Ok(()),
            first_call_only: false,
            end_label: |_| "abandon",
        }
    }

    /// What words without a call mean.
    #[must_use]
    pub fn words<F, Fut>(self, words: F) -> Self
    where
        F: Fn(Ctx<Services>, Arc<S>, Picked, Reply) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Words, NodeError>> + Send + 'static,
    {
        let words: ReadWords<S> =
            Arc::new(move |ctx, state, model, reply| Box::pin(words(ctx, state, model, reply)));
        Self { words: Some(words), ..self }
    }

    /// What a person in the model's place has said already, so that they are not asked for it.
    #[must_use]
    pub fn said(self, said: ReadSaid<S>) -> Self {
        Self { said, ..self }
    }

    /// Words without a call are `what` the model was to write, without the talk around it; the person decides about
    /// others.
    #[must_use]
    pub fn wanting(self, what: &'static str) -> Self {
        self.words(move |ctx, _, model, reply| async move {
            let written = written_text(&ctx, "words", &model, &reply, what).await?;
            Ok(written.map_or(Words::Unsure, |written| Words::Answer(written.with_note())))
        })
    }

    /// Reads a reply before it is checked: may find calls in its words, or object to it. An objection is sent back
    /// once.
    #[must_use]
    pub fn reading(self, read: ReadReply<S>) -> Self {
        Self { read, ..self }
    }

    /// Only the first of several calls counts: the next one should know its result.
    #[must_use]
    pub fn first_call_only(self) -> Self {
        Self { first_call_only: true, ..self }
    }

    /// What the key is called that ends the loop.
    #[must_use]
    pub fn end_label(self, end_label: fn(&S) -> &'static str) -> Self {
        Self { end_label, ..self }
    }
}

/// Adds the loop to a graph.
pub fn agent_loop<S: LoopState>(
    builder: Builder<S, Services>,
    names: Names,
    tools: impl Fn(&Services, &S) -> Result<Vec<Tool<S>>, NodeError> + Send + Sync + 'static,
    options: Options<S>,
) -> Builder<S, Services> {
    let work = Arc::new(AgentLoop { names, tools: Box::new(tools), options });
    let over = names.end.map_or_else(end, goto);
    let (llm, handler, actor) = (work.clone(), work.clone(), work);
    let asks = !names.interrupt_handler.is_empty();
    let to_handler = || asks.then(|| goto(names.interrupt_handler));
    let edges = [goto(names.act), ask(names.llm_call), over.clone()].into_iter().chain(to_handler());
    let builder = builder.node(names.llm_call, move |ctx, state| llm.clone().llm_call(ctx, state), edges);
    let builder = if asks {
        builder.node(
            names.interrupt_handler,
            move |ctx, state| handler.clone().interrupt_handler(ctx, state),
            [ask(names.act), goto(names.act), goto(names.llm_call), over.clone()],
        )
    } else {
        builder
    };
    let next: Vec<Edge> = match names.between {
        Some(between) => vec![ask(names.act), goto(between)],
        None => [ask(names.act), goto(names.llm_call), over].into_iter().chain(to_handler()).collect(),
    };
    builder.node(names.act, move |ctx, state| actor.clone().act(ctx, state), next)
}

/// What the card of one of the loop's own questions shows above the workflow's own blocks; `None` for others.
pub fn card(dialog: &Dialog, item: &Question) -> Option<Vec<Block>> {
    let text = |text: &str| Block::Text(Visible::new(text));
    Some(match item.action.as_str() {
        STEP_LIMIT => {
            vec![text(&format!("It has taken {} steps. Accept to allow as many again.", dialog.step))]
        }
        UNCHECKED_ANSWER => {
            let words = item.args.get("answer").and_then(Value::as_str).unwrap_or_default();
            vec![
                Block::Markdown(Visible::new(words)),
                text("This may be no answer. Accept it as one, or reply in words."),
            ]
        }
        YOUR_TURN => {
            let found = item.args.get(person::FOUND).and_then(Value::as_str);
            let turn = text("You are in the model's place: take the next step, or answer in words.");
            std::iter::once(turn).chain(found.map(text)).collect()
        }
        _ => return None,
    })
}

/// Why the loop asks one of its own questions.
pub fn why(action: &str) -> Option<&'static str> {
    match action {
        STEP_LIMIT => Some("it has taken as many steps as you allowed"),
        UNCHECKED_ANSWER => Some("the model answers in words"),
        YOUR_TURN => Some("you are in the model's place"),
        _ => None,
    }
}
