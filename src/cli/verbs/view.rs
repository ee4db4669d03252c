//! `sayso view`: shows one card.

use crate::cli::context::Context;
use crate::cli::failure::{Exit, Failure};
use crate::cli::ids::{Target, target};
use crate::cli::output::{Format, Output};
use crate::cli::pages;
use crate::engine::graph::{AgentCall, Allowed, Warning};
use crate::inbox::door::action_words;
use crate::inbox::{Block, Item, pattern_words};
use crate::text::{Visible, clock, quoted_word};

/// Show one card: an interrupt, or a result by its thread
#[derive(Debug, clap::Args)]
#[command(
    hide = true,
    after_help = "Examples:\n  \
    sayso view i7k2m9q4x\n  \
    sayso view i7k2 --json | jq .args"
)]
pub struct Args {
    /// The interrupt, or the thread with a result
    pub(super) id: String,
}

impl Args {
    pub(super) async fn run(self, context: Context) -> Result<Output, Failure> {
        let target = target(&self.id)?;
        let folder = context.open()?;
        let (mut item, card) = match target {
            Target::Interrupt(id) => {
                let (question, card) = folder.inbox().decisions().card(id).await?;
                (Item::Question(Box::new(question)), card)
            }
            Target::Result(thread) => {
                let result = folder.inbox().decisions().result(thread).await;
                let (result, card) = result.map_err(|error| Failure::from_inbox(&error, Exit::Gone))?;
                (Item::Result(result), card)
            }
        };
        item.set_text(pages::card_or_args(card.text(), item.title(), item.data()));
        let warned = card.blocks.iter().any(|block| matches!(block, Block::Warnings(_)));
        folder.format.answer(&item, |format| text(format, &item, warned))
    }
}

/// Whether the card begins with its title, as a heading or not; warnings may come before it.
fn is_titled(item: &Item) -> bool {
    let title = Visible::line(item.title());
    let warns =
        |line: &str| item.warnings().iter().any(|warning| line == Visible::line(&warning.line()).as_str());
    let first = item.text().lines().find(|line| !line.trim().is_empty() && !warns(line));
    first.unwrap_or_default().trim_start_matches(['#', ' ']).starts_with(title.as_str())
}

/// `warned` says that the card itself shows the warnings.
fn text(format: &Format, item: &Item, warned: bool) -> String {
    let question = item.question();
    let source = question.and_then(|question| question.source.as_ref());
    let from = source.map(|source| format!(" · from {source}")).unwrap_or_default();
    let mut out = format!(
        "{} · {} · {} · thread {} ({}){from} · {} ago\n",
        item.id(),
        item.kind().word(),
        action_words(item.workflow(), item.action()),
        item.thread(),
        item.workflow(),
        format.age(item.created_at())
    );
    let mut line = |text: &str| {
        out.push_str(&Visible::line(text));
        out.push('\n');
    };
    if !is_titled(item) {
        line(item.title());
    }
    for warning in item.warnings().iter().filter(|_| !warned) {
        line(&warning.line());
    }
    if let Some(until) = question.and_then(|question| question.snoozed_until) {
        line(&format!("snoozed until {}", format.time(until)));
    }
    if let Some(left) = question.and_then(|question| question.patience_left(format.now)) {
        line(&format!("the asker gives up in {}", clock(left)));
    }
    if let Some(why) = question.and_then(|question| question.closed.as_ref()) {
        return format!("{out}\n{}\n\nno longer open: {}\n", item.text().trim_end(), Visible::line(why));
    }
    let hash = item.hash().map(|hash| format!("\nargs_hash: {hash}")).unwrap_or_default();
    format!("{out}\n{}\n\n{}{hash}\n", item.text().trim_end(), Visible::line(&answers(item)))
}

/// The possible answers to the card, and what an answer can allow from then on.
fn answers(item: &Item) -> String {
    let labels = item.labels();
    let choices = item.allow().answers(&labels).map(|(word, label)| match label {
        Some(label) => format!("{word} ({label})"),
        None => word.to_owned(),
    });
    let mut answers = format!("answers: {}", choices.collect::<Vec<_>>().join(", "));
    let Some(question) = item.question() else { return answers };
    if question.irreversible {
        answers.push_str("; what is accepted cannot be taken back once it is done");
    }
    if Warning::need_confirmation(&question.warnings) {
        return answers;
    }
    if question.grantable.thread {
        answers.push_str("; accept --grant thread allows it for the thread");
    }
    if let Some(sender) = &question.grantable.sender {
        answers.push_str(&format!("; accept --grant sender allows it for mail from {sender}"));
    }
    if let Some(call) = &question.grantable.call {
        answers.push_str(&grants_of_call(call));
    }
    answers
}

/// What `--grant` can allow for a program's call.
fn grants_of_call(call: &AgentCall) -> String {
    let option = |allowed: Allowed| quoted_word(&pattern_words(&allowed, call));
    let mut all = format!("; accept --grant {} allows it again", option(call.exactly()));
    if let Some(open) = call.with_paths_open() {
        all.push_str(&format!(", --grant {} with other paths", option(open)));
    }
    all
}
