//! The demo: a made-up work week in a separate folder, in which every key really works.
//!
//! Promises: only an empty folder, or one with the demo's marker, is ever written to. A reset removes what the demo and
//! sayso wrote there, and nothing else. Mails and calendar are dated this week. Its model and the web play a
//! [script](super::demo_script); everything else is real: the database is filled only by starting, driving and
//! deciding.

mod dates;
mod files;
mod threads;
mod tour;

use super::demo_script::{DEMO_MARKER, Script};
use crate::engine::store::DriverLock;
use crate::text::io_error_text;
use dates::DateFiller;
use files::{CALENDAR, CODE, CONFIG, MAILS, MailFolder, NOTES, SCRIPT, WORKBOOK};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use std::fs::{self, DirBuilder, File};
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

pub use threads::begin as begin_demo;
pub use tour::{Delivery, TourGoal, TourStep, demo_tour};

/// The marker's text once everything is there.
const MARKER_DONE: &str = "The demo of sayso lies here. `sayso demo --reset` lays it out anew.\n";
/// The marker's text before that.
const MARKER_BEGUN: &str = "The demo of sayso is being laid out here.\n";

/// Everything in the folder that belongs to the demo or to sayso.
const DEMO_ENTRIES: &[&str] = &[
    "mail",
    "notes",
    "sheets",
    "webshop",
    "calendar.ics",
    Script::FILE,
    "config.toml",
    "log",
    "driver.lock",
];

#[derive(Debug, thiserror::Error)]
pub enum DemoError {
    /// The folder holds other files.
    #[error("{0} is not empty and holds no demo; name a new folder with --data, or leave --data out")]
    Foreign(PathBuf),
    /// Another process uses it.
    #[error("process {1} has the demo in {0} open; close that first")]
    Open(PathBuf, u32),
    #[error("cannot set up the demo at {}: {}", .0.display(), io_error_text(.1))]
    Io(PathBuf, #[source] io::Error),
}

/// Lays the demo out in `folder` unless it is there already; with `reset`, always. Returns whether it did.
pub fn lay_out_demo(folder: &Path, now: Timestamp, zone: &TimeZone, reset: bool) -> Result<bool, DemoError> {
    let failed = |error| DemoError::Io(folder.to_owned(), error);
    let marker = match fs::read_to_string(folder.join(DEMO_MARKER)) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        // A file in place of the folder is not ours either.
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            return Err(DemoError::Foreign(folder.to_owned()));
        }
        Err(error) => return Err(failed(error)),
    };
    match &marker {
        Some(text) if text == MARKER_DONE && !reset => return Ok(false),
        Some(_) => clear(folder)?,
        None if !is_empty(folder).map_err(failed)? => return Err(DemoError::Foreign(folder.to_owned())),
        None => {}
    }
    write_all(folder, &DateFiller::new(now, zone)).map_err(failed)?;
    Ok(true)
}

fn is_empty(folder: &Path) -> io::Result<bool> {
    match fs::read_dir(folder) {
        Ok(mut entries) => Ok(entries.next().is_none()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
        Err(error) => Err(error),
    }
}

/// Removes the files of an earlier demo.
fn clear(folder: &Path) -> Result<(), DemoError> {
    if let Some(pid) = DriverLock::holder(folder) {
        return Err(DemoError::Open(folder.to_owned(), pid));
    }
    let failed = |error| DemoError::Io(folder.to_owned(), error);
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name();
        let is_ours =
            name.to_str().is_some_and(|name| DEMO_ENTRIES.contains(&name) || name.starts_with("sayso.db"));
        if !is_ours {
            continue;
        }
        // Removes a link itself, never its target.
        let folder = entry.file_type().map_err(failed)?.is_dir();
        if folder { fs::remove_dir_all(entry.path()) } else { fs::remove_file(entry.path()) }
            .map_err(failed)?;
    }
    Ok(())
}

fn write_all(folder: &Path, stamp: &DateFiller) -> io::Result<()> {
    // Private, like any data folder.
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    // Written first, so that an interrupted layout is recognised as ours.
    fs::write(folder.join(DEMO_MARKER), MARKER_BEGUN)?;
    let mail = folder.join("mail");
    for name in ["inbox", "sent", "drafts", "outbox"] {
        for part in ["cur", "new", "tmp"] {
            fs::create_dir_all(mail.join(name).join(part))?;
        }
    }
    for (place, name, bytes) in MAILS {
        let path = match place {
            MailFolder::New => mail.join(format!("inbox/new/{name}.demo")),
            MailFolder::Read => mail.join(format!("inbox/cur/{name}.demo:2,S")),
            MailFolder::Answered => mail.join(format!("inbox/cur/{name}.demo:2,RS")),
            MailFolder::Sent => mail.join(format!("sent/cur/{name}.demo:2,S")),
        };
        let mut file = File::create(path)?;
        file.write_all(&stamp.fill(bytes))?;
        if let Some(at) = stamp.arrived(bytes) {
            file.set_modified(at.into())?;
        }
    }
    for part in ["notes", "webshop/shop", "webshop/tests"] {
        fs::create_dir_all(folder.join(part))?;
    }
    for (name, text) in NOTES {
        fs::write(folder.join("notes").join(name), text)?;
    }
    for (name, text) in CODE {
        fs::write(folder.join("webshop").join(name), text)?;
    }
    let (name, text) = WORKBOOK;
    fs::create_dir_all(folder.join("sheets"))?;
    fs::write(folder.join("sheets").join(name), text)?;
    fs::write(folder.join("calendar.ics"), stamp.fill(CALENDAR.as_bytes()))?;
    fs::write(folder.join(Script::FILE), stamp.fill(SCRIPT.as_bytes()))?;
    fs::write(folder.join("config.toml"), CONFIG)?;
    fs::write(folder.join(DEMO_MARKER), MARKER_DONE)
}

#[cfg(test)]
mod tests;
