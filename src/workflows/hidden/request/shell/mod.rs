//! What the commands of a line are to warnings and to grants. Both read the line alike, with
//! [`crate::text::read_command_line`].

mod harmless;
mod paths;
mod programs;
mod segments;

use crate::text::{CommandLine, SimpleCommand, read_command_line};

pub(super) use harmless::is_reader;
pub(super) use paths::{file_inside, resolve};
use programs::scripts;
pub(super) use programs::{is_interpreter, program, programs_in, runs_what_it_reads, starts, takes_paths};
pub(super) use segments::{Segment, segments};

/// How many levels of scripts within scripts are looked into.
const MAX_DEPTH: usize = 6;

/// The commands of a line, including those in quoted scripts, and why they may not be all of them.
pub(super) fn commands(line: &str) -> CommandLine {
    let mut all = CommandLine::default();
    add(line, 0, &mut all);
    all
}

/// A command, and those in the scripts it runs.
pub(super) fn commands_within(command: &SimpleCommand) -> Vec<SimpleCommand> {
    let mut all = CommandLine { commands: vec![command.clone()], unread: None };
    scripts(command).iter().for_each(|script| add(script, 1, &mut all));
    all.commands
}

fn add(line: &str, depth: usize, all: &mut CommandLine) {
    let read = read_command_line(line);
    all.unread = all.unread.or(read.unread);
    for command in read.commands {
        for script in scripts(&command) {
            if depth < MAX_DEPTH {
                add(&script, depth + 1, all);
            } else {
                all.unread.get_or_insert("it runs scripts within scripts");
            }
        }
        all.commands.push(command);
    }
}

#[cfg(test)]
mod tests;
