//! Forms made from JSON schemas: the arguments of a tool to be edited, the keys of a workflow to be started, words to
//! an agent. What is typed is checked beside its field; what cannot be a field of its own is edited as JSON.

mod diff;
mod editor;
mod field;
mod form;

pub use crate::inbox::changed_lines;
pub use diff::{changed_words, changes, word_lines};
pub use editor::Editor;
pub use field::{Field, FieldKind};
pub use form::{Form, Purpose};
