//! A file that a thread's start command named, put into the person's folder; what stood there is kept beside it.

use crate::graph::{BoxFuture, Effect, EffectError, Found};
use crate::tools::keep;
use serde_json::{Value, json};
use std::path::PathBuf;

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
            match keep::write(&self.path, frozen, &self.stamp) {
                Ok(kept) => Ok(json!({ "file": self.path, "kept": kept })),
                Err(error) => {
                    let path = self.path.display();
                    let text = format!("{path} could not be written: {error}. Make room for it and retry");
                    Err(EffectError::Refused(text))
                }
            }
        })
    }

    fn find<'a>(&'a self, frozen: &'a [u8]) -> BoxFuture<'a, Found> {
        Box::pin(async move {
            match keep::holds(&self.path, frozen) {
                Ok(true) => Found::Done(json!({ "file": self.path })),
                Ok(false) => Found::NotDone,
                Err(error) => Found::Unknown(error.to_string()),
            }
        })
    }
}
