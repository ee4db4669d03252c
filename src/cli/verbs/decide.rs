//! The decisions: `sayso accept`, `edit`, `respond`, `ignore` and `draft`.

use crate::cli::context::{Context, OpenFolder};
use crate::cli::drive::WaitArgs;
use crate::cli::failure::{Exit, Failure};
use crate::cli::ids::{Target, target};
use crate::cli::output::Output;
use crate::cli::pairs;
use crate::cli::print::note;
use crate::cli::text_input::text_or_stdin;
use crate::engine::graph::{Decision, InterruptId, ThreadId};
use crate::inbox::{
    DecidedBy, DecisionRequest, GrantRequest, GrantScope, Outcome, SeenHash, Status, read_pattern,
    unsent_edit_key,
};
use crate::text::when;
use serde_json::Value;

/// Accept what is proposed, or file a result away
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    sayso accept i7k2m9q4x\n  \
    sayso accept i7k2 --args-hash 9f86d081 --wait\n  \
    sayso accept i7k2 --grant sender --for 2h     and allow more like it for this sender, for two hours\n  \
    sayso accept i7k2 --grant 'git add <paths>'   and allow this command with other paths\n  \
    sayso accept t3h8w1z5c     files the thread's result away")]
pub struct Accept {
    /// The interrupt, or the thread with a result
    id: String,
    /// Also allow more like it from now on: `thread`, `sender`, or a program's calls with these words, in which <path>
    /// and <paths> are holes; `sayso view ID` shows what can be allowed
    #[arg(long, value_name = "PATTERN")]
    grant: Option<String>,
    /// For this long: 30m, 2h, 3d; without it a thread's grant lasts as long as the thread, any other for an hour
    #[arg(long = "for", value_name = "TIME", requires = "grant")]
    lasts: Option<String>,
    /// Only in the session of the agent that asks
    #[arg(long, requires = "grant")]
    session: bool,
    /// Also let the asking agent remember what it offers: the first, or the one with this number
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "1", conflicts_with = "grant",
        value_parser = clap::value_parser!(u32).range(1..))]
    remember: Option<u32>,
    /// Accept it as it was proposed, although you changed it on the screen and haven't sent that
    #[arg(long)]
    original: bool,
    #[command(flatten)]
    binding: Binding,
}

impl Accept {
    pub(super) async fn run(self, context: Context) -> Result<Output, Failure> {
        let target = target(&self.id)?;
        let folder = context.open()?;
        // A hash also says which version is meant.
        if let Target::Interrupt(id) = &target
            && !self.original
            && self.binding.args_hash.is_none()
        {
            ensure_no_unsent_edit(&folder, id).await?;
        }
        match target {
            Target::Interrupt(id) if self.remember.is_some() => {
                let place = self.remember.unwrap_or(1).saturating_sub(1) as usize;
                self.binding.accept_and_remember(&folder, id, place).await
            }
            Target::Interrupt(id) => match self.request(&folder, &id).await? {
                Some(request) => self.binding.accept_and_grant(&folder, id, request).await,
                None => self.binding.decide(&folder, id, Decision::Accept, self.binding.shown()).await,
            },
            Target::Result(thread) if self.grant.is_some() || self.remember.is_some() => {
                let flag = if self.grant.is_some() { "--grant" } else { "--remember" };
                Err(Failure::usage(format!(
                    "`{thread}` names a result, and a result allows nothing; leave {flag} out"
                )))
            }
            Target::Result(thread) => self.binding.file_away(&folder, thread).await,
        }
    }

    async fn request(&self, folder: &OpenFolder, id: &InterruptId) -> Result<Option<GrantRequest>, Failure> {
        let scope = match self.grant.as_deref() {
            None => return Ok(None),
            Some("thread") => GrantScope::Thread,
            Some("sender") => GrantScope::Sender,
            Some(pattern) => {
                let (question, _) = folder.inbox().decisions().card(id.clone()).await?;
                let call = question.grantable.call.as_ref();
                let allowed = call.and_then(|call| read_pattern(pattern, call));
                GrantScope::Call(allowed.ok_or_else(|| {
                    Failure::usage(format!(
                        "`{pattern}` is not what this card shows; `sayso view {id}` shows what it can allow"
                    ))
                })?)
            }
        };
        let now = folder.format.now;
        let end =
            |word: &str| now.checked_add(when::parse_duration(word)?).map_err(|error| error.to_string());
        let ends_at = self.lasts.as_deref().map(end).transpose().map_err(Failure::usage)?;
        Ok(Some(GrantRequest { interrupt: id.clone(), scope, ends_at, session: self.session }))
    }
}

/// Fails if the screen keeps unsent changes, because it is unclear which version is meant.
async fn ensure_no_unsent_edit(folder: &OpenFolder, id: &InterruptId) -> Result<(), Failure> {
    let drafts = folder.inbox().decisions().drafts().await?;
    // The user may have typed only a prefix of the id.
    let key = unsent_edit_key(id.as_str());
    if drafts.iter().any(|(kept, _)| kept.starts_with(&key)) {
        return Err(Failure::usage(format!(
            "you changed `{id}` on the screen and haven't sent it; accept it there with your changes, or with --original as \
             it was proposed"
        )));
    }
    Ok(())
}

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
pub struct Edit {
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

impl Edit {
    pub(super) async fn run(self, context: Context) -> Result<Output, Failure> {
        let id = not_a_result(target(&self.id)?, "edit")?;
        let folder = context.open()?;
        let (args, shown) = match &self.args {
            Some(json) => (parse_args(json)?, self.binding.shown()),
            None => self.changed(&folder, &id).await?,
        };
        self.binding.decide(&folder, id, Decision::Edit { args }, shown).await
    }

    /// The proposal with changes. It is bound to the proposal it changes, so that it cannot decide another one.
    async fn changed(
        &self,
        folder: &OpenFolder,
        id: &InterruptId,
    ) -> Result<(Value, Option<SeenHash>), Failure> {
        let (item, _) = folder.inbox().decisions().card(id.clone()).await?;
        let changes = pairs::read(&self.set, &item.schema, item.edit_args())?;
        let shown = self.binding.shown().or(Some(SeenHash::Whole(item.args_hash)));
        let args = match item.edit_args() {
            Value::Object(fields) => {
                let mut fields = fields.clone();
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

fn parse_args(json: &str) -> Result<Value, Failure> {
    serde_json::from_str(json)
        .map(crate::text::sanitize_typed_json)
        .map_err(|e| Failure::usage(format!("--args is not JSON: {e}; quote it for the shell")))
}

/// Answer with words; they go to the agent, not to the sender
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    sayso respond i7k2m9q4x \"Shorter, and offer Thursday instead\"\n  \
    sayso respond i7k2 - < answer.txt")]
pub struct Respond {
    /// The interrupt, or the thread with a result to go on from
    id: String,
    /// The words; - reads them from stdin
    #[arg(allow_hyphen_values = true)]
    text: String,
    #[command(flatten)]
    binding: Binding,
}

impl Respond {
    pub(super) async fn run(self, context: Context) -> Result<Output, Failure> {
        let target = target(&self.id)?;
        let text = text_or_stdin(&self.text)?;
        let folder = context.open()?;
        match target {
            Target::Interrupt(id) => {
                let respond = Decision::Respond { text };
                self.binding.decide(&folder, id, respond, self.binding.shown()).await
            }
            Target::Result(thread) => self.binding.go_on(&folder, thread, text).await,
        }
    }
}

/// Do not do what is proposed
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    sayso ignore i7k2m9q4x\n  \
    sayso ignore i7k2 --wait --timeout 60")]
pub struct Ignore {
    /// The interrupt
    id: String,
    #[command(flatten)]
    binding: Binding,
}

impl Ignore {
    pub(super) async fn run(self, context: Context) -> Result<Output, Failure> {
        let id = not_a_result(target(&self.id)?, "ignore")?;
        let folder = context.open()?;
        self.binding.decide(&folder, id, Decision::Ignore, self.binding.shown()).await
    }
}

/// Keep what is proposed as a draft; nothing leaves
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    sayso draft i7k2m9q4x\n  \
    sayso draft i7k2 --args-hash 9f86d081 --wait")]
pub struct Draft {
    /// The interrupt
    id: String,
    #[command(flatten)]
    binding: Binding,
}

impl Draft {
    pub(super) async fn run(self, context: Context) -> Result<Output, Failure> {
        let id = not_a_result(target(&self.id)?, "draft")?;
        let folder = context.open()?;
        self.binding.decide(&folder, id, Decision::Draft, self.binding.shown()).await
    }
}

/// What a decision is bound to, and whether to wait for what it sets going.
#[derive(Clone, Debug, clap::Args)]
struct Binding {
    /// Decide only if this is still what was shown: args_hash of `list`, or its first 8 digits
    #[arg(long, value_name = "HASH")]
    args_hash: Option<String>,
    #[command(flatten)]
    waiting: WaitArgs,
}

impl Binding {
    /// The hash that was shown, if one was given.
    fn shown(&self) -> Option<SeenHash> {
        self.args_hash.clone().map(SeenHash::Typed)
    }

    /// Makes the decision, bound to `shown`.
    async fn decide(
        &self,
        folder: &OpenFolder,
        interrupt: InterruptId,
        decision: Decision,
        shown: Option<SeenHash>,
    ) -> Result<Output, Failure> {
        let decide = DecisionRequest { interrupt, decision, shown, learn: true, by: DecidedBy::Cli };
        let outcome = folder.inbox().decisions().decide(decide).await?;
        self.follow(folder, outcome).await
    }

    /// The answer of a decision. While its thread is stopped or in trouble, nothing comes of it.
    async fn follow(&self, folder: &OpenFolder, outcome: Outcome) -> Result<Output, Failure> {
        if outcome.status == Status::Trouble {
            note("your answer is kept, and takes effect if you let the thread go on");
        }
        self.waiting.follow(folder, outcome).await
    }

    fn accept(&self, interrupt: InterruptId) -> DecisionRequest {
        let (decision, shown) = (Decision::Accept, self.shown());
        DecisionRequest { interrupt, decision, shown, learn: true, by: DecidedBy::Cli }
    }

    /// Accepts, and allows more like it from now on.
    async fn accept_and_grant(
        &self,
        folder: &OpenFolder,
        interrupt: InterruptId,
        request: GrantRequest,
    ) -> Result<Output, Failure> {
        let granted = folder.inbox().decisions().accept_and_grant(self.accept(interrupt), request).await;
        let (outcome, _) = granted.map_err(|error| Failure::from_inbox(&error, Exit::Usage))?;
        self.follow(folder, outcome).await
    }

    /// Accepts, and lets the asking agent remember the offer at this place.
    async fn accept_and_remember(
        &self,
        folder: &OpenFolder,
        interrupt: InterruptId,
        place: usize,
    ) -> Result<Output, Failure> {
        let accepted = folder.inbox().decisions().accept_and_remember(self.accept(interrupt), place).await;
        let outcome = accepted.map_err(|error| Failure::from_inbox(&error, Exit::Usage))?;
        self.follow(folder, outcome).await
    }

    async fn file_away(&self, folder: &OpenFolder, thread: ThreadId) -> Result<Output, Failure> {
        self.refuse_hash(&thread)?;
        let filed = folder.inbox().decisions().file_away(thread).await;
        let outcome = filed.map_err(|error| Failure::from_inbox(&error, Exit::Gone))?;
        self.waiting.follow(folder, outcome).await
    }

    /// Continues a thread after its result.
    async fn go_on(&self, folder: &OpenFolder, thread: ThreadId, words: String) -> Result<Output, Failure> {
        self.refuse_hash(&thread)?;
        let outcome = folder.inbox().threads().proceed(thread, words).await?;
        self.waiting.follow(folder, outcome).await
    }

    /// Fails if a hash was given: a result is read, not approved, and has none.
    fn refuse_hash(&self, thread: &ThreadId) -> Result<(), Failure> {
        match self.args_hash {
            None => Ok(()),
            Some(_) => Err(Failure::usage(format!(
                "`{thread}` names a result, and a result has no hash; leave --args-hash out"
            ))),
        }
    }
}

/// The interrupt of `target`; fails for a result, which cannot be answered this way.
fn not_a_result(target: Target, word: &str) -> Result<InterruptId, Failure> {
    match target {
        Target::Interrupt(id) => Ok(id),
        Target::Result(thread) => Err(Failure::usage(format!(
            "`{thread}` names a thread, and a result cannot be answered with {word}; accept files it away, \
             respond goes on"
        ))),
    }
}
