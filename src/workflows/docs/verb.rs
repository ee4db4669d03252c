//! `sayso docs`: pages about a code base.

use crate::inbox::StartVerb;
use serde::Serialize;

/// Write pages about a code base, by agents that question and refine what they wrote
#[derive(Debug, Serialize, clap::Args)]
#[command(
    after_help = "Six agents write a page each (files, dependencies, architecture, patterns, data flow, tests) and an index. \
    A page you changed is kept beside the new one, dated. On a terminal the inbox opens at its thread. \
    With --wait, --json or without a terminal it is the same as `sayso start docs dir=…`.\n\nExamples:\n  \
    sayso docs .\n  \
    sayso docs ~/src/project --out ~/notes/project --clarity-threshold 90 --max-iterations 5\n  \
    sayso docs . --ask-human --approve-over-tokens 50000 --model cheap\n  \
    sayso docs . --enable-self-questioning false --wait --json"
)]
pub(super) struct Args {
    /// The folder of the code base
    #[arg(value_name = "DIR")]
    dir: String,
    /// The folder the pages go to [default: docs-sayso inside the code base]
    #[arg(long, value_name = "DIR")]
    out: Option<String>,
    /// How many times an agent refines its page at most
    #[arg(long, value_name = "N")]
    max_iterations: Option<u32>,
    /// The score, out of 100, at which a page is good enough
    #[arg(long, value_name = "SCORE")]
    clarity_threshold: Option<u32>,
    /// How many points a refinement has to gain for another to follow
    #[arg(long, value_name = "POINTS")]
    min_improvement: Option<u32>,
    /// Whether agents question and refine what they wrote at all
    #[arg(long, value_name = "YES", num_args = 0..=1, default_missing_value = "true")]
    enable_self_questioning: Option<bool>,
    /// Ask you what no file can answer
    #[arg(long)]
    ask_human: bool,
    /// Ask before a refinement that would take more tokens than this, by estimate
    #[arg(long, value_name = "TOKENS")]
    approve_over_tokens: Option<u64>,
}

impl StartVerb for Args {}
