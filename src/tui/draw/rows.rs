//! A plain list, as the tabs beside the inbox have it.

use crate::tui::draw;
use crate::tui::model::Model;
use crate::tui::tabs::{Browse, Focus};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

/// A row of a plain list: what stands on its left, in a style, then text, then what stands on its right.
pub struct PlainRow {
    pub lead: String,
    pub style: Style,
    pub text: String,
    pub end: String,
}

pub fn rows<T>(
    model: &Model,
    browse: &Browse<T>,
    area: Rect,
    buf: &mut Buffer,
    all: impl Iterator<Item = PlainRow>,
) {
    for (y, (n, plain)) in (area.y..area.bottom()).zip(all.enumerate().skip(browse.top)) {
        let line = Rect { y, height: 1, ..area };
        let PlainRow { lead, style, text, end } = plain;
        let selected = n == browse.cursor;
        let x = draw::text(buf, line, line.x, y, if selected { "▌ " } else { "  " }, model.theme.accent);
        let ends = draw::right(buf, line, y, &format!(" {end} "), model.theme.quiet);
        let room = Rect { width: ends.saturating_sub(line.x), ..line };
        let x = draw::text(buf, room, x, y, &lead, style);
        draw::text(buf, room, x + 1, y, &text, model.theme.text);
        if selected {
            let here = model.focus == Focus::List && model.layers.is_empty();
            buf.set_style(line, if here { model.theme.selected } else { model.theme.resting });
        }
    }
}
