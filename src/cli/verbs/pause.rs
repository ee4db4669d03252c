//! `sayso pause`: pauses all driving, in every process, and ends the pause.

use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::output::Output;

/// Pause all threads, in every process and across restarts, or let them go on
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  sayso pause\n  sayso pause --off")]
pub struct Args {
    /// Let threads go on
    #[arg(long)]
    off: bool,
}

/// Let threads go on after a pause
#[derive(Debug, clap::Args)]
#[command(hide = true, after_help = "Example:\n  sayso resume")]
pub struct Resume {}

impl Resume {
    pub(super) async fn run(self, context: Context) -> Result<Output, Failure> {
        Args { off: true }.run(context).await
    }
}

impl Args {
    pub(super) async fn run(self, context: Context) -> Result<Output, Failure> {
        let folder = context.open()?;
        folder.inbox().pause(!self.off).await?;
        let overview = folder.inbox().statistics().overview().await?;
        folder.format.answer(&overview, |_| match (self.off, overview.driver) {
            (false, _) => "Paused: no thread goes on until `sayso pause --off`.\n".to_owned(),
            (true, Some(pid)) => format!("Resumed: process {pid} is running threads again.\n"),
            (true, None) => "Resumed; no process is running threads now, `sayso run` does.\n".to_owned(),
        })
    }
}
