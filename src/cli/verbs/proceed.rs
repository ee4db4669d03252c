//! `sayso continue`: continues a thread after its result, or with another one in the model's place.

use crate::cli::context::Context;
use crate::cli::drive::WaitArgs;
use crate::cli::failure::Failure;
use crate::cli::ids::thread;
use crate::cli::output::Output;
use crate::cli::text_input::text_or_stdin;

/// Go on with a finished thread, or take the model's place in one
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    sayso continue t3h8w1z5c \"Now by quarter\" --wait\n  \
    sayso continue t3h8 - < more.txt\n  \
    sayso continue t3h8w1z5c --take-over")]
pub struct Args {
    /// The thread
    thread: String,
    /// The words; - reads them from stdin
    #[arg(allow_hyphen_values = true, required_unless_present_any = ["take_over", "give_back"])]
    text: Option<String>,
    /// Be the model yourself from the next step on
    #[arg(long, conflicts_with = "text")]
    take_over: bool,
    /// Let the model go on after --take-over
    #[arg(long, conflicts_with_all = ["text", "take_over"])]
    give_back: bool,
    #[command(flatten)]
    waiting: WaitArgs,
}

impl Args {
    pub(super) async fn run(self, context: Context) -> Result<Output, Failure> {
        let thread = thread(&self.thread)?;
        let words = self.text.as_deref().map(text_or_stdin).transpose()?;
        let folder = context.open()?;
        let threads = folder.inbox().threads();
        let outcome = match words {
            Some(words) => threads.proceed(thread, words).await?,
            None => threads.hand(thread, self.take_over).await?,
        };
        self.waiting.follow(&folder, outcome).await
    }
}
