//! A line as grants see it: one command after another, each either harmless or in need of permission.
//!
//! Only lines that are fully understood are split into segments: pipelines and lists of commands whose words are plain
//! or quoted text. If a shell would do more (substitutions, variables, patterns, redirections to files, assignments,
//! compound commands, jobs, commands that change the shell itself), a person has to see the whole line.

use super::harmless::is_harmless;
use super::paths::{file_inside, resolve};
use super::{options, program};
use brush_parser::ast::{
    AndOr, AndOrList, Command, CommandPrefixOrSuffixItem, IoFileRedirectKind, IoFileRedirectTarget,
    IoRedirect, Pipeline, Program, SeparatorOperator, SimpleCommand, Word,
};
use brush_parser::word::{WordPiece, WordPieceWithSource, parse as parse_word};

/// The commands of a line that still need permission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Segments {
    /// The commands that are not harmless, in order.
    pub needed: Vec<Segment>,
    /// The number of all commands.
    pub count: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Segment {
    /// Its words without quotes.
    pub words: Vec<String>,
    /// The folder it runs in.
    pub folder: String,
}

/// Why a line can only be judged as a whole, in a few words.
pub(in super::super) type UnsplitReason = &'static str;

/// Splits a line that runs in a folder.
pub(in super::super) fn segments(line: &str, folder: &str) -> Result<Segments, UnsplitReason> {
    if line.chars().any(|c| c.is_control() && c != '\n' && c != '\t') {
        return Err("it holds control characters");
    }
    let program = program(line).map_err(|_| "it cannot be read as a shell command")?;
    // Text the grammar skipped, such as a comment, would not be on record.
    if without_spaces(line) != without_spaces(&program.to_string()) {
        return Err("part of it cannot be read from its text");
    }
    let (start, segments) = (folder.to_owned(), Segments { needed: Vec::new(), count: 0 });
    Splitter { folder: start.clone(), start, has_moved: false, segments }.program(&program)
}

fn without_spaces(line: &str) -> String {
    line.chars().filter(|c| !c.is_whitespace() && *c != ';').collect()
}

struct Splitter {
    /// Where the line starts. Reading is harmless only in there.
    start: String,
    /// Where the next command runs.
    folder: String,
    /// Whether an earlier list changed the folder, so that it is unclear where the next one runs.
    has_moved: bool,
    segments: Segments,
}

impl Splitter {
    fn program(mut self, program: &Program) -> Result<Segments, UnsplitReason> {
        for item in program.complete_commands.iter().flat_map(|list| &list.0) {
            if matches!(item.1, SeparatorOperator::Async) {
                return Err("it runs in the background");
            }
            if self.has_moved {
                return Err("it is unclear which folder it ends up in");
            }
            self.list(&item.0)?;
        }
        if self.segments.count == 0 {
            return Err("there is no command in it");
        }
        Ok(self.segments)
    }

    fn list(&mut self, list: &AndOrList) -> Result<(), UnsplitReason> {
        let mut changes_folder = self.pipeline(&list.first)?;
        for next in &list.additional {
            match next {
                AndOr::And(pipeline) => changes_folder |= self.pipeline(pipeline)?,
                AndOr::Or(_) if changes_folder => return Err("it is unclear which folder it ends up in"),
                AndOr::Or(pipeline) => {
                    if self.pipeline(pipeline)? {
                        return Err("it is unclear which folder it ends up in");
                    }
                }
            }
        }
        self.has_moved |= changes_folder;
        Ok(())
    }

    /// Judges a pipeline and returns whether it changes the folder.
    fn pipeline(&mut self, pipeline: &Pipeline) -> Result<bool, UnsplitReason> {
        if pipeline.bang || pipeline.timed.is_some() {
            return Err("it begins with `!` or `time`");
        }
        let is_alone = pipeline.seq.len() == 1;
        for (n, command) in pipeline.seq.iter().enumerate() {
            let Command::Simple(simple) = command else {
                return Err("it is a loop, a condition, a group or a function");
            };
            let words = words(simple)?;
            self.segments.count += 1;
            let name = words.first().map(String::as_str).unwrap_or_default();
            if name == "cd" {
                return if is_alone { self.cd(&words) } else { Err("it changes the folder within a pipe") };
            }
            if CHANGES_SHELL.contains(&name) {
                return Err("it changes the shell itself, or runs text");
            }
            if file_inside(&self.folder, &self.start).is_some() && is_harmless(&words, &self.folder) {
                continue;
            }
            // What it does may depend on its input.
            if n > 0 {
                return Err("a command in it reads what another one writes");
            }
            self.segments.needed.push(Segment { words, folder: self.folder.clone() });
        }
        Ok(false)
    }

    fn cd(&mut self, words: &[String]) -> Result<bool, UnsplitReason> {
        let [_, target] = words else { return Err("it is unclear which folder it changes to") };
        if target.is_empty() || target.starts_with('-') {
            return Err("it is unclear which folder it changes to");
        }
        let folder = resolve(target, &self.folder);
        let Some(folder) = folder.to_str() else { return Err("it is unclear which folder it changes to") };
        let changes_folder = folder != self.folder;
        self.folder = folder.to_owned();
        Ok(changes_folder)
    }
}

/// Builtins that change what later words mean, or that run text.
const CHANGES_SHELL: &[&str] = &[
    ".",
    "alias",
    "bind",
    "builtin",
    "caller",
    "command",
    "complete",
    "compgen",
    "compopt",
    "coproc",
    "declare",
    "dirs",
    "disown",
    "enable",
    "eval",
    "exec",
    "exit",
    "export",
    "fc",
    "fg",
    "bg",
    "getopts",
    "hash",
    "history",
    "jobs",
    "let",
    "local",
    "logout",
    "mapfile",
    "popd",
    "printf",
    "pushd",
    "read",
    "readarray",
    "readonly",
    "return",
    "set",
    "shift",
    "shopt",
    "source",
    "suspend",
    "test",
    "[",
    "times",
    "trap",
    "type",
    "typeset",
    "ulimit",
    "umask",
    "unalias",
    "unset",
    "wait",
    "break",
    "continue",
];

fn words(command: &SimpleCommand) -> Result<Vec<String>, UnsplitReason> {
    let mut words = Vec::new();
    for item in command.prefix.iter().flat_map(|prefix| &prefix.0) {
        match item {
            CommandPrefixOrSuffixItem::IoRedirect(redirect) => harmless_redirect(redirect)?,
            _ => return Err("it sets variables"),
        }
    }
    let Some(name) = &command.word_or_name else { return Err("it sets variables") };
    words.push(literal(name)?);
    for item in command.suffix.iter().flat_map(|suffix| &suffix.0) {
        match item {
            CommandPrefixOrSuffixItem::IoRedirect(redirect) => harmless_redirect(redirect)?,
            // After the command name, `--opt=x` is a word like any other; an array is not.
            CommandPrefixOrSuffixItem::Word(word) | CommandPrefixOrSuffixItem::AssignmentWord(_, word) => {
                words.push(literal(word)?);
            }
            CommandPrefixOrSuffixItem::ProcessSubstitution(..) => return Err(SUBSTITUTES),
        }
    }
    match words.first() {
        Some(name) if !name.is_empty() && !name.contains('=') => Ok(words),
        _ => Err("it names no program"),
    }
}

const SUBSTITUTES: UnsplitReason = "it holds variables, patterns or substitutions";
const REDIRECTS: UnsplitReason = "it reads or writes files by redirection";

/// Accepts a redirection that touches no file: between streams, or to `/dev/null`.
fn harmless_redirect(redirect: &IoRedirect) -> Result<(), UnsplitReason> {
    let is_null = |word: &Word| literal(word).is_ok_and(|file| file == "/dev/null");
    let is_allowed = match redirect {
        IoRedirect::File(_, kind, target) => match (kind, target) {
            (IoFileRedirectKind::DuplicateOutput, IoFileRedirectTarget::Fd(fd)) => matches!(fd, 1 | 2),
            (IoFileRedirectKind::DuplicateOutput, IoFileRedirectTarget::Duplicate(word)) => {
                matches!(word.value.as_str(), "1" | "2")
            }
            (
                IoFileRedirectKind::Read | IoFileRedirectKind::Write | IoFileRedirectKind::Append,
                IoFileRedirectTarget::Filename(word),
            ) => is_null(word),
            _ => false,
        },
        IoRedirect::OutputAndError(word, _) => is_null(word),
        IoRedirect::HereDocument(..) | IoRedirect::HereString(..) => false,
    };
    if is_allowed { Ok(()) } else { Err(REDIRECTS) }
}

/// The text of a word that is only text.
fn literal(word: &Word) -> Result<String, UnsplitReason> {
    let pieces = parse_word(&word.value, &options()).map_err(|_| SUBSTITUTES)?;
    let mut out = String::new();
    collect(&pieces, false, &mut out)?;
    Ok(out)
}

fn collect(pieces: &[WordPieceWithSource], quoted: bool, out: &mut String) -> Result<(), UnsplitReason> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=@,+%^".contains(c);
    for piece in pieces {
        match &piece.piece {
            WordPiece::Text(text) if quoted || text.chars().all(is_plain) => out.push_str(text),
            WordPiece::SingleQuotedText(text) => out.push_str(text),
            WordPiece::EscapeSequence(text) => {
                match text.strip_prefix('\\').map(|rest| (rest, rest.chars().count())) {
                    // Inside quotes, a backslash stays in front of most characters.
                    Some((rest, 1)) if !quoted || "$`\"\\".contains(rest) => out.push_str(rest),
                    _ => return Err(SUBSTITUTES),
                }
            }
            WordPiece::DoubleQuotedSequence(inner) if !quoted => collect(inner, true, out)?,
            _ => return Err(SUBSTITUTES),
        }
    }
    Ok(())
}
