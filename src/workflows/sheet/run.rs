//! Reading the workbook, and running code on it.

use super::state::{BookNow, BookRead, PythonUsed, SheetWork};
use super::{DIFFERS, MAX_BYTES};
use crate::agent::Services;
use crate::engine::graph::{Allow, Ctx, Interrupt, Kind, Labels, NodeError};
use crate::inbox::proposal;
use crate::text::{Visible, read_error_text, short_line};
use crate::tools::regular_file;
use crate::tools::sandbox::{Job, Limits, Report, Work};
use jiff::civil::Date;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;
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
    let job = job(services, state, Work::Look, None, None);
    let (report, _) = services.sandbox.run(&job, &bytes).await.map_err(NodeError::failed)?;
    let Report { summary, kept, .. } = visible(&report)?;
    let (length, python) = (bytes.len() as u64, python(services).await);
    let digest = services.records.put_blob(bytes).await?;
    let kept = match &python {
        Some(used) if used.program.is_some() => {
            vec!["what openpyxl keeps; what it leaves out is said here once it has saved".to_owned()]
        }
        _ => kept,
    };
    let summary = Some(summary.unwrap_or_default());
    let read = BookRead { digest, bytes: length, python, day: today(services).to_string() };
    Ok((read, BookNow { summary, kept, ..BookNow::default() }))
}

/// The Python that new work uses.
async fn python(services: &Services) -> Option<PythonUsed> {
    match services.pythons.get().await {
        Ok(cage) => {
            let interpreter = cage.interpreter();
            let program = interpreter.program.to_string_lossy().into_owned();
            Some(PythonUsed { program: Some(program), text: interpreter.text() })
        }
        Err(why) => why.map(|text| PythonUsed { program: None, text }),
    }
}

fn job(
    services: &Services,
    state: &SheetWork,
    work: Work,
    code: Option<&str>,
    question: Option<String>,
) -> Job {
    let name = Path::new(&state.workbook).file_name().map(|name| name.to_string_lossy().into_owned());
    Job {
        name: name.unwrap_or_default(),
        work,
        cells: state.codes(code),
        question,
        limits: Limits::from(&services.sheet),
        day: state.read.day.clone(),
        ..Job::default()
    }
}

pub(super) async fn run_in_sandbox(
    ctx: &Ctx<Services>,
    state: &SheetWork,
    work: Work,
    code: Option<&str>,
    question: Option<String>,
) -> Result<(Report, Vec<u8>), NodeError> {
    let services = ctx.services();
    let workbook = services.records.blob(&state.read.digest)?;
    let job = job(services, state, work, code, question);
    let program = state.read.python.as_ref().and_then(|python| python.program.as_deref());
    let (report, bytes) = match program {
        Some(program) => {
            let cage = services.pythons.reopen(Path::new(program)).await.map_err(|why| {
                NodeError::failed(format!(
                    "This work was started with {program}, which is not available now: {why}"
                ))
            })?;
            cage.run(&job, &workbook).await
        }
        None => services.sandbox.run(&job, &workbook).await,
    }
    .map_err(NodeError::failed)?;
    let mut visible_report = visible(&report)?;
    for (visible_file, file) in visible_report.files.iter_mut().zip(report.files) {
        visible_file.bytes = file.bytes;
    }
    Ok((visible_report, bytes))
}

/// A workbook's data without anything a person cannot see.
fn visible<T: Serialize + DeserializeOwned>(data: &T) -> Result<T, NodeError> {
    let value = serde_json::to_value(data).map_err(NodeError::failed)?;
    serde_json::from_value(Visible::json(&value)).map_err(NodeError::failed)
}

/// Tells the person that code gives a different result than before: what they saw then no longer holds.
pub(super) fn differing_question(state: &SheetWork, cell: usize) -> Interrupt {
    let args = json!({ "cell": cell });
    let title = format!("Piece {cell} of the code gives a different result than before");
    let mut interrupt = proposal(DIFFERS, Kind::Question, DIFFERS, &args, &title);
    interrupt.gist = short_line(&state.instruction, 160);
    interrupt.allow = Allow { edit: false, respond: false, draft: false, ..Allow::ALL };
    interrupt.labels = Labels::new("go on with the new result", "", "abandon");
    interrupt
}
