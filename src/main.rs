//! The program: what was typed becomes a verb, and the verb an exit code; without one, the inbox is shown.

use sayso::app::Local;
use sayso::config::Config;
use sayso::graph::BoxFuture;
use sayso::tui;
use std::process::ExitCode;
use std::sync::Arc;

fn main() -> ExitCode {
    sayso::cli::main(std::env::args_os(), |setup| Ok(setup.workflows()?), Box::new(show), tui::edit).into()
}

fn show(local: Local, config: Arc<Config>) -> BoxFuture<'static, anyhow::Result<()>> {
    Box::pin(async move { Ok(tui::run(local, (&*config).into()).await?) })
}
