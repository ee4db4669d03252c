//! Checks what a text says about the code against the code: the paths, lines and names it quotes.
//!
//! It does not judge words. A plain word in backticks may be anything, so it counts if the code holds it and is ignored
//! if it does not.

use crate::tools::library::Library;
use std::collections::{BTreeMap, BTreeSet};

/// The highest confidence in a text of which nothing could be checked.
const UNCHECKED: f64 = 0.5;

/// How many missing quotes are named.
const MAX_LISTED: usize = 20;

/// How many bytes of files are searched for names.
const SEARCHED: u64 = 256 << 20;

/// How many quotes were checked, and which were not found.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Checked {
    pub total: usize,
    pub missing: Vec<String>,
}

impl Checked {
    /// Turns a score of 0 to 100 into a confidence, reduced by what was not found.
    pub(super) fn confidence(&self, score: f64) -> f64 {
        match self.total {
            0 => (score / 100.0).min(UNCHECKED),
            total => score / 100.0 * (total - self.missing.len()) as f64 / total as f64,
        }
    }

    /// The result in one sentence.
    pub(super) fn words(&self) -> String {
        if self.total == 0 {
            return "the text quotes no file or name, so nothing could be checked".to_owned();
        }
        let found = self.total - self.missing.len();
        let text = format!("{found} of {} quoted files and names were found in the code", self.total);
        if self.missing.is_empty() { text } else { format!("{text}; not found: {}", self.listed()) }
    }

    /// What a reader of the page is told.
    pub(super) fn note(&self) -> String {
        if self.missing.is_empty() {
            return String::new();
        }
        format!("_This page quotes what the code does not have: {}._", self.listed())
    }

    fn listed(&self) -> String {
        let listed = self.missing.iter().take(MAX_LISTED).map(|quote| format!("`{quote}`"));
        listed.collect::<Vec<_>>().join(", ")
    }
}

/// What a quote claims to be.
enum Claim<'a> {
    /// A file or folder, and a line of it.
    Path(&'a str, Option<usize>),
    /// Words that the code must hold.
    Name(Vec<&'a str>),
    /// Perhaps a name.
    Word(&'a str),
}

/// Checks a text against the files.
pub(super) fn check(text: &str, library: &Library) -> Checked {
    let paths: BTreeSet<&str> = library.files.iter().map(|file| file.name.as_str()).collect();
    let endings: BTreeSet<&str> = paths
        .iter()
        .filter_map(|path| path.rsplit('/').next()?.rsplit_once('.'))
        .map(|(_, end)| end)
        .collect();
    let claims: BTreeMap<&str, Claim<'_>> =
        quotes(text).into_iter().filter_map(|quote| Some((quote, claim(quote, &paths, &endings)?))).collect();
    let wanted: BTreeSet<&str> = claims
        .values()
        .flat_map(|claim| match claim {
            Claim::Path(..) => Vec::new(),
            Claim::Name(words) => words.clone(),
            Claim::Word(word) => vec![*word],
        })
        .collect();
    let held = held_words(&wanted, library);
    let mut checked = Checked::default();
    for (quote, claim) in claims {
        let is_held = match claim {
            Claim::Path(path, line) => Some(has_path(path, line, &paths, library)),
            Claim::Name(words) => held.as_ref().map(|held| words.iter().all(|word| held.contains(*word))),
            Claim::Word(word) => held.as_ref().is_some_and(|held| held.contains(word)).then_some(true),
        };
        checked.total += usize::from(is_held.is_some());
        checked.missing.extend((is_held == Some(false)).then(|| quote.to_owned()));
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

fn claim<'a>(quote: &'a str, paths: &BTreeSet<&str>, endings: &BTreeSet<&str>) -> Option<Claim<'a>> {
    let bare = quote.trim_end_matches("()");
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    if bare.len() >= 200 || !bare.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '.')) {
        return None;
    }
    let (path, line) = match bare.split_once(':') {
        Some((path, line)) if line.starts_with(|c: char| c.is_ascii_digit()) => {
            let digits = line.find(|c: char| !c.is_ascii_digit()).unwrap_or(line.len());
            (path, Some(line[..digits].parse().unwrap_or(usize::MAX)))
        }
        _ => (bare, None),
    };
    let is_path = |c: char| is_word(c) || matches!(c, '/' | '.' | '-' | '+');
    let has_ending = path.rsplit_once('.').is_some_and(|(_, end)| endings.contains(end));
    if path.chars().all(is_path)
        && (path.contains('/') || has_ending || line.is_some() || paths.contains(path))
    {
        return Some(Claim::Path(path, line));
    }
    if !bare.chars().all(|c| is_word(c) || matches!(c, '.' | ':')) {
        return None;
    }
    let words: Vec<&str> = bare.split(['.', ':']).filter(|word| !word.is_empty()).collect();
    let has_hump = bare.chars().zip(bare.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase());
    match words.as_slice() {
        [] => None,
        [word] if bare == quote && !word.contains('_') && !has_hump => Some(Claim::Word(word)),
        _ => Some(Claim::Name(words)),
    }
}

/// Which of these words the files hold; `None` if they are too large to be searched.
fn held_words(wanted: &BTreeSet<&str>, library: &Library) -> Option<BTreeSet<String>> {
    if library.files.iter().map(|file| file.bytes).sum::<u64>() > SEARCHED {
        return None;
    }
    let mut held: BTreeSet<String> = BTreeSet::new();
    for file in &library.files {
        if held.len() == wanted.len() {
            break;
        }
        let Ok(text) = (library.text)(&file.name) else { continue };
        let words = text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '$'));
        held.extend(words.filter(|word| wanted.contains(word)).map(str::to_owned));
    }
    Some(held)
}

/// Whether there is such a file or folder, by its whole path or by an end that no other has; and such a line in it.
fn has_path(path: &str, line: Option<usize>, paths: &BTreeSet<&str>, library: &Library) -> bool {
    let path = path.trim_end_matches('/').trim_start_matches("./");
    let end = format!("/{path}");
    let mut ending = paths.iter().filter(|known| known.ends_with(&end));
    let file = match (paths.get(path), ending.next(), ending.next()) {
        (Some(file), ..) => Some(*file),
        (None, Some(only), None) => Some(*only),
        _ => None,
    };
    match (file, line) {
        (Some(_), None) => true,
        (Some(file), Some(line)) => {
            (library.text)(file).is_ok_and(|text| (1..=text.lines().count()).contains(&line))
        }
        // A folder has no lines.
        (None, Some(_)) => false,
        (None, None) => {
            let folder = format!("{path}/");
            paths.iter().any(|known| known.starts_with(&folder) || known.contains(&format!("/{folder}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::folder::Listed;

    fn library(names: &[&str]) -> Library {
        let file = |name: &&str| Listed { name: (*name).to_owned(), bytes: 100 };
        let text =
            |_: &str| Ok("class Store:\n    def open(self):\n        pass\n\n\n\n\n\nx = 1\n".to_owned());
        Library { files: names.iter().map(file).collect(), text: Box::new(text) }
    }

    #[test]
    fn paths_lines_and_names_are_held_against_the_code_and_words_are_not() {
        for (text, all, missing) in [
            ("`src/a.py`, `src/a.py:9`, `src/`, `Store.open`, `open()`, `a.py`, `Store`", 7, vec![]),
            (
                "`src/b.py` `src/a.py:10` `Store::close` `shut()` `Store.shut` `full_dispatch` `b.py` `OpenStore`",
                8,
                vec![
                    "OpenStore",
                    "Store.shut",
                    "Store::close",
                    "b.py",
                    "full_dispatch",
                    "shut()",
                    "src/a.py:10",
                    "src/b.py",
                ],
            ),
            ("`a.py:9` `a.py:10` `y.py:1`", 3, vec!["a.py:10", "y.py:1"]),
            ("`True`, `pip install x`, `and/or more`, `>=3`, `3.1`\n```\n`src/z.py`\n```\n", 0, vec![]),
        ] {
            let checked = check(text, &library(&["src/a.py"]));
            let missing = missing.into_iter().map(str::to_owned).collect::<Vec<_>>();
            assert_eq!((checked.total, checked.missing), (all, missing), "{text}");
        }
        let siblings = library(&["lib/x-y.js", "lib/x.js", "lib/x/z.js"]);
        assert!(check("`lib/x/` `lib/x` `lib/x.js`", &siblings).missing.is_empty());
    }

    #[test]
    fn nothing_checked_is_never_sure_and_what_is_missing_is_named() {
        let nothing = Checked::default();
        assert_eq!((nothing.confidence(100.0), nothing.confidence(20.0)), (0.5, 0.2));
        assert!(nothing.words().contains("nothing could be checked") && nothing.note().is_empty());
        let half = Checked { total: 2, missing: vec!["src/z".to_owned()] };
        assert_eq!(half.confidence(90.0), 0.45);
        assert_eq!(half.words(), "1 of 2 quoted files and names were found in the code; not found: `src/z`");
        assert_eq!(half.note(), "_This page quotes what the code does not have: `src/z`._");
    }
}
