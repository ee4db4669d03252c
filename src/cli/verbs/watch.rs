//! `sayso watch`: drives threads, takes in mail and looks at servers, for a service unit.

use crate::app::Driver;
use crate::cli::context::Context;
use crate::cli::drive::{Signals, other_driver_note};
use crate::cli::failure::Failure;
use crate::cli::output::Output;
use crate::cli::print::note;
use std::time::Duration;

/// How often to try for the driver's lock while another process holds it.
const TRY_EVERY: Duration = Duration::from_millis(500);

/// Run threads, take in mail and check servers until told to stop
#[derive(Debug, clap::Args)]
#[command(
    after_help = "It ends with Ctrl-C or SIGTERM, and finishes cleanly what it is doing. If another process is \
    already running the threads, it waits and takes over when that one ends. assets/sayso.service runs it as a systemd user \
    unit.\n\nExamples:\n  \
    sayso watch\n  \
    sayso watch --verbose"
)]
pub struct Args {}

impl Args {
    pub(super) async fn run(self, context: Context) -> Result<Output, Failure> {
        let folder = context.open()?;
        let mut signals = Signals::listen();
        if folder.intake().is_none() && !folder.has_servers() {
            note(
                "the config names no mail account and no server, so only threads are run; see [[mail]] and [[server]]",
            );
        }
        let mut noted_pid = None;
        loop {
            match Driver::take(folder.engine().clone()).await? {
                Ok(mut worker) => {
                    note("running; Ctrl-C ends it");
                    folder.app().drive(&mut worker, signals.received()).await?;
                    return Ok(Output::nothing());
                }
                Err(driver) => {
                    if let Some(pid) = driver
                        && noted_pid.replace(pid) != Some(pid)
                    {
                        note(&other_driver_note(pid));
                    }
                }
            }
            tokio::select! {
                () = signals.received() => return Ok(Output::nothing()),
                () = tokio::time::sleep(TRY_EVERY) => {}
            }
        }
    }
}
