//! A child that gets nothing from us except two pipes, and the protocol on them. We send parts, the first with its length
//! in front. Python writes [`RUNNING`] when its code starts, [`RAN`] after it, and then its report with its length in
//! front.

use std::io;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin, Command};
use tokio::time::{Instant, timeout_at};

/// What Python writes before the code, and after it.
const RUNNING: u8 = b'>';
const RAN: u8 = b'<';

#[derive(Clone, Copy)]
pub(super) struct Patience {
    pub(super) code: Duration,
    /// Before the code, and after it.
    pub(super) margin: Duration,
}

/// The part that took too long.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum TimedOut {
    Code,
    Margin,
}

/// Whether the code runs, as the start of the output says.
fn is_running(output: &[u8]) -> bool {
    output == [RUNNING]
}

/// The report after its marks; `None` if they are not as they should be, or it is not whole.
pub(super) fn report(output: &[u8]) -> Option<&[u8]> {
    Some(split_first(output.strip_prefix(&[RUNNING, RAN])?)?.0)
}

/// Starts it without environment, folder or terminal. Dropping the child (on a stop or timeout) kills it.
pub(super) fn spawn_alone(command: &mut Command) -> io::Result<Child> {
    command
        .env_clear()
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
}

/// Sends all parts and closes the pipe. A child that ends early closes it first; its exit status says why.
pub(super) async fn write_input(mut stdin: ChildStdin, first: &[u8], others: &[&[u8]]) {
    let _ = stdin.write_all(&(first.len() as u64).to_le_bytes()).await;
    let _ = stdin.write_all(first).await;
    for part in others {
        let _ = stdin.write_all(part).await;
    }
    let _ = stdin.shutdown().await;
}

/// Reads everything the child writes, as long as each part arrives in time.
pub(super) async fn read_output(
    mut stdout: impl AsyncRead + Unpin,
    patience: Patience,
) -> io::Result<(Vec<u8>, Option<TimedOut>)> {
    let mut output = Vec::new();
    let mut since = Instant::now();
    loop {
        let running = is_running(&output);
        let (most, late) =
            if running { (patience.code, TimedOut::Code) } else { (patience.margin, TimedOut::Margin) };
        match timeout_at(since + most, stdout.read_buf(&mut output)).await {
            Err(_) => return Ok((output, Some(late))),
            Ok(Ok(0)) => return Ok((output, None)),
            Ok(Ok(_)) if is_running(&output) != running => since = Instant::now(),
            Ok(Ok(_)) => {}
            Ok(Err(error)) => return Err(error),
        }
    }
}

/// Splits a part with its length in front from what follows it.
pub(super) fn split_first(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<8>()?;
    rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::duplex;
    use tokio::time::sleep;

    #[tokio::test(start_paused = true)]
    async fn code_has_its_own_time() {
        let second = Duration::from_secs(1);
        let read = async |parts: &'static [(u64, &'static [u8])]| {
            let (mut child, parent) = duplex(64);
            let write = tokio::spawn(async move {
                for (pause, part) in parts {
                    sleep(*pause as u32 * second).await;
                    let _ = child.write_all(part).await;
                }
            });
            let patience = Patience { code: 10 * second, margin: 60 * second };
            let read = read_output(parent, patience).await.unwrap();
            write.abort();
            read
        };
        let whole = [(50, &b">"[..]), (9, b"<\x02\0\0\0\0\0\0\0ok"), (50, b"")];
        let (output, late) = read(Box::leak(Box::new(whole))).await;
        assert_eq!((report(&output), late), (Some(&b"ok"[..]), None));
        assert_eq!(read(&[(50, b">"), (11, b"<")]).await.1, Some(TimedOut::Code));
        assert_eq!(read(&[(61, b">")]).await.1, Some(TimedOut::Margin));
        // Code that writes marks of its own wins no time for itself.
        assert_eq!(read(&[(0, b">"), (9, b">"), (61, b">")]).await.1, Some(TimedOut::Margin));
        // What is whole counts, even if the child then hangs.
        let (output, late) = read(&[(0, b"><\x02\0\0\0\0\0\0\0ok"), (61, b"")]).await;
        assert_eq!((report(&output), late), (Some(&b"ok"[..]), Some(TimedOut::Margin)));
    }

    #[test]
    fn marks_come_before_the_report() {
        assert_eq!(report(b"><\x01\0\0\0\0\0\0\0r"), Some(&b"r"[..]));
        for other in [
            &b""[..],
            b">",
            b"><",
            b"<\x01\0\0\0\0\0\0\0r",
            b">><\x01\0\0\0\0\0\0\0r",
            b"><\x02\0\0\0\0\0\0\0r",
        ] {
            assert_eq!(report(other), None, "{other:?}");
        }
    }
}
