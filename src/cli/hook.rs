//! `sayso request --hook`: reads an event, asks, and prints what the agent should do.

use super::called::program_as_called;
use super::context::Context;
use super::drive::Signals;
use super::failure::{Exit, Failure};
use super::output::{Output, safe_json};
use crate::connect::codex::starter_is_followed;
use crate::connect::hooks::{self, Call, HookEvent};
use crate::connect::setup::Places;
use crate::dialects::Agent;
use crate::inbox::door::{Inbox, News, Recorded, SessionNews};
use crate::inbox::{Ending, RequestAnswer};
use jiff::Timestamp;
use serde_json::Value;
use std::time::Duration;

/// How long a hook waits at most for another process that has the database locked: on a slow disk each write takes
/// seconds, but an agent is waiting, too.
const LOCK_WAIT: Duration = Duration::from_secs(30);

/// Which calls a hook asks about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    All,
    /// Those that sayso would warn about.
    Warned,
}

/// Asks about the event on stdin, and prints what the agent should do.
pub(super) async fn run(
    agent: Agent,
    context: Context,
    timeout: Duration,
    scope: Scope,
) -> Result<Output, Failure> {
    let context = context.with_lock_wait(timeout.min(LOCK_WAIT));
    let event = hooks::read_event(std::io::stdin().lock()).map_err(Failure::usage)?;
    // Claude Code sets this for every program it starts.
    let headless = context.env().get("CLAUDE_CODE_SESSION_ATTENDED").is_some_and(|is| is == "0");
    let hook_event = hooks::read(agent, &event, headless).map_err(Failure::usage)?;
    let session_event =
        SessionEvent { news: hooks::read_news(agent, &event, context.format.now, context.env()), event };
    match hook_event {
        HookEvent::Asks(call) if is_left_to_server(&call, &session_event.event, &context) => {
            if let Ok(folder) = context.open() {
                session_event.record(folder.inbox()).await;
            }
            Ok(Output::nothing())
        }
        HookEvent::Asks(call) if is_of_ours(&call, &context) => {
            let format = context.format.clone();
            match call.allowed() {
                Some(decision) => format.program(&decision, safe_json(&decision)?),
                None => Ok(Output::nothing()),
            }
        }
        HookEvent::Asks(call) if scope == Scope::Warned && !call.is_warned_about() => {
            let format = context.format.clone();
            match pass(context, &call).await {
                Some(decision) => format.program(&decision, safe_json(&decision)?),
                None => Ok(Output::nothing()),
            }
        }
        HookEvent::Asks(call) => {
            let format = context.format.clone();
            match decide(context, &call, &session_event, timeout).await {
                Some(decision) => format.program(&decision, safe_json(&decision)?),
                None => Ok(Output::nothing()),
            }
        }
        HookEvent::Activity(_) | HookEvent::SessionOnly if !context.has_data() => Ok(Output::nothing()),
        HookEvent::Activity(done) => {
            let folder = context.open()?;
            let recorded = folder.inbox().requests().record_activity(&done).await;
            session_event.record(folder.inbox()).await;
            let told = match recorded? {
                Recorded::RanChanged => hooks::told_after_edit(agent, &session_event.event),
                Recorded::Ran | Recorded::Ended(_) => None,
            };
            match told {
                Some(told) => folder.format.program(&told, safe_json(&told)?),
                None => Ok(Output::nothing()),
            }
        }
        HookEvent::SessionOnly => {
            session_event.record(context.open()?.inbox()).await;
            Ok(Output::nothing())
        }
        HookEvent::Nothing => Ok(Output::nothing()),
    }
}

/// What an event says about its session.
struct SessionEvent {
    news: Option<SessionNews>,
    event: Value,
}

impl SessionEvent {
    async fn record(&self, inbox: &Inbox) {
        if let Some(news) = self.news.clone() {
            hooks::record_news(inbox, news, &self.event).await;
        }
    }

    /// Notes that the session continues its turn, now that it has its answer.
    async fn record_answered(&self, inbox: &Inbox) {
        if let Some(news) = self.news.clone() {
            let news = SessionNews { at: Timestamp::now(), what: News::Working, ..news };
            hooks::record_news(inbox, news, &self.event).await;
        }
    }
}

/// Whether the program that runs this hook is a server that also asks here directly.
fn is_left_to_server(call: &Call, event: &Value, context: &Context) -> bool {
    let followed = || context.data_folder().is_some_and(|folder| starter_is_followed(&folder));
    followed() && call.is_asked_by_server_too(event)
}

/// Whether a call uses our own MCP server, which asks by itself.
fn is_of_ours(call: &Call, context: &Context) -> bool {
    let places = Places::new(&context.inputs().host, context.env());
    let program = program_as_called(context);
    places.is_ok_and(|places| program.is_ok_and(|program| call.is_of_ours(&program, &places)))
}

/// Leaves a call to the agent's own rules, unless they refused it and the person allowed it then.
async fn pass(context: Context, call: &Call) -> Option<Value> {
    let folder = context.has_data().then(|| context.open().ok())??;
    let allowed = call.is_allowed_retry(folder.inbox()).await.unwrap_or_else(|error| {
        tracing::debug!(%error, "whether a call was allowed before cannot be read");
        false
    });
    allowed.then(|| call.allowed())?
}

async fn decide(
    context: Context,
    call: &Call,
    session_event: &SessionEvent,
    timeout: Duration,
) -> Option<Value> {
    match ask(context, call, timeout, session_event).await {
        Ok(answer) => call.reply(&answer),
        Err(failure) => call.undecided(failure.text()),
    }
}

/// Asks, and waits until there is an answer, time is up, or a signal comes.
async fn ask(
    context: Context,
    call: &Call,
    timeout: Duration,
    session_event: &SessionEvent,
) -> Result<RequestAnswer, Failure> {
    let folder = context.open()?;
    let mut signals = Signals::listen();
    let asked = folder.inbox().requests().ask(call.new_request(timeout)).await;
    let asked = asked.map_err(|error| Failure::from_inbox(&error, Exit::Usage))?;
    let stop = async {
        tokio::select! {
            () = signals.received() => {}
            () = tokio::time::sleep(timeout) => {}
            () = hooks::asker_gone(call.agent()) => {}
        }
    };
    let record = session_event.record(folder.inbox());
    let (answer, ()) = tokio::join!(hooks::wait(folder.inbox(), &asked, stop), record);
    let answer = answer?;
    // If nobody answered, the agent asks in its own window.
    let unanswered = matches!(answer.r#type, None | Some(Ending::Expired | Ending::Withdrawn));
    if !unanswered {
        // The agent is waiting, and this only updates the session list, so it must not take long.
        let _ =
            tokio::time::timeout(Duration::from_secs(1), session_event.record_answered(folder.inbox())).await;
    }
    Ok(answer)
}
