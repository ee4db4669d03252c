//! The terminal of a conversation. Lines stay once written; only the last one, the status line, is overwritten.
//!
//! It does not change the terminal's mode, so nothing has to be restored however the process ends.

use crate::cli::output::{columns, styled};
use crate::inbox::{Block, Card};
use crate::text::{Line, Markdown, Visible, Weight, width};
use std::io::Write;

/// Longer lines are hard to read.
const READABLE: usize = 100;

/// One turn of the spinner.
const FRAMES: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

pub(super) struct Screen {
    /// The terminal supports bold and dim, and the user wants them.
    styled: bool,
    /// The cursor can be moved.
    moves: bool,
    status: bool,
    frame: usize,
}

impl Screen {
    pub(super) fn new() -> Self {
        let dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
        Self { styled: styled(), moves: !dumb, status: false, frame: 0 }
    }

    /// Columns of running text, at the terminal's current width.
    pub(super) fn columns(&self) -> usize {
        columns().clamp(1, READABLE)
    }

    /// Running text from any source.
    pub(super) fn text(&mut self, text: &str) {
        let text = Visible::new(text.trim_end());
        self.lines(&Markdown::default().lines(&text, self.columns()));
    }

    /// A sentence from sayso.
    pub(super) fn say(&mut self, text: &str) {
        let text = Visible::new(text);
        let lines: Vec<Line> = crate::text::wrap(&text, self.columns())
            .map(|line| vec![(Weight::Quiet, line.to_owned())])
            .collect();
        self.lines(&lines);
    }

    pub(super) fn gap(&mut self) {
        self.lines(&[Line::new()]);
    }

    /// Lines that stay. The caller has made their text visible.
    pub(super) fn lines(&mut self, lines: &[Line]) {
        self.clear();
        let mut out = String::new();
        for line in lines {
            line.iter().for_each(|(tone, text)| self.piece(&mut out, *tone, text));
            out.push('\n');
        }
        self.write(&out);
    }

    /// The prompt before the user's input.
    pub(super) fn prompt(&mut self, mark: &str) {
        self.clear();
        let mut out = String::new();
        self.piece(&mut out, Weight::Strong, mark);
        out.push(' ');
        self.write(&out);
    }

    /// The status line: `what`, or the end of `tail` if there is one.
    pub(super) fn status(&mut self, what: &str, tail: &str) {
        if !self.moves {
            if !std::mem::replace(&mut self.status, true) {
                self.write(&format!("{what} …\n"));
            }
            return;
        }
        self.frame = (self.frame + 1) % FRAMES.len();
        let room = columns().saturating_sub(3);
        let text = if tail.is_empty() { Visible::line(what) } else { Visible::line(tail) };
        let mut out = format!("\r{} ", FRAMES[self.frame]);
        self.piece(&mut out, Weight::Quiet, last_columns(&text, room));
        out.push_str("\x1b[K");
        self.status = true;
        self.write(&out);
    }

    /// Removes the status line.
    pub(super) fn clear(&mut self) {
        if std::mem::take(&mut self.status) && self.moves {
            self.write("\r\x1b[K");
        }
    }

    /// A card. `fields` says whether to show its fields. Earlier turns and `shown_text` are already on the screen.
    pub(super) fn card(&mut self, card: &Card, fields: bool, shown_text: &str) {
        for block in &card.blocks {
            let plain = match block {
                Block::Turns(_) => continue,
                Block::Fields(_) if !fields => continue,
                Block::Text(text) | Block::Markdown(text) if text.as_str().trim() == shown_text.trim() => {
                    continue;
                }
                Block::Text(text) | Block::Markdown(text) => {
                    self.text(text.as_str());
                    self.gap();
                    continue;
                }
                Block::Heading(text) => {
                    self.text(&format!("## {text}"));
                    continue;
                }
                Block::Warnings(_)
                | Block::Fields(_)
                | Block::Code { .. }
                | Block::Table { .. }
                | Block::Mail(_)
                | Block::Day(_)
                | Block::Diff(_)
                | Block::Words(_) => Card { blocks: vec![block.clone()] }.text(),
            };
            if !plain.is_empty() {
                self.say(&plain);
                self.gap();
            }
        }
    }

    fn piece(&self, out: &mut String, weight: Weight, text: &str) {
        let code = match weight {
            Weight::Plain | Weight::Code | Weight::Link => None,
            Weight::Heading | Weight::Strong => Some("\x1b[1m"),
            Weight::Emphasis => Some("\x1b[3m"),
            Weight::Quiet => Some("\x1b[2m"),
        };
        match code.filter(|_| self.styled) {
            None => out.push_str(text),
            Some(code) => {
                out.push_str(code);
                out.push_str(text);
                out.push_str("\x1b[0m");
            }
        }
    }

    /// Ignores errors: if the terminal is gone, a hang-up signal tells us.
    fn write(&self, text: &str) {
        let mut stdout = std::io::stdout().lock();
        let _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    }
}

/// The end of the text, as much as fits.
fn last_columns(text: &str, room: usize) -> &str {
    let mut starts = text.char_indices().map(|(at, _)| at);
    let fits = |at: usize| text.len() - at <= room.saturating_mul(4) && width(&text[at..]) <= room;
    starts.find(|at| fits(*at)).map_or("", |at| &text[at..])
}

/// A model's streamed text: whole lines are written and stay, the status line shows the unfinished one.
#[derive(Default)]
pub(super) struct Stream {
    markdown: Markdown,
    text: String,
    unfinished: String,
}

impl Stream {
    pub(super) fn feed(&mut self, piece: &str, screen: &mut Screen) {
        self.text.push_str(piece);
        self.unfinished.push_str(piece);
        while let Some(end) = self.unfinished.find('\n') {
            let line: String = self.unfinished.drain(..=end).collect();
            self.put(&line, screen);
        }
    }

    /// The unfinished line without Markdown marks, because their meaning is known only when the line ends.
    pub(super) fn unfinished_line(&self) -> String {
        self.unfinished.trim_start_matches(['#', ' ']).replace(['*', '`'], "")
    }

    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Writes the rest, and returns the whole text.
    pub(super) fn finish(mut self, screen: &mut Screen) -> String {
        let line = std::mem::take(&mut self.unfinished);
        if !line.is_empty() {
            self.put(&line, screen);
        }
        if !self.is_empty() {
            screen.gap();
        }
        Visible::new(&self.text).into_string()
    }

    fn put(&mut self, line: &str, screen: &mut Screen) {
        let line = Visible::new(line.trim_end_matches(['\n', '\r']));
        let lines = self.markdown.line(&line, screen.columns());
        screen.lines(&lines);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_line_is_what_counts() {
        assert_eq!(last_columns("one two three", 5), "three");
        assert_eq!(last_columns("漢字", 3), "字");
        assert_eq!(last_columns("abc", 0), "");
        assert_eq!(last_columns("abc", 10), "abc");
    }

    #[test]
    fn what_is_being_written_shows_no_marks() {
        let stream = Stream { unfinished: "## The **budget** of `plan".to_owned(), ..Stream::default() };
        assert_eq!(stream.unfinished_line(), "The budget of plan");
    }
}
