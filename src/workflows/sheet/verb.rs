//! `sayso sheet`: work on a workbook.

use crate::inbox::StartVerb;
use serde::Serialize;

/// Work on a workbook with Python that you see before it runs
#[derive(Debug, Serialize, clap::Args)]
#[command(
    after_help = "Reads .xlsx, .xls, .ods and .csv. The code runs in this machine's Python, shut in, on a copy; what it \
    changes is written to NAME.result.xlsx (or .csv) beside the workbook, which itself is never touched. On a terminal the inbox \
    opens at its thread. With --wait, --json or without a terminal it is the same as `sayso start sheet workbook=… \
    instruction=…`.\n\nExamples:\n  \
    sayso sheet sales.xlsx -i \"Which region grew fastest? Mark the outliers.\"\n  \
    sayso sheet sales.csv -i \"top 5 by Amount\" --max-steps 4\n  \
    sayso sheet sales.xlsx -i \"sum Amount by Region\" --wait --json"
)]
pub(super) struct Args {
    /// The workbook
    #[arg(value_name = "BOOK")]
    workbook: String,
    /// What is to be done, or found out
    #[arg(short, long, value_name = "TEXT")]
    instruction: String,
    /// Also let the model look up headings and values
    #[arg(long)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    with_informer: bool,
    /// Ask after this many steps whether to go on [default: sheet.max_steps of the config, 10]
    #[arg(long, value_name = "N")]
    max_steps: Option<u32>,
}

impl StartVerb for Args {}
