//! `sayso ask`: a question that an API answers.

use crate::inbox::StartVerb;
use crate::text;
use serde::Serialize;
use serde_json::{Map, Value};

/// Ask a question that an API answers
#[derive(Debug, Serialize, clap::Args)]
#[command(
    after_help = "On a terminal the inbox opens at its thread. With --wait, --json or without a terminal it is the same as `sayso start ask query=…`. `sayso apis list` shows what can \
    be asked. What only reads is asked at once; what changes something is shown first.\n\nExamples:\n  \
    sayso ask \"What are the trending tracks on Audius this week?\"\n  \
    sayso ask who follows Skrillex\n  \
    sayso ask \"Top 5 techno tracks\" --wait --json"
)]
pub(super) struct Args {
    /// What you want to know
    #[arg(required = true, value_name = "TEXT")]
    query: Vec<String>,
    /// Ask for the next question after each answer
    #[arg(long)]
    follow_up: bool,
}

impl StartVerb for Args {
    fn input(&self, talks: bool) -> Map<String, Value> {
        let query = text::sanitize_typed(&self.query.join(" "));
        let keys = [("query", Value::from(query)), ("follow_up", Value::from(self.follow_up || talks))];
        keys.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
    }
}
