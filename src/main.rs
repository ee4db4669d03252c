//! The program: what was typed becomes a verb, and the verb an exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    sayso::cli::main(std::env::args_os(), |setup| Ok(setup.workflows()?)).into()
}
