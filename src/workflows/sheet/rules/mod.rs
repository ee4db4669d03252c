//! `sheet.plan` by rules: a filter, an aggregate, groups, the top few, outliers. They say what they do not recognise.
//!
//! The rules look in the instruction for a verb and for the headings of the workbook, write one piece of code, and
//! answer with what it printed. If they have no use for a word, they do nothing and say so.

mod code;
mod unused;

use self::code::{code, number_column};
use self::unused::{is_uncomputed, numbers_as_text, unused};
use crate::llm::{self, Answer, facts};
use crate::text::Visible;
use crate::text::words::words;
use crate::workflows::sheet::facts::{ColumnFacts, PlanFacts, RanFacts, SheetFacts};
use serde_json::{Value, json};

/// What the instruction seems to ask for.
enum Task<'a> {
    /// Copies the rows where a column matches onto a new sheet.
    Filter(&'a ColumnFacts, &'static str, String),
    /// One figure of a column.
    Figure(&'static str, &'a ColumnFacts),
    /// One figure for each group.
    Groups(&'static str, Option<&'a ColumnFacts>, &'a ColumnFacts),
    /// The rows with the largest or smallest values.
    Top(usize, &'a ColumnFacts, bool),
    /// Values far from the others.
    Outliers(&'a ColumnFacts),
    Count,
}

/// The tasks that work without a language model.
pub(in crate::workflows) const TASKS: &[llm::Task] = &[("sheet.plan", plan)];

fn plan(value: &Value) -> Result<Answer, String> {
    let facts: PlanFacts = facts(value)?;
    let wanted = facts.said.last().unwrap_or(&facts.instruction);
    let sheet = pick_sheet(&facts.sheets, wanted);
    let task = sheet.and_then(|sheet| Some((sheet, task(sheet, wanted)?)));
    if let Some(last) = facts.ran.last() {
        return Ok(after_run(&facts, last, task.as_ref()));
    }
    let Some(sheet) = sheet else {
        return Ok(finish("The workbook holds no rows.".to_owned()));
    };
    if let Some(column) =
        sheet.columns.iter().find(|one| is_uncomputed(one) && has(&wanted.to_lowercase(), &one.header))
    {
        return Ok(finish(format!(
            "The formulas in {} of {} have no stored values, so nothing can be computed from them. Open the workbook in a \
             spreadsheet program, save it, and ask again.",
            column.header, sheet.name
        )));
    }
    let left = match &task {
        Some((sheet, task)) => unused(sheet, task, wanted),
        None => words(wanted).collect(),
    };
    if let Some((column, sample)) = numbers_as_text(sheet, &left) {
        return Ok(finish(format!(
            "{} in {} is mostly text, such as “{}”. The built-in rules compute with numbers alone and convert nothing, so \
             nothing was done.",
            column.header,
            sheet.name,
            Visible::line(sample).as_str()
        )));
    }
    let Some((sheet, task)) = task else {
        let headings: Vec<&str> = sheet.columns.iter().map(|c| c.header.as_str()).collect();
        return Ok(finish(format!(
            "The built-in rules do not understand that. They know: `sum Amount by Region`, `average Amount`, \
             `top 5 by Amount`, `only rows where Region is North`, `mark outliers in Amount`. The columns of {} are \
             {}. A language model (see config.example.toml) understands more.",
            sheet.name,
            headings.join(", ")
        )));
    };
    let does = thought(sheet, &task);
    if !left.is_empty() {
        let left: Vec<String> = left.iter().map(|word| format!("“{word}”")).collect();
        return Ok(finish(format!(
            "The built-in rules do not understand {} here, so nothing was done. Without that they would do this: {does} \
             Ask it that way, or connect a language model (see config.example.toml), which understands more.",
            left.join(", ")
        )));
    }
    Ok(run(does, &code(sheet, &task)))
}

/// The step after code has run: its output is the answer.
fn after_run(facts: &PlanFacts, last: &RanFacts, task: Option<&(&SheetFacts, Task<'_>)>) -> Answer {
    let Some(error) = &last.error else {
        return finish(match (last.stdout.trim(), last.changed) {
            ("", 1) => "Done; 1 cell changed.".to_owned(),
            ("", changed) => format!("Done; {changed} cells changed."),
            (printed, _) => printed.to_owned(),
        });
    };
    let failed = format!("The code failed: {}.", last_line(error));
    // A mistake in the person's edit is no reason to give up the proposal.
    if let Some((sheet, task)) = task
        && let code = code(sheet, task)
        && facts.ran.iter().all(|ran| ran.code.trim() != code.trim())
    {
        return run(format!("{failed} As the rules had proposed: {}", thought(sheet, task)), &code);
    }
    finish(format!("{failed} These are built-in rules; a language model could fix it."))
}

fn run(thought: String, code: &str) -> Answer {
    Answer::Calls(thought, vec![("python", json!({ "code": code }))])
}

/// The essence of an error: its last line.
fn last_line(error: &str) -> &str {
    error.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default()
}

fn finish(answer: String) -> Answer {
    Answer::Calls(String::new(), vec![("finish", json!({ "answer": answer }))])
}

/// The sheet the words name, or the one with the most rows.
fn pick_sheet<'a>(sheets: &'a [SheetFacts], words: &str) -> Option<&'a SheetFacts> {
    let words = words.to_lowercase();
    let named = sheets.iter().find(|sheet| has(&words, &sheet.name));
    named.or_else(|| sheets.iter().max_by_key(|sheet| sheet.rows)).filter(|sheet| sheet.rows > 1)
}

/// Whether a heading occurs in the words as whole words.
fn has(words: &str, heading: &str) -> bool {
    place(words, heading).is_some()
}

fn place(words: &str, heading: &str) -> Option<usize> {
    let heading = heading.trim().to_lowercase();
    if heading.is_empty() {
        return None;
    }
    let edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    words.match_indices(&heading).map(|(at, _)| at).find(|at| {
        let before = words.get(..*at).and_then(|text| text.chars().next_back());
        let after = words.get(at + heading.len()..).unwrap_or_default();
        // A plural counts, too.
        let after = after.strip_prefix('s').unwrap_or(after).chars().next();
        edge(before) && edge(after)
    })
}

fn task<'a>(sheet: &'a SheetFacts, instruction: &str) -> Option<Task<'a>> {
    let words = instruction.to_lowercase();
    let any = |marks: &[&str]| marks.iter().any(|mark| has(&words, mark));
    let mut named: Vec<(usize, &ColumnFacts)> =
        sheet.columns.iter().filter_map(|column| Some((place(&words, &column.header)?, column))).collect();
    named.sort_by_key(|(at, column)| (*at, std::cmp::Reverse(column.header.len())));
    named.dedup_by_key(|(at, _)| *at);
    let number = |column: &&ColumnFacts| column.kind.starts_with("number");
    let named: Vec<&ColumnFacts> = named.into_iter().map(|(_, column)| column).collect();
    let figures = named.iter().copied().find(number);
    let only = || {
        let mut all = sheet.columns.iter().filter(number);
        all.next().filter(|_| all.next().is_none())
    };
    let figure = figures.or_else(only);
    if any(&["outlier", "unusual", "anomaly", "anomalie"]) {
        return figure.map(Task::Outliers);
    }
    let how = if any(&["average", "mean", "avg"]) {
        "mean"
    } else if any(&["count", "how many", "number of"]) {
        "count"
    } else if any(&["median"]) {
        "median"
    } else if any(&["highest", "maximum", "max", "largest"]) {
        "max"
    } else if any(&["lowest", "minimum", "min", "smallest"]) {
        "min"
    } else {
        "sum"
    };
    let after = |mark: &str| {
        let at = words.find(mark)?;
        let rest = words.get(at + mark.len()..)?;
        let found = named.iter().copied().filter_map(|c| Some((place(rest, &c.header)?, c)));
        found.min_by_key(|(at, _)| *at).map(|(_, column)| column)
    };
    let count = || words.split(|c: char| !c.is_ascii_digit()).find_map(|word| word.parse::<usize>().ok());
    if any(&["top", "bottom", "first", "best", "worst"])
        && let Some(column) = after(" by ").filter(number).or(figure)
    {
        let least = any(&["bottom", "worst"]);
        return Some(Task::Top(count().unwrap_or(5).clamp(1, 1000), column, least));
    }
    let group = [" by ", " per ", " for each ", " for every ", "each "].iter().find_map(|mark| after(mark));
    if let Some(group) = group {
        let of = figure.filter(|column| column.header != group.header);
        return Some(Task::Groups(if of.is_none() { "count" } else { how }, of, group));
    }
    if any(&["where", "only", "filter", "with", "keep"])
        && let Some(filter) = filter(&named, instruction)
    {
        return Some(filter);
    }
    let asked = how != "sum" || any(&["sum", "total", "add up"]);
    match figure {
        _ if how == "count" => Some(Task::Count),
        Some(column) if asked => Some(Task::Figure(how, column)),
        _ => None,
    }
}

/// `Region is North`, `Amount over 100`.
fn filter<'a>(named: &[&'a ColumnFacts], instruction: &str) -> Option<Task<'a>> {
    const SIGNS: [(&str, &str); 16] = [
        (">=", ">="),
        ("<=", "<="),
        ("!=", "!="),
        (">", ">"),
        ("<", "<"),
        ("=", "=="),
        ("is not ", "!="),
        ("is at least ", ">="),
        ("is at most ", "<="),
        ("is over ", ">"),
        ("is under ", "<"),
        ("over ", ">"),
        ("above ", ">"),
        ("under ", "<"),
        ("below ", "<"),
        ("is ", "=="),
    ];
    let lower = instruction.to_lowercase();
    // Lower-casing may shift positions; then the value quoted in the code comes from the lower-cased words.
    let source = if lower.len() == instruction.len() { instruction } else { &lower };
    for column in named {
        let at = place(&lower, &column.header)? + column.header.trim().len();
        let rest = source.get(at..)?.trim_start();
        let low = lower.get(lower.len() - rest.len()..)?;
        let Some((mark, sign)) = SIGNS.iter().find(|(mark, _)| low.starts_with(mark)) else { continue };
        let value = said_value(rest.get(mark.len()..)?.trim());
        let is_empty = ["empty", "blank", "missing"].contains(&value.to_lowercase().as_str());
        match *sign {
            "==" | "!=" if is_empty => return Some(Task::Filter(column, sign, String::new())),
            _ if is_empty || value.is_empty() => {}
            sign => return Some(Task::Filter(column, sign, value.to_owned())),
        }
    }
    None
}

/// The value at the start of the words: the quoted text, or everything up to the next clause.
fn said_value(words: &str) -> &str {
    for quote in ['"', '\'', '`'] {
        if let Some((value, _)) = words.strip_prefix(quote).and_then(|inner| inner.split_once(quote)) {
            return value.trim();
        }
    }
    let lower = words.to_ascii_lowercase();
    let ends = [", ", "; ", " and ", " or ", " then ", " but ", " sort", " order"];
    let end = ends.iter().filter_map(|mark| lower.find(mark)).min().unwrap_or(words.len());
    words[..end].trim().trim_end_matches(['.', '?', '!']).trim()
}

/// Says what the code does, and what it leaves out.
fn thought(sheet: &SheetFacts, task: &Task<'_>) -> String {
    does(sheet, task) + &number_column(task).map(leaves_out).unwrap_or_default()
}

/// What is left out of a column that does not hold numbers alone.
fn leaves_out(column: &ColumnFacts) -> String {
    if column.kind == "number" {
        return String::new();
    }
    let odd = |sample: &&String| {
        let is_number = sample.parse::<f64>().is_ok_and(f64::is_finite);
        !is_number && !sample.trim().is_empty() && !sample.starts_with('=')
    };
    let such = column
        .samples
        .iter()
        .find(odd)
        .map(|sample| format!(", such as “{}”,", Visible::line(sample).as_str()));
    format!(
        " Values of {} that are not numbers{} are left out; the answer names them.",
        column.header,
        such.unwrap_or_default()
    )
}

/// Says what the code does, in one sentence.
fn does(sheet: &SheetFacts, task: &Task<'_>) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn sheet() -> SheetFacts {
        let column = |letters: &str, header: &str, kind: &str| ColumnFacts {
            letters: letters.to_owned(),
            header: header.to_owned(),
            kind: kind.to_owned(),
            samples: Vec::new(),
        };
        let columns = vec![
            column("A", "Region", "text"),
            column("B", "Units", "number"),
            column("C", "Amount", "number"),
            column("D", "Unit Price", "number"),
        ];
        SheetFacts { name: "Sales".to_owned(), rows: 20, columns }
    }

    fn word(instruction: &str) -> String {
        match task(&sheet(), instruction) {
            Some(Task::Filter(column, sign, value)) => format!("{} {sign} {value}", column.header),
            Some(Task::Figure(how, column)) => format!("{how} {}", column.header),
            Some(Task::Groups(how, column, group)) => {
                format!("{how} {} by {}", column.map_or("rows", |c| &c.header), group.header)
            }
            Some(Task::Top(n, column, least)) => format!("top {n} {} {least}", column.header),
            Some(Task::Outliers(column)) => format!("outliers {}", column.header),
            Some(Task::Count) => "count".to_owned(),
            None => "none".to_owned(),
        }
    }

    #[test]
    fn instructions_are_read_by_their_verb_and_the_headings() {
        for (instruction, meant) in [
            ("Sum Amount by Region", "sum Amount by Region"),
            ("What is the average amount per region?", "mean Amount by Region"),
            ("How many rows by Region", "count rows by Region"),
            ("total of the Units", "sum Units"),
            ("top 3 by Amount", "top 3 Amount false"),
            ("bottom 2 by units", "top 2 Units true"),
            ("Mark the outliers in Amount", "outliers Amount"),
            ("only rows where Region is North", "Region == North"),
            ("keep rows with Amount over 1,000", "Amount > 1,000"),
            ("filter Amount >= 50", "Amount >= 50"),
            ("median Unit Price", "median Unit Price"),
            ("how many rows are there?", "count"),
            ("rows where Region is empty", "Region == "),
            ("rows where Region is not empty", "Region != "),
            ("only rows where Region is 'Bed and Breakfast'", "Region == Bed and Breakfast"),
            ("write me a poem", "none"),
        ] {
            assert_eq!(word(instruction), meant, "{instruction}");
            if let Some(task) = task(&sheet(), instruction) {
                assert_eq!(unused(&sheet(), &task, instruction), [""; 0], "{instruction}");
            }
        }
    }

    /// The answer if nothing is done.
    fn refused(sheet: SheetFacts, instruction: &str) -> String {
        let facts = json!({"instruction": instruction, "sheets": [sheet]});
        let Ok(Answer::Calls(_, calls)) = plan(&facts) else { panic!("no calls for {instruction}") };
        assert_eq!(calls[0].0, "finish", "{instruction}");
        calls[0].1["answer"].as_str().unwrap().to_owned()
    }

    #[test]
    fn a_word_that_is_of_no_use_is_said_and_nothing_is_done() {
        for (instruction, word) in [
            ("sort by Amount", "“sort”"),
            ("sum Amount by month", "“month”"),
            ("sum Amount by Region in 2026", "“2026”"),
            ("average and median of Amount", "“median”"),
            ("sum Amount and Units by Region", "“units”"),
            ("only rows where Region is North and Amount over 100", "“amount”, “100”"),
            ("only rows where Region is North, sorted by Amount", "“sorted”"),
            ("top 3 by Amount except North", "“except”, “north”"),
            ("count rows where Amount is negative", "“count”"),
            ("sum Amount of the Smiths", "“smiths”"),
        ] {
            let answer = refused(sheet(), instruction);
            assert!(answer.contains("do not understand") && answer.contains(word), "{instruction}: {answer}");
        }
    }

    #[test]
    fn formulas_without_values_are_not_computed_from() {
        let mut sheet = sheet();
        sheet.columns[2].kind = "empty".to_owned();
        sheet.columns[2].samples = vec!["=B2*D2".to_owned()];
        let answer = refused(sheet, "sum Amount by Region");
        assert!(answer.contains("formulas in Amount") && answer.contains("no stored values"), "{answer}");
    }

    #[test]
    fn what_will_be_left_out_is_said_before_the_code_runs() {
        let mut sheet = sheet();
        let said = |sheet: &SheetFacts| {
            thought(sheet, &Task::Groups("sum", Some(&sheet.columns[2]), &sheet.columns[0]))
        };
        assert_eq!(said(&sheet), "Takes the sum of Amount for each Region in Sales, largest first.");
        sheet.columns[2].kind = "number, text".to_owned();
        sheet.columns[2].samples = ["10", "", "12,5", "5"].map(str::to_owned).to_vec();
        let expected =
            "Values of Amount that are not numbers, such as “12,5”, are left out; the answer names them.";
        assert!(said(&sheet).ends_with(expected), "{}", said(&sheet));
        // There are only empty and computed cells among the samples.
        sheet.columns[2].samples = ["", "=B2*2"].map(str::to_owned).to_vec();
        assert!(said(&sheet).contains("not numbers are left out"), "{}", said(&sheet));
    }

    #[test]
    fn numbers_that_are_mostly_text_are_named_and_not_converted() {
        let mut sheet = sheet();
        sheet.columns.truncate(3);
        sheet.columns[2].kind = "text, number".to_owned();
        sheet.columns[2].samples = ["12,5", "7"].map(str::to_owned).to_vec();
        for instruction in ["sum Amount by Region", "average Amount"] {
            let answer = refused(sheet.clone(), instruction);
            assert!(answer.starts_with("Amount in Sales is mostly text, such as “12,5”."), "{answer}");
        }
        sheet.columns.remove(1);
        assert!(refused(sheet, "sum Amount").contains("nothing was done"));
    }

    #[test]
    fn after_code_of_somebody_else_failed_the_rules_propose_theirs_once_more() {
        let mut facts = json!({
            "instruction": "sum Amount by Region",
            "sheets": [sheet()],
            "ran": [{"code": "print(1/0)", "error": "Traceback\nZeroDivisionError: division by zero"}],
        });
        let Ok(Answer::Calls(thought, calls)) = plan(&facts) else { panic!("no calls") };
        assert!(
            thought.starts_with("The code failed: ZeroDivisionError: division by zero. As the rules"),
            "{thought}"
        );
        let (tool, args) = &calls[0];
        assert_eq!(*tool, "python");
        let own = json!({"code": args["code"], "error": "NameError: no"});
        facts["ran"].as_array_mut().unwrap().push(own);
        let Ok(Answer::Calls(_, calls)) = plan(&facts) else { panic!("no calls") };
        assert_eq!(calls[0].0, "finish", "what failed is not proposed again");
    }

    #[test]
    fn what_stands_in_a_workbook_cannot_leave_its_quotes() {
        let mut sheet = sheet();
        sheet.columns[2].header = "Am\"ount\n'); import os".to_owned();
        let code = code(&sheet, &Task::Figure("sum", &sheet.columns[2]));
        assert!(code.contains("r[\"Am\\\"ount\\n'); import os\"]"), "{code}");
    }
}
