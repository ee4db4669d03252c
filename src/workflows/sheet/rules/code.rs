//! Writes the Python for a task. Whatever computes with numbers says which values it left out.

use super::Task;
use crate::workflows::sheet::facts::{ColumnFacts, SheetFacts};

pub(super) fn code(sheet: &SheetFacts, task: &Task<'_>) -> String {
    let body = match task {
        Task::Count => "print(f'There are {len(rows)} rows.')".to_owned(),
        Task::Figure(how, column) => {
            let label = literal(&format!("{how} of {}", column.header));
            format!(
                "values = {}\nprint({label} + ':', round({}, 4), f'({{len(values)}} rows)')",
                numbers(column, "rows"),
                figure(how)
            )
        }
        Task::Groups(how, column, group) => groups(how, *column, group),
        Task::Top(count, column, smallest) => format!(
            "key = {}\nrows = [r for r in rows if is_number(r[key])]\n\
             rows = sorted(rows, key=lambda r: r[key], reverse={})\nfor n, r in enumerate(rows[:{count}]):\n    \
             print(f'{{n + 1}}. ' + ', '.join([f'{{k}} {{v}}' for k, v in r.items() if v is not None]))",
            literal(&column.header),
            if *smallest { "False" } else { "True" }
        ),
        Task::Outliers(column) => format!(
            "key, letters = {0}, {1}\nvalues = sorted([r[key] for r in rows if is_number(r[key])])\n\
             low, middle, high = statistics.quantiles(values)\nreach = 1.5 * (high - low)\nfound = []\n\
             for n, r in enumerate(rows):\n    v = r[key]\n    if is_number(v) and (v < low - reach or v > high + reach):\n        \
             s.mark(f'{{letters}}{{n + 2}}', 'yellow')\n        found.append(f'{{letters}}{{n + 2}} ({{v}})')\n\
             print(f'{{len(found)}} of {{len(values)}} values of {{key}} lie outside {{low - reach:.2f}} to {{high + reach:.2f}}')\n\
             print(', '.join(found[:20]))",
            literal(&column.header),
            literal(&column.letters)
        ),
        Task::Filter(column, sign, value) => filter(column, sign, value),
    };
    let (find_code, tell_code) = number_column(task).map(left_out_code).unwrap_or_default();
    format!("s = sheet({})\nrows = s.records()\n{find_code}{body}{tell_code}", literal(&sheet.name))
}

/// The column whose numbers a task computes with; its other values are left out.
pub(super) fn number_column<'a>(task: &Task<'a>) -> Option<&'a ColumnFacts> {
    match task {
        Task::Figure(_, column)
        | Task::Top(_, column, _)
        | Task::Outliers(column)
        | Task::Groups(_, Some(column), _) => Some(*column),
        Task::Filter(column, _, value) => number(value).map(|_| *column),
        Task::Groups(_, None, _) | Task::Count => None,
    }
}

/// Code that finds the values of a column that are not numbers, and code that says so in the end.
fn left_out_code(column: &ColumnFacts) -> (String, String) {
    let header = &column.header;
    let find_code = format!(
        "is_number = lambda v: isinstance(v, (int, float)) and not isinstance(v, bool)\n\
         odd = [(n + 2, ' '.join(str(r[{0}]).split())) for n, r in enumerate(rows) if r[{0}] is not None and not is_number(r[{0}])]\n\
         odd = [(n, v) for n, v in odd if v]\n",
        literal(header)
    );
    let tell_code = format!(
        "\nif odd:\n    what = {} if len(odd) == 1 else {}\n    \
         listed = ', '.join([f'“{{v[:40]}}” (row {{n}})' for n, v in odd[:10]])\n    \
         more = f' and {{len(odd) - 10}} more' if len(odd) > 10 else ''\n    \
         mixed = [v for n, v in odd if (',' in v or '.' in v) and v.lstrip('+-').replace(',', '', 1).replace('.', '', 1).isdigit()]\n    \
         print(f'Left out: {{len(odd)}} {{what}}: {{listed}}{{more}}' + ({} if mixed else ''))",
        literal(&format!("value in {header} that is not a number")),
        literal(&format!("values in {header} that are not numbers")),
        literal(&format!(". {header} seems to mix decimal commas and points; none was converted."))
    );
    (find_code, tell_code)
}

/// A text as a Python literal.
fn literal(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_else(|_| "\"\"".to_owned())
}

/// The numbers of a column in some rows.
fn numbers(column: &ColumnFacts, rows: &str) -> String {
    format!("[r[{0}] for r in {rows} if is_number(r[{0}])]", literal(&column.header))
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
    let value_title = column.map_or("rows".to_owned(), |column| format!("{} ({how})", column.header));
    // A group without any number is named, too.
    let groups_left_out = column.map_or_else(String::new, |column| {
        format!(
            "\nnamed = set([t[0] for t in totals])\nnone = [str(key) for key in groups if key not in named]\nif none:\n    \
             print('Left out: ' + ', '.join(none[:10]) + (f' and {{len(none) - 10}} more' if len(none) > 10 else '') + {})",
            literal(&format!(" (no number in {})", column.header))
        )
    });
    format!(
        "groups = group_by(rows, {})\ntotals = []\nfor key in groups:\n    values = {values}\n    if values:\n        \
         totals.append((key, round({}, 4)))\ntotals = sorted(totals, key=lambda t: t[1], reverse=True)\n\
         print({})\nfor key, total in totals:\n    print(f'{{key}}: {{total}}'){groups_left_out}",
        literal(&group.header),
        figure(how),
        literal(&format!("{}: {value_title}", group.header))
    )
}

/// A value in an instruction as a number.
fn number(value: &str) -> Option<f64> {
    value.replace(',', "").parse().ok().filter(|number: &f64| number.is_finite())
}

fn filter(column: &ColumnFacts, sign: &str, value: &str) -> String {
    let condition = match number(value) {
        _ if value.is_empty() => format!("str(r[key] if r[key] is not None else '').strip() {sign} ''"),
        Some(number) => format!("is_number(r[key]) and r[key] {sign} {number}"),
        None => format!("str(r[key]).lower() {sign} {}", literal(&value.to_lowercase())),
    };
    format!(
        "key = {}\nkept = [r for r in rows if {condition}]\nprint(f'{{len(kept)}} of {{len(rows)}} rows')\n\
         names = sheets()\nname, n = 'Filtered', 2\nwhile name in names:\n    name, n = f'Filtered {{n}}', n + 1\n\
         out = add_sheet(name)\nif rows:\n    out.write('A1', [list(rows[0].keys())] + [list(r.values()) for r in kept])",
        literal(&column.header)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heading_with_braces_is_left_as_it_is() {
        let [letters, kind] = ["A", "number"].map(str::to_owned);
        let column = ColumnFacts { letters, header: "Cost {}".to_owned(), kind, samples: Vec::new() };
        assert_eq!(numbers(&column, "rows"), "[r[\"Cost {}\"] for r in rows if is_number(r[\"Cost {}\"])]");
    }

    #[test]
    fn only_code_that_computes_with_numbers_says_what_it_left_out() {
        let column = |header: &str| ColumnFacts { header: header.to_owned(), ..ColumnFacts::default() };
        let (amount, region) = (column("Amount"), column("Region"));
        let sheet = SheetFacts { name: "Sales".to_owned(), ..SheetFacts::default() };
        let filter = |value: &str| Task::Filter(&amount, "==", value.to_owned());
        for (task, says) in [
            (Task::Figure("sum", &amount), true),
            (Task::Groups("sum", Some(&amount), &region), true),
            (Task::Top(3, &amount, false), true),
            (Task::Outliers(&amount), true),
            (filter("1,000"), true),
            (filter("open"), false),
            (filter(""), false),
            (Task::Groups("count", None, &region), false),
            (Task::Count, false),
        ] {
            let code = code(&sheet, &task);
            assert_eq!(code.contains("not numbers"), says, "{code}");
            assert_eq!(code.contains("is_number"), says, "{code}");
        }
    }
}
