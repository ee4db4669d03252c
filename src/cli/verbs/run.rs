//! `sayso run`: drives threads.

use crate::app::{Scope, Until};
use crate::cli::context::{Context, OpenFolder};
use crate::cli::drive::{drive_until, other_driver_note, seconds};
use crate::cli::failure::Failure;
use crate::cli::output::Answer;
use crate::cli::print::note;
use crate::graph::{InterruptId, ThreadId};
use serde::Serialize;
use std::collections::BTreeSet;
use std::time::Duration;

/// Run every thread that can go on
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Without --until-idle it runs until Ctrl-C or SIGTERM. If another process is already running the \
    threads, it waits and takes over when that one ends.\n\nExamples:\n  \
    sayso run\n  \
    sayso run --until-idle --json\n  \
    sayso run --until-idle --timeout 300"
)]
pub(in crate::cli) struct Args {
    /// End when nothing is ready, running, held or about to be tried again
    #[arg(long)]
    until_idle: bool,
    /// Give up after this many seconds
    #[arg(long, value_name = "SECONDS", requires = "until_idle", value_parser = seconds)]
    timeout: Option<Duration>,
}

/// What was driven, and what it asks now.
#[derive(Debug, Serialize)]
struct Report {
    threads: Vec<ThreadId>,
    interrupts: Vec<InterruptId>,
}

impl Args {
    pub(super) async fn run(self, context: Context<'_>) -> Result<Answer, Failure> {
        let folder = context.open()?;
        let until = if self.until_idle { Until::Idle } else { Until::Stopped };
        let mut noted_pid = None;
        let on_other_driver = |driver: Option<u32>| {
            if let Some(pid) = driver
                && noted_pid.replace(pid) != Some(pid)
            {
                note(&match until {
                    Until::Idle => format!("process {pid} is already running the threads; waiting for it"),
                    Until::Stopped => other_driver_note(pid),
                });
            }
        };
        folder.inbox().requests().close_expired().await?;
        let driven = drive_until(&folder, &Scope::All, until, self.timeout, on_other_driver).await?;
        driven.ensure_in_time("`sayso status` tells what is left")?;
        let report = report(&folder, driven.report.threads).await?;
        folder.format.answer(&report, |_| text(&report))
    }
}

async fn report(folder: &OpenFolder, threads: BTreeSet<ThreadId>) -> Result<Report, Failure> {
    let mut interrupts = Vec::new();
    for thread in &threads {
        interrupts.extend(folder.inbox().threads().outcome(thread.clone()).await?.interrupts);
    }
    Ok(Report { threads: threads.into_iter().collect(), interrupts })
}

fn text(report: &Report) -> String {
    let threads = match report.threads.len() {
        0 => return "There was nothing to run.\n".to_owned(),
        1 => "1 thread went".to_owned(),
        many => format!("{many} threads went"),
    };
    match report.interrupts.len() {
        0 => format!("{threads} on without a question.\n"),
        1 => format!("{threads} on; 1 question waits for you, see `sayso list`.\n"),
        many => format!("{threads} on; {many} questions wait for you, see `sayso list`.\n"),
    }
}
