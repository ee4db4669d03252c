//! What one file shows: its description, imports, names and tests.

use super::imports::{self, Import};
use super::language::{Language, Syntax};
use super::outline::{self, Item};

/// What reading a file showed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Source {
    pub lines: u64,
    /// The first sentence of its description.
    pub about: Option<String>,
    pub imports: Vec<Import>,
    /// The names it declares, in order.
    pub items: Vec<Item>,
    pub tests: u32,
    /// Whether it exists only for tests.
    pub is_test: bool,
}

pub(super) fn read(language: Language, path: &str, text: &str) -> Source {
    let lines = text.lines().count() as u64;
    let (is_in_folder, is_named) = test_path(path);
    if !language.code {
        return Source { lines, is_test: is_in_folder, ..Source::default() };
    }
    let items = if language.is_read() { outline::items(language.syntax, text) } else { Vec::new() };
    // Pytest looks for tests only in files that are named so.
    let may_test = is_named || is_in_folder && language.syntax != Syntax::Python;
    let tests = cases(language.syntax, text, &items, may_test);
    Source {
        lines,
        about: outline::about(language.syntax, text),
        imports: imports::read(language.syntax, text),
        items,
        tests,
        // A file that is only called so, such as a client for tests, is a part of the program.
        is_test: is_in_folder || is_named && (tests > 0 || !language.is_read()),
    }
}

/// Whether a path lies in a folder of tests, and whether it is named like a test.
fn test_path(path: &str) -> (bool, bool) {
    let lower = path.to_lowercase();
    let (folders, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
    let is_folder =
        |name: &str| matches!(name, "test" | "tests" | "__tests__" | "spec" | "specs" | "testing" | "e2e");
    let stem = name.split('.').next().unwrap_or_default();
    let is_named = name.contains(".test.")
        || name.contains(".spec.")
        || stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem.ends_with("_tests")
        || stem == "tests";
    (folders.split('/').any(is_folder), is_named)
}

/// How many test cases a file has.
fn cases(syntax: Syntax, text: &str, items: &[Item], may_test: bool) -> u32 {
    let lines = |is_case: fn(&str) -> bool| text.lines().filter(|line| is_case(line.trim())).count();
    let named = |is_case: fn(&str, &str) -> bool| {
        let is_item = |item: &&Item| {
            let (owner, name) = item.name.rsplit_once('.').unwrap_or(("", &item.name));
            is_case(owner, name)
        };
        items.iter().filter(is_item).count()
    };
    let count = match syntax {
        Syntax::Rust => lines(|line| {
            line.starts_with("#[")
                && (line.contains("test]") || line.contains("test("))
                && !line.contains("cfg(")
        }),
        Syntax::Jvm => lines(|line| line.starts_with("@Test") || line.starts_with("@ParameterizedTest")),
        _ if !may_test => 0,
        // A method called so is a test only in a class of tests.
        Syntax::Python => {
            named(|owner, name| name.starts_with("test") && (owner.is_empty() || owner.contains("Test")))
        }
        Syntax::Go => named(|_, name| name.starts_with("Test") || name.starts_with("Benchmark")),
        Syntax::Script => {
            lines(|line| ["it(", "test(", "it.each(", "test.each("].iter().any(|word| line.starts_with(word)))
        }
        Syntax::C => lines(|line| line.starts_with("TEST(") || line.starts_with("TEST_")),
        Syntax::Other => 0,
    };
    count as u32
}
