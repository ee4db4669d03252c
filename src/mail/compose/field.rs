//! Values of header fields, made from text that others may have written.

use super::ComposeError;
use super::address::ascii_address;
use crate::mail::Address;
use mail_builder::headers::address::Address as Field;
use mail_builder::headers::message_id::MessageId;

/// Nobody has longer ids.
const LONGEST_ID: usize = 500;

/// Puts text on one line: every character that could end a field becomes a space. Several spaces become one: where a
/// line is folded between them, its readers see only one.
pub(super) fn one_line(text: &str) -> String {
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    line.trim().split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// A subject. `=?` would begin an encoded word, and the recipient would read other words than those that were approved.
pub fn subject(text: &str) -> Result<String, ComposeError> {
    let text = one_line(text);
    if text.contains("=?") { Err(ComposeError::LooksEncoded(text)) } else { Ok(text) }
}

/// Text that no mail program takes for another, encoded one.
pub fn not_encoded(text: &str) -> String {
    text.replace("=?", "= ?")
}

pub(super) fn addresses(addresses: &[Address]) -> Result<Field<'static>, ComposeError> {
    let field = |address: &Address| {
        let name = not_encoded(&one_line(&address.name)).split_whitespace().collect::<Vec<_>>().join(" ");
        let name = Some(name).filter(|name| !name.is_empty());
        Ok(Field::new_address(name, ascii_address(&address.address)?))
    };
    Ok(Field::new_list(addresses.iter().map(field).collect::<Result<_, _>>()?))
}

/// Message-IDs. They came from outside, so invalid ones are dropped; `None` if no others are left.
pub(super) fn ids(ids: &[String]) -> Option<MessageId<'_>> {
    let fits = |id: &&String| {
        !id.is_empty()
            && id.len() <= LONGEST_ID
            && id.bytes().all(|b| b.is_ascii_graphic() && b != b'<' && b != b'>')
    };
    let ids: Vec<&str> = ids.iter().filter(fits).map(String::as_str).collect();
    (!ids.is_empty()).then(|| ids.into())
}
