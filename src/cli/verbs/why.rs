//! `sayso why`: explains why an item is in the inbox.

use crate::cli::context::Context;
use crate::cli::failure::{Exit, Failure};
use crate::cli::ids::{Target, target};
use crate::cli::output::Output;
use serde_json::json;

/// Say why an item is in the inbox: reasons, rules, memory and cost
#[derive(Debug, clap::Args)]
#[command(
    hide = true,
    after_help = "Examples:\n  \
    sayso why i7k2m9q4x\n  \
    sayso why i7k2 --json | jq -r .text"
)]
pub struct Args {
    /// The interrupt, or the thread with a result
    pub(super) id: String,
}

impl Args {
    pub(super) async fn run(self, context: Context) -> Result<Output, Failure> {
        let id = match target(&self.id)? {
            Target::Interrupt(id) => id.to_string(),
            Target::Result(thread) => thread.to_string(),
        };
        let folder = context.open()?;
        let card = folder.inbox().decisions().why(id.clone()).await;
        let text = card.map_err(|error| Failure::from_inbox(&error, Exit::Gone))?.text();
        folder.format.answer(&json!({ "id": id, "text": text }), |_| format!("{text}\n"))
    }
}
