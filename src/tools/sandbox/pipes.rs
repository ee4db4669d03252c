//! A child that gets nothing from us except two pipes, and the protocol on them. We send two parts, the first with its
//! length in front. The child writes one byte when its code starts, one when it ends, and then its two-part result in
//! the same form.

use std::io;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin, Command};
use tokio::time::{Instant, timeout_at};

pub(in crate::tools) struct SandboxTimeouts {
    /// From the first byte to the second: for its code.
    pub code: Duration,
    /// Before the first byte, and after the second.
    pub margin: Duration,
}

/// The part that took too long.
pub(in crate::tools) enum TimedOut {
    Code,
    Margin,
}

/// Starts it without environment, folder or terminal. Dropping the child (on a stop or timeout) kills it.
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

/// Sends both parts and closes the pipe. A child that ends early closes it first; its exit status says why.
pub(in crate::tools) async fn write_input(mut stdin: ChildStdin, first: &[u8], second: &[u8]) {
    let _ = stdin.write_all(&(first.len() as u64).to_le_bytes()).await;
    let _ = stdin.write_all(first).await;
    let _ = stdin.write_all(second).await;
    let _ = stdin.shutdown().await;
}

/// Reads everything the child writes, as long as each part arrives in time.
pub(in crate::tools) async fn read_output(
    mut stdout: impl AsyncRead + Unpin,
    patience: SandboxTimeouts,
) -> io::Result<Result<Vec<u8>, TimedOut>> {
    let mut output = Vec::new();
    let mut since = Instant::now();
    loop {
        let marks = output.len().min(2);
        let (most, late) = match marks {
            1 => (patience.code, TimedOut::Code),
            _ => (patience.margin, TimedOut::Margin),
        };
        match timeout_at(since + most, stdout.read_buf(&mut output)).await {
            Err(_) => return Ok(Err(late)),
            Ok(Ok(0)) => return Ok(Ok(output)),
            Ok(Ok(_)) if output.len().min(2) > marks => since = Instant::now(),
            Ok(Ok(_)) => {}
            Ok(Err(error)) => return Err(error),
        }
    }
}

/// Splits a part with its length in front from what follows it.
pub(in crate::tools) fn split_first(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<8>()?;
    rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)
}
