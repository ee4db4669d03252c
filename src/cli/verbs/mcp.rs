//! `sayso mcp`: a server of the Model Context Protocol.

use crate::cli::context::Context;
use crate::cli::drive::Signals;
use crate::cli::failure::Failure;
use crate::cli::output::Output;
use crate::connect::mcp;

/// Let agents ask by the Model Context Protocol, on stdin and stdout
#[derive(Debug, clap::Args)]
#[command(
    after_help = "It offers the tools ask_person, request_approval, notify_person and check_answer. A client starts it \
    by itself; docs/agents.md has the lines for its config.\n\nExamples:\n  \
    sayso mcp\n  \
    claude mcp add sayso -- sayso mcp"
)]
pub struct Args {}

impl Args {
    pub(super) async fn run(self, context: Context) -> Result<Output, Failure> {
        let folder = context.open()?;
        let mut signals = Signals::listen();
        let served = mcp::serve(folder.inbox().clone(), signals.received()).await;
        served.map_err(|error| Failure::failed(format!("cannot communicate with the client: {error}")))?;
        Ok(Output::nothing())
    }
}
