//! What a server asks becomes a question here, and the decision on it the answer to that very request.

use super::connection::{Connection, Said, Trouble};
use crate::agents::hooks::{AppThread, Call, asked_by_server};
use crate::graph::{BoxFuture, ThreadId};
use crate::inbox::{Ending, InboxError, RequestAnswer};
use crate::service::{Inbox, Waited};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use std::time::Duration;
use tokio::time::Instant;

/// How long a server may take to ask again what it asked before the connection.
const ASKS_AGAIN_WITHIN: Duration = Duration::from_secs(3);

/// Follows one server for as long as it is there.
pub(super) struct Follower<'a> {
    inbox: &'a Inbox,
    connection: Connection,
    /// The threads that were joined, by the server's names for them.
    threads: HashMap<String, AppThread>,
    joining: HashSet<String>,
    /// What was asked before it was known of which thread.
    early: Vec<(Value, String, Value)>,
    open: HashMap<String, Open>,
    answers: FuturesUnordered<BoxFuture<'a, (String, Result<Waited, InboxError>)>>,
    /// What the server was asked, by the number of the call.
    calls: HashMap<u64, Calling>,
    /// Questions from before this connection that the server has not asked again.
    unasked: Vec<ThreadId>,
}

/// Something the server was asked.
enum Calling {
    /// Which threads there are.
    Loaded,
    /// How one stands.
    Read,
    /// To let us join one.
    Join(String),
    /// To do something of which nothing has to be known.
    Other,
}

/// A request of the server that is asked here.
struct Open {
    id: Value,
    /// The server's names of the thread and its turn.
    thread: String,
    turn: Option<String>,
    question: ThreadId,
    call: Call,
    /// Whether somebody else has answered it.
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
        }
    }

    /// Until the server is gone.
    pub(super) async fn run(mut self) -> Result<(), Trouble> {
        self.unasked = self.inbox.requests().waited_for_by(self.connection.server())?;
        let settled = Instant::now() + ASKS_AGAIN_WITHIN;
        self.call("thread/loaded/list", json!({}), Calling::Loaded).await?;
        loop {
            tokio::select! {
                said = self.connection.next() => match said? {
                    Some(said) => self.heard(said).await?,
                    None => return Ok(()),
                },
                Some((key, answer)) = self.answers.next() => self.answered(&key, answer).await?,
                () = tokio::time::sleep_until(settled), if !self.unasked.is_empty() => {
                    for question in std::mem::take(&mut self.unasked) {
                        self.inbox.requests().answered_there(&question).await?;
                    }
                }
            }
        }
    }

    async fn call(&mut self, method: &str, params: Value, what: Calling) -> Result<(), Trouble> {
        let number = self.connection.call(method, params).await?;
        self.calls.insert(number, what);
        Ok(())
    }

    async fn heard(&mut self, said: Said) -> Result<(), Trouble> {
        match said {
            // What cannot be shown as it is, is left to Codex's own window.
            Said::Asks { exact: false, .. } => Ok(()),
            Said::Asks { id, method, params, .. } => self.asked(id, method, params).await,
            Said::Tells { method, params } => self.told(&method, &params).await,
            Said::Answers { id, result } => match self.calls.remove(&id) {
                Some(what) => self.came_back(what, result).await,
                None => Ok(()),
            },
        }
    }

    async fn came_back(&mut self, what: Calling, result: Value) -> Result<(), Trouble> {
        match what {
            Calling::Loaded => {
                for thread in result["data"].as_array().into_iter().flatten() {
                    self.call("thread/read", json!({"threadId": thread}), Calling::Read).await?;
                }
                if let Some(cursor) = result["nextCursor"].as_str() {
                    self.call("thread/loaded/list", json!({"cursor": cursor}), Calling::Loaded).await?;
                }
            }
            Calling::Read => {
                let thread = &result["thread"];
                if let Some(id) = thread["id"].as_str().filter(|_| waits(&thread["status"])) {
                    self.join(id).await?;
                }
            }
            Calling::Join(thread) => {
                self.joining.remove(&thread);
                if !result.is_null() {
                    self.threads.insert(thread.clone(), AppThread::joined(&result));
                }
                let is_of = |(_, _, params): &(Value, String, Value)| params["threadId"] == *thread;
                let (of, rest) = std::mem::take(&mut self.early).into_iter().partition(is_of);
                self.early = rest;
                let of: Vec<_> = of;
                for (id, method, params) in of {
                    self.ask_here(id, &method, &params).await?;
                }
            }
            Calling::Other => {}
        }
        Ok(())
    }

    /// Joining a thread, the server tells what it does, and asks again what it waits for.
    async fn join(&mut self, thread: &str) -> Result<(), Trouble> {
        if self.threads.contains_key(thread) || !self.joining.insert(thread.to_owned()) {
            return Ok(());
        }
        let page = json!({"limit": 1, "sortDirection": "desc", "itemsView": "full"});
        let params = json!({"threadId": thread, "excludeTurns": true, "initialTurnsPage": page});
        self.call("thread/resume", params, Calling::Join(thread.to_owned())).await
    }

    async fn told(&mut self, method: &str, params: &Value) -> Result<(), Trouble> {
        let Some(thread) = params["threadId"].as_str() else { return Ok(()) };
        match method {
            "thread/status/changed" if waits(&params["status"]) => self.join(thread).await?,
            "thread/status/changed" | "thread/closed" => {
                self.over(|open| open.thread == thread).await?;
                // In its turn it may wait again.
                if params["status"]["type"] != "active" && self.threads.remove(thread).is_some() {
                    let params = json!({"threadId": thread});
                    self.call("thread/unsubscribe", params, Calling::Other).await?;
                }
            }
            "serverRequest/resolved" => self.over(|open| open.id == params["requestId"]).await?,
            "item/started" => {
                if let Some(thread) = self.threads.get_mut(thread) {
                    thread.began(&params["item"]);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Questions that somebody else has answered are taken back.
    async fn over(&mut self, is_over: impl Fn(&Open) -> bool) -> Result<(), Trouble> {
        for open in self.open.values_mut().filter(|open| is_over(open) && !open.answered_there) {
            open.answered_there = true;
            self.inbox.requests().answered_there(&open.question).await?;
        }
        Ok(())
    }

    async fn asked(&mut self, id: Value, method: String, params: Value) -> Result<(), Trouble> {
        let Some(thread) = params["threadId"].as_str() else { return Ok(()) };
        if self.joining.contains(thread) {
            self.early.push((id, method, params));
            return Ok(());
        }
        self.ask_here(id, &method, &params).await
    }

    async fn ask_here(&mut self, id: Value, method: &str, params: &Value) -> Result<(), Trouble> {
        let thread = params["threadId"].as_str().unwrap_or_default();
        let turn = params["turnId"].as_str();
        let server = self.connection.server();
        // The server counts its requests from its own start.
        let key = format!("codex:{}:{}:{id}:{thread}:{}", server.pid, server.born, turn.unwrap_or_default());
        if self.open.contains_key(&key) {
            return Ok(());
        }
        let Some(about) = self.threads.get(thread) else { return Ok(()) };
        let Some(call) = asked_by_server(method, params, about) else { return Ok(()) };
        let asked = match self.inbox.requests().ask(call.asking_for(server, key.clone())).await {
            Ok(asked) => asked,
            Err(error) => {
                tracing::warn!(%error, "what Codex asks cannot be asked here; it asks in its own window");
                return Ok(());
            }
        };
        let question = asked.thread;
        self.unasked.retain(|unasked| *unasked != question);
        let (thread, turn) = (thread.to_owned(), turn.map(str::to_owned));
        let open = Open { id, thread, turn, question: question.clone(), call, answered_there: false };
        self.open.insert(key.clone(), open);
        let inbox = self.inbox;
        self.answers.push(Box::pin(async move {
            let answer = inbox.requests().wait(&question, std::future::pending()).await;
            (key, answer)
        }));
        Ok(())
    }

    /// A question has its answer; the server is told, unless it has one already.
    async fn answered(&mut self, key: &str, answer: Result<Waited, InboxError>) -> Result<(), Trouble> {
        let Some(open) = self.open.remove(key) else { return Ok(()) };
        let Waited::Answered(answer) = answer? else { return Ok(()) };
        if open.answered_there {
            if is_decided(&answer) {
                self.inbox.requests().came_too_late(&open.question).await?;
            }
            return Ok(());
        }
        let Some(result) = open.call.reply(&answer) else { return Ok(()) };
        self.connection.answer(&open.id, &result).await?;
        let Some(turn) = &open.turn else { return Ok(()) };
        if Call::is_stopped(&answer) {
            let params = json!({"threadId": open.thread, "turnId": turn});
            self.call("turn/interrupt", params, Calling::Other).await?;
        } else if let Some(words) = open.call.words_with(&answer) {
            let words = json!([{"type": "text", "text": words}]);
            let params = json!({"threadId": open.thread, "expectedTurnId": turn, "input": words});
            self.call("turn/steer", params, Calling::Other).await?;
        }
        Ok(())
    }
}

/// Whether a thread waits for somebody, by its status.
fn waits(status: &Value) -> bool {
    let flags = status["activeFlags"].as_array();
    flags.is_some_and(|flags| {
        flags.iter().any(|flag| flag == "waitingOnApproval" || flag == "waitingOnUserInput")
    })
}

/// Whether a person answered, and not the time or the asker.
fn is_decided(answer: &RequestAnswer) -> bool {
    matches!(answer.r#type, Some(Ending::Accept | Ending::Edit | Ending::Respond | Ending::Ignore))
}
