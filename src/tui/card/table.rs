//! The rows of a table, each cell cut to its column.

use super::doc::Doc;
use crate::inbox::Block;
use crate::text::{Visible, fit, pad, width};
use crate::tui::theme::Theme;
use ratatui::text::Line;

/// How many rows decide the column widths; we don't read the rest of a longer table for that.
const LOOKED_AT: usize = 200;

/// One row, or the header row with the line below it.
pub(super) fn lines<'d>(
    doc: &'d Doc,
    block: usize,
    row: Option<usize>,
    columns: usize,
    theme: &Theme,
) -> Vec<Line<'d>> {
    let Some(Block::Table { head, rows }) = doc.card.blocks.get(block) else { return Vec::new() };
    let widths = fit(widths(head, rows), columns);
    let cells = match row {
        None => head,
        Some(row) => match rows.get(row) {
            Some(cells) => cells,
            None => return Vec::new(),
        },
    };
    let text: Vec<String> =
        widths.iter().enumerate().map(|(n, wide)| pad(&one_line(cells.get(n)), *wide)).collect();
    let line = text.join(" │ ");
    match row {
        Some(_) => vec![Line::styled(line, theme.text)],
        None => {
            let rule: Vec<String> = widths.iter().map(|wide| "─".repeat(*wide)).collect();
            vec![Line::styled(line, theme.title), Line::styled(rule.join("─┼─"), theme.rule)]
        }
    }
}

fn one_line(cell: Option<&Visible>) -> String {
    cell.map(|cell| cell.replace(['\n', '\t'], " ")).unwrap_or_default()
}

/// Each column is as wide as its widest cell.
fn widths(head: &[Visible], rows: &[Vec<Visible>]) -> Vec<usize> {
    let mut widths: Vec<usize> = head.iter().map(|cell| width(&one_line(Some(cell))).max(1)).collect();
    for row in rows.iter().take(LOOKED_AT) {
        for (n, cell) in row.iter().enumerate() {
            match widths.get_mut(n) {
                Some(wide) => *wide = (*wide).max(width(&one_line(Some(cell)))),
                None => widths.push(width(&one_line(Some(cell))).max(1)),
            }
        }
    }
    widths
}
