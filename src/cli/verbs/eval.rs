//! `sayso eval`: how well the model does.

use crate::app::eval_triage;
use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::output::Answer;
use std::io::{IsTerminal, Write};
use std::sync::Arc;

/// Try the model on a labelled set, and show where it goes wrong
#[derive(Debug, clap::Args)]
#[command(
    after_help = "triage: 40 mails with the class a sensible person would give them. A language model is called \
    once for each; what that costs is up to its provider.\n\nExamples:\n  \
    sayso eval triage\n  \
    sayso eval triage --model cheap --json | jq '.misses'"
)]
pub(in crate::cli) struct Args {
    /// The set
    #[arg(value_enum)]
    set: Set,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Set {
    /// Mails to ignore, to know about, or to answer
    Triage,
}

impl Args {
    pub(super) async fn run(self, context: Context<'_>) -> Result<Answer, Failure> {
        let config = Arc::new(context.config()?);
        let eval = match self.set {
            Set::Triage => eval_triage(&config, context.env(), &count).await.map_err(Failure::failed)?,
        };
        context.page.answer(&eval, |_| eval.to_string())
    }
}

/// Where somebody watches, how far it has come.
fn count(done: usize, total: usize) {
    let mut stderr = std::io::stderr();
    if stderr.is_terminal() {
        let line = if done < total { format!("\r{done} of {total}") } else { "\r           \r".to_owned() };
        let _ = stderr.write_all(line.as_bytes());
    }
}
