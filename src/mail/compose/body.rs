//! Body parts, each with the transfer encoding that suits its content.

use super::File;
use mail_builder::headers::content_type::ContentType;
use mail_builder::headers::raw::Raw;
use mail_builder::mime::{BodyPart, MimePart};

pub(super) fn text(kind: String, text: &str) -> MimePart<'static> {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let text = text.strip_suffix('\n').unwrap_or(&text);
    let content = format!("{}\r\n", text.replace('\n', "\r\n"));
    // Servers and mailboxes change such lines, or take them for their own markers; as bytes they go out in base64.
    let is_changed = |line: &str| {
        line == "." || line.starts_with("From ") || line.contains(|c: char| c.is_ascii_control() && c != '\t')
    };
    let content = if text.split('\n').any(is_changed) {
        BodyPart::from(content.into_bytes())
    } else {
        BodyPart::from(content)
    };
    part(kind, content)
}

/// A part with a file. Always base64: mail must not alter a file's content.
pub(super) fn file(file: &File) -> MimePart<'_> {
    let kind = media_type(&file.kind).unwrap_or("application/octet-stream");
    part(kind.to_owned(), file.bytes.as_slice()).attachment(file_name(&file.name))
}

/// Joins parts. The boundary begins with `=_`, which encoded text cannot contain.
pub(super) fn multipart<'a>(kind: &'a str, boundary: &str, parts: Vec<MimePart<'a>>) -> MimePart<'a> {
    MimePart::new(ContentType::new(kind).attribute("boundary", format!("=_{boundary}")), parts)
}

/// A part of a type that stands as it is: a `ContentType` would decide the encoding of files too.
fn part<'a>(kind: String, contents: impl Into<BodyPart<'a>>) -> MimePart<'a> {
    MimePart::raw(contents).header("Content-Type", Raw::new(kind))
}

/// Returns the media type if it is safe in a header and may be sent as base64.
fn media_type(kind: &str) -> Option<&str> {
    let token = |word: &str| {
        !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&b))
    };
    let (family, member) = kind.split_once('/')?;
    let composite = ["message", "multipart"].iter().any(|composite| family.eq_ignore_ascii_case(composite));
    (kind.len() <= 100 && token(family) && token(member) && !composite).then_some(kind)
}

/// A name that contains no path.
fn file_name(name: &str) -> String {
    let unsafe_ = |c: char| c.is_control() || c == '/' || c == '\\';
    let name: String = name.chars().map(|c| if unsafe_(c) { '_' } else { c }).collect();
    let name = name.trim();
    if name.is_empty() { "file".to_owned() } else { name.to_owned() }
}
