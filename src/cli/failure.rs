//! The failure of a verb: an exit code and a sentence.

use crate::app::{AppError, PythonEnvironmentError};
use crate::config;
use crate::inbox::{ErrorKind, InboxError};
use crate::text::Visible;
use std::io::Write;
use std::process::ExitCode;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    Done = 0,
    Failed = 1,
    /// Wrong usage, or a wrong config.
    Usage = 2,
    /// The target does not exist, is no longer open, or has changed since it was shown.
    Gone = 3,
    /// The request was refused.
    Ignored = 4,
    /// Nobody answered the request in time.
    Expired = 5,
    /// Nobody has answered the request yet.
    Unanswered = 6,
}

impl Exit {
    pub fn code(self) -> u8 {
        self as u8
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit.code())
    }
}

/// Why a verb failed.
#[derive(Debug)]
pub(super) struct Failure {
    exit: Exit,
    text: String,
}

impl Failure {
    pub(super) fn new(exit: Exit, text: impl Into<String>) -> Self {
        Self { exit, text: text.into() }
    }

    pub(super) fn failed(text: impl Into<String>) -> Self {
        Self::new(Exit::Failed, text)
    }

    pub(super) fn usage(text: impl Into<String>) -> Self {
        Self::new(Exit::Usage, text)
    }

    pub(super) fn gone(text: impl Into<String>) -> Self {
        Self::new(Exit::Gone, text)
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// An error of the inbox; a conflict with the current state exits with `conflict`.
    pub(super) fn from_inbox(error: &InboxError, conflict: Exit) -> Self {
        Self::of(error.kind(), conflict, error.to_string())
    }

    fn of(kind: ErrorKind, conflict: Exit, text: String) -> Self {
        let exit = match kind {
            ErrorKind::Gone => Exit::Gone,
            ErrorKind::Wrong => Exit::Usage,
            ErrorKind::Conflict => conflict,
            ErrorKind::Failed => Exit::Failed,
        };
        Self::new(exit, text)
    }

    /// Prints the sentence and returns the exit code.
    pub(super) fn print(&self) -> Exit {
        // If even stderr is closed, the exit code has to do.
        let _ = writeln!(std::io::stderr(), "error: {}", Visible::new(&self.text));
        self.exit
    }
}

impl From<InboxError> for Failure {
    fn from(error: InboxError) -> Self {
        Self::from_inbox(&error, Exit::Failed)
    }
}

impl From<AppError> for Failure {
    fn from(error: AppError) -> Self {
        Self::of(error.kind, Exit::Failed, error.text)
    }
}

impl From<PythonEnvironmentError> for Failure {
    fn from(error: PythonEnvironmentError) -> Self {
        Self::failed(error.to_string())
    }
}

impl From<config::Error> for Failure {
    fn from(error: config::Error) -> Self {
        Self::usage(error.to_string())
    }
}
