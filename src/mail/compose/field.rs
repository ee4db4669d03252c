//! Header fields: folded, encoded if necessary, and never able to start a second field.

use super::ComposeError;
use super::address::{ascii_address, is_atom};
use crate::mail::Address;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// Lines are folded at this width.
const WIDTH: usize = 78;
/// A line with an encoded word in it may be this long (RFC 2047).
const ENCODED_LINE: usize = 76;
/// The longest encoded word in a display name: short enough for the first line of any field we write.
const NAME_WORD: usize = 68;
/// Longer display names are encoded instead of quoted, so that they can be folded.
const QUOTED: usize = 60;
/// Longer words in a subject are encoded, so that they can be folded.
const WORD: usize = 66;
/// Nobody has longer ids.
const LONGEST_ID: usize = 500;

#[derive(Default)]
pub(super) struct Head(String);

impl Head {
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.0.into_bytes()
    }

    /// A field whose value we wrote ourselves, so it needs no escaping.
    pub(super) fn plain(&mut self, name: &str, value: &str) {
        self.folded(name, value.split(' ').map(str::to_owned));
    }

    /// A free-text field.
    pub(super) fn text(&mut self, name: &str, value: &str) {
        let value = one_line(value);
        let plain = value.bytes().all(|b| b == b' ' || b.is_ascii_graphic())
            && !value.contains("=?")
            && value.split(' ').all(|word| !word.is_empty() && word.len() <= WORD);
        if plain || value.is_empty() {
            self.folded(name, value.split(' ').map(str::to_owned));
        } else {
            let first = ENCODED_LINE.saturating_sub(name.len() + 2);
            self.folded(name, encoded_words(&value, first, ENCODED_LINE - 1).into_iter());
        }
    }

    /// An address field.
    pub(super) fn addresses(&mut self, name: &str, addresses: &[Address]) -> Result<(), ComposeError> {
        let mut tokens = Vec::new();
        for (at, address) in addresses.iter().enumerate() {
            let bare = ascii_address(&address.address)?;
            let mut words = phrase(&address.name);
            let mut last = if words.is_empty() { bare } else { format!("<{bare}>") };
            if at + 1 < addresses.len() {
                last.push(',');
            }
            words.push(last);
            tokens.append(&mut words);
        }
        self.folded(name, tokens.into_iter());
        Ok(())
    }

    /// A field of Message-IDs, left out if there are none. They came from outside, so invalid ids are dropped.
    pub(super) fn ids(&mut self, name: &str, ids: &[String]) {
        let fit = |id: &&String| {
            !id.is_empty()
                && id.len() <= LONGEST_ID
                && id.bytes().all(|b| b.is_ascii_graphic() && b != b'<' && b != b'>')
        };
        let ids: Vec<String> = ids.iter().filter(fit).map(|id| format!("<{id}>")).collect();
        if !ids.is_empty() {
            self.folded(name, ids.into_iter());
        }
    }

    fn folded(&mut self, name: &str, tokens: impl Iterator<Item = String>) {
        self.0.push_str(name);
        self.0.push(':');
        let mut column = name.len() + 1;
        for (at, token) in tokens.enumerate() {
            // The first token stays next to the name: a line with only a name is legal but trips old programs.
            if at > 0 && column + 1 + token.len() > WIDTH {
                self.0.push_str("\r\n");
                column = 0;
            }
            self.0.push(' ');
            self.0.push_str(&token);
            column += 1 + token.len();
        }
        self.0.push_str("\r\n");
    }
}

/// Puts text on one line: every character that could end a field becomes a space.
pub(super) fn one_line(text: &str) -> String {
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    line.trim().to_owned()
}

/// A display name as words, with folding allowed between them.
fn phrase(name: &str) -> Vec<String> {
    let name = one_line(name).split_whitespace().collect::<Vec<_>>().join(" ");
    let printable = name.bytes().all(|b| b == b' ' || b.is_ascii_graphic()) && !name.contains("=?");
    if name.is_empty() {
        Vec::new()
    } else if printable && name.len() <= QUOTED && name.split(' ').all(|word| word.bytes().all(is_atom)) {
        name.split(' ').map(str::to_owned).collect()
    } else if printable && quoted(&name).len() <= QUOTED + 2 {
        vec![quoted(&name)]
    } else {
        encoded_words(&name, NAME_WORD, NAME_WORD)
    }
}

/// A quoted string (RFC 5322).
pub(super) fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// RFC 2047: the first word has at most `first` letters, the others `rest`. No character is split between two words.
fn encoded_words(text: &str, first: usize, rest: usize) -> Vec<String> {
    let short: usize = text.chars().map(q_len).sum();
    let by_letters = short <= text.len().div_ceil(3) * 4;
    let overhead = "=?utf-8?q??=".len();
    let mut words = Vec::new();
    let mut word = String::new();
    for c in text.chars() {
        let room = (if words.is_empty() { first } else { rest }) - overhead;
        let long = if by_letters {
            word.chars().chain([c]).map(q_len).sum()
        } else {
            (word.len() + c.len_utf8()).div_ceil(3) * 4
        };
        if long > room {
            words.push(encoded_word(&word, by_letters));
            word.clear();
        }
        word.push(c);
    }
    words.push(encoded_word(&word, by_letters));
    words
}

fn encoded_word(text: &str, by_letters: bool) -> String {
    if !by_letters {
        return format!("=?utf-8?b?{}?=", STANDARD.encode(text));
    }
    let mut word = String::from("=?utf-8?q?");
    for byte in text.bytes() {
        match byte {
            b' ' => word.push('_'),
            _ if is_q_plain(byte) => word.push(char::from(byte)),
            _ => word.push_str(&format!("={byte:02X}")),
        }
    }
    word + "?="
}

/// Bytes that even a display name may contain unencoded.
fn is_q_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!*+-/".contains(&byte)
}

fn q_len(c: char) -> usize {
    if c == ' ' || (c.is_ascii() && is_q_plain(c as u8)) { 1 } else { 3 * c.len_utf8() }
}
