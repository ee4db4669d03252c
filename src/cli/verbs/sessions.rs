//! `sayso sessions`: the sessions of coding agents.

use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::output::{Format, Output};
use crate::cli::table::{cut, full, right, table};
use crate::inbox::{AgentSession, SessionState};
use serde_json::json;

/// How many characters of a session's id are enough to identify it.
const SHORT: usize = 8;

/// List the sessions of coding agents, those that wait for you first
#[derive(Debug, clap::Args)]
#[command(
    subcommand_value_name = "ACTION",
    subcommand_help_heading = "Actions",
    after_help = "Agents report their sessions through the hooks that `sayso connect` installs. A session ends with its \
    process. Tokens include cached ones.\n\nExamples:\n  \
    sayso sessions\n  \
    sayso sessions --json | jq '.[] | select(.state == \"waiting\")'\n  \
    sayso sessions focus 7c8ccd0c"
)]
pub struct Args {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Bring the terminal of a session to the front: tmux, kitty or WezTerm
    Focus {
        /// The session
        id: String,
    },
}

impl Args {
    pub(super) async fn run(self, context: Context) -> Result<Output, Failure> {
        let folder = context.open()?;
        match self.action {
            None => {
                let sessions = folder.inbox().sessions().list().await?;
                folder.format.answer(&sessions, |format| listed(format, &sessions))
            }
            Some(Action::Focus { id }) => {
                let shown = folder.inbox().sessions().focus(&id).await?;
                folder.format.answer(&json!({ "shown": shown }), |_| format!("{shown}.\n"))
            }
        }
    }
}

fn listed(format: &Format, sessions: &[AgentSession]) -> String {
    if sessions.is_empty() {
        return "No coding agent has reported a session; `sayso connect` sets that up.\n".to_owned();
    }
    let row = |session: &AgentSession| {
        let place = match (&session.folder, &session.branch) {
            (Some(folder), Some(branch)) => format!("{folder} ({branch})"),
            (folder, _) => folder.clone().unwrap_or_default(),
        };
        let state = match session.state {
            SessionState::Waiting => "waiting",
            SessionState::Idle => "your turn",
            SessionState::Silent => "silent",
            SessionState::Working => "working",
        };
        let about = if session.state == SessionState::Idle { String::new() } else { session.about() };
        [
            session.id.chars().take(SHORT).collect(),
            session.agent_and_mode(),
            state.to_owned(),
            format.age(session.since),
            session.used(),
            place,
            about,
        ]
    };
    let rows: Vec<_> = sessions.iter().map(row).collect();
    let columns = [
        full("SESSION"),
        full("AGENT"),
        full("STATE"),
        right("SINCE"),
        right("USED"),
        full("FOLDER"),
        cut("ABOUT"),
    ];
    table(format, columns, &rows)
}
