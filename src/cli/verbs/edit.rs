//! `sayso edit`: with these arguments instead.

use crate::cli::context::{Context, Here};
use crate::cli::decide::{Binding, not_a_result};
use crate::cli::failure::Failure;
use crate::cli::ids::target;
use crate::cli::output::Answer;
use crate::cli::pairs;
use crate::graph::{Decision, InterruptId};
use serde_json::Value;

/// Accept with changed arguments
#[derive(Debug, clap::Args)]
#[command(
    group = clap::ArgGroup::new("arguments").args(["set", "args"]).required(true),
    override_usage = "sayso edit <ID> --set <KEY=VALUE>... [OPTIONS]\n       sayso edit <ID> --args <JSON> [OPTIONS]",
    after_help = "Values of --set are typed by the proposal's schema: strings as they stand, everything else as JSON; one \
        word for a list of strings is a list of one.\n\nExamples:\n  \
        sayso edit i7k2m9q4x --set subject=\"Re: Thursday\" to=ada@example.org\n  \
        sayso edit i7k2 --set duration_minutes=30 --wait\n  \
        sayso edit i7k2 --args '{\"to\": [\"ada@example.org\"], \"subject\": \"Hi\", \"content\": \"…\"}'"
)]
pub(in crate::cli) struct Args {
    /// The interrupt
    id: String,
    /// Change these arguments of the proposal
    #[arg(long, value_name = "KEY=VALUE", num_args = 1..)]
    set: Vec<String>,
    /// Replace all arguments
    #[arg(long, value_name = "JSON")]
    args: Option<String>,
    #[command(flatten)]
    binding: Binding,
}

impl Args {
    pub(super) async fn run(self, context: Context<'_>) -> Result<Answer, Failure> {
        let id = not_a_result(target(&self.id)?, "edit")?;
        let here = context.open()?;
        let (args, shown) = match &self.args {
            Some(json) => (whole(json)?, self.binding.shown()),
            None => self.changed(&here, &id).await?,
        };
        self.binding.decide(&here, id, Decision::Edit { args }, shown).await
    }

    /// The proposal with changes. It is bound to the proposal it changes, so that no other one is decided by it.
    async fn changed(&self, here: &Here, id: &InterruptId) -> Result<(Value, Option<String>), Failure> {
        let (item, _) = here.inbox().decisions().card(id.clone()).await?;
        let changes = pairs::read(&self.set, &item.schema, &item.args)?;
        let shown = self.binding.shown().or_else(|| item.args_hash.map(|hash| hash.to_string()));
        let args = match item.args {
            Value::Object(mut fields) => {
                fields.extend(changes);
                Value::Object(fields)
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                return Err(Failure::usage(format!(
                    "the arguments of `{}` are not named, so --set cannot change one; use --args",
                    item.id
                )));
            }
        };
        Ok((args, shown))
    }
}

fn whole(json: &str) -> Result<Value, Failure> {
    serde_json::from_str(json)
        .map(crate::text::typed_json)
        .map_err(|e| Failure::usage(format!("--args is not JSON: {e}; quote it for the shell")))
}
