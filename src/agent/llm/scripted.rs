//! A model that says what a test wants. It checks nothing: hostile answers are its purpose.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use super::{ModelError, ReadyModel, Reply, Request, ToolCall};

type Answerer = dyn Fn(&Request) -> Result<Reply, ModelError> + Send + Sync;

/// Answers from a queue, or with a closure over the request; remembers every request.
pub struct Scripted {
    label: String,
    queue: Mutex<VecDeque<Result<Reply, ModelError>>>,
    answerer: Option<Box<Answerer>>,
    requests: Mutex<Vec<Request>>,
}

impl Scripted {
    /// Gives these answers in their order, then [`ModelError::NotRecorded`].
    pub fn new(answers: impl IntoIterator<Item = Result<Reply, ModelError>>) -> Self {
        Self {
            label: "scripted".into(),
            queue: Mutex::new(answers.into_iter().collect()),
            answerer: None,
            requests: Mutex::default(),
        }
    }

    /// Gives these texts in their order.
    pub fn texts<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        Self::new(texts.into_iter().map(|text| Ok(Self::text(text))))
    }

    /// Answers each request with `answerer`.
    pub fn by(answerer: impl Fn(&Request) -> Result<Reply, ModelError> + Send + Sync + 'static) -> Self {
        Self { answerer: Some(Box::new(answerer)), ..Self::new([]) }
    }

    /// A reply of words.
    pub fn text(text: &str) -> Reply {
        Reply { text: text.to_owned(), model: "scripted".into(), ..Reply::default() }
    }

    /// A reply that is data.
    pub fn json(value: &Value) -> Reply {
        Self::text(&value.to_string())
    }

    /// A reply of calls, with the ids `call_0`, `call_1` …
    pub fn calls<'a>(calls: impl IntoIterator<Item = (&'a str, Value)>) -> Reply {
        let calls = calls.into_iter().enumerate().map(|(n, (name, args))| ToolCall {
            id: format!("call_{n}"),
            name: name.to_owned(),
            args,
            signature: None,
        });
        Reply { calls: calls.collect(), model: "scripted".into(), ..Reply::default() }
    }

    /// Adds an answer to the queue.
    pub fn push(&self, answer: Result<Reply, ModelError>) {
        lock(&self.queue).push_back(answer);
    }

    /// The requests so far.
    pub fn requests(&self) -> Vec<Request> {
        lock(&self.requests).clone()
    }

    /// How many answers are still in the queue.
    pub fn left(&self) -> usize {
        lock(&self.queue).len()
    }
}

impl ReadyModel for Scripted {
    fn label(&self) -> &str {
        &self.label
    }

    fn answer(&self, request: &Request) -> Result<Reply, ModelError> {
        lock(&self.requests).push(request.clone());
        let queued = lock(&self.queue).pop_front();
        match (queued, &self.answerer) {
            (Some(answer), _) => answer,
            (None, Some(answerer)) => answerer(request),
            (None, None) => Err(ModelError::NotRecorded {
                task: request.task.clone(),
                why: "the script is at its end".into(),
            }),
        }
    }
}

/// A test that failed while holding the lock has already said so.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
