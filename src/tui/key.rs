//! Keys as people write them: `a`, `G`, `space`, `ctrl-d`, `shift-tab`; and several in a row: `gg`, `g i`.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::fmt;

/// One key with what was held down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    /// Which key. A capital letter is its own key: there is no shift beside it.
    pub code: KeyCode,
    /// Whether Ctrl was held.
    pub ctrl: bool,
    /// Whether Alt was held.
    pub alt: bool,
}

/// The keys that have names, in the words of the config.
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
    /// A letter or sign by itself.
    pub const fn plain(letter: char) -> Self {
        Self { code: KeyCode::Char(letter), ctrl: false, alt: false }
    }

    /// A key by its code.
    pub const fn of(code: KeyCode) -> Self {
        Self { code, ctrl: false, alt: false }
    }

    /// The key a terminal reports; releases are none of ours.
    pub fn from_event(event: &KeyEvent) -> Self {
        let ctrl = event.modifiers.contains(KeyModifiers::CONTROL);
        let alt = event.modifiers.contains(KeyModifiers::ALT);
        let shift = event.modifiers.contains(KeyModifiers::SHIFT);
        let code = match event.code {
            KeyCode::Tab if shift => KeyCode::BackTab,
            // Ctrl-J is what a terminal sends for a newline key; Ctrl-Space comes as NUL.
            KeyCode::Char(letter) if ctrl => KeyCode::Char(letter.to_ascii_lowercase()),
            KeyCode::Char(letter) if shift && letter.is_ascii_lowercase() => {
                KeyCode::Char(letter.to_ascii_uppercase())
            }
            other => other,
        };
        Self { code, ctrl, alt }
    }

    /// The letter it types, where it types one.
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
            (Some(letter), None) => {
                key.code = KeyCode::Char(if key.ctrl { letter.to_ascii_lowercase() } else { letter });
                Some(key)
            }
            _ => None,
        }
    }

    /// Reads keys in a row: `gg`, `ctrl-d`, `g space`. `None` where a word is no key.
    pub fn parse_row(text: &str) -> Option<Vec<Self>> {
        let mut keys = Vec::new();
        for word in text.split_whitespace() {
            match Self::parse_one(word) {
                Some(key) => keys.push(key),
                // A word of plain letters is those letters in a row.
                None if !word.contains('-') => keys.extend(word.chars().map(Self::plain)),
                None => return None,
            }
        }
        if keys.is_empty() { None } else { Some(keys) }
    }

    /// Keys in a row as people write them.
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
        assert_eq!(Key::parse_row("hyper-x"), None);
        assert_eq!(Key::parse_row(""), None);
    }
}
