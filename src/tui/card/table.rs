//! The rows of a table. Cells that do not fit wrap.

use super::doc::Doc;
use crate::inbox::Block;
use crate::text::{Visible, fit, table_row, width};
use crate::tui::theme::Theme;
use ratatui::text::Line;

/// How many rows decide the column widths; we don't read the rest of a longer table for that.
const MEASURED_ROWS: usize = 200;

/// How many lines a row takes.
pub(super) fn height(doc: &Doc, block: usize, row: Option<usize>, columns: &[usize], room: usize) -> usize {
    cells(doc, block, row, &fit(columns.to_vec(), room)).len() + usize::from(row.is_none())
}

/// One row, or the header row with the line below it.
pub(super) fn lines<'d>(
    doc: &'d Doc,
    block: usize,
    row: Option<usize>,
    columns: &[usize],
    room: usize,
    theme: &Theme,
) -> Vec<Line<'d>> {
    let widths = fit(columns.to_vec(), room);
    let style = if row.is_some() { theme.text } else { theme.title };
    let cells = cells(doc, block, row, &widths).into_iter();
    let mut lines: Vec<Line<'d>> = cells.map(|line| Line::styled(line, style)).collect();
    if row.is_none() {
        let rule: Vec<String> = widths.iter().map(|wide| "─".repeat(*wide)).collect();
        lines.push(Line::styled(rule.join("─┼─"), theme.rule));
    }
    lines
}

/// The lines of one row.
fn cells(doc: &Doc, block: usize, row: Option<usize>, widths: &[usize]) -> Vec<String> {
    let Some(Block::Table { head, rows }) = doc.block(block) else { return Vec::new() };
    let Some(cells) = row.map_or(Some(head), |row| rows.get(row)) else { return Vec::new() };
    let text: Vec<String> = (0..widths.len()).map(|n| one_line(cells.get(n))).collect();
    table_row(&text, widths)
}

fn one_line(cell: Option<&Visible>) -> String {
    cell.map(|cell| cell.replace(['\n', '\t'], " ")).unwrap_or_default()
}

/// Each column would like to be as wide as its widest cell.
pub(super) fn columns(head: &[Visible], rows: &[Vec<Visible>]) -> Vec<usize> {
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
