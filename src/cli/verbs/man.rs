//! `sayso man`: the manual page.

use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::output::Output;
use crate::text::{Visible, nearest};
use clap::Command;
use serde_json::json;

/// Print the manual page, of everything or of one verb
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    sayso man > ~/.local/share/man/man1/sayso.1\n  \
    sayso man edit | man -l -")]
pub struct Args {
    /// Only this verb
    verb: Option<String>,
}

impl Args {
    pub(super) async fn run(self, context: Context) -> Result<Output, Failure> {
        let command = self.command(&context)?;
        let mut page = Vec::new();
        clap_mangen::Man::new(command)
            .render(&mut page)
            .map_err(|e| Failure::failed(format!("the manual page cannot be made: {e}")))?;
        let page = String::from_utf8_lossy(&page).into_owned();
        context.format.program(&json!({ "man": page }), page.clone())
    }

    fn command(&self, context: &Context) -> Result<Command, Failure> {
        // Built, so that each verb's page also has the global flags.
        let mut all = context.command().subcommand_help_heading("VERBS").disable_help_subcommand(true);
        all.build();
        let Some(verb) = &self.verb else { return Ok(all) };
        let command = all.get_subcommands().find(|command| command.get_name() == verb).cloned();
        command.ok_or_else(|| {
            let hint = match nearest(verb, all.get_subcommands().map(Command::get_name)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "`sayso --help` lists them".to_owned(),
            };
            Failure::usage(format!("there is no verb `{}`; {hint}", Visible::line(verb)))
        })
    }
}
