//! Why something that a user asked for was not done.

use crate::inbox::ErrorKind;

#[derive(Debug, thiserror::Error)]
#[error("{text}")]
pub struct AppError {
    pub kind: ErrorKind,
    pub text: String,
}

impl AppError {
    pub(super) fn new(kind: ErrorKind, text: impl Into<String>) -> Self {
        Self { kind, text: text.into() }
    }
}
