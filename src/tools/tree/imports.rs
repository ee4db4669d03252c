//! What a file imports: from which modules, and which names.

use super::language::Family;
use super::{clipped, rust};
use std::collections::{BTreeMap, BTreeSet};

/// How many modules per file, and names per module, we keep.
const MAX_MODULES: usize = 120;
const MAX_NAMES: usize = 120;

/// A module that is imported from.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Import {
    /// The module as the language writes it: `.core`, `./lib/view`, `crate::store`, `example.org/x/db`; `.` for the
    /// other files of a Go package.
    pub from: String,
    /// The imported names, if we parse them.
    pub names: Vec<String>,
}

impl Import {
    /// The module, and every name qualified by it.
    pub(super) fn paths(&self) -> impl Iterator<Item = String> {
        let qualified = |separator: &'static str| {
            self.names.iter().map(move |name| format!("{}{separator}{name}", self.from))
        };
        std::iter::once(self.from.clone()).chain(qualified(".")).chain(qualified("::"))
    }
}

type NamesByModule = BTreeMap<String, BTreeSet<String>>;

/// The imports of a text. `code` is the same text, blanked.
pub(super) fn read(family: Family, path: &str, text: &str, code: &str) -> Vec<Import> {
    let mut imports = NamesByModule::new();
    match family {
        Family::Rust => {
            let mut paths = Vec::new();
            rust::imports(path, code, &mut paths);
            for path in paths {
                let (from, name) = path.rsplit_once("::").unwrap_or((&path, ""));
                let names = imports.entry(from.to_owned()).or_default();
                names.extend((!name.is_empty()).then(|| name.to_owned()));
            }
        }
        Family::Script => script(text, code, &mut imports),
        Family::Python => python(code, &mut imports),
        Family::Go => go(text, code, &mut imports),
        Family::Jvm => {
            let names = code.lines().filter_map(|line| line.trim().strip_prefix("import "));
            let bare =
                |name: &str| name.trim_start_matches("static ").trim_end_matches(';').trim().to_owned();
            imports.extend(names.map(|name| (bare(name), BTreeSet::new())));
        }
        Family::C => {
            let lines = text.lines().filter_map(|line| line.trim().strip_prefix("#include"));
            let bare = |name: &str| name.trim().trim_matches(['<', '>', '"']).to_owned();
            imports.extend(lines.map(|name| (bare(name), BTreeSet::new())));
        }
        Family::Shell | Family::Other => {}
    }
    let import = |(from, names): (String, BTreeSet<String>)| Import {
        from: clipped(&from, 120),
        names: names.into_iter().take(MAX_NAMES).map(|name| clipped(&name, 80)).collect(),
    };
    imports.into_iter().filter(|(from, _)| !from.is_empty()).take(MAX_MODULES).map(import).collect()
}

fn script(text: &str, code: &str, imports: &mut NamesByModule) {
    for (written, code) in text.lines().zip(code.lines()) {
        let bare = code.trim_start();
        let is_import =
            bare.starts_with("import ") || bare.starts_with("export ") || bare.starts_with("} from ");
        for (opening, is_searched) in
            [("from ", is_import), ("import ", is_import), ("require(", true), ("import(", true)]
        {
            for (at, _) in code.match_indices(opening).filter(|_| is_searched) {
                let rest = written.get(at + opening.len()..).unwrap_or_default().trim_start();
                if let Some(quote) = rest.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'))
                    && let Some((name, _)) = rest[1..].split_once(quote)
                {
                    imports.entry(name.to_owned()).or_default();
                }
            }
        }
    }
}

fn python(code: &str, imports: &mut NamesByModule) {
    // Modules by their name in this file.
    let mut modules: BTreeMap<String, String> = BTreeMap::new();
    let mut lines = code.lines();
    // How far `if TYPE_CHECKING:` is indented; the imports below it never run.
    let mut types_only = None;
    while let Some(line) = lines.next() {
        let indent = line.len() - line.trim_start().len();
        let line = line.trim();
        if types_only.is_some_and(|outer| indent > outer || line.is_empty()) {
            continue;
        }
        types_only = is_for_types(line).then_some(indent);
        if let Some((from, names)) = line.strip_prefix("from ").and_then(|rest| rest.split_once(" import")) {
            let mut list = names.to_owned();
            while list.contains('(') && !list.contains(')') && list.len() < 10_000 {
                let Some(more) = lines.next() else { break };
                list.push_str(more);
            }
            let names = list.split([',', '(', ')', '\\']).filter_map(|name| name.split_whitespace().next());
            imports.entry(from.trim().to_owned()).or_default().extend(names.map(str::to_owned));
        } else if let Some(rest) = line.strip_prefix("import ") {
            for one in rest.split(',') {
                let mut words = one.split_whitespace();
                let Some(name) = words.next() else { continue };
                modules.insert(words.nth(1).unwrap_or(name).to_owned(), name.to_owned());
                imports.entry(name.to_owned()).or_default();
            }
        }
    }
    // Names used through a whole module count as imported from it.
    for part in code.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.')) {
        let Some((module, rest)) = part.split_once('.') else { continue };
        let Some(from) = modules.get(module) else { continue };
        let name = rest.split('.').next().unwrap_or_default();
        if !name.is_empty() {
            imports.entry(from.clone()).or_default().insert(name.to_owned());
        }
    }
}

fn is_for_types(line: &str) -> bool {
    let condition = line.strip_prefix("if ").and_then(|rest| rest.strip_suffix(':')).unwrap_or_default();
    condition.rsplit('.').next().is_some_and(|name| name.trim() == "TYPE_CHECKING")
}

fn go(text: &str, code: &str, imports: &mut NamesByModule) {
    // The files of a package see each other without imports: any name may come from a neighbour.
    let beside = imports.entry(".".to_owned()).or_default();
    let mut before = ' ';
    for part in code.split_inclusive(|c: char| !(c.is_alphanumeric() || c == '_')) {
        let name = part.trim_end_matches(|c: char| !(c.is_alphanumeric() || c == '_'));
        let after = part.chars().next_back().unwrap_or(' ');
        // Only names that are called, constructed or exported; with variables there would be too many.
        if before != '.'
            && (name.starts_with(char::is_uppercase) || !name.is_empty() && matches!(after, '(' | '{'))
        {
            beside.insert(name.to_owned());
        }
        before = after;
    }
    let mut inside = false;
    for line in text.lines() {
        let line = line.trim();
        if line.starts_with("import (") {
            inside = true;
        } else if inside && line.starts_with(')') {
            inside = false;
        } else if inside || line.starts_with("import ") {
            imports.extend(line.split('"').nth(1).map(|name| (name.to_owned(), BTreeSet::new())));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_for_types_alone_are_none() {
        let text = "import os\nif t.TYPE_CHECKING:\n    import typing_extensions as te\n\n    from .core import Context\n\
                    from .utils import echo\ndef late():\n    from .shell import complete\n";
        let imports = read(Family::Python, "a.py", text, text);
        let from: Vec<&str> = imports.iter().map(|import| import.from.as_str()).collect();
        assert_eq!(from, [".shell", ".utils", "os"]);
    }
}
