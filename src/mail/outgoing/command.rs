//! Sends with a program that reads the mail from standard input: msmtp, sendmail and compatible ones.
//!
//! We run it directly, never through a shell: the words in the config, then `-i` (a line with a single dot is not the
//! end), `-f ADDRESS` (who failures are reported to; left out if the words have one), `--`, and the recipients. The
//! config refuses `-t` among the words. The mail has newlines alone, as these programs expect, and no `Bcc`. It comes
//! from an unnamed file and not through a pipe, so that a program whose parent dies still reads all of it and never
//! sends half a mail.
//!
//! | exit code | the mail |
//! | --- | --- |
//! | 0 | was accepted |
//! | 75 (try later), 71 (system error), 126 and 127 (cannot run), or it could not be started | was not sent |
//! | 64 to 69, 72, 73, 77, 78 (usage, data, addresses, service, files, permission, configuration) | was refused |
//! | anything else: a signal, our timeout, a cut connection (74, 76), codes without a meaning | may have been sent |

use super::envelope::{Envelope, without_bcc};
use crate::mail::copies::Copies;
use crate::mail::maildir::{blocking, ids, newlines};
use crate::mail::{BoxFuture, MailError, Outgoing, SendError, Sent, SentLookup};
use crate::text::{Visible, io_error_text};
use std::fs::File;
use std::io::{self, Seek, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::process::{ChildStderr, Command};

/// How long a program may run; a large mail takes a while on a slow line.
const PATIENCE: Duration = Duration::from_secs(300);
/// How long we wait for its last error output after it has ended.
const OUTPUT_GRACE: Duration = Duration::from_secs(1);
/// How much of its error output is kept.
const COMPLAINT: usize = 4 << 10;

/// A program that sends mail.
pub struct Program {
    words: Vec<String>,
    copies: Copies,
    patience: Duration,
}

impl Program {
    /// The program with these words.
    pub fn new(words: Vec<String>, copies: Copies) -> Self {
        Self { words, copies, patience: PATIENCE }
    }

    /// The same with another timeout.
    pub fn with_timeout(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// Its name without the arguments, which may contain a secret.
    fn name(&self) -> String {
        let path = Path::new(self.words.first().map_or("", String::as_str));
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
        Visible::line(&name).into_string()
    }

    fn command(&self, envelope: &Envelope) -> Command {
        let mut words = self.words.iter();
        let mut command = Command::new(words.next().map_or("", String::as_str));
        command.args(words).arg("-i");
        if !self.words.iter().any(|word| names_sender(word)) {
            command.arg("-f").arg(&envelope.from);
        }
        command.arg("--").args(&envelope.to);
        // Its own process group, so that we can stop it together with everything it started.
        command.stdout(Stdio::null()).stderr(Stdio::piped()).process_group(0);
        command
    }

    async fn run(&self, raw: &[u8], envelope: &Envelope) -> Result<(), SendError> {
        let name = self.name();
        let mail = newlines(&without_bcc(raw));
        let input = tokio::task::spawn_blocking(move || unnamed_file(&mail)).await;
        let input = input.map_err(io::Error::other).and_then(|input| input);
        let input = input.map_err(|e| {
            SendError::NotSent(format!("cannot hand the mail to {name}: {}", io_error_text(&e)))
        })?;
        let mut child = self.command(envelope).stdin(input).spawn().map_err(|error| {
            SendError::NotSent(format!(
                "cannot run {name}: {}; check outgoing.command",
                io_error_text(&error)
            ))
        })?;
        let stderr_output = Arc::<Mutex<Vec<u8>>>::default();
        let collector =
            child.stderr.take().map(|stderr| tokio::spawn(collect_output(stderr, stderr_output.clone())));
        let exit = match tokio::time::timeout(self.patience, child.wait()).await {
            Ok(exit) => exit.map_err(|error| io_error_text(&error)),
            Err(_) => {
                kill_group(&child);
                let _ = child.wait().await;
                Err(format!("it did not end within {} seconds and was stopped", self.patience.as_secs()))
            }
        };
        if let Some(collector) = collector {
            // A background process may keep its error output open for ever.
            let _ = tokio::time::timeout(OUTPUT_GRACE, collector).await;
        }
        let stderr_output = stderr_output.lock().unwrap_or_else(PoisonError::into_inner).clone();
        send_result(&name, exit, &stderr_output)
    }
}

/// Whether a word sets the sender.
fn names_sender(word: &str) -> bool {
    let is_long_option = word == "--from" || word.starts_with("--from=") || word == "--read-envelope-from";
    is_long_option || word == "-r" || (word.starts_with("-f") && !word.starts_with("--"))
}

/// The mail in an unnamed file, ready to be read from the beginning.
fn unnamed_file(mail: &[u8]) -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    file.write_all(mail)?;
    file.rewind()?;
    Ok(file)
}

/// Keeps the beginning of the error output and discards the rest.
async fn collect_output(mut stderr: ChildStderr, output: Arc<Mutex<Vec<u8>>>) {
    let mut piece = [0; 1024];
    while let Ok(n @ 1..) = stderr.read(&mut piece).await {
        let mut output = output.lock().unwrap_or_else(PoisonError::into_inner);
        let room = COMPLAINT - output.len();
        output.extend(&piece[..n.min(room)]);
    }
}

/// Ends the program and everything it started.
fn kill_group(child: &tokio::process::Child) {
    let group = child.id().and_then(|id| i32::try_from(id).ok()).and_then(rustix::process::Pid::from_raw);
    if let Some(group) = group {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
}

/// Turns the exit status into a result.
fn send_result(name: &str, exit: Result<ExitStatus, String>, stderr: &[u8]) -> Result<(), SendError> {
    let stderr = String::from_utf8_lossy(stderr);
    let stderr = Visible::line(stderr.trim()).into_string();
    let stderr: String = stderr.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(300).collect();
    let detail = if stderr.is_empty() { String::new() } else { format!("; it said: {stderr}") };
    let status = match exit {
        Ok(status) => status,
        Err(why) => return Err(SendError::Unknown(format!("{name} may have sent the mail: {why}{detail}"))),
    };
    match status.code() {
        Some(0) => Ok(()),
        Some(75 | 71 | 126 | 127) => Err(SendError::NotSent(format!("{name} did not send it now{detail}"))),
        Some(64..=69 | 72 | 73 | 77 | 78) => {
            Err(SendError::Refused(format!("{name} refused the mail{detail}")))
        }
        Some(code) => {
            let text =
                format!("{name} ended with code {code}, so the mail may have been sent or not{detail}");
            Err(SendError::Unknown(text))
        }
        None => {
            let signal = status.signal().unwrap_or_default();
            let text =
                format!("{name} was ended by signal {signal}, so the mail may have been sent or not{detail}");
            Err(SendError::Unknown(text))
        }
    }
}

impl Outgoing for Program {
    fn send<'a>(&'a self, raw: &'a [u8]) -> BoxFuture<'a, Result<Sent, SendError>> {
        Box::pin(async move {
            let envelope = Envelope::of(raw)?;
            self.run(raw, &envelope).await?;
            let place = self.copies.store(raw, &envelope.message_id).await;
            Ok(Sent { message_id: envelope.message_id, place, refused: Vec::new() })
        })
    }

    fn find<'a>(&'a self, raw: &'a [u8]) -> BoxFuture<'a, SentLookup> {
        Box::pin(async move {
            let message_id = ids(raw).message_id.unwrap_or_default();
            self.copies.find(raw, &message_id, &self.name()).await
        })
    }

    fn check(&self) -> BoxFuture<'_, Result<String, MailError>> {
        let (name, program) = (self.name(), self.words.first().cloned().unwrap_or_default());
        Box::pin(async move {
            if !blocking(move || Ok(is_there(&program))).await? {
                let text = format!("there is no program {name}; install it or change outgoing.command");
                return Err(MailError::Permanent(text));
            }
            Ok(format!("mail is given to {name}{}", self.copies.check().await?))
        })
    }
}

/// Whether this program exists and is executable.
fn is_there(program: &str) -> bool {
    let is_executable = |path: &Path| {
        path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
    };
    if program.contains('/') {
        return is_executable(Path::new(program));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| is_executable(&folder.join(program)))
}
