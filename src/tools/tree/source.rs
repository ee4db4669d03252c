//! What the lines of one file show: what it says of itself, imports, names, tests, and how it reaches outside.

use super::language::{Family, Language};
use super::{clipped, rust};
use std::collections::{BTreeMap, BTreeSet};

/// How many imports and names of one file are kept.
const IMPORTS: usize = 80;
const ITEMS: usize = 30;

/// What reading a file showed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Source {
    /// How many lines it has.
    pub lines: u64,
    /// The first sentence it says of itself.
    pub about: Option<String>,
    /// What it imports, as written but without what is taken from there; each once.
    pub imports: Vec<String>,
    /// The public names it declares, the first of them.
    pub items: Vec<Item>,
    /// How many test cases it holds.
    pub tests: u32,
    /// Whether it is there for tests alone.
    pub is_test: bool,
    /// What starts here, where something does.
    pub entry: Option<&'static str>,
    /// Ways of writing, counted.
    pub marks: BTreeMap<&'static str, u32>,
    /// What outside it reaches, by its imports.
    pub reaches: BTreeSet<&'static str>,
}

/// A name a file declares for others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// `struct`, `trait`, `class`, `function` …, or `impl` for a trait or interface that is carried out here.
    pub kind: &'static str,
    /// Its name.
    pub name: String,
}

pub(super) fn read(language: Language, path: &str, text: &str) -> Source {
    let mut source = Source { lines: text.lines().count() as u64, ..Source::default() };
    source.is_test = is_test(path);
    if !language.code {
        return source;
    }
    source.about = about(language.family, text);
    let mut imports = Vec::new();
    for line in text.lines().filter(|line| line.len() < 1000) {
        let bare = line.trim();
        if is_comment(language.family, bare) {
            continue;
        }
        if case(language.family, bare) {
            source.tests += 1;
        }
        if let Some(item) = item(language.family, line)
            && source.items.len() < ITEMS
        {
            source.items.push(item);
        }
        for (name, families, needle) in MARKS {
            if families.contains(&language.family) && bare.contains(needle) {
                *source.marks.entry(name).or_default() += 1;
            }
        }
    }
    match language.family {
        Family::Rust => rust::imports(path, text, &mut imports),
        Family::Script => script(text, &mut imports),
        Family::Python => python(text, &mut imports),
        Family::Go => go(text, &mut imports),
        Family::Jvm => plain(text, "import ", &mut imports),
        Family::C => includes(text, &mut imports),
        Family::Shell | Family::Other => {}
    }
    imports.sort();
    imports.dedup();
    imports.truncate(IMPORTS);
    for import in &imports {
        source
            .reaches
            .extend(OUTSIDE.iter().filter(|(_, known)| leads_to(import, known)).map(|(what, _)| *what));
    }
    source.imports = imports.iter().map(|import| clipped(import, 120)).collect();
    source.entry = entry(language.family, path, text);
    source
}

/// Whether the path is one that tests lie at.
fn is_test(path: &str) -> bool {
    let lower = path.to_lowercase();
    let (folders, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
    let folder =
        |name: &str| matches!(name, "test" | "tests" | "__tests__" | "spec" | "specs" | "testing" | "e2e");
    let stem = name.split('.').next().unwrap_or_default();
    folders.split('/').any(folder)
        || name.contains(".test.")
        || name.contains(".spec.")
        || stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem.ends_with("_tests")
        || stem == "tests"
}

fn is_comment(family: Family, line: &str) -> bool {
    match family {
        Family::Python | Family::Shell => line.starts_with('#'),
        _ => line.starts_with("//") || line.starts_with('*') || line.starts_with("/*"),
    }
}

/// The first sentence of the comment a file begins with.
fn about(family: Family, text: &str) -> Option<String> {
    let mut words: Vec<&str> = Vec::new();
    let mut docstring = None;
    for line in text.lines().take(60) {
        let line = line.trim();
        if let Some(quote) = docstring {
            let end = line.find(quote);
            words.push(&line[..end.unwrap_or(line.len())]);
            if end.is_some() || line.is_empty() {
                break;
            }
            continue;
        }
        if line.starts_with("#!") && !line.starts_with("#![") {
            continue;
        }
        let said = match family {
            Family::Python if line.starts_with("\"\"\"") || line.starts_with("'''") => {
                let (quote, rest) = line.split_at(3);
                if let Some((inside, _)) = rest.split_once(quote) {
                    words.push(inside);
                    break;
                }
                words.push(rest);
                docstring = Some(quote);
                continue;
            }
            Family::Python | Family::Shell => line.strip_prefix('#'),
            Family::Rust => line.strip_prefix("//!"),
            _ => ["//", "/**", "/*", "*/", "*"].iter().find_map(|mark| line.strip_prefix(mark)),
        };
        match said {
            Some(said) if said.trim().is_empty() && words.is_empty() => {}
            Some(said) if said.trim().is_empty() => break,
            Some(said) => words.push(said.trim().trim_end_matches("*/").trim()),
            None if line.is_empty() && words.is_empty() => {}
            None => break,
        }
    }
    let text = words.join(" ");
    let lower = text.to_lowercase();
    if text.trim().is_empty()
        || lower.contains("copyright")
        || lower.contains("licen")
        || lower.contains("eslint")
    {
        return None;
    }
    let end = text
        .match_indices(['.', '!', '?'])
        .map(|(at, _)| at + 1)
        .find(|at| text[*at..].chars().next().is_none_or(char::is_whitespace) && *at > 8);
    Some(clipped(&text[..end.unwrap_or(text.len())], 200))
}

/// Whether a line begins a test case.
fn case(family: Family, line: &str) -> bool {
    match family {
        Family::Rust => {
            line.starts_with("#[")
                && (line.contains("test]") || line.contains("test("))
                && !line.contains("cfg(")
        }
        Family::Python => line.starts_with("def test") || line.starts_with("async def test"),
        Family::Go => line.starts_with("func Test") || line.starts_with("func Benchmark"),
        Family::Script => {
            ["it(", "test(", "it.each(", "test.each("].iter().any(|word| line.starts_with(word))
        }
        Family::Jvm => line.starts_with("@Test") || line.starts_with("@ParameterizedTest"),
        Family::C => {
            line.starts_with("TEST(") || line.starts_with("TEST_F(") || line.starts_with("TEST_CASE(")
        }
        Family::Shell | Family::Other => false,
    }
}

/// The words a declaration may begin with, and what it declares.
const DECLARED: &[(Family, &str, &str)] = &[
    (Family::Rust, "pub struct ", "struct"),
    (Family::Rust, "pub enum ", "enum"),
    (Family::Rust, "pub trait ", "trait"),
    (Family::Rust, "pub fn ", "function"),
    (Family::Rust, "pub async fn ", "function"),
    (Family::Rust, "pub type ", "type"),
    (Family::Rust, "pub const ", "constant"),
    (Family::Rust, "pub(crate) struct ", "struct"),
    (Family::Rust, "pub(crate) trait ", "trait"),
    (Family::Rust, "macro_rules! ", "macro"),
    (Family::Script, "export default class ", "class"),
    (Family::Script, "export class ", "class"),
    (Family::Script, "export abstract class ", "class"),
    (Family::Script, "export default function ", "function"),
    (Family::Script, "export function ", "function"),
    (Family::Script, "export async function ", "function"),
    (Family::Script, "export const ", "constant"),
    (Family::Script, "export interface ", "interface"),
    (Family::Script, "export type ", "type"),
    (Family::Script, "export enum ", "enum"),
    (Family::Python, "class ", "class"),
    (Family::Python, "def ", "function"),
    (Family::Python, "async def ", "function"),
    (Family::Go, "func ", "function"),
    (Family::Go, "type ", "type"),
    (Family::Jvm, "public class ", "class"),
    (Family::Jvm, "public final class ", "class"),
    (Family::Jvm, "public abstract class ", "class"),
    (Family::Jvm, "public interface ", "interface"),
    (Family::Jvm, "public enum ", "enum"),
    (Family::Jvm, "public record ", "record"),
    (Family::Jvm, "class ", "class"),
    (Family::Jvm, "data class ", "class"),
    (Family::Jvm, "interface ", "interface"),
    (Family::C, "struct ", "struct"),
    (Family::C, "class ", "class"),
];

/// A public name declared on a line that is not indented.
fn item(family: Family, line: &str) -> Option<Item> {
    let word = |text: &str| -> String {
        text.chars().take_while(|c| c.is_alphanumeric() || *c == '_' || *c == '$').take(80).collect()
    };
    if family == Family::Rust && line.starts_with("impl") {
        return rust::implemented(line).map(|name| Item { kind: "impl", name: clipped(&name, 80) });
    }
    let (kind, rest) = DECLARED.iter().find_map(|(of, start, kind)| {
        (*of == family).then(|| line.strip_prefix(start)).flatten().map(|rest| (*kind, rest))
    })?;
    let name = word(rest);
    let hidden = match family {
        Family::Go => !name.starts_with(char::is_uppercase),
        Family::Python => name.starts_with('_'),
        _ => false,
    };
    if name.is_empty() || hidden { None } else { Some(Item { kind, name: clipped(&name, 80) }) }
}

/// Ways of writing, the families they occur in and what shows them.
const MARKS: &[(&str, &[Family], &str)] = &[
    ("trait objects", &[Family::Rust], "dyn "),
    ("async functions", &[Family::Rust], "async fn"),
    ("async functions", &[Family::Script], "async "),
    ("async functions", &[Family::Python], "async def"),
    ("error enums (thiserror)", &[Family::Rust], "thiserror::Error"),
    ("tests beside the code", &[Family::Rust], "#[cfg(test)]"),
    ("serialised types (serde)", &[Family::Rust], "Deserialize)"),
    ("shared state behind locks", &[Family::Rust, Family::Go, Family::Jvm], "Mutex"),
    ("channels", &[Family::Rust], "mpsc"),
    ("channels", &[Family::Go], "chan "),
    ("builders", &[Family::Rust, Family::Jvm, Family::Script], "Builder"),
    ("unsafe code", &[Family::Rust], "unsafe {"),
    ("macros by example", &[Family::Rust], "macro_rules!"),
    ("goroutines", &[Family::Go], "go func"),
    ("wrapped errors", &[Family::Go], "%w"),
    ("decorators", &[Family::Python], "@"),
    ("data classes", &[Family::Python], "@dataclass"),
    ("context managers", &[Family::Python], "with "),
    ("type hints", &[Family::Python], " -> "),
    ("hooks", &[Family::Script], "useState("),
    ("inheritance", &[Family::Script, Family::Jvm], " extends "),
    ("dependency injection", &[Family::Jvm, Family::Script], "@Inject"),
];

/// What outside is reached through which imports.
const OUTSIDE: &[(&str, &[&str])] = &[
    (
        "files",
        &[
            "std::fs",
            "tokio::fs",
            "rustix::fs",
            "tempfile",
            "fs",
            "node:fs",
            "fs/promises",
            "pathlib",
            "shutil",
            "io/fs",
            "java.io",
            "java.nio",
        ],
    ),
    (
        "network",
        &[
            "std::net",
            "tokio::net",
            "reqwest",
            "hyper",
            "axum",
            "ureq",
            "tonic",
            "http",
            "https",
            "node:http",
            "axios",
            "express",
            "requests",
            "httpx",
            "urllib",
            "aiohttp",
            "socket",
            "flask",
            "fastapi",
            "django",
            "net/http",
            "net",
            "java.net",
        ],
    ),
    (
        "databases",
        &[
            "rusqlite",
            "sqlx",
            "diesel",
            "postgres",
            "redis",
            "sqlite3",
            "sqlalchemy",
            "psycopg2",
            "pymongo",
            "database/sql",
            "pg",
            "mysql",
            "mongoose",
            "@prisma/client",
            "java.sql",
        ],
    ),
    (
        "other processes",
        &["std::process", "tokio::process", "child_process", "node:child_process", "subprocess", "os/exec"],
    ),
    (
        "the terminal",
        &[
            "crossterm",
            "ratatui",
            "clap",
            "argparse",
            "click",
            "commander",
            "yargs",
            "curses",
            "readline",
            "github.com/spf13/cobra",
        ],
    ),
    ("the environment", &["std::env", "dotenv", "os", "node:process"]),
];

/// Whether an import is, or lies in, one of these.
fn leads_to(import: &str, known: &[&str]) -> bool {
    known.iter().any(|known| {
        import.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '.', '/']))
    })
}

/// What starts in this file.
fn entry(family: Family, path: &str, text: &str) -> Option<&'static str> {
    let starts = |word: &str| text.lines().any(|line| line.starts_with(word));
    match family {
        Family::Rust if path.ends_with("src/lib.rs") || path == "src/lib.rs" => Some("library"),
        Family::Rust if path.ends_with("build.rs") && starts("fn main") => Some("build script"),
        Family::Rust if starts("fn main") || starts("async fn main") || starts("pub fn main") => {
            Some("program")
        }
        Family::Python
            if text.contains("__name__ == \"__main__\"") || text.contains("__name__ == '__main__'") =>
        {
            Some("program")
        }
        Family::Python if path.ends_with("__main__.py") => Some("program"),
        Family::Go if starts("package main") && starts("func main") => Some("program"),
        Family::Jvm if text.contains("public static void main") || starts("fun main") => Some("program"),
        Family::C if starts("int main") => Some("program"),
        Family::Script if text.starts_with("#!") => Some("program"),
        Family::Shell if text.starts_with("#!") => Some("script"),
        _ => None,
    }
}

fn script(text: &str, found: &mut Vec<String>) {
    for line in text.lines() {
        let line = line.trim();
        let import =
            line.starts_with("import ") || line.starts_with("export ") || line.starts_with("} from ");
        for (opening, wanted) in
            [("from ", import), ("import ", import), ("require(", true), ("import(", true)]
        {
            let Some((_, rest)) = line.split_once(opening).filter(|_| wanted) else { continue };
            let rest = rest.trim_start();
            if let Some(quote) = rest.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'))
                && let Some((name, _)) = rest[1..].split_once(quote)
            {
                found.push(name.to_owned());
                break;
            }
        }
    }
}

fn python(text: &str, found: &mut Vec<String>) {
    for line in text.lines() {
        let line = line.trim();
        if let Some(rest) = line.strip_prefix("from ") {
            found.extend(rest.split_once(" import").map(|(name, _)| name.trim().to_owned()));
        } else if let Some(rest) = line.strip_prefix("import ") {
            let names = rest.split(',').filter_map(|name| name.split_whitespace().next());
            found.extend(names.map(str::to_owned));
        }
    }
}

fn go(text: &str, found: &mut Vec<String>) {
    let mut inside = false;
    for line in text.lines() {
        let line = line.trim();
        let quoted = |line: &str| line.split('"').nth(1).map(str::to_owned);
        if line.starts_with("import (") {
            inside = true;
        } else if inside && line.starts_with(')') {
            inside = false;
        } else if inside || line.starts_with("import ") {
            found.extend(quoted(line));
        }
    }
}

fn plain(text: &str, start: &str, found: &mut Vec<String>) {
    let names = text.lines().filter_map(|line| line.trim().strip_prefix(start));
    found
        .extend(names.map(|name| name.trim_start_matches("static ").trim_end_matches(';').trim().to_owned()));
}

fn includes(text: &str, found: &mut Vec<String>) {
    let lines = text.lines().filter_map(|line| line.trim().strip_prefix("#include"));
    found.extend(lines.map(|name| name.trim().trim_matches(['<', '>', '"']).to_owned()));
}
