//! `sayso undo`: takes a decision back.

use crate::cli::context::{Context, OpenFolder};
use crate::cli::failure::{Exit, Failure};
use crate::cli::ids::interrupt;
use crate::cli::outcome;
use crate::cli::output::Output;
use crate::engine::graph::InterruptId;
use crate::inbox::Outcome;
use crate::text::Visible;
use serde::Serialize;

/// Take a decision back, while its thread has not acted on it
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    sayso undo i7k2m9q4x\n  \
    sayso undo i7k2 --batch     and everything that was decided together with it")]
pub struct Args {
    /// The interrupt that was decided
    id: String,
    /// Also what was decided together with it; with --json a list that says what was refused, and why
    #[arg(long)]
    batch: bool,
}

impl Args {
    pub(super) async fn run(self, context: Context) -> Result<Output, Failure> {
        let id = interrupt(&self.id)?;
        let folder = context.open()?;
        if self.batch {
            return undo_together(&folder, id).await;
        }
        let outcome = folder.inbox().decisions().undo(id).await?;
        outcome::answer(&folder, &outcome).await
    }
}

/// What became of one of several decisions.
#[derive(Serialize)]
struct Undone {
    interrupt: InterruptId,
    /// Where its thread is now, if it was taken back.
    #[serde(flatten)]
    outcome: Option<Outcome>,
    /// Why it was not taken back.
    refused: Option<String>,
}

async fn undo_together(folder: &OpenFolder, id: InterruptId) -> Result<Output, Failure> {
    let (mut undone, mut outcomes, mut failed) = (Vec::new(), Vec::new(), None);
    for (interrupt, result) in folder.inbox().decisions().undo_batch(id).await? {
        let refused = result.as_ref().err().map(ToString::to_string);
        undone.push(Undone { interrupt, outcome: result.as_ref().ok().cloned(), refused });
        match result {
            Ok(outcome) => outcomes.push(outcome),
            Err(error) => failed = Some(error),
        }
    }
    let exit = match failed {
        Some(error) if outcomes.is_empty() => return Err(error.into()),
        Some(_) => Exit::Failed,
        None => Exit::Done,
    };
    let next = outcome::next_step(folder, &outcomes).await?;
    let answer = folder.format.answer(&undone, |format| {
        let line = |one: &Undone| match (&one.outcome, &one.refused) {
            (Some(outcome), _) => outcome::text(format, outcome, &next),
            (None, why) => format!("Not undone: {}\n", Visible::line(why.as_deref().unwrap_or_default())),
        };
        undone.iter().map(line).collect()
    })?;
    Ok(answer.with_exit(exit))
}
