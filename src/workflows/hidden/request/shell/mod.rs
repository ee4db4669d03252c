//! Parses shell lines with a grammar: the commands in a line with their words, wherever they are, and the files their
//! output goes to. A line the grammar cannot read is reported as unread, never taken for empty.

mod harmless;
mod paths;
mod segments;

use crate::tools::process::SHELLS;
use brush_parser::ast::{
    AndOrList, AssignmentValue, Command, CommandPrefixOrSuffixItem, CompoundCommand, CompoundList,
    IoFileRedirectKind, IoFileRedirectTarget, IoRedirect, Pipeline, Program, RedirectList, SimpleCommand,
    Word,
};
use brush_parser::word::{WordPiece, WordPieceWithSource, parse as parse_word};
use brush_parser::{Parser, ParserOptions};

pub(super) use paths::file_inside;
pub(super) use segments::{Segment, segments};

/// How many levels of substitutions and scripts within scripts are looked into.
const MAX_DEPTH: usize = 6;

/// Longer lines are not parsed: parsing takes time, and nobody reads such lines either.
const MAX_LINE_BYTES: usize = 32 * 1024;

/// How deep brackets and compound commands may nest, and how many there may be: each level costs the parser memory and
/// time.
const MAX_NESTING: usize = 8;
const MAX_NESTED: usize = 64;

/// One command of a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ParsedCommand {
    /// Its words without quotes.
    pub words: Vec<String>,
    /// Whether it reads another command's output.
    pub piped: bool,
    /// The files its output goes to.
    pub writes: Vec<String>,
}

/// A line that the grammar does not cover, or that is too long or too deep for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unparsable;

/// The commands of a line, including those in substitutions and quoted scripts, and whether these are all of them.
pub(super) fn commands(line: &str) -> (Vec<ParsedCommand>, Result<(), Unparsable>) {
    let mut reader = Reader { commands: Vec::new() };
    let result = reader.line(line, 0);
    (reader.commands, result)
}

/// Parses a line.
fn program(line: &str) -> Result<Program, Unparsable> {
    if line.len() > MAX_LINE_BYTES || !is_shallow(line) {
        return Err(Unparsable);
    }
    Parser::new(line.as_bytes(), &options()).parse_program().map_err(|_| Unparsable)
}

fn options() -> ParserOptions {
    ParserOptions { tilde_expansion_after_colon: true, ..ParserOptions::default() }
}

/// Whether a line nests no deeper than the parser can follow with little memory. Quotes are ignored: this errs on the
/// safe side.
fn is_shallow(line: &str) -> bool {
    let (mut depth, mut deepest, mut count) = (0usize, 0usize, 0usize);
    for c in line.chars() {
        match c {
            '(' | '{' | '[' => {
                depth += 1;
                count += 1;
            }
            ')' | '}' | ']' => depth = depth.saturating_sub(1),
            '`' => count += 1,
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    let opening_words = ["if", "while", "until", "for", "case", "select", "coproc", "function", "!", "time"];
    let keywords = line.split(|c: char| c.is_whitespace() || ";|&(){}".contains(c));
    count += keywords.filter(|word| opening_words.contains(word)).count();
    deepest <= MAX_NESTING && count <= MAX_NESTED
}

struct Reader {
    commands: Vec<ParsedCommand>,
}

type ReadResult = Result<(), Unparsable>;

impl Reader {
    fn line(&mut self, line: &str, depth: usize) -> ReadResult {
        if depth > MAX_DEPTH {
            return Err(Unparsable);
        }
        let program = program(line)?;
        program.complete_commands.iter().try_for_each(|list| self.list(list, depth))
    }

    fn list(&mut self, list: &CompoundList, depth: usize) -> ReadResult {
        list.0.iter().try_for_each(|item| self.and_or(&item.0, depth))
    }

    fn and_or(&mut self, list: &AndOrList, depth: usize) -> ReadResult {
        list.into_iter().try_for_each(|(_, pipeline)| self.pipeline(pipeline, depth))
    }

    fn pipeline(&mut self, pipeline: &Pipeline, depth: usize) -> ReadResult {
        pipeline.seq.iter().enumerate().try_for_each(|(n, command)| self.command(command, n > 0, depth))
    }

    fn command(&mut self, command: &Command, piped: bool, depth: usize) -> ReadResult {
        match command {
            Command::Simple(simple) => self.simple(simple, piped, depth),
            Command::Compound(compound, redirects) => {
                self.redirects(redirects.as_ref(), depth)?;
                self.compound(compound, depth)
            }
            Command::Function(function) => {
                self.redirects(function.body.1.as_ref(), depth)?;
                self.compound(&function.body.0, depth)
            }
            Command::ExtendedTest(test, redirects) => {
                self.redirects(redirects.as_ref(), depth)?;
                self.text(&test.expr.to_string(), depth).map(|_| ())
            }
        }
    }

    fn compound(&mut self, compound: &CompoundCommand, depth: usize) -> ReadResult {
        match compound {
            CompoundCommand::Arithmetic(arithmetic) => self.text(&arithmetic.expr.value, depth).map(|_| ()),
            CompoundCommand::ArithmeticForClause(each) => {
                for part in [&each.initializer, &each.condition, &each.updater].into_iter().flatten() {
                    self.text(&part.value, depth)?;
                }
                self.list(&each.body.list, depth)
            }
            CompoundCommand::BraceGroup(group) => self.list(&group.list, depth),
            CompoundCommand::Subshell(shell) => self.list(&shell.list, depth),
            CompoundCommand::ForClause(each) => {
                each.values.iter().flatten().try_for_each(|word| self.word(word, depth).map(|_| ()))?;
                self.list(&each.body.list, depth)
            }
            CompoundCommand::CaseClause(case) => {
                self.word(&case.value, depth)?;
                for item in &case.cases {
                    item.patterns.iter().try_for_each(|word| self.word(word, depth).map(|_| ()))?;
                    item.cmd.iter().try_for_each(|list| self.list(list, depth))?;
                }
                Ok(())
            }
            CompoundCommand::IfClause(cases) => {
                self.list(&cases.condition, depth)?;
                self.list(&cases.then, depth)?;
                for other in cases.elses.iter().flatten() {
                    other.condition.iter().try_for_each(|list| self.list(list, depth))?;
                    self.list(&other.body, depth)?;
                }
                Ok(())
            }
            CompoundCommand::WhileClause(repeated) | CompoundCommand::UntilClause(repeated) => {
                self.list(&repeated.0, depth)?;
                self.list(&repeated.1.list, depth)
            }
            CompoundCommand::Coprocess(process) => self.command(&process.body, false, depth),
        }
    }

    fn simple(&mut self, command: &SimpleCommand, piped: bool, depth: usize) -> ReadResult {
        let mut simple = ParsedCommand { piped, ..ParsedCommand::default() };
        let prefix = command.prefix.iter().flat_map(|prefix| &prefix.0);
        for item in prefix {
            self.item(item, &mut simple, depth)?;
        }
        if let Some(name) = &command.word_or_name {
            let name = self.word(name, depth)?;
            simple.words.push(name);
        }
        for item in command.suffix.iter().flat_map(|suffix| &suffix.0) {
            self.item(item, &mut simple, depth)?;
        }
        for script in scripts(&simple) {
            self.line(&script, depth + 1)?;
        }
        self.commands.push(simple);
        Ok(())
    }

    fn item(
        &mut self,
        item: &CommandPrefixOrSuffixItem,
        simple: &mut ParsedCommand,
        depth: usize,
    ) -> ReadResult {
        match item {
            CommandPrefixOrSuffixItem::IoRedirect(redirect) => self.redirect(redirect, simple, depth)?,
            CommandPrefixOrSuffixItem::Word(word) => {
                let word = self.word(word, depth)?;
                simple.words.push(word);
            }
            CommandPrefixOrSuffixItem::AssignmentWord(assignment, word) => {
                if let AssignmentValue::Array(items) = &assignment.value {
                    items.iter().try_for_each(|(_, word)| self.word(word, depth).map(|_| ()))?;
                }
                let word = self.word(word, depth)?;
                simple.words.push(word);
            }
            CommandPrefixOrSuffixItem::ProcessSubstitution(_, shell) => {
                self.list(&shell.list, depth + 1)?;
                simple.words.push("<()".to_owned());
            }
        }
        Ok(())
    }

    fn redirects(&mut self, redirects: Option<&RedirectList>, depth: usize) -> ReadResult {
        let mut simple = ParsedCommand::default();
        redirects
            .iter()
            .flat_map(|list| &list.0)
            .try_for_each(|redirect| self.redirect(redirect, &mut simple, depth))?;
        if !simple.writes.is_empty() {
            self.commands.push(simple);
        }
        Ok(())
    }

    fn redirect(&mut self, redirect: &IoRedirect, simple: &mut ParsedCommand, depth: usize) -> ReadResult {
        match redirect {
            IoRedirect::File(_, kind, target) => {
                let writes = !matches!(kind, IoFileRedirectKind::Read | IoFileRedirectKind::DuplicateInput);
                match target {
                    IoFileRedirectTarget::Filename(word) | IoFileRedirectTarget::Duplicate(word) => {
                        let file = self.word(word, depth)?;
                        let is_stream = file.trim_end_matches('-').chars().all(|c| c.is_ascii_digit());
                        if writes && !is_stream {
                            simple.writes.push(file);
                        }
                    }
                    IoFileRedirectTarget::Fd(_) => {}
                    IoFileRedirectTarget::ProcessSubstitution(_, shell) => {
                        self.list(&shell.list, depth + 1)?
                    }
                }
            }
            IoRedirect::HereDocument(_, document) => {
                if document.requires_expansion {
                    self.text(&document.doc.value, depth)?;
                }
            }
            IoRedirect::HereString(_, word) => {
                self.word(word, depth)?;
            }
            IoRedirect::OutputAndError(word, _) => {
                let file = self.word(word, depth)?;
                simple.writes.push(file);
            }
        }
        Ok(())
    }

    fn word(&mut self, word: &Word, depth: usize) -> Result<String, Unparsable> {
        self.text(&word.value, depth)
    }

    /// A word as the command gets it, as far as the text tells, and the commands in it.
    fn text(&mut self, text: &str, depth: usize) -> Result<String, Unparsable> {
        let pieces = parse_word(text, &options()).map_err(|_| Unparsable)?;
        self.pieces(text, &pieces, depth)
    }

    fn pieces(
        &mut self,
        raw: &str,
        pieces: &[WordPieceWithSource],
        depth: usize,
    ) -> Result<String, Unparsable> {
        let mut out = String::new();
        for piece in pieces {
            match &piece.piece {
                WordPiece::Text(text) | WordPiece::SingleQuotedText(text) => out.push_str(text),
                WordPiece::EscapeSequence(text) => out.push_str(text.strip_prefix('\\').unwrap_or(text)),
                WordPiece::AnsiCQuotedText(text) => out.push_str(text),
                WordPiece::DoubleQuotedSequence(inner) | WordPiece::GettextDoubleQuotedSequence(inner) => {
                    out.push_str(&self.pieces(raw, inner, depth)?);
                }
                WordPiece::TildeExpansion(_) => out.push('~'),
                WordPiece::CommandSubstitution(line) | WordPiece::BackquotedCommandSubstitution(line) => {
                    self.line(line, depth + 1)?;
                    out.push_str("$()");
                }
                WordPiece::ParameterExpansion(_) => {
                    let source = raw.get(piece.start_index..piece.end_index).unwrap_or(raw);
                    // For example a command in a default value; we cannot tell here what it is.
                    if source.contains("$(") || source.contains('`') {
                        return Err(Unparsable);
                    }
                    out.push_str(source);
                }
                WordPiece::ArithmeticExpression(expression) => {
                    if expression.value.contains("$(") || expression.value.contains('`') {
                        return Err(Unparsable);
                    }
                    out.push_str("$(())");
                }
            }
        }
        Ok(out)
    }
}

/// The text a command hands to another shell.
fn scripts(simple: &ParsedCommand) -> Vec<String> {
    let (program, rest) = simple.program();
    match program {
        program if SHELLS.contains(&program) => {
            let at = rest.iter().position(|word| word.starts_with('-') && word.ends_with('c'));
            at.and_then(|at| rest.get(at + 1)).cloned().into_iter().collect()
        }
        "eval" => vec![rest.join(" ")],
        _ => Vec::new(),
    }
}

impl ParsedCommand {
    /// The program that finally runs, without its folder, and its words; programs that only start another one are
    /// skipped.
    pub(super) fn program(&self) -> (&str, &[String]) {
        let mut words = self.words.as_slice();
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

    /// Whether it runs one of these programs, or uses one to start another.
    pub(super) fn starts(&self, names: &[&str]) -> bool {
        let name = |word: &String| word.rsplit('/').next().unwrap_or_default().to_owned();
        let skipped = self.words.len() - self.program().1.len();
        self.words.iter().take(skipped).any(|word| names.contains(&name(word).as_str()))
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

/// Whether a program only starts another one.
pub(super) fn is_starter(program: &str) -> bool {
    STARTERS.iter().any(|starter| starter.name == program)
}

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

#[cfg(test)]
mod tests;
