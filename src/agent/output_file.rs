//! Files that a thread's start command named, written into the person's folder. An existing file is kept next to the
//! new one.

use super::Services;
use crate::engine::graph::{
    Allow, Authorization, BoxFuture, Effect, EffectError, EffectTrace, Interrupt, Kind, Labels, NodeError,
};
use crate::inbox::{OUTPUT_FILES, Words, proposal};
use crate::text::atomic_write;
use crate::text::{Visible, count_noun, io_error_text};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// Whether output files may be written.
pub enum Permission {
    /// Allowed, on this basis.
    Write(Authorization),
    /// The person must be asked first.
    Ask(Box<Interrupt>),
    /// The person said no.
    No,
}

/// The results of all workflows that write one file.
pub const WORDS: Words = &[("write_result", "saving files")];

/// What the approval question says.
pub struct WriteQuestion<'a> {
    /// The approval's key and action.
    pub action: &'a str,
    /// What will be written.
    pub args: &'a Value,
    /// One line for the list.
    pub title: &'a str,
    /// A second line for the list.
    pub gist: &'a str,
}

/// The built-in grant allows output files. If it is off, the person decides; `answer` is theirs, once given.
pub fn permission(
    services: &Services,
    answer: Option<bool>,
    question: &WriteQuestion<'_>,
) -> Result<Permission, NodeError> {
    let WriteQuestion { action, args, title, gist } = question;
    Ok(match answer {
        Some(false) => Permission::No,
        Some(true) => Permission::Write(Authorization::Decision {
            key: (*action).to_owned(),
            args: Visible::json(args),
        }),
        None if services.records.is_builtin_on(OUTPUT_FILES)? => {
            Permission::Write(Authorization::Grant { name: OUTPUT_FILES.to_owned() })
        }
        None => {
            let mut interrupt = proposal(action, Kind::Approval, action, args, title);
            interrupt.gist = (*gist).to_owned();
            interrupt.allow = Allow { edit: false, respond: false, ..Allow::ALL };
            let write = format!("write {}", what_is_written(args));
            interrupt.labels =
                Labels { done: Some("written".to_owned()), ..Labels::new(write, "", "don't write") };
            Permission::Ask(Box::new(interrupt))
        }
    })
}

/// The file's name, or how many there are.
fn what_is_written(args: &Value) -> String {
    let others = args["files"].as_array().map_or(0, Vec::len);
    match args["file"].as_str().and_then(|file| Path::new(file).file_name()) {
        Some(name) if others == 0 => Visible::line(&name.to_string_lossy()).into_string(),
        Some(_) => count_noun(others + 1, "file"),
        None => count_noun(others, "page"),
    }
}

/// The date added to the name of an existing file that is in the way.
pub fn stamp(services: &Services) -> String {
    services.clock.clone()().strftime("%Y-%m-%dT%H%M%S").to_string()
}

/// The effect of writing the file; the bytes are the frozen ones. A missing folder is made.
pub struct OutputFile {
    pub path: PathBuf,
    /// The date added to the name of an existing file.
    pub stamp: String,
    /// Whether an existing file with these bytes need not be kept.
    pub is_disposable: fn(&[u8]) -> bool,
}

impl Effect for OutputFile {
    fn perform<'a>(&'a self, frozen: &'a [u8]) -> BoxFuture<'a, Result<Value, EffectError>> {
        Box::pin(async move {
            let write = || {
                fs::create_dir_all(atomic_write::folder_of(&self.path))?;
                atomic_write::write(&self.path, frozen, &self.stamp, &self.is_disposable)
            };
            match write() {
                Ok(backup) => Ok(json!({ "file": self.path, "kept": backup })),
                Err(error) => {
                    let (path, why) = (self.path.display(), io_error_text(&error));
                    Err(EffectError::Refused(format!(
                        "{path} could not be written: {why}. Fix that and retry"
                    )))
                }
            }
        })
    }

    fn find<'a>(&'a self, frozen: &'a [u8]) -> BoxFuture<'a, EffectTrace> {
        Box::pin(async move {
            match atomic_write::holds(&self.path, frozen) {
                Ok(true) => EffectTrace::Done(json!({ "file": self.path })),
                Ok(false) => EffectTrace::NotDone,
                Err(error) => EffectTrace::Unknown(error.to_string()),
            }
        })
    }
}
