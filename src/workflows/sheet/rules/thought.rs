//! Says in words what the code of a task does, and what it leaves out.

use super::Task;
use super::code::number_column;
use crate::text::Visible;
use crate::workflows::sheet::facts::{ColumnFacts, SheetFacts};

pub(super) fn thought(sheet: &SheetFacts, task: &Task<'_>) -> String {
    describe(sheet, task) + &number_column(task).map(left_out_note).unwrap_or_default()
}

/// What is left out of a column that does not hold numbers alone.
fn left_out_note(column: &ColumnFacts) -> String {
    if column.kind == "number" {
        return String::new();
    }
    let is_odd = |sample: &&String| {
        let is_number = sample.parse::<f64>().is_ok_and(f64::is_finite);
        !is_number && !sample.trim().is_empty() && !sample.starts_with('=')
    };
    let example = column
        .samples
        .iter()
        .find(is_odd)
        .map(|sample| format!(", such as “{}”,", Visible::line(sample).as_str()));
    format!(
        " Values of {} that are not numbers{} are left out; the answer names them.",
        column.header,
        example.unwrap_or_default()
    )
}

/// Says what the code does, in one sentence.
fn describe(sheet: &SheetFacts, task: &Task<'_>) -> String {
    let figure = |how: &str| match how {
        "sum" => "the sum",
        "mean" => "the mean",
        "median" => "the median",
        "max" => "the largest value",
        "min" => "the smallest value",
        _ => "the number of values",
    };
    let name = &sheet.name;
    match task {
        Task::Count => format!("Counts the rows of {name}."),
        Task::Figure(how, column) => format!("Takes {} of {} in {name}.", figure(how), column.header),
        Task::Groups(how, Some(column), group) => {
            format!(
                "Takes {} of {} for each {} in {name}, largest first.",
                figure(how),
                column.header,
                group.header
            )
        }
        Task::Groups(_, None, group) => {
            format!("Counts the rows of {name} for each {}, most first.", group.header)
        }
        Task::Top(count, column, true) => {
            format!("Prints the {count} rows of {name} with the smallest {}.", column.header)
        }
        Task::Top(count, column, false) => {
            format!("Prints the {count} rows of {name} with the largest {}.", column.header)
        }
        Task::Outliers(column) => format!(
            "Fills cells of {} in {name} yellow that lie further from the middle half of all values than one and a half \
             times its width.",
            column.header
        ),
        Task::Filter(column, sign, value) => {
            let value = if value.is_empty() { "empty" } else { value };
            format!(
                "Writes the rows of {name} where {} {sign} {value} onto a sheet of their own.",
                column.header
            )
        }
    }
}
