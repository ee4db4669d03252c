//! What one file shows: its description, imports, names and tests, and what it reaches outside the program.

use super::blank::blank;
use super::calls::calls;
use super::clipped;
use super::imports::{self, Import};
use super::items::{self, Item};
use super::language::{Family, Language};
use std::collections::{BTreeMap, BTreeSet};

/// The longest line we consider: longer ones were generated.
const LINE: usize = 1000;

/// What reading a file showed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Source {
    pub lines: u64,
    /// The first sentence of its description.
    pub about: Option<String>,
    /// Its imports, each module once.
    pub imports: Vec<Import>,
    /// The names it declares, in order.
    pub items: Vec<Item>,
    /// What it calls, by the last part of the name, with how often.
    pub calls: BTreeMap<String, u32>,
    pub tests: u32,
    /// Whether it exists only for tests.
    pub is_test: bool,
    /// What starts here, if anything does.
    pub entry: Option<&'static str>,
    /// Coding idioms: how many lines show each, and the first such line.
    pub marks: BTreeMap<&'static str, (u32, u32)>,
    /// What it reaches outside the program, by its imports.
    pub reaches: BTreeSet<&'static str>,
}

pub(super) fn read(language: Language, path: &str, text: &str) -> Source {
    let mut source = Source { lines: text.lines().count() as u64, ..Source::default() };
    source.is_test = is_test(path);
    if !language.code {
        return source;
    }
    source.about = about(language.family, text);
    let code = blank(language.family, text);
    for (at, line) in code.lines().enumerate().filter(|(_, line)| line.len() < LINE) {
        let bare = line.trim();
        if case(language.family, bare) {
            source.tests += 1;
        }
        for (name, families, needle) in MARKS {
            if families.contains(&language.family) && bare.contains(needle) {
                source.marks.entry(name).or_insert((0, at as u32 + 1)).0 += 1;
            }
        }
    }
    if text.lines().all(|line| line.len() < LINE) {
        source.items = items::read(language, text, &code);
        source.calls = calls(&code);
    }
    source.imports = imports::read(language.family, path, text, &code);
    for import in &source.imports {
        let reached = |outside: &&(&str, &[&str])| import.paths().any(|path| leads_to(&path, outside.1));
        source.reaches.extend(OUTSIDE.iter().filter(reached).map(|(resource, _)| *resource));
    }
    source.entry = entry(language.family, path, text);
    source
}

/// Whether tests usually have such a path.
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

/// The first sentence of the comment at the start of a file.
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
        let comment = match family {
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
            Family::Rust => line.strip_prefix("//!").or_else(|| line.strip_prefix("// ")),
            _ => ["//", "/**", "/*", "*/", "*"].iter().find_map(|mark| line.strip_prefix(mark)),
        };
        match comment {
            Some(comment) if comment.trim().is_empty() && words.is_empty() => {}
            Some(comment) if comment.trim().is_empty() => break,
            Some(comment) => words.push(comment.trim().trim_end_matches("*/").trim()),
            None if line.is_empty() && words.is_empty() => {}
            None => break,
        }
    }
    let lower = words.join(" ").to_lowercase();
    // A line for lawyers or a tool does not describe the file.
    let idle = ["copyright", "licen", "eslint", "mypy:", "-*-", "coding:", "@ts-", "use strict", "go:build"];
    let comment = items::sentence(&words);
    if comment.is_empty() || idle.iter().any(|word| lower.contains(word)) {
        return None;
    }
    Some(clipped(&comment, 200))
}

/// Whether a line starts a test case.
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

/// Coding idioms, the families they occur in and the text that shows them.
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

/// What is reached outside the program, by which imports.
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

/// Whether an import is one of these, or inside one.
fn leads_to(import: &str, modules: &[&str]) -> bool {
    modules.iter().any(|module| {
        import.strip_prefix(module).is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '.', '/']))
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
