//! Waits for threads and drives them until they rest, a signal comes, or the time is up.

use super::context::OpenFolder;
use super::failure::{Exit, Failure};
use super::outcome;
use super::output::Output;
use super::print::{note, warning};
use crate::app::{Ended, Scope, Until};
use crate::engine::graph::ThreadId;
use crate::inbox::door::{DriveReport, drive_or_wait, family_outcome};
use crate::inbox::{InboxError, Outcome, Status};
use clap::Args;
use std::cell::Cell;
use std::io::IsTerminal;
use std::time::Duration;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Whether to wait for what a verb set going.
#[derive(Clone, Debug, Args)]
pub(super) struct WaitArgs {
    /// Then run the thread, or wait for the process that does, until it asks, pauses or ends
    #[arg(long)]
    wait: bool,
    /// Give up waiting after this many seconds
    #[arg(long, value_name = "SECONDS", requires = "wait", value_parser = seconds)]
    timeout: Option<Duration>,
}

/// A number of seconds, fractions allowed.
pub(super) fn seconds(word: &str) -> Result<Duration, String> {
    let seconds: f64 = word.parse().map_err(|_| "not a number of seconds".to_owned())?;
    Duration::try_from_secs_f64(seconds).map_err(|_| "not a number of seconds to wait".to_owned())
}

impl WaitArgs {
    /// Whether the user asked to wait.
    pub(super) fn is_wanted(&self) -> bool {
        self.wait
    }

    /// The answer of a verb that left a thread at `outcome`.
    pub(super) async fn follow(&self, folder: &OpenFolder, outcome: Outcome) -> Result<Output, Failure> {
        let outcome = self.wait_if_requested(folder, outcome).await?;
        outcome::answer(folder, &outcome).await
    }

    /// Like `follow`, for a verb whose whole work is that thread: if we waited and the thread cannot go on, the verb
    /// failed.
    pub(super) async fn follow_work(&self, folder: &OpenFolder, outcome: Outcome) -> Result<Output, Failure> {
        let outcome = self.wait_if_requested(folder, outcome).await?;
        let answer = outcome::answer(folder, &outcome).await?;
        let failed = self.wait && outcome.status == Status::Trouble;
        Ok(if failed { answer.with_exit(Exit::Failed) } else { answer })
    }

    async fn wait_if_requested(&self, folder: &OpenFolder, outcome: Outcome) -> Result<Outcome, Failure> {
        if !self.wait {
            return Ok(outcome);
        }
        if outcome.status == Status::Held && std::io::stderr().is_terminal() {
            note("held for a moment before it is done; until then `sayso undo` with its id takes it back");
        }
        let outcome = self.wait_for(folder, &outcome.thread).await?;
        if folder.format.is_read_by_person() {
            file_away_result(folder, &outcome).await?;
        }
        Ok(outcome)
    }

    async fn wait_for(&self, folder: &OpenFolder, thread: &ThreadId) -> Result<Outcome, Failure> {
        let scope = Scope::WithChildren(thread.clone());
        let until = format!("`sayso show {thread}` shows where it stands");
        let mut signals = Signals::listen();
        let driven = drive_until(folder, &scope, Until::Idle, self.timeout, &mut signals, |_| {}).await?;
        driven.ensure_rested(&until)?;
        Ok(family_outcome(folder.engine(), thread)?)
    }
}

/// Files away a result that the user reads right here; does nothing if there is none.
pub(super) async fn file_away_result(folder: &OpenFolder, outcome: &Outcome) -> Result<(), Failure> {
    if outcome.status != Status::Done {
        return Ok(());
    }
    match folder.inbox().decisions().file_away(outcome.thread.clone()).await {
        Ok(_) | Err(InboxError::Conflict(_)) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Why driving ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stopped {
    Signal,
    Time,
}

/// The result of driving.
pub(super) struct Driven {
    pub(super) report: DriveReport,
    stopped: Option<Stopped>,
    timeout: Option<Duration>,
}

impl Driven {
    /// Fails unless the threads came to rest; `hint` says what to do now.
    pub(super) fn ensure_rested(&self, hint: &str) -> Result<(), Failure> {
        match self.stopped {
            None => Ok(()),
            Some(Stopped::Signal) => {
                Err(Failure::failed(format!("interrupted while waiting; nothing is lost, {hint}")))
            }
            Some(Stopped::Time) => self.ensure_in_time(hint),
        }
    }

    /// Fails if the time was up; a signal is a normal end.
    pub(super) fn ensure_in_time(&self, hint: &str) -> Result<(), Failure> {
        if self.stopped != Some(Stopped::Time) {
            return Ok(());
        }
        let waited = self.timeout.unwrap_or_default().as_secs_f64();
        let who = match self.report.driver {
            Some(pid) => format!("process {pid} is running the threads and has not finished"),
            None => "there is still work to do and no process is running threads".to_owned(),
        };
        Err(Failure::failed(format!("gave up after {waited} s: {who}; {hint}")))
    }
}

/// Drives `scope`, or waits for the process that does, until it rests, a signal comes or the time is up.
pub(super) async fn drive_until(
    folder: &OpenFolder,
    scope: &Scope,
    until: Until,
    timeout: Option<Duration>,
    signals: &mut Signals,
    on_other_driver: impl FnMut(Option<u32>),
) -> Result<Driven, Failure> {
    let stopped = Cell::new(None);
    let stop = async {
        let why = tokio::select! {
            () = signals.received() => Stopped::Signal,
            () = patience(timeout) => Stopped::Time,
        };
        stopped.set(Some(why));
    };
    let driving = drive_or_wait(folder.engine(), scope, until, stop, on_other_driver);
    let report = folder.app().run_with_background(driving).await?;
    match report.ended {
        Ended::Paused => note("everything is paused; `sayso pause --off` lets threads go on"),
        Ended::Idle | Ended::Stopped => {}
    }
    warn_failed(&report);
    // If a signal comes while the last effect is recorded, the work is done anyway.
    let stopped = stopped.get().filter(|_| report.ended == Ended::Stopped);
    Ok(Driven { report, stopped, timeout })
}

/// The note of a process that wants to drive threads but has to wait for another one.
pub(super) fn other_driver_note(driver: u32) -> String {
    format!(
        "process {driver} is already running the threads, so there is nothing to do here; this one takes over when it \
        ends, and Ctrl-C stops waiting"
    )
}

/// Warns which threads could not be driven, and why.
fn warn_failed(report: &DriveReport) {
    for (thread, why) in &report.failed {
        warning(&format!("thread `{thread}` could not be driven: {why}"));
    }
}

/// Waits for the timeout; for ever if there is none.
async fn patience(timeout: Option<Duration>) {
    match timeout {
        Some(timeout) => tokio::time::sleep(timeout).await,
        None => std::future::pending().await,
    }
}

/// The signals that end a process. While we listen, the process finishes in an orderly way first.
pub(super) struct Signals {
    kinds: [Option<Signal>; 3],
    came: bool,
}

impl Signals {
    /// Starts listening.
    pub(super) fn listen() -> Self {
        let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
        // Without a handler the signal ends the process, and nothing is lost either.
        Self { kinds: kinds.map(|kind| signal(kind).ok()), came: false }
    }

    /// Resolves when a signal comes, or if one came before.
    pub(super) async fn received(&mut self) {
        if self.came {
            return;
        }
        let [interrupt, terminate, hangup] = &mut self.kinds;
        tokio::select! {
            () = recv(interrupt) => {}
            () = recv(terminate) => {}
            () = recv(hangup) => {}
        }
        self.came = true;
    }

    /// Whether a signal has come.
    pub(super) async fn have_come(&mut self) -> bool {
        tokio::select! {
            biased;
            () = self.received() => true,
            () = std::future::ready(()) => false,
        }
    }
}

async fn recv(signals: &mut Option<Signal>) {
    match signals {
        Some(signals) => {
            signals.recv().await;
        }
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_read() {
        assert_eq!(seconds("2"), Ok(Duration::from_secs(2)));
        assert_eq!(seconds("0.25"), Ok(Duration::from_millis(250)));
        for word in ["", "soon", "-1", "NaN", "inf", "1e300"] {
            assert!(seconds(word).is_err(), "{word}");
        }
    }
}
