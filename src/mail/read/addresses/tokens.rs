//! Splits an address line into words, quotes, comments and brackets, however damaged it is.
//!
//! Promises: linear time. A quote, comment or bracket that is never closed opens nothing, and the line is damaged.

use crate::mail::read::words::Letter;
use crate::text::Visible;

#[derive(Debug)]
pub(super) enum Token {
    /// Letters without blanks. If `encoded`, they come from encoded words, in which blanks are letters.
    Word {
        text: String,
        encoded: bool,
    },
    Quoted(String),
    Comment(String),
    /// The text in angle brackets.
    Angle(Angle),
    Blank,
    Comma,
    Semicolon,
    Colon,
}

#[derive(Debug)]
pub(super) struct Angle {
    pub text: String,
    /// The address, if it is one.
    pub address: Option<String>,
    pub unusual: bool,
}

/// Splits a line into tokens and says whether it is damaged.
pub(super) fn tokens(letters: &[Letter]) -> (Vec<Token>, bool) {
    let (mut tokens, mut is_damaged) = (Vec::new(), false);
    // We search for a missing end only once, so that a line full of openings takes no longer than others.
    let (mut quotes, mut comments) = (true, true);
    let mut at = 0;
    while let Some(letter) = letters.get(at) {
        match letter.plain() {
            Some('"') => match quotes.then(|| closing_quote(letters, at)).flatten() {
                Some(end) => {
                    tokens.push(Token::Quoted(unescaped(&letters[at + 1..end])));
                    at = end;
                }
                None => (quotes, is_damaged) = (false, true),
            },
            Some('(') => match comments.then(|| closing_parenthesis(letters, at)).flatten() {
                Some(end) => {
                    tokens.push(Token::Comment(unescaped(&letters[at + 1..end])));
                    at = end;
                }
                None => (comments, is_damaged) = (false, true),
            },
            Some('<') => match angle(letters, at) {
                Some((angle, end)) => {
                    is_damaged |= angle.unusual;
                    tokens.push(Token::Angle(angle));
                    at = end;
                }
                None => is_damaged = true,
            },
            Some('>' | ')') => is_damaged = true,
            Some(',') => tokens.push(Token::Comma),
            Some(';') => tokens.push(Token::Semicolon),
            Some(':') => tokens.push(Token::Colon),
            Some(blank) if blank.is_whitespace() => tokens.push(Token::Blank),
            _ => {
                let end = word_end(letters, at);
                tokens.push(Token::Word { text: text(&letters[at..end]), encoded: letter.encoded });
                at = end - 1;
            }
        }
        at += 1;
    }
    (tokens, is_damaged)
}

fn text(letters: &[Letter]) -> String {
    letters.iter().map(|letter| letter.char).collect()
}

/// The text of a quoted string or a comment, without backslash escapes.
fn unescaped(letters: &[Letter]) -> String {
    let mut text = String::with_capacity(letters.len());
    let mut escaped = false;
    for letter in letters {
        escaped = !escaped && letter.plain() == Some('\\');
        if !escaped {
            text.push(letter.char);
        }
    }
    text
}

fn closing_quote(letters: &[Letter], open: usize) -> Option<usize> {
    let mut escaped = false;
    (open + 1..letters.len()).find(|at| {
        let letter = letters[*at].plain();
        let closes = letter == Some('"') && !escaped;
        escaped = !escaped && letter == Some('\\');
        closes
    })
}

/// Comments nest.
fn closing_parenthesis(letters: &[Letter], open: usize) -> Option<usize> {
    let (mut depth, mut escaped) = (0_usize, false);
    (open..letters.len()).find(|at| {
        let letter = letters[*at].plain().filter(|_| !escaped);
        escaped = letter == Some('\\');
        match letter {
            Some('(') => depth += 1,
            Some(')') => depth -= 1,
            _ => {}
        }
        depth == 0
    })
}

/// Where the word that begins at `start` ends. A domain may be an IP address in square brackets, with colons.
fn word_end(letters: &[Letter], start: usize) -> usize {
    let encoded = letters[start].encoded;
    let mut in_literal = false;
    let mut at = start + 1;
    while let Some(letter) = letters.get(at).filter(|letter| letter.encoded == encoded) {
        match letter.plain() {
            Some('[') => in_literal |= letters[at - 1].char == '@',
            Some(']') => in_literal = false,
            Some(':') if in_literal => {}
            Some(c) if c.is_whitespace() || "\"()<>,;:".contains(c) => break,
            _ => {}
        }
        at += 1;
    }
    at
}

/// The text in the angle brackets that open at `open`, and where they end. `None` for a stray bracket.
fn angle(letters: &[Letter], open: usize) -> Option<(Angle, usize)> {
    let mut in_quotes = false;
    let mut end = open + 1;
    loop {
        match letters.get(end).map(Letter::plain) {
            Some(Some('"')) => in_quotes = !in_quotes,
            Some(Some('<')) if !in_quotes => return None,
            Some(Some('>')) if !in_quotes => break,
            Some(_) => {}
            // A quote hides the bracket, or there is none.
            None if in_quotes => return unquoted_angle(letters, open),
            None => return open_angle(letters, open),
        }
        end += 1;
    }
    let angle = cleaned(&letters[open + 1..end]);
    // Several addresses in one pair of brackets are a list.
    let is_list = angle.address.is_none() && angle.text.contains([',', ';']);
    (!is_list).then_some((angle, end))
}

/// Brackets around a quote that is never closed.
fn unquoted_angle(letters: &[Letter], open: usize) -> Option<(Angle, usize)> {
    let ends = |at: &usize| matches!(letters[*at].plain(), Some('<' | '>'));
    let end = (open + 1..letters.len()).find(ends)?;
    (letters[end].char == '>').then(|| (Angle { unusual: true, ..cleaned(&letters[open + 1..end]) }, end))
}

/// If the bracket is never closed, the address ends with the word.
fn open_angle(letters: &[Letter], open: usize) -> Option<(Angle, usize)> {
    let is_blank = |letter: &Letter| letter.plain().is_some_and(char::is_whitespace);
    let start = (open + 1..letters.len()).find(|at| !is_blank(&letters[*at]))?;
    let ends = |at: &usize| is_blank(&letters[*at]) || matches!(letters[*at].plain(), Some(',' | ';'));
    let end = (start..letters.len()).find(ends).unwrap_or(letters.len());
    Some((Angle { unusual: true, ..cleaned(&letters[start..end]) }, end - 1))
}

/// The content of angle brackets without anything that does not belong there.
fn cleaned(letters: &[Letter]) -> Angle {
    let comment = letters.iter().position(|letter| letter.plain() == Some('('));
    let letters = match comment.filter(|at| closing_parenthesis(letters, *at) == Some(letters.len() - 1)) {
        Some(comment) => &letters[..comment],
        None => letters,
    };
    let decoded = text(letters);
    let mut address = decoded.trim();
    let encoded = letters.iter().any(|letter| letter.encoded);
    if is_address(address) {
        return Angle { text: decoded.clone(), address: Some(address.to_owned()), unusual: encoded };
    }
    if let Some((_, rest)) = address.split_once(':').filter(|(route, _)| is_scheme_or_route(route)) {
        address = rest;
    }
    // Blanks around `@` and dots used to be allowed.
    let mut candidate = address.trim().trim_matches(AROUND).to_owned();
    for mark in ['@', '.'] {
        candidate = candidate.split(mark).map(str::trim).collect::<Vec<_>>().join(&mark.to_string());
    }
    // Text that is no valid address is kept as written: `root`, `a@b@c.example`.
    let halves = candidate.split_once('@');
    let is_complete = !candidate.is_empty()
        && !candidate.contains(|c: char| c.is_whitespace() || ",;".contains(c))
        && halves.is_none_or(|(local, domain)| !local.is_empty() && !domain.is_empty());
    Angle { text: decoded.clone(), address: is_complete.then_some(candidate), unusual: true }
}

/// `mailto:`, or the source route of old mail (`@relay.example:`).
fn is_scheme_or_route(text: &str) -> bool {
    text.trim().eq_ignore_ascii_case("mailto") || text.trim_start().starts_with('@')
}

/// Characters that people and programs put around an address.
pub(super) const AROUND: &[char] = &[
    '[', ']', '{', '}', '\'', '"', '`', '.', '*', '|', '\\', '‘', '’', '“', '”', '«', '»', '‹', '›', '＜',
    '＞', '〈', '〉', '《', '》',
];

/// Whether a text is a well-formed address.
pub(super) fn is_address(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else { return false };
    let is_quoted = local.len() > 2 && local.starts_with('"') && local.ends_with('"');
    let is_special =
        |c: char| c.is_whitespace() || "()<>[]:;@,\\\"".contains(c) || (!c.is_ascii() && AROUND.contains(&c));
    let is_literal = domain.len() > 2 && domain.starts_with('[') && domain.ends_with(']');
    let label = |label: &str| {
        !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'))
    };
    (is_quoted || !local.is_empty() && !local.contains(is_special))
        && (is_literal || domain.split('.').all(label))
        && Visible::line(text) == text
}
