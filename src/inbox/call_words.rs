//! Calls of programs and patterns of them as words: what `sayso grants` prints and `accept --grant` takes.
//!
//! A word is quoted as for a shell where it needs to be; `<path>` is a hole for one path, `<paths>` for one or more.

use crate::engine::graph::{Act, ActPattern, AgentCall, Allowed, WordPattern};
use crate::text::quoted_word;
use std::collections::BTreeMap;

const PATH: &str = "<path>";
const PATHS: &str = "<paths>";

/// The words of a pattern.
pub fn pattern_words(allowed: &[Vec<WordPattern>], call: &AgentCall) -> String {
    let after = call.acts.iter().map(|act| act.after.as_str());
    joined(allowed.iter().map(|words| words_of(words)).zip(after))
}

/// The words of one act.
pub fn act_words(act: &Act) -> String {
    act.words.iter().map(|word| quoted_word(&word.text)).collect::<Vec<_>>().join(" ")
}

/// What a grant allows: its words, where, and what else must be as it was.
pub fn allowed_words(patterns: &[ActPattern]) -> String {
    let acts = patterns.iter().map(|act| {
        let rest: Vec<String> = conditions(&act.fixed).collect();
        let rest = if rest.is_empty() { String::new() } else { format!(" ({})", rest.join(", ")) };
        (format!("`{}` in {}{rest}", words_of(&act.words), act.folder), act.after.as_str())
    });
    joined(acts)
}

/// What else must be the same, in words.
pub fn conditions(fixed: &BTreeMap<String, String>) -> impl Iterator<Item = String> + '_ {
    fixed.iter().map(|(name, value)| if value.is_empty() { name.clone() } else { format!("{name}: {value}") })
}

/// Reads the words of a pattern for this call; `None` if they don't fit it.
pub fn read_pattern(text: &str, call: &AgentCall) -> Option<Allowed> {
    let mut rest = text.trim();
    let mut allowed = Allowed::new();
    for act in &call.acts {
        if !allowed.is_empty() {
            rest = take(rest, &act.after)?;
        }
        let (mut words, mut patterns) = (act.words.as_slice(), Vec::new());
        while let Some((word, following)) = words.split_first() {
            let (pattern, after, count) = match (take(rest, PATHS), take(rest, PATH)) {
                (Some(after), _) => {
                    (WordPattern::Paths, after, words.iter().take_while(|word| word.open).count())
                }
                (None, Some(after)) => (WordPattern::Path, after, 1),
                (None, None) => {
                    (WordPattern::Fixed(word.text.clone()), take(rest, &quoted_word(&word.text))?, 1)
                }
            };
            words = words.get(count.max(1)..).unwrap_or(following);
            rest = after;
            patterns.push(pattern);
        }
        allowed.push(patterns);
    }
    (rest.is_empty() && call.patterns(allowed.clone()).is_some()).then_some(allowed)
}

/// What follows a word at the beginning of a text.
fn take<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let rest = text.strip_prefix(word)?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix(' ').map(str::trim_start) }
}

fn words_of(words: &[WordPattern]) -> String {
    let word = |word: &WordPattern| match word {
        WordPattern::Fixed(text) => quoted_word(text),
        WordPattern::Path => PATH.to_owned(),
        WordPattern::Paths => PATHS.to_owned(),
    };
    words.iter().map(word).collect::<Vec<_>>().join(" ")
}

/// Acts with what stands between them.
fn joined<'a>(acts: impl Iterator<Item = (String, &'a str)>) -> String {
    acts.fold(
        String::new(),
        |all, (act, after)| if all.is_empty() { act } else { format!("{all} {after} {act}") },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::graph::{Texts, Word};

    fn call() -> AgentCall {
        let act = |words: &[&str], after: &str| Act {
            words: words
                .iter()
                .map(|text| Word { text: (*text).to_owned(), open: text.contains('/') })
                .collect(),
            folder: "/a".to_owned(),
            fixed: BTreeMap::new(),
            texts: Texts::new(),
            after: after.to_owned(),
        };
        let acts =
            vec![act(&["git", "add", "it's", "a/b", "c/d"], ";"), act(&["git", "commit", "<paths>"], "&&")];
        AgentCall {
            by: "x".to_owned(),
            session: None,
            folder: "/a".to_owned(),
            acts,
            asks: None,
            was: Texts::new(),
        }
    }

    #[test]
    fn what_is_printed_is_taken() {
        let call = call();
        let exactly = r"git add 'it'\''s' a/b c/d && git commit '<paths>'";
        let open = r"git add 'it'\''s' <paths> && git commit '<paths>'";
        assert_eq!(pattern_words(&call.exactly(), &call), exactly);
        assert_eq!(pattern_words(&call.with_paths_open().unwrap(), &call), open);
        let one = r"git add 'it'\''s' <path> c/d && git commit '<paths>'";
        for text in [exactly, open, one] {
            let allowed = read_pattern(text, &call).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(pattern_words(&allowed, &call), text);
            assert!(call.patterns(allowed).is_some());
        }
    }

    #[test]
    fn what_does_not_fit_the_call_is_not_taken() {
        for text in [
            "",
            "git",
            "git add <paths>",
            r"git add 'it'\''s' <paths>",
            r"git add 'it'\''s' <paths> <path> && git commit '<paths>'",
            r"git add 'it'\''s' a/b c/d && git commit <paths>",
            r"git add 'it'\''s' a/b c/d ; git commit '<paths>'",
            r"git <path> 'it'\''s' a/b c/d && git commit '<paths>'",
            r"git add 'it'\''s' a/b c/d && git commit '<paths>' x",
        ] {
            assert_eq!(read_pattern(text, &call()), None, "{text}");
        }
    }
}
