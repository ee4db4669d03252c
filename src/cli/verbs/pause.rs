//! `sayso pause`: pauses all driving, in every process.

use super::status;
use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::output::Answer;

/// Pause all threads, in every process and across restarts
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  sayso pause")]
pub(in crate::cli) struct Args {}

impl Args {
    pub(super) async fn run(self, context: Context<'_>) -> Result<Answer, Failure> {
        let folder = context.open()?;
        folder.inbox().pause(true).await?;
        status::answer(&folder, |_, _| "Paused: no thread goes on until `sayso resume`.\n".to_owned()).await
    }
}
