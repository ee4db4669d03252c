//! `sayso prune`: deletes old threads.

use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::output::{Format, Output};
use crate::inbox::{PruneQuery, Pruned, Pruning, Status};
use crate::text::bytes;
use crate::text::when;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use jiff::Timestamp;
use serde_json::json;

/// Delete old threads, after a preview
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Decisions and effects stay on record, and so does every mail's place in the ledger: no mail is \
    handled twice. What is still needed is kept: by something open, a fork, a parent or a child, an unread result, or \
    an effect in doubt. Without --yes nothing is changed.\n\nExamples:\n  \
    sayso prune\n  \
    sayso prune --older-than 30d --status abandoned --yes\n  \
    sayso prune --json"
)]
pub struct Args {
    /// Only threads without activity for this long: 30m, 12h, 90d, 26w
    #[arg(long, value_name = "TIME", default_value = "90d")]
    older_than: String,
    /// Only with these statuses
    #[arg(long, value_name = "STATUS,…", value_delimiter = ',', value_parser = ended(), default_values = ["done", "abandoned"])]
    status: Vec<Status>,
    /// Do it; without this, only what would go is shown
    #[arg(long)]
    yes: bool,
}

fn ended() -> impl TypedValueParser<Value = Status> {
    let ended: Vec<&str> =
        Status::ALL.into_iter().filter(|status| status.ended()).map(Status::word).collect();
    PossibleValuesParser::new(ended).try_map(|word| Status::from_word(&word).ok_or("not a status"))
}

impl Args {
    pub(super) async fn run(self, context: Context) -> Result<Output, Failure> {
        let age = when::parse_duration(&self.older_than).map_err(Failure::usage)?;
        let before = context.format.now.checked_sub(age).unwrap_or(Timestamp::MIN);
        let folder = context.open()?;
        let query = PruneQuery { before, statuses: self.status };
        if self.yes {
            let done = folder.inbox().prune().run(query.clone()).await?;
            return folder.format.answer(&report(&query, &done.taken, Some(&done)), |_| pruned(&done));
        }
        let plan = folder.inbox().prune().plan(query.clone()).await?;
        folder
            .format
            .answer(&report(&query, &plan, None), |format| preview(format, &query, &plan, &folder.path))
    }
}

fn report(query: &PruneQuery, pruning: &Pruning, done: Option<&Pruned>) -> serde_json::Value {
    json!({
        "pruned": done.is_some(),
        "before": query.before,
        "status": query.statuses.iter().map(|status| status.word()).collect::<Vec<_>>(),
        "threads": pruning.threads,
        "records": pruning.records,
        "mails": pruning.mails,
        "kept": pruning.kept,
        "file_before": done.map(|done| done.before),
        "file_after": done.map(|done| done.after),
        "left": done.map(|done| done.left.clone()).unwrap_or_default(),
    })
}

fn preview(format: &Format, query: &PruneQuery, plan: &Pruning, folder: &str) -> String {
    let words: Vec<&str> = query.statuses.iter().map(|status| status.word()).collect();
    let words = words.join(" or ");
    let mut out = match plan.threads {
        0 if plan.mails == 0 => {
            format!(
                "Nothing in {folder} that is {words} and untouched since {} can be pruned.\n",
                format.time(query.before)
            )
        }
        count => format!(
            "{count} threads are {words} and untouched since {}: {} leave a record of what was decided and done, {} \
             are deleted entirely. {} mails lose their contents.\n",
            format.time(query.before),
            plan.records,
            count - plan.records,
            plan.mails
        ),
    };
    for kept in &plan.kept {
        out.push_str(&format!("{} kept: {}\n", kept.threads, kept.why));
    }
    if plan.threads > 0 || plan.mails > 0 {
        out.push_str("Nothing was changed; --yes prunes it.\n");
    }
    out
}

fn pruned(done: &Pruned) -> String {
    let mut out = format!(
        "{} threads were deleted, {} of them with a record of what was decided and done; {} mails lost their \
         contents. The file was {} and is now {}.\n",
        done.taken.threads,
        done.taken.records,
        done.taken.mails,
        bytes(done.before),
        bytes(done.after)
    );
    for left in &done.left {
        out.push_str(&format!("Left: {left}.\n"));
    }
    out
}
