//! `sayso eval`: measures how well the model does.

use crate::app::{PastMails, Setup, TriageCase, eval_triage, has_data, labelled_mails};
use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::output::Output;
use crate::cli::progress::Bar;
use crate::inbox::{Weighed, weighed_outcome};
use crate::text::read_error_text;
use crate::text::when;
use std::path::PathBuf;
use std::sync::Arc;

/// Let the model triage labelled mails, or the mails you have decided on, and show where it goes wrong
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A language model is called once for each case; what that costs is up to its provider.\n\n\
    Examples:\n  \
    sayso eval triage\n  \
    sayso eval triage --model cheap --json | jq '.misses'\n  \
    sayso eval decisions --model cheap --since 30d\n  \
    sayso eval decisions --memory new.md"
)]
pub struct Args {
    #[command(subcommand)]
    set: Set,
}

#[derive(Debug, clap::Subcommand)]
enum Set {
    /// 40 mails with the class a sensible person would give them, or mails of your own
    Triage(Triage),
    /// The mails you have decided on, as they would be triaged today; nothing is changed
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
    after_help = "A mail you answered should be `respond`, one you accepted `notify`, one you ignored `ignore`. Each mail \
    is judged alone, with today's memory, and the first line says how many this model would have decided as you did.\n\nExamples:\n  \
    sayso eval decisions --limit 50\n  \
    sayso eval decisions --memory new.md --json | jq '.misses'"
)]
struct Decisions {
    /// Use this text as the triage preferences
    #[arg(long, value_name = "FILE")]
    memory: Option<PathBuf>,
    /// Only decisions from this time on: 30d, 2026-11-01, or an RFC 3339 time; 90 days unless you say so
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// At most this many decisions, the newest
    #[arg(long, value_name = "N", default_value_t = 200)]
    limit: usize,
}

impl Args {
    pub(super) async fn run(self, context: Context) -> Result<Output, Failure> {
        let config = Arc::new(context.config()?);
        let is_past = matches!(self.set, Set::Decisions(_));
        let cases = match self.set {
            Set::Triage(Triage { file }) => {
                if let Some(missing) = file.as_ref().filter(|file| !file.exists()) {
                    return Err(Failure::gone(format!("{} does not exist", missing.display())));
                }
                labelled_mails(&config, file.as_deref()).map_err(Failure::failed)?
            }
            Set::Decisions(decisions) => decisions.cases(&context)?,
        };
        let bar = Bar::new(context.format.is_json());
        let count = |done: usize, total: usize| bar.show("mail", done as u64, total as u64);
        let eval = eval_triage(&config, context.env(), &cases, &count).await;
        bar.clear();
        let eval = eval.map_err(Failure::failed)?;
        context.format.answer(&eval, |_| {
            let answered = eval.total - eval.failures.len();
            let outcome = weighed_outcome(eval.right, answered - eval.right, "mail");
            if is_past { format!("It {outcome}.\n\n{eval}") } else { eval.to_string() }
        })
    }
}

impl Decisions {
    fn cases(self, context: &Context) -> Result<Vec<TriageCase>, Failure> {
        let config = context.config()?;
        let now = context.format.now.to_zoned(config.user.time_zone.clone());
        let since = self.since.as_deref().map(|word| when::parse_past(word, &now));
        let since = since.transpose().map_err(Failure::usage)?;
        let since = since.unwrap_or_else(|| Weighed::since(context.format.now));
        let profile = self.memory.as_deref().map(|file| {
            std::fs::read_to_string(file).map_err(|e| {
                Failure::usage(format!("{} cannot be read: {}", file.display(), read_error_text(&e)))
            })
        });
        let profile = profile.transpose()?;
        let nothing = || Failure::gone("no mail was decided on yet".to_owned());
        if !has_data(&config.data) {
            return Err(nothing());
        }
        let setup = Setup::open(config, context.env().clone())?;
        let past = PastMails { since: Some(since), limit: self.limit, profile };
        let cases = setup.decided_mails(past).map_err(Failure::failed)?;
        if cases.is_empty() { Err(nothing()) } else { Ok(cases) }
    }
}
