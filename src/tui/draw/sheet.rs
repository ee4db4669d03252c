//! A page that is drawn completely off-screen and then shown from a given line on, so that charts scroll like text.

use crate::text::truncate;
use crate::tui::draw;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

const MAX_HEIGHT: u16 = 320;

pub struct Sheet {
    buf: Buffer,
    used_lines: u16,
}

impl Sheet {
    pub fn new(width: u16) -> Self {
        Self {
            buf: Buffer::empty(Rect { x: 0, y: 0, width, height: if width == 0 { 0 } else { MAX_HEIGHT } }),
            used_lines: 0,
        }
    }

    pub fn height(&self) -> usize {
        usize::from(self.used_lines)
    }

    pub fn width(&self) -> usize {
        usize::from(self.buf.area.width)
    }

    /// Reserves this many lines to draw in.
    pub fn room(&mut self, lines: u16) -> (Rect, &mut Buffer) {
        let lines = lines.min(self.buf.area.height - self.used_lines);
        let area = Rect { x: 0, y: self.used_lines, width: self.buf.area.width, height: lines };
        self.used_lines += lines;
        (area, &mut self.buf)
    }

    pub fn line(&mut self, line: Line<'_>) {
        let (area, buf) = self.room(1);
        draw::lines(buf, area, [line]);
    }

    /// A line in one style, cut at the page's edge.
    pub fn say(&mut self, text: &str, style: Style) {
        let text = truncate(text, self.width()).into_owned();
        self.line(Line::styled(text, style));
    }

    /// Text in one style, on as many lines as it needs.
    pub fn wrap(&mut self, text: &str, style: Style) {
        for part in crate::text::wrap(text, self.width().max(1)).map(str::to_owned).collect::<Vec<_>>() {
            self.line(Line::styled(part, style));
        }
    }

    pub fn gap(&mut self) {
        if self.used_lines > 0 {
            self.room(1);
        }
    }

    /// Pieces in several styles, on as many lines as they need, broken between words.
    pub fn flow(&mut self, pieces: &[(String, Style)]) {
        let width = self.width().max(1);
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
        for (y, line) in (area.y..area.bottom()).zip(top..self.height()) {
            let Ok(line) = u16::try_from(line) else { return };
            for x in 0..area.width.min(self.buf.area.width) {
                if let (Some(from), Some(to)) = (self.buf.cell((x, line)), buf.cell_mut((area.x + x, y))) {
                    *to = from.clone();
                }
            }
        }
    }
}
