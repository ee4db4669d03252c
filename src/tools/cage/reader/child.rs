//! The child: hardens itself, reads its task, does it, answers, ends.

use super::{Answer, Compared, Job, Seen, Task, harden};
use crate::tools::cage::Change;
use crate::tools::workbook::{self, Book, CellPos, WorkbookError, WorkbookSummary};
use std::collections::BTreeSet;
use std::io::{self, Read, Write};
use std::process::ExitCode;

/// Exit code if the child could not harden itself; the reason is on stdout.
pub(super) const NOT_HARDENED: i32 = 77;
/// The longest task.
const MAX_TASK: u64 = 1 << 20;
/// The most bytes that come with it: three workbooks.
const MAX_BYTES: u64 = 768 << 20;
/// How many changed cells and formulas are listed one by one.
const MAX_LISTED: usize = 50;
const MAX_FORMULAS: usize = 20;

/// Everything the child does. Called before any other part of the program runs, so that there is one thread.
pub fn main() -> ExitCode {
    let (mut stdin, mut stdout) = (io::stdin().lock(), io::stdout().lock());
    let hardened = read_task(&mut stdin).and_then(|task| {
        let layers = harden::harden(task.memory).map_err(|why| why.to_string())?;
        Ok((task.job, layers))
    });
    let (job, layers) = match hardened {
        Ok(hardened) => hardened,
        Err(why) => {
            let _ = stdout.write_all(why.as_bytes());
            return ExitCode::from(u8::try_from(NOT_HARDENED).unwrap_or(1));
        }
    };
    let mut bytes = Vec::new();
    let done = match stdin.take(MAX_BYTES + 1).read_to_end(&mut bytes) {
        Ok(read) if read as u64 > MAX_BYTES => {
            Err(WorkbookError::TooLarge(format!("over {} MB", MAX_BYTES >> 20)))
        }
        Ok(_) => work(&job, &bytes, layers),
        Err(error) => Err(WorkbookError::Broken(error.to_string())),
    };
    let (answer, written) =
        done.unwrap_or_else(|error| (Answer::Refused(error.about(name(&job))), Vec::new()));
    let Ok(answer) = serde_json::to_vec(&answer) else { return ExitCode::FAILURE };
    let sent = stdout
        .write_all(&(answer.len() as u64).to_le_bytes())
        .and_then(|()| stdout.write_all(&answer))
        .and_then(|()| stdout.write_all(&written))
        .and_then(|()| stdout.flush());
    ExitCode::from(u8::from(sent.is_err()))
}

fn read_task(stdin: &mut impl Read) -> Result<Task, String> {
    let mut length = [0; 8];
    stdin.read_exact(&mut length).map_err(|e| e.to_string())?;
    let length = u64::from_le_bytes(length);
    if length > MAX_TASK {
        return Err("the task is too long".to_owned());
    }
    let mut task = Vec::new();
    stdin.take(length).read_to_end(&mut task).map_err(|e| e.to_string())?;
    serde_json::from_slice(&task).map_err(|e| e.to_string())
}

fn name(job: &Job) -> &str {
    match job {
        Job::Look { name, .. } | Job::Convert { name } | Job::Compare { name, .. } => name,
        Job::Check => "",
    }
}

fn work(job: &Job, bytes: &[u8], layers: harden::Layers) -> Result<(Answer, Vec<u8>), WorkbookError> {
    let answer = match job {
        Job::Look { name, rows, question } => {
            let book = workbook::open(name, bytes)?;
            if let Some(sheet) = book.sheets.iter().find(|sheet| sheet.rows.len() > *rows) {
                let (name, has) = (&sheet.name, sheet.rows.len());
                let text = format!("`{name}` has {has} rows, and sheet.max_rows in the config says {rows}");
                return Err(WorkbookError::TooLarge(text));
            }
            let found = question.as_deref().map(|words| workbook::find(&book, words)).unwrap_or_default();
            let has_parts = workbook::has_parts(bytes);
            Answer::Seen(Seen { summary: WorkbookSummary::of(&book), has_parts, found })
        }
        Job::Convert { name } => {
            let book = workbook::open(name, bytes)?;
            return Ok((Answer::Converted, workbook::convert(&book)?));
        }
        Job::Compare { name, lengths, formulas } => {
            let (before, rest) = cut(bytes, lengths.0);
            let (after, plain) = cut(rest, lengths.1);
            let (compared, patched) = compare(name, [before, after, plain], formulas)?;
            return Ok((Answer::Compared(compared), patched));
        }
        Job::Check => Answer::Checked(layers, escapes()),
    };
    Ok((answer, Vec::new()))
}

/// A part of this length, and what follows it.
fn cut(bytes: &[u8], length: u64) -> (&[u8], &[u8]) {
    bytes.split_at(usize::try_from(length).unwrap_or(usize::MAX).min(bytes.len()))
}

fn compare(
    name: &str,
    [before, after, plain]: [&[u8]; 3],
    formulas: &[String],
) -> Result<(Compared, Vec<u8>), WorkbookError> {
    // Code could have changed `plain`. Then it is trusted only where the result is made of what is shown.
    let patched = !plain.is_empty() && workbook::is_same_form(plain, after);
    let was = workbook::open(name, if patched { plain } else { before })?;
    let now = workbook::open(name, after)?;
    let mut differences = workbook::compare(&was, &now, MAX_LISTED);
    if !patched && !plain.is_empty() {
        differences.layout.extend(beside_values(plain, after, &differences));
    }
    let change = |(sheet, at, before, after): (String, CellPos, String, String)| Change {
        sheet,
        cell: at.to_string(),
        before: clip(before),
        after: clip(after),
    };
    let compared = Compared {
        summary: WorkbookSummary::of(&now),
        changes: differences.cells.into_iter().map(change).collect(),
        changed: differences.count,
        added: differences.added,
        layout: differences.layout,
        patched,
        lost: if patched { Vec::new() } else { workbook::lost(before, after) },
        formulas: written(formulas, &was, &now),
    };
    let bytes = if patched { workbook::patch(before, &was, &now)? } else { Vec::new() };
    Ok((compared, bytes))
}

/// What code did to a workbook beside its values, in words.
fn beside_values(plain: &[u8], after: &[u8], differences: &workbook::Differences) -> Option<String> {
    let gained = workbook::gained(plain, after);
    if !gained.is_empty() {
        return Some(format!("Added to the workbook: {}.", gained.join(", ")));
    }
    let explained = !differences.added.is_empty() || !differences.layout.is_empty();
    (!explained).then(|| "Formats, widths or other parts of the workbook changed.".to_owned())
}

/// The first formulas that code wrote: those of earlier cells that are still there, and new ones.
fn written(earlier: &[String], was: &Book, now: &Book) -> Vec<String> {
    let all = |book: &Book| {
        let lines = book.sheets.iter().flat_map(|sheet| {
            let line = |(at, text): (&CellPos, &String)| format!("{}!{at} ={text}", sheet.name);
            sheet.formulas.iter().map(line).collect::<Vec<_>>()
        });
        lines.collect::<BTreeSet<String>>()
    };
    let (old, new) = (all(was), all(now));
    let kept = earlier.iter().filter(|line| new.contains(*line)).cloned();
    kept.chain(new.difference(&old).cloned()).take(MAX_FORMULAS).collect()
}

fn clip(mut text: String) -> String {
    if text.len() > 200 {
        text.truncate(text.floor_char_boundary(200));
        text.push('…');
    }
    text
}

/// Forbidden things this process can still do: asks the system directly.
fn escapes() -> Vec<String> {
    let mut possible = Vec::new();
    if std::fs::File::open("/").is_ok() || std::fs::File::open("/proc/self/environ").is_ok() {
        possible.push("open a file".to_owned());
    }
    if std::net::UdpSocket::bind("127.0.0.1:0").is_ok() {
        possible.push("use the network".to_owned());
    }
    if std::process::Command::new("/bin/true").spawn().is_ok() {
        possible.push("start a program".to_owned());
    }
    possible
}
