//! The source of functions that much of a program goes through; signatures do not show that.

use super::code;
use crate::tools::tree::{self, File, Item, Tree};
use crate::workflows::docs::facts::BodyFacts;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// How many bytes are kept in all, per file and per function.
const ALL: usize = 36_000;
const FILE: usize = ALL * 2 / 5;
const BODY: usize = 4_000;

/// The fewest lines of a function; shorter ones say little more than their name.
const SHORT: u32 = 5;

/// More calls than this make a function no more central: it is then just a tool. If a name is declared more often than
/// this, a call of it does not show which function is meant.
const OFTEN: f64 = 8.0;
const COMMON: u32 = 3;

/// The functions, most important first. Files that can no longer be read are left out.
pub fn bodies(folder: &Path, tree: &Tree) -> Vec<BodyFacts> {
    let (mut room, mut taken) = (ALL, BTreeMap::<&str, usize>::new());
    let mut found = Vec::new();
    for (file, item, end) in ranked(tree) {
        let used = taken.entry(&file.path).or_default();
        let left = room.min(FILE.saturating_sub(*used));
        if left < BODY {
            continue;
        }
        let Ok(text) = tree::body(folder, &file.path, item.line, end, BODY) else { continue };
        *used += text.len();
        room = room.saturating_sub(text.len());
        found.push(BodyFacts { path: file.path.clone(), name: item.name.clone(), line: item.line, text });
        if room < BODY {
            break;
        }
    }
    found
}

/// Functions and methods of the program with their last lines, ranked by how often they are called, how much of the
/// program they call, and how many files use theirs.
fn ranked(tree: &Tree) -> Vec<(&File, &Item, u32)> {
    let program = || code(&tree.files).filter(|file| !file.source.is_test);
    let mut calls: HashMap<&str, u32> = HashMap::new();
    for (name, count) in program().flat_map(|file| &file.source.calls) {
        *calls.entry(name).or_default() += count;
    }
    let items = || program().flat_map(|file| file.source.items.iter().map(move |item| (file, item)));
    let mut declared: HashMap<&str, u32> = HashMap::new();
    for (_, item) in items() {
        *declared.entry(last(&item.name)).or_default() += 1;
    }
    let leanings = tree::leanings(tree);
    let mut used: HashMap<&str, u32> = HashMap::new();
    for target in program().filter_map(|file| leanings.get(file.path.as_str())).flat_map(|to| to.keys()) {
        *used.entry(target).or_default() += 1;
    }
    let weight = |file: &File, item: &Item| {
        let name = last(&item.name);
        // If several share a name, we cannot tell which one is called.
        let share = f64::from(calls.get(name).copied().unwrap_or_default()) / f64::from(declared[name]);
        let own = |called: &&String| {
            called.as_str() != name && declared.get(called.as_str()).is_some_and(|n| *n <= COMMON)
        };
        let reach = item.calls.iter().filter(own).count() as f64;
        let used = f64::from(used.get(file.path.as_str()).copied().unwrap_or_default());
        (2.0 + share.min(OFTEN)).ln() * (1.0 + reach).sqrt() * (2.0 + used).ln()
    };
    let mut all: Vec<(f64, &File, &Item, u32)> = items()
        .filter_map(|(file, item)| {
            let end = item.end?;
            (end.saturating_sub(item.line) + 1 >= SHORT).then(|| (weight(file, item), file, item, end))
        })
        .collect();
    all.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| (&a.1.path, a.2.line).cmp(&(&b.1.path, b.2.line))));
    all.into_iter().map(|(_, file, item, end)| (file, item, end)).collect()
}

/// The name without its type's name.
fn last(name: &str) -> &str {
    name.rsplit(['.', ':']).next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::tree::Limits;

    fn found(files: &[(&str, String)]) -> Vec<BodyFacts> {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let tree = tree::scan(folder.path(), &[], &Limits::default(), &|_, _, _| {}).unwrap();
        bodies(folder.path(), &tree)
    }

    #[test]
    fn what_is_called_most_and_does_most_comes_first() {
        let work: String = (0..12).map(|n| format!("    x = helper_{n}()\n")).collect();
        let core = format!(
            "def idle():\n{work}\n\ndef central(a):\n    \"\"\"One.\n\n    Two.\n\n    Three.\n    \"\"\"\n{work}    return a\n\n\
             def tiny():\n    return 1\n"
        );
        let uses = "central(1)\ncentral(2)\n".repeat(4) + "tiny()\n";
        let found = found(&[("core.py", core), ("main.py", uses), ("test_core.py", "idle()\n".repeat(90))]);
        let names: Vec<&str> = found.iter().map(|body| body.name.as_str()).collect();
        assert_eq!(names, ["central", "idle"]);
        let text = &found[0].text;
        assert!(text.starts_with("   16  def central(a):\n   17      \"\"\"One.\n"), "{text}");
        assert!(
            text.contains("       …\n") && !text.contains("Three") && text.ends_with("return a\n"),
            "{text}"
        );
    }

    #[test]
    fn what_puts_the_program_together_comes_before_what_everybody_uses() {
        let small: String = (0..6).map(|n| format!("def part_{n}():\n    return {n}\n\n")).collect();
        let joins: String = (0..6).map(|n| format!("    part_{n}()\n")).collect();
        let tool = "    x = 1\n".repeat(6);
        let core = format!("{small}def joins():\n{joins}\ndef tool():\n{tool}\n");
        let found = found(&[("core.py", core), ("main.py", "joins()\n".to_owned() + &"tool()\n".repeat(40))]);
        let names: Vec<&str> = found.iter().map(|body| body.name.as_str()).collect();
        assert_eq!(names, ["joins", "tool"]);
    }

    #[test]
    fn the_room_is_shared_among_files() {
        let long: String = (0..30).map(|n| format!("    value_{n} = {}\n", "9".repeat(60))).collect();
        let file = |name: &str| (0..40).map(|n| format!("def {name}_{n}():\n{long}\n")).collect::<String>();
        let found = found(&[("a.py", file("a")), ("b.py", file("b")), ("c.py", file("c"))]);
        let bytes = |path: &str| -> usize {
            found.iter().filter(|body| body.path == path).map(|body| body.text.len()).sum()
        };
        let all = ["a.py", "b.py", "c.py"].map(bytes);
        assert!(all.iter().all(|bytes| *bytes <= FILE) && all.iter().sum::<usize>() <= ALL, "{all:?}");
        assert!(all.iter().filter(|bytes| **bytes > 0).count() == 3, "{all:?}");
    }
}
