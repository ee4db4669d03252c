//! Writes text line by line: collapses blanks, separates blocks, marks quotes.

/// The most quote marks on a line, and the most indents in a list; deeper levels look the same.
const MAX_QUOTE: usize = 6;
const MAX_INDENT: usize = 6;
/// The most that is written, in bytes; a little more than a mail shows, so that we can tell it was cut.
const MAX_OUT: usize = (1 << 20) + 64;

#[derive(Default)]
pub(super) struct Writer {
    out: String,
    /// Line breaks due before the next word: 1 ends a line, 2 leaves a blank one.
    breaks: usize,
    space: bool,
    cell: bool,
    quote: usize,
    /// The quote depth of the last line.
    last_quote: usize,
    /// The start of the next line.
    lead: String,
}

impl Writer {
    pub fn len(&self) -> usize {
        self.out.len()
    }

    /// The text written since `from`, on one line.
    pub fn since(&self, from: usize) -> String {
        let words = self.out.get(from..).unwrap_or_default().split_whitespace();
        words.filter(|word| word.chars().any(|c| c != '>')).collect::<Vec<_>>().join(" ")
    }

    /// Starts a new line, unless this one is empty.
    pub fn line(&mut self) {
        self.breaks = self.breaks.max(1);
        self.space = false;
        self.cell = false;
    }

    /// An explicit line break: the second in a row leaves a blank line.
    pub fn line_break(&mut self) {
        let breaks = self.breaks + 1;
        self.line();
        self.breaks = breaks.min(2);
    }

    /// Leaves a blank line.
    pub fn block(&mut self) {
        self.line();
        self.breaks = 2;
    }

    /// Starts a new cell in a row.
    pub fn cell(&mut self) {
        self.cell = self.breaks == 0;
    }

    /// Starts a new list item.
    pub fn item(&mut self, depth: usize, mark: &str) {
        self.line();
        self.lead = "  ".repeat(depth.min(MAX_INDENT)) + mark;
    }

    /// Begins or ends a quote.
    pub fn quote(&mut self, begins: bool) {
        self.quote = if begins { self.quote.saturating_add(1) } else { self.quote.saturating_sub(1) };
    }

    /// Writes words. Blanks are kept if `pre` is set.
    pub fn text(&mut self, text: &str, pre: bool) {
        if self.out.len() > MAX_OUT {
            return;
        }
        if pre {
            for (at, line) in text.split('\n').enumerate() {
                if at > 0 {
                    self.breaks = (self.breaks + 1).min(2);
                }
                let line = line.trim_end_matches('\r');
                if !line.is_empty() {
                    self.begin();
                    self.out.push_str(line);
                }
            }
            return;
        }
        let is_blank = |c: char| c.is_ascii_whitespace() || c == '\u{A0}';
        self.space |= text.starts_with(is_blank);
        for word in text.split(is_blank).filter(|word| !word.is_empty()) {
            self.begin();
            self.out.push_str(word);
            self.space = true;
        }
        self.space &= text.ends_with(is_blank);
    }

    /// Writes everything due before the next word.
    fn begin(&mut self) {
        let (breaks, space, cell) = (std::mem::take(&mut self.breaks), self.space, self.cell);
        (self.space, self.cell) = (false, false);
        if self.out.is_empty() || breaks > 0 {
            let marks = |depth: usize| ">".repeat(depth.min(MAX_QUOTE));
            if !self.out.is_empty() {
                self.out.push('\n');
                if breaks > 1 {
                    self.out.push_str(&marks(self.quote.min(self.last_quote)));
                    self.out.push('\n');
                }
            }
            if self.quote > 0 {
                self.out.push_str(&marks(self.quote));
                self.out.push(' ');
            }
            self.last_quote = self.quote;
            self.out.push_str(&std::mem::take(&mut self.lead));
        } else if cell {
            self.out.push_str("  ");
        } else if space {
            self.out.push(' ');
        }
    }

    pub fn finish(self) -> String {
        self.out
    }
}
