//! The state of a question, and everything that can happen to it.

use super::parts::{
    Entity, HistoryEntry, Initial, KeptAnswer, ListPosition, NodeFailure, PageFetch, Pending, Purpose, Table,
};
use super::update::AskUpdate;
use super::{NEXT, PARAMETER, REQUEST, farewell};
use crate::graph::{Answer, Decision, Event, EventKind, State};
use crate::tools::catalogue::Operation;
use crate::workflows::analyze::facts::{Role, Turn};
use crate::workflows::ask::facts::Complexity;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The keys of `start`.
#[derive(Debug, Deserialize, JsonSchema)]
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
    /// The sort of question.
    pub query_type: Option<String>,
    /// The operations that may answer it, by name.
    pub categories: Option<Vec<String>>,
    /// The candidates: the operations with those names.
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
    /// That thing's kind.
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
    /// The known servers, by API.
    pub hosts: BTreeMap<String, Vec<String>>,
    /// The request that is about to be made.
    pub pending: Option<Pending>,
    /// The person's decision about it, if they were asked.
    pub decided: Option<Decision>,
    /// The last request that was refused.
    pub refused: Option<Pending>,
    /// The parameter the person is asked for.
    pub wanted: Option<String>,
    /// The name that was searched for last.
    pub searched: Option<String>,
    /// The things the person may have meant.
    pub candidates: Vec<Entity>,
    /// The stored whole answers, first and second.
    pub kept: Vec<KeptAnswer>,
    /// The list whose next page is being fetched.
    pub turning: Option<PageFetch>,
    /// Notes added to the answer, such as what was left out.
    pub notes: Vec<String>,
    /// How often in a row each node failed.
    pub tries: BTreeMap<String, u32>,
}

impl State for Ask {
    type Input = AskInput;
    type Update = AskUpdate;

    fn started(input: AskInput) -> AskUpdate {
        let AskInput { query, follow_up, model } = input;
        AskUpdate::Started { query, follow_up, model }
    }

    fn answered(answers: Vec<Answer>) -> AskUpdate {
        match answers.into_iter().next() {
            Some(answer) => AskUpdate::Answered { key: answer.key, decision: answer.decision },
            None => AskUpdate::Nothing,
        }
    }

    fn arrived(event: Event) -> Option<AskUpdate> {
        match event.what {
            EventKind::Words { text } => Some(AskUpdate::Heard { text }),
            EventKind::Hint { text } => Some(AskUpdate::Hinted { text }),
            EventKind::News { .. } | EventKind::Settled { .. } | EventKind::Corrected { .. } => None,
        }
    }

    fn apply(&mut self, update: AskUpdate) {
        match update {
            AskUpdate::Nothing => {}
            AskUpdate::Started { query, follow_up, model } => {
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
                self.set_parameters(None);
                self.add_user_turn(text);
            }
            AskUpdate::Answered { key, decision } => self.apply_answer(&key, decision),
            AskUpdate::Turned { best_api, parameters, turning } => {
                let operation = *best_api;
                self.best_api = Some(operation.clone());
                self.parameters = Some(parameters.clone());
                self.pending = Some(Pending { purpose: Purpose::Answer, operation, parameters });
                (self.decided, self.turning) = (None, Some(turning));
            }
            AskUpdate::Noted { note } => self.note(Some(note)),
            AskUpdate::Categorised { answer, note } => {
                self.note(note);
                self.query_type = Some(answer.query_type);
                self.categories = Some(answer.categories);
                self.is_entity_query = Some(answer.is_entity_query);
                self.entity_name = answer.entity_name;
                self.entity_type = answer.entity_type;
                self.complexity = Some(answer.complexity);
                self.node_succeeded("extract_category_node");
            }
            AskUpdate::Listed { apis } => {
                self.apis = Some(apis);
                self.node_succeeded("get_apis_node");
            }
            AskUpdate::Chosen { best_api, secondary_api, note } => {
                self.note(note);
                self.best_api = Some(*best_api);
                self.secondary_api = secondary_api.map(|api| *api);
                self.node_succeeded("select_api_node");
            }
            AskUpdate::Extracted { parameters } => self.set_parameters(Some(parameters)),
            AskUpdate::Planned { pending } => {
                if pending.purpose != Purpose::Resolve {
                    self.set_parameters(Some(pending.parameters.clone()));
                }
                self.pending = Some(*pending);
                (self.decided, self.wanted) = (None, None);
                self.node_succeeded("extract_params_node");
            }
            AskUpdate::Wanted { parameter, question, candidates } => {
                self.add_agent_turn(question);
                (self.wanted, self.candidates) = (Some(parameter), candidates);
            }
            AskUpdate::Hosted { api, host, hosts } => {
                self.selected_host = Some(host);
                if !hosts.is_empty() {
                    self.hosts.insert(api, hosts);
                }
                self.node_succeeded("execute_request_node");
            }
            AskUpdate::Objected { text } => {
                self.add_user_turn(text);
                (self.pending, self.decided, self.wanted) = (None, None, None);
                self.set_parameters(None);
            }
            AskUpdate::Named { name, kind } => {
                (self.entity_name, self.entity_type) = (Some(name), Some(kind));
                (self.entity, self.candidates, self.wanted) = (None, Vec::new(), None);
                (self.searched, self.is_entity_query) = (None, Some(true));
            }
            AskUpdate::Resolved { entity } => {
                self.candidates.clear();
                self.searched = self.entity_name.clone();
                self.entity = Some(entity);
                self.finish_request();
            }
            AskUpdate::Ambiguous { candidates } => {
                self.candidates = candidates;
                self.searched = self.entity_name.clone();
                self.finish_request();
            }
            AskUpdate::Responded { secondary, response, digest, note, next_link, host } => {
                if secondary {
                    self.secondary_response = Some(response);
                } else {
                    self.response = Some(response);
                }
                self.kept.extend(digest.map(|digest| KeptAnswer { digest, next_link }));
                self.note(note);
                self.selected_host = Some(host);
                self.finish_request();
            }
            AskUpdate::Refused { text } => {
                self.refused = self.pending.take();
                self.decided = None;
                self.node_failed("send_request", text);
            }
            AskUpdate::Erred { node, text } => self.node_failed(&node, text),
            AskUpdate::Formatted { text, table, more } => {
                self.formatted_response = Some(text.clone());
                let kept = std::mem::take(&mut self.kept).into_iter().map(|answer| answer.digest).collect();
                self.message_history.push(HistoryEntry { role: Role::Agent, text, table, kept, more });
                self.node_succeeded("format_response_node");
            }
            AskUpdate::Ended => self.ended = true,
            AskUpdate::Reset => self.reset(),
        }
    }

    fn title(&self) -> String {
        let first = self.message_history.iter().find(|entry| entry.role == Role::User);
        first.map(|entry| entry.text.lines().next().unwrap_or_default().to_owned()).unwrap_or_default()
    }

    fn output(&self) -> Option<Value> {
        let (index, answer) =
            self.message_history.iter().enumerate().rfind(|(_, entry)| entry.role == Role::Agent)?;
        let question = self.message_history[..index].iter().rfind(|entry| entry.role == Role::User);
        Some(json!({ "answer": answer.text, "query": question.map(|entry| entry.text.as_str()) }))
    }
}

impl Ask {
    /// Adds a note to the answer, once.
    fn note(&mut self, note: Option<String>) {
        self.notes.extend(note.filter(|note| !self.notes.contains(note)));
    }

    /// Starts a new question.
    fn begin(&mut self, query: String) {
        self.message_history.push(HistoryEntry {
            role: Role::User,
            text: query.clone(),
            ..HistoryEntry::default()
        });
        self.messages = Some(vec![Turn { role: Role::User, text: query.clone() }]);
        self.initial_state = Some(Initial { query: query.clone(), follow_up: self.follow_up });
        self.query = Some(query);
    }

    fn add_user_turn(&mut self, text: String) {
        self.messages.get_or_insert_default().push(Turn { role: Role::User, text });
    }

    fn add_agent_turn(&mut self, text: String) {
        self.messages.get_or_insert_default().push(Turn { role: Role::Agent, text });
    }

    fn apply_answer(&mut self, key: &str, decision: Decision) {
        match (key, decision) {
            (REQUEST, decision) => self.decided = Some(decision),
            (NEXT, Decision::Respond { text }) if !farewell::is_end(&text) => {
                self.begin(text);
            }
            (PARAMETER, Decision::Respond { text }) => self.add_user_turn(text),
            _ => self.ended = true,
        }
    }

    /// Parameters set to `None` are extracted again.
    fn set_parameters(&mut self, parameters: Option<Map<String, Value>>) {
        if self.is_second() {
            self.secondary_parameters = parameters;
        } else {
            self.parameters = parameters;
        }
    }

    fn finish_request(&mut self) {
        (self.pending, self.decided, self.refused, self.wanted) = (None, None, None, None);
        self.node_succeeded("send_request");
    }

    fn node_succeeded(&mut self, node: &str) {
        self.error = None;
        self.tries.remove(node);
    }

    fn node_failed(&mut self, node: &str, text: String) {
        *self.tries.entry(node.to_owned()).or_default() += 1;
        if matches!(node, "extract_params_node" | "execute_request_node" | "send_request") {
            self.set_parameters(None);
        }
        self.error = Some(text.clone());
        self.error_history.push(NodeFailure { node: node.to_owned(), text });
        let excess = self.error_history.len().saturating_sub(MAX_ERRORS);
        self.error_history.drain(..excess);
    }

    /// Forgets everything about the question; what belongs to the thread stays.
    fn reset(&mut self) {
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

    /// Whether the second request of a question is next.
    pub fn is_second(&self) -> bool {
        self.response.is_some() && self.secondary_api.is_some()
    }

    /// The operation to ask now.
    pub fn api(&self) -> Option<&Operation> {
        if self.is_second() { self.secondary_api.as_ref() } else { self.best_api.as_ref() }
    }

    /// What the person said about this question after asking it.
    pub fn added(&self) -> Vec<String> {
        let turns = self.messages.iter().flatten();
        turns.filter(|turn| turn.role == Role::User).skip(1).map(|turn| turn.text.clone()).collect()
    }

    /// The question before this one.
    pub fn before(&self) -> Option<&str> {
        let questions = self.message_history.iter().filter(|entry| entry.role == Role::User);
        questions.rev().nth(1).map(|entry| entry.text.as_str())
    }

    /// Whether anything was answered in this thread.
    pub fn has_answered(&self) -> bool {
        self.message_history.iter().any(|entry| entry.role == Role::Agent)
    }

    /// The newest answer, with its table.
    pub fn last_answer(&self) -> Option<(&str, Option<&Table>, &[String])> {
        let last = self.message_history.iter().rfind(|entry| entry.role == Role::Agent)?;
        Some((last.text.as_str(), last.table.as_ref(), &last.kept))
    }

    /// The lists of the newest answer and how far each was shown; `None` if nothing was answered.
    pub fn more(&self) -> Option<&[ListPosition]> {
        let last = self.message_history.iter().rfind(|entry| entry.role == Role::Agent)?;
        Some(&last.more)
    }

    /// The person's newest words, if they answer our question and were not used yet.
    pub fn newest_words(&self) -> Option<&str> {
        match self.messages.as_ref()?.last()? {
            Turn { role: Role::User, text } => Some(text),
            Turn { role: Role::Agent, .. } => None,
        }
    }
}
