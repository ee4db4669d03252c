//! Decodes header values: folding, raw 8-bit letters and encoded words (RFC 2047), even broken ones. Cuts them to one
//! line of limited length.
//!
//! Promises: linear time, no errors. Adjacent encoded words are joined before their character set is decoded, since
//! many senders split in the middle of a character. Text that is not an encoded word stays unchanged.

use super::decode;
use crate::text::{Visible, hidden_count, sanitize_typed};

/// The longest subject, name or header value kept, in bytes.
pub(super) const MAX_LINE: usize = 4_096;

/// A header value as one line of text.
pub(super) fn text(value: &[u8], charset: &str) -> String {
    let mut out = String::new();
    each(&unfold(value, charset), |piece| match piece {
        Piece::Plain(plain) => out.push_str(plain),
        Piece::Decoded(decoded) => out.push_str(&decoded),
    });
    out.trim().to_owned()
}

/// A letter of a header value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Letter {
    pub char: char,
    /// Whether it comes from an encoded word: then it is never a meaningful comma or bracket.
    pub encoded: bool,
}

impl Letter {
    /// The letter, unless it was encoded.
    pub fn plain(&self) -> Option<char> {
        (!self.encoded).then_some(self.char)
    }
}

/// A header value as letters, for parsing structured fields.
pub(super) fn letters(value: &[u8], charset: &str) -> Vec<Letter> {
    let mut out = Vec::new();
    let letter = |encoded| move |char| Letter { char, encoded };
    each(&unfold(value, charset), |piece| match piece {
        Piece::Plain(plain) => out.extend(plain.chars().map(letter(false))),
        Piece::Decoded(decoded) => out.extend(decoded.chars().map(letter(true))),
    });
    out
}

/// The value without line breaks, with raw bytes decoded.
pub(super) fn unfold(value: &[u8], charset: &str) -> String {
    let mut text = decode::text(charset, value);
    if text.contains(['\r', '\n']) {
        let mut unfolded = String::with_capacity(text.len());
        for line in text.split(['\r', '\n']).filter(|line| !line.is_empty()) {
            if unfolded.is_empty() {
                unfolded.push_str(line.trim_start())
            } else {
                unfolded.push(' ');
                unfolded.push_str(line.trim_start_matches([' ', '\t']));
            }
        }
        text = unfolded;
    }
    text
}

enum Piece<'a> {
    Plain(&'a str),
    Decoded(String),
}

/// Adjacent encoded words with one character set, their bytes joined.
#[derive(Default)]
struct Run {
    charset: String,
    bytes: Vec<u8>,
}

fn each<'a>(text: &'a str, mut take: impl FnMut(Piece<'a>)) {
    let mut run: Option<Run> = None;
    let end = |run: &mut Option<Run>, take: &mut dyn FnMut(Piece<'a>)| {
        if let Some(run) = run.take() {
            take(Piece::Decoded(decode::text(&run.charset, &run.bytes)));
        }
    };
    let (mut plain, mut at) = (0, 0);
    while let Some(found) = text[at..].find("=?") {
        let start = at + found;
        let Some(word) = word(&text[start..]) else {
            at = start + 2;
            continue;
        };
        let between = &text[plain..start];
        if run.is_none() || !between.trim().is_empty() {
            end(&mut run, &mut take);
            if !between.is_empty() {
                take(Piece::Plain(between));
            }
        }
        match &mut run {
            Some(run) if run.charset.eq_ignore_ascii_case(word.charset) => run.bytes.extend(word.bytes),
            _ => {
                end(&mut run, &mut take);
                run = Some(Run { charset: word.charset.to_owned(), bytes: word.bytes });
            }
        }
        at = start + word.length;
        plain = at;
    }
    end(&mut run, &mut take);
    if plain < text.len() {
        take(Piece::Plain(&text[plain..]));
    }
}

struct Word<'a> {
    charset: &'a str,
    bytes: Vec<u8>,
    length: usize,
}

/// The longest encoded word we look for; the standard allows 75, but senders ignore that. It limits how far we look
/// ahead from each `=?`.
const LONGEST: usize = 4096;

/// The encoded word that `text` begins with.
fn word(text: &str) -> Option<Word<'_>> {
    let window = &text.as_bytes()[..text.len().min(LONGEST)];
    let charset_end = 2 + memchr::memchr(b'?', window.get(2..window.len().min(64))?)?;
    let (encoding, start) = (*window.get(charset_end + 1)?, charset_end + 3);
    if window.get(charset_end + 2) != Some(&b'?') || window[2..charset_end].contains(&b' ') {
        return None;
    }
    // A single `?` may be part of a word; `?=` ends it. `?==?` is an end and a beginning.
    let end = start + memchr::memmem::find(window.get(start..)?, b"?=")?;
    let content = &window[start..end];
    // Another word begins inside: this one was never closed.
    if memchr::memmem::find(content, b"=?").is_some() {
        return None;
    }
    let bytes = match encoding {
        b'b' | b'B' => decode::base64(content),
        b'q' | b'Q' => {
            let spaced: Vec<u8> =
                content.iter().map(|byte| if *byte == b'_' { b' ' } else { *byte }).collect();
            decode::quoted_printable(&spaced)
        }
        _ => return None,
    };
    let charset = text.get(2..charset_end)?;
    let charset = charset.split_once('*').map_or(charset, |(charset, _language)| charset);
    (!charset.is_empty()).then_some(Word { charset, bytes, length: end + 2 })
}

/// A value as one visible line of limited length.
pub(super) fn line(value: &[u8], charset: &str) -> String {
    // Cut long values before decoding them.
    let text = text(&value[..value.len().min(4 * MAX_LINE)], charset);
    Visible::line(clip(&text, MAX_LINE)).into_string()
}

/// A value on one line and without control characters but otherwise as it came, if it holds what cannot be seen.
pub(super) fn unshown(value: &[u8], charset: &str) -> Option<String> {
    let text = text(&value[..value.len().min(4 * MAX_LINE)], charset);
    let text = clip(&text, MAX_LINE);
    (hidden_count(text) > 0).then(|| sanitize_typed(text).replace(['\n', '\t'], " "))
}

/// The first `most` bytes of a text, without a partial character.
pub(super) fn clip(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_as_they_come() {
        for (value, expected) in [
            ("plain", "plain"),
            (" folded\r\n  on two lines\r\n", "folded on two lines"),
            ("=?utf-8?Q?caf=C3=A9?=", "café"),
            ("=?UTF-8*fr?q?caf=C3=A9_noir?= x", "café noir x"),
            ("=?iso-8859-1?Q?caf=E9?= =?iso-8859-1?Q?_noir?=", "café noir"),
            // A character split between two words.
            ("=?utf-8?B?44OP44Ot44M=?=\r\n =?utf-8?B?vA==?=", "ハロー"),
            ("=?utf-8?B?44OP44Ot44O8?==?utf-8?B?44OP?=", "ハローハ"),
            ("a =?utf-8?Q?b?= c", "a b c"),
            ("a=?utf-8?Q?b?=c", "abc"),
            ("=?utf-8?Q?with space?=", "with space"),
            ("=?utf-8?Q?never closed", "=?utf-8?Q?never closed"),
            ("=?utf-8?Q?open =?utf-8?Q?closed?=", "=?utf-8?Q?open closed"),
            ("=?utf-8?X?what?=", "=?utf-8?X?what?="),
            ("=?nonsense?Q?caf=E9?=", "café"),
            ("=?utf-8?Q?what=3F?=", "what?"),
            ("=??Q?x?=", "=??Q?x?="),
            ("=?", "=?"),
            ("=?=?=?", "=?=?=?"),
            ("é raw", "é raw"),
            ("=?koi8-r?B?8NLJ18XU?=", "Привет"),
            ("=?iso-2022-jp?B?GyRCJU8lbSE8GyhC?=", "ハロー"),
            ("\"=?utf-8?Q?quoted?=\"", "\"quoted\""),
        ] {
            assert_eq!(text(value.as_bytes(), ""), expected, "{value}");
        }
        assert_eq!(text(b"caf\xe9", ""), "café");
        assert_eq!(text(b"\xf0\xd2\xc9\xd7\xc5\xd4", "koi8-r"), "Привет");
    }

    #[test]
    fn what_is_encoded_means_nothing_to_a_reader() {
        let letters = letters(b"=?utf-8?Q?Boss_=3Cboss=40example.com=3E=2C?= <me@example.org>", "");
        let plain: String = letters.iter().filter_map(Letter::plain).collect();
        assert_eq!(plain, " <me@example.org>");
    }
}
