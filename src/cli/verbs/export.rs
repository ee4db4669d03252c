//! `sayso export`: exports a thread or the audit.

use super::{export_audit, export_thread};
use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::output::Output;
use std::path::PathBuf;

/// Export a thread, to read or as JSON; or the audit: who decided what, when and from where
#[derive(Debug, clap::Args)]
#[command(
    group = clap::ArgGroup::new("what").required(true).args(["thread", "audit"]),
    after_help = "A thread is written as Markdown, or complete as JSON. A file is never written over.\n\n\
    --audit: one line of JSON for each entry of the log: what was asked, decided, done, allowed and learned, and \
    the bare links of what threads did by themselves. A line's \"digest\" is the SHA-256 of its \"link\", which begins \
    with the digest of the line before it and ends with the SHA-256 of the \"body\". Keep an export elsewhere, and \
    `sayso doctor --audit FILE` compares it with the store.\n\nExamples:\n  \
    sayso export t3h8w1z5c\n  \
    sayso export t3h8 -o tuesday.json\n  \
    sayso export --audit -o audit-2026.jsonl\n  \
    sayso export --audit --since 30d | jq 'select(.what == \"decided\")'"
)]
pub struct Args {
    /// The thread
    thread: Option<String>,
    /// How to write a thread: md or json [default: by the file's ending]
    #[arg(long, value_name = "FORMAT", value_parser = ["md", "json"], conflicts_with = "audit")]
    format: Option<String>,
    /// The audit in place of a thread
    #[arg(long)]
    audit: bool,
    /// Only from this time on: 30d, 2026-11-01, or an RFC 3339 time
    #[arg(long, value_name = "TIME", requires = "audit")]
    since: Option<String>,
    /// Write to this new file instead of stdout
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Args {
    pub(super) async fn run(self, context: Context) -> Result<Output, Failure> {
        match self.thread {
            Some(thread) => export_thread::run(context, &thread, self.format.as_deref(), self.output).await,
            None => export_audit::run(context, self.since.as_deref(), self.output.as_deref()),
        }
    }
}
