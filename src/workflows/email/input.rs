//! A thread's input: a mail as a file, as JSON, or one that arrived.

use crate::engine::graph::InputError;
use crate::mail;
use crate::text::read_error_text;
use crate::tools::{folder, regular_file};
use serde_json::Value;
use std::io::ErrorKind;
use std::path::Path;

/// The maximum size of a mail that is handed in.
pub(super) const MAX_MAIL_BYTES: u64 = 50 * 1024 * 1024;

/// Completes a person's input, or refuses it before anything is stored.
pub(super) fn prepare(mut input: Value) -> Result<Value, InputError> {
    if input.get("received").is_some() || input.get("earlier").is_some() {
        let text = "mail that came is started by sayso itself; give `file` or `json`";
        return Err(InputError::Whole(text.to_owned()));
    }
    let value_of = |key: &str| input.get(key).filter(|value| !value.is_null());
    match (value_of("file"), value_of("json")) {
        (Some(file), None) => {
            let typed = file.as_str().unwrap_or_default();
            let path = resolve(typed).map_err(|text| InputError::field("file", text))?;
            let raw = read_file(&path).map_err(|text| InputError::field("file", text))?;
            mail::parse(&raw).map_err(|e| InputError::field("file", format!("{path} is not a mail: {e}")))?;
            input["file"] = Value::from(path);
            Ok(input)
        }
        (None, Some(json)) => {
            let raw = mail::from_json(json).map_err(|e| InputError::field("json", e.to_string()))?;
            mail::parse(&raw).map_err(|e| InputError::field("json", format!("it is not a mail: {e}")))?;
            Ok(input)
        }
        (None, None) => Err(InputError::Whole(
            "give a mail: `file` (one .eml) or `json` (a Gmail API message)".to_owned(),
        )),
        (Some(_), Some(_)) => {
            Err(InputError::Whole("give one mail: either `file` or `json`, not both".to_owned()))
        }
    }
}

fn resolve(typed: &str) -> Result<String, String> {
    let path = Path::new(typed);
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = path.file_name().ok_or_else(|| format!("{typed} is not a file"))?;
    let folder = folder::resolve(folder).map_err(|e| e.to_string())?;
    let path = folder.join(name);
    path.to_str().map(str::to_owned).ok_or_else(|| "the file's name is not UTF-8".to_owned())
}

/// Reads a regular file, up to the maximum size of a mail.
pub(super) fn read_file(path: &str) -> Result<Vec<u8>, String> {
    regular_file::read(Path::new(path), MAX_MAIL_BYTES).map_err(|error| match error.kind() {
        ErrorKind::NotFound => format!("there is no file {path}"),
        ErrorKind::InvalidInput => format!("{path} is not a file"),
        ErrorKind::FileTooLarge => format!("{path} is longer than {} MB", MAX_MAIL_BYTES / 1024 / 1024),
        _ => format!("{path} cannot be read: {}", read_error_text(&error)),
    })
}
