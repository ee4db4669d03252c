//! The program: what was typed becomes a verb, and the verb an exit code; without one, the inbox is shown.

use sayso::app::{App, TourStep};
use sayso::config::Config;
use sayso::graph::BoxFuture;
use sayso::tools::{cage, sandbox};
use sayso::tui;
use std::process::ExitCode;
use std::sync::Arc;

/// The system's allocator, counting what is in use. Only the sandbox's child sets it a limit.
#[global_allocator]
static ALLOCATOR: monty_alloc::LimitedAllocator = monty_alloc::LimitedAllocator;

fn main() -> ExitCode {
    // Before anything else of the program has run: the child has nothing of it.
    if std::env::args_os().nth(1).is_some_and(|verb| verb == sandbox::VERB) {
        return sandbox::main();
    }
    if std::env::args_os().nth(1).is_some_and(|verb| verb == cage::VERB) {
        return cage::main();
    }
    sayso::cli::main(
        std::env::args_os(),
        |setup| Ok(setup.workflows()?),
        Box::new(show),
        tui::edit,
        check_keys,
    )
    .into()
}

fn check_keys(config: &Config) -> Result<(), String> {
    tui::Keymap::new(&config.keys, &config.commands).map(drop)
}

fn show(app: App, config: Arc<Config>, tour: Vec<TourStep>) -> BoxFuture<'static, anyhow::Result<()>> {
    let options = tui::Options { tour, ..(&*config).into() };
    Box::pin(async move { Ok(tui::run(app, options).await?) })
}
