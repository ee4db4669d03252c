//! The names a file declares, each with its line, its signature and the first sentence of its comment.
//!
//! Python, JavaScript, TypeScript, Rust and Go are read down to methods; Java, Kotlin, Scala, C and C++ only for
//! top-level types; a Makefile for its targets. Other languages are not read.

mod go;
mod plain;
mod python;
mod rust;
mod script;

use super::calls::calls;
use super::clipped;
use super::language::{Family, Language};

/// How many names per file we keep, and how long their texts may be.
const ITEMS: usize = 400;
const LONG: usize = 160;

/// How many lines a declaration may take, and a body.
const LINES: usize = 40;
const BODY: usize = 400;

/// How many calls per body we keep.
const CALLS: usize = 60;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Item {
    /// `struct`, `trait`, `class`, `function`, `method` …, or `impl` for a trait that is implemented here.
    pub kind: &'static str,
    /// Its name; for a method, prefixed by that of its type.
    pub name: String,
    /// Its line, counted from 1.
    pub line: u32,
    /// The last line of its body, if it is a function or method with one.
    pub end: Option<u32>,
    /// What its body calls, by the last part of each name.
    pub calls: Vec<String>,
    /// Its declaration, on one line.
    pub signature: String,
    /// The first sentence of its comment.
    pub about: String,
    pub public: bool,
}

/// A file line by line: as written, and with comments and strings blanked.
struct Lines<'a> {
    written: Vec<&'a str>,
    code: Vec<&'a str>,
}

/// The names a text declares, in order. `code` is the same text, blanked.
pub(super) fn read(language: Language, text: &str, code: &str) -> Vec<Item> {
    let lines = Lines { written: text.lines().collect(), code: code.lines().collect() };
    let mut items = match language.family {
        Family::Python => python::items(&lines),
        Family::Rust => rust::items(&lines),
        Family::Script => script::items(&lines),
        Family::Go => go::items(&lines),
        Family::Jvm | Family::C => plain::types(language.family, &lines),
        Family::Shell if language.name == "Make" => plain::targets(&lines),
        Family::Shell | Family::Other => Vec::new(),
    };
    items.truncate(ITEMS);
    for item in &mut items {
        if matches!(item.kind, "function" | "method") {
            let first = item.line as usize - 1;
            if let Some(last) = lines.body_end(language.family, first) {
                item.end = Some(last as u32 + 1);
                item.calls = calls(&lines.code[first..=last].join("\n")).into_keys().take(CALLS).collect();
            }
        }
        item.name = clipped(&item.name, 100);
        item.signature = clipped(&item.signature, LONG);
        item.about = clipped(&item.about, LONG);
    }
    items
}

impl Lines<'_> {
    /// The declaration starting at line `at`, joined into one line, and the line it ends on. `ends` finds the end in
    /// the code gathered so far.
    fn gather(&self, at: usize, ends: impl Fn(&str) -> Option<usize>) -> (String, usize) {
        let (mut written, mut code) = (String::new(), String::new());
        for line in at..(at + LINES).min(self.code.len()) {
            if !written.is_empty() {
                written.push(' ');
                code.push(' ');
            }
            // A comment at the end of a line is not part of the declaration.
            let line_code = self.code[line].trim_end();
            code.push_str(line_code);
            written.push_str(self.written[line].get(..line_code.len()).unwrap_or_default());
            if let Some(end) = ends(&code) {
                let end = written.floor_char_boundary(end);
                return (one_line(&written[..end]), line);
            }
        }
        (one_line(self.written[at]), at)
    }

    /// The last line of the body declared on line `at`.
    fn body_end(&self, family: Family, at: usize) -> Option<usize> {
        if family == Family::Python { self.indented_end(at) } else { self.braced_end(at) }
    }

    /// The line before the first one that is indented no deeper than the declaration.
    fn indented_end(&self, at: usize) -> Option<usize> {
        let indent = |line: &str| line.len() - line.trim_start().len();
        let (_, head) = self.gather(at, |code| outside(code, b":"));
        let (mut end, mut depth) = (None, 0);
        for line in head + 1..self.code.len().min(head + BODY) {
            let code = self.code[line];
            let inside = depth > 0;
            depth = depth_after(depth, code, b"([{", b")]}");
            if only_quotes(code) {
                continue;
            }
            if !inside && indent(code) <= indent(self.code[at]) {
                break;
            }
            end = Some(line);
        }
        end
    }

    /// The line that closes the first brace; `None` if the declaration ends before one.
    fn braced_end(&self, at: usize) -> Option<usize> {
        let (mut round, mut braces) = (0usize, 0usize);
        for line in at..self.code.len().min(at + BODY) {
            if braces == 0 && line > at + LINES {
                return None;
            }
            for byte in self.code[line].bytes() {
                match byte {
                    b'(' | b'[' => round += 1,
                    b')' | b']' => round = round.saturating_sub(1),
                    b';' if round == 0 && braces == 0 => return None,
                    b'{' => braces += 1,
                    // Braces among the parameters are patterns and defaults.
                    b'}' if braces == 1 && round == 0 => return Some(line),
                    b'}' => braces = braces.saturating_sub(1),
                    _ => {}
                }
            }
        }
        None
    }

    /// The text of the comment lines right above a line; lines that `skips` accepts may come between.
    fn above(&self, at: usize, mark: &str, skips: impl Fn(&str) -> bool) -> String {
        let mut lines = Vec::new();
        for line in self.written[..at].iter().rev().take(200).map(|line| line.trim()) {
            match line.strip_prefix(mark) {
                Some(text) => lines.push(text.trim()),
                None if skips(line) && lines.is_empty() => {}
                None => break,
            }
        }
        lines.reverse();
        sentence(&lines)
    }

    /// The text of the `/** … */` above a line; one empty line may come between.
    fn block_above(&self, at: usize) -> String {
        let gap = usize::from(at > 1 && self.written[at - 1].trim().is_empty());
        let above = &self.written[..at - gap];
        if above.last().is_none_or(|line| !line.trim().ends_with("*/")) {
            return String::new();
        }
        let start = above.iter().rev().take(200).position(|line| line.trim_start().starts_with("/*"));
        let Some(back) = start else { return String::new() };
        let lines: Vec<&str> = above[above.len() - 1 - back..]
            .iter()
            .map(|line| line.trim().trim_start_matches("/**").trim_start_matches("/*").trim_end_matches("*/"))
            .map(|line| line.trim().trim_start_matches('*').trim())
            .take_while(|line| !line.starts_with('@'))
            .collect();
        sentence(&lines)
    }
}

/// The first sentence of some lines; an empty line ends it too.
pub(super) fn sentence(lines: &[&str]) -> String {
    let first = lines.iter().skip_while(|line| line.is_empty()).take_while(|line| !line.is_empty());
    let text = first.copied().collect::<Vec<_>>().join(" ");
    let end = text
        .match_indices(['.', '!', '?'])
        .map(|(at, _)| at + 1)
        .find(|at| text[*at..].chars().next().is_none_or(char::is_whitespace) && *at > 8);
    text[..end.unwrap_or(text.len())].trim().to_owned()
}

/// Whether a line of code is empty except for quotes.
fn only_quotes(code: &str) -> bool {
    code.trim().trim_matches(['"', '\'']).is_empty()
}

/// Collapses white space.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The name at the start of a text.
fn word(text: &str) -> &str {
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'));
    &text[..end.unwrap_or(text.len())]
}

/// How many brackets are open after some code, starting from `depth`.
fn depth_after(depth: usize, code: &str, open: &[u8], close: &[u8]) -> usize {
    code.bytes().fold(depth, |depth, byte| {
        if open.contains(&byte) {
            depth + 1
        } else if close.contains(&byte) {
            depth.saturating_sub(1)
        } else {
            depth
        }
    })
}

/// The first position of a mark outside of round and square brackets.
fn outside(code: &str, marks: &[u8]) -> Option<usize> {
    let mut depth = 0usize;
    for (at, byte) in code.bytes().enumerate() {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            _ if depth == 0 && marks.contains(&byte) => return Some(at),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests;
