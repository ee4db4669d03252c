//! Files that a thread's start command named, put into the person's folder; what stood there is kept beside them.

use super::Services;
use crate::graph::{Allow, Basis, BoxFuture, Effect, EffectError, Found, Interrupt, Kind, Labels, NodeError};
use crate::inbox::{OUTPUT_FILES, proposal};
use crate::text::{Visible, io_words};
use crate::tools::atomic_write;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Whether output files may be written.
pub(super) enum Permission {
    /// They may, by this right.
    Write(Basis),
    /// The person is asked first.
    Ask(Box<Interrupt>),
    /// The person said no.
    No,
}

/// What an approval to write says.
pub(super) struct Asking<'a> {
    /// The approval's key and action.
    pub(super) action: &'a str,
    /// What is to be written.
    pub(super) args: &'a Value,
    /// One line for the list.
    pub(super) title: &'a str,
    /// One more.
    pub(super) gist: &'a str,
}

/// Output files are written by the built-in grant; where it is off, by the person's word, which is `said` once given.
pub(super) fn permission(
    services: &Services,
    said: Option<bool>,
    asking: &Asking<'_>,
) -> Result<Permission, NodeError> {
    let Asking { action, args, title, gist } = asking;
    Ok(match said {
        Some(false) => Permission::No,
        Some(true) => {
            Permission::Write(Basis::Decision { key: (*action).to_owned(), args: Visible::json(args) })
        }
        None if services.records.is_builtin_on(OUTPUT_FILES)? => {
            Permission::Write(Basis::Grant { name: OUTPUT_FILES.to_owned() })
        }
        None => {
            let mut asked = proposal(action, Kind::Approval, action, args, title);
            asked.gist = (*gist).to_owned();
            asked.allow = Allow { edit: false, respond: false, ..Allow::ALL };
            asked.labels = Labels {
                accept: Some("write".to_owned()),
                ignore: Some("do not write".to_owned()),
                done: Some("written".to_owned()),
                ..Labels::default()
            };
            Permission::Ask(Box::new(asked))
        }
    })
}

/// What a file that stands in the way is dated with.
pub(super) fn stamp(services: &Services) -> String {
    services.clock.clone()().strftime("%Y-%m-%dT%H%M%S").to_string()
}

/// Whether a file holds what was to be written to it.
pub(super) fn found(path: &Path, frozen: &[u8]) -> Found {
    match atomic_write::holds(path, frozen) {
        Ok(true) => Found::Done(json!({ "file": path })),
        Ok(false) => Found::NotDone,
        Err(error) => Found::Unknown(error.to_string()),
    }
}

/// The effect of writing it; the bytes are the frozen ones.
pub(super) struct OutputFile {
    /// Where to.
    pub(super) path: PathBuf,
    /// What a file that stood there is dated with.
    pub(super) stamp: String,
}

impl Effect for OutputFile {
    fn perform<'a>(&'a self, frozen: &'a [u8]) -> BoxFuture<'a, Result<Value, EffectError>> {
        Box::pin(async move {
            match atomic_write::write(&self.path, frozen, &self.stamp) {
                Ok(kept) => Ok(json!({ "file": self.path, "kept": kept })),
                Err(error) => {
                    let path = self.path.display();
                    let text =
                        format!("{path} could not be written: {}. Fix that and retry", io_words(&error));
                    Err(EffectError::Refused(text))
                }
            }
        })
    }

    fn find<'a>(&'a self, frozen: &'a [u8]) -> BoxFuture<'a, Found> {
        Box::pin(async move { found(&self.path, frozen) })
    }
}
