//! Keys as people write them: `a`, `G`, `space`, `ctrl-d`, `shift-tab`, and sequences: `gg`, `g i`.
//!
//! Promises: an unknown key name is an error, never read as its letters; [`Key::hint`] says what to write instead.

use crate::text::nearest;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::fmt;

/// One key with its modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    /// A capital letter is a key in its own right: shift is not tracked separately.
    pub code: KeyCode,
    pub ctrl: bool,
    pub alt: bool,
}

/// The named keys, as the config spells them.
const NAMES: &[(&str, KeyCode)] = &[
    ("space", KeyCode::Char(' ')),
    ("enter", KeyCode::Enter),
    ("esc", KeyCode::Esc),
    ("tab", KeyCode::Tab),
    ("shift-tab", KeyCode::BackTab),
    ("backspace", KeyCode::Backspace),
    ("delete", KeyCode::Delete),
    ("up", KeyCode::Up),
    ("down", KeyCode::Down),
    ("left", KeyCode::Left),
    ("right", KeyCode::Right),
    ("home", KeyCode::Home),
    ("end", KeyCode::End),
    ("pageup", KeyCode::PageUp),
    ("pagedown", KeyCode::PageDown),
    ("minus", KeyCode::Char('-')),
];

impl Key {
    /// A letter or sign without modifiers.
    pub const fn plain(letter: char) -> Self {
        Self { code: KeyCode::Char(letter), ctrl: false, alt: false }
    }

    /// The key a terminal reports. The caller drops releases.
    pub fn from_event(event: &KeyEvent) -> Self {
        let ctrl = event.modifiers.contains(KeyModifiers::CONTROL);
        let alt = event.modifiers.contains(KeyModifiers::ALT);
        let shift = event.modifiers.contains(KeyModifiers::SHIFT);
        let code = match event.code {
            KeyCode::Tab if shift => KeyCode::BackTab,
            // Terminals send Ctrl-J for a newline key; Ctrl-Space arrives as NUL.
            KeyCode::Char(letter) if ctrl => KeyCode::Char(letter.to_ascii_lowercase()),
            KeyCode::Char(letter) if shift && letter.is_ascii_lowercase() => {
                KeyCode::Char(letter.to_ascii_uppercase())
            }
            other => other,
        };
        Self { code, ctrl, alt }
    }

    /// The letter it types, if it types one.
    pub fn letter(self) -> Option<char> {
        match self.code {
            KeyCode::Char(letter) if !self.ctrl && !self.alt => Some(letter),
            _ => None,
        }
    }

    fn parse_one(word: &str) -> Option<Self> {
        let mut rest = word;
        let mut key = Self::plain(' ');
        loop {
            if let Some((_, code)) = NAMES.iter().find(|(name, _)| rest.eq_ignore_ascii_case(name)) {
                key.code = *code;
                return Some(key);
            }
            match rest.split_once('-') {
                Some(("ctrl" | "Ctrl" | "C", after)) if !after.is_empty() => (key.ctrl, rest) = (true, after),
                Some(("alt" | "Alt" | "M", after)) if !after.is_empty() => (key.alt, rest) = (true, after),
                _ => break,
            }
        }
        let mut letters = rest.chars();
        match (letters.next(), letters.next()) {
            // Control characters can be written in the config, but no key sends them as characters.
            (Some(letter), None) if !letter.is_control() => {
                key.code = KeyCode::Char(if key.ctrl { letter.to_ascii_lowercase() } else { letter });
                Some(key)
            }
            _ => None,
        }
    }

    /// Two letters or signs written as one word: `gg`. Anything longer is an unknown key name, and so is `F5`.
    fn parse_two(word: &str) -> Option<[Self; 2]> {
        let mut letters = word.chars();
        let (first, second) = (letters.next()?, letters.next()?);
        let is_named = first.eq_ignore_ascii_case(&'f') && second.is_ascii_digit();
        let is_odd = word.contains('-') || word.contains(char::is_control);
        let is_two = letters.next().is_none() && !is_named && !is_odd;
        is_two.then(|| [Self::plain(first), Self::plain(second)])
    }

    /// Parses a sequence of keys: `gg`, `ctrl-d`, `g space`. `None` if a word is not a key.
    pub fn parse_row(text: &str) -> Option<Vec<Self>> {
        let mut keys = Vec::new();
        for word in text.split_whitespace() {
            match Self::parse_one(word) {
                Some(key) => keys.push(key),
                None => keys.extend(Self::parse_two(word)?),
            }
        }
        if keys.is_empty() { None } else { Some(keys) }
    }

    /// The key names the config knows.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMES.iter().map(|(name, _)| *name)
    }

    /// What to write instead of `text`, which is not a key.
    pub fn hint(text: &str) -> String {
        let word = text.split_whitespace().find(|word| Self::parse_row(word).is_none()).unwrap_or(text);
        let name = word.trim_start_matches("ctrl-").trim_start_matches("alt-");
        match nearest(name, Self::names()) {
            Some(near) => format!("did you mean \"{}{near}\"?", &word[..word.len() - name.len()]),
            None => format!(
                "write one character, two such as \"gg\", or one of {}; ctrl- or alt- may come first",
                Self::names().collect::<Vec<_>>().join(", ")
            ),
        }
    }

    /// `Enter` or `Esc` if the key is one of them, with any modifiers, or if a terminal may not tell it apart: a pasted
    /// newline can arrive as Ctrl-J, and Ctrl-M and Ctrl-\[ are other names for the two.
    pub fn enter_or_esc(self) -> Option<&'static str> {
        match self.code {
            KeyCode::Enter => Some("Enter"),
            KeyCode::Esc => Some("Esc"),
            KeyCode::Char('j' | 'm') if self.ctrl => Some("Enter"),
            KeyCode::Char('[') if self.ctrl => Some("Esc"),
            _ => None,
        }
    }

    /// A key sequence as people write it.
    pub fn show_row(keys: &[Self]) -> String {
        let short = keys.len() > 1 && keys.iter().all(|key| key.letter().is_some_and(|c| c != ' '));
        let words: Vec<String> = keys.iter().map(ToString::to_string).collect();
        words.join(if short { "" } else { " " })
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.ctrl {
            f.write_str("Ctrl-")?;
        }
        if self.alt {
            f.write_str("Alt-")?;
        }
        let name = match self.code {
            KeyCode::Char(' ') => "space",
            KeyCode::Enter => "Enter",
            KeyCode::Esc => "Esc",
            KeyCode::Tab => "Tab",
            KeyCode::BackTab => "Shift-Tab",
            KeyCode::Up => "↑",
            KeyCode::Down => "↓",
            KeyCode::Left => "←",
            KeyCode::Right => "→",
            KeyCode::Char(letter) => return write!(f, "{letter}"),
            other => match NAMES.iter().find(|(_, code)| *code == other) {
                Some((name, _)) => name,
                None => return write!(f, "{other:?}"),
            },
        };
        f.write_str(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_as_they_are_written() {
        for (text, shown) in [
            ("a", "a"),
            ("G", "G"),
            ("gg", "gg"),
            ("g i", "gi"),
            ("ctrl-d", "Ctrl-d"),
            ("Ctrl-D", "Ctrl-d"),
            ("space", "space"),
            ("shift-tab", "Shift-Tab"),
            ("alt-enter", "Alt-Enter"),
            ("-", "-"),
            ("ctrl--", "Ctrl--"),
            ("g space", "g space"),
        ] {
            assert_eq!(Key::show_row(&Key::parse_row(text).unwrap()), shown, "{text}");
        }
        for text in ["hyper-x", "", "nosuchkey", "del", "F5", "g entr", "ctrl-gg", "\u{1b}", "g\u{7}"] {
            assert_eq!(Key::parse_row(text), None, "{text:?}");
        }
    }

    #[test]
    fn what_is_no_key_gets_a_hint() {
        for (text, hint) in [
            ("entr", "did you mean \"enter\"?"),
            ("page-down", "did you mean \"pagedown\"?"),
            ("g spcae", "did you mean \"space\"?"),
            ("ctrl-spcae", "did you mean \"ctrl-space\"?"),
        ] {
            assert_eq!(Key::hint(text), hint, "{text}");
        }
        for text in ["nosuchkey", "F5", "", "hyper-x"] {
            let hint = Key::hint(text);
            assert!(hint.starts_with("write one character") && hint.contains("pagedown"), "{text}: {hint}");
        }
    }

    #[test]
    fn enter_and_esc_are_known_however_they_come() {
        for text in ["enter", "alt-enter", "ctrl-enter", "ctrl-j", "ctrl-m"] {
            assert_eq!(Key::parse_row(text).unwrap()[0].enter_or_esc(), Some("Enter"), "{text}");
        }
        for text in ["esc", "alt-esc", "ctrl-["] {
            assert_eq!(Key::parse_row(text).unwrap()[0].enter_or_esc(), Some("Esc"), "{text}");
        }
        for text in ["a", "j", "m", "[", "alt-j", "ctrl-y", "space", "tab"] {
            assert_eq!(Key::parse_row(text).unwrap()[0].enter_or_esc(), None, "{text}");
        }
    }
}
