//! Reads what the user types, line by line; the terminal itself edits the lines.
//!
//! Promises: it reads only while an answer is wanted, so that an editor gets its keys. Text typed before the question
//! was shown answers nothing. A pasted text is one answer.

use crate::cli::failure::Failure;
use crate::text::{io_error_text, read_error_text};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{QueueSelector, tcflush};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::task::JoinHandle;

/// How soon a reader that is no longer wanted stops.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Nobody types two lines within this time; faster input was pasted.
const BURST: Duration = Duration::from_millis(40);

/// Nothing below this line of an edited file is part of the answer.
const SCISSORS: &str = "-------- 8< -------- everything from this line on is left out";

/// Input from the keyboard.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Typed {
    /// A line, or a pasted text.
    Text(String),
    /// Ctrl-D, or a terminal that is gone.
    End,
}

/// The terminal's keyboard, with one reader at a time.
#[derive(Default)]
pub(super) struct Keyboard {
    reader: Option<Reader>,
}

struct Reader {
    active: Arc<AtomicBool>,
    task: JoinHandle<io::Result<Typed>>,
}

impl Keyboard {
    /// Waits for a line or a pasted text. If the caller stops waiting, later input counts as typed ahead.
    pub(super) async fn line(&mut self) -> Result<Typed, Failure> {
        let reader = self.reader.get_or_insert_with(|| {
            let active = Arc::new(AtomicBool::new(true));
            let ours = active.clone();
            Reader { active, task: tokio::task::spawn_blocking(move || read_line(&ours)) }
        });
        let read = (&mut reader.task).await;
        self.reader = None;
        let unreadable = |why: String| Failure::failed(format!("the terminal cannot be read: {why}"));
        read.map_err(|e| unreadable(e.to_string()))?.map_err(|e| unreadable(e.to_string()))
    }

    /// Text typed before the question, and whether it ends the conversation. An unfinished line is discarded.
    pub(super) async fn typed_ahead(&mut self) -> io::Result<(String, bool)> {
        let mut text = Vec::new();
        let mut end = false;
        if let Some(reader) = self.reader.take() {
            reader.active.store(false, Ordering::SeqCst);
            match reader.task.await {
                Ok(Ok(Typed::Text(line))) => text.extend_from_slice(line.as_bytes()),
                Ok(Ok(Typed::End)) => end = true,
                Ok(Err(error)) => return Err(error),
                Err(broken) => return Err(io::Error::other(broken)),
            }
        }
        while !end && ready(Duration::ZERO)? {
            end = read_some(&mut text)? == 0;
        }
        let _ = tcflush(io::stdin(), QueueSelector::IFlush);
        Ok((String::from_utf8_lossy(&text).trim().to_owned(), end))
    }
}

/// Stops the reader, so that nothing waits for it.
impl Drop for Keyboard {
    fn drop(&mut self) {
        if let Some(reader) = &self.reader {
            reader.active.store(false, Ordering::SeqCst);
        }
    }
}

fn read_line(active: &AtomicBool) -> io::Result<Typed> {
    let mut text = Vec::new();
    while active.load(Ordering::SeqCst) {
        let ended = text.ends_with(b"\n");
        if !ready(if ended { BURST } else { POLL_INTERVAL })? {
            if ended {
                break;
            }
            continue;
        }
        if read_some(&mut text)? == 0 {
            // Ctrl-D after some text ends the line; alone it ends the conversation.
            if text.is_empty() {
                return Ok(Typed::End);
            }
            break;
        }
    }
    let text = String::from_utf8_lossy(&text);
    Ok(Typed::Text(text.trim_end_matches(['\n', '\r']).to_owned()))
}

fn ready(timeout: Duration) -> io::Result<bool> {
    let stdin = io::stdin();
    let mut fds = [PollFd::new(&stdin, PollFlags::IN)];
    let timeout = Timespec { tv_sec: 0, tv_nsec: timeout.subsec_nanos().into() };
    match poll(&mut fds, Some(&timeout)) {
        Ok(count) => Ok(count > 0),
        Err(rustix::io::Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

fn read_some(text: &mut Vec<u8>) -> io::Result<usize> {
    let mut buffer = [0; 4096];
    match rustix::io::read(io::stdin(), &mut buffer) {
        Ok(read) => {
            text.extend_from_slice(&buffer[..read]);
            Ok(read)
        }
        // The error of a terminal that was hung up.
        Err(rustix::io::Errno::IO) => Ok(0),
        Err(error) => Err(error.into()),
    }
}

/// Lets the user write in their editor, above the question. Text from an earlier attempt is still in the file.
pub(super) async fn edit_in_editor(file: &Path, question: &str) -> Result<String, String> {
    let configured = ["VISUAL", "EDITOR"].into_iter().find_map(|name| std::env::var(name).ok());
    let Some(editor) = configured.filter(|editor| !editor.trim().is_empty()) else {
        return Err("EDITOR is not set; set it to an editor, or answer right here".to_owned());
    };
    let unwritable =
        |error: io::Error| format!("{} cannot be written: {}", file.display(), io_error_text(&error));
    if !file.exists() {
        let begun = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(file);
        let text = format!("\n{SCISSORS}\n{question}\n");
        begun.and_then(|mut begun| begun.write_all(text.as_bytes())).map_err(unwritable)?;
    }
    // EDITOR may be a program with flags; the shell splits it.
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("{editor} \"$1\"")).arg("sh").arg(file);
    let ended = tokio::task::spawn_blocking(move || command.status()).await;
    match ended.map_err(|e| e.to_string())? {
        Ok(status) if status.success() => {}
        Ok(status) => return Err(format!("the editor ended with {status}; the answer was not taken")),
        Err(error) => return Err(format!("the editor cannot be started: {}", io_error_text(&error))),
    }
    let text = std::fs::read_to_string(file)
        .map_err(|error| format!("{} cannot be read: {}", file.display(), read_error_text(&error)))?;
    let above = text.split(SCISSORS).next().unwrap_or_default();
    Ok(above.trim().to_owned())
}
