//! Lines that have a cursor: the trace with its bars, and the state as a tree.

use crate::text::{pad, truncate, width};
use crate::tui::draw;
use crate::tui::model::Model;
use crate::tui::tabs::Focus;
use crate::tui::tabs::threads::review::{Review, SpanRow, took};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// Narrower than this, a trace has no bars.
const BARS: u16 = 64;

fn light(model: &Model, review: &Review, n: usize, line: Rect, buf: &mut Buffer) {
    if n == review.cursor {
        let here = model.focus == Focus::Card && model.layers.is_empty();
        buf.set_style(line, if here { model.theme.selected } else { model.theme.resting });
    }
}

pub fn trace(model: &Model, review: &Review, area: Rect, buf: &mut Buffer) {
    let theme = &model.theme;
    let widest = review.spans.iter().map(|row| width(&row.branch) + width(&row.name)).max().unwrap_or(0) + 1;
    let bars = if area.width >= BARS { area.width / 4 } else { 0 };
    let figures = 28.min(area.width / 2);
    let names = usize::from(area.width.saturating_sub(bars + figures + 2)).min(widest.max(12));
    for (y, (n, row)) in (area.y..area.bottom()).zip(review.spans.iter().enumerate().skip(review.first)) {
        let line = Rect { y, height: 1, ..area };
        let style = match (&row.error, row.sort) {
            (Some(_), _) => theme.danger,
            (None, "thread") => theme.title,
            (None, "call") => theme.string,
            (None, _) => theme.text,
        };
        let x = draw::text(buf, line, line.x, y, &row.branch, theme.rule);
        let room = names.saturating_sub(width(&row.branch));
        draw::text(buf, line, x, y, &truncate(&row.name, room), style);
        let at = line.x + u16::try_from(names).unwrap_or(0) + 1;
        if bars > 0 {
            let (skip, long) = bar(row, bars);
            let place = Rect { x: at, width: bars, ..line };
            draw::text(buf, place, at + skip, y, &"━".repeat(usize::from(long)), style);
        }
        let rest = at + bars + u16::from(bars > 0);
        draw::text(buf, line, rest, y, &figure(row), theme.quiet);
        light(model, review, n, line, buf);
    }
}

/// Where the bar begins, and how long it is: whatever took any time is seen.
fn bar(row: &SpanRow, room: u16) -> (u16, u16) {
    let part = |share: u32| u16::try_from(share * u32::from(room) / 1000).unwrap_or(0);
    let (from, long) = row.bar;
    let skip = part(from).min(room.saturating_sub(1));
    (skip, part(long).max(1).min(room - skip))
}

fn figure(row: &SpanRow) -> String {
    let mut parts = vec![pad(&took(row.ms), 8)];
    if row.tokens != (0, 0) {
        parts.push(format!("{}/{}", row.tokens.0, row.tokens.1));
    }
    parts.extend(row.cost.filter(|cost| *cost > 0.0).map(|cost| format!("${cost:.4}")));
    parts.extend(row.error.clone());
    parts.extend(row.model.clone());
    parts.join(" ")
}

pub fn state(model: &Model, review: &Review, area: Rect, buf: &mut Buffer) {
    let theme = &model.theme;
    for (y, (n, row)) in (area.y..area.bottom()).zip(review.tree.rows.iter().enumerate().skip(review.first)) {
        let line = Rect { y, height: 1, ..area };
        let sign = match row.fold {
            Some(true) => "▾ ",
            Some(false) => "▸ ",
            None => "  ",
        };
        let x = draw::text(buf, line, line.x, y, &"  ".repeat(row.depth.min(16)), theme.rule);
        let x = draw::text(buf, line, x, y, sign, theme.accent);
        let x = if row.name.is_empty() {
            x
        } else {
            draw::text(buf, line, x, y, &format!("{}: ", row.name), theme.keyword)
        };
        let style = if row.fold.is_some() && !row.name.is_empty() { theme.quiet } else { theme.text };
        draw::text(buf, line, x, y, &row.value, style);
        light(model, review, n, line, buf);
    }
}
