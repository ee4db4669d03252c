//! `sayso reclassify`: corrects the class of a mail.

use crate::cli::context::Context;
use crate::cli::drive::WaitArgs;
use crate::cli::failure::{Exit, Failure};
use crate::cli::ids::thread;
use crate::cli::output::Output;

/// Correct how a thread classified its mail; it runs again from there
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    sayso reclassify t3h8w1z5c respond\n  \
    sayso reclassify t3h8 ignore --wait")]
pub struct Args {
    /// The thread
    thread: String,
    /// What it should have been
    #[arg(value_parser = ["ignore", "notify", "respond"])]
    class: String,
    #[command(flatten)]
    waiting: WaitArgs,
}

impl Args {
    pub(super) async fn run(self, context: Context) -> Result<Output, Failure> {
        let thread = thread(&self.thread)?;
        let folder = context.open()?;
        let corrected = folder.inbox().mail().reclassify(thread, self.class).await;
        let outcome = corrected.map_err(|error| Failure::from_inbox(&error, Exit::Failed))?;
        self.waiting.follow(&folder, outcome).await
    }
}
