//! A server of the Model Context Protocol over stdin and stdout: agents ask the person by calling tools.
//!
//! Promises: stdout carries only the protocol; every request is answered once, or not at all after it was cancelled; a
//! call waits as long as its client does, and reports progress; if the client would not wait that long, it gets a
//! ticket to come back with. A question is closed if its call is cancelled, its client is gone, or a signal ends its
//! server, unless it has a key.
//!
//! Written by hand: a server with five tools needs only lines of JSON and six methods of the protocol, and the SDK
//! would bring more crates than that is worth.

mod message;
mod tools;

use crate::engine::graph::Waiting;
use crate::inbox::door::{Inbox, WaitResult};
use crate::inbox::{InboxError, RequestAnswer};
use crate::text::{Visible, plain_json};
use crate::tools::process::Process;
use message::{Message, error, reply};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::future::Future;
use std::io::{BufRead, Read};
use std::os::fd::AsFd;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tools::{Call, ToolAction};

/// More bytes than any message needs.
const LONGEST_LINE: u64 = 4 * 1024 * 1024;

/// How often a client that wants progress is told that nothing has happened yet.
const PROGRESS_EVERY: Duration = Duration::from_secs(5);

/// How long a client without progress waits: most give up after a minute.
const SILENT_PATIENCE: Duration = Duration::from_secs(50);

/// Serves on stdin and stdout until the client closes its end, or `stop` comes.
pub async fn serve(inbox: Inbox, stop: impl Future<Output = ()>) -> std::io::Result<()> {
    let stdout = std::io::stdout().as_fd().try_clone_to_owned()?;
    let output = tokio::fs::File::from_std(std::fs::File::from(stdout));
    Server::new(inbox).run(lines(std::io::BufReader::new(std::io::stdin())), output, stop).await
}

/// The client's lines, read on a separate thread. Nobody waits for that thread when a signal ends the server while the
/// client keeps its end open.
fn lines(input: impl BufRead + Send + 'static) -> mpsc::Receiver<std::io::Result<Vec<u8>>> {
    let (sender, lines) = mpsc::channel(16);
    std::thread::spawn(move || {
        let mut input = input;
        loop {
            let mut line = Vec::new();
            let read = (&mut input).take(LONGEST_LINE + 1).read_until(b'\n', &mut line);
            if matches!(read, Ok(0)) || sender.blocking_send(read.map(|_| line)).is_err() {
                return;
            }
        }
    });
    lines
}

/// One client's server.
struct Server {
    inbox: Inbox,
    /// The client's name for itself.
    client: Mutex<Option<String>>,
    /// The active calls, each with a way to stop it.
    calls: Mutex<HashMap<String, watch::Sender<bool>>>,
}

type Out = mpsc::UnboundedSender<Value>;

impl Server {
    fn new(inbox: Inbox) -> Arc<Self> {
        Arc::new(Self { inbox, client: Mutex::default(), calls: Mutex::default() })
    }

    async fn run(
        self: Arc<Self>,
        mut input: mpsc::Receiver<std::io::Result<Vec<u8>>>,
        output: impl AsyncWrite + Unpin + Send + 'static,
        stop: impl Future<Output = ()>,
    ) -> std::io::Result<()> {
        let (out, lines) = mpsc::unbounded_channel();
        let writing = tokio::spawn(write(lines, output));
        let mut calls = JoinSet::new();
        tokio::pin!(stop);
        let mut broken = Ok(());
        loop {
            let line = tokio::select! {
                line = input.recv() => line,
                () = &mut stop => None,
            };
            let line = match line {
                Some(Ok(line)) => line,
                Some(Err(error)) => {
                    broken = Err(error);
                    break;
                }
                None => break,
            };
            if line.len() as u64 > LONGEST_LINE {
                // The rest of the input starts in the middle of a message; we cannot get back in step.
                let _ = out.send(error(Value::Null, -32700, "the message is too long"));
                break;
            }
            for message in message::read(&line) {
                self.clone().take(message, &out, &mut calls);
            }
            while calls.try_join_next().is_some() {}
        }
        // The client is gone, or will be: nobody needs these answers any more.
        for stop in self.locked().values() {
            let _ = stop.send(true);
        }
        while calls.join_next().await.is_some() {}
        drop(out);
        let _ = writing.await;
        broken
    }

    fn locked(&self) -> std::sync::MutexGuard<'_, HashMap<String, watch::Sender<bool>>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(self: Arc<Self>, message: Message, out: &Out, calls: &mut JoinSet<()>) {
        let answer = match message {
            Message::Bad(bad) => bad,
            Message::Notice { method, params } => {
                if method == "notifications/cancelled"
                    && let Some(stop) =
                        params.get("requestId").and_then(|id| self.locked().remove(&id.to_string()))
                {
                    let _ = stop.send(true);
                }
                return;
            }
            Message::Request { id, method, params } if method == "tools/call" => {
                let (stop, stopped) = watch::channel(false);
                // A call with an id that is still in use replaces the earlier call.
                if let Some(earlier) = self.locked().insert(id.to_string(), stop) {
                    let _ = earlier.send(true);
                }
                let out = out.clone();
                calls.spawn(async move {
                    let answer = self.call(&params, &out, stopped.clone()).await;
                    let cancelled = *stopped.borrow();
                    if !cancelled {
                        self.locked().remove(&id.to_string());
                        let _ = out.send(match answer {
                            Ok(result) => reply(id, result),
                            Err((code, text)) => error(id, code, &text),
                        });
                    }
                });
                return;
            }
            Message::Request { id, method, params } => match method.as_str() {
                "initialize" => reply(id, self.initialize(&params)),
                "ping" => reply(id, json!({})),
                "tools/list" => reply(id, json!({"tools": tools::list()})),
                other => error(id, -32601, &format!("there is no method `{}`", Visible::line(other))),
            },
        };
        let _ = out.send(answer);
    }

    fn initialize(&self, params: &Value) -> Value {
        let name = params.pointer("/clientInfo/name").and_then(Value::as_str);
        let name = name.map(|name| Visible::line(name).as_str().chars().take(60).collect());
        *self.client.lock().unwrap_or_else(PoisonError::into_inner) = name;
        json!({
            "protocolVersion": message::version(params.get("protocolVersion").and_then(Value::as_str)),
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "sayso", "title": "sayso", "version": env!("CARGO_PKG_VERSION")},
            "instructions": "Ask the person before you act, and when you do not know. A call may take long: people \
                think. Where the result of a question says answered: false, go on with something else and come back \
                with check_answer and its ticket. notify_person needs no answer.",
        })
    }

    async fn call(
        &self,
        params: &Value,
        out: &Out,
        stopped: watch::Receiver<bool>,
    ) -> Result<Value, (i64, String)> {
        let client = self.client.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let tool = params.get("name").and_then(Value::as_str).unwrap_or_default();
        let call = match tools::read(params, client.as_deref()) {
            Ok(call) => call,
            Err(tools::ToolCallError::Tool(name)) => {
                return Err((-32602, format!("there is no tool `{}`", Visible::line(&name))));
            }
            Err(tools::ToolCallError::Arguments(text)) => return Ok(tools::failed(tool, &text)),
        };
        let token =
            params.pointer("/_meta/progressToken").filter(|token| token.is_string() || token.is_number());
        let token = token.cloned();
        let Call { wish, wait, permits } = call;
        let only_tells = matches!(wish, ToolAction::Tell(_));
        let answer = self.carry_out(wish, wait, token, out, stopped).await;
        Ok(match (answer, permits) {
            (Ok(answer), Some(call)) => tools::permitted(&call.prompt_reply(&answer)),
            (Err(error), Some(call)) => tools::permitted(&call.prompt_refused(&error.to_string())),
            (Ok(answer), None) if only_tells => tools::told_result(&answer),
            (Ok(answer), None) => tools::answer_result(&answer),
            (Err(error), None) => tools::failed(tool, &error.to_string()),
        })
    }

    async fn carry_out(
        &self,
        wish: ToolAction,
        wait: Option<Duration>,
        token: Option<Value>,
        out: &Out,
        mut stopped: watch::Receiver<bool>,
    ) -> Result<RequestAnswer, InboxError> {
        let (asked, keeps) = match wish {
            ToolAction::Ask(mut asking) => {
                let keeps = asking.key.is_some();
                if asking.input.get("waiting").is_none() {
                    asking.input["waiting"] = json!(Waiting::default());
                }
                asking.input["asker"] = json!(Process::current());
                // Without a key, nobody could come back for the answer after this server is gone.
                asking.input["stays"] = json!(keeps);
                (self.inbox.requests().ask(asking).await?, keeps)
            }
            ToolAction::Tell(asking) => return self.inbox.requests().ask(asking).await,
            ToolAction::Look(id) => (self.inbox.requests().answer(&id).await?, true),
        };
        let result = async {
            // A dropped sender means stop as well.
            let _ = stopped.wait_for(|stop| *stop).await;
        };
        let reporting = report(token.clone(), &asked, out);
        let patience = async {
            match wait.or(token.is_none().then_some(SILENT_PATIENCE)) {
                Some(wait) => tokio::time::sleep(wait).await,
                None => std::future::pending().await,
            }
        };
        let waited = tokio::select! {
            waited = self.inbox.requests().wait(&asked.thread, result) => waited?,
            () = patience => return self.inbox.requests().answer_in(&asked.thread).await,
            () = reporting => WaitResult::Told,
        };
        match waited {
            WaitResult::Answered(answer) => Ok(answer),
            WaitResult::Told => {
                if !keeps {
                    self.inbox.requests().withdraw(&asked.thread).await?;
                }
                self.inbox.requests().answer_in(&asked.thread).await
            }
        }
    }
}

/// Sends progress to a client that wants it, as long as nothing happens.
async fn report(token: Option<Value>, asked: &RequestAnswer, out: &Out) {
    let Some(token) = token else { return std::future::pending().await };
    for n in 1u64.. {
        let params = json!({
            "progressToken": token,
            "progress": n,
            "message": format!("waiting for the person (ticket {})", asked.id),
        });
        let _ = out.send(json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params}));
        tokio::time::sleep(PROGRESS_EVERY).await;
    }
}

/// Writes messages, one per line.
async fn write(mut lines: mpsc::UnboundedReceiver<Value>, mut output: impl AsyncWrite + Unpin) {
    while let Some(line) = lines.recv().await {
        let Ok(text) = plain_json(&line) else { continue };
        let written = async {
            output.write_all(text.as_bytes()).await?;
            output.write_all(b"\n").await?;
            output.flush().await
        };
        // A client that stops reading will also close its other end.
        if written.await.is_err() {
            return;
        }
    }
}
