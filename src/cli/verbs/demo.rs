//! `sayso demo`: a made-up work week to try everything on.

use crate::app::{DemoError, TourStep, begin_demo, demo_tour, lay_out_demo};
use crate::cli::context::{Context, OpenFolder};
use crate::cli::failure::Failure;
use crate::cli::output::{Format, Output};
use crate::cli::wizard::say;
use jiff::Timestamp;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Set up a made-up work week and open it
#[derive(Debug, Default, clap::Args)]
#[command(
    after_help = "It needs no network, no key and no config: where a model would answer, it plays answers written for it. \
    Every key works on it for real; mail that you accept lands in its own folder mail/outbox and goes no further. It is kept in demo/ under \
    the data folder, or exactly in DIR with --data DIR.\n\nExamples:\n  \
    sayso demo\n  \
    sayso demo --tour\n  \
    sayso demo --tour --reset     where there is a demo already\n  \
    sayso demo --reset\n  \
    sayso demo --no-tui --data ./try"
)]
pub struct Args {
    /// Only set it up, and say where it is
    #[arg(long)]
    no_tui: bool,
    /// Throw away what was done in it and start over
    #[arg(long)]
    reset: bool,
    /// Take a two-minute tour, in a fresh demo
    #[arg(long, conflicts_with = "no_tui")]
    tour: bool,
}

/// Where the demo is. The field names are a contract.
#[derive(Debug, Serialize)]
struct Report {
    folder: PathBuf,
    /// Whether it was just laid out.
    fresh: bool,
    outbox: PathBuf,
    /// Why there is no work on a workbook, if so.
    #[serde(skip_serializing_if = "Option::is_none")]
    no_python: Option<String>,
}

impl Args {
    /// Whether to open the inbox on it.
    pub fn wants_screen(&self, format: &Format) -> bool {
        !self.no_tui && !format.is_json()
    }

    /// Lays the demo out, unless it is there, and opens it.
    pub async fn open(&self, context: Context) -> Result<OpenFolder, Failure> {
        Ok(self.set_up(context).await?.0)
    }

    /// The steps of the tour, if the user asked for it.
    pub fn tour(&self, folder: &OpenFolder) -> Vec<TourStep> {
        if self.tour { demo_tour(Path::new(&folder.path), &folder.format.zone) } else { Vec::new() }
    }

    async fn set_up(&self, context: Context) -> Result<(OpenFolder, Report), Failure> {
        let folder = context.demo_folder()?;
        let zone = context.format.zone.clone();
        let fresh =
            lay_out_demo(&folder, Timestamp::now(), &zone, self.reset).map_err(|error| match error {
                DemoError::Foreign(_) | DemoError::Open(..) => Failure::usage(error.to_string()),
                DemoError::Io(..) => Failure::failed(error.to_string()),
            })?;
        if self.tour && !fresh {
            return Err(Failure::usage(format!(
                "there is a demo in {} already, and the tour begins with a fresh one; `sayso demo --tour --reset` throws \
                 away what you did in it",
                folder.display()
            )));
        }
        let opened = context.in_demo(&folder).open()?;
        let mut no_python = None;
        if fresh {
            if opened.format.is_read_by_person() {
                say("Setting up the demo …\n");
            }
            no_python = begin_demo(opened.app(), &folder).await?;
        }
        let report = Report { outbox: folder.join("mail/outbox/new"), folder, fresh, no_python };
        if opened.format.is_read_by_person()
            && let Some(why) = &report.no_python
        {
            say(&format!("Work on a workbook is left out: {why}.\n"));
        }
        Ok((opened, report))
    }

    pub(super) async fn run(self, context: Context) -> Result<Output, Failure> {
        let (opened, report) = self.set_up(context).await?;
        opened.format.answer(&report, |_| text(&report))
    }
}

fn text(report: &Report) -> String {
    let (folder, outbox) = (report.folder.display(), report.outbox.display());
    let how = if report.fresh { "The demo was set up in" } else { "The demo is in" };
    format!(
        "{how} {folder}\n\n\
         sayso demo --data {folder}                  opens the inbox on it\n\
         sayso --data {folder} run                   lets the agents work\n\
         sayso --data {folder} list                  shows what waits for you\n\n\
         Mail that you accept lands in {outbox}\n"
    )
}
