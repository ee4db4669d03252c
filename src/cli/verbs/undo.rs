//! `sayso undo`: takes a decision back.

use crate::cli::context::{Context, OpenFolder};
use crate::cli::failure::Failure;
use crate::cli::ids::interrupt;
use crate::cli::outcome;
use crate::cli::output::Output;
use crate::cli::print::warning;
use crate::engine::graph::InterruptId;

/// Take a decision back, while its thread has not acted on it
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    sayso undo i7k2m9q4x\n  \
    sayso undo i7k2 --batch     and everything that was decided together with it")]
pub struct Args {
    /// The interrupt that was decided
    id: String,
    /// Also what was decided together with it; with --json a list
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

async fn undo_together(folder: &OpenFolder, id: InterruptId) -> Result<Output, Failure> {
    let (mut outcomes, mut refused) = (Vec::new(), Vec::new());
    for (_, undone) in folder.inbox().decisions().undo_batch(id).await? {
        match undone {
            Ok(outcome) => outcomes.push(outcome),
            Err(error) => refused.push(error),
        }
    }
    if outcomes.is_empty()
        && let Some(error) = refused.pop()
    {
        return Err(error.into());
    }
    // A program that reads the list must hear of it as well.
    refused.iter().for_each(|error| warning(&format!("Not taken back: {error}")));
    let next = outcome::next_step(folder, &outcomes).await?;
    folder
        .format
        .answer(&outcomes, |format| outcomes.iter().map(|one| outcome::text(format, one, &next)).collect())
}
