//! `sayso reclassify`: corrects the class of a mail.

use crate::cli::context::{Context, OpenFolder};
use crate::cli::drive::WaitArgs;
use crate::cli::failure::Failure;
use crate::cli::ids::thread;
use crate::cli::output::Output;
use crate::cli::print::note;
use crate::inbox::{MemoryItem, MemoryRow};

/// Correct how a thread classified its mail; it runs again from there
#[derive(Debug, clap::Args)]
#[command(
    after_help = "sayso learns from the correction; with --wait it says which rows of the memory changed.\n\nExamples:\n  \
    sayso reclassify t3h8w1z5c respond\n  \
    sayso reclassify t3h8 ignore --wait"
)]
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
        let before = rows(&folder).await?;
        let outcome = folder.inbox().mail().reclassify(thread, self.class).await?;
        let answer = self.waiting.follow(&folder, outcome).await?;
        tell_changes(&before, &rows(&folder).await?);
        Ok(answer)
    }
}

/// The rows that sayso acts on.
async fn rows(folder: &OpenFolder) -> Result<Vec<MemoryRow>, Failure> {
    let items = folder.inbox().memory().list().await?;
    let row = |item| match item {
        MemoryItem::Row(line) => Some(line.row),
        MemoryItem::Profile(_) => None,
    };
    Ok(items.into_iter().filter_map(row).collect())
}

/// Says which rows the correction removed, changed or made.
fn tell_changes(before: &[MemoryRow], after: &[MemoryRow]) {
    for gone in before.iter().filter(|was| after.iter().all(|row| row.key != was.key)) {
        note(&format!("No longer: {}", gone.sentence()));
    }
    for row in after {
        match before.iter().find(|was| was.key == row.key) {
            Some(was) if was.answer != row.answer => {
                note(&format!("Corrected: {}, instead of: {}", row.sentence(), was.sentence()));
            }
            Some(was) if was.corrected < row.corrected => {
                note(&format!("It stays, though you corrected it: {}", row.sentence()));
            }
            Some(_) => {}
            None => note(&format!("Learned: {}", row.sentence())),
        }
    }
}
