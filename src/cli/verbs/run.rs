//! `sayso run`: drives threads until there is nothing left to do.

use crate::app::{Scope, Until};
use crate::cli::context::{Context, OpenFolder};
use crate::cli::drive::{drive_until, seconds};
use crate::cli::failure::Failure;
use crate::cli::output::Answer;
use crate::cli::print::note;
use crate::graph::{InterruptId, ThreadId};
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
pub(in crate::cli) struct Args {
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
}

impl Args {
    pub(super) async fn run(self, context: Context<'_>) -> Result<Answer, Failure> {
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
        let driven = drive_until(&folder, &Scope::All, Until::Idle, self.timeout, on_other_driver).await?;
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
