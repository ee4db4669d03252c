//! Attachments of a thread's mails: lists them, saves them, and opens them with the system's program. Files that can
//! run programs are never opened, and are saved only after a confirmation.

use super::mail::Mail;
use crate::engine::graph::ThreadId;
use crate::inbox::InboxError;
use crate::mail::{self, risk};
use crate::text::atomic_write::{create_private, keep_copy};
use crate::text::{digest_from_hex, io_error_text};
use crate::workflows::email::Email;
use serde::Serialize;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};

/// How many files with the same name we save next to each other.
const MAX_SAME_NAME: usize = 100;

/// An attachment of a thread's mail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AttachedFile {
    /// Counts from 1.
    pub n: usize,
    /// A name that is safe as a file name.
    pub name: String,
    /// The media type that the mail claims.
    pub kind: String,
    pub bytes: u64,
    /// Whether opening it can run programs.
    pub program: bool,
    pub from: String,
    #[serde(skip)]
    raw: String,
    #[serde(skip)]
    digest: String,
}

/// What to do with a file that can run programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Programs {
    Refuse,
    /// The person was warned and still wants it.
    Save,
}

impl Mail<'_> {
    /// The attachments of a thread's mails, oldest mail first.
    pub async fn attachments(self, thread: ThreadId) -> Result<Vec<AttachedFile>, InboxError> {
        self.0.blocking(move |inbox| Mail(inbox).list_attachments(&thread)).await
    }

    /// Saves an attachment in a folder without overwriting anything, and returns the path.
    pub async fn save_attachment(
        self,
        thread: ThreadId,
        n: usize,
        folder: PathBuf,
        programs: Programs,
    ) -> Result<PathBuf, InboxError> {
        self.0
            .blocking(move |inbox| {
                let (file, content) = Mail(inbox).read_attachment(&thread, n)?;
                if file.program && programs == Programs::Refuse {
                    return Err(InboxError::RunsPrograms(file.name));
                }
                write_under_free_name(&folder, &file.name, |path| create_private(path, &content))
            })
            .await
    }

    /// Opens a copy of an attachment with the system's program. There is one copy, however often it is opened, unless
    /// somebody changes it; then it stays, and a new one is opened.
    pub async fn open_attachment(self, thread: ThreadId, n: usize) -> Result<PathBuf, InboxError> {
        self.0
            .blocking(move |inbox| {
                let (file, content) = Mail(inbox).read_attachment(&thread, n)?;
                if file.program {
                    let text = format!("{} can run programs, so it is not opened from here", file.name);
                    return Err(InboxError::Conflict(text));
                }
                let folder = Mail(inbox).opened_copies().join(&file.digest);
                let path = write_under_free_name(&folder, &file.name, |path| keep_copy(path, &content))?;
                let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
                start(program, &path).map_err(|error| {
                    InboxError::Failed(format!(
                        "{program} cannot be started: {}; save the file instead",
                        io_error_text(&error)
                    ))
                })?;
                Ok(path)
            })
            .await
    }

    /// The folder with the copies that were opened, by digest. Pruning deletes old ones.
    pub(super) fn opened_copies(self) -> PathBuf {
        self.0.store().folder().join("opened")
    }

    fn list_attachments(self, thread: &ThreadId) -> Result<Vec<AttachedFile>, InboxError> {
        let Some(email) = self.0.engine.state_of::<Email>(thread, None)? else {
            return Err(InboxError::Conflict(format!(
                "`{thread}` is not about a mail, so nothing is attached"
            )));
        };
        let mut files = Vec::new();
        for input in &email.email_input {
            let raw = self.raw(&input.raw)?;
            let mail = mail::parse(&raw).map_err(|error| InboxError::Failed(error.to_string()))?;
            for file in mail.attachments {
                files.push(AttachedFile {
                    n: files.len() + 1,
                    program: risk::is_program(&file.name, &file.kind),
                    name: file.name,
                    kind: file.kind,
                    bytes: file.bytes,
                    from: mail.from.address.clone(),
                    raw: input.raw.clone(),
                    digest: file.digest,
                });
            }
        }
        Ok(files)
    }

    /// The bytes of a mail, by digest.
    pub(super) fn raw(self, digest: &str) -> Result<Vec<u8>, InboxError> {
        let digest = digest_from_hex(digest);
        let digest =
            digest.ok_or_else(|| InboxError::Failed("the mail has no digest that can be read".to_owned()))?;
        self.0.store().blob(&digest)
    }

    fn read_attachment(self, thread: &ThreadId, n: usize) -> Result<(AttachedFile, Vec<u8>), InboxError> {
        let mut all = self.list_attachments(thread)?;
        let many = all.len();
        let Some(at) = all.iter().position(|file| file.n == n) else {
            return Err(InboxError::Conflict(format!("there is no attachment {n}; there are {many}")));
        };
        let file = all.swap_remove(at);
        let raw = self.raw(&file.raw)?;
        let content = mail::attachment(&raw, &file.digest);
        let content = content.ok_or_else(|| InboxError::Failed(format!("{} cannot be read", file.name)))?;
        Ok((file, content))
    }
}

/// Writes a file, with another name if the first is taken.
fn write_under_free_name(
    folder: &Path,
    name: &str,
    write: impl Fn(&Path) -> io::Result<()>,
) -> Result<PathBuf, InboxError> {
    let (stem, ending) = match name.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() => (stem, format!(".{ending}")),
        _ => (name, String::new()),
    };
    for n in 1..=MAX_SAME_NAME {
        let name = if n == 1 { name.to_owned() } else { format!("{stem} ({n}){ending}") };
        let path = folder.join(name);
        match write(&path) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(failed(&error)),
        }
    }
    Err(InboxError::Failed(format!("there are already {MAX_SAME_NAME} files called {name}")))
}

fn failed(error: &io::Error) -> InboxError {
    InboxError::Failed(format!("the attachment cannot be written: {}", io_error_text(error)))
}

/// Starts a program on a file. A thread waits for its end, or it would stay a zombie until ours.
fn start(program: &str, path: &Path) -> io::Result<JoinHandle<io::Result<ExitStatus>>> {
    let quiet = || Stdio::null();
    let mut child = Command::new(program).arg(path).stdin(quiet()).stdout(quiet()).stderr(quiet()).spawn()?;
    Ok(thread::spawn(move || child.wait()))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_copy_that_somebody_changed_stays_and_a_new_one_is_opened() {
        let folder = tempfile::tempdir().unwrap();
        let opened =
            || write_under_free_name(folder.path(), "a.pdf", |path| keep_copy(path, b"one")).unwrap();
        let first = opened();
        assert_eq!(opened(), first);
        fs::remove_file(&first).unwrap();
        fs::write(&first, "changed").unwrap();
        let second = opened();
        assert_eq!(second.file_name().unwrap(), "a (2).pdf");
        assert_eq!(opened(), second);
        assert_eq!(fs::read(&first).unwrap(), b"changed");
    }

    #[test]
    fn a_program_that_ended_leaves_no_zombie() {
        let children = || fs::read_to_string("/proc/thread-self/children").unwrap_or_default();
        assert!(start("true", Path::new("x.pdf")).unwrap().join().unwrap().unwrap().success());
        assert!(children().is_empty(), "{}", children());
        assert!(start("/no/such/program", Path::new("x.pdf")).is_err());
    }
}
