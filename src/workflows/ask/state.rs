//! The state of a question, and everything that can happen to it.

use super::parts::{
    Complexity, Entity, HistoryEntry, Initial, KeptAnswer, ListPosition, NodeFailure, Pending, Table,
};
use super::{NEXT, PARAMETER, REQUEST};
use crate::agent::agent_loop::person;
use crate::agent::llm::Reply;
use crate::engine::graph::{Answer, Command, Decision, Difference, Event, EventKind, State};
use crate::inbox::YOUR_TURN;
use crate::tools::catalogue::Operation;
use crate::workflows::analyze::facts::{Role, Turn};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The keys of `start`.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AskInput {
    /// What you want to know.
    pub query: String,
    /// Ask for the next question after each answer.
    // The default in forms: people who fill one in are there to continue.
    #[serde(default)]
    #[schemars(extend("default" = true))]
    pub follow_up: bool,
    /// A model from the config, for this thread.
    #[serde(default)]
    pub model: Option<String>,
}

/// How many errors are kept. More would say nothing new.
const MAX_ERRORS: usize = 200;

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Ask {
    pub query: Option<String>,
    /// The sort of question: the id of the operation that answers it.
    pub query_type: Option<String>,
    /// The operations that may answer it, by name, the nearest first.
    pub categories: Option<Vec<String>>,
    /// The candidates: the nearest of them.
    pub apis: Option<Vec<Operation>>,
    /// The operation to ask.
    pub best_api: Option<Operation>,
    /// Its parameters.
    pub parameters: Option<Map<String, Value>>,
    /// Its answer, shortened if it is long.
    pub response: Option<Value>,
    pub complexity: Option<Complexity>,
    /// Whether it is about one thing that it names.
    pub is_entity_query: Option<bool>,
    /// That thing's name, as the person wrote it.
    pub entity_name: Option<String>,
    /// The kind of that thing, or of the things it asks for.
    pub entity_type: Option<String>,
    /// The last error, until something succeeds.
    pub error: Option<String>,
    /// Every error so far.
    pub error_history: Vec<NodeFailure>,
    /// What was said about this question.
    pub messages: Option<Vec<Turn>>,
    /// Questions and answers of the whole thread.
    pub message_history: Vec<HistoryEntry>,
    /// The server that answered last.
    pub selected_host: Option<String>,
    /// The thing the question names, once it is found.
    pub entity: Option<Entity>,
    /// The operation to ask next, if the question needs two requests.
    pub secondary_api: Option<Operation>,
    pub secondary_parameters: Option<Map<String, Value>>,
    pub secondary_response: Option<Value>,
    /// What the question started with.
    pub initial_state: Option<Initial>,
    /// The answer as text.
    pub formatted_response: Option<String>,
    /// The model the thread was started with.
    pub model_name: Option<String>,
    /// Whether to ask for a next question.
    pub follow_up: bool,
    /// Whether the person is done.
    pub ended: bool,
    /// The parameters as the model chose them, not checked yet.
    pub proposed: Option<Map<String, Value>>,
    /// What is left to do with the reply, in the model's words.
    pub rest: Option<String>,
    /// The known servers, by API.
    pub hosts: BTreeMap<String, Vec<String>>,
    /// The request that is about to be made.
    pub pending: Option<Pending>,
    /// The person's decision about it.
    pub decided: Option<Decision>,
    /// What the person said in the model's place, until it is done, whoever takes the next step.
    pub reply: Option<Reply>,
    /// The last request that was refused.
    pub refused: Option<Pending>,
    /// The parameter the person is asked for.
    pub wanted: Option<String>,
    /// The things the name may mean; `None` until it was searched for.
    pub candidates: Option<Vec<Entity>>,
    /// The stored whole answers, first and second.
    pub kept: Vec<KeptAnswer>,
    /// The list whose next page is being fetched.
    pub turning: Option<ListPosition>,
    /// Notes added to the answer, such as what was left out.
    pub notes: Vec<String>,
    /// How often in a row each node failed.
    pub tries: BTreeMap<String, u32>,
}

/// Everything that can happen to a question.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum AskUpdate {
    Started(AskInput),
    /// The person continued after an answer.
    Heard {
        text: String,
    },
    /// The person added a hint to a retry.
    Hinted {
        text: String,
    },
    Answered {
        /// The key of the question they answered.
        key: String,
        decision: Decision,
    },
    /// A node did its work.
    Changed(Difference<Ask>),
}

impl State for Ask {
    type Input = AskInput;
    type Update = AskUpdate;

    fn started(input: AskInput) -> AskUpdate {
        AskUpdate::Started(input)
    }

    fn answered(answers: Vec<Answer>) -> AskUpdate {
        match answers.into_iter().next() {
            Some(Answer { key, decision, .. }) => AskUpdate::Answered { key, decision },
            None => Self::default().changed(|_| {}),
        }
    }

    fn arrived(event: Event) -> Option<AskUpdate> {
        match event.what {
            EventKind::Words { text } => Some(AskUpdate::Heard { text }),
            EventKind::Hint { text } => Some(AskUpdate::Hinted { text }),
            EventKind::News { .. } | EventKind::AnsweredElsewhere { .. } | EventKind::Corrected { .. } => {
                None
            }
        }
    }

    fn apply(&mut self, update: AskUpdate) {
        match update {
            AskUpdate::Started(AskInput { query, follow_up, model }) => {
                (self.follow_up, self.model_name) = (follow_up, model);
                self.begin(query);
            }
            AskUpdate::Heard { text } => {
                self.reset();
                self.ended = false;
                self.begin(text);
            }
            AskUpdate::Hinted { text } => {
                self.tries.clear();
                self.refused = None;
                self.forget_parameters();
                self.say(Role::User, text);
            }
            AskUpdate::Answered { key, decision } => match (key.as_str(), decision) {
                (REQUEST, decision) => self.decided = Some(decision),
                (YOUR_TURN, decision) => {
                    self.reply = person::reply(&decision);
                    self.ended = self.reply.is_none();
                }
                (NEXT, Decision::Respond { text }) => self.begin(text),
                (PARAMETER, Decision::Respond { text }) => self.say(Role::User, text),
                _ => self.ended = true,
            },
            AskUpdate::Changed(difference) => difference.apply(self),
        }
    }

    fn title(&self) -> String {
        let first = self.message_history.iter().find(|entry| entry.role == Role::User);
        first.map(|entry| entry.text.lines().next().unwrap_or_default().to_owned()).unwrap_or_default()
    }

    fn output(&self) -> Option<Value> {
        let history = &self.message_history;
        let index = history.iter().rposition(|entry| entry.role == Role::Agent)?;
        let question = history[..index].iter().rfind(|entry| entry.role == Role::User);
        Some(json!({ "answer": history[index].text, "query": question.map(|entry| entry.text.as_str()) }))
    }
}

/// What nodes do to a copy of the state.
impl Ask {
    /// The update for what `change` does.
    pub fn changed(&self, change: impl FnOnce(&mut Self)) -> AskUpdate {
        let mut next = self.clone();
        change(&mut next);
        AskUpdate::Changed(Difference::between(self, &next))
    }

    /// Goes to `node` after this change.
    pub fn goto(&self, node: &str, change: impl FnOnce(&mut Self)) -> Command<Self> {
        Command::goto(node).update(self.changed(change))
    }

    /// Starts a new question.
    fn begin(&mut self, query: String) {
        self.tell(Role::User, query.clone(), None, None);
        self.messages = Some(vec![Turn { role: Role::User, text: query.clone() }]);
        self.initial_state = Some(Initial { query: query.clone(), follow_up: self.follow_up });
        self.query = Some(query);
    }

    pub fn say(&mut self, role: Role, text: String) {
        self.messages.get_or_insert_default().push(Turn { role, text });
    }

    fn tell(&mut self, role: Role, text: String, table: Option<Table>, list: Option<ListPosition>) {
        let kept = std::mem::take(&mut self.kept).into_iter().map(|answer| answer.digest).collect();
        self.message_history.push(HistoryEntry { role, text, table, kept, list });
    }

    /// Tells the person the answer.
    pub fn answer(&mut self, text: String, table: Option<Table>, list: Option<ListPosition>) {
        self.formatted_response = Some(text.clone());
        self.tell(Role::Agent, text, table, list);
        self.succeeded("format_response_node");
    }

    /// Adds a note to the answer, once.
    pub fn note(&mut self, note: Option<String>) {
        self.notes.extend(note.filter(|note| !self.notes.contains(note)));
    }

    /// The person wants a different request.
    pub fn object(&mut self, text: String) {
        self.say(Role::User, text);
        (self.pending, self.decided, self.wanted) = (None, None, None);
        self.forget_parameters();
    }

    pub fn set_parameters(&mut self, parameters: Map<String, Value>) {
        let place = if self.is_second() { &mut self.secondary_parameters } else { &mut self.parameters };
        *place = Some(parameters);
    }

    /// The model is asked for them again.
    fn forget_parameters(&mut self) {
        self.proposed = None;
        let place = if self.is_second() { &mut self.secondary_parameters } else { &mut self.parameters };
        *place = None;
    }

    /// The question is about this thing, which has to be found.
    pub fn name_entity(&mut self, kind: &str, name: &str) {
        (self.entity_name, self.entity_type) = (Some(name.to_owned()), Some(kind.to_owned()));
        (self.entity, self.candidates, self.wanted) = (None, None, None);
        self.is_entity_query = Some(true);
    }

    pub fn plan(&mut self, pending: Pending) {
        self.pending = Some(pending);
        (self.decided, self.wanted) = (None, None);
        self.succeeded("extract_params_node");
    }

    pub fn end_request(&mut self) {
        (self.pending, self.decided, self.refused, self.wanted) = (None, None, None, None);
        self.succeeded("send_request");
    }

    pub fn succeeded(&mut self, node: &str) {
        self.error = None;
        self.tries.remove(node);
    }

    pub fn failed(&mut self, node: &str, text: String) {
        *self.tries.entry(node.to_owned()).or_default() += 1;
        self.forget_parameters();
        self.reply = None;
        self.error = Some(text.clone());
        self.error_history.push(NodeFailure { node: node.to_owned(), text });
        let excess = self.error_history.len().saturating_sub(MAX_ERRORS);
        self.error_history.drain(..excess);
    }

    /// Forgets everything about the question; what belongs to the thread stays.
    pub fn reset(&mut self) {
        *self = Self {
            selected_host: self.selected_host.take(),
            model_name: self.model_name.take(),
            error_history: std::mem::take(&mut self.error_history),
            message_history: std::mem::take(&mut self.message_history),
            hosts: std::mem::take(&mut self.hosts),
            follow_up: self.follow_up,
            ended: self.ended,
            ..Self::default()
        };
    }
}

/// What nodes and cards read.
impl Ask {
    /// Whether the second request of a question is next.
    pub fn is_second(&self) -> bool {
        self.response.is_some() && self.secondary_api.is_some()
    }

    /// The operation to ask now.
    pub fn api(&self) -> Option<&Operation> {
        if self.is_second() { self.secondary_api.as_ref() } else { self.best_api.as_ref() }
    }

    /// What the person said about this question after asking it.
    pub fn added(&self) -> impl Iterator<Item = &str> {
        let turns = self.messages.iter().flatten();
        turns.filter(|turn| turn.role == Role::User).skip(1).map(|turn| turn.text.as_str())
    }

    /// The question before this one.
    pub fn before(&self) -> Option<&str> {
        let questions = self.message_history.iter().filter(|entry| entry.role == Role::User);
        questions.rev().nth(1).map(|entry| entry.text.as_str())
    }

    /// The newest answer.
    pub fn last_answer(&self) -> Option<&HistoryEntry> {
        self.message_history.iter().rfind(|entry| entry.role == Role::Agent)
    }

    /// The person's newest words, if they answer our question and were not used yet.
    pub fn newest_words(&self) -> Option<&str> {
        match self.messages.as_ref()?.last()? {
            Turn { role: Role::User, text } => Some(text),
            Turn { role: Role::Agent, .. } => None,
        }
    }
}
