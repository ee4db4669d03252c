//! `sayso export`: what is on record, for others to read.

use super::export_audit;
use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::output::Answer;
use std::path::PathBuf;

/// Write the audit out: who decided what, when and from where, and what was done
#[derive(Debug, clap::Args)]
#[command(
    after_help = "--audit: one line of JSON for each decision, undo, effect, grant and change of memory. Each line \
    carries the SHA-256 of the one before it and its own, over the line without \"digest\" and \"texts\"; the last \
    line says where the audit ends. Keep an export elsewhere, and `sayso doctor --audit FILE` holds it against the \
    store.\n\nExamples:\n  \
    sayso export --audit -o audit-2026.jsonl\n  \
    sayso export --audit --since 30d | jq 'select(.what == \"decided\")'"
)]
pub(in crate::cli) struct Args {
    /// The audit
    #[arg(long, required = true)]
    audit: bool,
    /// Only from this time on: 30d, 2026-11-01, or an RFC 3339 time
    #[arg(long, value_name = "TIME", requires = "audit")]
    since: Option<String>,
    /// Write to this new file instead of stdout
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Args {
    pub(super) async fn run(self, context: Context<'_>) -> Result<Answer, Failure> {
        export_audit::run(context, self.since.as_deref(), self.output.as_deref())
    }
}
