//! The program: what was typed becomes a verb, and the verb an exit code; without one, the inbox is shown.

use sayso::app::Local;
use sayso::config::Config;
use sayso::tui;
use std::process::ExitCode;
use std::sync::Arc;

fn main() -> ExitCode {
    let screen = |local: Local, config: Arc<Config>| {
        let options = tui::Options {
            theme: config.theme,
            keys: config.keys.clone(),
            notices: config.notices,
            time_zone: config.user.time_zone.clone(),
            ..tui::Options::default()
        };
        let shown: sayso::graph::BoxFuture<'static, anyhow::Result<()>> =
            Box::pin(async move { Ok(tui::run(local, options).await?) });
        shown
    };
    sayso::cli::main(std::env::args_os(), |setup| Ok(setup.workflows()?), Box::new(screen)).into()
}
