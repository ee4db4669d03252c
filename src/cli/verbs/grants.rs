//! `sayso grants`: what agents may do without asking.

use crate::cli::context::Context;
use crate::cli::failure::{Exit, Failure};
use crate::cli::output::{Format, Output};
use crate::cli::table::{cut, full, right, table};
use crate::inbox::GrantLine;
use crate::inbox::door::name_words;

/// List what may be done without asking, and end it
#[derive(Debug, clap::Args)]
#[command(
    subcommand_value_name = "ACTION",
    subcommand_help_heading = "Actions",
    after_help = "What is built in (builtin:…) can be switched off and on again; what the config allows (policy:…) is \
    changed there. A grant is given from a card, with `sayso accept ID --grant thread`.\n\nExamples:\n  \
    sayso grants\n  \
    sayso grants revoke g4n8c2p7w\n  \
    sayso grants revoke builtin:output_files\n  \
    sayso grants restore builtin:output_files"
)]
pub struct Args {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// End a grant; what it had answered and is not done yet is asked again
    Revoke {
        /// The grant
        id: String,
    },
    /// Switch a built-in grant on again
    Restore {
        /// The grant
        id: String,
    },
}

impl Args {
    pub(super) async fn run(self, context: Context) -> Result<Output, Failure> {
        let folder = context.open()?;
        let line = match self.action {
            None => {
                let lines = folder.inbox().grants().list().await?;
                return folder.format.answer(&lines, |format| listed(format, &lines));
            }
            Some(Action::Revoke { id }) => folder.inbox().grants().revoke(id).await,
            Some(Action::Restore { id }) => folder.inbox().grants().restore(id).await,
        };
        let line = line.map_err(|error| Failure::from_inbox(&error, Exit::Usage))?;
        folder.format.answer(&line, |format| format!("{} is {}.\n", line.id, state(format, &line)))
    }
}

fn listed(format: &Format, lines: &[GrantLine]) -> String {
    let row = |line: &GrantLine| {
        let used = if line.used > 0 { line.used.to_string() } else { String::new() };
        [
            line.id.clone(),
            state(format, line),
            used,
            name_words(&line.tool),
            line.origin.clone(),
            line.scope.clone(),
        ]
    };
    let rows: Vec<_> = lines.iter().map(row).collect();
    table(format, [full("ID"), full("STATE"), right("USED"), full("WHAT"), full("FROM"), cut("FOR")], &rows)
}

fn state(format: &Format, line: &GrantLine) -> String {
    match (line.in_force, line.revoked_at, line.expires_at) {
        (true, _, Some(end)) => format!("in force until {}", format.time(end)),
        (true, _, None) => "in force".to_owned(),
        (false, Some(_), _) if line.builtin => "off".to_owned(),
        (false, Some(_), _) => "revoked".to_owned(),
        (false, None, _) => "over".to_owned(),
    }
}
