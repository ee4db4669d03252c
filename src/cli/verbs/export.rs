//! `sayso export`: a thread, taken out as a file or to the standard output.

use crate::app;
use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::ids::thread;
use crate::cli::output::Answer;
use serde_json::json;
use std::path::PathBuf;

/// Take a thread out: Markdown to read, or all of it as JSON
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A file is written whole, and never over one that is there. With --json and no file, the \
    thread itself is the answer.\n\nExamples:\n  \
    sayso export t3h8w1z5c\n  \
    sayso export t3h8 -o tuesday.md\n  \
    sayso export t3h8 --format json -o tuesday.json"
)]
pub(in crate::cli) struct Args {
    /// The thread
    thread: String,
    /// What to write: md or json; by the file's ending where it is not said
    #[arg(long, value_name = "FORMAT", value_parser = ["md", "json"])]
    format: Option<String>,
    /// Write it to this file
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Args {
    pub(super) async fn run(self, context: Context<'_>) -> Result<Answer, Failure> {
        let thread = thread(&self.thread)?;
        let here = context.open()?;
        let exported = app::export(here.backend(), thread).await?;
        let named = self.output.as_ref().and_then(|path| path.file_name()).map(|name| name.to_string_lossy());
        let format = match (self.format.as_deref(), named) {
            (Some("json"), _) => app::Format::Json,
            (Some(_), _) => app::Format::Markdown,
            (None, Some(name)) => app::Format::of(&name),
            (None, None) if here.page.is_json() => app::Format::Json,
            (None, None) => app::Format::Markdown,
        };
        let text = match format {
            app::Format::Markdown => exported.markdown(&here.page.zone),
            app::Format::Json => crate::cli::print::safe_json(&exported)?,
        };
        let Some(path) = self.output else {
            return match format {
                app::Format::Json => here.page.program(&json!(exported), text),
                app::Format::Markdown => here
                    .page
                    .answer(&json!({ "thread": exported.view.id, "markdown": text }), |_| text.clone()),
            };
        };
        app::write_new(&path, &text).map_err(|error| Failure::failed(error.to_string()))?;
        let said = json!({ "thread": exported.view.id, "format": format.ending(), "file": path, "bytes": text.len() });
        here.page.answer(&said, |_| format!("{} is written to {}", exported.view.id, path.display()))
    }
}
