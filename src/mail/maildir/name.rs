//! File names: the part that identifies the mail, and its flags.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// The parsed name of a file in `cur` or `new`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Name {
    /// The part that never changes while the mail exists, as text.
    pub(super) key: String,
    /// In ASCII order.
    pub(super) flags: String,
}

/// Parses a file name; `None` if it is not a mail.
pub(super) fn read(file: &OsStr) -> Option<Name> {
    let bytes = file.as_bytes();
    if bytes.is_empty() || bytes.starts_with(b".") {
        return None;
    }
    let (unique, info) = split(bytes);
    let flags = info.strip_prefix(b"2,").unwrap_or_default();
    let mut flags: Vec<u8> = flags.iter().copied().filter(u8::is_ascii_alphabetic).collect();
    flags.sort_unstable();
    flags.dedup();
    let flags = flags.into_iter().map(char::from).collect();
    Some(Name { key: key(unique), flags })
}

/// The unique part, and the part after the separator. On file systems without colons, programs use `!` or `;`.
fn split(bytes: &[u8]) -> (&[u8], &[u8]) {
    let is_separator = |at: &usize| {
        bytes[*at] == b':' || (matches!(bytes[*at], b'!' | b';') && bytes[*at + 1..].starts_with(b"2,"))
    };
    match (0..bytes.len()).find(is_separator) {
        Some(at) => (&bytes[..at], &bytes[at + 1..]),
        None => (bytes, b""),
    }
}

/// The unique part as text, without the number that a synchroniser adds later (`,U=12`). Invalid UTF-8 is escaped, so
/// that no two names share a key.
fn key(unique: &[u8]) -> String {
    let needs_escape = |c: char| c == '%' || c == '/' || c.is_control();
    let key = match str::from_utf8(unique) {
        Ok(plain) if !plain.contains(needs_escape) => plain.to_owned(),
        _ => escaped(unique, needs_escape),
    };
    let Some((before, after)) = key.split_once(",U=") else { return key };
    let rest = after.trim_start_matches(|c: char| c.is_ascii_digit());
    if rest.len() == after.len() || !(rest.is_empty() || rest.starts_with(',')) {
        return key;
    }
    format!("{before}{rest}")
}

/// A file name without a synchroniser's number, which is valid in one folder only.
pub(super) fn without_number(file: &OsStr) -> OsString {
    let bytes = file.as_bytes();
    let Some(at) = bytes.windows(3).position(|part| part == b",U=") else { return file.to_owned() };
    let digits = bytes[at + 3..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let rest = &bytes[at + 3 + digits..];
    let is_complete = rest.first().is_none_or(|byte| matches!(byte, b',' | b':' | b'!' | b';'));
    if digits == 0 || !is_complete {
        return file.to_owned();
    }
    OsString::from_vec([&bytes[..at], rest].concat())
}

fn escaped(unique: &[u8], needs_escape: impl Fn(char) -> bool) -> String {
    let mut key = String::with_capacity(unique.len());
    for chunk in unique.utf8_chunks() {
        for c in chunk.valid().chars() {
            if needs_escape(c) {
                c.encode_utf8(&mut [0; 4]).bytes().for_each(|byte| key.push_str(&format!("%{byte:02X}")));
            } else {
                key.push(c);
            }
        }
        chunk.invalid().iter().for_each(|byte| key.push_str(&format!("%{byte:02X}")));
    }
    key
}

/// The file name with these flags, for a mail in `cur`.
pub(super) fn with_flags(file: &OsStr, flags: &str) -> std::ffi::OsString {
    let (unique, _) = split(file.as_bytes());
    let mark = file.as_bytes().get(unique.len()).copied().unwrap_or(b':');
    let mut name = unique.to_vec();
    name.push(mark);
    name.extend(b"2,");
    name.extend(flags.as_bytes());
    OsStr::from_bytes(&name).to_owned()
}

/// Adds flags and sorts them, as Maildir requires.
pub(super) fn more_flags(flags: &str, more: &str) -> String {
    let mut all: Vec<char> = flags.chars().chain(more.chars()).collect();
    all.sort_unstable();
    all.dedup();
    all.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_outlives_flags_and_numbers() {
        let key = |name: &[u8]| read(OsStr::from_bytes(name)).unwrap().key;
        for name in ["17.M5P3.host", "17.M5P3.host:2,", "17.M5P3.host:2,FRS", "17.M5P3.host,U=9:2,S"] {
            assert_eq!(key(name.as_bytes()), "17.M5P3.host");
        }
        assert_eq!(key(b"17.host!2,S"), "17.host");
        assert_eq!(key(b"17.host,S=120,W=130:2,a"), "17.host,S=120,W=130");
        assert_eq!(key(b"17.host,U=1,FMD5=ab:2,"), "17.host,FMD5=ab");
        assert_eq!(key(b"17,U=x:2,"), "17,U=x");
        assert_ne!(key(b"a\xff"), key(b"a\xfe"));
        assert_ne!(key(b"a\xff"), key(b"a%FF"));
    }

    #[test]
    fn flags_are_read_and_written_in_order() {
        let name = OsStr::new("1.host:2,SaF");
        assert_eq!(read(name).unwrap().flags, "FSa");
        assert_eq!(with_flags(name, "FRS"), "1.host:2,FRS");
        assert_eq!(with_flags(OsStr::new("1.host"), "S"), "1.host:2,S");
        assert_eq!(with_flags(OsStr::new("1.host;2,"), "S"), "1.host;2,S");
        assert_eq!(more_flags("FSa", "RS"), "FRSa");
        assert_eq!(read(OsStr::new(".hidden")), None);
    }
}
