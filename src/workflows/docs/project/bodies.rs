//! The source of functions that much of a program goes through; signatures do not show that.

use super::program_files;
use crate::tools::tree::{self, File, Item, Tree};
use crate::workflows::docs::check::last_segment;
use crate::workflows::docs::facts::BodyFacts;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// How many bytes are kept in all, per file and per function.
const MAX_TOTAL_BYTES: usize = 36_000;
const MAX_FILE_BYTES: usize = MAX_TOTAL_BYTES * 2 / 5;
const MAX_BODY_BYTES: usize = 4_000;

/// The fewest lines of a function; shorter ones say little more than their name.
const MIN_LINES: u32 = 5;

/// More calls than this make a function no more central: it is then just a tool. If a name is declared more often than
/// this, a call of it does not show which function is meant.
const MAX_CALLS: f64 = 8.0;
const MAX_SAME_NAME: u32 = 3;

/// The functions, most important first. Files that can no longer be read are left out.
pub fn bodies(folder: &Path, tree: &Tree) -> Vec<BodyFacts> {
    let (mut room, mut bytes_by_file) = (MAX_TOTAL_BYTES, BTreeMap::<&str, usize>::new());
    let mut bodies = Vec::new();
    for (file, item, end) in ranked(tree) {
        let used_bytes = bytes_by_file.entry(&file.path).or_default();
        let room_left = room.min(MAX_FILE_BYTES.saturating_sub(*used_bytes));
        if room_left < MAX_BODY_BYTES {
            continue;
        }
        let Ok(text) = tree::body(folder, &file.path, item.line, end, MAX_BODY_BYTES) else { continue };
        *used_bytes += text.len();
        room = room.saturating_sub(text.len());
        bodies.push(BodyFacts { path: file.path.clone(), name: item.name.clone(), line: item.line, text });
        if room < MAX_BODY_BYTES {
            break;
        }
    }
    bodies
}

/// Functions and methods of the program with their last lines, ranked by how often they are called, how much of the
/// program they call, and how many files use theirs.
fn ranked(tree: &Tree) -> Vec<(&File, &Item, u32)> {
    let program = || program_files(&tree.files).filter(|file| !file.source.is_test);
    let mut calls: HashMap<&str, u32> = HashMap::new();
    for (name, count) in program().flat_map(|file| &file.source.calls) {
        *calls.entry(name).or_default() += count;
    }
    let items = || program().flat_map(|file| file.source.items.iter().map(move |item| (file, item)));
    let mut declared: HashMap<&str, u32> = HashMap::new();
    for (_, item) in items() {
        *declared.entry(last_segment(&item.name)).or_default() += 1;
    }
    let dependencies = tree::file_dependencies(tree);
    let mut importers: HashMap<&str, u32> = HashMap::new();
    for target in
        program().filter_map(|file| dependencies.get(file.path.as_str())).flat_map(|targets| targets.keys())
    {
        *importers.entry(target).or_default() += 1;
    }
    let weight = |file: &File, item: &Item| {
        let name = last_segment(&item.name);
        // If several share a name, we cannot tell which one is called.
        let share = f64::from(calls.get(name).copied().unwrap_or_default()) / f64::from(declared[name]);
        let is_distinctive = |called: &&String| {
            called.as_str() != name && declared.get(called.as_str()).is_some_and(|n| *n <= MAX_SAME_NAME)
        };
        let reach = item.calls.iter().filter(is_distinctive).count() as f64;
        let importers = f64::from(importers.get(file.path.as_str()).copied().unwrap_or_default());
        (2.0 + share.min(MAX_CALLS)).ln() * (1.0 + reach).sqrt() * (2.0 + importers).ln()
    };
    let mut weighted: Vec<(f64, &File, &Item, u32)> = items()
        .filter_map(|(file, item)| {
            let end = item.end?;
            (end.saturating_sub(item.line) + 1 >= MIN_LINES).then(|| (weight(file, item), file, item, end))
        })
        .collect();
    weighted
        .sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| (&a.1.path, a.2.line).cmp(&(&b.1.path, b.2.line))));
    weighted.into_iter().map(|(_, file, item, end)| (file, item, end)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::tree::Limits;

    fn scan_bodies(files: &[(&str, String)]) -> Vec<BodyFacts> {
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
        let bodies =
            scan_bodies(&[("core.py", core), ("main.py", uses), ("test_core.py", "idle()\n".repeat(90))]);
        let names: Vec<&str> = bodies.iter().map(|body| body.name.as_str()).collect();
        assert_eq!(names, ["central", "idle"]);
        let text = &bodies[0].text;
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
        let bodies =
            scan_bodies(&[("core.py", core), ("main.py", "joins()\n".to_owned() + &"tool()\n".repeat(40))]);
        let names: Vec<&str> = bodies.iter().map(|body| body.name.as_str()).collect();
        assert_eq!(names, ["joins", "tool"]);
    }

    #[test]
    fn the_room_is_shared_among_files() {
        let long: String = (0..30).map(|n| format!("    value_{n} = {}\n", "9".repeat(60))).collect();
        let file = |name: &str| (0..40).map(|n| format!("def {name}_{n}():\n{long}\n")).collect::<String>();
        let bodies = scan_bodies(&[("a.py", file("a")), ("b.py", file("b")), ("c.py", file("c"))]);
        let bytes = |path: &str| -> usize {
            bodies.iter().filter(|body| body.path == path).map(|body| body.text.len()).sum()
        };
        let bytes_per_file = ["a.py", "b.py", "c.py"].map(bytes);
        assert!(
            bytes_per_file.iter().all(|bytes| *bytes <= MAX_FILE_BYTES)
                && bytes_per_file.iter().sum::<usize>() <= MAX_TOTAL_BYTES,
            "{bytes_per_file:?}"
        );
        assert!(bytes_per_file.iter().filter(|bytes| **bytes > 0).count() == 3, "{bytes_per_file:?}");
    }
}
