//! `sayso export --audit`. `sayso doctor --audit` checks the file it writes.

use crate::app::{AuditError, Setup};
use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::output::Output;
use crate::text::when;
use serde_json::json;
use std::io::ErrorKind;
use std::path::Path;

pub(super) fn run(context: Context, since: Option<&str>, output: Option<&Path>) -> Result<Output, Failure> {
    let config = context.config()?;
    let now = context.format.now.to_zoned(config.user.time_zone.clone());
    let since = since.map(|word| when::parse_past(word, &now)).transpose().map_err(Failure::usage)?;
    if !config.data.exists() {
        let text = format!("{} does not exist yet; there is nothing to export", config.data.display());
        return Err(Failure::gone(text));
    }
    let setup = Setup::open(config, context.env().clone())?;
    let Some(path) = output else {
        let written = setup.export_audit(since, &mut std::io::stdout().lock());
        return match written {
            // A reader that closes the pipe early is not a failure.
            Err(AuditError::File(_, error)) if error.kind() == ErrorKind::BrokenPipe => Ok(Output::nothing()),
            written => written.map(|_| Output::nothing()).map_err(failed),
        };
    };
    let lines = setup.export_audit_to(since, path).map_err(failed)?;
    let file = path.display().to_string();
    context.format.answer(&json!({ "file": file, "lines": lines }), |_| format!("{lines} lines in {file}"))
}

fn failed(error: AuditError) -> Failure {
    match error {
        AuditError::Exists(_) => Failure::usage(error.to_string()),
        AuditError::Store(_) | AuditError::File(..) => Failure::failed(error.to_string()),
    }
}
