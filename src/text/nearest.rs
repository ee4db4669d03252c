//! "Did you mean …": the known word closest to a mistyped one.
//!
//! Promises a suggestion only when it is likely meant. Does not know what the words are for.

/// Longer words are not typing slips, and comparing them would cost more than it helps.
const LONGEST: usize = 64;

/// The candidate closest to `word`, if at most a third of its letters differ (one may always differ).
///
/// Upper and lower case, and `-` and `_`, count as the same letter; swapping two neighbours counts as one change. Ties
/// go to the first candidate.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = folded(word)?;
    candidates
        .into_iter()
        .filter_map(|candidate| {
            let folded_candidate = folded(candidate)?;
            let max_distance = (word.len().max(folded_candidate.len()) / 3).max(1);
            let distance = distance(&word, &folded_candidate);
            (distance <= max_distance && distance < word.len().max(1)).then_some((distance, candidate))
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Which name was meant: the nearest one, or else all there are. `none` is the sentence if there are no names at all.
pub fn suggest(word: &str, names: &[impl AsRef<str>], none: &str) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    match nearest(word, names.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if names.is_empty() => none.to_owned(),
        None => format!("there are {}", names.join(", ")),
    }
}

fn folded(word: &str) -> Option<Vec<char>> {
    let folded: Vec<char> = word
        .chars()
        .take(LONGEST + 1)
        .map(|c| if c == '-' { '_' } else { c.to_lowercase().next().unwrap_or(c) })
        .collect();
    (folded.len() <= LONGEST).then_some(folded)
}

/// The number of insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before_last = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before_last[j - 2] + 1);
            }
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_was_meant() {
        let keys = ["provider", "name", "base_url", "api_key_env", "max_concurrent", "day"];
        for (word, expected) in [
            ("provder", Some("provider")),
            ("Provider", Some("provider")),
            ("porvider", Some("provider")),
            ("base-url", Some("base_url")),
            ("baseurl", Some("base_url")),
            ("nam", Some("name")),
            ("api_key", None),
            ("dya", Some("day")),
            ("days", Some("day")),
            ("colour", None),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, keys), expected, "{word}");
        }
        assert_eq!(nearest(&"a".repeat(100_000), keys), None);
        assert_eq!(nearest("day", []), None);
    }

    #[test]
    fn the_first_of_equals_wins() {
        assert_eq!(nearest("cat", ["bat", "hat"]), Some("bat"));
    }
}
