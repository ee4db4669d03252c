//! What an event says about its session: it started, works, asks in its own window, waits for the person, or ended.

use super::{Agent, events, session, usage};
use crate::config::Env;
use crate::dialects::{Meaning, Moment};
use crate::inbox::door::{Inbox, News, SessionNews, Used};
use crate::text::Visible;
use crate::tools::process::Process;
use crate::tools::terminal::Terminal;
use jiff::Timestamp;
use serde_json::Value;
use std::path::Path;

/// How many characters we keep of what an agent says it waits for.
const WORDS: usize = 200;

/// The longest name of a session or a model, in bytes.
const LONGEST_NAME: usize = 200;

/// The longest path, in bytes.
const LONGEST_PATH: usize = 4096;

/// Reads session news from an event; `None` if it has none.
pub fn read_news(agent: Agent, event: &Value, at: Timestamp, env: &Env) -> Option<SessionNews> {
    let agent = agent.of(event);
    let text = |names: &[&str], longest: usize| {
        let value = names.iter().find_map(|name| event.get(name)?.as_str());
        value.filter(|text| !text.trim().is_empty() && text.len() <= longest).map(str::to_owned)
    };
    let id = text(&["session_id", "sessionId"], LONGEST_NAME)?;
    let what = kind_of_news(events::meaning(agent, event).ok()?, event)?;
    let folder = text(&["cwd"], LONGEST_PATH);
    let process = process(agent, env);
    // The server that Codex's windows share has the terminal of the window that started it, whichever window asks.
    let is_shared =
        agent == Agent::Codex && process.as_ref().is_some_and(|process| process.has_argument("app-server"));
    let terminal = Terminal::from_variables(|name| env.get(name)?.to_str().map(str::to_owned));
    Some(SessionNews {
        agent: agent.hook_name(),
        id,
        at,
        what,
        branch: folder.as_deref().and_then(|folder| session::branch(Path::new(folder))),
        folder,
        model: text(&["model"], LONGEST_NAME),
        mode: text(&["permission_mode"], LONGEST_NAME).map(|mode| mode_name(agent, mode)),
        process,
        terminal: terminal.filter(|_| !is_shared),
        used: None,
    })
}

/// What the person calls a mode: Claude Code's events have an older name for its manual mode.
fn mode_name(agent: Agent, mode: String) -> String {
    match (agent, mode.as_str()) {
        (Agent::Claude, "default") => "manual".to_owned(),
        _ => mode,
    }
}

fn kind_of_news(meaning: Meaning, event: &Value) -> Option<News> {
    let text = |name: &str| event.get(name).and_then(Value::as_str).unwrap_or_default();
    let moment = match meaning {
        Meaning::Asks(_) => return Some(News::Asked),
        Meaning::Ran => return Some(News::Working),
        Meaning::Reached(moment, _) => moment,
    };
    match moment {
        Moment::Started => Some(News::Started),
        Moment::Prompted => Some(News::Prompted(session::shortened(text("prompt")))),
        Moment::Notified => match text("notification_type") {
            "permission_prompt" | "elicitation_dialog" | "ToolPermission" => {
                let words = Visible::line(text("message")).as_str().chars().take(WORDS).collect();
                Some(News::AsksThere(words))
            }
            "idle_prompt" => Some(News::TurnEnded),
            _ => None,
        },
        Moment::TurnEnded => Some(News::TurnEnded),
        Moment::HelperEnded => None,
        Moment::Ended => Some(News::Ended),
    }
}

/// The process of the agent that runs this hook.
fn process(agent: Agent, env: &Env) -> Option<Process> {
    // Claude Code passes this to everything it starts, which may include another agent.
    let from_env = || env.get("CLAUDE_PID")?.to_str()?.parse().ok().and_then(Process::of);
    let from_env = if agent == Agent::Claude { from_env() } else { None };
    from_env.or_else(Process::starter)
}

/// Records what an event says about its session. Nothing depends on it, so failures are only logged.
pub async fn record_news(inbox: &Inbox, mut news: SessionNews, event: &Value) {
    let sessions = inbox.sessions();
    let counts = matches!(news.what, News::Working | News::TurnEnded | News::Asked);
    if counts && let Ok(before) = sessions.used(news.agent, &news.id) {
        news.used = used(&before, event);
    }
    if let Err(error) = sessions.record(news).await {
        tracing::debug!(%error, "what was told of a session could not be kept");
    }
}

fn used(before: &Used, event: &Value) -> Option<Used> {
    match event.get("transcript_path").and_then(Value::as_str) {
        Some(path) if path.len() <= LONGEST_PATH => usage::count_on(before, Path::new(path)),
        Some(_) => None,
        None => usage::reported_usage(event),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(agent: Agent, event: Value) -> Option<News> {
        read_news(agent, &event, Timestamp::UNIX_EPOCH, &Env::default()).map(|news| news.what)
    }

    #[test]
    fn each_agent_s_events_are_read() {
        let claude = |name: &str| {
            of(Agent::Claude, json!({"session_id": "s", "hook_event_name": name, "prompt": "Do it."}))
        };
        for (name, expected) in [
            ("SessionStart", Some(News::Started)),
            ("UserPromptSubmit", Some(News::Prompted(Some("Do it.".to_owned())))),
            ("PermissionRequest", Some(News::Asked)),
            ("PostToolUse", Some(News::Working)),
            ("Stop", Some(News::TurnEnded)),
            ("StopFailure", Some(News::TurnEnded)),
            ("SubagentStop", None),
            ("SessionEnd", Some(News::Ended)),
            ("SomethingNew", None),
        ] {
            assert_eq!(claude(name), expected, "{name}");
        }
        let notified = |sort: &str| {
            let event = json!({"session_id": "s", "hook_event_name": "Notification", "notification_type": sort,
                "message": "Claude needs\u{1b}[2J your permission"});
            of(Agent::Claude, event)
        };
        let Some(News::AsksThere(words)) = notified("permission_prompt") else { panic!("it asks there") };
        assert!(words.starts_with("Claude needs") && !words.contains('\u{1b}'), "{words}");
        assert_eq!(notified("idle_prompt"), Some(News::TurnEnded));
        assert_eq!(notified("auth_success"), None);
        let opencode = |name: &str| of(Agent::Opencode, json!({"session_id": "s", "event": name}));
        assert_eq!(opencode("busy"), Some(News::Prompted(None)));
        assert_eq!(opencode("idle"), Some(News::TurnEnded));
        assert_eq!(
            of(Agent::Gemini, json!({"session_id": "s", "hook_event_name": "AfterAgent"})),
            Some(News::TurnEnded)
        );
        assert_eq!(of(Agent::Codex, json!({"hook_event_name": "Stop"})), None);
        assert_eq!(of(Agent::Codex, json!({"hook_event_name": "Stop", "session_id": "s".repeat(201)})), None);
    }

    #[test]
    fn the_terminal_is_that_of_the_agent() {
        let env: Env = [("TMUX", "/tmp/tmux-0/default,1,0"), ("TMUX_PANE", "%3")].into_iter().collect();
        let event = json!({"session_id": "s", "hook_event_name": "SessionStart"});
        let session_news = read_news(Agent::Codex, &event, Timestamp::UNIX_EPOCH, &env).unwrap();
        assert_eq!(session_news.terminal.map(|terminal| terminal.name()), Some("tmux"));
    }
}
