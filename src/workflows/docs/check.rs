//! Checks what a text says about the code against the code: the paths, places and qualified names it quotes.
//!
//! It does not judge words. A bare word in backticks may be anything, so it counts if it is a name in the code and is
//! ignored if it is not.

use super::facts::ProjectFacts;
use std::collections::{BTreeMap, BTreeSet};

/// The highest confidence in a text of which nothing could be checked.
const UNCHECKED: f64 = 0.5;

/// How many missing quotes are named.
const MAX_LISTED: usize = 4;

/// How many quotes were checked, and which were not found.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Checked {
    pub total: usize,
    pub missing: Vec<String>,
}

impl Checked {
    /// The share that was found; `None` if there was nothing to check.
    pub(super) fn share(&self) -> Option<f64> {
        (self.total > 0).then(|| (self.total - self.missing.len()) as f64 / self.total as f64)
    }

    /// Turns a score of 0 to 100 into a confidence, reduced by what was not found.
    pub(super) fn confidence(&self, score: f64) -> f64 {
        match self.share() {
            Some(share) => score / 100.0 * share,
            None => (score / 100.0).min(UNCHECKED),
        }
    }

    /// The result in one sentence.
    pub(super) fn words(&self) -> String {
        if self.total == 0 {
            return "the text quotes no file or name, so nothing could be checked".to_owned();
        }
        let found_count = self.total - self.missing.len();
        let mut text =
            format!("{found_count} of {} quoted files and names were found in the code", self.total);
        if !self.missing.is_empty() {
            let listed: Vec<String> =
                self.missing.iter().take(MAX_LISTED).map(|quote| format!("`{quote}`")).collect();
            text += &format!("; not found: {}", listed.join(", "));
        }
        text
    }
}

/// Checks a text against the code. `files` are all paths of the code base, if they are available.
pub(super) fn check(text: &str, project: &ProjectFacts, files: &[String]) -> Checked {
    let index = CodeIndex::new(project, files);
    let mut checked = Checked::default();
    for quote in quotes(text).into_iter().filter(|quote| quote.len() < 200) {
        match index.holds(quote) {
            Some(true) => checked.total += 1,
            Some(false) => {
                checked.total += 1;
                checked.missing.push(quote.to_owned());
            }
            None => {}
        }
    }
    checked
}

/// The texts in backticks, each once; fenced code is ignored.
fn quotes(text: &str) -> BTreeSet<&str> {
    let mut quotes = BTreeSet::new();
    let mut in_fence = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            in_fence = !in_fence;
        } else if !in_fence {
            quotes.extend(line.split('`').skip(1).step_by(2));
        }
    }
    quotes
}

struct CodeIndex<'a> {
    paths: BTreeSet<&'a str>,
    /// How many lines a file has, if known.
    lines: BTreeMap<&'a str, u64>,
    names: BTreeSet<&'a str>,
    is_complete: bool,
}

impl<'a> CodeIndex<'a> {
    fn new(project: &'a ProjectFacts, files: &'a [String]) -> Self {
        let mut paths: BTreeSet<&str> = files.iter().map(String::as_str).collect();
        paths.extend(project.areas.iter().map(|part| part.path.as_str()));
        paths
            .extend(project.areas.iter().flat_map(|part| part.largest.iter().map(|(path, _)| path.as_str())));
        paths.extend(project.modules.iter().map(|module| module.path.as_str()));
        paths.extend(project.entries.iter().map(|(path, _)| path.as_str()));
        paths.extend(project.documents.iter().map(String::as_str));
        paths.extend(project.manifests.iter().map(|manifest| manifest.path.as_str()));
        paths.extend(
            project.manifests.iter().flat_map(|manifest| &manifest.dependencies).map(|one| one.name.as_str()),
        );
        paths.extend(project.runs.iter().map(|run| run.from.as_str()));
        paths.extend(project.testing.checks.iter().map(String::as_str));
        paths.extend(project.testing.covers.iter().map(|(path, ..)| path.as_str()));
        let names = project.modules.iter().flat_map(|module| &module.names).map(|name| name.name.as_str());
        Self {
            paths,
            lines: project.modules.iter().map(|module| (module.path.as_str(), module.lines)).collect(),
            names: names.flat_map(|name| [name, last_segment(name)]).collect(),
            is_complete: project.whole,
        }
    }

    /// The full path of a file that is named by the end of its path, if only one ends that way.
    fn full_path<'p>(&self, path: &'p str) -> &'p str
    where
        'a: 'p,
    {
        if self.paths.contains(path) {
            return path;
        }
        let end = format!("/{path}");
        let mut candidates = self.paths.iter().filter(|known_path| known_path.ends_with(&end));
        match (candidates.next(), candidates.next()) {
            (Some(only), None) => only,
            _ => path,
        }
    }

    /// Whether the code holds what is quoted; `None` if that cannot be told.
    fn holds(&self, quote: &str) -> Option<bool> {
        let bare = quote.trim_end_matches("()");
        if bare.is_empty() || bare.contains(char::is_whitespace) {
            return None;
        }
        if self.names.contains(bare) || self.paths.contains(bare) {
            return Some(true);
        }
        let (path, line) = match bare.split_once(':') {
            Some((path, line)) if line.starts_with(|c: char| c.is_ascii_digit()) => (path, Some(line)),
            _ => (bare, None),
        };
        let is_path = path.contains('/')
            && path.chars().all(|c| c.is_alphanumeric() || matches!(c, '/' | '.' | '-' | '_' | '+'));
        if is_path || line.is_some() {
            let path = self.full_path(path.trim_end_matches('/'));
            let folder = format!("{path}/");
            // A sibling such as `x.rs` sorts before `x/`, so the search starts at the slash.
            let is_folder = || {
                self.paths
                    .range(folder.as_str()..)
                    .next()
                    .is_some_and(|known_path| known_path.starts_with(&folder))
            };
            let number = line.map(|line| line.chars().take_while(char::is_ascii_digit).collect::<String>());
            let is_in_range = match (number.and_then(|n| n.parse::<u64>().ok()), self.lines.get(path)) {
                (Some(line), Some(lines)) => line >= 1 && line <= *lines,
                _ => true,
            };
            return Some(is_in_range && (self.paths.contains(path) || is_folder()));
        }
        // A name qualified by its type claims to be in the code, and so does a call. If names were cut off, it may
        // still be there.
        let is_qualified = bare.contains("::") || quote.ends_with("()");
        let is_name =
            is_qualified && bare.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | ':' | '.' | '$'));
        match is_name && self.names.contains(last_segment(bare)) {
            true => Some(true),
            false => (is_name && self.is_complete).then_some(false),
        }
    }
}

/// The name without its type's name.
pub(super) fn last_segment(name: &str) -> &str {
    name.rsplit(['.', ':']).next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workflows::docs::facts::{ModuleFacts, NameFacts};

    #[test]
    fn paths_places_and_names_are_held_against_the_code_and_words_are_not() {
        let name = NameFacts { name: "Store.open".to_owned(), line: 3, ..NameFacts::default() };
        let module = ModuleFacts {
            path: "src/a.py".to_owned(),
            lines: 9,
            names: vec![name],
            ..ModuleFacts::default()
        };
        let project = ProjectFacts { modules: vec![module], whole: true, ..ProjectFacts::default() };
        for (text, all, missing) in [
            ("`src/a.py`, `src/a.py:9`, `src/`, `Store.open`, `open()`", 5, vec![]),
            (
                "`src/b.py` `src/a.py:10` `Store::close` `shut()`",
                4,
                vec!["Store::close", "shut()", "src/a.py:10", "src/b.py"],
            ),
            ("`a.py:9` `a.py:10` `y.py:1`", 3, vec!["a.py:10", "y.py:1"]),
            ("`True`, `pip install x`, `and/or more`\n```\n`src/z.py`\n```\n", 0, vec![]),
        ] {
            let checked = check(text, &project, &[]);
            assert_eq!(
                (checked.total, checked.missing),
                (all, missing.into_iter().map(str::to_owned).collect()),
                "{text}"
            );
        }
        assert_eq!(check("`lib/x.js`", &project, &["lib/x.js".to_owned()]).share(), Some(1.0));
        let siblings = ["lib/x-y.js", "lib/x.js", "lib/x/z.js"].map(str::to_owned);
        assert_eq!(check("`lib/x/` `lib/x`", &project, &siblings).share(), Some(1.0));
    }

    #[test]
    fn nothing_checked_is_never_sure() {
        let nothing = Checked::default();
        assert_eq!((nothing.confidence(100.0), nothing.confidence(20.0)), (0.5, 0.2));
        assert!(nothing.words().contains("nothing could be checked"));
        let half = Checked { total: 2, missing: vec!["src/z".to_owned()] };
        assert_eq!(half.confidence(90.0), 0.45);
        assert_eq!(half.words(), "1 of 2 quoted files and names were found in the code; not found: `src/z`");
    }
}
