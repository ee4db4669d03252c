//! A page laid out as a whole and then shown from a given line on.

use crate::text::truncate;
use crate::tui::draw;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

pub struct Sheet {
    width: usize,
    lines: Vec<Line<'static>>,
}

impl Sheet {
    pub fn new(width: u16) -> Self {
        Self { width: usize::from(width), lines: Vec::new() }
    }

    pub fn height(&self) -> usize {
        self.lines.len()
    }

    pub fn line(&mut self, line: Line<'_>) {
        let spans = line.spans.into_iter().map(|span| Span::styled(span.content.into_owned(), span.style));
        self.lines.push(Line::from_iter(spans).style(line.style));
    }

    /// A line in one style, cut at the page's edge.
    pub fn say(&mut self, text: &str, style: Style) {
        let text = truncate(text, self.width).into_owned();
        self.line(Line::styled(text, style));
    }

    /// Text in one style, on as many lines as it needs.
    pub fn wrap(&mut self, text: &str, style: Style) {
        for part in crate::text::wrap(text, self.width.max(1)) {
            self.line(Line::styled(part, style));
        }
    }

    pub fn gap(&mut self) {
        if !self.lines.is_empty() {
            self.line(Line::default());
        }
    }

    /// Pieces in several styles, on as many lines as they need, broken between words.
    pub fn flow(&mut self, pieces: &[(String, Style)]) {
        let width = self.width.max(1);
        let (mut spans, mut column): (Vec<Span<'static>>, usize) = (Vec::new(), 0);
        for (text, style) in pieces {
            for word in text.split_inclusive(' ') {
                let mut rest = word;
                let word_width = crate::text::width(word.trim_end());
                if column > 0 && column + word_width > width {
                    self.line(Line::from(std::mem::take(&mut spans)));
                    column = 0;
                }
                // A word wider than the page is broken at the page's edge.
                while crate::text::width(rest.trim_end()) > width {
                    let Some(part) = crate::text::wrap(rest, width).next().filter(|part| !part.is_empty())
                    else {
                        break;
                    };
                    self.line(Line::styled(part.to_owned(), *style));
                    rest = &rest[part.len()..];
                }
                column += crate::text::width(rest);
                spans.push(Span::styled(rest.to_owned(), *style));
            }
        }
        self.line(Line::from(spans));
    }

    /// Draws it from line `top` on.
    pub fn draw(&self, area: Rect, top: usize, buf: &mut Buffer) {
        draw::lines(buf, area, self.lines.iter().skip(top).cloned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_page_is_shown_to_its_end() {
        let mut sheet = Sheet::new(10);
        (0..1000).for_each(|n| sheet.say(&format!("line {n}"), Style::new()));
        assert_eq!(sheet.height(), 1000);
        let area = Rect::new(0, 0, 10, 2);
        let mut buf = Buffer::empty(area);
        sheet.draw(area, 999, &mut buf);
        assert_eq!(buf, Buffer::with_lines(["line 999", "          "]));
    }
}
