//! Writes the Python for a task.

use super::Task;
use crate::workflows::sheet::facts::{ColumnFacts, SheetFacts};

pub(super) fn code(sheet: &SheetFacts, task: &Task<'_>) -> String {
    let does = match task {
        Task::Count => "print(f'There are {len(rows)} rows.')".to_owned(),
        Task::Figure(how, column) => {
            let label = quoted(&format!("{how} of {}", column.header));
            format!(
                "values = {}\nprint({label} + ':', round({}, 4), f'({{len(values)}} rows)')",
                numbers(column, "rows"),
                figure(how)
            )
        }
        Task::Groups(how, column, group) => groups(how, *column, group),
        Task::Top(count, column, least) => format!(
            "key = {}\nrows = [r for r in rows if isinstance(r[key], (int, float))]\n\
             rows = sorted(rows, key=lambda r: r[key], reverse={})\nfor n, r in enumerate(rows[:{count}]):\n    \
             print(f'{{n + 1}}. ' + ', '.join([f'{{k}} {{v}}' for k, v in r.items() if v is not None]))",
            quoted(&column.header),
            if *least { "False" } else { "True" }
        ),
        Task::Outliers(column) => format!(
            "key, letters = {0}, {1}\nvalues = sorted([r[key] for r in rows if isinstance(r[key], (int, float))])\n\
             low, middle, high = statistics.quantiles(values)\nreach = 1.5 * (high - low)\nfound = []\n\
             for n, r in enumerate(rows):\n    v = r[key]\n    if isinstance(v, (int, float)) and (v < low - reach or v > high + reach):\n        \
             s.mark(f'{{letters}}{{n + 2}}', 'yellow')\n        found.append(f'{{letters}}{{n + 2}} ({{v}})')\n\
             print(f'{{len(found)}} of {{len(values)}} values of {{key}} lie outside {{low - reach:.2f}} to {{high + reach:.2f}}')\n\
             print(', '.join(found[:20]))",
            quoted(&column.header),
            quoted(&column.letters)
        ),
        Task::Filter(column, sign, value) => filter(column, sign, value),
    };
    format!("s = sheet({})\nrows = s.records()\n{does}", quoted(&sheet.name))
}

/// A text as a Python literal.
fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_else(|_| "\"\"".to_owned())
}

/// The numbers of a column in some rows.
fn numbers(column: &ColumnFacts, rows: &str) -> String {
    format!("[r[{0}] for r in {rows} if isinstance(r[{0}], (int, float))]", quoted(&column.header))
}

/// One figure of `values`.
fn figure(how: &str) -> String {
    match how {
        "sum" | "max" | "min" => format!("{how}(values)"),
        "count" => "len(values)".to_owned(),
        other => format!("statistics.{other}(values)"),
    }
}

fn groups(how: &str, column: Option<&ColumnFacts>, group: &ColumnFacts) -> String {
    let values = column.map_or("groups[key]".to_owned(), |column| numbers(column, "groups[key]"));
    let counted = column.map_or("rows".to_owned(), |column| format!("{} ({how})", column.header));
    format!(
        "groups = group_by(rows, {})\ntotals = []\nfor key in groups:\n    values = {values}\n    if values:\n        \
         totals.append((key, round({}, 4)))\ntotals = sorted(totals, key=lambda t: t[1], reverse=True)\n\
         print({})\nfor key, total in totals:\n    print(f'{{key}}: {{total}}')",
        quoted(&group.header),
        figure(how),
        quoted(&format!("{}: {counted}", group.header))
    )
}

fn filter(column: &ColumnFacts, sign: &str, value: &str) -> String {
    let number: Option<f64> = value.replace(',', "").parse().ok().filter(|n: &f64| n.is_finite());
    let test = match number {
        _ if value.is_empty() => format!("str(r[key] if r[key] is not None else '').strip() {sign} ''"),
        Some(number) => format!("isinstance(r[key], (int, float)) and r[key] {sign} {number}"),
        None => format!("str(r[key]).lower() {sign} {}", quoted(&value.to_lowercase())),
    };
    format!(
        "key = {}\nkept = [r for r in rows if {test}]\nprint(f'{{len(kept)}} of {{len(rows)}} rows')\n\
         names = sheets()\nname, n = 'Filtered', 2\nwhile name in names:\n    name, n = f'Filtered {{n}}', n + 1\n\
         out = add_sheet(name)\nif rows:\n    out.write('A1', [list(rows[0].keys())] + [list(r.values()) for r in kept])",
        quoted(&column.header)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heading_with_braces_is_left_as_it_is() {
        let [letters, kind] = ["A", "number"].map(str::to_owned);
        let column = ColumnFacts { letters, header: "Cost {}".to_owned(), kind, samples: Vec::new() };
        assert_eq!(
            numbers(&column, "rows"),
            "[r[\"Cost {}\"] for r in rows if isinstance(r[\"Cost {}\"], (int, float))]"
        );
    }
}
