//! Prints notes and warnings to stderr, without terminal escapes.

use crate::text::Visible;
use std::io::{self, Write};

/// A line for the user that is not part of the answer on stdout.
pub(super) fn note(text: &str) {
    let _ = writeln!(io::stderr(), "note: {}", Visible::new(text));
}

/// A problem that does not stop the verb.
pub(super) fn warning(text: &str) {
    let _ = writeln!(io::stderr(), "warning: {}", Visible::new(text));
}
