//! Commands that change nothing and run nothing else, whatever their arguments: listed by name, with the options that
//! were reviewed, and only with paths inside the folder. Anything not listed is not harmless.

use super::paths::file_inside;

struct HarmlessCommand {
    name: &'static str,
    /// Letters of options that take no value.
    flags: &'static str,
    /// Letters of options whose value is not a file.
    valued: &'static str,
    /// What its other words are.
    takes: Operands,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Operands {
    Files,
    /// A pattern, then files.
    Pattern,
    Text,
    /// No words. (`uniq` writes to its second one.)
    Nothing,
}

const fn harmless(
    name: &'static str,
    flags: &'static str,
    valued: &'static str,
    takes: Operands,
) -> HarmlessCommand {
    HarmlessCommand { name, flags, valued, takes }
}

const HARMLESS_COMMANDS: &[HarmlessCommand] = &[
    harmless("cat", "AbEenstTv", "", Operands::Files),
    harmless("cut", "sz", "bcdf", Operands::Files),
    harmless("echo", "neE", "", Operands::Text),
    harmless("false", "", "", Operands::Nothing),
    harmless("grep", "EFGPivwxcLlnoqshHrIaz", "ABCem", Operands::Pattern),
    harmless("head", "qvz", "nc", Operands::Files),
    harmless("ls", "aAbcCdFgGhHiklmnopqQrRsStuvxX1", "", Operands::Files),
    harmless("pwd", "LP", "", Operands::Nothing),
    harmless("sort", "bdfghiMnRrVcCmsuz", "kt", Operands::Files),
    harmless("tail", "qvz", "nc", Operands::Files),
    harmless("tr", "cCdst", "", Operands::Text),
    harmless("true", "", "", Operands::Nothing),
    harmless("uniq", "cdDiuz", "fsw", Operands::Nothing),
    harmless("wc", "clmLw", "", Operands::Files),
];

/// Long options that are harmless for every command that knows them.
const LONG: &[&str] = &[
    "--color",
    "--color=auto",
    "--color=always",
    "--color=never",
    "--count",
    "--ignore-case",
    "--line-number",
    "--recursive",
    "--reverse",
    "--unique",
    "--numeric-sort",
    "--fixed-strings",
    "--extended-regexp",
    "--files-with-matches",
    "--no-messages",
    "--quiet",
    "--only-matching",
    "--invert-match",
    "--word-regexp",
];
const LONG_VALUED: &[&str] =
    &["--lines=", "--bytes=", "--include=", "--exclude=", "--exclude-dir=", "--max-count="];

/// What a harmless command reads.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reads {
    /// Nothing but its input.
    Input,
    /// Files inside the folder.
    Files,
}

/// What a command reads, if it is harmless.
pub(super) fn reads(words: &[String], folder: &str) -> Option<Reads> {
    let (name, rest) = words.split_first()?;
    HARMLESS_COMMANDS.iter().find(|command| command.name == name)?.reads(rest, folder)
}

/// Whether a program only reads the files it is given.
pub(in super::super) fn is_reader(program: &str) -> bool {
    HARMLESS_COMMANDS.iter().any(|command| command.name == program)
}

impl HarmlessCommand {
    /// `None` if it does not understand a word, or is not harmless with it.
    fn reads(&self, words: &[String], folder: &str) -> Option<Reads> {
        let mut operands = Vec::new();
        let mut has_pattern = self.takes != Operands::Pattern;
        let mut words = words.iter().map(String::as_str);
        let mut reads_options = true;
        let mut is_recursive = false;
        while let Some(word) = words.next() {
            if !reads_options || !word.starts_with('-') || word == "-" {
                operands.push(word);
            } else if word == "--" {
                reads_options = false;
            } else if self.takes == Operands::Text && self.name == "echo" {
                // `echo` prints options it does not know.
            } else if word.starts_with("--") {
                let is_known =
                    LONG.contains(&word) || LONG_VALUED.iter().any(|start| word.starts_with(start));
                is_known.then_some(())?;
                is_recursive |= word == "--recursive";
            } else {
                for (at, letter) in word.char_indices().skip(1) {
                    if self.valued.contains(letter) {
                        has_pattern |= self.takes == Operands::Pattern && letter == 'e';
                        if word[at + letter.len_utf8()..].is_empty() {
                            words.next()?;
                        }
                        break;
                    }
                    // `head -5`, `grep -3`.
                    let is_count = letter.is_ascii_digit() && matches!(self.name, "head" | "tail" | "grep");
                    (is_count || self.flags.contains(letter)).then_some(())?;
                    is_recursive |= letter == 'r';
                }
            }
        }
        let files = match self.takes {
            Operands::Text => return Some(Reads::Input),
            Operands::Nothing => return operands.is_empty().then_some(Reads::Input),
            Operands::Files => operands.as_slice(),
            Operands::Pattern => operands.get(usize::from(!has_pattern)..).unwrap_or_default(),
        };
        let mut files = files.iter().filter(|file| **file != "-").peekable();
        // `grep -r` alone reads the whole folder.
        let reads_files = files.peek().is_some() || is_recursive && self.takes == Operands::Pattern;
        let is_inside = files.all(|file| file_inside(file, folder).is_some());
        is_inside.then_some(if reads_files { Reads::Files } else { Reads::Input })
    }
}
