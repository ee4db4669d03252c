//! `sayso decisions`: past decisions, who made them, and how they ended.

use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::output::{Format, Output};
use crate::cli::pages;
use crate::cli::query::QueryWords;
use crate::cli::table::{cut, full, name, table};
use crate::inbox::{DecidedBy, DecisionLine, DecisionQuery, Place};

/// List past decisions: who decided what, and how it ended
#[derive(Debug, clap::Args)]
#[command(after_help = "Here a query also takes answer:, the word for what was pressed.\n\nExamples:\n  \
    sayso decisions newer:7d\n  \
    sayso decisions from:ines answer:edit\n  \
    sayso decisions claude is:refused newer:2026-11-01\n  \
    sayso decisions is:failed --json")]
pub struct Args {
    #[command(flatten)]
    query: QueryWords,
    /// At most this many
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
}

impl Args {
    pub(super) async fn run(self, context: Context) -> Result<Output, Failure> {
        let folder = context.open()?;
        let filter = self.query.parse(Place::Decisions, &folder.format)?;
        let query = DecisionQuery { filter, ..DecisionQuery::default() };
        let limit = usize::try_from(self.limit).unwrap_or(usize::MAX);
        let decisions = pages::decisions(folder.inbox(), query, limit).await?;
        folder.format.answer(&decisions, |format| text(format, &decisions))
    }
}

fn text(format: &Format, decisions: &[DecisionLine]) -> String {
    if decisions.is_empty() {
        return "No decision matches.\n".to_owned();
    }
    let row = |line: &DecisionLine| {
        [
            format.time(line.at),
            line.outcome.clone(),
            line.by.as_ref().map_or_else(|| "you".to_owned(), decider),
            line.source.clone().unwrap_or_else(|| line.workflow.clone()),
            line.thread.to_string(),
            line.title.clone(),
        ]
    };
    let rows: Vec<_> = decisions.iter().map(row).collect();
    let columns = [full("WHEN"), full("OUTCOME"), full("BY"), name("FROM"), full("THREAD"), cut("TITLE")];
    table(format, columns, &rows)
}

fn decider(by: &DecidedBy) -> String {
    match by {
        DecidedBy::Tui | DecidedBy::Cli => "you".to_owned(),
        DecidedBy::Grant(_) | DecidedBy::Expiry => by.words(),
    }
}
