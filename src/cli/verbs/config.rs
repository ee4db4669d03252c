//! `sayso config`: the settings, and where each comes from.

use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::output::Answer;
use crate::cli::table::{cut, full, table};
use serde_json::{Value, json};

/// Show what is configured and where each value came from
#[derive(Debug, clap::Args)]
#[command(after_help = "Secrets are shown by where they are kept, never themselves.\n\nExamples:\n  \
    sayso config\n  \
    sayso config --json | jq -r '.[] | select(.origin != \"default\") | .key'")]
pub(in crate::cli) struct Args {}

impl Args {
    pub(super) async fn run(self, context: Context<'_>) -> Result<Answer, Failure> {
        let config = context.config()?;
        let data: Vec<Value> = config
            .describe()
            .iter()
            .map(|setting| {
                json!({"key": setting.key, "value": setting.value, "origin": setting.origin.to_string()})
            })
            .collect();
        context.format.answer(&data, |format| {
            let rows: Vec<_> = config
                .describe()
                .iter()
                .map(|setting| {
                    [setting.key.clone(), setting.value.as_str().to_owned(), setting.origin.to_string()]
                })
                .collect();
            table(format, [full("KEY"), cut("VALUE"), full("FROM")], &rows)
        })
    }
}
