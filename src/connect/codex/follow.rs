//! Turns a server's requests into questions here, and sends the decision as the answer to that exact request.

use super::connection::{Connection, FollowError, ServerMessage};
use crate::connect::hooks::{AppThread, Call, call_from_request};
use crate::engine::graph::{BoxFuture, ThreadId};
use crate::inbox::door::{Inbox, WaitResult};
use crate::inbox::{Ending, InboxError};
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, StreamExt};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use std::time::Duration;
use tokio::time::Instant;

/// How long a server may take to repeat its earlier requests after we joined its threads.
const ASKS_AGAIN_WITHIN: Duration = Duration::from_secs(3);

/// Stored with an answer that came too late.
const BEFORE: &str = "it was answered there before, in the agent's own window";

/// Stored if the connection broke, so that nobody knows whether the answer arrived.
const UNHEARD: &str = "the agent did not say that it heard this; it may have been answered there";

/// How many messages we read before sending an answer.
const MAX_AT_ONCE: usize = 1000;

/// How long to wait before storing a note again that could not be stored, or not yet.
const KEEP_AGAIN_AFTER: Duration = Duration::from_secs(1);

/// Follows one server as long as it runs.
pub(super) struct Follower<'a> {
    inbox: &'a Inbox,
    connection: Connection,
    /// The threads we joined, by the server's names for them.
    threads: HashMap<String, AppThread>,
    joining: HashSet<String>,
    /// Requests that came while we were still joining their thread.
    early: Vec<(Value, String, Value)>,
    open: HashMap<String, OpenRequest>,
    answers: FuturesUnordered<BoxFuture<'a, (String, Result<WaitResult, InboxError>)>>,
    /// Our calls to the server, by number.
    calls: HashMap<u64, PendingCall>,
    /// Questions from before this connection that the server has not repeated yet.
    unasked: Vec<ThreadId>,
    /// Notes still to be stored, each with the time it is due.
    notes: Vec<(Instant, RecordNote)>,
    /// The answers we sent, until we know whether they counted.
    sent: Vec<SentAnswer>,
}

/// Something to store with a question.
#[derive(Clone, PartialEq)]
enum RecordNote {
    /// It was answered there.
    There(ThreadId),
    /// It was not asked again.
    Unasked(ThreadId),
    /// The server received the answer.
    Delivered(ThreadId),
}

/// An answer that we sent to the server.
struct SentAnswer {
    id: Value,
    item: Option<String>,
    question: ThreadId,
    allowed: bool,
}

/// A call to the server.
enum PendingCall {
    /// Lists the loaded threads.
    Loaded,
    /// Reads a thread's status.
    Read,
    /// Joins a thread.
    Join(String),
    /// A call whose result we do not need.
    Other,
}

/// A server's request that is asked here.
struct OpenRequest {
    id: Value,
    /// The server's names for the thread and its turn.
    thread: String,
    turn: Option<String>,
    /// The item it is about, if it is about exactly one.
    item: Option<String>,
    question: ThreadId,
    call: Call,
    /// Whether it was answered there.
    answered_there: bool,
}

impl<'a> Follower<'a> {
    pub(super) fn new(inbox: &'a Inbox, connection: Connection) -> Self {
        Self {
            inbox,
            connection,
            threads: HashMap::new(),
            joining: HashSet::new(),
            early: Vec::new(),
            open: HashMap::new(),
            answers: FuturesUnordered::new(),
            calls: HashMap::new(),
            unasked: Vec::new(),
            notes: Vec::new(),
            sent: Vec::new(),
        }
    }

    /// Runs until the server is gone.
    pub(super) async fn run(mut self) -> Result<(), FollowError> {
        self.unasked = self.inbox.requests().waited_for_by(self.connection.server())?;
        self.call("thread/loaded/list", json!({}), PendingCall::Loaded).await?;
        loop {
            let due = self.notes.iter().map(|(due, _)| *due).min();
            tokio::select! {
                message = self.connection.next() => match message? {
                    Some(message) => self.handle_message(message).await?,
                    None => return Ok(()),
                },
                Some((key, answer)) = self.answers.next() => self.handle_answer(&key, answer).await?,
                () = tokio::time::sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => {
                    self.write_notes().await;
                }
            }
        }
    }

    /// Stores the notes that are due. If a note cannot be stored (the store is busy, an answer is held), we try again.
    async fn write_notes(&mut self) {
        let now = Instant::now();
        let due = self.notes.extract_if(.., |(due, _)| *due <= now).collect::<Vec<_>>();
        for (_, note) in due {
            let recorded = match &note {
                RecordNote::There(question) => {
                    self.inbox.requests().record_answer_at_source(question, BEFORE).await
                }
                RecordNote::Unasked(question) => {
                    self.inbox.requests().record_answer_at_source(question, UNHEARD).await
                }
                RecordNote::Delivered(question) => self.inbox.requests().record_delivery(question).await,
            };
            if let Err(error) = &recorded {
                tracing::warn!(%error, "what became of a question of Codex cannot be kept now");
            }
            if !recorded.unwrap_or(false) {
                self.notes.push((Instant::now() + KEEP_AGAIN_AFTER, note));
            }
        }
    }

    async fn call(&mut self, method: &str, params: Value, pending: PendingCall) -> Result<(), FollowError> {
        let number = self.connection.call(method, params).await?;
        self.calls.insert(number, pending);
        Ok(())
    }

    async fn handle_message(&mut self, message: ServerMessage) -> Result<(), FollowError> {
        match message {
            // Requests that we cannot show exactly are left to Codex's own window.
            ServerMessage::Asks { exact: false, .. } => Ok(()),
            ServerMessage::Asks { id, method, params, .. } => self.handle_request(id, method, params).await,
            ServerMessage::Tells { method, params } => self.handle_notification(&method, &params).await,
            ServerMessage::Answers { id, result } => match self.calls.remove(&id) {
                Some(pending) => self.handle_result(pending, result).await,
                None => Ok(()),
            },
        }
    }

    async fn handle_result(&mut self, pending: PendingCall, result: Value) -> Result<(), FollowError> {
        match pending {
            PendingCall::Loaded => {
                for thread in result["data"].as_array().into_iter().flatten() {
                    self.call("thread/read", json!({"threadId": thread}), PendingCall::Read).await?;
                }
                if let Some(cursor) = result["nextCursor"].as_str() {
                    self.call("thread/loaded/list", json!({"cursor": cursor}), PendingCall::Loaded).await?;
                }
            }
            PendingCall::Read => {
                let thread = &result["thread"];
                if let Some(id) = thread["id"].as_str().filter(|_| waits_for_person(&thread["status"])) {
                    self.join(id).await?;
                }
            }
            PendingCall::Join(thread) => {
                self.joining.remove(&thread);
                if !result.is_null() {
                    self.threads.insert(thread.clone(), AppThread::joined(&result));
                }
                let is_of = |(_, _, params): &(Value, String, Value)| params["threadId"] == *thread;
                let (waiting, rest) = std::mem::take(&mut self.early).into_iter().partition(is_of);
                self.early = rest;
                let waiting: Vec<_> = waiting;
                for (id, method, params) in waiting {
                    self.ask_person(id, &method, &params).await?;
                }
            }
            PendingCall::Other => {}
        }
        // All waiting threads are joined: questions that are not repeated soon were answered.
        if self.calls.values().all(|call| matches!(call, PendingCall::Other)) {
            let due = Instant::now() + ASKS_AGAIN_WITHIN;
            self.notes.extend(self.unasked.drain(..).map(|question| (due, RecordNote::Unasked(question))));
        }
        Ok(())
    }

    /// Joins a thread: the server then reports what the thread does, and repeats its open requests.
    async fn join(&mut self, thread: &str) -> Result<(), FollowError> {
        if self.threads.contains_key(thread) || !self.joining.insert(thread.to_owned()) {
            return Ok(());
        }
        let page = json!({"limit": 1, "sortDirection": "desc", "itemsView": "full"});
        let params = json!({"threadId": thread, "excludeTurns": true, "initialTurnsPage": page});
        self.call("thread/resume", params, PendingCall::Join(thread.to_owned())).await
    }

    async fn handle_notification(&mut self, method: &str, params: &Value) -> Result<(), FollowError> {
        let Some(thread) = params["threadId"].as_str() else { return Ok(()) };
        match method {
            "thread/status/changed" if waits_for_person(&params["status"]) => self.join(thread).await?,
            "thread/status/changed" | "thread/closed" => {
                self.withdraw_closed(|open| open.thread == thread);
                self.early.retain(|(_, _, params)| params["threadId"] != thread);
                // Within its turn it may wait again.
                if params["status"]["type"] != "active" && self.threads.remove(thread).is_some() {
                    let params = json!({"threadId": thread});
                    self.call("thread/unsubscribe", params, PendingCall::Other).await?;
                }
            }
            "serverRequest/resolved" => {
                let matching = self.sent.iter().filter(|sent| sent.id == params["requestId"]);
                let now = Instant::now();
                self.notes.extend(matching.map(|sent| (now, RecordNote::Delivered(sent.question.clone()))));
                // For the others we wait until the item completes.
                self.sent.retain(|sent| sent.id != params["requestId"] || sent.item.is_some());
                self.withdraw_closed(|open| open.id == params["requestId"]);
                self.early.retain(|(id, ..)| *id != params["requestId"]);
            }
            "item/started" => {
                if let Some(thread) = self.threads.get_mut(thread) {
                    thread.began(&params["item"]);
                }
            }
            "item/fileChange/patchUpdated" => {
                if let (Some(thread), Some(item)) = (self.threads.get_mut(thread), params["itemId"].as_str())
                {
                    thread.changed(item, &params["changes"]);
                }
            }
            "item/completed" => {
                let item = &params["item"];
                if let Some(thread) = self.threads.get_mut(thread) {
                    thread.ended(item);
                }
                let is_of = |sent: &mut SentAnswer| {
                    sent.item.is_some() && sent.item.as_deref() == item["id"].as_str()
                };
                for sent in self.sent.extract_if(.., is_of) {
                    let other = if sent.allowed { "declined" } else { "completed" };
                    // Somebody there was faster and decided differently.
                    if item["status"] == other {
                        self.notes.push((Instant::now(), RecordNote::There(sent.question)));
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Withdraws questions that were answered there.
    fn withdraw_closed(&mut self, is_over: impl Fn(&OpenRequest) -> bool) {
        for open in self.open.values_mut().filter(|open| is_over(open) && !open.answered_there) {
            open.answered_there = true;
            self.notes.push((Instant::now(), RecordNote::There(open.question.clone())));
        }
    }

    /// Processes all messages that have already arrived.
    async fn catch_up(&mut self) -> Result<(), FollowError> {
        for _ in 0..MAX_AT_ONCE {
            match self.connection.next().now_or_never() {
                Some(message) => match message? {
                    Some(message) => self.handle_message(message).await?,
                    None => break,
                },
                None => break,
            }
        }
        Ok(())
    }

    async fn handle_request(&mut self, id: Value, method: String, params: Value) -> Result<(), FollowError> {
        let Some(thread) = params["threadId"].as_str() else { return Ok(()) };
        if self.joining.contains(thread) {
            self.early.push((id, method, params));
            return Ok(());
        }
        self.ask_person(id, &method, &params).await
    }

    async fn ask_person(&mut self, id: Value, method: &str, params: &Value) -> Result<(), FollowError> {
        let thread = params["threadId"].as_str().unwrap_or_default();
        let turn = params["turnId"].as_str();
        let server = self.connection.server();
        // The server numbers its requests from its own start.
        let key = format!("codex:{}:{}:{id}:{thread}:{}", server.pid, server.born, turn.unwrap_or_default());
        if self.open.contains_key(&key) {
            return Ok(());
        }
        let Some(about) = self.threads.get(thread) else { return Ok(()) };
        let Some(call) = call_from_request(method, params, about) else { return Ok(()) };
        let asked = match self.inbox.requests().ask(call.new_request_for_server(server, key.clone())).await {
            Ok(asked) => asked,
            Err(error) => {
                tracing::warn!(%error, "what Codex asks cannot be asked here; it asks in its own window");
                return Ok(());
            }
        };
        let question = asked.thread;
        self.unasked.retain(|unasked| *unasked != question);
        self.notes.retain(|(_, note)| *note != RecordNote::Unasked(question.clone()));
        let item = params["itemId"].as_str().filter(|_| params["approvalId"].is_null()).map(str::to_owned);
        if let Some(item) = &item {
            // It asks about the same item again: the earlier answer counted.
            self.sent.retain(|sent| sent.item.as_ref() != Some(item));
        }
        let (thread, turn) = (thread.to_owned(), turn.map(str::to_owned));
        let open =
            OpenRequest { id, thread, turn, item, question: question.clone(), call, answered_there: false };
        self.open.insert(key.clone(), open);
        let inbox = self.inbox;
        self.answers.push(Box::pin(async move {
            let answer = inbox.requests().wait(&question, std::future::pending()).await;
            (key, answer)
        }));
        Ok(())
    }

    /// Sends an answer to the server, unless it was answered there.
    async fn handle_answer(
        &mut self,
        key: &str,
        answer: Result<WaitResult, InboxError>,
    ) -> Result<(), FollowError> {
        let WaitResult::Answered(answer) = answer? else { return Ok(()) };
        self.catch_up().await?;
        let Some(open) = self.open.remove(key) else { return Ok(()) };
        if open.answered_there {
            return Ok(());
        }
        let Some(result) = open.call.reply(&answer) else {
            // Codex's own question stays open and may still be answered there.
            self.open.insert(key.to_owned(), open);
            return Ok(());
        };
        self.connection.answer(&open.id, &result).await?;
        let allowed = answer.r#type == Some(Ending::Accept);
        let (id, item, question) = (open.id.clone(), open.item.clone(), open.question.clone());
        self.sent.push(SentAnswer { id, item, question, allowed });
        let Some(turn) = &open.turn else { return Ok(()) };
        if Call::is_stopped(&answer) {
            let params = json!({"threadId": open.thread, "turnId": turn});
            self.call("turn/interrupt", params, PendingCall::Other).await?;
        } else if let Some(words) = open.call.refusal_text(&answer) {
            let words = json!([{"type": "text", "text": words}]);
            let params = json!({"threadId": open.thread, "expectedTurnId": turn, "input": words});
            self.call("turn/steer", params, PendingCall::Other).await?;
        }
        Ok(())
    }
}

/// Whether a thread waits for a person, by its status.
fn waits_for_person(status: &Value) -> bool {
    let flags = status["activeFlags"].as_array();
    flags.is_some_and(|flags| {
        flags.iter().any(|flag| flag == "waitingOnApproval" || flag == "waitingOnUserInput")
    })
}
