//! `sayso config`: the settings.

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
        let data: Vec<Value> =
            settings.iter().map(|setting| json!({"key": setting.key, "value": setting.value})).collect();
        context.format.answer(&data, |format| {
            let rows: Vec<_> = settings
                .iter()
                .map(|setting| [setting.key.clone(), setting.value.as_str().to_owned()])
                .collect();
            table(format, [full("KEY"), cut("VALUE")], &rows)
        })
    }
}
