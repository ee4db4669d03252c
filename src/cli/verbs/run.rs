//! `sayso run`: drives threads until there is nothing left to do.

use crate::app::{Scope, Until};
use crate::cli::context::{Context, OpenFolder};
use crate::cli::drive::{Signals, drive_until, seconds};
use crate::cli::failure::Failure;
use crate::cli::output::Output;
use crate::cli::print::note;
use crate::engine::graph::{InterruptId, ThreadId};
use crate::inbox::Status;
use crate::text::count_noun;
use serde::Serialize;
use std::collections::BTreeSet;
use std::time::Duration;

/// Run every thread that can go on, until none is left
#[derive(Debug, clap::Args)]
#[command(
    after_help = "It ends when nothing is ready, running, held or about to be tried again, and says what it did; \
    `sayso watch` goes on until it is told to stop. If another process is already running the threads, it waits for \
    that one.\n\nExamples:\n  \
    sayso run\n  \
    sayso run --json\n  \
    sayso run --timeout 300"
)]
pub struct Args {
    /// What it does anyway; scripts may still say it
    #[arg(long = "until-idle", hide = true)]
    _until_idle: bool,
    /// Give up after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    timeout: Option<Duration>,
}

/// What was driven, and what it asks now.
#[derive(Debug, Serialize)]
struct Report {
    threads: Vec<ThreadId>,
    interrupts: Vec<InterruptId>,
    /// Of `threads`, how many could not go on, because a server cannot be reached.
    #[serde(skip)]
    stuck: usize,
}

impl Args {
    pub(super) async fn run(self, context: Context) -> Result<Output, Failure> {
        let folder = context.open()?;
        let mut noted_pid = None;
        let on_other_driver = |driver: Option<u32>| {
            if let Some(pid) = driver
                && noted_pid.replace(pid) != Some(pid)
            {
                note(&format!("process {pid} is already running the threads; waiting for it"));
            }
        };
        folder.inbox().requests().close_expired().await?;
        let driven = drive_until(
            &folder,
            &Scope::All,
            Until::Idle,
            self.timeout,
            &mut Signals::listen(),
            on_other_driver,
        )
        .await?;
        driven.ensure_in_time("`sayso activity` tells what is left")?;
        let report = report(&folder, driven.report.threads).await?;
        folder.format.answer(&report, |_| text(&report))
    }
}

async fn report(folder: &OpenFolder, threads: BTreeSet<ThreadId>) -> Result<Report, Failure> {
    let mut report = Report { threads: threads.into_iter().collect(), interrupts: Vec::new(), stuck: 0 };
    for thread in &report.threads {
        let outcome = folder.inbox().threads().outcome(thread.clone()).await?;
        report.interrupts.extend(outcome.interrupts);
        report.stuck += usize::from(outcome.status == Status::Ready);
    }
    Ok(report)
}

fn text(report: &Report) -> String {
    let mut parts = Vec::new();
    match report.threads.len() - report.stuck {
        0 if report.stuck == 0 => return "There was nothing to run.\n".to_owned(),
        0 => {}
        went_on => {
            let how = if report.interrupts.is_empty() { " without a question" } else { "" };
            parts.push(format!("{} went on{how}", count_noun(went_on, "thread")));
        }
    }
    if report.stuck > 0 {
        parts.push(format!("{} could not go on yet", count_noun(report.stuck, "thread")));
    }
    match report.interrupts.len() {
        0 => {}
        1 => parts.push("1 question waits for you, see `sayso list`".to_owned()),
        many => parts.push(format!("{many} questions wait for you, see `sayso list`")),
    }
    format!("{}.\n", parts.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_says_what_it_did() {
        for (threads, stuck, interrupts, expected) in [
            (0, 0, 0, "There was nothing to run."),
            (1, 0, 0, "1 thread went on without a question."),
            (2, 0, 2, "2 threads went on; 2 questions wait for you, see `sayso list`."),
            (
                3,
                2,
                1,
                "1 thread went on; 2 threads could not go on yet; 1 question waits for you, see `sayso list`.",
            ),
            (1, 1, 0, "1 thread could not go on yet."),
        ] {
            let report = Report {
                threads: (0..threads).map(|_| ThreadId::random()).collect(),
                interrupts: (0..interrupts).map(|_| InterruptId::random()).collect(),
                stuck,
            };
            assert_eq!(text(&report), format!("{expected}\n"));
        }
    }
}
