//! Drawing code shared by all tabs and layers: text cut to its area, boxes, signs.

use crate::text::{truncate, truncate_words, width, wrap};
use crate::tui::theme::Theme;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Line;
use std::ops::Range;

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
    let text_width = u16::try_from(width(text)).unwrap_or(u16::MAX);
    if y >= area.bottom() || text_width > area.width || area.is_empty() {
        return area.right();
    }
    let x = area.right() - text_width;
    buf.set_stringn(x, y, text, usize::from(text_width), style);
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
    clear(buf, area);
    // A wide character that begins left of the box would be drawn over its edge.
    if let Some(before) = area.x.checked_sub(1) {
        for y in area.y..area.bottom() {
            clear_wide(buf, before, y);
        }
    }
    if area.width < 6 || area.height < 3 {
        return area;
    }
    let (right, bottom) = (area.right() - 1, area.bottom() - 1);
    let across = "─".repeat(usize::from(area.width) - 2);
    text(buf, area, area.x, area.y, &format!("╭{across}╮"), style);
    text(buf, area, area.x, bottom, &format!("╰{across}╯"), style);
    for y in area.y + 1..bottom {
        text(buf, area, area.x, y, "│", style);
        text(buf, area, right, y, "│", style);
    }
    let title = truncate(title, usize::from(area.width) - 4);
    text(buf, area, area.x + 1, area.y, &format!(" {title} "), style);
    Rect { x: area.x + 2, y: area.y + 1, width: area.width - 4, height: area.height - 2 }
}

/// Makes an area empty, also of what it lies over.
pub fn clear(buf: &mut Buffer, area: Rect) {
    for at in area.intersection(buf.area).positions() {
        if let Some(cell) = buf.cell_mut(at) {
            cell.reset();
        }
    }
}

/// Clears a wide character that begins in this column, because it would be drawn over the next one.
fn clear_wide(buf: &mut Buffer, x: u16, y: u16) {
    if let Some(cell) = buf.cell_mut((x, y)).filter(|cell| width(cell.symbol()) > 1) {
        cell.set_symbol(" ");
    }
}

/// Draws a thin line that names what is below it.
pub fn heading(theme: &Theme, name: &str, line: Rect, buf: &mut Buffer) {
    let x = text(buf, line, line.x + 1, line.y, &format!("{name} "), theme.quiet);
    let rest = usize::from(line.right().saturating_sub(x + 1));
    text(buf, line, x, line.y, &"─".repeat(rest), theme.rule);
}

/// Draws ▲ at the right end of a list's first line if there are rows above those shown, and ▼ at that of its last line
/// if there are rows below them.
pub fn more(theme: &Theme, shown: Range<usize>, all: usize, area: Rect, buf: &mut Buffer) {
    if area.width < 3 || area.height == 0 {
        return;
    }
    if shown.start > 0 {
        sign(buf, area, area.y, "▲", theme.quiet);
    }
    if shown.end < all {
        sign(buf, area, area.bottom() - 1, "▼", theme.quiet);
    }
}

/// Draws a sign in the last column; text that reaches this column is cut before it.
fn sign(buf: &mut Buffer, area: Rect, y: u16, sign: &str, style: Style) {
    let last = area.right() - 1;
    let is_blank = buf.cell((last, y)).is_some_and(|cell| cell.symbol() == " ");
    let is_covered = buf.cell((last - 1, y)).is_some_and(|cell| width(cell.symbol()) > 1);
    let text = if is_blank && !is_covered { sign.to_owned() } else { format!("…{sign}") };
    let start = right(buf, area, y, &text, style);
    if let Some(before) = start.checked_sub(1) {
        clear_wide(buf, before, y);
    }
}

/// The spinner's frames.
const SPINNER: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

pub fn spinner(frame: usize) -> &'static str {
    SPINNER[frame % SPINNER.len()]
}

/// Draws two sentences in the upper middle of an area: the situation, and what to do next.
pub fn message(theme: &Theme, area: Rect, buf: &mut Buffer, what: &str, next: &str) {
    if area.is_empty() {
        return;
    }
    let mut y = area.y + area.height.saturating_sub(2) / 3;
    for (sentence, style) in [(what, theme.title), (next, theme.quiet)] {
        for line in hint_lines(sentence, usize::from(area.width.saturating_sub(4)).max(1)) {
            let margin = usize::from(area.width).saturating_sub(width(&line)) / 2;
            text(buf, area, area.x + u16::try_from(margin).unwrap_or(0), y, &line, style);
            y += 1;
        }
    }
}

const HINT_SEPARATOR: &str = " · ";

/// The lines of a text. They break between hints if possible, so that a key stays next to what it does.
fn hint_lines(text: &str, columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for hint in text.split(HINT_SEPARATOR) {
        let fits = |line: &&mut String| width(line) + width(HINT_SEPARATOR) + width(hint) <= columns;
        match lines.last_mut().filter(fits) {
            Some(line) => {
                line.push_str(HINT_SEPARATOR);
                line.push_str(hint);
            }
            None => lines.push(hint.to_owned()),
        }
    }
    lines.iter().flat_map(|line| wrap(line, columns)).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_hints() {
        let text = "c starts a thread · 2 shows past ones · ? all keys";
        assert_eq!(hint_lines(text, 50), [text]);
        assert_eq!(hint_lines(text, 48), ["c starts a thread · 2 shows past ones", "? all keys"]);
        assert_eq!(hint_lines(text, 12), ["c starts a", "thread", "2 shows past", "ones", "? all keys"]);
        assert!(hint_lines("", 12).is_empty());
    }

    #[test]
    fn signs_cut_text_that_reaches_them() {
        let area = Rect::new(0, 0, 8, 1);
        let signed = |text: &str| {
            let mut buf = Buffer::empty(area);
            buf.set_string(0, 0, text, Style::new());
            sign(&mut buf, area, 0, "▼", Style::new());
            (0..8).map(|x| buf[(x, 0)].symbol().to_owned()).collect::<String>()
        };
        assert_eq!(signed("Ada now"), "Ada now▼");
        assert_eq!(signed("approval"), "approv…▼");
        assert_eq!(signed("abcd日本"), "abcd日 …▼");
        assert_eq!(signed("abcde日x"), "abcde …▼");
    }
}
