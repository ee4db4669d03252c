//! A plain list, used for every list except the items of the inbox.

use crate::text::width;
use crate::tui::draw;
use crate::tui::model::{Focus, Model, Rows};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

/// A row of a plain list: a styled lead on the left, then text, then a right-aligned end.
pub struct PlainRow {
    pub lead: String,
    pub style: Style,
    pub text: String,
    /// More about it, shown if there is room.
    pub note: Option<String>,
    pub end: String,
}

/// The width of the widest lead, at most `max`.
pub fn lead_width<'a>(leads: impl Iterator<Item = &'a str>, max: usize) -> usize {
    leads.map(width).max().unwrap_or(0).min(max)
}

/// A shorter piece of a note would say nothing.
const MIN_NOTE_WIDTH: u16 = 16;

pub fn draw<T>(
    model: &Model,
    list: &Rows<T>,
    area: Rect,
    buf: &mut Buffer,
    all: impl Iterator<Item = PlainRow>,
) {
    for (y, (n, plain)) in (area.y..area.bottom()).zip(all.enumerate().skip(list.top)) {
        draw_one(model, plain, 0, n == list.cursor, Rect { y, height: 1, ..area }, buf);
    }
    let shown = list.top..list.rows.len().min(list.top + usize::from(area.height));
    let unloaded = usize::from(list.next.is_some());
    draw::more(&model.theme, shown, list.rows.len() + unloaded, area, buf);
}

/// Draws one row on its own line, with its lead this far to the right.
pub fn draw_one(model: &Model, plain: PlainRow, indent: u16, selected: bool, line: Rect, buf: &mut Buffer) {
    let PlainRow { lead, style, text, note, end } = plain;
    let y = line.y;
    let x = draw::text(buf, line, line.x, y, if selected { "▌ " } else { "  " }, model.theme.accent);
    let end_x = draw::right(buf, line, y, &format!(" {end} "), model.theme.quiet);
    let room = Rect { width: end_x.saturating_sub(line.x), ..line };
    let x = draw::text(buf, room, x + indent, y, &lead, style);
    let x = draw::text(buf, room, x + 1, y, &text, model.theme.text);
    if let Some(note) = note.filter(|_| x + MIN_NOTE_WIDTH < room.right()) {
        draw::text(buf, room, x + 2, y, &note, model.theme.quiet);
    }
    if selected {
        mark_selected(model, line, buf);
    }
}

/// Colours what stands behind the selected row.
pub fn mark_selected(model: &Model, row: Rect, buf: &mut Buffer) {
    let is_focused = model.focus == Focus::List && model.layers.is_empty();
    buf.set_style(row, if is_focused { model.theme.selected } else { model.theme.resting });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_is_as_wide_as_its_longest_lead() {
        let outcomes = ["sent", "not sent, observe mode"];
        assert_eq!(lead_width(outcomes.into_iter(), 24), 22);
        assert_eq!(lead_width(outcomes.into_iter(), 10), 10);
        assert_eq!(lead_width([].into_iter(), 10), 0);
    }
}
