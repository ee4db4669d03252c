//! Finds the differences in a workbook that somebody else wrote: cells, sheets, and lost parts.

use super::{Book, CellPos, Sheet};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Cursor;
use zip::ZipArchive;

#[derive(Debug, Default)]
pub struct Differences {
    /// The first changed cells: sheet, position, before and after.
    pub cells: Vec<(String, CellPos, String, String)>,
    /// How many cells changed.
    pub count: usize,
    pub added: Vec<String>,
    /// What happened to whole sheets, in words.
    pub layout: Vec<String>,
}

/// Parts that a program may not know, by their path, and what people call them.
const PARTS: [(&str, &str); 12] = [
    ("xl/charts/chart", "charts"),
    ("xl/media/", "pictures"),
    ("xl/pivotTables/", "pivot tables"),
    ("xl/tables/", "tables"),
    ("xl/slicers/", "slicers"),
    ("xl/externalLinks/externalLink", "links to other workbooks"),
    ("xl/threadedComments/", "threaded comments"),
    ("xl/vbaProject", "macros"),
    ("xl/comments", "comments"),
    ("xl/drawings/drawing", "drawings"),
    ("xl/ctrlProps/", "form controls"),
    ("xl/timelines/", "timelines"),
];

/// Compares two workbooks sheet by sheet; lists at most `most` cells.
pub fn compare(before: &Book, after: &Book, most: usize) -> Differences {
    let mut differences = Differences::default();
    for sheet in &after.sheets {
        match before.named(&sheet.name) {
            Some(was) => sheets(was, sheet, most, &mut differences),
            None => differences.added.push(sheet.name.clone()),
        }
    }
    let gone = before.sheets.iter().filter(|sheet| after.named(&sheet.name).is_none());
    differences.layout.extend(gone.map(|sheet| format!("Sheet `{}` is gone.", sheet.name)));
    if before.dialect != after.dialect {
        differences.layout.extend(after.notes.iter().map(|note| format!("The file is {note} now.")));
    }
    differences
}

fn sheets(before: &Sheet, after: &Sheet, most: usize, differences: &mut Differences) {
    let size = |sheet: &Sheet| (sheet.rows.len(), sheet.width());
    let ((rows, columns), (now_rows, now_columns)) = (size(before), size(after));
    let name = &after.name;
    for (word, was, now) in [("rows", rows, now_rows), ("columns", columns, now_columns)] {
        if was != now {
            differences.layout.push(format!("`{name}` has {now} {word} now; it had {was}."));
        }
    }
    let all = changed(before, after);
    let shown = |at: &CellPos| (name.clone(), *at, before.shown(*at), after.shown(*at));
    differences.count += all.len();
    let room = most.saturating_sub(differences.cells.len());
    differences.cells.extend(all.iter().take(room).map(shown));
}

/// The cells with another value or formula, in order.
pub(super) fn changed(before: &Sheet, after: &Sheet) -> Vec<CellPos> {
    let mut formulas: BTreeSet<CellPos> = before.formulas.keys().copied().collect();
    formulas.extend(after.formulas.keys());
    let small = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let mut changed = Vec::new();
    for row in 0..before.rows.len().max(after.rows.len()) {
        let width = |sheet: &Sheet| sheet.rows.get(row).map_or(0, Vec::len);
        let cells =
            (0..width(before).max(width(after))).map(|column| CellPos::new(small(row), small(column)));
        let with_formulas =
            formulas.range(CellPos::new(small(row), 0)..CellPos::new(small(row) + 1, 0)).copied();
        let all: BTreeSet<CellPos> =
            cells.filter(|at| before.value(*at) != after.value(*at)).chain(with_formulas).collect();
        changed.extend(all.into_iter().filter(|at| before.shown(*at) != after.shown(*at)));
    }
    // Formulas without a value may stand below all rows.
    let last = small(before.rows.len().max(after.rows.len()));
    let below = formulas.range(CellPos::new(last, 0)..).copied();
    changed.extend(below.filter(|at| before.shown(*at) != after.shown(*at)));
    changed
}

/// Whether it has parts that a program may not know.
pub fn has_parts(bytes: &[u8]) -> bool {
    !counts(bytes).is_empty()
}

/// What a workbook lost when another program wrote it.
pub fn lost(before: &[u8], after: &[u8]) -> Vec<String> {
    more(&counts(before), &counts(after))
}

/// What code added to it beside sheets.
pub fn gained(before: &[u8], after: &[u8]) -> Vec<String> {
    more(&counts(after), &counts(before))
}

/// How many parts of each kind there are.
fn counts(bytes: &[u8]) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    if let Ok(archive) = ZipArchive::new(Cursor::new(bytes)) {
        for name in archive.file_names().filter_map(Result::ok) {
            let part = PARTS.iter().find(|(part, _)| name.starts_with(part) && !name.contains("/_rels/"));
            if let Some((_, word)) = part {
                *counts.entry(*word).or_default() += 1;
            }
        }
    }
    counts
}

/// What the first has more than the second.
fn more(first: &BTreeMap<&'static str, usize>, second: &BTreeMap<&'static str, usize>) -> Vec<String> {
    let more = first.iter().filter_map(|(word, count)| {
        let other = second.get(word).copied().unwrap_or(0);
        (other < *count).then(|| format!("{} {word}", count - other))
    });
    more.collect()
}
