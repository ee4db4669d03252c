//! `sayso pause`: pauses all driving, in every process, and ends the pause.

use super::resume;
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

impl Args {
    pub(super) async fn run(self, context: Context) -> Result<Output, Failure> {
        if self.off {
            return resume::Args {}.run(context).await;
        }
        let folder = context.open()?;
        folder.inbox().pause(true).await?;
        let overview = folder.inbox().statistics().overview().await?;
        let text = "Paused: no thread goes on until `sayso pause --off`.\n";
        folder.format.answer(&overview, |_| text.to_owned())
    }
}
