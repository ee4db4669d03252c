//! A model that replies as a test says, and the list of models it is in.

use sayso::agent::llm::{
    BoxFuture, Builtin, Message, Model, ModelError, OnText, Reply, Request, Scripted, quiet,
};
use sayso::agent::{Models, Picked};
use sayso::workflows::RULES;
use serde_json::{Value, json};
use std::collections::{HashMap, VecDeque};
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

type Answer = Result<Reply, ModelError>;

/// The model `main`, beside another one named `other`. Remembers every request.
pub struct FakeModel {
    main: Arc<Scripted>,
    other: Arc<Scripted>,
    queued: Arc<Mutex<HashMap<String, VecDeque<Reply>>>>,
    is_builtin: bool,
    is_person: bool,
    server: Option<String>,
}

impl Default for FakeModel {
    fn default() -> Self {
        Self::new([])
    }
}

impl FakeModel {
    /// Gives these answers in order.
    pub fn new(answers: impl IntoIterator<Item = Answer>) -> Self {
        let model = Self::by(|request| {
            Err(ModelError::NotRecorded {
                task: request.task.clone(),
                why: "the script is at its end".into(),
            })
        });
        answers.into_iter().for_each(|answer| model.main.push(answer));
        model
    }

    /// Calls `answer` for every task without a queued reply.
    pub fn by(answer: impl Fn(&Request) -> Answer + Send + Sync + 'static) -> Self {
        let queued = Arc::<Mutex<HashMap<String, VecDeque<Reply>>>>::default();
        let replies = queued.clone();
        let main = Scripted::by(move |request| {
            let next = replies.lock().unwrap().get_mut(&request.task).and_then(VecDeque::pop_front);
            next.map_or_else(|| answer(request), Ok)
        });
        let other = Scripted::by(|request| Ok(Scripted::text(&format!("Other: {}", request.task))));
        Self {
            main: Arc::new(main),
            other: Arc::new(other),
            queued,
            is_builtin: false,
            is_person: false,
            server: None,
        }
    }

    /// The built-in rules: triage, memory, and replies from the person's own words.
    pub fn rules() -> Self {
        Self::by(answer_by_rules).builtin()
    }

    /// Passes for the built-in rules, which workflows treat as always available.
    pub fn builtin(self) -> Self {
        Self { is_builtin: true, ..self }
    }

    /// A person in the place of every model.
    pub fn person() -> Self {
        let model = Self::by(|request| panic!("a model was asked for {}", request.task));
        Self { is_person: true, ..model.builtin() }
    }

    /// Has a server address, so that being unreachable is the trouble of the server and not of a thread.
    pub fn at(self, server: &str) -> Self {
        Self { server: Some(server.to_owned()), ..self }
    }

    /// Queues replies for a task.
    pub fn queue(&self, task: &str, replies: impl IntoIterator<Item = Reply>) {
        self.queued.lock().unwrap().entry(task.to_owned()).or_default().extend(replies);
    }

    /// All requests to `main`.
    pub fn requests(&self) -> Vec<Request> {
        self.main.requests()
    }

    pub fn requests_for(&self, task: &str) -> Vec<Request> {
        self.requests().into_iter().filter(|request| request.task == task).collect()
    }

    pub fn tasks(&self) -> Vec<String> {
        self.requests().into_iter().map(|request| request.task).collect()
    }

    /// How often `other` was asked.
    pub fn asked_other(&self) -> usize {
        self.other.requests().len()
    }

    /// The last message of the last request to `main`.
    pub fn last_words(&self) -> String {
        words(&self.requests().pop().unwrap())
    }
}

/// Says that every text is what was asked for, unless a test has queued what it says about one. Such checks are no part
/// of what most tests are about, so they use up no answer and are not remembered.
struct Content {
    model: Arc<Scripted>,
    queued: Arc<Mutex<HashMap<String, VecDeque<Reply>>>>,
}

impl Model for Content {
    fn label(&self) -> &str {
        self.model.label()
    }

    fn complete<'a>(&'a self, request: &'a Request, on_text: OnText<'a>) -> BoxFuture<'a, Answer> {
        if request.task != "text.check" {
            return self.model.complete(request, on_text);
        }
        let queued = self.queued.lock().unwrap().get_mut("text.check").and_then(VecDeque::pop_front);
        let answer = queued.unwrap_or_else(|| Scripted::json(&json!({"is_wanted": true})));
        Box::pin(async { Ok(answer) })
    }
}

impl Models for FakeModel {
    fn pick(&self, _: &str, _: &str, name: Option<&str>) -> Result<Picked, ModelError> {
        let person = self.is_person || name == Some("me");
        let model = if name == Some("other") { &self.other } else { &self.main };
        let model = Arc::new(Content { model: model.clone(), queued: self.queued.clone() });
        let name = "scripted".to_owned();
        Ok(Picked {
            model,
            name,
            // Rules stand in for the person where nobody is asked.
            builtin: self.is_builtin || person,
            person,
            server: self.server.clone(),
            window: None,
        })
    }

    fn pick_only(&self, name: &str) -> Result<Picked, ModelError> {
        self.pick("", "", Some(name))
    }

    fn check_name(&self, name: &str) -> Result<(), String> {
        if ["main", "other", "me"].contains(&name) { Ok(()) } else { Err("there are main, other".to_owned()) }
    }

    fn has_any(&self) -> bool {
        !self.is_person
    }

    fn check_answers(&self, _: &str, _: &[&str], _: &Value) -> Result<(), String> {
        Ok(())
    }
}

/// The answer of the built-in rules.
pub fn answer_by_rules(request: &Request) -> Answer {
    let rules = Builtin::new("builtin", RULES);
    let mut answer = pin!(rules.complete(request, &quiet));
    match answer.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(reply) => reply,
        Poll::Pending => panic!("the built-in rules wait"),
    }
}

/// The text of a request's last message.
pub fn words(request: &Request) -> String {
    match request.messages.last().unwrap() {
        Message::User { text } | Message::Tool { text, .. } | Message::Assistant { text, .. } => text.clone(),
    }
}
