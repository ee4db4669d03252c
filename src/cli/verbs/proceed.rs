//! `sayso continue`: continues a thread after its result.

use crate::cli::context::Context;
use crate::cli::drive::WaitArgs;
use crate::cli::failure::Failure;
use crate::cli::ids::thread;
use crate::cli::output::Answer;
use crate::cli::text_input::text_or_stdin;

/// Go on with a finished thread
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    sayso continue t3h8w1z5c \"Now by quarter\" --wait\n  \
    sayso continue t3h8 - < more.txt")]
pub(in crate::cli) struct Args {
    /// The thread
    thread: String,
    /// The words; - reads them from stdin
    #[arg(allow_hyphen_values = true)]
    text: String,
    #[command(flatten)]
    waiting: WaitArgs,
}

impl Args {
    pub(super) async fn run(self, context: Context) -> Result<Answer, Failure> {
        let thread = thread(&self.thread)?;
        let words = text_or_stdin(&self.text)?;
        let folder = context.open()?;
        let outcome = folder.inbox().threads().proceed(thread, words).await?;
        self.waiting.follow(&folder, outcome).await
    }
}
