//! `sayso threads`: lists threads.

use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::output::Output;
use crate::cli::pages;
use crate::cli::query::QueryWords;
use crate::cli::table::{cut, full, right, table};
use crate::inbox::{Place, Query, Status, ThreadQuery};
use clap::builder::{PossibleValuesParser, TypedValueParser};

/// List threads, newest first
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    sayso threads is:trouble\n  \
    sayso threads quarterly budget newer:30d --limit 10")]
pub struct Args {
    #[command(flatten)]
    query: QueryWords,
    /// The same as is:STATUS
    #[arg(long, value_name = "STATUS", value_parser = statuses())]
    status: Option<Status>,
    /// The same as these words in the query
    #[arg(long, value_name = "WORDS")]
    search: Option<String>,
    /// At most this many
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    limit: Option<u32>,
}

fn statuses() -> impl TypedValueParser<Value = Status> {
    PossibleValuesParser::new(Status::ALL.map(Status::word))
        .try_map(|word| Status::from_word(&word).ok_or("not a status"))
}

impl Args {
    pub(super) async fn run(self, context: Context) -> Result<Output, Failure> {
        let folder = context.open()?;
        let mut filter = self.query.parse(Place::Threads, &folder.format)?;
        filter.status = self.status.or(filter.status);
        filter.words.extend(self.search);
        let limit = self.limit.and_then(|limit| usize::try_from(limit).ok());
        let narrowed = filter != Query::default();
        let query = ThreadQuery { filter, ..ThreadQuery::default() };
        let threads = pages::threads(folder.inbox(), query, limit).await?;
        folder.format.answer(&threads, |format| {
            if threads.is_empty() {
                let what = if narrowed { "No thread matches" } else { "No thread has been started" };
                return format!("{what} in {}.\n", folder.path);
            }
            let row = |thread: &crate::inbox::ThreadLine| {
                [
                    thread.id.to_string(),
                    thread.outcome_or_status().to_owned(),
                    thread.workflow.clone(),
                    thread.steps.to_string(),
                    format.age(thread.created_at),
                    thread.title.clone(),
                ]
            };
            let rows: Vec<_> = threads.iter().map(row).collect();
            let columns =
                [full("ID"), full("STATUS"), full("WORKFLOW"), right("STEPS"), right("AGE"), cut("TITLE")];
            table(format, columns, &rows)
        })
    }
}
