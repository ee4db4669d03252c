//! `sayso resume`: ends a pause.

use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::output::Output;
use crate::inbox::Overview;

/// Let threads go on after a pause
#[derive(Debug, clap::Args)]
#[command(hide = true, after_help = "Example:\n  sayso resume")]
pub struct Args {}

impl Args {
    pub(super) async fn run(self, context: Context) -> Result<Output, Failure> {
        let folder = context.open()?;
        folder.inbox().pause(false).await?;
        let overview = folder.inbox().statistics().overview().await?;
        folder.format.answer(&overview, |_| text(&overview))
    }
}

fn text(overview: &Overview) -> String {
    match overview.driver {
        Some(pid) => format!("Resumed: process {pid} is running threads again.\n"),
        None => "Resumed; no process is running threads now, `sayso run` does.\n".to_owned(),
    }
}
