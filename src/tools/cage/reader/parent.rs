//! The parent's side: starts a child, gives it a task, reads its answer, and kills it when it overstays.

use super::child::NOT_HARDENED;
use super::{Answer, Compared, Job, Layers, Seen, Task, VERB};
use crate::tools::cage::pipes::{spawn_alone, split_first, write_input};
use crate::tools::cage::{CageError, Limits};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::process::Command;
use tokio::time::timeout;

/// How long a child may take.
const PATIENCE: Duration = Duration::from_secs(90);
/// The largest answer, in bytes.
const MAX_BYTES: u64 = 512 << 20;

/// Reads workbooks in child processes of the program.
#[derive(Clone, Debug)]
pub struct Reader {
    program: PathBuf,
}

/// How a child ended without an answer.
enum Died {
    Memory,
    Time,
    /// Not by us: by the system, which does so when the machine has no memory left, or by hand.
    Killed,
    Otherwise(String),
}

impl Reader {
    /// Uses `program` for its children, which must answer to [`VERB`].
    pub fn of(program: PathBuf) -> Self {
        Self { program }
    }

    /// Uses the running program for its children.
    pub fn of_this_program() -> Self {
        // This name means the running program even if its file was replaced meanwhile.
        if cfg!(target_os = "linux") {
            return Self::of(PathBuf::from("/proc/self/exe"));
        }
        Self::of(std::env::current_exe().unwrap_or_default())
    }

    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Describes a workbook, and looks for the words of a question in it.
    pub async fn look(
        &self,
        name: &str,
        question: Option<String>,
        limits: &Limits,
        bytes: &[u8],
    ) -> Result<Seen, CageError> {
        let job = Job::Look { name: name.to_owned(), rows: limits.rows, question };
        match self.ask(name, job, limits, &[bytes]).await? {
            (Answer::Seen(seen), _) => Ok(seen),
            other => Err(unexpected(&other.0)),
        }
    }

    /// The workbook as .xlsx.
    pub async fn convert(&self, name: &str, limits: &Limits, bytes: &[u8]) -> Result<Vec<u8>, CageError> {
        match self.ask(name, Job::Convert { name: name.to_owned() }, limits, &[bytes]).await? {
            (Answer::Converted, written) => Ok(written),
            other => Err(unexpected(&other.0)),
        }
    }

    /// Compares a workbook with what it was before, and with what its program makes of that alone; `formulas` were
    /// written by earlier code. With the workbook from before that holds the changes, if they are values and formulas.
    pub async fn compare(
        &self,
        name: &str,
        [before, after, plain]: [&[u8]; 3],
        formulas: &[String],
        limits: &Limits,
    ) -> Result<(Compared, Vec<u8>), CageError> {
        let lengths = (before.len() as u64, after.len() as u64);
        let job = Job::Compare { name: name.to_owned(), lengths, formulas: formulas.to_vec() };
        match self.ask(name, job, limits, &[before, after, plain]).await? {
            (Answer::Compared(compared), patched) => Ok((compared, patched)),
            other => Err(unexpected(&other.0)),
        }
    }

    /// Checks whether a child can be confined here; returns the layers, or why not.
    pub async fn check(&self) -> Result<Layers, CageError> {
        match self.ask("", Job::Check, &Limits::default(), &[]).await? {
            (Answer::Checked(layers, escaped), _) if escaped.is_empty() => Ok(layers),
            (Answer::Checked(_, escaped), _) => {
                let text = format!("a child that was shut in could still {}", escaped.join(", "));
                Err(CageError::Unavailable(text))
            }
            other => Err(unexpected(&other.0)),
        }
    }

    async fn ask(
        &self,
        name: &str,
        job: Job,
        limits: &Limits,
        parts: &[&[u8]],
    ) -> Result<(Answer, Vec<u8>), CageError> {
        let task = Task { memory: limits.memory, job };
        let died = match self.child(&task, parts).await {
            Ok(Ok((Answer::Refused(why), _))) => return Err(CageError::Workbook(why)),
            Ok(Ok(answered)) => return Ok(answered),
            Ok(Err(died)) => died,
            Err(error) => return Err(CageError::Unavailable(error.to_string())),
        };
        let text = match died {
            Died::Memory => format!("It needs more memory than the {} MB it may have.", limits.memory >> 20),
            Died::Time => format!("That took more than {} seconds.", PATIENCE.as_secs()),
            Died::Killed => {
                "The system stopped it, probably because this machine ran out of memory.".to_owned()
            }
            Died::Otherwise(text) => format!("It broke the reader ({text})."),
        };
        Err(CageError::Workbook(format!("{name} cannot be read. {text}")))
    }

    async fn child(&self, task: &Task, parts: &[&[u8]]) -> std::io::Result<Result<(Answer, Vec<u8>), Died>> {
        let mut child = spawn_alone(Command::new(&self.program).arg(VERB))?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(std::io::Error::other("it has no pipes"));
        };
        let task = serde_json::to_vec(task)?;
        let (mut stdout, mut output) = (stdout.take(MAX_BYTES), Vec::new());
        // A child that overstays is dropped with both pipes, and killed.
        let talk = async {
            tokio::select! {
                read = stdout.read_to_end(&mut output) => read.map(drop),
                read = async { write_input(stdin, &task, parts).await; std::future::pending().await } => read,
            }
        };
        let Ok(read) = timeout(PATIENCE, talk).await else { return Ok(Err(Died::Time)) };
        read?;
        let status = child.wait().await?;
        if status.success() {
            return unpack(&output).ok_or_else(|| std::io::Error::other("its answer cannot be read")).map(Ok);
        }
        if status.code() == Some(NOT_HARDENED) {
            return Err(std::io::Error::other(String::from_utf8_lossy(&output).into_owned()));
        }
        Ok(Err(died(status)))
    }
}

fn unexpected(answer: &Answer) -> CageError {
    CageError::Unavailable(format!("the reader answers something else: {answer:?}"))
}

fn died(status: std::process::ExitStatus) -> Died {
    use rustix::process::Signal;
    use std::os::unix::process::ExitStatusExt;
    let is = |signal: Signal| status.signal() == Some(signal.as_raw());
    match status.signal() {
        _ if is(Signal::XCPU) => Died::Time,
        _ if is(Signal::KILL) => Died::Killed,
        // Memory that cannot be had aborts.
        _ if is(Signal::ABORT) => Died::Memory,
        Some(signal) => Died::Otherwise(format!("signal {signal}")),
        None => Died::Otherwise(status.to_string()),
    }
}

/// Splits an answer from what follows it.
fn unpack(bytes: &[u8]) -> Option<(Answer, Vec<u8>)> {
    let (answer, rest) = split_first(bytes)?;
    Some((serde_json::from_slice(answer).ok()?, rest.to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::process::Signal;
    use std::os::unix::process::ExitStatusExt;

    #[test]
    fn each_end_has_its_reason() {
        let ended = |signal: Signal| died(std::process::ExitStatus::from_raw(signal.as_raw()));
        assert!(matches!(ended(Signal::XCPU), Died::Time));
        assert!(matches!(ended(Signal::KILL), Died::Killed));
        assert!(matches!(ended(Signal::ABORT), Died::Memory));
        assert!(matches!(ended(Signal::SEGV), Died::Otherwise(_)));
    }
}
