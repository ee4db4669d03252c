//! Finds the name in a question.

use std::collections::BTreeMap;

/// Quotation marks, opening and closing.
const QUOTES: &[(char, char)] = &[('"', '"'), ('“', '”'), ('«', '»'), ('‘', '’'), ('„', '“')];

/// Words that come before a name.
const WORDS_BEFORE_NAME: &[&str] = &[
    "called",
    "named",
    "titled",
    "by",
    "of",
    "from",
    "about",
    "for",
    "to",
    "like",
    "is",
    "user",
    "track",
    "playlist",
    "does",
    "on",
    "in",
    "follows",
    "following",
    "support",
    "supports",
    "tipped",
    "follow",
    "supporting",
    "tip",
];

/// Words that end an unquoted name.
const WORDS_AFTER_NAME: &[&str] = &[
    "on",
    "from",
    "this",
    "last",
    "in",
    "right",
    "now",
    "today",
    "please",
    "have",
    "has",
    "had",
    "follow",
    "follows",
    "get",
    "gets",
    "and",
    "with",
    "of",
    "support",
    "supports",
    "tip",
    "tips",
    "made",
    "uploaded",
    "released",
    "favorite",
    "favorited",
    "like",
    "likes",
    "repost",
    "reposted",
    "use",
    "uses",
    "follower",
    "followers",
    "track",
    "tracks",
    "playlist",
    "playlists",
    "profile",
    "play",
    "plays",
];

/// Words that are never a name, alone or at its beginning.
const NEVER_NAMES: &[&str] = &[
    "the",
    "a",
    "an",
    "audius",
    "all",
    "any",
    "some",
    "me",
    "us",
    "most",
    "top",
    "trending",
    "popular",
    "week",
    "month",
    "year",
    "time",
    "this",
    "that",
    "their",
    "his",
    "her",
    "its",
    "it",
    "them",
    "user",
    "users",
    "track",
    "tracks",
    "playlist",
    "playlists",
    "what",
    "who",
    "which",
    "how",
    "many",
    "on",
    "of",
    "by",
    "there",
    "now",
    "today",
    "he",
    "she",
    "they",
    "genre",
    "genres",
    "latest",
    "new",
    "newest",
    "best",
];

/// The name in a text: a quote, a handle, the owner before an 's, or the words after one of [`WORDS_BEFORE_NAME`].
pub(super) fn name_in(text: &str, same: &BTreeMap<String, String>) -> Option<String> {
    if let Some((quoted, _)) = quoted(text) {
        return Some(quoted);
    }
    let tokens: Vec<&str> = text.split_whitespace().collect();
    if let Some(handle) = tokens.iter().find(|token| token.starts_with('@') && token.len() > 1) {
        return Some(clean(handle).to_owned());
    }
    let canonical = |token: &str| {
        let word = clean(token).to_lowercase();
        same.get(&word).cloned().unwrap_or(word)
    };
    if let Some(owner) = owner(&tokens, &canonical) {
        return Some(owner);
    }
    // The last such word is closest to the name; if nothing follows it, try the one before.
    (0..tokens.len())
        .rev()
        .filter(|at| WORDS_BEFORE_NAME.contains(&canonical(tokens[*at]).as_str()))
        .find_map(|at| name_at(&tokens, at + 1, &canonical))
}

/// Whether a text says that something belongs to somebody it names.
pub(super) fn is_owned(text: &str, same: &BTreeMap<String, String>) -> bool {
    let tokens: Vec<&str> = text.split_whitespace().collect();
    let canonical = |token: &str| {
        let word = clean(token).to_lowercase();
        same.get(&word).cloned().unwrap_or(word)
    };
    owner(&tokens, &canonical).is_some()
}

/// The name that begins here, up to a word that ends it.
fn name_at(tokens: &[&str], from: usize, canonical: &impl Fn(&str) -> String) -> Option<String> {
    let mut begin = from;
    while tokens
        .get(begin)
        .is_some_and(|token| NEVER_NAMES.contains(&canonical(token).as_str()) && !is_capital(token))
    {
        begin += 1;
    }
    let mut name: Vec<&str> = Vec::new();
    for token in tokens.get(begin..)? {
        let ends = WORDS_AFTER_NAME.contains(&canonical(token).as_str()) && !is_capital(token);
        if !name.is_empty() && ends {
            break;
        }
        if name.is_empty() && (ends || NEVER_NAMES.contains(&canonical(token).as_str())) {
            return None;
        }
        name.push(token);
        if token.ends_with(['?', ',', ';', ':']) || (token.ends_with(['.', '!']) && token.len() > 2) {
            break;
        }
    }
    let name = name.join(" ");
    let name = clean(&name).to_owned();
    let is_number = name.parse::<u64>().is_ok();
    (!name.is_empty() && !is_number).then_some(name)
}

/// `Skrillex's tracks`: the name before the 's.
fn owner(tokens: &[&str], canonical: &impl Fn(&str) -> String) -> Option<String> {
    let at = tokens.iter().position(|token| {
        let token = clean(token);
        let bare = token.strip_suffix("'s").or_else(|| token.strip_suffix("’s"));
        bare.is_some_and(|bare| {
            !matches!(
                bare.to_lowercase().as_str(),
                "what" | "who" | "how" | "that" | "it" | "there" | "where"
            )
        })
    })?;
    let last = clean(tokens[at]);
    let last = last.strip_suffix("'s").or_else(|| last.strip_suffix("’s"))?;
    let mut begin = at;
    while begin > 0
        && is_capital(tokens[begin - 1])
        && begin > 1
        && !NEVER_NAMES.contains(&canonical(tokens[begin - 1]).as_str())
    {
        begin -= 1;
    }
    let name: Vec<&str> = tokens[begin..at].iter().copied().chain([last]).collect();
    let name = name.join(" ");
    (!NEVER_NAMES.contains(&name.to_lowercase().as_str())).then_some(name)
}

fn is_capital(token: &str) -> bool {
    token.chars().next().is_some_and(char::is_uppercase)
}

fn clean(token: &str) -> &str {
    token.trim_matches(['?', '!', ',', ';', ':', '"', '(', ')']).trim_end_matches('.')
}

/// The first quote, and its range.
fn quoted(text: &str) -> Option<(String, std::ops::Range<usize>)> {
    let mut first: Option<(String, std::ops::Range<usize>)> = None;
    let mut keep_earliest = |from: usize, to: usize, end: usize| {
        let quote = text.get(from..to).map(str::trim).filter(|quote| !quote.is_empty());
        let start = text[..from].char_indices().next_back().map_or(0, |(at, _)| at);
        if let Some(quote) = quote
            && first.as_ref().is_none_or(|(_, range)| start < range.start)
        {
            first = Some((quote.to_owned(), start..end));
        }
    };
    for (open, close) in QUOTES {
        let Some(at) = text.find(*open) else { continue };
        let from = at + open.len_utf8();
        if let Some(length) = text[from..].find(*close) {
            keep_earliest(from, from + length, from + length + close.len_utf8());
        }
    }
    // An apostrophe is a quotation mark only at the start of a word.
    let opening = text
        .match_indices('\'')
        .find(|(at, _)| text[..*at].chars().next_back().is_none_or(char::is_whitespace));
    if let Some((at, _)) = opening {
        let ends = |after: &str| after.chars().next().is_none_or(|c| !c.is_alphanumeric());
        let from = at + 1;
        if let Some((length, _)) =
            text[from..].match_indices('\'').find(|(length, _)| ends(&text[from + length + 1..]))
        {
            keep_earliest(from, from + length, from + length + 1);
        }
    }
    first
}

/// The text without quotes: the words of a name ask for nothing.
pub(super) fn without_quotes(text: &str) -> String {
    match quoted(text) {
        Some((_, range)) => format!("{} {}", &text[..range.start], without_quotes(&text[range.end..])),
        None => text.to_owned(),
    }
}
