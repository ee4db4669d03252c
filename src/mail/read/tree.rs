//! Finds the parts of a mail in one pass over its bytes.
//!
//! Promises: linear time. All limits are checked here, before anything is decoded, so a parser never sees more than a
//! bounded number of bounded headers, and nothing recurses deeper than [`MAX_DEPTH`]. Mail broken in the usual ways (no
//! closing boundary, no blank line, an mbox line on top) still has parts. Nothing is decoded here.

use super::ParseError;
use super::kind::{Field, PartKind, kind};
use memchr::{memchr, memmem};
use std::ops::Range;

/// The longest mail that is read, in bytes.
pub(super) const MAX_RAW: usize = 64 << 20;
/// The most header fields of one part.
const MAX_FIELDS: usize = 2_000;
/// The longest header field, in bytes.
const MAX_FIELD: usize = 256 << 10;
/// The longest header of one part, in bytes.
const MAX_HEAD: usize = 1 << 20;
/// How deep parts may nest.
const MAX_DEPTH: usize = 40;
/// The most parts altogether.
const MAX_PARTS: usize = 2_000;

/// A part: its header fields, content and children.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub fields: Vec<Field>,
    pub body: Range<usize>,
    pub kind: PartKind,
    pub children: Vec<usize>,
}

/// A whole mail; the first part is the mail itself.
pub(super) struct Tree<'a> {
    pub raw: &'a [u8],
    pub parts: Vec<Part>,
}

impl<'a> Tree<'a> {
    /// The value of the first field with this name.
    pub fn field(&self, part: &Part, name: &str) -> Option<&'a [u8]> {
        self.fields(part, name).next()
    }

    /// The values of all fields with this name.
    pub fn fields<'s>(&'s self, part: &'s Part, name: &'s str) -> impl Iterator<Item = &'a [u8]> + 's {
        let fits = move |field: &&Field| self.raw[field.name.clone()].eq_ignore_ascii_case(name.as_bytes());
        part.fields.iter().filter(fits).map(|field| &self.raw[field.value.clone()])
    }
}

/// A part that is not closed yet; `boundary` is set for a multipart.
struct OpenPart {
    part: usize,
    boundary: Option<Vec<u8>>,
}

/// Finds the parts of a mail.
pub(super) fn tree(raw: &[u8]) -> Result<Tree<'_>, ParseError> {
    if raw.len() > MAX_RAW {
        return Err(ParseError::Large { bytes: raw.len() });
    }
    if raw.iter().all(u8::is_ascii_whitespace) {
        return Err(ParseError::Empty);
    }
    let mut tree = Tree { raw, parts: Vec::new() };
    let mut open: Vec<OpenPart> = Vec::new();
    let mut at = begin(&mut tree, &mut open, mbox_line(raw))?;
    while let Some((line, next)) = dashes(raw, at) {
        at = next;
        let Some((level, is_last)) = delimiter(&raw[line..next], &open) else { continue };
        close(&mut tree, &mut open, level + 1, content_end(raw, line));
        if is_last {
            close(&mut tree, &mut open, level, content_end(raw, line));
        } else {
            at = begin(&mut tree, &mut open, next)?;
        }
    }
    close(&mut tree, &mut open, 0, raw.len());
    Ok(tree)
}

/// Where the mail begins: after blank lines and the line that an mbox puts first.
fn mbox_line(raw: &[u8]) -> usize {
    let mut at = raw.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
    if raw[at..].starts_with(b"\xEF\xBB\xBF") {
        at += 3;
    }
    if raw[at..].starts_with(b"From ") { line_end(raw, at) } else { at }
}

fn line_end(raw: &[u8], at: usize) -> usize {
    memchr(b'\n', &raw[at..]).map_or(raw.len(), |length| at + length + 1)
}

/// The next line at or after `at` that begins with two dashes: its start, and the start of the line after it.
fn dashes(raw: &[u8], at: usize) -> Option<(usize, usize)> {
    let line = if raw[at..].starts_with(b"--") { at } else { at + memmem::find(&raw[at..], b"\n--")? + 1 };
    Some((line, line_end(raw, line)))
}

/// A part's content ends before the line break in front of a delimiter.
fn content_end(raw: &[u8], line: usize) -> usize {
    let end = if raw[..line].ends_with(b"\n") { line - 1 } else { line };
    if raw[..end].ends_with(b"\r") { end - 1 } else { end }
}

/// The open part that a line delimits, and whether it is its last delimiter.
fn delimiter(line: &[u8], open: &[OpenPart]) -> Option<(usize, bool)> {
    let line = line.trim_ascii_end().get(2..)?;
    open.iter().enumerate().rev().find_map(|(level, open)| {
        let rest = line.strip_prefix(open.boundary.as_deref()?)?;
        match rest {
            b"" => Some((level, false)),
            b"--" => Some((level, true)),
            _ => None,
        }
    })
}

/// Closes all open parts from `level` on.
fn close(tree: &mut Tree<'_>, open: &mut Vec<OpenPart>, level: usize, end: usize) {
    for open in open.drain(level.min(open.len())..) {
        let body = &mut tree.parts[open.part].body;
        body.end = end.max(body.start);
    }
}

/// Opens the part whose header begins at `at`, and the mails within it. Returns where to look for delimiters.
fn begin(tree: &mut Tree<'_>, open: &mut Vec<OpenPart>, mut at: usize) -> Result<usize, ParseError> {
    loop {
        if open.len() >= MAX_DEPTH {
            return Err(ParseError::Deep { most: MAX_DEPTH });
        }
        if tree.parts.len() >= MAX_PARTS {
            return Err(ParseError::Parts { most: MAX_PARTS });
        }
        let parent = open.last().map(|open| open.part);
        let (fields, body) = head(tree.raw, at, open)?;
        let in_digest = parent.is_some_and(|parent| tree.parts[parent].kind.is("multipart/digest"));
        let kind = kind(tree.raw, &fields, in_digest);
        let boundary = kind.boundary.clone().filter(|boundary| !boundary.is_empty());
        let is_mail = kind.is_mail() && kind.plain_encoding;
        let part = tree.parts.len();
        if let Some(parent) = parent {
            tree.parts[parent].children.push(part);
        }
        tree.parts.push(Part { fields, body: body..body, kind, children: Vec::new() });
        open.push(OpenPart { part, boundary });
        if !is_mail {
            return Ok(body);
        }
        at = body;
    }
}

/// The header fields from `at` on, and where the content begins.
fn head(raw: &[u8], mut at: usize, open: &[OpenPart]) -> Result<(Vec<Field>, usize), ParseError> {
    let start = at;
    let mut fields: Vec<Field> = Vec::new();
    while at < raw.len() {
        let end = line_end(raw, at);
        let line = &raw[at..end];
        if matches!(line, b"\n" | b"\r\n" | b"\r") {
            return Ok((fields, end));
        }
        let is_folded = matches!(line.first(), Some(b' ' | b'\t'));
        match (is_folded, fields.last_mut()) {
            (true, Some(field)) => field.value.end = end,
            (true, None) => return Ok((fields, at)),
            (false, _) => match field_name(line) {
                // A line that is not a field: the blank line before the content is missing.
                None if line.starts_with(b"From ") || line.starts_with(b">From ") => {}
                None => return Ok((fields, at)),
                Some(_) if line.starts_with(b"--") && delimiter(line, open).is_some() => {
                    return Ok((fields, at));
                }
                Some((name, colon)) => {
                    fields.push(Field { name: at..at + name, value: at + colon + 1..end });
                }
            },
        }
        if fields.len() > MAX_FIELDS {
            return Err(ParseError::Headers { most: MAX_FIELDS });
        }
        if end - start > MAX_HEAD || fields.last().is_some_and(|field| field.value.len() > MAX_FIELD) {
            return Err(ParseError::LongHeader);
        }
        at = end;
    }
    Ok((fields, at))
}

/// The length of a field's name, and the position of its colon.
fn field_name(line: &[u8]) -> Option<(usize, usize)> {
    let name = line.iter().take(256).take_while(|byte| byte.is_ascii_graphic() && **byte != b':').count();
    let spaces = line[name..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    (name > 0 && line.get(name + spaces) == Some(&b':')).then_some((name, name + spaces))
}
