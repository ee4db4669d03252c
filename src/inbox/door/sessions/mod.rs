//! Sessions of coding agents: which ones run, what each does or waits for, and where its terminal is.
//!
//! Sessions are figures, stored as the agents' hooks report them: they allow, refuse and close nothing. Whether a
//! session waits for a card is read from the cards themselves. A session whose process is gone is not listed, and is
//! deleted with the next news from any session.

mod record;

use super::Inbox;
use crate::engine::graph::{InterruptId, ThreadId};
use crate::inbox::{AgentSession, InboxError, SessionState};
use crate::text::Visible;
use crate::tools::process::Process;
use crate::tools::terminal::Terminal;
use crate::workflows::hidden::request::NAME;
use jiff::Timestamp;
use record::SessionRecord;
pub use record::Used;

/// News from an agent about one of its sessions.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionNews {
    /// The agent's name for itself.
    pub agent: &'static str,
    /// The agent's name for the session.
    pub id: String,
    pub at: Timestamp,
    pub what: News,
    pub folder: Option<String>,
    pub branch: Option<String>,
    pub model: Option<String>,
    /// How it decides what to ask about: `auto`, `manual` …
    pub mode: Option<String>,
    /// The agent's process; the session ends with it.
    pub process: Option<Process>,
    pub terminal: Option<Terminal>,
    /// What the session has used so far.
    pub used: Option<Used>,
}

/// What happened in a session.
#[derive(Clone, Debug, PartialEq)]
pub enum News {
    Started,
    /// The person entered a prompt.
    Prompted(Option<String>),
    /// It asks here.
    Asked,
    /// It continues its turn.
    Working,
    /// It asks in its own window.
    AsksThere(String),
    TurnEnded,
    Ended,
}

/// Sessions of coding agents.
#[derive(Clone, Copy)]
pub struct Sessions<'a>(pub(super) &'a Inbox);

/// A card that a session waits for.
struct WaitingCard {
    agent: String,
    session: String,
    id: InterruptId,
    title: String,
    at: Timestamp,
}

impl Sessions<'_> {
    /// Records news from an agent.
    pub async fn record(self, news: SessionNews) -> Result<(), InboxError> {
        let figures = self.0.store().statistics();
        figures.change_sessions(move |rows| record::changes(rows, &news)).await
    }

    /// What a session is known to have used, as a starting point for further counting.
    pub fn used(self, agent: &str, id: &str) -> Result<Used, InboxError> {
        let record = self.records()?.into_iter().find(|record| record.is(agent, id));
        Ok(record.map(|record| record.used).unwrap_or_default())
    }

    /// All running sessions; those that wait come first, longest wait first.
    pub async fn list(self) -> Result<Vec<AgentSession>, InboxError> {
        self.0.blocking(|inbox| Sessions(inbox).read()).await
    }

    /// Brings a session's terminal to the front; any unique prefix of its id will do.
    pub async fn focus(self, id: &str) -> Result<String, InboxError> {
        let mut records = self.records()?;
        records.retain(|record| record.id.starts_with(id) && !id.is_empty());
        if let Some(at) = records.iter().position(|record| record.id == id) {
            records = vec![records.swap_remove(at)];
        }
        match records.as_slice() {
            [] => Err(InboxError::unknown("session", id.to_owned())),
            [one] => show(one).await,
            several => Err(InboxError::Ambiguous {
                id: id.to_owned(),
                some: several.iter().map(|record| record.id.clone()).collect(),
            }),
        }
    }

    /// Brings the terminal of the asking session to the front.
    pub async fn focus_asker(self, thread: ThreadId) -> Result<String, InboxError> {
        let asked = self.0.requests().request_in(&thread).ok();
        let asker = asked.and_then(|asked| Some((asked.source?, asked.session?.id)));
        let none = || {
            InboxError::Conflict(
                "this did not come from a coding agent, so there is no terminal to go to".to_owned(),
            )
        };
        let (agent, id) = asker.ok_or_else(none)?;
        match self.records()?.into_iter().find(|record| record.is(&agent, &id)) {
            Some(record) => show(&record).await,
            None => Err(InboxError::Conflict(format!(
                "sayso does not know this session's terminal; `sayso connect` installs the hooks that let {agent} report it"
            ))),
        }
    }

    /// The records of all running sessions.
    fn records(self) -> Result<Vec<SessionRecord>, InboxError> {
        let now = self.0.store().now();
        let rows = self.0.store().statistics().sessions()?;
        Ok(rows
            .iter()
            .filter_map(|(_, text)| SessionRecord::read(text))
            .filter(|record| record.runs(now))
            .collect())
    }

    fn read(self) -> Result<Vec<AgentSession>, InboxError> {
        let cards = self.waiting_cards()?;
        let now = self.0.store().now();
        let line = |record: SessionRecord| {
            let card = cards.iter().find(|card| record.is(&card.agent, &card.session));
            let line = record.line(now);
            match card {
                None => line,
                Some(card) => AgentSession {
                    state: SessionState::Waiting,
                    waits_for: Some(card.title.clone()),
                    interrupt: Some(card.id.clone()),
                    since: card.at,
                    ..line
                },
            }
        };
        let mut lines: Vec<AgentSession> = self.records()?.into_iter().map(line).collect();
        lines.sort_by(|a, b| (a.state, a.since, &a.id).cmp(&(b.state, b.since, &b.id)));
        Ok(lines)
    }

    /// The open cards of sessions, oldest first.
    fn waiting_cards(self) -> Result<Vec<WaitingCard>, InboxError> {
        let threads = self.0.store().threads();
        let mut cards = Vec::new();
        for thread in threads.waiting_of(NAME)? {
            // An unreadable request does not hide the others.
            let Ok(asked) = self.0.requests().request_in(&thread) else { continue };
            let (Some(agent), Some(session)) = (asked.source, asked.session) else { continue };
            let at = asked.asked.and_then(|at| Timestamp::from_millisecond(at.wall_ms).ok());
            let open = threads.outcome(&thread)?.interrupts.into_iter().next();
            let (Some(at), Some(id)) = (at, open) else { continue };
            cards.push(WaitingCard { agent, session: session.id, id, title: asked.title, at });
        }
        Ok(cards)
    }
}

async fn show(record: &SessionRecord) -> Result<String, InboxError> {
    let Some(terminal) = &record.terminal else {
        let text = "its terminal takes no commands; tmux, kitty and WezTerm do".to_owned();
        return Err(InboxError::Conflict(text));
    };
    let variable = |name: &str| std::env::var(name).ok();
    terminal.focus(variable).await.map_err(InboxError::Conflict)?;
    Ok(format!("{} shows the session of {}", terminal.name(), Visible::line(&record.agent)))
}
