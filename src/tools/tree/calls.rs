//! Finds calls by the syntax that all supported languages share.

use std::collections::BTreeMap;

/// How many names we keep, and the longest name.
const NAMES: usize = 2_000;
const NAME: usize = 60;

/// Names right before a round bracket, except those declared there.
pub(super) fn calls(code: &str) -> BTreeMap<String, u32> {
    let part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let mut counts = BTreeMap::new();
    for (at, _) in code.match_indices('(') {
        let before = &code[..at];
        let bare = before.trim_end_matches(part);
        let name = &before[bare.len()..];
        let declared = ["def", "fn", "function", "func"].iter().any(|word| bare.trim_end().ends_with(word));
        if name.is_empty() || name.len() > NAME || declared {
            continue;
        }
        if let Some(count) = counts.get_mut(name) {
            *count += 1;
        } else if counts.len() < NAMES {
            counts.insert(name.to_owned(), 1);
        }
    }
    counts
}
