//! `sayso config`: the settings.

use crate::app::check_python;
use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::output::Output;
use crate::cli::table::{cut, full, table};
use crate::config;
use serde_json::{Value, json};

/// Show what is configured
#[derive(Debug, clap::Args)]
#[command(after_help = "Secrets are shown by where they are kept, never themselves.\n\nExamples:\n  \
    sayso config\n  \
    sayso config --json | jq -r '.[] | select(.key == \"budget.day\") | .value'")]
pub struct Args {}

impl Args {
    pub(super) async fn run(self, context: Context) -> Result<Output, Failure> {
        let settings = config::describe(context.inputs())?;
        let python = check_python(&context.config()?).await.unwrap_or_else(|why| why);
        let settings = settings.into_iter().map(|setting| [setting.key, setting.value.into_string()]);
        let rows: Vec<_> = settings.chain([["python".to_owned(), python]]).collect();
        let data: Vec<Value> = rows.iter().map(|[key, value]| json!({"key": key, "value": value})).collect();
        context.format.answer(&data, |format| table(format, [full("KEY"), cut("VALUE")], &rows))
    }
}
