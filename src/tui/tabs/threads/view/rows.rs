//! Draws views with a cursor: the trace with its bars, and the state as a tree.

use crate::text::{duration, truncate, width};
use crate::tui::draw;
use crate::tui::model::{Focus, Model, Review, SpanRow};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// A narrower trace has no bars.
const MIN_WIDTH_FOR_BARS: u16 = 64;

/// The maximum length of a bar.
const MAX_BAR: usize = 80;

fn highlight_selected(model: &Model, review: &Review, n: usize, line: Rect, buf: &mut Buffer) {
    if n == review.cursor {
        let is_focused = model.focus == Focus::Card && model.layers.is_empty();
        buf.set_style(line, if is_focused { model.theme.selected } else { model.theme.resting });
    }
}

pub fn trace(model: &Model, review: &Review, area: Rect, buf: &mut Buffer) {
    let theme = &model.theme;
    let Columns { names, bars } = columns(review, area.width);
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
        let bar_x = line.x + u16::try_from(names).unwrap_or(0) + 1;
        if bars > 0 {
            let bar_area = Rect { x: bar_x, width: bars, ..line };
            let (skip, drawn) = bar(row.bar, bars);
            draw::text(buf, bar_area, bar_x + skip, y, &drawn, style);
        }
        let figure_x = bar_x + bars + u16::from(bars > 0);
        draw::text(buf, line, figure_x, y, &figure(row), theme.quiet);
        highlight_selected(model, review, n, line, buf);
    }
}

/// How a trace's width is divided: names and figures get what they need, the bars get the rest.
struct Columns {
    names: usize,
    bars: u16,
}

fn columns(review: &Review, total_width: u16) -> Columns {
    let max = |lengths: &mut dyn Iterator<Item = usize>| lengths.max().unwrap_or(0);
    let widest = max(&mut review.spans.iter().map(|row| width(&row.branch) + width(&row.name)));
    let total = usize::from(total_width);
    // An error may be long; it is cut at the end of the line.
    let figures = max(&mut review.spans.iter().map(|row| width(&figure(row)))).min(total / 3);
    let min_bars = if total_width >= MIN_WIDTH_FOR_BARS { total / 4 } else { 0 };
    let names = widest.min(total.saturating_sub(min_bars + figures + 2)).max(12);
    let bars = if min_bars == 0 { 0 } else { total.saturating_sub(names + figures + 2).min(MAX_BAR) };
    Columns { names, bars: u16::try_from(bars).unwrap_or(0) }
}

/// Where a bar begins, and the bar, to half a cell: anything that took time is visible.
fn bar((from, length): (u32, u32), room: u16) -> (u16, String) {
    let halves = |share: u32| (share * u32::from(room) * 2 + 500) / 1000;
    let begin = halves(from).min(u32::from(room) * 2 - 1);
    let end = halves(from + length).clamp(begin + 1, u32::from(room) * 2);
    let cells = (begin / 2..end.div_ceil(2)).map(|cell| match (begin > cell * 2, end < cell * 2 + 2) {
        (true, _) => '╺',
        (false, true) => '╸',
        (false, false) => '━',
    });
    (u16::try_from(begin / 2).unwrap_or(0), cells.collect())
}

fn figure(row: &SpanRow) -> String {
    let time = if row.worked_ms < row.ms {
        format!("{} of {}", duration(row.worked_ms), duration(row.ms))
    } else {
        duration(row.ms)
    };
    let mut parts = vec![format!("{time:<8}")];
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
        highlight_selected(model, review, n, line, buf);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_true_to_scale() {
        for (share, expected) in [
            ((0, 1000), (0, "━━━━━━━━━━")),
            ((0, 500), (0, "━━━━━")),
            ((250, 250), (2, "╺━━")),
            ((500, 50), (5, "╸")),
            ((0, 0), (0, "╸")),
            ((1000, 0), (9, "╺")),
        ] {
            let (at, drawn) = bar(share, 10);
            assert_eq!((at, drawn.as_str()), expected, "{share:?}");
        }
        for from in 0..=1000 {
            let (at, drawn) = bar((from, 1000 - from), 17);
            assert!(usize::from(at) + drawn.chars().count() <= 17, "{from}: {at} {drawn}");
        }
    }
}
