//! The last step before bytes leave: nothing in them is an order to a terminal.

use crate::text::Visible;
use std::io::{self, Write};

/// A line to the person beside the answer, which stays clean for whoever reads it.
pub(super) fn note(text: &str) {
    let _ = writeln!(io::stderr(), "note: {}", Visible::new(text));
}

/// Something that is wrong and does not keep the verb from its work.
pub(super) fn warning(text: &str) {
    let _ = writeln!(io::stderr(), "warning: {}", Visible::new(text));
}
