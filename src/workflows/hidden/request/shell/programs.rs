//! Programs that only start another one, and programs that run a text.

use crate::text::SimpleCommand;
use crate::tools::process::SHELLS;

/// Programs other than shells that run what they read.
const INTERPRETERS: &[&str] = &["python", "node", "perl", "ruby", "php", "lua", "deno", "bun"];

/// Whether a program runs the text it is given, or the text it reads.
pub(in super::super) fn is_interpreter(program: &str) -> bool {
    let bare = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    SHELLS.contains(&program) || INTERPRETERS.contains(&bare)
}

/// The program that finally runs, without its folder, and its words; programs that only start another one are skipped.
pub(in super::super) fn program(mut words: &[String]) -> (&str, &[String]) {
    loop {
        let Some((first, rest)) = words.split_first() else { return ("", &[]) };
        let name = first.rsplit('/').next().unwrap_or_default();
        let is_assignment = first.split_once('=').is_some_and(|(name, _)| is_name(name));
        words = match STARTERS.iter().find(|starter| starter.name == name) {
            Some(starter) => starter.started_program(rest),
            None if is_assignment => rest,
            None => return (name, rest),
        };
    }
}

/// Whether a command runs one of these programs, or uses one to start another.
pub(in super::super) fn starts(words: &[String], names: &[&str]) -> bool {
    let skipped = words.len() - program(words).1.len();
    words.iter().take(skipped).any(|word| names.contains(&word.rsplit('/').next().unwrap_or_default()))
}

/// Whether a command starts an interpreter without a program of its own, so that it runs what it reads.
pub(in super::super) fn runs_what_it_reads(words: &[String]) -> bool {
    let (program, rest) = program(words);
    is_interpreter(program) && reads_program(rest)
}

fn reads_program(words: &[String]) -> bool {
    let is_program = |word: &String| !word.starts_with('-') || matches!(word.as_str(), "-c" | "-e" | "-m");
    !words.iter().any(is_program) || words.iter().any(|word| word == "-s" || word == "-")
}

/// The words of a command that may name a program or a script.
pub(in super::super) fn programs_in(words: &[String]) -> Vec<&str> {
    let (name, rest) = program(words);
    let (starts, args) = words.split_at(words.len() - rest.len());
    let scripts = if is_interpreter(name) && !runs_module(rest) { args } else { &[] };
    starts.iter().filter(|word| word.contains('/')).chain(scripts).map(String::as_str).collect()
}

/// Whether a command does something with the paths it is given other than running them.
pub(in super::super) fn takes_paths(words: &[String]) -> bool {
    let (name, rest) = program(words);
    words.len() == rest.len() + 1 && (!is_interpreter(name) || runs_module(rest))
}

/// `python -m pytest tests/a.py`: what follows are the module's arguments.
fn runs_module(words: &[String]) -> bool {
    words.first().is_some_and(|word| word == "-m") && words.len() > 1
}

/// The text a command hands to another shell.
pub(in super::super) fn scripts(command: &SimpleCommand) -> Vec<String> {
    let (program, rest) = program(&command.words);
    match program {
        program if SHELLS.contains(&program) => {
            let at = rest.iter().position(|word| word.starts_with('-') && word.ends_with('c'));
            at.and_then(|at| rest.get(at + 1)).cloned().into_iter().collect()
        }
        "eval" => vec![rest.join(" ")],
        _ => Vec::new(),
    }
}

/// A program that only starts another one.
struct Starter {
    name: &'static str,
    /// Letters of options that take a value.
    valued: &'static str,
    /// Long options whose value is the next word.
    long: &'static [&'static str],
    /// The number of words before the program it starts.
    words: usize,
}

const fn starter(name: &'static str, valued: &'static str, long: &'static [&'static str]) -> Starter {
    Starter { name, valued, long, words: 0 }
}

const STARTERS: &[Starter] = &[
    starter(
        "sudo",
        "CDghpRrTtUu",
        &["--user", "--group", "--host", "--prompt", "--chdir", "--chroot", "--role", "--type"],
    ),
    starter("doas", "Cu", &[]),
    starter("pkexec", "", &["--user"]),
    starter("env", "uCa", &["--unset", "--chdir", "--argv0"]),
    starter("busybox", "", &[]),
    starter("nohup", "", &[]),
    starter("time", "fo", &["--format", "--output"]),
    starter("nice", "n", &["--adjustment"]),
    starter("ionice", "cnpPu", &["--class", "--classdata"]),
    starter("exec", "a", &[]),
    starter("command", "", &[]),
    starter("builtin", "", &[]),
    starter(
        "xargs",
        "adEILnPs",
        &[
            "--arg-file",
            "--delimiter",
            "--max-args",
            "--max-procs",
            "--max-chars",
            "--max-lines",
            "--replace",
        ],
    ),
    starter("setsid", "", &[]),
    starter("stdbuf", "ioe", &["--input", "--output", "--error"]),
    Starter { words: 1, ..starter("timeout", "ks", &["--kill-after", "--signal"]) },
];

impl Starter {
    /// The program it starts, with its words.
    fn started_program<'w>(&self, mut words: &'w [String]) -> &'w [String] {
        while let Some((option, rest)) = words.split_first().filter(|(word, _)| word.starts_with('-')) {
            if option == "--" {
                words = rest;
                break;
            }
            // In `-kn5` the value follows its letter; in `-kn 5` it is the next word.
            let takes_value = match option.strip_prefix("--") {
                Some(_) => self.long.contains(&option.as_str()),
                None => option.find(|c| self.valued.contains(c)) == Some(option.len() - 1),
            };
            words = &rest[usize::from(takes_value).min(rest.len())..];
        }
        &words[self.words.min(words.len())..]
    }
}

fn is_name(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
