//! `sayso completions`: shell completions.

use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::output::Output;
use clap_complete::Shell;
use serde_json::json;

/// Print completions for a shell
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    sayso completions bash > ~/.local/share/bash-completion/completions/sayso\n  \
    sayso completions zsh > \"${fpath[1]}/_sayso\"\n  \
    sayso completions fish > ~/.config/fish/completions/sayso.fish")]
pub struct Args {
    /// The shell
    shell: Shell,
}

impl Args {
    pub(super) async fn run(self, context: Context) -> Result<Output, Failure> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut context.command(), "sayso", &mut script);
        let script = String::from_utf8_lossy(&script).into_owned();
        context.format.program(&json!({"shell": self.shell.to_string(), "script": script}), script.clone())
    }
}
