//! Adds hints to errors for code that was written for another environment: how to do it here.

use monty_types::{ExcType, MontyException};

/// Other libraries, and what to use instead.
const INSTEAD: [(&str, &str); 11] = [
    (
        "pandas",
        "sheet(\"Name\").records() gives the rows as dicts; group_by(records, \"Key\") groups them; sorted(), sum() and comprehensions do the rest; sheet.write(\"A1\", rows) writes",
    ),
    ("numpy", "lists, sum(), min(), max(), math and statistics do it here"),
    ("xlsxwriter", "the workbook is open already: add_sheet(\"New\").write(\"A1\", rows)"),
    ("xlrd", "the workbook is open already: sheet(\"Name\").rows()"),
    ("csv", "the workbook is open already, a .csv too: sheet().records()"),
    ("matplotlib", "charts cannot be drawn; write the figures to a sheet"),
    ("random", "there is no chance here, so that the same code gives the same result"),
    ("decimal", "use round(x, 2), or whole cents"),
    ("time", "there is no clock here"),
    ("io", "there are no files here; use sheet(…)"),
    ("subprocess", "nothing can be started here"),
];

/// An exception in words, with a hint how to do it here.
pub(super) fn explain(error: &MontyException) -> String {
    let text = error.to_string();
    match hint(error) {
        Some(hint) => format!("{text}\nHint: {hint}."),
        None => text,
    }
}

fn hint(error: &MontyException) -> Option<String> {
    let message = error.message().unwrap_or_default();
    let named = |module: &str| {
        let quoted = format!("'{module}");
        message.contains(&quoted)
    };
    match error.exc_type() {
        ExcType::ModuleNotFoundError | ExcType::ImportError => {
            let replacement = INSTEAD.iter().find(|(module, _)| named(module));
            let modules = "there are math, statistics, datetime, re, json, collections, itertools, functools, dataclasses \
                         and typing, and the workbook by sheet(\"Name\")";
            Some(replacement.map_or(modules, |(_, instead)| instead).to_owned())
        }
        ExcType::AttributeError if message.contains("'Sheet'") => {
            let methods = "a sheet has size, get, set, formula, range, rows, write, append, records, headers, column, \
                         letters, mark, bold, number_format, width, insert_rows, delete_rows, insert_columns, \
                         delete_columns, rename and remove; of openpyxl also [\"B2\"], cell, iter_rows and max_row";
            Some(methods.to_owned())
        }
        ExcType::NameError if named("open") => Some("there are no files here; use sheet(…)".to_owned()),
        ExcType::SyntaxError if message.contains("unpacking target") => {
            Some("give each place its value in a line of its own".to_owned())
        }
        ExcType::NotImplementedError | ExcType::SyntaxError => {
            let lacks =
                "this Python has no class inheritance, properties, yield and match: use functions and lists";
            Some(lacks.to_owned())
        }
        _ => None,
    }
}
