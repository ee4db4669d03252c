//! The program: turns the arguments into a verb and the verb into an exit code. Without a verb it shows the inbox.

use sayso::app::{App, TourStep};
use sayso::config::Config;
use sayso::graph::BoxFuture;
use sayso::tools::{cage, sandbox};
use sayso::tui;
use std::process::ExitCode;
use std::sync::Arc;

/// The system's allocator, which counts the memory in use. Only the sandbox's child sets a limit.
#[global_allocator]
static ALLOCATOR: monty_alloc::LimitedAllocator = monty_alloc::LimitedAllocator;

fn main() -> ExitCode {
    // Must come first: the child must not run any other part of the program.
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
    let file = config.file.as_ref().map(|file| format!("{}: ", file.display())).unwrap_or_default();
    tui::Keymap::new(&config.keys, &config.commands).map(drop).map_err(|why| format!("{file}{why}"))
}

fn show(app: App, config: Arc<Config>, tour: Vec<TourStep>) -> BoxFuture<'static, anyhow::Result<()>> {
    let keys = check_keys(&config);
    let options = tui::Options { tour, ..(&*config).into() };
    Box::pin(async move {
        keys.map_err(anyhow::Error::msg)?;
        Ok(tui::run(app, options).await?)
    })
}
