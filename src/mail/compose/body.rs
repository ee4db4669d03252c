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

/// A part with a file, of the type that its name suggests. Always base64, and a text names no character set: mail must
/// not alter a file's content.
pub(super) fn file(file: &File) -> MimePart<'_> {
    // A mail that is attached as one may not be base64.
    let kind = mime_guess::from_path(&file.name).first_raw().filter(|kind| !kind.starts_with("message/"));
    let kind = kind.unwrap_or("application/octet-stream");
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

/// A name that contains no path.
fn file_name(name: &str) -> String {
    let unsafe_ = |c: char| c.is_control() || c == '/' || c == '\\';
    let name: String = name.chars().map(|c| if unsafe_(c) { '_' } else { c }).collect();
    let name = name.trim();
    if name.is_empty() { "file".to_owned() } else { name.to_owned() }
}
