//! One piece of code from start to end: its folder is laid out, it runs, and what it left is read and compared.

use super::folder::Folder;
use super::observation::Observation;
use super::reader::Reader;
use super::{CageError, Limits};
use crate::tools::workbook::WorkbookSummary;
use futures_util::future::BoxFuture;

/// The largest workbook taken from a folder.
const MAX_WORKBOOK: u64 = 256 << 20;
/// The most other files that are kept, and their bytes together.
const MAX_FILES: usize = 20;
const MAX_KEPT: u64 = 64 << 20;

/// What runs code in a folder: a Python of this machine in its cage, or in tests a script.
pub trait Python: Send + Sync {
    /// Which Python it is and what it has, in words; the error says why there is none for such a workbook.
    fn text(&self, needs: Needs) -> BoxFuture<'_, Result<String, String>>;
    /// Runs code in a folder. It is over when this returns: nothing of it goes on.
    fn run<'a>(
        &'a self,
        needs: Needs,
        code: &'a str,
        folder: &'a Folder,
        limits: &'a Limits,
    ) -> BoxFuture<'a, Result<Ended, CageError>>;
}

/// What a Python must have for a workbook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Its own library is enough for text.
    Nothing,
    Openpyxl,
}

impl Needs {
    pub fn of(name: &str) -> Self {
        if name.to_lowercase().ends_with(".xlsx") { Self::Openpyxl } else { Self::Nothing }
    }
}

/// How code ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    Ran {
        stdout: String,
        value: Option<String>,
        error: Option<String>,
    },
    /// At a limit, or Python itself ended; what was printed until then.
    Stopped {
        stdout: String,
        why: String,
    },
}

/// A piece of code, and what it works on.
#[derive(Clone, Debug, Default)]
pub struct Cell {
    pub code: String,
    /// The workbook's name in the folder: .xlsx, or a text format.
    pub name: String,
    pub workbook: Vec<u8>,
    /// The files that earlier code left beside it.
    pub files: Vec<LeftFile>,
    /// Formulas that earlier code wrote.
    pub formulas: Vec<String>,
    pub limits: Limits,
}

/// A file beside the workbook.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeftFile {
    /// Its path from the folder of the workbook.
    pub name: String,
    pub bytes: Vec<u8>,
}

/// What came of it.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub observation: Observation,
    /// The workbook, if its bytes are others now.
    pub saved: Option<Saved>,
    /// All files beside it; empty if the code was stopped, since nothing of it counts then.
    pub files: Vec<LeftFile>,
}

/// A workbook that code saved.
#[derive(Clone, Debug, Default)]
pub struct Saved {
    pub bytes: Vec<u8>,
    pub summary: WorkbookSummary,
    /// Whether everything but changed values and formulas is as before.
    pub patched: bool,
    /// What the program that saved it left out.
    pub lost: Vec<String>,
    /// Formulas that code wrote and no program has computed.
    pub formulas: Vec<String>,
}

impl Report {
    fn stopped(why: impl Into<String>, stdout: String) -> Self {
        Self { observation: Observation { stdout, ..Observation::stopped(why) }, ..Self::default() }
    }
}

/// Runs a piece of code. One that breaks Python or the workbook is an observation, not an error.
pub async fn run(python: &dyn Python, reader: &Reader, cell: &Cell) -> Result<Report, CageError> {
    let folder = Folder::new().and_then(|folder| laid_out(folder, cell));
    let folder = folder.map_err(|error| CageError::Unavailable(error.to_string()))?;
    let ended = python.run(Needs::of(&cell.name), &cell.code, &folder, &cell.limits).await?;
    let mut observation = match ended {
        Ended::Stopped { stdout, why } => return Ok(Report::stopped(why, stdout)),
        Ended::Ran { stdout, value, error } => Observation { stdout, value, error, ..Observation::default() },
    };
    let after = match folder.read(&cell.name, MAX_WORKBOOK) {
        Ok(after) => after,
        Err(why) => {
            let why = format!("{} is no longer there as it should be: {why}", cell.name);
            return Ok(Report::stopped(why, observation.stdout));
        }
    };
    let mut saved = None;
    if after != cell.workbook {
        let plain = folder.read_plain(MAX_WORKBOOK);
        let all = [cell.workbook.as_slice(), &after, &plain];
        let (compared, patched) = match reader.compare(&cell.name, all, &cell.formulas, &cell.limits).await {
            Ok(compared) => compared,
            Err(CageError::Workbook(why)) => return Ok(Report::stopped(why, observation.stdout)),
            Err(error) => return Err(error),
        };
        (observation.changes, observation.changed) = (compared.changes, compared.changed);
        (observation.added, observation.layout) = (compared.added, compared.layout);
        if observation.added.is_empty() && observation.layout.is_empty() && observation.changed == 0 {
            let text = format!("{} was saved; its values and formulas are as before.", cell.name);
            observation.layout.push(text);
        }
        let bytes = if compared.patched { patched } else { after };
        let (summary, formulas) = (compared.summary, compared.formulas);
        saved = Some(Saved { bytes, summary, patched: compared.patched, lost: compared.lost, formulas });
    }
    let (files, dropped) = left_files(&folder, &cell.name);
    let is_new = |file: &&LeftFile| !cell.files.contains(file);
    observation.files = files.iter().filter(is_new).map(|file| file.name.clone()).collect();
    observation.dropped = dropped;
    Ok(Report { observation, saved, files })
}

/// What openpyxl leaves out of a workbook when it does nothing but save it; `None` if it cannot do even that.
pub async fn losses(
    python: &dyn Python,
    reader: &Reader,
    cell: &Cell,
) -> Result<Option<Vec<String>>, CageError> {
    let Cell { name, workbook, limits, .. } = cell;
    let unavailable = |error: std::io::Error| CageError::Unavailable(error.to_string());
    let folder = Folder::new().map_err(unavailable)?;
    std::fs::write(folder.work().join(name), workbook).map_err(unavailable)?;
    match python.run(Needs::Openpyxl, &save_alone(name), &folder, limits).await? {
        Ended::Ran { error: None, .. } => {}
        Ended::Ran { .. } | Ended::Stopped { .. } => return Ok(None),
    }
    let Ok(saved) = folder.read(name, MAX_WORKBOOK) else { return Ok(None) };
    let (compared, _) = reader.compare(name, [workbook, &saved, &[]], &[], limits).await?;
    Ok(Some(compared.lost))
}

/// Code that reads a workbook and saves it.
pub fn save_alone(name: &str) -> String {
    let name = serde_json::Value::from(name);
    format!("import openpyxl\nopenpyxl.load_workbook({name}).save({name})")
}

fn laid_out(folder: Folder, cell: &Cell) -> std::io::Result<Folder> {
    std::fs::write(folder.work().join(&cell.name), &cell.workbook)?;
    if Needs::of(&cell.name) == Needs::Openpyxl {
        std::fs::write(folder.before(), &cell.workbook)?;
    }
    for file in &cell.files {
        let path = folder.work().join(&file.name);
        path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
        std::fs::write(path, &file.bytes)?;
    }
    Ok(folder)
}

/// The files that code left beside the workbook, and those that are not kept, with the reason.
fn left_files(folder: &Folder, workbook: &str) -> (Vec<LeftFile>, Vec<String>) {
    let (mut files, mut dropped, mut room) = (Vec::new(), Vec::new(), MAX_KEPT);
    let names: Vec<String> = folder.names().into_iter().filter(|name| name != workbook).collect();
    for (at, name) in names.iter().enumerate() {
        if files.len() == MAX_FILES {
            dropped.push(format!("{} from {name} on: only {MAX_FILES} are kept", names.len() - at));
            break;
        }
        match folder.read(name, room) {
            Ok(bytes) => {
                room -= bytes.len() as u64;
                files.push(LeftFile { name: name.clone(), bytes });
            }
            Err(why) => dropped.push(format!("{name}: {why}")),
        }
    }
    (files, dropped)
}
