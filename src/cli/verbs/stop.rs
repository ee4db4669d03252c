//! `sayso stop`: stops one thread at once.

use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::ids::thread;
use crate::cli::outcome;
use crate::cli::output::Output;

/// Stop a thread at once; it waits until you let it go on or abandon it
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  sayso stop t3h8w1z5c")]
pub struct Args {
    /// The thread
    thread: String,
}

impl Args {
    pub(super) async fn run(self, context: Context) -> Result<Output, Failure> {
        let thread = thread(&self.thread)?;
        let folder = context.open()?;
        let outcome = folder.inbox().threads().stop(thread).await?;
        outcome::answer(&folder, &outcome).await
    }
}
