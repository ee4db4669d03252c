//! Header values with parameters (`text/plain; charset=utf-8`), even broken ones.
//!
//! Promises: linear time, bounded, no errors. Continued and encoded parameters (RFC 2231) are joined before their
//! character set is decoded; encoded words are read too: they are wrong here but common.

use super::{decode, words};
use percent_encoding::percent_decode_str;

/// The most parameters read from one value.
const MOST: usize = 64;

/// A value and its parameters.
#[derive(Debug, Default)]
pub(super) struct Params {
    /// The text before the parameters, in lower case.
    pub value: String,
    pieces: Vec<Piece>,
}

/// A parameter or a part of one.
#[derive(Debug)]
struct Piece {
    name: String,
    /// Its position among the parts.
    place: usize,
    /// Whether it is percent-encoded, with its character set in front.
    encoded: bool,
    value: String,
}

impl Params {
    pub fn read(raw: &[u8]) -> Self {
        let text = words::unfold(raw, "");
        let (value, mut rest) = text.split_once(';').unwrap_or((&text, ""));
        let value = value.split('(').next().unwrap_or_default().trim().to_ascii_lowercase();
        let mut pieces = Vec::new();
        while !rest.is_empty() && pieces.len() < MOST {
            let (name, after) = match rest.find(['=', ';']) {
                Some(at) if rest.as_bytes()[at] == b'=' => (&rest[..at], &rest[at + 1..]),
                Some(at) => {
                    rest = &rest[at + 1..];
                    continue;
                }
                None => break,
            };
            let (value, after) = one_value(after.trim_start());
            rest = after;
            pieces.push(Piece::new(name, value));
        }
        Self { value, pieces }
    }

    pub fn get(&self, name: &str) -> Option<String> {
        let mut parts: Vec<&Piece> = self.pieces.iter().filter(|piece| piece.name == name).collect();
        let first = *parts.first()?;
        // If the name is given both plain and encoded, the plain one is for old programs.
        let best = parts.iter().copied().find(|piece| piece.encoded && piece.place == 0);
        if parts.iter().all(|piece| piece.place == 0) && !best.unwrap_or(first).encoded {
            return Some(words::text(first.value.as_bytes(), ""));
        }
        if best.is_some() {
            parts.retain(|piece| piece.encoded || piece.place > 0);
        }
        parts.sort_by_key(|piece| piece.place);
        parts.dedup_by_key(|piece| piece.place);
        let mut charset = String::new();
        let mut bytes = Vec::new();
        for (at, piece) in parts.into_iter().enumerate() {
            let mut value = piece.value.as_str();
            if at == 0
                && piece.encoded
                && let Some((set, rest)) = value.split_once('\'')
            {
                charset = set.to_owned();
                value = rest.split_once('\'').map_or(rest, |(_language, value)| value);
            }
            if piece.encoded {
                bytes.extend(percent_decode_str(value))
            } else {
                bytes.extend_from_slice(value.as_bytes())
            }
        }
        Some(words::text(decode::text(&charset, &bytes).as_bytes(), ""))
    }
}

impl Piece {
    fn new(name: &str, value: String) -> Self {
        let name = name.trim().to_ascii_lowercase();
        let (bare, encoded) = match name.strip_suffix('*') {
            Some(bare) => (bare, true),
            None => (name.as_str(), false),
        };
        let (base, place) = match bare.split_once('*') {
            Some((base, place)) => (base, place.parse().unwrap_or(usize::MAX)),
            None => (bare, 0),
        };
        Self { name: base.to_owned(), place, encoded, value }
    }
}

/// A parameter's value, and the text after its semicolon.
fn one_value(text: &str) -> (String, &str) {
    let Some(quoted) = text.strip_prefix('"') else {
        let (value, rest) = text.split_once(';').unwrap_or((text, ""));
        return (value.trim().to_owned(), rest);
    };
    let mut value = String::new();
    let mut letters = quoted.char_indices();
    while let Some((at, c)) = letters.next() {
        match c {
            '"' => {
                let rest = &quoted[at + 1..];
                return (value, rest.split_once(';').map_or("", |(_, rest)| rest));
            }
            // Only these two need escaping; any other backslash is part of a path from a careless sender.
            '\\' if quoted[at + 1..].starts_with(['"', '\\']) => value.extend(letters.next().map(|(_, c)| c)),
            c => value.push(c),
        }
    }
    (value, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_as_they_come() {
        for (value, expected) in [
            ("x; name=a.txt", Some("a.txt")),
            ("x; NAME = \"a b.txt\" ; y=z", Some("a b.txt")),
            ("x; name=my file.txt; y", Some("my file.txt")),
            ("x; name=\"a;b\\\"c\"", Some("a;b\"c")),
            ("x; name=\"C:\\dir\\a.txt", Some("C:\\dir\\a.txt")),
            ("x; name*=utf-8'en'%C3%A9.txt", Some("é.txt")),
            ("x; name*=utf-8''a%", Some("a%")),
            ("x; name*=%41b", Some("Ab")),
            ("x; name=old; name*=utf-8''new", Some("new")),
            ("x; name*=utf-8''new; name=old", Some("new")),
            ("x; name*1=b; name*0=a", Some("ab")),
            ("x; name*0*=utf-8''Pl%C3; name*1*=%A4n; name*2=.pdf", Some("Plän.pdf")),
            ("x; name*0*=koi8-r''%F0%D2; name*1*=%C9%D7%C5%D4", Some("Привет")),
            ("x; name=\"=?utf-8?B?w6k=?=.txt\"", Some("é.txt")),
            ("x; name==?utf-8?Q?=C3=A9?=", Some("é")),
            ("x; name=", Some("")),
            ("x; other=1", None),
            ("x", None),
            (";;;=;name", None),
        ] {
            assert_eq!(Params::read(value.as_bytes()).get("name").as_deref(), expected, "{value}");
        }
        assert_eq!(Params::read(b"Text/HTML (comment); x").value, "text/html");
        assert_eq!(Params::read(b"x; name=caf\xe9").get("name").as_deref(), Some("café"));
    }
}
