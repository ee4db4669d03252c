//! `sayso accept`: as proposed.

use crate::cli::context::{Context, Here};
use crate::cli::decide::Binding;
use crate::cli::failure::Failure;
use crate::cli::ids::{Target, target};
use crate::cli::output::Answer;
use crate::graph::{Decision, InterruptId};
use crate::inbox::{GrantRequest, GrantScope};
use crate::text::when;

/// Accept what is proposed, or file a result away
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    sayso accept i7k2m9q4x\n  \
    sayso accept i7k2 --args-hash 9f86d081 --wait\n  \
    sayso accept i7k2 --grant sender --for 2h     and allow the like of it for this sender, for two hours\n  \
    sayso accept t3h8w1z5c     files the thread's result away")]
pub(in crate::cli) struct Args {
    /// The interrupt, or the thread with a result
    id: String,
    /// And allow the like of it from now on: for this thread, this sender, this command or its sort
    #[arg(long, value_enum, value_name = "SCOPE")]
    grant: Option<Scope>,
    /// For so long: 30m, 2h, 3d; without it a thread's grant lasts as long as the thread, any other for an hour
    #[arg(long = "for", value_name = "TIME", requires = "grant")]
    lasts: Option<String>,
    #[command(flatten)]
    binding: Binding,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Scope {
    /// The rest of the thread
    Thread,
    /// Mail of the sender, in whichever thread
    Sender,
    /// This very command, in its folder
    Command,
    /// Commands that begin like it (`cargo test …`), in its folder, with plain words after that
    CommandSort,
}

impl Args {
    pub(super) async fn run(self, context: Context<'_>) -> Result<Answer, Failure> {
        let target = target(&self.id)?;
        let here = context.open()?;
        match target {
            Target::Interrupt(id) => {
                let shown = self.binding.shown();
                match self.request(&here, &id)? {
                    Some(request) => self.binding.accept_and_grant(&here, id, shown, request).await,
                    None => self.binding.decide(&here, id, Decision::Accept, shown).await,
                }
            }
            Target::Result(thread) if self.grant.is_some() => Err(Failure::usage(format!(
                "`{thread}` names a result, and a result allows nothing; leave --grant out"
            ))),
            Target::Result(thread) => self.binding.file_away(&here, thread).await,
        }
    }

    fn request(&self, here: &Here, id: &InterruptId) -> Result<Option<GrantRequest>, Failure> {
        let Some(scope) = self.grant else { return Ok(None) };
        let lasts = self
            .lasts
            .as_deref()
            .map(|word| when::lasting(word, &here.page.now))
            .transpose()
            .map_err(Failure::usage)?;
        let scope = match scope {
            Scope::Thread => GrantScope::Thread,
            Scope::Sender => GrantScope::Sender,
            Scope::Command => GrantScope::Command,
            Scope::CommandSort => GrantScope::CommandSort,
        };
        Ok(Some(GrantRequest { interrupt: id.clone(), scope, lasts }))
    }
}
