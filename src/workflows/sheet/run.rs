//! Reading the workbook, and running code on it.

use super::state::{BookNow, BookRead, KeptFile, SheetWork};
use super::{MAX_BYTES, book_name};
use crate::agent::Services;
use crate::engine::graph::{Ctx, NodeError};
use crate::text::{Visible, read_error_text};
use crate::tools::cage::{self, Cell, LeftFile, Limits, Needs, Observation, Report, Saved};
use crate::tools::regular_file;
use crate::tools::workbook::WorkbookSummary;
use jiff::civil::Date;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::ErrorKind;
use std::path::Path;

/// Today, in the person's time zone.
pub(super) fn today(services: &Services) -> Date {
    services.clock.clone()().to_zoned(services.user.time_zone.clone()).date()
}

/// Stores the workbook's bytes, and describes the workbook.
pub(super) async fn read(ctx: &Ctx<Services>, state: &SheetWork) -> Result<(BookRead, BookNow), NodeError> {
    let services = ctx.services();
    let path = state.workbook.clone();
    let read = tokio::task::spawn_blocking(move || regular_file::read(Path::new(&path), MAX_BYTES));
    let bytes = read.await.map_err(NodeError::failed)?.map_err(|error| {
        NodeError::failed(match error.kind() {
            ErrorKind::FileTooLarge => format!("{} is over {} MB", state.workbook, MAX_BYTES >> 20),
            _ => format!("{} cannot be read: {}", state.workbook, read_error_text(&error)),
        })
    })?;
    let (limits, name) = (Limits::from(&services.sheet), file_name(state));
    let seen = services.reader.look(&name, None, &limits, &bytes).await.map_err(NodeError::failed)?;
    let at_first: WorkbookSummary = visible(&seen.summary)?;
    let in_cage = book_name(&name);
    let python = services.python.text(Needs::of(&in_cage)).await.map_err(no_python)?;
    let (length, is_converted) = (bytes.len() as u64, in_cage != name);
    let digest = services.records.put_blob(bytes.clone()).await?;
    let newest = if is_converted {
        let converted = services.reader.convert(&name, &limits, &bytes).await.map_err(NodeError::failed)?;
        services.records.put_blob(converted).await?
    } else {
        digest.clone()
    };
    let kept = match Needs::of(&in_cage) {
        Needs::Nothing => "values: text has no formats, formulas and charts".to_owned(),
        Needs::Openpyxl if is_converted => {
            "the values and formulas of all sheets, but no formats, widths or charts".to_owned()
        }
        Needs::Openpyxl if seen.has_parts => {
            let cell = Cell { name, workbook: bytes, limits, ..Cell::default() };
            let lost = cage::losses(&*services.python, &services.reader, &cell).await;
            kept(lost.map_err(NodeError::failed)?.as_deref())
        }
        Needs::Openpyxl => kept(Some(&[])),
    };
    let (sheets, kept) = (sheets(&at_first), vec![kept]);
    let read = BookRead { digest, bytes: length, at_first, python };
    Ok((read, BookNow { newest, sheets, kept, ..BookNow::default() }))
}

/// What a result keeps, where openpyxl leaves this out.
fn kept(lost: Option<&[String]>) -> String {
    let patched = "everything, where only values and formulas change";
    match lost {
        Some([]) => format!("{patched}; else what openpyxl keeps"),
        Some(lost) => format!("{patched}; else openpyxl leaves out {}", lost.join(", ")),
        None => format!("{patched}; openpyxl cannot read this workbook and save it again"),
    }
}

fn no_python(why: String) -> NodeError {
    NodeError::failed(format!("There is no Python for this: {why}"))
}

/// The sheets of a workbook, each with the number of its rows.
fn sheets(summary: &WorkbookSummary) -> Vec<String> {
    summary.sheets.iter().map(|sheet| format!("{} ({} rows)", sheet.name, sheet.rows)).collect()
}

fn file_name(state: &SheetWork) -> String {
    let name = Path::new(&state.workbook).file_name();
    name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Where the words of a question stand in the newest workbook.
pub(super) async fn find(
    ctx: &Ctx<Services>,
    state: &SheetWork,
    question: String,
) -> Result<Vec<String>, NodeError> {
    let services = ctx.services();
    let (name, limits) = (book_name(&file_name(state)), Limits::from(&services.sheet));
    let newest = services.records.blob(&state.book.newest)?;
    let seen = services.reader.look(&name, Some(question), &limits, &newest).await;
    visible(&seen.map_err(NodeError::failed)?.found)
}

/// Runs code on the newest workbook and the files beside it. With what it did, and what is there now.
pub(super) async fn run(
    ctx: &Ctx<Services>,
    state: &SheetWork,
    code: &str,
) -> Result<(Observation, BookNow), NodeError> {
    let services = ctx.services();
    let book = &state.book;
    let file = |kept: &KeptFile| {
        let bytes = services.records.blob(&kept.digest)?;
        Ok::<_, NodeError>(LeftFile { name: kept.name.clone(), bytes })
    };
    let cell = Cell {
        code: code.to_owned(),
        name: book_name(&file_name(state)),
        workbook: services.records.blob(&book.newest)?,
        files: book.files.iter().map(file).collect::<Result<_, _>>()?,
        formulas: book.formulas.clone(),
        limits: Limits::from(&services.sheet),
    };
    let ran = cage::run(&*services.python, &services.reader, &cell).await;
    let Report { observation, saved, files } = ran.map_err(NodeError::failed)?;
    let mut now = book.clone();
    if let Some(Saved { bytes, summary, patched, lost, formulas }) = saved {
        now.newest = services.records.put_blob(bytes).await?;
        now.sheets = sheets(&visible(&summary)?);
        now.formulas = visible(&formulas)?;
        now.changed = true;
        if !lost.is_empty() {
            now.kept = vec![format!("not all: openpyxl left out {}", lost.join(", "))];
        } else if !patched && Needs::of(&cell.name) == Needs::Openpyxl && cell.name == file_name(state) {
            now.kept =
                vec!["what openpyxl reads and writes; formulas are computed when it is opened".to_owned()];
        }
    }
    if !observation.stopped {
        now.files.clear();
        for LeftFile { name, bytes } in files {
            let (name, digest) =
                (Visible::line(&name).into_string(), services.records.put_blob(bytes).await?);
            now.files.push(KeptFile { name, digest });
        }
    }
    Ok((visible(&observation)?, now))
}

/// A workbook's data without anything a person cannot see.
fn visible<T: Serialize + DeserializeOwned>(data: &T) -> Result<T, NodeError> {
    let value = serde_json::to_value(data).map_err(NodeError::failed)?;
    serde_json::from_value(Visible::json(&value)).map_err(NodeError::failed)
}
