//! A text editor: the usual line-editing keys, on one line or many.
//!
//! Promises: the cursor never splits a grapheme; the drawn lines cover the text without gaps, so the cursor is where it
//! seems to be. Callers decide what Enter and Tab mean.

use super::key::Key;
use crate::text::{sanitize_typed, width};
use crossterm::event::KeyCode;
use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Editor {
    text: String,
    cursor: usize,
    long: bool,
}

impl Editor {
    /// One line, with the cursor at the end.
    pub fn line(text: &str) -> Self {
        let text = text.replace('\n', " ");
        Self { cursor: text.len(), text, long: false }
    }

    /// Many lines with the cursor at the end.
    pub fn long(text: &str) -> Self {
        Self { cursor: text.len(), text: text.to_owned(), long: true }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// Replaces the text.
    pub fn set(&mut self, text: &str) {
        *self = if self.long { Self::long(text) } else { Self::line(text) };
    }

    pub fn go_to_start(&mut self) {
        self.cursor = 0;
    }

    /// Inserts text at the cursor: typed, pasted or completed.
    pub fn insert(&mut self, raw: &str) {
        let mut text = sanitize_typed(raw);
        if !self.long {
            text = text.replace('\n', " ");
        }
        self.text.insert_str(self.cursor, &text);
        self.cursor += text.len();
    }

    /// Handles a key; `false` if it means nothing to a line editor.
    pub fn key(&mut self, key: Key) -> bool {
        let line = self.line_range();
        match (key.code, key.ctrl, key.alt) {
            (KeyCode::Char(letter), false, false) => self.insert(letter.encode_utf8(&mut [0; 4])),
            (KeyCode::Enter, false, _) | (KeyCode::Char('j'), true, false) if self.long => self.insert("\n"),
            (KeyCode::Backspace, false, false) | (KeyCode::Char('h'), true, false) => {
                self.cut(self.previous_grapheme()..self.cursor);
            }
            (KeyCode::Delete, ..) | (KeyCode::Char('d'), true, false) => {
                self.cut(self.cursor..self.next_grapheme())
            }
            (KeyCode::Left, false, false) | (KeyCode::Char('b'), true, false) => {
                self.cursor = self.previous_grapheme()
            }
            (KeyCode::Right, false, false) | (KeyCode::Char('f'), true, false) => {
                self.cursor = self.next_grapheme()
            }
            (KeyCode::Left, ..) | (KeyCode::Char('b'), false, true) => self.cursor = self.previous_word(),
            (KeyCode::Right, ..) | (KeyCode::Char('f'), false, true) => self.cursor = self.next_word(),
            (KeyCode::Home, ..) | (KeyCode::Char('a'), true, false) => self.cursor = line.start,
            (KeyCode::End, ..) | (KeyCode::Char('e'), true, false) => self.cursor = line.end,
            (KeyCode::Char('w'), true, false) | (KeyCode::Backspace, ..) => {
                self.cut(self.previous_word()..self.cursor)
            }
            (KeyCode::Char('d'), false, true) => self.cut(self.cursor..self.next_word()),
            (KeyCode::Char('u'), true, false) => self.cut(line.start..self.cursor),
            (KeyCode::Char('k'), true, false) => self.cut(self.cursor..line.end),
            (KeyCode::Up, false, false) if self.long => {
                self.cursor = self.same_column_in(line.start.checked_sub(1))
            }
            (KeyCode::Down, false, false) if self.long => {
                self.cursor = self.same_column_in(Some(line.end + 1).filter(|next| *next <= self.text.len()));
            }
            _ => return false,
        }
        true
    }

    fn cut(&mut self, range: Range<usize>) {
        self.cursor = range.start;
        self.text.replace_range(range, "");
    }

    fn previous_grapheme(&self) -> usize {
        self.text[..self.cursor].graphemes(true).next_back().map_or(0, |last| self.cursor - last.len())
    }

    fn next_grapheme(&self) -> usize {
        self.text[self.cursor..].graphemes(true).next().map_or(self.cursor, |next| self.cursor + next.len())
    }

    fn previous_word(&self) -> usize {
        let start = self.text[..self.cursor].trim_end();
        start
            .rfind(char::is_whitespace)
            .map_or(0, |space| space + start[space..].chars().next().map_or(1, char::len_utf8))
    }

    fn next_word(&self) -> usize {
        let rest = &self.text[self.cursor..];
        let word = rest.len() - rest.trim_start().len();
        self.cursor + rest[word..].find(char::is_whitespace).map_or(rest.len(), |end| word + end)
    }

    fn line_range(&self) -> Range<usize> {
        let start = self.text[..self.cursor].rfind('\n').map_or(0, |newline| newline + 1);
        let end =
            self.text[self.cursor..].find('\n').map_or(self.text.len(), |newline| self.cursor + newline);
        start..end
    }

    /// The same column of the line that contains `other`, or the cursor's position if there is no such line.
    fn same_column_in(&self, other: Option<usize>) -> usize {
        let Some(other) = other else { return self.cursor };
        let column = width(&self.text[self.line_range().start..self.cursor]);
        let other_line = Self { cursor: other, ..self.clone() }.line_range();
        let mut used_width = 0;
        for (at, cluster) in self.text[other_line.clone()].grapheme_indices(true) {
            if used_width >= column {
                return other_line.start + at;
            }
            used_width += width(cluster);
        }
        other_line.end
    }

    /// The text as lines of at most `columns`, and the line and column of the cursor.
    pub fn laid_out(&self, columns: usize) -> (Vec<String>, (usize, usize)) {
        let rows = self.rows(columns.max(2) - 1); // leaves a column for a cursor behind the last letter
        let row = rows.iter().rposition(|row| row.start <= self.cursor).unwrap_or(0);
        let column = width(&tabs_to_spaces(&self.text[rows[row].start..self.cursor]));
        (rows.into_iter().map(|row| tabs_to_spaces(&self.text[row])).collect(), (row, column))
    }

    /// Where each line begins and ends. A word that does not fit moves to the next line whole.
    fn rows(&self, columns: usize) -> Vec<Range<usize>> {
        let mut rows = Vec::new();
        let mut start = 0;
        for paragraph in self.text.split('\n') {
            let end = start + paragraph.len();
            let mut used_width = 0;
            for (at, cluster) in paragraph.grapheme_indices(true) {
                let at = end - paragraph.len() + at;
                let cluster_width = width(&tabs_to_spaces(cluster));
                if used_width + cluster_width > columns && used_width > 0 {
                    let after_space = self.text[start..at].rfind(' ').map(|space| start + space + 1);
                    let next = after_space.unwrap_or(at);
                    rows.push(start..next);
                    start = next;
                    used_width = width(&tabs_to_spaces(&self.text[start..at]));
                }
                used_width += cluster_width;
            }
            rows.push(start..end);
            start = end + 1;
        }
        rows
    }
}

fn tabs_to_spaces(text: &str) -> String {
    text.replace('\t', "    ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn press(mut editor: Editor, keys: &str) -> Editor {
        for key in keys.split_whitespace() {
            Key::parse_row(key).unwrap().into_iter().for_each(|key| assert!(editor.key(key), "{key}"));
        }
        editor
    }

    #[test]
    fn lines_are_edited() {
        for (text, keys, expected) in [
            ("ab", "c", "abc"),
            ("ab cd", "ctrl-w", "ab "),
            ("ab cd", "ctrl-a x", "xab cd"),
            ("ab cd", "left left ctrl-k", "ab "),
            ("ab cd", "ctrl-u", ""),
            ("ab cd", "alt-b alt-b alt-d", " cd"),
            ("e\u{301}x", "backspace backspace", ""),
            ("a", "left delete", ""),
        ] {
            assert_eq!(press(Editor::line(text), keys).text(), expected, "{text} {keys}");
        }
        assert_eq!(press(Editor::long("one\ntwo"), "up x enter y").text(), "onex\ny\ntwo");
        assert_eq!(press(Editor::long("one\ntwo"), "up down z").text(), "one\ntwoz");
        let mut pasted = Editor::line("");
        pasted.insert("a\r\nb\x1b[31m");
        assert_eq!(pasted.text(), "a b[31m");
    }

    #[test]
    fn long_lines_are_folded_at_words() {
        let (lines, cursor) = Editor::long("one two three\nx").laid_out(9);
        assert_eq!(lines, ["one two ", "three", "x"]);
        assert_eq!(cursor, (2, 1));
        assert_eq!(Editor::line("漢字漢字").laid_out(5).0, ["漢字", "漢字"]);
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_the_cursor_is_in_it(text in "[a-c漢 \n👩\u{301}]{0,40}", columns in 0_usize..12, steps_left in 0_usize..20) {
            let mut editor = Editor::long(&text);
            for _ in 0..steps_left {
                editor.key(Key { code: KeyCode::Left, ..Key::plain(' ') });
            }
            let (lines, (row, column)) = editor.laid_out(columns);
            prop_assert_eq!(lines.concat(), text.replace('\n', ""));
            prop_assert!(row < lines.len() && column <= width(&lines[row]));
        }
    }
}
