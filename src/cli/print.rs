//! The last step before bytes leave: nothing in them is an order to a terminal.

use super::failure::Failure;
use crate::text::{Visible, plain_json};
use serde::Serialize;
use std::io::{self, Write};

/// A line to the person beside the answer, which stays clean for whoever reads it.
pub(super) fn note(text: &str) {
    let _ = writeln!(io::stderr(), "note: {}", Visible::new(text));
}

/// Something that is wrong and does not keep the verb from its work.
pub(super) fn warning(text: &str) {
    let _ = writeln!(io::stderr(), "warning: {}", Visible::new(text));
}

/// JSON on one line, in which every character that cannot be seen is escaped. It says the same to a parser.
pub(super) fn safe_json<T: Serialize + ?Sized>(data: &T) -> Result<String, Failure> {
    plain_json(data).map_err(|e| Failure::failed(format!("the answer cannot be written as JSON: {e}")))
}
