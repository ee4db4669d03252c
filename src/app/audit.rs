//! Exporting the audit to a file or a pipe, and checking exports against it.

use super::setup::Setup;
pub use crate::engine::store::AuditChecked;
use crate::engine::store::StoreError;
use crate::text::atomic_write::folder_of;
use crate::text::io_error_text;
use jiff::Timestamp;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::Path;

/// Longer lines in an export are cut here, so they do not pass the check.
const MAX_LINE_BYTES: u64 = 64 << 20;

/// Why an audit was not written or checked.
#[derive(Debug, thiserror::Error)]
pub enum AuditError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("{0} exists already; name another file")]
    Exists(String),
    #[error("{}: {}", .0, io_error_text(.1))]
    File(String, io::Error),
}

impl Setup {
    /// Writes the audit's lines to `out`, starting at `since` if given. Returns how many there were.
    pub fn export_audit(&self, since: Option<Timestamp>, out: &mut dyn Write) -> Result<u64, AuditError> {
        let mut failed = None;
        let lines = self.store.audit().export(since, &mut |line| {
            writeln!(out, "{line}").map_err(|error| {
                let kind = error.kind();
                failed = Some(error);
                kind.into()
            })
        });
        match failed {
            Some(error) => Err(AuditError::File("the audit cannot be written".to_owned(), error)),
            None => Ok(lines?),
        }
    }

    /// Writes the lines to a new file that only its owner can read, whole or not at all.
    pub fn export_audit_to(&self, since: Option<Timestamp>, path: &Path) -> Result<u64, AuditError> {
        let named = |error| AuditError::File(path.display().to_string(), error);
        if path.symlink_metadata().is_ok() {
            return Err(AuditError::Exists(path.display().to_string()));
        }
        let new = tempfile::Builder::new().prefix(".sayso-audit.").tempfile_in(folder_of(path));
        let mut out = BufWriter::new(new.map_err(named)?);
        let lines = self.export_audit(since, &mut out)?;
        let new = out.into_inner().map_err(|error| named(error.into_error()))?;
        new.as_file().sync_all().map_err(named)?;
        new.persist_noclobber(path).map_err(|error| named(error.error))?;
        Ok(lines)
    }

    pub fn check_audit(&self) -> Result<AuditChecked, StoreError> {
        self.store.audit().check_links()
    }

    /// Checks an export, by itself and against the audit.
    pub fn check_export(&self, path: &Path) -> Result<AuditChecked, AuditError> {
        let named = |error| AuditError::File(path.display().to_string(), error);
        let file = BufReader::new(File::open(path).map_err(named)?);
        Ok(self.store.audit().check_export(&mut lines(file))?)
    }
}

/// The lines of a file, none of them longer than `MAX_LINE_BYTES`.
fn lines(mut file: impl BufRead) -> impl Iterator<Item = io::Result<String>> {
    std::iter::from_fn(move || {
        let mut line = Vec::new();
        match io::Read::take(&mut file, MAX_LINE_BYTES).read_until(b'\n', &mut line) {
            Ok(0) => None,
            Ok(_) => {
                if line.last() == Some(&b'\n') {
                    line.pop();
                }
                Some(Ok(String::from_utf8_lossy(&line).into_owned()))
            }
            Err(error) => Some(Err(error)),
        }
    })
}
