//! The nodes of the loop.

use super::dialog::{CallResult, LoopUpdate, STEP_LIMIT, UNCHECKED_ANSWER};
use super::tool::{Accepted, Asked, Outcome, Tool, When};
use super::{LoopState, ModelTurn, Names, Options, Words, person};
use crate::agent::llm::{Message, Reply, Request, ToolCall, join_user_messages};
use crate::agent::{Picked, Services, ask_model};
use crate::engine::graph::{Allow, Command, Ctx, Decision, Interrupt, Kind, Labels, NodeError};
use crate::inbox::proposal;
use crate::text::short_line;
use serde_json::{Value, json};
use std::sync::Arc;

type NodeResult<S> = Result<Command<S>, NodeError>;
type FindTools<S> = Box<dyn Fn(&Services, &S) -> Result<Vec<Tool<S>>, NodeError> + Send + Sync>;

pub(super) struct AgentLoop<S: LoopState> {
    pub names: Names,
    pub tools: FindTools<S>,
    pub options: Options<S>,
}

/// A state while a node works on it, with the updates so far.
struct Work<S: LoopState> {
    state: Arc<S>,
    updates: Vec<S::Update>,
}

impl<S: LoopState> Work<S> {
    fn new(state: Arc<S>) -> Self {
        Self { state, updates: Vec::new() }
    }

    fn apply(&mut self, updates: impl IntoIterator<Item = S::Update>) {
        for update in updates {
            Arc::make_mut(&mut self.state).apply(update.clone());
            self.updates.push(update);
        }
    }

    fn step(&mut self, update: LoopUpdate) {
        self.apply([update.into()]);
    }

    fn became(&mut self, call: &ToolCall, how: CallResult, text: &str) {
        self.became_with(call, (how, text.to_owned(), Value::Null), false);
    }

    fn became_with(&mut self, call: &ToolCall, (how, text, data): (CallResult, String, Value), ends: bool) {
        let (call, tool) = (call.id.clone(), call.name.clone());
        self.step(LoopUpdate::Became { call, tool, how, text, data, ends });
    }

    fn then(self, command: Command<S>) -> NodeResult<S> {
        Ok(Command { updates: self.updates, ..command })
    }
}

impl<S: LoopState> AgentLoop<S> {
    fn end(&self, work: Work<S>) -> NodeResult<S> {
        work.then(self.names.end.map_or_else(Command::end, Command::goto))
    }

    /// Asks the model what to do next.
    pub async fn llm_call(self: Arc<Self>, ctx: Ctx<Services>, state: Arc<S>) -> NodeResult<S> {
        let mut work = Work::new(state);
        if work.state.dialog().is_over() {
            return self.end(work);
        }
        let tools = (self.tools)(ctx.services(), &work.state)?;
        if !work.state.dialog().pending.is_empty() {
            return self.decide(work, &tools);
        }
        if work.state.dialog().is_at_limit() {
            let question = step_limit(&*work.state, (self.options.end_label)(&work.state));
            return work.then(Command::ask(vec![question], self.names.llm_call));
        }
        let ModelTurn { model, request, updates } =
            (self.options.turn)(ctx.clone(), work.state.clone()).await?;
        work.apply(updates);
        let request = complete(request, &*work.state, &tools);
        let (reply, own) = match work.state.dialog().reply.clone() {
            Some(mut reply) => {
                // What a model would be told about its words, the person knows.
                let _ = (self.options.read)(&work.state, &mut reply);
                (reply, true)
            }
            None if model.person => {
                let said = (self.options.said)(&work.state, &request);
                let Some(reply) = said.map_err(NodeError::failed)? else {
                    let label = (self.options.end_label)(&work.state);
                    // What a tool that asks came to stands on the workflow's own card.
                    let is_free = |name: &str| {
                        tools.iter().any(|tool| tool.spec.name == name && matches!(tool.when, When::Free(_)))
                    };
                    let found = work.state.dialog().newest_results(is_free);
                    let question = person::your_step(&work.state.title(), &request.tools, label, &found);
                    return work.then(Command::ask(vec![question], self.names.llm_call));
                };
                (reply, false)
            }
            None => {
                let (state, read) = (work.state.clone(), self.options.read);
                let read = move |reply: &mut Reply| read(&state, reply);
                (ask_model(&ctx, "model", &model, &request, &read).await?, false)
            }
        };
        let Reply { calls, text, in_words, .. } = reply.clone();
        // What a person says is still to be approved as what it becomes.
        let chosen = own && !calls.is_empty();
        if let [call] = calls.as_slice()
            && let Some(answer) = ending(&tools, call)
        {
            // Nothing answers this call, so the conversation keeps it as words.
            let answer = if answer.is_empty() { text } else { answer };
            work.step(LoopUpdate::Ended { answer: Some(answer) });
            return self.end(work);
        }
        let (text, calls, in_words) = if calls.is_empty() {
            let said_words = text.clone();
            let words = match &self.options.words {
                Some(read) => {
                    // A person's words need no model that looks at them, even if it takes the next step.
                    let said_by = if own { Picked { person: true, builtin: true, ..model } } else { model };
                    read(ctx.clone(), work.state.clone(), said_by, reply).await?
                }
                None => Words::Answer(text.clone()),
            };
            match words {
                Words::Answer(answer) => {
                    work.step(LoopUpdate::Ended { answer: Some(answer) });
                    return self.end(work);
                }
                Words::Unsure => {
                    let label = (self.options.end_label)(&work.state);
                    let question = unchecked_answer(&*work.state, &text, label);
                    return work.then(Command::ask(vec![question], self.names.llm_call));
                }
                Words::Call { tool, args, text } => {
                    if own {
                        work.step(LoopUpdate::Told { text: said_words });
                    }
                    let (id, name) = ("words".to_owned(), tool.to_owned());
                    (text, vec![ToolCall { id, name, args, signature: None }], false)
                }
            }
        } else {
            (text, calls, in_words)
        };
        let mut calls = work.state.dialog().with_unique_ids(calls);
        if self.options.first_call_only {
            calls.truncate(1);
        }
        work.step(LoopUpdate::Proposed { text, calls, in_words, own: chosen });
        self.decide(work, &tools)
    }

    /// Goes to where the pending calls are decided: by a person if one of them asks.
    fn decide(&self, work: Work<S>, tools: &[Tool<S>]) -> NodeResult<S> {
        let dialog = work.state.dialog();
        let asks =
            |call: &ToolCall| find(tools, call).is_some_and(|tool| matches!(tool.when, When::Asks(..)));
        let node =
            if dialog.pending.iter().any(asks) { self.names.interrupt_handler } else { self.names.act };
        work.then(Command::goto(node))
    }

    /// Asks about every call that needs a person, all of one message together.
    pub async fn interrupt_handler(self: Arc<Self>, ctx: Ctx<Services>, state: Arc<S>) -> NodeResult<S> {
        let mut work = Work::new(state);
        if work.state.dialog().is_over() {
            return self.end(work);
        }
        if work.state.dialog().outdated && !work.state.dialog().is_persons() {
            // Nobody has seen the calls yet, and the model has not seen the news.
            work.step(LoopUpdate::Dropped { why: "Something new came up; look at it first.".to_owned() });
            return work.then(Command::goto(self.names.llm_call));
        }
        let tools = (self.tools)(ctx.services(), &work.state)?;
        let pending = work.state.dialog().pending.clone();
        let (mut questions, mut unusable) = (Vec::new(), Vec::new());
        for call in &pending {
            let Some(tool) = find(&tools, call) else {
                unusable.push((call, format!("there is no tool `{}`", call.name)));
                continue;
            };
            let When::Asks(ask, _) = &tool.when else { continue };
            if tool.runs_own && work.state.dialog().own {
                continue;
            }
            let title = work.state.title();
            let mut question = proposal(&call.id, Kind::Approval, &call.name, &call.args, &title);
            question.schema = tool.spec.schema.clone();
            match ask(ctx.clone(), work.state.clone(), question).await? {
                Asked::Card(question, updates) => {
                    work.apply(updates);
                    questions.push(*question);
                }
                Asked::Unusable(why) => unusable.push((call, why)),
            }
        }
        if !unusable.is_empty() {
            for call in &pending {
                let text = match unusable.iter().find(|(bad, _)| bad.id == call.id) {
                    Some((_, why)) => format!("Not done: {why}."),
                    None => "Not done, because another call of this message cannot be used.".to_owned(),
                };
                work.became(call, CallResult::Failed, &text);
            }
            return work.then(Command::goto(self.names.llm_call));
        }
        work.then(if questions.is_empty() {
            Command::goto(self.names.act)
        } else {
            Command::ask(questions, self.names.act)
        })
    }

    /// Carries out what was decided, in the order of the message, and whatever needs no decision.
    pub async fn act(self: Arc<Self>, ctx: Ctx<Services>, state: Arc<S>) -> NodeResult<S> {
        let mut work = Work::new(state);
        if work.state.dialog().is_over() {
            return self.after_act(work);
        }
        let tools = (self.tools)(ctx.services(), &work.state)?;
        for call in work.state.dialog().pending.clone() {
            let Some(tool) = find(&tools, &call) else {
                let text = format!("There is no tool `{}`.", call.name);
                work.became(&call, CallResult::Failed, &text);
                continue;
            };
            let run = match &tool.when {
                When::Free(run) | When::Asks(_, run) => run,
                When::Ends(_) => {
                    work.became_with(&call, (CallResult::Done, String::new(), Value::Null), true);
                    continue;
                }
            };
            let given = work.state.dialog().answer_to(&call).cloned();
            let mut args = call.args.clone();
            match given.as_ref().map(|given| &given.decision) {
                None if matches!(tool.when, When::Asks(..))
                    && !(tool.runs_own && work.state.dialog().own) =>
                {
                    continue;
                }
                None => {}
                Some(Decision::Accept | Decision::Draft) => {
                    args = given.as_ref().map_or(args, |given| given.proposed.clone());
                }
                Some(Decision::Edit { args: edited }) => args.clone_from(edited),
                Some(Decision::Respond { text }) => {
                    work.became(&call, CallResult::Answered, text);
                    continue;
                }
                Some(Decision::Ignore) => {
                    let expired = given.as_ref().is_some_and(|given| given.expired);
                    let text = if expired { "Nobody answered in time." } else { "" };
                    work.became(&call, CallResult::Refused, text);
                    continue;
                }
            }
            let accepted = Accepted { call: call.clone(), args: args.clone(), answer: given };
            let is_edited =
                matches!(&accepted.answer, Some(answer) if matches!(answer.decision, Decision::Edit { .. }));
            let Outcome { result, updates, question, ends } =
                run(ctx.clone(), work.state.clone(), accepted).await?;
            let answered = matches!(&result, Some((CallResult::Answered, ..)));
            if is_edited && !answered && args != call.args {
                work.step(LoopUpdate::Edited { call: call.id.clone(), args });
            }
            work.apply(updates);
            if let Some(question) = question {
                return work.then(Command::ask(vec![*question], self.names.act));
            }
            match result {
                Some(result) => work.became_with(&call, result, ends),
                // Nobody was asked about it, so nobody can be asked again.
                None if matches!(tool.when, When::Free(_)) => {
                    work.became(&call, CallResult::Failed, "It was not done.");
                }
                None => {}
            }
        }
        work.step(LoopUpdate::Acted);
        let dialog = work.state.dialog();
        if dialog.pending.is_empty() && !dialog.is_over() {
            let (calls, results) = dialog.newest_calls();
            let answer = calls.iter().find_map(|call| ending(&tools, call));
            let results: Vec<_> = results.collect();
            // The model is to hear what the person says.
            let is_heard = results.iter().all(|(how, _)| *how != CallResult::Answered);
            if is_heard && results.iter().any(|(how, ends)| *ends || *how == CallResult::Refused) {
                work.step(LoopUpdate::Ended { answer });
            }
        }
        self.after_act(work)
    }

    fn after_act(&self, work: Work<S>) -> NodeResult<S> {
        match (self.names.between, self.names.after_act(work.state.dialog())) {
            (Some(between), _) => work.then(Command::goto(between)),
            (None, Some(node)) => work.then(Command::goto(node)),
            (None, None) => self.end(work),
        }
    }
}

fn find<'t, S: LoopState>(tools: &'t [Tool<S>], call: &ToolCall) -> Option<&'t Tool<S>> {
    tools.iter().find(|tool| tool.spec.name == call.name)
}

/// The answer of a call that ends the loop.
fn ending<S: LoopState>(tools: &[Tool<S>], call: &ToolCall) -> Option<String> {
    match find(tools, call)?.when {
        When::Ends(name) => {
            Some(call.args.get(name).and_then(Value::as_str).unwrap_or_default().trim().to_owned())
        }
        When::Free(_) | When::Asks(..) => None,
    }
}

/// The request with the conversation and the tools.
fn complete<S: LoopState>(mut request: Request, state: &S, tools: &[Tool<S>]) -> Request {
    let opening: Vec<Message> = std::mem::take(&mut request.messages);
    request.messages = join_user_messages(opening.into_iter().chain(state.dialog().to_messages()));
    let offered = tools.iter().filter(|tool| tool.is_offered);
    request.tools = offered.map(|tool| tool.spec.clone()).collect();
    let ends = tools.iter().find(|tool| matches!(tool.when, When::Ends(_)));
    request.ends_with = ends.map(|tool| tool.spec.name.clone());
    request
}

fn step_limit<S: LoopState>(state: &S, end_label: &str) -> Interrupt {
    let steps = state.dialog().step;
    let title = format!("It has taken {steps} steps");
    let mut interrupt = proposal(STEP_LIMIT, Kind::Trouble, STEP_LIMIT, &json!({ "steps": steps }), &title);
    interrupt.gist = short_line(&state.title(), 160);
    interrupt.allow = Allow { edit: false, respond: false, ..Allow::ALL };
    interrupt.labels = Labels::new("allow as much again", "", end_label);
    interrupt
}

/// Shows words to the person that may be the answer, or a question.
fn unchecked_answer<S: LoopState>(state: &S, text: &str, end_label: &str) -> Interrupt {
    let args = json!({ "answer": text });
    let mut interrupt = proposal(UNCHECKED_ANSWER, Kind::Question, UNCHECKED_ANSWER, &args, &state.title());
    interrupt.gist = short_line(text, 160);
    interrupt.allow = Allow { edit: false, draft: false, ..Allow::ALL };
    interrupt.labels = Labels::new("take it as the answer", "answer", end_label);
    interrupt
}
