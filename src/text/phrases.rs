//! Finds phrases in running text: whole words in any case, whatever separates them.

use std::cell::OnceCell;
use std::ops::{Deref, Range};

/// A text in lower case, with one space between words and at both ends, so that whole words can be found.
#[derive(Clone, Debug, Default)]
pub struct NormalizedText {
    text: String,
    /// The ranges of its distinct words, in alphabetical order.
    words: OnceCell<Vec<Range<usize>>>,
}

pub fn normalize_text(text: &str) -> NormalizedText {
    let mut out = String::with_capacity(text.len() + 2);
    out.push(' ');
    for c in text.chars() {
        if c.is_ascii_alphanumeric() {
            out.push(c.to_ascii_lowercase());
        } else if c.is_alphanumeric() {
            out.extend(c.to_lowercase());
        } else if !out.ends_with(' ') {
            out.push(' ');
        }
    }
    if !out.ends_with(' ') {
        out.push(' ');
    }
    NormalizedText { text: out, words: OnceCell::new() }
}

/// Whether a word is one of the comma-separated `words`.
pub fn is_listed(word: &str, words: &str) -> bool {
    words.split(", ").any(|listed| listed == word)
}

impl Deref for NormalizedText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl NormalizedText {
    /// Whether it contains one of the comma-separated `phrases`. A trailing `*` matches any word ending.
    pub fn has(&self, phrases: &str) -> bool {
        phrases.split(", ").any(|phrase| self.has_one(phrase))
    }

    fn has_one(&self, phrase: &str) -> bool {
        let (is_stem, phrase) = match phrase.strip_suffix('*') {
            Some(stem) => (true, stem),
            None => (false, phrase),
        };
        match phrase.split_once(' ') {
            Some((first, _)) => {
                let wanted = if is_stem { format!(" {phrase}") } else { format!(" {phrase} ") };
                self.has_word(first, false) && self.text.contains(&wanted)
            }
            None => self.has_word(phrase, is_stem),
        }
    }

    fn has_word(&self, word: &str, is_stem: bool) -> bool {
        let words = self.words.get_or_init(|| self.sorted_words());
        let at = words.partition_point(|at| &self.text[at.clone()] < word);
        words
            .get(at)
            .map(|at| &self.text[at.clone()])
            .is_some_and(|found| if is_stem { found.starts_with(word) } else { found == word })
    }

    fn sorted_words(&self) -> Vec<Range<usize>> {
        let mut words = Vec::new();
        let mut start = 1;
        for end in memchr::memchr_iter(b' ', self.text.as_bytes()).skip(1) {
            words.push(start..end);
            start = end + 1;
        }
        words.sort_unstable_by(|one, other| self.text[one.clone()].cmp(&self.text[other.clone()]));
        words.dedup_by(|one, other| self.text[one.clone()] == self.text[other.clone()]);
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_match_whole_words() {
        let text = normalize_text("The build-failed again; off-site on Monday.");
        for phrase in ["build failed", "mond*", "on monday", "the", "again", "nothing, off site", "off si*"] {
            assert!(text.has(phrase), "{phrase}");
        }
        for phrase in ["uild failed", "build fail", "mond", "failed the", "z*", "th", "off sit"] {
            assert!(!text.has(phrase), "{phrase}");
        }
        // The end of one word and the next one look like the beginning of the phrase.
        assert!(
            normalize_text("Fri 21, 1:1 with Bob").has("1 1") && normalize_text("Nov 11: 1:1").has("1 1")
        );
        assert!(
            !normalize_text("").has("a") && !normalize_text("").has("") && !normalize_text(" - ").has("a*")
        );
    }
}
