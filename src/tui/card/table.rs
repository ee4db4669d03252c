//! The rows of a table. Cells of a short table wrap; in a long one, each row is one line and its cells are cut.

use super::doc::Doc;
use crate::inbox::Block;
use crate::text::{Visible, fit, pad, width, wrap};
use crate::tui::theme::Theme;
use ratatui::text::Line;

/// How many rows decide the column widths; we don't read the rest of a longer table for that.
const MEASURED_ROWS: usize = 200;

/// Tables with at most this many rows wrap their cells.
const MAX_WRAPPED_ROWS: usize = 50;

/// How many lines a row takes. It is asked for every row, so for a long table it must not look at any cell.
pub(super) fn height(doc: &Doc, block: usize, row: Option<usize>, columns: usize) -> usize {
    let rule = usize::from(row.is_none());
    match doc.card.blocks.get(block) {
        Some(Block::Table { rows, .. }) if rows.len() > MAX_WRAPPED_ROWS => 1 + rule,
        _ => cells(doc, block, row, columns).map_or(0, |(_, lines)| lines.len() + rule),
    }
}

/// One row, or the header row with the line below it.
pub(super) fn lines<'d>(
    doc: &'d Doc,
    block: usize,
    row: Option<usize>,
    columns: usize,
    theme: &Theme,
) -> Vec<Line<'d>> {
    let Some((widths, lines)) = cells(doc, block, row, columns) else { return Vec::new() };
    let style = if row.is_some() { theme.text } else { theme.title };
    let mut lines: Vec<Line<'d>> = lines.into_iter().map(|line| Line::styled(line, style)).collect();
    if row.is_none() {
        let rule: Vec<String> = widths.iter().map(|wide| "─".repeat(*wide)).collect();
        lines.push(Line::styled(rule.join("─┼─"), theme.rule));
    }
    lines
}

/// The widths of the columns, and the lines of one row.
fn cells(doc: &Doc, block: usize, row: Option<usize>, columns: usize) -> Option<(Vec<usize>, Vec<String>)> {
    let Some(Block::Table { head, rows }) = doc.card.blocks.get(block) else { return None };
    let widths = fit(widths(head, rows), columns);
    let cells = match row {
        None => head,
        Some(row) => rows.get(row)?,
    };
    let text: Vec<String> = (0..widths.len()).map(|n| one_line(cells.get(n))).collect();
    let wrapped: Vec<Vec<&str>> = if rows.len() > MAX_WRAPPED_ROWS {
        text.iter().map(|cell| vec![cell.as_str()]).collect()
    } else {
        text.iter().zip(&widths).map(|(cell, wide)| wrap(cell, *wide).collect()).collect()
    };
    let row_height = wrapped.iter().map(Vec::len).max().unwrap_or(0).max(1);
    let line = |n: usize| {
        let part = |(cell, wide): (&Vec<&str>, &usize)| pad(cell.get(n).copied().unwrap_or_default(), *wide);
        wrapped.iter().zip(&widths).map(part).collect::<Vec<_>>().join(" │ ")
    };
    let lines = (0..row_height).map(line).collect();
    Some((widths, lines))
}

fn one_line(cell: Option<&Visible>) -> String {
    cell.map(|cell| cell.replace(['\n', '\t'], " ")).unwrap_or_default()
}

/// Each column is as wide as its widest cell.
fn widths(head: &[Visible], rows: &[Vec<Visible>]) -> Vec<usize> {
    let mut widths: Vec<usize> = head.iter().map(|cell| width(&one_line(Some(cell))).max(1)).collect();
    for row in rows.iter().take(MEASURED_ROWS) {
        for (n, cell) in row.iter().enumerate() {
            match widths.get_mut(n) {
                Some(wide) => *wide = (*wide).max(width(&one_line(Some(cell)))),
                None => widths.push(width(&one_line(Some(cell))).max(1)),
            }
        }
    }
    widths
}
