//! Small strokes.

use crate::text::truncate;
use crate::text::width;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Line;
use ratatui::widgets::{Block, BorderType, Clear, Widget};

/// Text at a place, cut where the area ends; gives back where it ended.
pub(super) fn text(buf: &mut Buffer, area: Rect, x: u16, y: u16, text: &str, style: Style) -> u16 {
    if y >= area.bottom() || x >= area.right() || area.is_empty() {
        return x;
    }
    let room = area.right() - x;
    let cut = truncate(text, usize::from(room));
    buf.set_stringn(x, y, &cut, usize::from(room), style).0
}

/// Text that ends where the area ends; gives back where it began.
pub(super) fn right(buf: &mut Buffer, area: Rect, y: u16, text: &str, style: Style) -> u16 {
    let wide = u16::try_from(width(text)).unwrap_or(u16::MAX);
    if y >= area.bottom() || wide > area.width || area.is_empty() {
        return area.right();
    }
    let x = area.right() - wide;
    buf.set_stringn(x, y, text, usize::from(wide), style);
    x
}

/// Lines from the top of an area.
pub(super) fn lines<'a>(buf: &mut Buffer, area: Rect, lines: impl IntoIterator<Item = Line<'a>>) {
    for (y, line) in (area.y..area.bottom()).zip(lines) {
        buf.set_line(area.x, y, &line, area.width);
    }
}

/// An empty box with a title; gives back the room inside.
pub(super) fn frame(buf: &mut Buffer, area: Rect, title: &str, style: Style) -> Rect {
    Clear.render(area, buf);
    // A wide character that begins before the box would be drawn over its edge.
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
