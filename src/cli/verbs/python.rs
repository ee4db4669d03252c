//! `sayso python`: a Python of sayso's own for `sheet`.

use crate::app::{PythonEnvironment, PythonEnvironmentError, check_python};
use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::output::{Format, Output};
use crate::cli::progress::Bar;
use crate::cli::wizard::say;
use crate::config::Config;
use serde::Serialize;
use std::path::PathBuf;

/// Make a Python with openpyxl, pandas and matplotlib for `sheet`
#[derive(Debug, clap::Args)]
#[command(
    after_help = "It is made in the data folder, by uv where that is installed, else by the Python 3 in your \
    PATH, and `sheet` takes it before all others. Some hundred megabytes are fetched. It is kept whole or not at all.\n\n\
    Examples:\n  \
    sayso python\n  \
    sayso python --remove"
)]
pub struct Args {
    /// Remove it
    #[arg(long)]
    remove: bool,
}

/// What there is now. The field names are a contract.
#[derive(Debug, Serialize)]
struct Report {
    folder: PathBuf,
    removed: bool,
    /// Which Python `sheet` uses now, and what it has.
    python: Option<String>,
    /// Why it uses none, or one that cannot read workbooks.
    problem: Option<String>,
}

impl Args {
    pub(super) async fn run(self, context: Context) -> Result<Output, Failure> {
        let config = context.config()?;
        let environment = PythonEnvironment::of(&config.data);
        let mut removed = false;
        if self.remove {
            removed = environment.remove()?;
        } else {
            make(&config, &context.format).await?;
        }
        let (python, problem) = match check_python(&config).await {
            Ok(python) => (Some(python), None),
            Err(why) => (None, Some(why)),
        };
        let report = Report { folder: environment.folder().to_owned(), removed, python, problem };
        context.format.answer(&report, |format| self.text(format, &config, &report))
    }

    fn text(&self, format: &Format, config: &Config, report: &Report) -> String {
        let folder = report.folder.display();
        let mut text = match (self.remove, report.removed) {
            (false, _) => format!("Made in {folder}\n"),
            (true, true) => format!("Removed from {folder}\n"),
            (true, false) => format!("There was none in {folder}\n"),
        };
        let now = report.python.as_ref().or(report.problem.as_ref());
        text += &now.map(|now| format.wrapped("", now)).unwrap_or_default();
        if !self.remove && config.sheet.python != "auto" {
            text += &format.wrapped(
                "",
                "The config names a Python; with python = \"auto\" in [sheet] this one is used.",
            );
        }
        text
    }
}

/// Makes it, and shows how that goes.
pub(super) async fn make(config: &Config, format: &Format) -> Result<(), PythonEnvironmentError> {
    if format.is_read_by_person() {
        say("Making a Python for sheet; that takes a minute or two …\n");
    }
    let bar = Bar::new(format.is_json());
    let made = PythonEnvironment::of(&config.data).make(&|line| bar.tell(line)).await;
    bar.clear();
    made
}
