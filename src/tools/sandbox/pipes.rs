//! A child that gets nothing from us except two pipes, and the protocol on them. We send two parts, the first with its
//! length in front. The child writes [`RUNNING`] when a cell starts, [`RAN`] after the last one, and then its two-part
//! result in the same form.

use std::io;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin, Command};
use tokio::time::{Instant, timeout_at};

/// What the child writes before each cell, and after the last.
pub(super) const RUNNING: u8 = b'>';
pub(super) const RAN: u8 = b'<';

pub struct SandboxTimeouts {
    /// How many cells there are.
    pub cells: usize,
    /// For each of them: running the earlier ones again takes no time from the last.
    pub code: Duration,
    /// Before the first cell, and after the last.
    pub margin: Duration,
}

/// How many cells have started, and whether all are over, as the start of the output says.
fn progress(output: &[u8], cells: usize) -> (usize, bool) {
    let started = output.iter().take(cells).take_while(|byte| **byte == RUNNING).count();
    (started, output.len() > started)
}

/// The output after its marks; `None` if they are not as they should be.
pub fn after_marks(output: &[u8], cells: usize) -> Option<&[u8]> {
    output[progress(output, cells).0..].strip_prefix(&[RAN])
}

/// The part that took too long.
pub enum TimedOut {
    Code,
    Margin,
}

/// Starts it without environment, folder or terminal. Dropping the child (on a stop or timeout) kills it.
pub fn spawn_alone(command: &mut Command) -> io::Result<Child> {
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
pub async fn write_input(mut stdin: ChildStdin, first: &[u8], second: &[u8]) {
    let _ = stdin.write_all(&(first.len() as u64).to_le_bytes()).await;
    let _ = stdin.write_all(first).await;
    let _ = stdin.write_all(second).await;
    let _ = stdin.shutdown().await;
}

/// Reads everything the child writes, as long as each part arrives in time.
pub async fn read_output(
    mut stdout: impl AsyncRead + Unpin,
    patience: SandboxTimeouts,
) -> io::Result<Result<Vec<u8>, TimedOut>> {
    let mut output = Vec::new();
    let mut since = Instant::now();
    loop {
        let before = progress(&output, patience.cells);
        let (most, late) = match before {
            (1.., false) => (patience.code, TimedOut::Code),
            _ => (patience.margin, TimedOut::Margin),
        };
        match timeout_at(since + most, stdout.read_buf(&mut output)).await {
            Err(_) => return Ok(Err(late)),
            Ok(Ok(0)) => return Ok(Ok(output)),
            Ok(Ok(_)) if progress(&output, patience.cells) != before => since = Instant::now(),
            Ok(Ok(_)) => {}
            Ok(Err(error)) => return Err(error),
        }
    }
}

/// Splits a part with its length in front from what follows it.
pub fn split_first(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<8>()?;
    rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncWriteExt, duplex};
    use tokio::time::sleep;

    #[tokio::test(start_paused = true)]
    async fn each_cell_has_its_own_time() {
        let second = Duration::from_secs(1);
        let read = async |cells: usize, marks: &'static [u8], pause: Duration| {
            let (mut child, parent) = duplex(64);
            let write = tokio::spawn(async move {
                for mark in marks {
                    let _ = child.write_all(&[*mark]).await;
                    sleep(pause).await;
                }
            });
            let patience = SandboxTimeouts { cells, code: 10 * second, margin: 60 * second };
            let output = read_output(parent, patience).await.unwrap();
            write.abort();
            output
        };
        let whole = read(3, b">>><", 9 * second).await.ok().unwrap();
        assert_eq!(after_marks(&whole, 3), Some(&b""[..]));
        assert!(matches!(read(3, b">>><", 11 * second).await, Err(TimedOut::Code)));
        // Code that marks cells of its own wins no time.
        assert!(matches!(read(1, b">>>>>>>>>>>>>>>", 9 * second).await, Err(TimedOut::Margin)));
    }

    #[test]
    fn marks_come_before_the_result() {
        assert_eq!(after_marks(b">><rest", 2), Some(&b"rest"[..]));
        assert_eq!(after_marks(b"><rest", 2), Some(&b"rest"[..]), "it was stopped early");
        assert_eq!(after_marks(b"<rest", 0), Some(&b"rest"[..]));
        assert_eq!(after_marks(b">>", 2), None);
        assert_eq!(after_marks(b">>>", 2), None);
    }
}
