//! What the four decisions share.

use super::context::Here;
use super::drive::Waiting;
use super::failure::{Exit, Failure};
use super::ids::Target;
use super::output::Answer;
use crate::graph::{Decision, InterruptId, ThreadId};
use crate::inbox::{By, Decide, GrantRequest};
use clap::Args;

/// What a decision is bound to, and whether to wait for what it sets going.
#[derive(Clone, Debug, Args)]
pub(super) struct Binding {
    /// Decide only if this is still what was shown: args_hash of `list`, or its first 8 digits
    #[arg(long, value_name = "HASH")]
    args_hash: Option<String>,
    #[command(flatten)]
    waiting: Waiting,
}

impl Binding {
    /// The hash that was shown, if one was given.
    pub(super) fn shown(&self) -> Option<String> {
        self.args_hash.clone()
    }

    /// Takes the decision, bound to `shown`.
    pub(super) async fn decide(
        &self,
        here: &Here,
        interrupt: InterruptId,
        decision: Decision,
        shown: Option<String>,
    ) -> Result<Answer, Failure> {
        let decide = Decide { interrupt, decision, shown, learn: true, by: By::Cli };
        let outcome = here.inbox().decisions().decide(decide).await?;
        self.waiting.follow(here, outcome).await
    }

    /// Accepts, and allows the like of it from now on. The grant comes first: where it is refused, nothing is accepted,
    /// and where accepting is, the grant is taken back.
    pub(super) async fn accept_and_grant(
        &self,
        here: &Here,
        interrupt: InterruptId,
        shown: Option<String>,
        request: GrantRequest,
    ) -> Result<Answer, Failure> {
        let given = here.inbox().grants().give(request).await;
        let given = given.map_err(|error| Failure::from_inbox(&error, Exit::Usage))?;
        let decide = Decide { interrupt, decision: Decision::Accept, shown, learn: true, by: By::Cli };
        match here.inbox().decisions().decide(decide).await {
            Ok(outcome) => self.waiting.follow(here, outcome).await,
            Err(error) => {
                here.inbox().grants().revoke(given.id).await?;
                Err(error.into())
            }
        }
    }

    /// Files a result away.
    pub(super) async fn file_away(&self, here: &Here, thread: ThreadId) -> Result<Answer, Failure> {
        self.unbound(&thread)?;
        let filed = here.inbox().decisions().file_away(thread).await;
        let outcome = filed.map_err(|error| Failure::from_inbox(&error, Exit::Gone))?;
        self.waiting.follow(here, outcome).await
    }

    /// Goes on after a result.
    pub(super) async fn go_on(
        &self,
        here: &Here,
        thread: ThreadId,
        words: String,
    ) -> Result<Answer, Failure> {
        self.unbound(&thread)?;
        let outcome = here.inbox().threads().proceed(thread, words).await?;
        self.waiting.follow(here, outcome).await
    }

    /// A result is read, not approved, and so has no hash.
    fn unbound(&self, thread: &ThreadId) -> Result<(), Failure> {
        match self.args_hash {
            None => Ok(()),
            Some(_) => Err(Failure::usage(format!(
                "`{thread}` names a result, and a result has no hash; leave --args-hash out"
            ))),
        }
    }
}

/// The interrupt of `target`; a result takes no such answer.
pub(super) fn not_a_result(target: Target, word: &str) -> Result<InterruptId, Failure> {
    match target {
        Target::Interrupt(id) => Ok(id),
        Target::Result(thread) => Err(Failure::usage(format!(
            "`{thread}` names a thread, and a result cannot be answered with {word}; accept files it away, \
             respond goes on"
        ))),
    }
}

/// Words from the command line, or from stdin where `-` stands for them.
pub(super) fn words(text: &str) -> Result<String, Failure> {
    let words = if text == "-" { read_stdin()? } else { text.to_owned() };
    if words.trim().is_empty() {
        return Err(Failure::usage("there are no words; say something, or use ignore"));
    }
    Ok(words.trim_end_matches(['\n', '\r']).to_owned())
}

/// Everything on stdin.
pub(super) fn read_stdin() -> Result<String, Failure> {
    std::io::read_to_string(std::io::stdin())
        .map_err(|e| Failure::usage(format!("stdin cannot be read: {e}; pipe UTF-8 text into it")))
}
