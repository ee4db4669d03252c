//! `sayso eval`: measures how well the model does.

use crate::app::{ReplayOptions, Setup, eval_triage};
use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::output::Answer;
use crate::text::read_error_text;
use crate::text::when;
use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::sync::Arc;

/// Try the model on a labelled set or on your own past decisions, and show where it goes wrong
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A language model is called once for each case; what that costs is up to its provider.\n\n\
    Examples:\n  \
    sayso eval triage\n  \
    sayso eval triage --model cheap --json | jq '.misses'\n  \
    sayso eval decisions --model cheap --since 30d\n  \
    sayso eval decisions --memory triage_preferences=new.md"
)]
pub(in crate::cli) struct Args {
    #[command(subcommand)]
    set: Set,
}

#[derive(Debug, clap::Subcommand)]
enum Set {
    /// 40 mails with the class a sensible person would give them, or mails of your own
    Triage(Triage),
    /// What you decided: would it have been proposed? Nothing is done and nothing is written
    Decisions(Decisions),
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "MAILS is a folder with the folders respond, notify and ignore, each with .eml files (or the files \
    respond.mbox, notify.mbox and ignore.mbox), or a JSON file of cases. Your name and addresses come from the \
    config; the memory is left out.\n\nExamples:\n  \
    sayso eval triage --file ~/labelled\n  \
    sayso eval triage --file ~/labelled --json | jq '.confusion'"
)]
struct Triage {
    /// Use these mails, sorted by you
    #[arg(long, value_name = "MAILS")]
    file: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Each past decision is replayed from where a model was last asked before it, with the \
    mail, the memory and the time of then, until something would be asked; that is compared with what you decided. A \
    draft counts as the same when its people and words are, a meeting when its slot and people are. Ctrl-C ends it \
    and prints what is done.\n\nExamples:\n  \
    sayso eval decisions --limit 50\n  \
    sayso eval decisions --rules other.toml --json | jq '.rows'"
)]
struct Decisions {
    /// Use this text for a profile instead of what it was
    #[arg(long, value_name = "NS=FILE")]
    memory: Vec<String>,
    /// Use the rules of this config
    #[arg(long, value_name = "CONFIG")]
    rules: Option<PathBuf>,
    /// Only decisions from this time on: 30d, 2026-11-01, or an RFC 3339 time
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// At most this many decisions, the newest
    #[arg(long, value_name = "N", default_value_t = 200)]
    limit: usize,
    /// Run it even if it is likely to cost more than budget.day
    #[arg(long)]
    yes: bool,
}

impl Args {
    pub(super) async fn run(self, context: Context<'_>) -> Result<Answer, Failure> {
        match self.set {
            Set::Triage(Triage { file }) => {
                let config = Arc::new(context.config()?);
                if let Some(missing) = file.as_ref().filter(|file| !file.exists()) {
                    return Err(Failure::gone(format!("{} does not exist", missing.display())));
                }
                let eval = eval_triage(&config, context.env(), file.as_deref(), &count);
                let eval = eval.await.map_err(Failure::failed)?;
                context.format.answer(&eval, |_| eval.to_string())
            }
            Set::Decisions(decisions) => decisions.run(context).await,
        }
    }
}

impl Decisions {
    async fn run(self, context: Context<'_>) -> Result<Answer, Failure> {
        let config = context.config()?;
        let now = context.format.now.to_zoned(config.user.time_zone.clone());
        let since = self
            .since
            .as_deref()
            .map(|word| when::parse_past(word, &now))
            .transpose()
            .map_err(Failure::usage)?;
        let rules = self
            .rules
            .as_deref()
            .map(|file| Ok::<_, Failure>(context.config_from(file)?.rules))
            .transpose()?;
        if !config.data.exists() {
            let text = format!("{} does not exist yet; nothing was decided", config.data.display());
            return Err(Failure::gone(text));
        }
        let setup = Setup::open(config, context.env().clone()).map_err(anyhow::Error::from)?;
        let mut memory = BTreeMap::new();
        for pair in &self.memory {
            let Some((word, file)) = pair.split_once('=') else {
                return Err(Failure::usage(format!("`{pair}` is not NS=FILE")));
            };
            let text = std::fs::read_to_string(file)
                .map_err(|e| Failure::usage(format!("{file} cannot be read: {}", read_error_text(&e))))?;
            memory.insert(setup.memory_named(word).map_err(|e| Failure::gone(e.to_string()))?, text);
        }
        let options = ReplayOptions { since, limit: self.limit, memory, rules, any_cost: self.yes };
        let stop = async {
            // Without a handler the signal ends the program, as usual.
            if tokio::signal::ctrl_c().await.is_err() {
                std::future::pending::<()>().await;
            }
        };
        let eval = setup.eval_decisions(options, &count, stop).await.map_err(Failure::failed)?;
        context.format.answer(&eval, |_| eval.to_string())
    }
}

/// Shows the progress if stderr is a terminal.
fn count(done: usize, total: usize) {
    let mut stderr = std::io::stderr();
    if stderr.is_terminal() {
        let line = if done < total { format!("\r{done} of {total}") } else { "\r           \r".to_owned() };
        let _ = stderr.write_all(line.as_bytes());
    }
}
