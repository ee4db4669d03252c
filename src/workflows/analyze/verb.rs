//! `sayso analyze`: a conversation about a folder.

use crate::inbox::StartVerb;
use serde::Serialize;

/// Analyse the texts and documents of a folder in a conversation
#[derive(Debug, Serialize, clap::Args)]
#[command(
    after_help = "On a terminal the inbox opens at its thread. With --wait, --json or without a terminal it is the same as `sayso start analyze query=… inputs=…`. The result is \
    written to analysis_result.md in the folder; what stood there is kept beside it, dated.\n\nExamples:\n  \
    sayso analyze --query \"Why did the launch slip?\" --inputs ./notes\n  \
    sayso analyze --query \"What is still open?\" --inputs . --recursive --model cheap\n  \
    sayso analyze --query \"Why?\" --inputs ./notes --wait --json"
)]
pub(super) struct Args {
    /// What you want to know
    #[arg(long, value_name = "TEXT")]
    query: String,
    /// The folder with the texts and documents to read
    #[arg(long, value_name = "DIR")]
    inputs: String,
    /// Also read the folders inside it
    #[arg(long)]
    recursive: bool,
    /// Also read source code
    #[arg(long)]
    code: bool,
}

impl StartVerb for Args {}
