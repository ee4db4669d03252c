//! Reads a command line as sh, bash, dash and zsh all read it: commands of plain and quoted words, joined by `&&`,
//! `||`, `;`, `|` and new lines, and redirections that touch no file.
//!
//! Promises: one pass over the line, in memory in proportion to it; the words of a line that is not `unread` are exactly
//! those that each of the four shells would run. Everything else is unread. Its commands are then a guess, good enough
//! for a warning and for nothing else: they are found wherever one could begin, also within substitutions, groups and
//! quotes.

use std::iter::Peekable;
use std::str::Chars;

/// Longer lines are not read; nobody reads them on a card either.
const MAX_BYTES: usize = 64 * 1024;

/// The commands of a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandLine {
    pub commands: Vec<SimpleCommand>,
    /// Why the line can only be taken as a whole, in a few words.
    pub unread: Option<&'static str>,
}

/// A program and its arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SimpleCommand {
    /// Its words without quotes.
    pub words: Vec<String>,
    /// How it follows the command before it.
    pub joint: Joint,
    /// The files its output goes to; none unless the line is unread.
    pub writes: Vec<String>,
}

/// What stands between two commands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Joint {
    /// A new line or `;`, or nothing before the first command.
    #[default]
    Then,
    And,
    Or,
    Pipe,
}

impl Joint {
    pub fn as_str(self) -> &'static str {
        match self {
            Joint::Then => ";",
            Joint::And => "&&",
            Joint::Or => "||",
            Joint::Pipe => "|",
        }
    }
}

const SUBSTITUTES: &str = "it holds variables, patterns or substitutions";
const REDIRECTS: &str = "it reads or writes files by redirection";
const UNFINISHED: &str = "it cannot be read as a shell command";
const COMPOUND: &str = "it is a loop, a condition, a group or a function";
const NO_PROGRAM: &str = "it names no program, or sets variables";

/// Words that are more than a program's name for at least one of the shells.
const RESERVED: &str = "if then else elif fi do done case esac while until for foreach end in repeat select function time \
    coproc nocorrect noglob always";

/// What shells run themselves, and what changes them or runs text.
const BUILTINS: &str = "alias autoload bg bind bindkey break builtin bye caller chdir command compgen complete compopt continue \
    declare dirs disable disown emulate enable eval exec exit export fc fg float functions getln getopts hash history \
    integer jobs kill let limit local log logout mapfile popd print printf private pushd pushln r read readarray readonly rehash \
    return sched set setopt shift shopt source suspend test times trap ttyctl type typeset ulimit umask unalias unfunction \
    unhash unlimit unset unsetopt vared wait whence where which zcompile zle zmodload zparseopts zstyle";

pub fn read_command_line(line: &str) -> CommandLine {
    if line.len() > MAX_BYTES {
        return CommandLine { unread: Some("it is too long"), ..CommandLine::default() };
    }
    let mut reader = Reader { rest: line.chars().peekable(), ..Reader::new() };
    reader.read();
    reader.out
}

/// Where the words of a command go.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    Words,
    Output,
    Input,
    /// What ends the text that follows.
    HereText,
}

struct Reader<'a> {
    rest: Peekable<Chars<'a>>,
    out: CommandLine,
    command: SimpleCommand,
    /// The word that is being read.
    word: Option<String>,
    /// Whether nothing in that word is quoted.
    is_bare: bool,
    target: Target,
    /// Whether the command redirects anything.
    redirects: bool,
    in_quotes: bool,
    /// What is read once each of the substitutions and groups around has ended.
    around: Vec<Outer>,
    /// The ends of texts that begin on the next line.
    here_texts: Vec<String>,
}

/// What a substitution or a group stands in.
struct Outer {
    /// What the substitution or group began with.
    opened: char,
    is_substitution: bool,
    command: SimpleCommand,
    word: Option<String>,
    in_quotes: bool,
}

impl Reader<'_> {
    fn new() -> Self {
        Self {
            rest: "".chars().peekable(),
            out: CommandLine::default(),
            command: SimpleCommand::default(),
            word: None,
            is_bare: true,
            target: Target::Words,
            redirects: false,
            in_quotes: false,
            around: Vec::new(),
            here_texts: Vec::new(),
        }
    }

    fn read(&mut self) {
        while let Some(c) = self.rest.next() {
            if c.is_control() && c != '\n' && c != '\t' {
                self.unread("it holds control characters");
            }
            if self.in_quotes { self.quoted(c) } else { self.bare(c) }
        }
        let is_open = self.in_quotes || !self.around.is_empty() || !self.here_texts.is_empty();
        if is_open || self.command.joint != Joint::Then && self.is_empty() {
            self.unread(UNFINISHED);
        }
        self.end_command(Joint::Then);
        if self.out.commands.is_empty() {
            self.unread("there is no command in it");
        }
    }

    fn bare(&mut self, c: char) {
        match c {
            ' ' | '\t' => self.end_word(),
            '\n' => self.new_line(),
            ';' => self.join(Joint::Then),
            '&' if self.takes('&') => self.join(Joint::And),
            '&' if self.rest.peek() == Some(&'>') => self.redirect('>', false),
            '&' => {
                self.unread("it runs in the background");
                self.join(Joint::Then);
            }
            '|' if self.takes('|') => self.join(Joint::Or),
            '|' => {
                if self.takes('&') {
                    self.unread(REDIRECTS);
                }
                self.join(Joint::Pipe);
            }
            '\'' => self.single_quoted(),
            '"' => {
                self.begin_quoted();
                self.in_quotes = true;
            }
            '\\' => self.escaped(),
            '<' | '>' => {
                let is_number = |word: &str| matches!(word, "1" | "2") && self.is_bare;
                let is_stream = self.word.as_deref().is_none_or(is_number);
                if is_stream && self.target == Target::Words {
                    self.word = None;
                } else {
                    self.unread(REDIRECTS);
                }
                self.redirect(c, is_stream);
            }
            '`' | '(' | ')' | '$' => self.substitution(c),
            '#' if self.word.is_none() => {
                self.unread("part of it is a comment");
                while self.rest.next_if(|c| *c != '\n').is_some() {}
            }
            c => {
                let word = self.word.as_deref().unwrap_or_default();
                let after_letter = word.ends_with(|c: char| c.is_ascii_alphanumeric());
                // For zsh, `''=x` begins with `=`.
                let is_begun = !word.is_empty();
                let is_plain = c.is_ascii_alphanumeric()
                    || "_-./:,+@".contains(c)
                    || is_begun && "=%".contains(c)
                    || after_letter && "~^".contains(c);
                if !is_plain {
                    self.unread(SUBSTITUTES);
                }
                self.push(c);
            }
        }
    }

    fn quoted(&mut self, c: char) {
        match c {
            '"' => self.in_quotes = false,
            '`' | '$' => self.substitution(c),
            '\\' => match self.rest.next_if(|c| "$`\"\\\n".contains(*c)) {
                Some('\n') => {}
                Some(escaped) => self.push(escaped),
                None => self.push('\\'),
            },
            c => self.push(c),
        }
    }

    fn single_quoted(&mut self) {
        self.begin_quoted();
        loop {
            match self.rest.next() {
                Some('\'') => return,
                Some(c) => {
                    if c.is_control() && c != '\n' && c != '\t' {
                        self.unread("it holds control characters");
                    }
                    self.push(c);
                }
                None => return self.unread(UNFINISHED),
            }
        }
    }

    fn escaped(&mut self) {
        match self.rest.next() {
            // A line that goes on on the next one.
            Some('\n') if self.word.is_none() => {}
            Some(c) => {
                if !c.is_ascii_graphic() && c != ' ' {
                    self.unread(SUBSTITUTES);
                }
                self.begin_quoted();
                self.push(c);
            }
            None => self.unread(UNFINISHED),
        }
    }

    fn begin_quoted(&mut self) {
        self.word.get_or_insert_default();
        self.is_bare = false;
    }

    /// `$`, a backquote or a bracket: a command may begin or end here.
    fn substitution(&mut self, c: char) {
        self.unread(if self.in_quotes || "$`".contains(c) { SUBSTITUTES } else { COMPOUND });
        let is_substitution = c != '(' && c != ')';
        if c == '$' && !self.takes('(') {
            return self.push('$');
        }
        let opened = if c == '$' { '(' } else { c };
        let closes = match c {
            ')' => Some('('),
            '`' => Some('`'),
            _ => None,
        };
        if let Some(outer) = self.around.pop_if(|outer| closes == Some(outer.opened)) {
            self.end_command(Joint::Then);
            (self.command, self.word, self.in_quotes) = (outer.command, outer.word, outer.in_quotes);
            if outer.is_substitution {
                self.word.get_or_insert_default().push_str("$()");
            } else {
                self.end_command(Joint::Then);
            }
        } else if c == ')' {
            self.end_command(Joint::Then);
        } else {
            self.open(opened, is_substitution);
        }
    }

    fn open(&mut self, opened: char, is_substitution: bool) {
        let (command, word) = (std::mem::take(&mut self.command), self.word.take());
        self.around.push(Outer { opened, is_substitution, command, word, in_quotes: self.in_quotes });
        (self.in_quotes, self.is_bare, self.target) = (false, true, Target::Words);
    }

    /// Reads what follows `<` or `>`.
    fn redirect(&mut self, c: char, is_stream: bool) {
        self.redirects = true;
        let rest: String =
            std::iter::from_fn(|| self.rest.next_if(|c| "<>&|".contains(*c))).take(3).collect();
        self.target = match (c, rest.as_str()) {
            ('<', "<") => {
                self.rest.next_if_eq(&'-');
                Target::HereText
            }
            ('<', _) => Target::Input,
            (_, "&") => match self.rest.next_if(|c| matches!(c, '1' | '2')) {
                // `2>&1`, and no more in this word.
                Some(_) if self.rest.peek().is_none_or(|c| " \t\n;&|".contains(*c)) => return,
                Some(_) | None => Target::Output,
            },
            (_, _) => Target::Output,
        };
        if !is_stream || !(rest.is_empty() || c == '>' && rest == ">") {
            self.unread(REDIRECTS);
        }
        if rest.is_empty() && self.takes('(') {
            self.unread(SUBSTITUTES);
            self.open('(', true);
        }
    }

    fn new_line(&mut self) {
        // After `&&` and the like the line goes on.
        if !self.is_empty() {
            self.end_command(Joint::Then);
        }
        for end in std::mem::take(&mut self.here_texts) {
            loop {
                let line: String = std::iter::from_fn(|| self.rest.next_if(|c| *c != '\n')).collect();
                if self.rest.next().is_none() || line.trim_start_matches('\t') == end {
                    break;
                }
            }
        }
    }

    /// Ends a command that another one must follow or may follow.
    fn join(&mut self, joint: Joint) {
        self.end_word();
        if self.is_empty() {
            self.unread(UNFINISHED);
        }
        self.end_command(joint);
    }

    fn end_word(&mut self) {
        let Some(word) = self.word.take() else { return };
        self.is_bare = true;
        match std::mem::replace(&mut self.target, Target::Words) {
            Target::Words => self.add(word),
            Target::HereText => self.here_texts.push(word),
            Target::Output | Target::Input if word == "/dev/null" => {}
            target => {
                self.unread(REDIRECTS);
                if target == Target::Output {
                    self.command.writes.push(word);
                }
            }
        }
    }

    fn add(&mut self, word: String) {
        if self.command.words.is_empty() {
            if contains(RESERVED, &word) || matches!(word.as_str(), "{" | "}" | "!" | "[[" | "]]") {
                return self.unread(COMPOUND);
            } else if contains(BUILTINS, &word) || word == "." {
                self.unread("it changes the shell itself, or runs text");
            }
            let is_name = word.starts_with(|c: char| c.is_ascii_alphanumeric() || "_./".contains(c));
            if !is_name || word.contains('=') {
                self.unread(NO_PROGRAM);
            }
        }
        self.command.words.push(word);
    }

    fn end_command(&mut self, next: Joint) {
        self.end_word();
        if std::mem::replace(&mut self.target, Target::Words) != Target::Words {
            self.unread(REDIRECTS);
        }
        let empty = SimpleCommand { joint: next, ..SimpleCommand::default() };
        let command = std::mem::replace(&mut self.command, empty);
        if std::mem::take(&mut self.redirects) && command.words.is_empty() {
            self.unread(NO_PROGRAM);
        }
        if !command.words.is_empty() || !command.writes.is_empty() {
            self.out.commands.push(command);
        }
    }

    /// Whether nothing of the command has come yet.
    fn is_empty(&self) -> bool {
        self.command.words.is_empty() && self.word.is_none() && !self.redirects
    }

    fn takes(&mut self, c: char) -> bool {
        self.rest.next_if_eq(&c).is_some()
    }

    fn push(&mut self, c: char) {
        self.word.get_or_insert_default().push(c);
    }

    fn unread(&mut self, why: &'static str) {
        self.out.unread.get_or_insert(why);
    }
}

/// A word as each of the shells reads it.
pub fn quoted_word(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./:,+@%=".contains(c);
    let begins_plain = word.starts_with(|c: char| c.is_ascii_alphanumeric() || "_-./".contains(c));
    if begins_plain && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

fn contains(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|one| one == word)
}

#[cfg(test)]
mod tests;
