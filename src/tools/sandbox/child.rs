//! The child: hardens itself, reads its job, does it, reports, ends.

use super::host::Host;
use super::pipes::{RAN, RUNNING};
use super::python::Python;
use super::{Change, Job, MAX_LISTED, Observation, Report, Work, harden};
use crate::tools::workbook::{self, Book, WorkbookError, WorkbookSummary};
use std::io::{self, Read, Write};
use std::process::ExitCode;

/// How many formulas we report.
const FORMULAS: usize = 20;

/// Exit code if the child could not harden itself; the reason is on stdout.
pub(super) const NOT_HARDENED: i32 = 77;
/// The interpreter recurses on the stack of its thread.
const STACK: usize = 256 << 20;
/// The longest job: code, not data.
const MAX_JOB: u64 = 32 << 20;
/// The largest packed workbook.
const MAX_WORKBOOK: u64 = 256 << 20;

/// Everything the child does. Called before any other part of the program runs.
pub fn main() -> ExitCode {
    // Applied this late, hardening covers only the calling thread, so the working thread does it and this one waits.
    let work = std::thread::Builder::new().stack_size(STACK).spawn(run_child);
    let code = match work.map(std::thread::JoinHandle::join) {
        Ok(Ok(code)) => code,
        Ok(Err(_)) | Err(_) => 1,
    };
    ExitCode::from(code)
}

fn run_child() -> u8 {
    let (mut stdin, mut stdout) = (io::stdin().lock(), io::stdout().lock());
    let shut_in = read_job(&mut stdin).and_then(|job| {
        let shut_in = harden::harden(job.limits.memory, job.seconds());
        shut_in.map_err(|why| why.to_string()).map(|layers| (job, layers))
    });
    let (job, layers) = match shut_in {
        Ok(shut_in) => shut_in,
        Err(why) => {
            let _ = stdout.write_all(why.as_bytes());
            return u8::try_from(NOT_HARDENED).unwrap_or(1);
        }
    };
    let mut bytes = Vec::new();
    let read = stdin.take(MAX_WORKBOOK + 1).read_to_end(&mut bytes);
    let mut is_over = false;
    let done = match read {
        Ok(read) if read as u64 > MAX_WORKBOOK => {
            Err(WorkbookError::TooLarge(format!("over {} MB", MAX_WORKBOOK >> 20)))
        }
        Ok(_) => work(&job, &bytes, &mut |mark| {
            is_over = mark == RAN;
            // If the parent is gone, writing the report will fail.
            let _ = stdout.write_all(&[mark]).and_then(|()| stdout.flush());
        }),
        Err(error) => Err(WorkbookError::Broken(error.to_string())),
    };
    let (mut report, written) = done.unwrap_or_else(|error| {
        (Report { refused: Some(error.about(&job.name)), ..Report::default() }, Vec::new())
    });
    report.layers = layers;
    let Ok(report) = serde_json::to_vec(&report) else { return 1 };
    let last_mark: &[u8] = if is_over { &[] } else { &[RAN] };
    let sent = stdout
        .write_all(last_mark)
        .and_then(|()| stdout.write_all(&(report.len() as u64).to_le_bytes()))
        .and_then(|()| stdout.write_all(&report))
        .and_then(|()| stdout.write_all(&written))
        .and_then(|()| stdout.flush());
    u8::from(sent.is_err())
}

fn read_job(stdin: &mut impl Read) -> Result<Job, String> {
    let mut length = [0; 8];
    stdin.read_exact(&mut length).map_err(|e| e.to_string())?;
    let length = u64::from_le_bytes(length);
    if length > MAX_JOB {
        return Err("the code is too long".to_owned());
    }
    let mut job = Vec::new();
    stdin.take(length).read_to_end(&mut job).map_err(|e| e.to_string())?;
    serde_json::from_slice(&job).map_err(|e| e.to_string())
}

/// Does the job, and says when each cell starts and when the last is over: outside of that, other time limits apply.
fn work(job: &Job, bytes: &[u8], say: &mut dyn FnMut(u8)) -> Result<(Report, Vec<u8>), WorkbookError> {
    if job.work == Work::Compare {
        return compare(job, bytes).map(|report| (report, Vec::new()));
    }
    let book = workbook::open(&job.name, bytes)?;
    if let Some(sheet) = book.sheets.iter().find(|sheet| sheet.rows.len() > job.limits.rows) {
        let (name, rows, most) = (&sheet.name, sheet.rows.len(), job.limits.rows);
        let text = format!("`{name}` has {rows} rows, and sheet.max_rows in the config says {most}");
        return Err(WorkbookError::TooLarge(text));
    }
    let mut report = Report { kept: workbook::preservation_notes(&book), ..Report::default() };
    let mut python = Python::new(Host::new(&job.name, book, &job.limits), &job.limits)?;
    let last = job.cells.len().saturating_sub(1);
    for (at, cell) in job.cells.iter().enumerate() {
        say(RUNNING);
        let observation = python.run(cell);
        let stopped = observation.stopped;
        if at == last || stopped {
            report.observation = Some(observation);
        }
        if stopped {
            break;
        }
    }
    say(RAN);
    let book: &Book = python.book();
    report.changed = book.changed();
    report.found = job.question.as_deref().map(|words| workbook::find(book, words)).unwrap_or_default();
    report.formulas = written_formulas(book);
    match job.work {
        Work::Check => {
            report.escaped = escapes();
            Ok((report, Vec::new()))
        }
        Work::Look | Work::Run | Work::Compare => {
            report.summary = Some(WorkbookSummary::of(book));
            Ok((report, Vec::new()))
        }
        Work::Write => {
            let written = workbook::write(book, bytes)?;
            Ok((report, written))
        }
    }
}

/// Reports the differences in a workbook that somebody else wrote.
fn compare(job: &Job, bytes: &[u8]) -> Result<Report, WorkbookError> {
    let cut = |at: u64| usize::try_from(at).unwrap_or(usize::MAX).min(bytes.len());
    let first = cut(job.lengths.0);
    let second = cut(job.lengths.0.saturating_add(job.lengths.1)).max(first);
    let (original, before, after) = (&bytes[..first], &bytes[first..second], &bytes[second..]);
    let (was, now) = (workbook::open(&job.name, before)?, workbook::open(&job.name, after)?);
    let differences = workbook::compare(&was, &now, MAX_LISTED);
    let change = |(sheet, at, before, after): (String, workbook::CellPos, String, String)| {
        let clip = |text: String| super::values::clip(text, 200);
        Change { sheet, cell: at.to_string(), before: clip(before), after: clip(after) }
    };
    let observation = Observation {
        changes: differences.cells.into_iter().map(change).collect(),
        changed: differences.count,
        added: differences.added,
        layout: differences.layout,
        ..Observation::default()
    };
    let lost = workbook::lost(original, after);
    let unchanged = if original == after {
        "everything: nothing was saved yet".to_owned()
    } else if lost.is_empty() {
        "what openpyxl reads and writes; formulas are computed when the result is opened".to_owned()
    } else {
        format!("not all: openpyxl left out {}", lost.join(", "))
    };
    Ok(Report {
        summary: Some(WorkbookSummary::of(&now)),
        observation: Some(observation),
        found: job.question.as_deref().map(|words| workbook::find(&now, words)).unwrap_or_default(),
        kept: vec![unchanged],
        formulas: new_formulas(&workbook::open(&job.name, original)?, &now),
        ..Report::default()
    })
}

/// The first formulas that were not there before.
fn new_formulas(before: &Book, after: &Book) -> Vec<String> {
    let old = |name: &str, at: &workbook::CellPos| {
        let sheet = before.sheets.iter().find(|sheet| sheet.name == name);
        sheet.and_then(|sheet| sheet.formulas.get(at)).cloned()
    };
    let all =
        after.sheets.iter().flat_map(|sheet| sheet.formulas.iter().map(move |(at, text)| (sheet, at, text)));
    let new = all.filter(|(sheet, at, text)| old(&sheet.name, at).as_ref() != Some(text));
    new.map(|(sheet, at, text)| format!("{}!{at} ={text}", sheet.name)).take(FORMULAS).collect()
}

/// Forbidden things this process can still do: asks the system directly, bypassing the interpreter.
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

/// The first formulas that were written and have no value yet.
fn written_formulas(book: &Book) -> Vec<String> {
    let new = book.sheets.iter().flat_map(|sheet| {
        // A formula that was only formatted keeps the value its own program computed.
        let written = sheet
            .formulas
            .iter()
            .filter(|(at, _)| sheet.touched.contains(at) && *sheet.value(**at) == workbook::Value::Empty);
        written.map(|(at, text)| format!("{}!{at} ={text}", sheet.name))
    });
    new.take(FORMULAS).collect()
}
