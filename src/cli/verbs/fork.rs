//! `sayso fork`: starts a new thread from a step of another.

use crate::cli::context::Context;
use crate::cli::drive::WaitArgs;
use crate::cli::failure::{Exit, Failure};
use crate::cli::ids::thread;
use crate::cli::output::Output;

/// Begin a new thread from a step of another; nothing that was done is done again
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    sayso fork t3h8w1z5c --step 4\n  \
    sayso fork t3h8 --step 0 --wait --json")]
pub struct Args {
    /// The thread
    thread: String,
    /// The last step they share, as `show` numbers them
    #[arg(long, value_name = "N")]
    step: u64,
    #[command(flatten)]
    waiting: WaitArgs,
}

impl Args {
    pub(super) async fn run(self, context: Context) -> Result<Output, Failure> {
        let thread = thread(&self.thread)?;
        let folder = context.open()?;
        let forked = folder.inbox().threads().fork(thread, self.step).await;
        let outcome = forked.map_err(|error| Failure::from_inbox(&error, Exit::Usage))?;
        self.waiting.follow(&folder, outcome).await
    }
}
