//! `sayso decisions`: past decisions, who made them, and how they ended.

use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::output::{Answer, Format};
use crate::cli::pages;
use crate::cli::table::{cut, full, name, table};
use crate::inbox::{AnswerKind, DecidedBy, DecisionEnd, DecisionLine, DecisionQuery};
use crate::text::when;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use strum::VariantArray;

/// List past decisions: who decided what, and how it ended
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Words narrow the list to decisions whose title, sender, agent, tool, answer or outcome \
    contains all of them; from:, kind:, workflow:, is:, older: and newer: work as on the screen.\n\nExamples:\n  \
    sayso decisions --since 7d\n  \
    sayso decisions ines --answer edit\n  \
    sayso decisions \"claude code\" refused --since yesterday\n  \
    sayso decisions --end failed --json"
)]
pub(in crate::cli) struct Args {
    /// Only where these words occur
    words: Vec<String>,
    /// Only since then: 2h, 7d, yesterday, 2026-11-01
    #[arg(long, value_name = "WHEN")]
    since: Option<String>,
    /// Only before then
    #[arg(long, value_name = "WHEN")]
    until: Option<String>,
    /// Only this answer
    #[arg(long, value_name = "ANSWER", value_parser = answers())]
    answer: Option<AnswerKind>,
    /// Only those with this outcome
    #[arg(long, value_name = "END", value_parser = ends())]
    end: Option<DecisionEnd>,
    /// Only of this workflow
    #[arg(long, value_name = "WORKFLOW")]
    workflow: Option<String>,
    /// At most this many
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
}

fn answers() -> impl TypedValueParser<Value = AnswerKind> {
    PossibleValuesParser::new(AnswerKind::VARIANTS.iter().map(<&'static str>::from))
        .try_map(|word| word.parse::<AnswerKind>())
}

fn ends() -> impl TypedValueParser<Value = DecisionEnd> {
    PossibleValuesParser::new(DecisionEnd::VARIANTS.iter().map(<&'static str>::from))
        .try_map(|word| word.parse::<DecisionEnd>())
}

impl Args {
    pub(super) async fn run(self, context: Context<'_>) -> Result<Answer, Failure> {
        let folder = context.open()?;
        let now = folder.format.now.to_zoned(folder.format.zone.clone());
        let past = |word: &Option<String>| {
            word.as_deref().map(|word| when::parse_past(word, &now)).transpose().map_err(Failure::usage)
        };
        let words = DecisionQuery::parse(&self.words.join(" "), &now).map_err(Failure::usage)?;
        let query = DecisionQuery {
            since: past(&self.since)?.or(words.since),
            until: past(&self.until)?.or(words.until),
            answer: self.answer,
            end: self.end,
            workflow: self.workflow.or(words.workflow.clone()),
            ..words
        };
        let limit = usize::try_from(self.limit).unwrap_or(usize::MAX);
        let decisions = pages::decisions(folder.inbox(), query, limit).await?;
        folder.format.answer(&decisions, |format| text(format, &decisions))
    }
}

fn text(format: &Format, decisions: &[DecisionLine]) -> String {
    if decisions.is_empty() {
        return "No decision matches.\n".to_owned();
    }
    let row = |line: &DecisionLine| {
        [
            format.time(line.at),
            line.outcome.clone(),
            line.by.as_ref().map_or_else(|| "you".to_owned(), decider),
            line.source.clone().unwrap_or_else(|| line.workflow.clone()),
            line.thread.to_string(),
            line.title.clone(),
        ]
    };
    let rows: Vec<_> = decisions.iter().map(row).collect();
    let columns = [full("WHEN"), full("OUTCOME"), full("BY"), name("FROM"), full("THREAD"), cut("TITLE")];
    table(format, columns, &rows)
}

fn decider(by: &DecidedBy) -> String {
    match by {
        DecidedBy::Tui | DecidedBy::Cli => "you".to_owned(),
        DecidedBy::Grant(_) | DecidedBy::Expiry => by.words(),
    }
}
