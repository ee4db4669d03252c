//! `sayso export THREAD`: writes a thread to a file or to stdout.

use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::ids;
use crate::cli::output::{Output, safe_json};
use crate::inbox::door::{self, Format};
use serde_json::json;
use std::path::PathBuf;

pub(super) async fn run(
    context: Context,
    thread: &str,
    format: Option<&str>,
    output: Option<PathBuf>,
) -> Result<Output, Failure> {
    let thread = ids::thread(thread)?;
    let folder = context.open()?;
    let exported = door::export(folder.inbox(), thread).await?;
    let file_name = output.as_ref().and_then(|path| path.file_name()).map(|name| name.to_string_lossy());
    let format = match (format, file_name) {
        (Some("json"), _) => Format::Json,
        (Some(_), _) => Format::Markdown,
        (None, Some(name)) => Format::of(&name),
        (None, None) if folder.format.is_json() => Format::Json,
        (None, None) => Format::Markdown,
    };
    let text = match format {
        Format::Markdown => exported.markdown(&folder.format.zone),
        Format::Json => safe_json(&exported)?,
    };
    let Some(path) = output else {
        return match format {
            Format::Json => folder.format.program(&json!(exported), text),
            Format::Markdown => folder
                .format
                .answer(&json!({ "thread": exported.view.id, "markdown": text }), |_| text.clone()),
        };
    };
    door::write_new(&path, &text).map_err(|error| Failure::failed(error.to_string()))?;
    let report =
        json!({ "thread": exported.view.id, "format": format.ending(), "file": path, "bytes": text.len() });
    folder.format.answer(&report, |_| format!("{} is written to {}", exported.view.id, path.display()))
}
