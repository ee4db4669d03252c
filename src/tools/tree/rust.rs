//! Rust paths: `use` trees, paths inside code, and paths relative to a module.

/// How many names of a path we keep.
const NAMES: usize = 6;

/// The paths a file uses, from the crate root (`std::fs::File`, `crate::store::Store`).
pub(super) fn imports(path: &str, code: &str, paths: &mut Vec<String>) {
    let module_path = module(path);
    let mut statement: Option<String> = None;
    for line in code.lines().filter(|line| line.len() < 1000) {
        let line = line.trim();
        match &mut statement {
            Some(tree) if tree.len() < 10_000 => tree.push_str(line),
            _ => {
                let start = ["use ", "pub use ", "pub(crate) use ", "pub(super) use "];
                statement = start.iter().find_map(|start| line.strip_prefix(start)).map(str::to_owned);
                if statement.is_none() {
                    inline(line, paths);
                }
            }
        }
        if let Some(tree) = &statement
            && let Some((tree, _)) = tree.split_once(';')
        {
            expand(&[], tree, &module_path, paths, 0);
            statement = None;
        }
    }
}

/// `crate::x` inside code.
fn inline(line: &str, paths: &mut Vec<String>) {
    for (at, _) in line.match_indices("crate::") {
        let plain = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
        let path: String = line[at + 7..].chars().take_while(|c| plain(*c)).collect();
        let names: Vec<&str> = path.split("::").filter(|name| !name.is_empty()).take(NAMES).collect();
        // A type at the top of the crate is not a module.
        if names.first().is_some_and(|name| !name.starts_with(char::is_uppercase)) {
            paths.push(format!("crate::{}", names.join("::")));
        }
    }
}

/// Expands a `use` tree.
fn expand(before: &[&str], tree: &str, module_path: &[String], paths: &mut Vec<String>, depth: usize) {
    let tree = tree.trim();
    if let Some(brace) = tree.find('{').filter(|_| depth < 6) {
        let head: Vec<&str> = before
            .iter()
            .copied()
            .chain(tree[..brace].split("::").map(str::trim).filter(|name| !name.is_empty()))
            .collect();
        let inside = tree[brace + 1..].rsplit_once('}').map_or(&tree[brace + 1..], |(inside, _)| inside);
        for part in parts(inside) {
            expand(&head, part, module_path, paths, depth + 1);
        }
        return;
    }
    let names: Vec<&str> = before
        .iter()
        .copied()
        .chain(tree.split("::").map(str::trim).filter(|name| !name.is_empty()))
        .collect();
    paths.extend(absolute(&names, module_path));
}

/// Splits a list at its commas, keeping braces whole.
fn parts(list: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0usize, 0, Vec::new());
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(&list[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&list[start..]);
    parts.retain(|part| !part.trim().is_empty());
    parts
}

/// A path from the crate root.
fn absolute(names: &[&str], module_path: &[String]) -> Option<String> {
    let mut base: Vec<String> = module_path.to_vec();
    let mut rest = names;
    let relative = matches!(names.first(), Some(&("self" | "super")));
    while let Some((first, others)) = rest.split_first() {
        match *first {
            "self" => {}
            "super" => {
                base.pop();
            }
            _ => break,
        }
        rest = others;
    }
    let mut path: Vec<String> =
        if relative { std::iter::once("crate".to_owned()).chain(base).collect() } else { Vec::new() };
    path.extend(rest.iter().map(|name| name.split(" as ").next().unwrap_or(name).trim().to_owned()));
    let plain = |name: &&String| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let mut names: Vec<&str> = path.iter().take_while(plain).map(String::as_str).take(NAMES).collect();
    // `graph::{self}` is `graph`.
    names.pop_if(|last| *last == "self");
    if names.is_empty() { None } else { Some(names.join("::")) }
}

/// The folder of a file's crate, and the file's path under `src`. Files outside `src` (tests, benches) are separate
/// crates.
pub(super) fn in_crate(path: &str) -> Option<(&str, &str)> {
    match path.strip_prefix("src/") {
        Some(inside) => Some(("", inside)),
        None => path.split_once("/src/"),
    }
}

/// The folder for the modules that a file declares.
pub(super) fn beneath(path: &str) -> &str {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    if matches!(name, "mod.rs" | "lib.rs" | "main.rs") { folder } else { path.trim_end_matches(".rs") }
}

/// The module path of a file, from the crate root.
fn module(path: &str) -> Vec<String> {
    let inside = in_crate(path).map_or(path, |(_, inside)| inside);
    let mut names: Vec<String> = inside.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    if matches!(names.last().map(String::as_str), Some("mod" | "lib" | "main")) {
        names.pop();
    }
    names
}

/// The trait that an `impl` line implements.
pub(super) fn implemented(line: &str) -> Option<String> {
    let (head, _) = line.split_once(" for ")?;
    let mut head = head.strip_prefix("impl")?.trim();
    if head.starts_with('<') {
        // Type parameters may contain angle brackets themselves.
        let mut depth = 0usize;
        let end = head.char_indices().find_map(|(at, c)| {
            depth = match c {
                '<' => depth + 1,
                '>' => depth.saturating_sub(1),
                _ => depth,
            };
            (depth == 0).then_some(at + 1)
        })?;
        head = head[end..].trim();
    }
    let name = head.split('<').next()?.rsplit("::").next()?.trim();
    if name.is_empty() { None } else { Some(name.to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn use_trees_paths_and_relative_modules_are_read() {
        let mut paths = Vec::new();
        let text = "use crate::{graph::{self, Ctx}, text::Visible};\nuse super::words::line;\n\
                    use std::{fs, io::{self, Read}};\nuse serde_json::Value as V;\n\
                    let x = crate::store::open(crate::Top);\npub use self::deep::Thing;\n";
        imports("src/llm/builtin/mod.rs", text, &mut paths);
        paths.sort();
        paths.dedup();
        let expected = [
            "crate::graph",
            "crate::graph::Ctx",
            "crate::llm::builtin::deep::Thing",
            "crate::llm::words::line",
            "crate::store::open",
            "crate::text::Visible",
            "serde_json::Value",
            "std::fs",
            "std::io",
            "std::io::Read",
        ];
        assert_eq!(paths, expected);
    }

    #[test]
    fn the_trait_of_an_impl_is_found() {
        assert_eq!(implemented("impl State for Analysis {").as_deref(), Some("State"));
        assert_eq!(
            implemented("impl<T: Into<String>> graph::Effect<T> for W<T> {").as_deref(),
            Some("Effect")
        );
        assert_eq!(implemented("impl Analysis {"), None);
    }
}
