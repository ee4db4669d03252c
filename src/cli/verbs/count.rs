//! `sayso count`: how many questions wait.

use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::output::Answer;
use crate::engine::graph::Kind;
use crate::inbox::ItemKind;
use serde_json::json;

/// Print how many questions wait, for prompts and status bars
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  sayso count")]
pub(in crate::cli) struct Args {}

impl Args {
    pub(super) async fn run(self, context: Context) -> Result<Answer, Failure> {
        let folder = context.open()?;
        let overview = folder.inbox().figures().overview().await?;
        let count: u64 = Kind::ALL.map(|kind| overview.open_of(ItemKind::Interrupt(kind))).iter().sum();
        folder.format.answer(&json!({ "count": count }), |_| format!("{count}\n"))
    }
}
