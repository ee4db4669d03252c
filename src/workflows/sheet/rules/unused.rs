//! Words of an instruction that the rules did not use. Doing only the rest would answer a different question.

use super::Task;
use crate::text::words::words;
use crate::workflows::sheet::facts::{ColumnFacts, SheetFacts};

/// Words that ask for nothing by themselves.
const FILLERS: &str = "a all an and are as at be can column columns compute could do does find for from get give have i in is \
    it its like list me my of on our out please print row rows s see sheet show table tell that the their there these this to \
    us value values want was we were what which will workbook would you";

/// The words that name the task.
fn task_words(task: &Task<'_>) -> &'static str {
    match task {
        Task::Outliers(_) => "outlier unusual anomaly anomalie mark highlight",
        Task::Count => "count how many number",
        Task::Top(_, _, true) => "bottom worst by smallest lowest first",
        Task::Top(_, _, false) => "top best first by largest highest",
        Task::Filter(..) => {
            "where only filter with keep at least most over under above below not empty blank missing"
        }
        Task::Figure(how, _) => figure_words(how),
        Task::Groups(how, ..) => match *how {
            "mean" => "average mean avg by per each every",
            "median" => "median by per each every",
            "max" => "highest maximum max largest by per each every",
            "min" => "lowest minimum min smallest by per each every",
            "count" => "count how many number by per each every",
            _ => "sum total add up by per each every",
        },
    }
}

fn figure_words(how: &str) -> &'static str {
    match how {
        "mean" => "average mean avg",
        "median" => "median",
        "max" => "highest maximum max largest",
        "min" => "lowest minimum min smallest",
        "count" => "count how many number",
        _ => "sum total add up",
    }
}

/// The words of an instruction that its task does not use, in order.
pub(super) fn unused_words(sheet: &SheetFacts, task: &Task<'_>, instruction: &str) -> Vec<String> {
    let mut used: Vec<String> =
        words(task_words(task)).chain(words(FILLERS)).chain(words(&sheet.name)).collect();
    let columns: &[Option<&ColumnFacts>] = match task {
        Task::Filter(column, ..)
        | Task::Figure(_, column)
        | Task::Top(_, column, _)
        | Task::Outliers(column) => &[Some(*column), None],
        Task::Groups(_, column, group) => &[*column, Some(*group)],
        Task::Count => &[],
    };
    used.extend(columns.iter().flatten().flat_map(|column| words(&column.header)));
    match task {
        Task::Filter(_, _, value) => used.extend(words(value)),
        Task::Top(count, ..) => used.push(count.to_string()),
        _ => {}
    }
    let is_same = |word: &str, other: &str| {
        // A plural is the same word.
        word == other || word.strip_suffix('s') == Some(other) || other.strip_suffix('s') == Some(word)
    };
    let mut unused: Vec<String> = Vec::new();
    for word in words(instruction) {
        if !used.iter().any(|other| is_same(&word, other)) && !unused.contains(&word) {
            unused.push(word);
        }
    }
    unused
}

/// A column named by one of the words whose values look like numbers but are mostly text, and such a value.
pub(super) fn numbers_as_text<'a>(
    sheet: &'a SheetFacts,
    candidates: &[String],
) -> Option<(&'a ColumnFacts, &'a str)> {
    let is_named = |column: &&ColumnFacts| words(&column.header).any(|word| candidates.contains(&word));
    let starts_with_digit = |sample: &&String| {
        sample.trim_start().trim_start_matches(['+', '-']).starts_with(|c: char| c.is_ascii_digit())
    };
    let with_sample =
        |column: &'a ColumnFacts| Some((column, column.samples.iter().find(starts_with_digit)?.as_str()));
    sheet
        .columns
        .iter()
        .filter(is_named)
        .filter(|column| column.kind.starts_with("text"))
        .find_map(with_sample)
}

/// Whether a column holds formulas without stored values: nothing can be computed from it.
pub(super) fn is_uncomputed(column: &ColumnFacts) -> bool {
    column.kind == "empty" && column.samples.iter().any(|sample| sample.starts_with('='))
}
