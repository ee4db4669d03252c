//! The program: turns the arguments into a verb and the verb into an exit code. Without a verb it shows the inbox.

use sayso::app::Setup;
use sayso::tools::cage::{self, reader};
use std::process::ExitCode;

fn main() -> ExitCode {
    // Must come first: the child must not run any other part of the program.
    if std::env::args_os().nth(1).is_some_and(|verb| verb == reader::VERB) {
        return reader::main();
    }
    if std::env::args_os().nth(1).is_some_and(|verb| verb == cage::VERB) {
        return cage::main();
    }
    sayso::cli::main(std::env::args_os(), Setup::workflows).into()
}
