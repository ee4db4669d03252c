//! A child that has nothing of ours but two pipes, and how both sides of them are used: it is told two things at once,
//! the first with its length before it; it says a byte when its code begins, one when that is over, and then the same
//! way what came of it.

use std::io;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin, Command};
use tokio::time::{Instant, timeout_at};

/// How long a child may take.
pub(in crate::tools) struct Patience {
    /// From the first byte to the second: for its code.
    pub code: Duration,
    /// Before, and after.
    pub margin: Duration,
}

/// What a child took too long for.
pub(in crate::tools) enum Late {
    Code,
    Margin,
}

/// Starts it without environment, folder and terminal. Dropped (a stop, a timeout), it is gone.
pub(in crate::tools) fn spawn_alone(command: &mut Command) -> io::Result<Child> {
    command
        .env_clear()
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
}

/// Tells it both, and closes the pipe. A child that ends early closes it first; how it ended says why.
pub(in crate::tools) async fn tell(mut stdin: ChildStdin, first: &[u8], second: &[u8]) {
    let _ = stdin.write_all(&(first.len() as u64).to_le_bytes()).await;
    let _ = stdin.write_all(first).await;
    let _ = stdin.write_all(second).await;
    let _ = stdin.shutdown().await;
}

/// Everything the child says, as long as it says each part of it in time.
pub(in crate::tools) async fn hear(
    mut stdout: impl AsyncRead + Unpin,
    patience: Patience,
) -> io::Result<Result<Vec<u8>, Late>> {
    let mut heard = Vec::new();
    let mut since = Instant::now();
    loop {
        let marks = heard.len().min(2);
        let (most, late) = match marks {
            1 => (patience.code, Late::Code),
            _ => (patience.margin, Late::Margin),
        };
        match timeout_at(since + most, stdout.read_buf(&mut heard)).await {
            Err(_) => return Ok(Err(late)),
            Ok(Ok(0)) => return Ok(Ok(heard)),
            Ok(Ok(_)) if heard.len().min(2) > marks => since = Instant::now(),
            Ok(Ok(_)) => {}
            Ok(Err(error)) => return Err(error),
        }
    }
}

/// What stands behind its length, and what follows that.
pub(in crate::tools) fn split_first(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<8>()?;
    rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)
}
