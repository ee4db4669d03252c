//! Splits text into words, for rules that count and compare them. Stems English; other languages match by whole words.

use crate::text::GERMAN_MONTHS;
use std::collections::HashSet;
use std::sync::LazyLock;

/// Words that tell nothing about a subject.
const STOP: &str = "a about after all also am an and any are as at be been before but by can could did do does each else \
    email emails every for from get had has have he her here him his how i if in into is it its just like \
    mail mails may me message messages more most my no not of off on one only or other our out over please \
    re fwd fw she should so some such than that the their them then there these they this those to too up \
    us very was we were what when where which while who why will with would you your";

/// Lower-case words. An apostrophe within a word belongs to it, but a final `'s` does not.
pub fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric() && c != '\'')
        .map(|word| word.trim_matches('\'').trim_end_matches("'s").to_lowercase())
        .filter(|word| !word.is_empty())
}

/// Lower-case runs of letters and digits.
pub fn alphanumeric_words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

/// How many characters of context a snippet shows before and after the first match.
const SNIPPET_CONTEXT: (usize, usize) = (24, 96);

/// The text around the first place where one of these words begins, on one line.
pub fn around(text: &str, words: &str) -> Option<String> {
    let letters: Vec<char> = text.split_whitespace().collect::<Vec<_>>().join(" ").chars().collect();
    let folded: Vec<char> = letters.iter().map(|c| c.to_lowercase().next().unwrap_or(*c)).collect();
    let begins = |at: usize| at == 0 || !folded[at - 1].is_alphanumeric();
    let words: Vec<Vec<char>> = alphanumeric_words(words).iter().map(|word| word.chars().collect()).collect();
    let start = (0..folded.len())
        .find(|at| begins(*at) && words.iter().any(|word| folded[*at..].starts_with(word)))?;
    let from = (start.saturating_sub(SNIPPET_CONTEXT.0)..=start).find(|at| begins(*at)).unwrap_or(start);
    let to = (start + SNIPPET_CONTEXT.1).min(letters.len());
    let sign = |cut: bool| if cut { "…" } else { "" };
    let shown: String = letters[from..to].iter().collect();
    Some(format!("{}{}{}", sign(from > 0), shown.trim(), sign(to < letters.len())))
}

/// Only the letters and digits, in lower case: what two spellings of a name have in common.
pub fn letters_and_digits(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Puts a space between the words of `camelCase`.
pub fn split_camel_case(text: &str) -> String {
    let mut spaced = String::with_capacity(text.len());
    let mut before = ' ';
    for c in text.chars() {
        if c.is_uppercase() && before.is_lowercase() {
            spaced.push(' ');
        }
        spaced.push(c);
        before = c;
    }
    spaced
}

pub fn is_stop(word: &str) -> bool {
    static WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| STOP.split_whitespace().collect());
    WORDS.contains(word)
}

/// The meaningful words, stemmed, in order.
pub fn stems(text: &str) -> Vec<String> {
    words(text).filter(|word| !is_stop(word) && word.len() > 1).map(|word| stem(&word)).collect()
}

pub fn stem_set(text: &str) -> HashSet<String> {
    stems(text).into_iter().collect()
}

/// A light stem: enough to unify *fails*, *failed*, *failing* and *failure*.
pub fn stem(word: &str) -> String {
    if !word.is_ascii() || word.len() < 4 {
        return word.to_owned();
    }
    if let Some(head) = word.strip_suffix("ies").filter(|head| head.len() >= 2) {
        return format!("{head}y");
    }
    for suffix in ["ings", "ing", "ures", "ure", "ions", "ion", "ed", "es", "s"] {
        let Some(head) = word.strip_suffix(suffix) else { continue };
        let keeps = match suffix {
            "s" => head.ends_with(['s', 'u', 'i']),
            "es" => !head.ends_with(['s', 'x', 'z', 'h']),
            _ => head.len() < 4,
        };
        if keeps || head.len() < 3 {
            continue;
        }
        let bytes = head.as_bytes();
        let doubled = bytes.len() > 3
            && bytes[bytes.len() - 1] == bytes[bytes.len() - 2]
            && !matches!(bytes[bytes.len() - 1], b'l' | b's' | b'z' | b'e' | b'o');
        return if doubled && matches!(suffix, "ed" | "ing") {
            head[..head.len() - 1].to_owned()
        } else {
            head.trim_end_matches('e').to_owned()
        };
    }
    word.trim_end_matches('e').to_owned()
}

/// Adds a full stop, unless the text already ends like a sentence.
pub fn with_full_stop(text: &str) -> String {
    let text = text.trim_end();
    let ended = text.is_empty() || text.ends_with(['.', '!', '?', ':', '…', '。', '！', '？']);
    format!("{text}{}", if ended { "" } else { "." })
}

/// Sentences in order, trimmed. A line break ends a sentence if the line is a heading, a list item, or short.
pub fn sentences(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    for paragraph in text.split("\n\n") {
        let mut start = 0;
        let mut chars = paragraph.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            let next = chars.peek().map(|(_, next)| *next);
            let item = || {
                paragraph[at + c.len_utf8()..].trim_start_matches(' ').starts_with(['-', '*', '#', '•', '|'])
            };
            let ends = match c {
                '.' | '!' | '?' => {
                    next.is_none_or(char::is_whitespace)
                        && !initial(&paragraph[start..at])
                        && !(c == '.' && ordinal(&paragraph[start..at], &paragraph[at + 1..]))
                }
                '\n' => {
                    let line = paragraph[start..at].lines().last().unwrap_or_default();
                    item()
                        || line.trim_start().starts_with(['#', '-', '*', '|'])
                        || line.trim_end().ends_with([':', ',']) && line.len() < 40
                }
                _ => false,
            };
            if ends {
                push(&mut out, &paragraph[start..at + c.len_utf8()]);
                start = at + c.len_utf8();
            }
        }
        push(&mut out, &paragraph[start..]);
    }
    out
}

/// `Dr.`, `e.g.` and initials do not end a sentence.
fn initial(before: &str) -> bool {
    let last = before.rsplit(char::is_whitespace).next().unwrap_or_default();
    let bare = last.to_lowercase();
    matches!(
        bare.as_str(),
        "dr" | "mr" | "mrs" | "ms" | "prof" | "st" | "e.g" | "i.e" | "no" | "vs" | "approx"
    ) || (last.chars().count() == 1 && last.chars().all(char::is_uppercase))
}

/// The dot of a German date, `17. November`, does not end a sentence.
fn ordinal(before: &str, after: &str) -> bool {
    let day = before.rsplit(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
    (1..=2).contains(&day.len()) && GERMAN_MONTHS.iter().any(|month| after.trim_start().starts_with(month))
}

fn push<'a>(out: &mut Vec<&'a str>, sentence: &'a str) {
    let sentence = sentence.trim();
    if sentence.chars().any(char::is_alphanumeric) {
        out.push(sentence);
    }
}

/// At most `max` characters, with an ellipsis if something was left out.
pub fn clip(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// At most `max` characters on one line.
pub fn line(text: &str, max: usize) -> String {
    clip(&text.split_whitespace().collect::<Vec<_>>().join(" "), max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_around_a_word_is_one_line() {
        let long = format!("{} the Budget\nof spring {}", "before ".repeat(9), "after ".repeat(30));
        let shown = around(&long, "budget").unwrap();
        assert!(
            shown.starts_with("…before before") && shown.contains("the Budget of spring after"),
            "{shown}"
        );
        assert!(shown.ends_with('…') && shown.chars().count() < 130, "{shown}");
        assert_eq!(around("a low-budget film", "BUDGET").as_deref(), Some("a low-budget film"));
        assert_eq!(around("nothing", "budget"), None);
    }

    #[test]
    fn forms_of_a_word_meet() {
        for group in [
            &["fails", "failed", "failing", "failure", "failures"][..],
            &["build", "builds"],
            &["newsletter", "newsletters"],
            &["deploy", "deployed", "deploys"],
            &["receipt", "receipts"],
            &["invoice", "invoices", "invoiced"],
            &["promotion", "promotions"],
            &["story", "stories"],
            &["plan", "planned", "planning"],
        ] {
            let stems: Vec<String> = group.iter().map(|word| stem(word)).collect();
            assert!(stems.iter().all(|s| *s == stems[0]), "{stems:?}");
        }
        assert_eq!(stem("status"), "status");
        assert_eq!(stem("naïveté"), "naïveté");
    }

    #[test]
    fn a_sentence_is_ended_once() {
        for (text, ended) in
            [("Done", "Done."), ("Done. ", "Done."), ("Can you come?", "Can you come?"), ("", "")]
        {
            assert_eq!(with_full_stop(text), ended);
        }
    }

    #[test]
    fn sentences_are_parted() {
        let text = "Hi Ada,\nDr. Lee asks: can you come at 3.30 p.m.? Thanks!\n\n- one\n- two\n\nBye";
        let list = sentences(text);
        assert_eq!(list[0], "Hi Ada,");
        assert_eq!(sentences("Passt der 17. November? Ja."), ["Passt der 17. November?", "Ja."]);
        assert!(list.contains(&"- one") && list.contains(&"- two") && list.contains(&"Thanks!"), "{list:?}");
    }
}
