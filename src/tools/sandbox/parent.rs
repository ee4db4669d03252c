//! The parent's side: start the child, hand it the job, take its report, and kill it when it overstays.

use super::{Job, Observation, Report, VERB};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::Command;

/// How much longer than its code the child may take, for reading and writing the workbook.
const MARGIN: Duration = Duration::from_secs(60);
/// No report, and no workbook that is written, is larger.
const MOST_BYTES: u64 = 512 << 20;

/// Why nothing was run.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// There is no child, or it could not shut itself in.
    #[error("the sandbox cannot be had: {0}. Nothing was run")]
    Unavailable(String),
    /// The workbook cannot be used.
    #[error("{0}")]
    Workbook(String),
}

/// Starts children of the program.
#[derive(Clone, Debug)]
pub struct Sandbox {
    program: PathBuf,
}

/// How a child ended that gave no report.
enum Died {
    Memory,
    Time,
    Otherwise(String),
}

impl Sandbox {
    /// A sandbox whose children are this program, which must answer to [`VERB`].
    pub fn of(program: PathBuf) -> Self {
        Self { program }
    }

    /// A sandbox whose children are the running program.
    pub fn of_this_program() -> Self {
        // By this name it is the same program even where its file was replaced meanwhile.
        if cfg!(target_os = "linux") {
            return Self::of(PathBuf::from("/proc/self/exe"));
        }
        Self::of(std::env::current_exe().unwrap_or_default())
    }

    /// Has a child do a job on a workbook. A cell that breaks the child is an observation, not an error.
    pub async fn run(&self, job: &Job, workbook: &[u8]) -> Result<(Report, Vec<u8>), SandboxError> {
        let time = Duration::from_secs(job.limits.seconds) + MARGIN;
        let done = tokio::time::timeout(time, self.child(job, workbook)).await;
        let died = match done {
            Ok(Ok(Ok((report, bytes)))) => {
                return match report.refused {
                    Some(text) => Err(SandboxError::Workbook(text)),
                    None => Ok((report, bytes)),
                };
            }
            Ok(Ok(Err(died))) => died,
            Ok(Err(error)) => return Err(SandboxError::Unavailable(error.to_string())),
            Err(_) => Died::Time,
        };
        let text = match died {
            Died::Memory => {
                format!("It needed more memory than the {} MB it may have.", job.limits.memory >> 20)
            }
            Died::Time => format!("It was stopped after {} seconds.", job.limits.seconds),
            Died::Otherwise(text) => format!("It broke the interpreter ({text})."),
        };
        if job.cells.is_empty() {
            return Err(SandboxError::Workbook(format!("the workbook cannot be read. {text}")));
        }
        let observation = Observation { error: Some(text), stopped: true, ..Observation::default() };
        Ok((Report { observation: Some(observation), ..Report::default() }, Vec::new()))
    }

    async fn child(&self, job: &Job, workbook: &[u8]) -> std::io::Result<Result<(Report, Vec<u8>), Died>> {
        let mut child = Command::new(&self.program)
            .arg(VERB)
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            // Dropped (a stop, a timeout), it is gone.
            .kill_on_drop(true)
            .spawn()?;
        let (Some(mut stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(std::io::Error::other("it has no pipes"));
        };
        let job = serde_json::to_vec(job)?;
        let say = async move {
            // A child that ends early closes the pipe; how it ended says why.
            let _ = stdin.write_all(&(job.len() as u64).to_le_bytes()).await;
            let _ = stdin.write_all(&job).await;
            let _ = stdin.write_all(workbook).await;
            let _ = stdin.shutdown().await;
        };
        let hear = async move {
            let mut bytes = Vec::new();
            stdout.take(MOST_BYTES).read_to_end(&mut bytes).await.map(|_| bytes)
        };
        let ((), heard) = tokio::join!(say, hear);
        let heard = heard?;
        let status = child.wait().await?;
        if status.success() {
            return unpack(&heard).ok_or_else(|| std::io::Error::other("its report cannot be read")).map(Ok);
        }
        if status.code() == Some(super::child::NOT_SHUT_IN) {
            let why = String::from_utf8_lossy(&heard).into_owned();
            return Err(std::io::Error::other(why));
        }
        if status.code() == Some(monty_types::OOM_EXIT_CODE) {
            return Ok(Err(Died::Memory));
        }
        Ok(Err(killed(status)))
    }
}

#[cfg(unix)]
fn killed(status: std::process::ExitStatus) -> Died {
    use std::os::unix::process::ExitStatusExt;
    match status.signal() {
        Some(signal) if signal == rustix::process::Signal::XCPU.as_raw() => Died::Time,
        // The kernel took it for want of memory, or its own limit on processor time ran out.
        Some(signal) if signal == rustix::process::Signal::KILL.as_raw() => Died::Time,
        Some(signal) => Died::Otherwise(format!("signal {signal}")),
        None => Died::Otherwise(status.to_string()),
    }
}

#[cfg(not(unix))]
fn killed(status: std::process::ExitStatus) -> Died {
    Died::Otherwise(status.to_string())
}

/// A report and what follows it.
fn unpack(bytes: &[u8]) -> Option<(Report, Vec<u8>)> {
    let (length, rest) = bytes.split_first_chunk::<8>()?;
    let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
    let (report, rest) = rest.split_at_checked(length)?;
    Some((serde_json::from_slice(report).ok()?, rest.to_vec()))
}
