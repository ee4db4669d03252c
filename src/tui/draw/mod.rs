//! Drawing code shared by all tabs and layers: text cut to its area, boxes, rows, pages.

mod page;
mod rows;
mod sheet;

pub use page::{divider, page};
pub use rows::{PlainRow, row, rows};
pub use sheet::Sheet;

use crate::text::{truncate, truncate_words, width, wrap};
use crate::tui::model::Model;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Line;
use ratatui::widgets::{Block, BorderType, Clear, Widget};

/// Draws text at a position, cut at the area's edge. Returns the column where it ended.
pub fn text(buf: &mut Buffer, area: Rect, x: u16, y: u16, text: &str, style: Style) -> u16 {
    if y >= area.bottom() || x >= area.right() || area.is_empty() {
        return x;
    }
    let room = area.right() - x;
    let cut = truncate(text, usize::from(room));
    buf.set_stringn(x, y, &cut, usize::from(room), style).0
}

/// Draws a sentence on one line, cut between words at the area's edge.
pub fn sentence(buf: &mut Buffer, area: Rect, x: u16, y: u16, sentence: &str, style: Style) -> u16 {
    let room = area.right().saturating_sub(x);
    text(buf, area, x, y, &truncate_words(sentence, usize::from(room)), style)
}

/// Draws right-aligned text. Returns the column where it began.
pub fn right(buf: &mut Buffer, area: Rect, y: u16, text: &str, style: Style) -> u16 {
    let wide = u16::try_from(width(text)).unwrap_or(u16::MAX);
    if y >= area.bottom() || wide > area.width || area.is_empty() {
        return area.right();
    }
    let x = area.right() - wide;
    buf.set_stringn(x, y, text, usize::from(wide), style);
    x
}

/// Draws lines from the top of an area.
pub fn lines<'a>(buf: &mut Buffer, area: Rect, lines: impl IntoIterator<Item = Line<'a>>) {
    for (y, line) in (area.y..area.bottom()).zip(lines) {
        buf.set_line(area.x, y, &line, area.width);
    }
}

/// Draws an empty box with a title. Returns the area inside.
pub fn frame(buf: &mut Buffer, area: Rect, title: &str, style: Style) -> Rect {
    Clear.render(area, buf);
    // A wide character that begins left of the box would be drawn over its edge.
    if let Some(before) = area.x.checked_sub(1) {
        for y in area.y..area.bottom() {
            if let Some(cell) = buf.cell_mut((before, y)).filter(|cell| width(cell.symbol()) > 1) {
                cell.set_symbol(" ");
            }
        }
    }
    if area.width < 6 || area.height < 3 {
        return area;
    }
    let title = truncate(title, usize::from(area.width) - 4).into_owned();
    let block =
        Block::bordered().border_type(BorderType::Rounded).border_style(style).title(format!(" {title} "));
    let inner = block.inner(area);
    block.render(area, buf);
    Rect { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner }
}

/// Draws two sentences in the upper middle of an area: the situation, and what to do next.
pub fn message(model: &Model, area: Rect, buf: &mut Buffer, what: &str, next: &str) {
    if area.is_empty() {
        return;
    }
    let mut y = area.y + area.height.saturating_sub(2) / 3;
    for (sentence, style) in [(what, model.theme.title), (next, model.theme.quiet)] {
        for line in wrap(sentence, usize::from(area.width.saturating_sub(4)).max(1)) {
            let left = usize::from(area.width).saturating_sub(width(line)) / 2;
            text(buf, area, area.x + u16::try_from(left).unwrap_or(0), y, line, style);
            y += 1;
        }
    }
}
