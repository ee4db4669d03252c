//! `sayso ask`: a question that an API answers.

use crate::cli::context::Context;
use crate::cli::drive::Waiting;
use crate::cli::failure::Failure;
use crate::cli::output::Answer;
use crate::cli::talk;
use crate::text;
use serde_json::{Map, Value};

/// Ask a question that an API answers
#[derive(Debug, clap::Args)]
#[command(
    after_help = "On a terminal the conversation is held right there; Ctrl-C and Ctrl-D leave it in the inbox. With \
    --wait, --json or without a terminal it is the same as `sayso start ask query=…`. `sayso apis list` shows what can \
    be asked. What only reads is asked at once; what changes something is shown first.\n\nExamples:\n  \
    sayso ask \"What are the trending tracks on Audius this week?\"\n  \
    sayso ask who follows Skrillex\n  \
    sayso ask \"Top 5 techno tracks\" --wait --json"
)]
pub(in crate::cli) struct Args {
    /// What you want to know
    #[arg(required = true, value_name = "TEXT")]
    query: Vec<String>,
    /// Ask for the next question after each answer
    #[arg(long)]
    follow_up: bool,
    #[command(flatten)]
    waiting: Waiting,
}

impl Args {
    pub(super) async fn run(self, context: Context<'_>) -> Result<Answer, Failure> {
        let here = context.open()?;
        let talks = talk::possible(&here.page) && !self.waiting.is_wanted();
        let input = here.with_model("ask", self.input(talks));
        let outcome = here.inbox().threads().start("ask".to_owned(), Value::Object(input)).await?;
        if talks {
            return talk::hold(&here, outcome.thread).await;
        }
        self.waiting.follow(&here, outcome).await
    }

    /// The keys of `start`.
    fn input(&self, talks: bool) -> Map<String, Value> {
        let query = text::typed(&self.query.join(" "));
        let keys = [("query", Value::from(query)), ("follow_up", Value::from(self.follow_up || talks))];
        keys.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
    }
}
