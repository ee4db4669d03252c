//! `sayso apis`: the APIs that `ask` can call.

use crate::app::{ApiLine, ApiView, Apis};
use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::output::{Format, Output};
use crate::cli::table::{cut, full, right, table};
use crate::text::Visible;
use std::fmt::Write;
use std::path::PathBuf;

/// List the APIs that `ask` can ask, add and remove them
#[derive(Debug, clap::Args)]
#[command(
    subcommand_value_name = "ACTION",
    subcommand_help_heading = "Actions",
    after_help = "An API is added from its OpenAPI document, version 3.0 or 3.1, in JSON or YAML. Its servers, and \
    where its key is kept, can be set in the config, in [apis.NAME].\n\nExamples:\n  \
    sayso apis list\n  \
    sayso apis show audius\n  \
    sayso apis show audius trending_tracks\n  \
    sayso apis add petstore.yaml --name pets\n  \
    sayso apis remove pets"
)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// List the APIs
    List,
    /// What an API can be asked
    Show {
        /// The API
        name: String,
        /// One of its operations, with its parameters
        operation: Option<String>,
    },
    /// Add an API from its OpenAPI document
    Add {
        /// The document
        file: PathBuf,
        /// What to call it here, instead of its title
        #[arg(long)]
        name: Option<String>,
    },
    /// Remove an API that was added
    Remove {
        /// The API
        name: String,
    },
}

impl Args {
    pub(super) async fn run(self, context: Context) -> Result<Output, Failure> {
        let apis = Apis::new(&context.config()?, context.env().clone());
        let format = &context.format;
        match self.action {
            Action::List => {
                let lines = apis.list()?;
                format.answer(&lines, |format| listed(format, &lines))
            }
            Action::Show { name, operation: None } => {
                let view = apis.show(&name)?;
                format.answer(&view, |format| shown(format, &view))
            }
            Action::Show { name, operation: Some(operation) } => {
                let view = apis.operation(&name, &operation)?;
                format.answer(&view, |_| describe(&view))
            }
            Action::Add { file, name } => {
                let added = apis.add(&file, name.as_deref())?;
                format.answer(&added, |_| {
                    let mut text =
                        format!("{} is added, with {} operations.\n", added.name, added.operations);
                    for left_out in &added.left_out {
                        let _ = writeln!(text, "Left out: {}", Visible::line(left_out));
                    }
                    text
                })
            }
            Action::Remove { name } => {
                let line = apis.remove(&name)?;
                format.answer(&line, |_| format!("{} is removed.\n", line.name))
            }
        }
    }
}

fn listed(format: &Format, lines: &[ApiLine]) -> String {
    let row = |line: &ApiLine| {
        [line.name.clone(), line.source.to_owned(), line.operations.to_string(), line.title.clone()]
    };
    let rows: Vec<_> = lines.iter().map(row).collect();
    table(format, [full("NAME"), full("FROM"), right("OPERATIONS"), cut("TITLE")], &rows)
}

fn shown(format: &Format, view: &ApiView) -> String {
    let mut out = format!("{}: {}\n", view.name, Visible::line(&view.title));
    if !view.about.is_empty() {
        let _ = writeln!(out, "{}", Visible::line(&view.about));
    }
    for host in &view.hosts {
        let _ = writeln!(out, "server: {}", Visible::line(host));
    }
    if let Some(list) = &view.host_list {
        let _ = writeln!(out, "list of servers: {}", Visible::line(list));
    }
    if let Some(key) = &view.key {
        let _ = writeln!(out, "key: {}", Visible::line(key));
    }
    out.push('\n');
    let rows: Vec<_> = view
        .operations
        .iter()
        .map(|one| [one.id.clone(), one.method.clone(), one.path.clone(), one.description.clone()])
        .collect();
    out + &table(format, [full("OPERATION"), full("METHOD"), full("PATH"), cut("WHAT IT DOES")], &rows)
}

fn describe(view: &crate::app::OperationView) -> String {
    let mut out =
        format!("{} {}\n{}\n", view.method, Visible::line(&view.path), Visible::line(&view.description));
    for parameter in &view.parameters {
        let required = if parameter.required { ", required" } else { "" };
        let _ = write!(
            out,
            "\n{} ({}{required})",
            Visible::line(&parameter.name),
            Visible::line(&parameter.kind)
        );
        if !parameter.description.is_empty() {
            let _ = write!(out, ": {}", Visible::line(&parameter.description));
        }
        if !parameter.values.is_empty() {
            let _ = write!(out, "; one of {}", Visible::line(&parameter.values.join(", ")));
        }
        if let Some(default) = &parameter.default {
            let _ = write!(out, "; {} if not said", Visible::line(default));
        }
    }
    out.push('\n');
    out
}
