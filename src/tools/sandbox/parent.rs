//! The parent's side: starts the child, gives it the job, reads its report, and kills it when it overstays.

use super::pipes::{
    SandboxTimeouts, TimedOut, after_marks, read_output, spawn_alone, split_first, write_input,
};
use super::{Job, Layers, Limits, Report, VERB, Work};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::process::Command;

/// How long the child may take to read the workbook, and again to write it.
const MARGIN: Duration = Duration::from_secs(90);
/// How long past its limit the code runs before the child is killed: some things cannot be stopped from within.
const GRACE: Duration = Duration::from_secs(5);
/// The largest report or written workbook, in bytes.
const MAX_BYTES: u64 = 512 << 20;

#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// The child did not start, or could not harden itself.
    #[error("the sandbox is not available: {0}. Nothing was run")]
    Unavailable(String),
    #[error("{0}")]
    Workbook(String),
}

/// Runs jobs in child processes of the program.
#[derive(Clone, Debug)]
pub struct Sandbox {
    program: PathBuf,
}

/// How a child ended without a report.
enum Died {
    Memory,
    Time,
    Reading,
    /// Not by us: by the system, which does so when the machine has no memory left, or by hand.
    Killed,
    Otherwise(String),
}

impl Sandbox {
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

    /// Has a child do a job on a workbook. A cell that breaks the child is an observation, not an error.
    pub async fn run(&self, job: &Job, workbook: &[u8]) -> Result<(Report, Vec<u8>), SandboxError> {
        let died = match self.child(job, workbook).await {
            Ok(Ok((report, bytes))) => {
                return match report.refused {
                    Some(text) => Err(SandboxError::Workbook(text)),
                    None => Ok((report, bytes)),
                };
            }
            Ok(Err(died)) => died,
            Err(error) => return Err(SandboxError::Unavailable(error.to_string())),
        };
        let text = match died {
            Died::Memory => {
                format!("It needed more memory than the {} MB it may have.", job.limits.memory >> 20)
            }
            Died::Time => format!("It was stopped after {} seconds.", job.limits.seconds),
            Died::Reading => format!("Reading or writing it took more than {} seconds.", MARGIN.as_secs()),
            Died::Killed => {
                "The system stopped it, probably because this machine ran out of memory.".to_owned()
            }
            Died::Otherwise(text) => format!("It broke the interpreter ({text})."),
        };
        if job.cells.is_empty() {
            return Err(SandboxError::Workbook(format!("{} cannot be read. {text}", job.name)));
        }
        Ok((Report::stopped(text), Vec::new()))
    }

    /// Checks whether code can run here in a hardened child; returns the layers, or why not.
    pub async fn check(&self) -> Result<Layers, SandboxError> {
        let cells = vec!["1 + 1".to_owned()];
        let job = Job {
            name: "check.csv".to_owned(),
            work: Work::Check,
            cells,
            limits: Limits { seconds: 5, ..Limits::default() },
            ..Job::default()
        };
        let (report, _) = self.run(&job, b"a\n1\n").await?;
        let observation = report.observation.unwrap_or_default();
        if observation.value.as_deref() != Some("2") {
            let why = observation.error.unwrap_or_else(|| "1 + 1 is not 2 in it".to_owned());
            return Err(SandboxError::Unavailable(why));
        }
        if !report.escaped.is_empty() {
            let text = format!("a child that was shut in could still {}", report.escaped.join(", "));
            return Err(SandboxError::Unavailable(text));
        }
        Ok(report.layers)
    }

    async fn child(&self, job: &Job, workbook: &[u8]) -> std::io::Result<Result<(Report, Vec<u8>), Died>> {
        let mut child = spawn_alone(Command::new(&self.program).arg(VERB))?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(std::io::Error::other("it has no pipes"));
        };
        let code = Duration::from_secs(job.limits.seconds) + GRACE;
        let cells = job.cells.len();
        let patience = SandboxTimeouts { cells, code, margin: MARGIN };
        let job = serde_json::to_vec(job)?;
        // A child that overstays is dropped with both pipes, and killed.
        let output = tokio::select! {
            output = read_output(stdout.take(MAX_BYTES), patience) => output?,
            output = async { write_input(stdin, &job, workbook).await; std::future::pending().await } => output,
        };
        let output = match output {
            Ok(output) => output,
            Err(TimedOut::Code) => return Ok(Err(Died::Time)),
            Err(TimedOut::Margin) => return Ok(Err(Died::Reading)),
        };
        let status = child.wait().await?;
        if status.success() {
            return unpack(&output, cells)
                .ok_or_else(|| std::io::Error::other("its report cannot be read"))
                .map(Ok);
        }
        if status.code() == Some(super::child::NOT_HARDENED) {
            let why = String::from_utf8_lossy(&output).into_owned();
            return Err(std::io::Error::other(why));
        }
        if status.code() == Some(monty_types::OOM_EXIT_CODE) {
            return Ok(Err(Died::Memory));
        }
        Ok(Err(killed(status)))
    }
}

fn killed(status: std::process::ExitStatus) -> Died {
    use std::os::unix::process::ExitStatusExt;
    match status.signal() {
        Some(signal) if signal == rustix::process::Signal::XCPU.as_raw() => Died::Time,
        Some(signal) if signal == rustix::process::Signal::KILL.as_raw() => Died::Killed,
        Some(signal) => Died::Otherwise(format!("signal {signal}")),
        None => Died::Otherwise(status.to_string()),
    }
}

/// Splits a report, after its marks, from what follows it.
fn unpack(bytes: &[u8], cells: usize) -> Option<(Report, Vec<u8>)> {
    let (report, rest) = split_first(after_marks(bytes, cells)?)?;
    Some((serde_json::from_slice(report).ok()?, rest.to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::process::Signal;
    use std::os::unix::process::ExitStatusExt;

    #[test]
    fn only_the_limit_on_time_is_called_time() {
        let ended = |signal: Signal| killed(std::process::ExitStatus::from_raw(signal.as_raw()));
        assert!(matches!(ended(Signal::XCPU), Died::Time));
        assert!(matches!(ended(Signal::KILL), Died::Killed));
        assert!(matches!(ended(Signal::SEGV), Died::Otherwise(_)));
    }
}
