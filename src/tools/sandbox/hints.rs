//! Errors as code that was written for other surroundings should read them: with the way it is done here.

use monty_types::{ExcType, MontyException};

/// What other libraries are called, and what there is instead.
const INSTEAD: [(&str, &str); 12] = [
    (
        "pandas",
        "sheet(\"Name\").records() gives the rows as dicts; group_by(records, \"Key\") groups them; sorted(), sum() and comprehensions do the rest; sheet.write(\"A1\", rows) writes",
    ),
    ("numpy", "lists, sum(), min(), max(), math and statistics do it here"),
    (
        "openpyxl",
        "the workbook is open already: sheets(), sheet(\"Name\"), .get(\"B2\"), .set(\"B2\", value), .range(\"A1:C5\"), .write(\"A1\", rows), add_sheet(\"New\")",
    ),
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

/// Modules that are there without being imported.
const KNOWN: &str = "statistics";

/// An exception in words, with the way it is done here.
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
            let found = INSTEAD.iter().find(|(module, _)| named(module));
            let there = "there are math, statistics, datetime, re, json, collections, itertools, functools, dataclasses \
                         and typing, and the workbook by sheet(\"Name\")";
            Some(found.map_or(there, |(_, instead)| instead).to_owned())
        }
        ExcType::TypeError if message.contains("subscriptable") || message.contains("item assignment") => {
            Some("a sheet's cells are read by .get(\"B2\") and written by .set(\"B2\", value)".to_owned())
        }
        ExcType::AttributeError if message.contains("'Sheet'") => {
            let there = "a sheet has size, get, set, formula, range, rows, write, append, records, headers, column, \
                         letters and mark";
            Some(there.to_owned())
        }
        ExcType::NameError if named("open") => Some("there are no files here; use sheet(…)".to_owned()),
        ExcType::NotImplementedError | ExcType::SyntaxError => {
            let lacks = "this Python has no class inheritance, yield, match, del and % formatting: use functions, \
                         lists and f-strings";
            Some(lacks.to_owned())
        }
        _ => None,
    }
}

/// The code without the imports of what is there anyway; lines keep their numbers.
pub(super) fn without_known_imports(code: &str) -> String {
    let line = |line: &str| {
        let trimmed = line.trim();
        let indent = line.get(..line.len() - line.trim_start().len()).unwrap_or_default();
        if let Some(rest) = trimmed.strip_prefix("import statistics") {
            return match rest.trim().strip_prefix("as ") {
                Some(name) => format!("{indent}{} = {KNOWN}", name.trim()),
                None if rest.trim().is_empty() => format!("{indent}pass"),
                None => line.to_owned(),
            };
        }
        let Some(names) = trimmed.strip_prefix("from statistics import ") else { return line.to_owned() };
        let set = |name: &str| {
            let (name, called) = name.split_once(" as ").unwrap_or((name, name));
            format!("{} = {KNOWN}.{}", called.trim(), name.trim())
        };
        let sets: Vec<String> = names.trim_matches(['(', ')']).split(',').map(set).collect();
        format!("{indent}{}", sets.join("; "))
    };
    code.lines().map(line).collect::<Vec<_>>().join("\n")
}
