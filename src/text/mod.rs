//! Makes text from outside safe to show and to put into prompts, and measures how much room it takes.
//!
//! Promises: a [`Visible`] holds exactly what a person sees and a model is given, character for character; widths and
//! line breaks agree with each other, and never split what is drawn as one. Does not know HTML, mail, colours or
//! screens, and imports no other module of the crate. `atomic_write` is here because every module may use this one.

mod amount;
pub mod atomic_write;
mod command_line;
mod emoji;
pub mod exact;
mod existing;
mod hex;
mod hidden;
mod io_error;
mod json;
mod markdown;
mod months;
mod nearest;
pub mod phrases;
mod sanitize;
pub mod schema;
mod shell_words;
mod visible;
pub mod when;
mod width;
pub mod words;
mod wrap;
mod xml;

pub use amount::{age, ago, bytes, clock, count_noun, duration, short_count};
pub use command_line::{CommandLine, Joint, SimpleCommand, quoted_word, read_command_line};
pub use existing::{one_of, there_are};
pub use hex::{digest_from_hex, hex, random_hex};
pub use hidden::is_hidden;
pub use io_error::{io_error_text, read_error_text, write_error_text};
pub use json::plain_json;
pub use markdown::{Line, Markdown, Weight};
pub use months::GERMAN_MONTHS;
pub use nearest::{nearest, suggest};
pub use shell_words::shell_words;
pub use visible::{Visible, hidden_count, sanitize_typed, sanitize_typed_json, short_line};
pub use width::{TAB_STOP, expand_tabs, fit, pad, truncate, truncate_words, width};
pub use wrap::{Wrap, WrapQuoted, table_row, wrap, wrap_code, wrap_quoted};
pub use xml::{unescape_xml, xml_entity};
