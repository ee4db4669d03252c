//! The table of what each row tried: one line whenever a test ends, and all of it after the last one.
//!
//! The rows are those of docs/safety.md. How many lines there will be is counted in these sources: each test ends with
//! one `report` or, where it cannot be tried, one `skipped`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

struct Line {
    id: String,
    what: String,
    /// `None` where it could not be tried here.
    trials: Option<usize>,
}

static LINES: Mutex<Vec<Line>> = Mutex::new(Vec::new());

/// Prints a line, and the whole table after the last one.
pub fn add(id: &str, what: &str, trials: Option<usize>) {
    match trials {
        Some(trials) => println!("{id} · {what} · {trials} trials · {trials} passes"),
        None => println!("{id} · not tried here: {what}"),
    }
    let mut lines = LINES.lock().unwrap();
    lines.push(Line { id: id.to_owned(), what: what.to_owned(), trials });
    if lines.len() == reported().len() {
        println!("\n{}", whole(&lines));
    }
}

/// A line a row: id, trials, passes, what was done, and what could not be tried.
fn whole(lines: &[Line]) -> String {
    let mut table = String::from("id  · trials · passes · what\n");
    for (id, stimulus) in rows() {
        let of_row = || lines.iter().filter(|line| line.id == id);
        let trials: usize = of_row().filter_map(|line| line.trials).sum();
        table += &format!("{id} · {trials:6} · {trials:6} · {stimulus}\n");
        for missed in of_row().filter(|line| line.trials.is_none()) {
            table += &format!("{:22}not tried here: {}\n", "", missed.what);
        }
    }
    table
}

/// The rows of the page: id and stimulus.
fn rows() -> BTreeMap<String, String> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/safety.md");
    let page = std::fs::read_to_string(page).unwrap();
    let cells = page.lines().filter_map(|line| line.strip_prefix("| ")?.split_once(" | "));
    let rows = cells.filter(|(id, _)| id.len() == 3 && id.ends_with(|c: char| c.is_ascii_digit()));
    rows.map(|(id, rest)| (id.to_owned(), rest.split(" | ").next().unwrap().to_owned())).collect()
}

/// The id of every report in these sources.
fn reported() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/promises");
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let sources = entries.filter(|path| path.extension().is_some_and(|ending| ending == "rs"));
    let call = ["report", "(\""].concat();
    let ids = |source: PathBuf| {
        let text = std::fs::read_to_string(source).unwrap();
        text.split(&call).skip(1).map(|rest| rest[..3].to_owned()).collect::<Vec<_>>()
    };
    sources.flat_map(ids).collect()
}

#[test]
fn every_row_of_the_page_is_tried() {
    let mut tried = reported();
    tried.sort();
    tried.dedup();
    assert_eq!(tried, rows().into_keys().collect::<Vec<_>>());
}
