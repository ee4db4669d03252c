//! The names a file declares, each with its line, its declaration and the first sentence of its comment.
//!
//! One reader for all languages: a line that begins with a keyword such as `class` or `fn` declares a name, and its
//! indentation says what it belongs to. Comments and texts over several lines are left out first.

use super::clipped;
use super::language::Syntax;
use serde::{Deserialize, Serialize};

/// How many names per file we keep, and how long their texts may be.
const ITEMS: usize = 400;
const LONG: usize = 140;

/// How many lines a declaration may take, and the longest line: longer ones were generated.
const DECLARATION: usize = 20;
const LINE: usize = 1000;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Item {
    /// `struct`, `trait`, `class`, `function`, `method` …
    pub kind: String,
    /// Its name; for a method, prefixed by that of its type.
    pub name: String,
    /// Its line, counted from 1.
    pub line: u32,
    /// Its declaration, on one line.
    pub signature: String,
    /// The first sentence of its comment.
    pub about: String,
    pub public: bool,
}

/// Words before the keyword.
const MODIFIERS: &[&str] = &[
    "pub",
    "export",
    "default",
    "async",
    "public",
    "private",
    "protected",
    "internal",
    "static",
    "final",
    "abstract",
    "unsafe",
    "open",
    "override",
    "virtual",
    "data",
    "sealed",
    "inline",
    "declare",
    "suspend",
];

/// Keywords, and what they declare.
const KEYWORDS: &[(&str, &str)] = &[
    ("class", "class"),
    ("interface", "interface"),
    ("trait", "trait"),
    ("struct", "struct"),
    ("enum", "enum"),
    ("union", "union"),
    ("record", "record"),
    ("type", "type"),
    ("impl", IMPL),
    ("mod", MODULE),
    ("def", FUNCTION),
    ("fn", FUNCTION),
    ("func", FUNCTION),
    ("fun", FUNCTION),
    ("function", FUNCTION),
    ("macro_rules!", "macro"),
];

const FUNCTION: &str = "function";
const IMPL: &str = "impl";
const MODULE: &str = "module";
const CONSTANT: &str = "constant";

/// Words before a bracket that are no name of a method.
const STATEMENTS: &[&str] =
    &["if", "for", "while", "switch", "catch", "return", "else", "do", "new", "throw", "await", "function"];

/// A declaration that encloses the lines indented deeper.
struct Open {
    indent: usize,
    /// The name its members belong to; `None` if what is inside is not listed.
    owner: Option<String>,
}

/// The names a text declares, in order.
pub(super) fn items(syntax: Syntax, text: &str) -> Vec<Item> {
    let written: Vec<&str> = text.lines().collect();
    let code = code_lines(syntax, text);
    let mut items: Vec<Item> = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    for (at, line) in code.iter().enumerate().filter(|(_, line)| line.len() < LINE) {
        let bare = line.trim_start();
        // A closing bracket ends a declaration over several lines; the next name ends its body.
        if bare.is_empty() || bare.starts_with([')', ']', '}', '{', '>', '#', '@']) {
            continue;
        }
        let indent = line.len() - bare.len();
        while open.pop_if(|outer| outer.indent >= indent).is_some() {}
        let outer = open.last();
        if outer.is_some_and(|outer| outer.owner.is_none()) {
            continue;
        }
        let Some((kind, name)) = declared(syntax, bare, indent, outer.is_some()) else { continue };
        let owner = outer.and_then(|outer| outer.owner.clone());
        let name = match &owner {
            Some(owner) if kind != IMPL => format!("{owner}.{name}"),
            _ => name,
        };
        let is_container = !matches!(kind, FUNCTION | MODULE | CONSTANT | "macro" | "type");
        open.push(Open { indent, owner: is_container.then(|| name.clone()) });
        if matches!(kind, IMPL | MODULE) || items.len() >= ITEMS {
            continue;
        }
        let (signature, end) = signature(&code, at);
        let kind = if kind == FUNCTION && name.contains('.') { "method" } else { kind };
        items.push(Item {
            kind: kind.to_owned(),
            line: at as u32 + 1,
            signature: clipped(&signature, LONG),
            about: clipped(&comment(syntax, &written, at, end), LONG),
            public: is_public(syntax, bare, &name),
            name: clipped(&name, 100),
        });
    }
    items
}

/// The lines of a program, without comments and without texts over several lines.
pub(super) fn code_lines(syntax: Syntax, text: &str) -> Vec<&str> {
    let (openers, line_comment): (&[(&str, &str)], &str) = match syntax {
        Syntax::Python => (&[("\"\"\"", "\"\"\""), ("'''", "'''")], "#"),
        _ => (&[("/*", "*/")], "//"),
    };
    let mut close: Option<&str> = None;
    let code = |line| {
        if let Some(mark) = close {
            close = close.filter(|_| !str::contains(line, mark));
            return "";
        }
        let bare = line.trim_start();
        for (opener, closer) in openers {
            // Elsewhere in a line, `/*` may be a pattern for files.
            let found = line.find(opener).filter(|_| syntax == Syntax::Python || bare.starts_with(opener));
            if let Some(at) = found {
                close = (!line[at + opener.len()..].contains(closer)).then_some(*closer);
                return &line[..at];
            }
        }
        if bare.starts_with(line_comment) { "" } else { line }
    };
    text.lines().map(code).collect()
}

/// What a line declares: its kind and its name.
fn declared(syntax: Syntax, bare: &str, indent: usize, is_inside: bool) -> Option<(&'static str, String)> {
    let mut rest = bare;
    loop {
        let first = word(rest);
        if !MODIFIERS.contains(&first) {
            break;
        }
        rest = &rest[first.len()..];
        // `pub(crate)`
        if rest.starts_with('(') {
            rest = rest.split_once(')')?.1;
        }
        rest = rest.trim_start();
    }
    rest = rest.strip_prefix("const ").filter(|rest| rest.starts_with("fn ")).unwrap_or(rest);
    let keyword = KEYWORDS.iter().find_map(|(keyword, kind)| {
        let after = rest.strip_prefix(keyword)?;
        after.starts_with([' ', '*', '<']).then(|| (*kind, after.trim_start_matches('*').trim_start()))
    });
    match keyword {
        Some((IMPL, after)) => Some((IMPL, implementor(after))),
        // `mod a;` is declared in its own file.
        Some((MODULE, after)) if syntax == Syntax::Rust && !after.contains('{') => None,
        // `struct a *b(…)` and `class B;` declare nothing here.
        Some((kind, after)) if syntax == Syntax::C => {
            let name = word(after);
            let is_body = after[name.len()..].trim_start().starts_with(['{', ':']) || after == name;
            (is_body && !name.is_empty()).then(|| (kind, name.to_owned()))
        }
        // `func (s *Store) Open()`
        Some((kind, after)) if syntax == Syntax::Go && after.starts_with('(') => {
            let (receiver, after) = after[1..].split_once(')')?;
            let owner = receiver.split_whitespace().last()?.trim_start_matches('*');
            Some((kind, format!("{}.{}", word(owner), word(after.trim_start()))))
        }
        Some((kind, after)) => {
            let name = word(after);
            (!name.is_empty()).then(|| (kind, name.to_owned()))
        }
        None if syntax == Syntax::Rust && indent == 0 => {
            let name = word(rest.strip_prefix("const ")?);
            (!name.is_empty()).then(|| (CONSTANT, name.to_owned()))
        }
        None if syntax == Syntax::Script && indent == 0 => assigned(rest).map(|name| (FUNCTION, name)),
        None if is_inside || syntax == Syntax::C && indent == 0 => method(syntax, rest),
        None => None,
    }
}

/// A method without a keyword: `get(key) {`, `public int size() {`.
fn method(syntax: Syntax, rest: &str) -> Option<(&'static str, String)> {
    if !matches!(syntax, Syntax::Script | Syntax::Jvm | Syntax::C) || !rest.trim_end().ends_with('{') {
        return None;
    }
    let (before, _) = rest.split_once('(')?;
    let is_statement = before.split_whitespace().any(|word| STATEMENTS.contains(&word));
    let start = before.rfind(|c: char| !is_word(c)).map_or(0, |at| at + 1);
    let name = &before[start..];
    let is_name = !name.is_empty() && !is_statement && !before.contains(['=', ';', '"', '\'', '{', '|']);
    // In C a function has a type.
    let is_typed = syntax == Syntax::Script || before[..start].contains(char::is_alphanumeric);
    (is_name && is_typed).then(|| (FUNCTION, name.to_owned()))
}

/// A function assigned to a name: `app.use = function use(`, `const f = (a) =>`,
/// `defineGetter(req, 'ip', function ip(`.
fn assigned(rest: &str) -> Option<String> {
    if let Some((path, value)) = rest.split_once('=').filter(|(_, value)| !value.starts_with('=')) {
        let path =
            ["const ", "let ", "var "].iter().find_map(|start| path.strip_prefix(start)).unwrap_or(path);
        let path = path.trim().trim_start_matches("module.").trim_start_matches("exports.");
        let value = value.trim().trim_start_matches("async ");
        let is_function = value.starts_with("function") || value.contains("=>") && !value.contains("(()");
        let is_path = path.split('.').all(|part| !part.is_empty() && word(part) == part) && path != "exports";
        return (is_function && is_path).then(|| path.to_owned());
    }
    let (_, after) = rest.split_once("function ")?;
    Some(word(after).to_owned()).filter(|name| !name.is_empty())
}

/// The type an `impl` is for.
fn implementor(after: &str) -> String {
    let head = after.split([';', '{']).next().unwrap_or_default().split(" where ").next().unwrap_or_default();
    let subject = match head.split_once(" for ") {
        Some((_, subject)) => subject,
        None if head.starts_with('<') => {
            let mut depth = 0_i32;
            let end = head.find(|c| {
                depth += i32::from(c == '<') - i32::from(c == '>');
                depth == 0
            });
            &head[end.map_or(head.len(), |end| end + 1)..]
        }
        None => head,
    };
    let path = subject.trim().trim_start_matches(['&', ' ']).split('<').next().unwrap_or_default();
    word(path.rsplit("::").next().unwrap_or_default()).to_owned()
}

fn is_public(syntax: Syntax, bare: &str, name: &str) -> bool {
    match syntax {
        Syntax::Rust => bare.starts_with("pub ") || name.contains('.') && bare.starts_with("pub"),
        Syntax::Go => name.split('.').all(|part| part.starts_with(char::is_uppercase)),
        _ => !name.split('.').any(|part| part.starts_with('_')) && !bare.starts_with("private"),
    }
}

/// The declaration that begins at this line, on one line, and the line it ends on.
fn signature(code: &[&str], at: usize) -> (String, usize) {
    let mut text = String::new();
    let mut end = at;
    for (line, part) in code.iter().enumerate().skip(at).take(DECLARATION) {
        text.push_str(part.trim());
        text.push(' ');
        end = line;
        if text.matches(['(', '[']).count() <= text.matches([')', ']']).count() {
            break;
        }
    }
    let length = text.find(" {").unwrap_or(text.len());
    let text = text[..length].trim().trim_end_matches(['{', ':', ';', ' ']);
    (text.replace("( ", "(").replace(", )", ")"), end)
}

/// The first sentence of what is said of a declaration: above it, or below it in Python.
fn comment(syntax: Syntax, written: &[&str], at: usize, end: usize) -> String {
    if syntax == Syntax::Python {
        let below = &written[(end + 1).min(written.len())..];
        let is_text = below.first().is_some_and(|line| line.trim().starts_with("\"\"\""));
        return if is_text { docstring(below) } else { String::new() };
    }
    let mut lines = Vec::new();
    for line in written[..at].iter().rev().take(100).map(|line| line.trim()) {
        let is_attribute = line.starts_with("#[") || line.starts_with('@');
        let text = line.trim_end_matches("*/");
        match ["///", "//", "/**", "/*", "*"].iter().find_map(|mark| text.strip_prefix(mark)) {
            Some(text) => lines.push(text.trim()),
            None if is_attribute && lines.is_empty() => {}
            None if line == "*/" => {}
            None => break,
        }
    }
    lines.reverse();
    lines.retain(|line| !line.starts_with('@'));
    sentence(&lines)
}

/// The first sentence of the text that these lines begin with.
fn docstring(lines: &[&str]) -> String {
    let mut words = Vec::new();
    for (at, line) in lines.iter().take(12).enumerate() {
        let line = line.trim();
        let line = if at == 0 { line.trim_start_matches('"') } else { line };
        let (text, is_end) = line.split_once("\"\"\"").map_or((line, false), |(text, _)| (text, true));
        words.push(text);
        // An empty line or a line under a heading.
        if is_end || !text.contains(char::is_alphanumeric) && at > 0 {
            break;
        }
    }
    sentence(&words)
}

/// The first sentence of the comment at the start of a file.
pub(super) fn about(syntax: Syntax, text: &str) -> Option<String> {
    let is_header = |line: &&str| line.starts_with("#!") && !line.starts_with("#![");
    let mut lines =
        text.lines().map(str::trim).skip_while(|line| line.is_empty() || is_header(line)).peekable();
    let first = *lines.peek()?;
    let comment = if syntax == Syntax::Python && first.starts_with("\"\"\"") {
        docstring(&lines.take(12).collect::<Vec<_>>())
    } else {
        let marks: &[&str] = match syntax {
            Syntax::Python => &["#"],
            Syntax::Rust => &["//!"],
            _ => &["//", "/**", "/*", "*"],
        };
        let comment = lines.map_while(|line| marks.iter().find_map(|mark| line.strip_prefix(mark)));
        sentence(&comment.map(|line| line.trim_end_matches("*/").trim()).take(60).collect::<Vec<_>>())
    };
    // A line for lawyers does not describe the file.
    let lower = comment.to_lowercase();
    let is_legal = lower.contains("copyright") || lower.contains("licen");
    (!comment.is_empty() && !is_legal).then(|| clipped(&comment, 200))
}

/// The first sentence of some lines; an empty line ends it too.
fn sentence(lines: &[&str]) -> String {
    let first = lines.iter().skip_while(|line| line.is_empty()).take_while(|line| !line.is_empty());
    let text = first.copied().collect::<Vec<_>>().join(" ");
    let end = text
        .match_indices(['.', '!', '?'])
        .map(|(at, _)| at + 1)
        .find(|at| text[*at..].chars().next().is_none_or(char::is_whitespace) && *at > 8);
    text[..end.unwrap_or(text.len())].trim().to_owned()
}

/// The line, counted from 1, that declares a name: the full name, else its last part.
pub(super) fn line_of(items: &[Item], name: &str) -> Option<u32> {
    let last = |name: &str| name.rsplit(['.', ':']).next().unwrap_or_default().to_owned();
    let exact = items.iter().find(|item| item.name == name.replace("::", "."));
    exact.or_else(|| items.iter().find(|item| last(&item.name) == last(name))).map(|item| item.line)
}

/// The name at the start of a text.
fn word(text: &str) -> &str {
    &text[..text.find(|c| !is_word(c)).unwrap_or(text.len())]
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$')
}
