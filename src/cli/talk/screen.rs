//! The terminal a conversation is held on. Lines are written and stay; only the last one, which says what is going
//! on, is written over.
//!
//! It changes no mode of the terminal, so there is nothing to restore however the process ends.

use crate::cli::output::{columns, styled};
use crate::inbox::{Block, Card};
use crate::text::{Line, Markdown, Visible, Weight, width};
use std::io::Write;

/// Longer lines are hard to read.
const READABLE: usize = 100;

/// One turn of the spinner.
const FRAMES: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/// A terminal.
pub(super) struct Screen {
    /// Bold and dim are understood and wanted.
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

    /// Columns of running text, as wide as the terminal is now.
    pub(super) fn columns(&self) -> usize {
        columns().clamp(1, READABLE)
    }

    /// Running text, from wherever.
    pub(super) fn text(&mut self, text: &str) {
        let text = Visible::new(text.trim_end());
        self.lines(&Markdown::default().lines(&text, self.columns()));
    }

    /// A sentence of our own.
    pub(super) fn say(&mut self, text: &str) {
        let text = Visible::new(text);
        let lines: Vec<Line> = crate::text::wrap(&text, self.columns())
            .map(|line| vec![(Weight::Quiet, line.to_owned())])
            .collect();
        self.lines(&lines);
    }

    /// An empty line.
    pub(super) fn gap(&mut self) {
        self.lines(&[Line::new()]);
    }

    /// Lines that stay. What they hold has been made visible.
    pub(super) fn lines(&mut self, lines: &[Line]) {
        self.clear();
        let mut out = String::new();
        for line in lines {
            line.iter().for_each(|(tone, text)| self.piece(&mut out, *tone, text));
            out.push('\n');
        }
        self.write(&out);
    }

    /// A question's place: what is typed stands behind it.
    pub(super) fn prompt(&mut self, mark: &str) {
        self.clear();
        let mut out = String::new();
        self.piece(&mut out, Weight::Strong, mark);
        out.push(' ');
        self.write(&out);
    }

    /// What is going on, on the last line, with the end of `tail` where there is room.
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

    /// Takes the line away that says what is going on.
    pub(super) fn clear(&mut self) {
        if std::mem::take(&mut self.status) && self.moves {
            self.write("\r\x1b[K");
        }
    }

    /// A card. `fields` says whether names and values are wanted; what was said before stands above already, and so
    /// does `seen`.
    pub(super) fn card(&mut self, card: &Card, fields: bool, seen: &str) {
        for block in &card.blocks {
            let plain = match block {
                Block::Turns(_) => continue,
                Block::Fields(_) if !fields => continue,
                Block::Text(text) | Block::Markdown(text) if text.as_str().trim() == seen.trim() => continue,
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

    /// A terminal that is gone is told of by its hang-up.
    fn write(&self, text: &str) {
        let mut stdout = std::io::stdout().lock();
        let _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    }
}

/// As much of the end as fits.
fn last_columns(text: &str, room: usize) -> &str {
    let mut starts = text.char_indices().map(|(at, _)| at);
    let fits = |at: usize| text.len() - at <= room.saturating_mul(4) && width(&text[at..]) <= room;
    starts.find(|at| fits(*at)).map_or("", |at| &text[at..])
}

/// A model's words as they come: whole lines are written and stay, the last one shows what is being written.
#[derive(Default)]
pub(super) struct Stream {
    markdown: Markdown,
    whole: String,
    begun: String,
}

impl Stream {
    /// Takes in a piece.
    pub(super) fn feed(&mut self, piece: &str, screen: &mut Screen) {
        self.whole.push_str(piece);
        self.begun.push_str(piece);
        while let Some(end) = self.begun.find('\n') {
            let line: String = self.begun.drain(..=end).collect();
            self.put(&line, screen);
        }
    }

    /// The line that is being written, without the marks of Markdown: what they mean is known when it ends.
    pub(super) fn begun(&self) -> String {
        self.begun.trim_start_matches(['#', ' ']).replace(['*', '`'], "")
    }

    /// Whether nothing came.
    pub(super) fn is_empty(&self) -> bool {
        self.whole.is_empty()
    }

    /// Writes what is left, and gives everything that was said.
    pub(super) fn finish(mut self, screen: &mut Screen) -> String {
        let line = std::mem::take(&mut self.begun);
        if !line.is_empty() {
            self.put(&line, screen);
        }
        if !self.is_empty() {
            screen.gap();
        }
        Visible::new(&self.whole).into_string()
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
        let stream = Stream { begun: "## The **budget** of `plan".to_owned(), ..Stream::default() };
        assert_eq!(stream.begun(), "The budget of plan");
    }
}
