//! `sheet.plan` by rules: a filter, an aggregate, groups, the top few, outliers. They say what they do not recognise.
//!
//! The rules look in the instruction for a verb and for the headings of the workbook, write one piece of code, and
//! answer with what it printed. If they have no use for a word, they do nothing and say so.

mod code;
mod thought;
mod unused;

use self::code::code;
use self::thought::thought;
use self::unused::{is_uncomputed, numbers_as_text, unused_words};
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
    let instruction = facts.said.last().unwrap_or(&facts.instruction);
    let sheet = pick_sheet(&facts.sheets, instruction);
    let task = sheet.and_then(|sheet| Some((sheet, task(sheet, instruction)?)));
    if let Some(last) = facts.ran.last() {
        return Ok(after_run(&facts, last, task.as_ref()));
    }
    let Some(sheet) = sheet else {
        return Ok(finish("The workbook holds no rows.".to_owned()));
    };
    if let Some(column) = sheet
        .columns
        .iter()
        .find(|column| is_uncomputed(column) && mentions(&instruction.to_lowercase(), &column.header))
    {
        return Ok(finish(format!(
            "The formulas in {} of {} have no stored values, so nothing can be computed from them. Open the workbook in a \
             spreadsheet program, save it, and ask again.",
            column.header, sheet.name
        )));
    }
    let unused = match &task {
        Some((sheet, task)) => unused_words(sheet, task, instruction),
        None => words(instruction).collect(),
    };
    if let Some((column, sample)) = numbers_as_text(sheet, &unused) {
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
    let thought = thought(sheet, &task);
    if !unused.is_empty() {
        let unused: Vec<String> = unused.iter().map(|word| format!("“{word}”")).collect();
        return Ok(finish(format!(
            "The built-in rules do not understand {} here, so nothing was done. Without that they would do this: {thought} \
             Ask it that way, or connect a language model (see config.example.toml), which understands more.",
            unused.join(", ")
        )));
    }
    Ok(run(thought, &code(sheet, &task)))
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
    let named_sheet = sheets.iter().find(|sheet| mentions(&words, &sheet.name));
    named_sheet.or_else(|| sheets.iter().max_by_key(|sheet| sheet.rows)).filter(|sheet| sheet.rows > 1)
}

/// Whether a heading occurs in the words as whole words.
fn mentions(words: &str, heading: &str) -> bool {
    find_word(words, heading).is_some()
}

fn find_word(words: &str, heading: &str) -> Option<usize> {
    let heading = heading.trim().to_lowercase();
    if heading.is_empty() {
        return None;
    }
    let is_edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    words.match_indices(&heading).map(|(at, _)| at).find(|at| {
        let before = words.get(..*at).and_then(|text| text.chars().next_back());
        let after = words.get(at + heading.len()..).unwrap_or_default();
        // A plural counts, too.
        let after = after.strip_prefix('s').unwrap_or(after).chars().next();
        is_edge(before) && is_edge(after)
    })
}

fn task<'a>(sheet: &'a SheetFacts, instruction: &str) -> Option<Task<'a>> {
    let words = instruction.to_lowercase();
    let any = |phrases: &[&str]| mentions_any(&words, phrases);
    let mut named_columns: Vec<(usize, &ColumnFacts)> = sheet
        .columns
        .iter()
        .filter_map(|column| Some((find_word(&words, &column.header)?, column)))
        .collect();
    named_columns.sort_by_key(|(at, column)| (*at, std::cmp::Reverse(column.header.len())));
    named_columns.dedup_by_key(|(at, _)| *at);
    let is_number = |column: &&ColumnFacts| column.kind.starts_with("number");
    let named_columns: Vec<&ColumnFacts> = named_columns.into_iter().map(|(_, column)| column).collect();
    let named_figure = named_columns.iter().copied().find(is_number);
    let only_figure = || {
        let mut all = sheet.columns.iter().filter(is_number);
        all.next().filter(|_| all.next().is_none())
    };
    let figure = named_figure.or_else(only_figure);
    if any(&["outlier", "unusual", "anomaly", "anomalie"]) {
        return figure.map(Task::Outliers);
    }
    let how = figure_name(&words);
    let column_after = |mark: &str| {
        let at = words.find(mark)?;
        let rest = words.get(at + mark.len()..)?;
        let candidates = named_columns.iter().copied().filter_map(|c| Some((find_word(rest, &c.header)?, c)));
        candidates.min_by_key(|(at, _)| *at).map(|(_, column)| column)
    };
    let first_number =
        || words.split(|c: char| !c.is_ascii_digit()).find_map(|word| word.parse::<usize>().ok());
    if any(&["top", "bottom", "first", "best", "worst"])
        && let Some(column) = column_after(" by ").filter(is_number).or(figure)
    {
        let smallest = any(&["bottom", "worst"]);
        return Some(Task::Top(first_number().unwrap_or(5).clamp(1, 1000), column, smallest));
    }
    let group =
        [" by ", " per ", " for each ", " for every ", "each "].iter().find_map(|mark| column_after(mark));
    if let Some(group) = group {
        let column = figure.filter(|column| column.header != group.header);
        return Some(Task::Groups(if column.is_none() { "count" } else { how }, column, group));
    }
    if any(&["where", "only", "filter", "with", "keep"])
        && let Some(task) = filter_task(&named_columns, instruction)
    {
        return Some(task);
    }
    let asks_for_figure = how != "sum" || any(&["sum", "total", "add up"]);
    match figure {
        _ if how == "count" => Some(Task::Count),
        Some(column) if asks_for_figure => Some(Task::Figure(how, column)),
        _ => None,
    }
}

fn mentions_any(words: &str, phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| mentions(words, phrase))
}

/// The figure that the words ask for; the sum if they name none.
fn figure_name(words: &str) -> &'static str {
    let any = |phrases: &[&str]| mentions_any(words, phrases);
    if any(&["average", "mean", "avg"]) {
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
    }
}

/// `Region is North`, `Amount over 100`.
fn filter_task<'a>(named_columns: &[&'a ColumnFacts], instruction: &str) -> Option<Task<'a>> {
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
    for column in named_columns {
        let at = find_word(&lower, &column.header)? + column.header.trim().len();
        let rest = source.get(at..)?.trim_start();
        let lower_rest = lower.get(lower.len() - rest.len()..)?;
        let Some((mark, sign)) = SIGNS.iter().find(|(mark, _)| lower_rest.starts_with(mark)) else {
            continue;
        };
        let value = leading_value(rest.get(mark.len()..)?.trim());
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
fn leading_value(words: &str) -> &str {
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

    fn describe_task(instruction: &str) -> String {
        match task(&sheet(), instruction) {
            Some(Task::Filter(column, sign, value)) => format!("{} {sign} {value}", column.header),
            Some(Task::Figure(how, column)) => format!("{how} {}", column.header),
            Some(Task::Groups(how, column, group)) => {
                format!("{how} {} by {}", column.map_or("rows", |c| &c.header), group.header)
            }
            Some(Task::Top(n, column, smallest)) => format!("top {n} {} {smallest}", column.header),
            Some(Task::Outliers(column)) => format!("outliers {}", column.header),
            Some(Task::Count) => "count".to_owned(),
            None => "none".to_owned(),
        }
    }

    #[test]
    fn instructions_are_read_by_their_verb_and_the_headings() {
        for (instruction, expected) in [
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
            assert_eq!(describe_task(instruction), expected, "{instruction}");
            if let Some(task) = task(&sheet(), instruction) {
                assert_eq!(unused_words(&sheet(), &task, instruction), [""; 0], "{instruction}");
            }
        }
    }

    /// The answer if nothing is done.
    fn refusal(sheet: SheetFacts, instruction: &str) -> String {
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
            let answer = refusal(sheet(), instruction);
            assert!(answer.contains("do not understand") && answer.contains(word), "{instruction}: {answer}");
        }
    }

    #[test]
    fn formulas_without_values_are_not_computed_from() {
        let mut sheet = sheet();
        sheet.columns[2].kind = "empty".to_owned();
        sheet.columns[2].samples = vec!["=B2*D2".to_owned()];
        let answer = refusal(sheet, "sum Amount by Region");
        assert!(answer.contains("formulas in Amount") && answer.contains("no stored values"), "{answer}");
    }

    #[test]
    fn what_will_be_left_out_is_said_before_the_code_runs() {
        let mut sheet = sheet();
        let sum_thought = |sheet: &SheetFacts| {
            thought(sheet, &Task::Groups("sum", Some(&sheet.columns[2]), &sheet.columns[0]))
        };
        assert_eq!(sum_thought(&sheet), "Takes the sum of Amount for each Region in Sales, largest first.");
        sheet.columns[2].kind = "number, text".to_owned();
        sheet.columns[2].samples = ["10", "", "12,5", "5"].map(str::to_owned).to_vec();
        let expected =
            "Values of Amount that are not numbers, such as “12,5”, are left out; the answer names them.";
        assert!(sum_thought(&sheet).ends_with(expected), "{}", sum_thought(&sheet));
        // There are only empty and computed cells among the samples.
        sheet.columns[2].samples = ["", "=B2*2"].map(str::to_owned).to_vec();
        assert!(sum_thought(&sheet).contains("not numbers are left out"), "{}", sum_thought(&sheet));
    }

    #[test]
    fn numbers_that_are_mostly_text_are_named_and_not_converted() {
        let mut sheet = sheet();
        sheet.columns.truncate(3);
        sheet.columns[2].kind = "text, number".to_owned();
        sheet.columns[2].samples = ["12,5", "7"].map(str::to_owned).to_vec();
        for instruction in ["sum Amount by Region", "average Amount"] {
            let answer = refusal(sheet.clone(), instruction);
            assert!(answer.starts_with("Amount in Sales is mostly text, such as “12,5”."), "{answer}");
        }
        sheet.columns.remove(1);
        assert!(refusal(sheet, "sum Amount").contains("nothing was done"));
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
        let failed_run = json!({"code": args["code"], "error": "NameError: no"});
        facts["ran"].as_array_mut().unwrap().push(failed_run);
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
