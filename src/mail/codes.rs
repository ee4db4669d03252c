//! Finds codes (PINs, account numbers, reference numbers) and brings them into one form, whether they are written in
//! one piece, spaced, hyphenated, or in number words.
//!
//! Every run of neighbouring groups counts as a code, so that part of a number is found in the whole. Dates, times of
//! day, years and ranges such as `10-12` do not count: mails are full of them.

use std::borrow::Cow;
use std::collections::HashSet;

/// An IBAN has at most 34 letters and digits; longer codes are not assembled.
const LONGEST: usize = 34;

/// The codes in a text, without duplicates, in order of appearance.
pub(super) fn codes(text: &str) -> Vec<String> {
    let groups = without_dates(groups(text));
    let mut seen = HashSet::new();
    let mut codes = Vec::new();
    for start in 0..groups.len() {
        let (mut joined, mut digits) = (String::new(), String::new());
        for (n, group) in groups[start..].iter().enumerate() {
            if n > 0 && !group.joined || joined.len() + group.text.len() > LONGEST {
                break;
            }
            joined.push_str(&group.text);
            digits.extend(group.text.chars().filter(char::is_ascii_digit));
            for code in [&joined, &digits] {
                if is_code(code) && !seen.contains(code) {
                    seen.insert(code.clone());
                    codes.push(code.clone());
                }
            }
        }
    }
    codes
}

/// Whether a group of letters and digits says more than a quantity or a year.
fn is_code(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let is_year = text.len() == 4 && text.parse().is_ok_and(|year: u32| (1900..2100).contains(&year));
    let is_quantity =
        text.trim_start_matches(|c: char| c.is_ascii_digit()).bytes().all(|b| !b.is_ascii_digit());
    if digits >= 4 { !is_year } else { digits >= 2 && text.len() >= 6 && !is_quantity }
}

/// A run of digits, or of letters and digits.
struct Group {
    /// Lower case.
    text: String,
    /// The characters before it, without blanks.
    mark: String,
    /// Whether it continues the group before it.
    joined: bool,
}

impl Group {
    /// Its number, if it is all digits and at most `most` of them.
    fn number(&self, most: usize) -> Option<u32> {
        self.text.parse().ok().filter(|_| self.text.len() <= most)
    }
}

fn groups(text: &str) -> Vec<Group> {
    let words = words(text);
    let mut groups: Vec<Group> = Vec::new();
    // The index of the word after the last group: only that word can continue it.
    let mut next = 0;
    let mut at = 0;
    while at < words.len() {
        let (before, word) = &words[at];
        let (texts, length) = if let Some((numbers, length)) = spelled(&words[at..]) {
            (numbers, length)
        } else if is_group(word) {
            (vec![word.to_string()], 1)
        } else {
            at += 1;
            continue;
        };
        for (n, text) in texts.into_iter().enumerate() {
            let first = n == 0;
            let last = groups.last().filter(|_| next == at);
            let joined = !first || last.is_some_and(|last| joins(before, &last.text, &text));
            let mark = if first { before.split_whitespace().collect() } else { String::new() };
            groups.push(Group { text, mark, joined });
        }
        at += length;
        next = at;
    }
    groups
}

/// The characters before a word, and the word in lower case.
type Word<'a> = (&'a str, Cow<'a, str>);

fn words(text: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(char::is_alphanumeric) {
        let (before, from_word) = rest.split_at(start);
        let end = from_word.find(|c: char| !c.is_alphanumeric()).unwrap_or(from_word.len());
        let (word, after) = from_word.split_at(end);
        let is_lower = word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
        words.push((before, if is_lower { word.into() } else { word.to_lowercase().into() }));
        rest = after;
    }
    words
}

/// Whether a word may be part of a code. A single letter may: codes are sometimes spaced out letter by letter.
fn is_group(word: &str) -> bool {
    word.is_ascii() && (word.len() == 1 || word.bytes().any(|b| b.is_ascii_digit()))
}

/// Whether a group continues the last one across the characters between them. Single characters continue across almost
/// anything, longer groups only if no sentence or list ends in between.
fn joins(between: &str, last: &str, next: &str) -> bool {
    let blank = between.chars().any(char::is_whitespace);
    let mark = between.trim();
    let close = !blank || matches!(mark, "" | "-" | "–" | "/");
    between.chars().count() <= 3 && (close || last.len() == 1 && next.len() == 1)
}

/// Drops the groups that are dates or times.
fn without_dates(mut groups: Vec<Group>) -> Vec<Group> {
    let mut remaining = Vec::with_capacity(groups.len());
    let mut at = 0;
    while at < groups.len() {
        let length = date_length(&groups[at..]);
        if length > 0 {
            at += length;
            if let Some(next) = groups.get_mut(at) {
                next.joined = false;
            }
            continue;
        }
        let Group { text, mark, joined } = &mut groups[at];
        remaining.push(Group { text: std::mem::take(text), mark: std::mem::take(mark), joined: *joined });
        at += 1;
    }
    remaining
}

/// How many groups at the start form a date, a time of day or a range; 0 if none do.
fn date_length(groups: &[Group]) -> usize {
    let number = |at: usize, most: usize| groups.get(at).and_then(|group| group.number(most));
    let mark =
        |at: usize| groups.get(at).filter(|group| group.joined).map_or("", |group| group.mark.as_str());
    let is_year = |year: u32| (1900..2100).contains(&year);
    let is_day = |a: u32, b: u32| (1..=31).contains(&a) && (1..=31).contains(&b) && a.min(b) <= 12;
    let two = number(0, 2).zip(number(1, 2));
    let same = mark(1) == mark(2);
    if number(0, 4).is_some_and(is_year) && same && matches!(mark(1), "-" | "/" | ".") {
        let third = groups.get(2).map_or("", |group| &group.text);
        let (day, hour) = third.split_once('t').unwrap_or((third, ""));
        if let (Some(month), Ok(day)) = (number(1, 2), day.parse())
            && is_day(month, day)
        {
            let clock = |at: &usize| {
                let digits = groups.get(*at).map(|group| group.text.trim_end_matches('z').len());
                matches!(mark(*at), ":" | "+" | "-" | ".") && digits.is_some_and(|digits| digits <= 3)
            };
            return if hour.is_empty() { 3 } else { 3 + (3..8).take_while(clock).count() };
        }
    }
    let Some((a, b)) = two else { return 0 };
    if is_day(a, b) && same && matches!(mark(1), "-" | "/" | ".") {
        let short = number(2, 2).is_some() && mark(1) != "-";
        if short || number(2, 4).is_some_and(is_year) {
            return 3;
        }
    }
    let minutes = groups.get(1).is_some_and(|group| group.text.len() == 2) && a < 24 && b < 60;
    if minutes && matches!(mark(1), ":" | ".") {
        return if mark(2) == ":" && number(2, 2).is_some() { 3 } else { 2 };
    }
    let alone = !groups[0].joined && groups.get(2).is_none_or(|group| !group.joined);
    let range = matches!(mark(1), "-" | "–") && a <= 31 && b <= 31;
    if alone && (range || mark(1) == "/" && is_day(a, b)) { 2 } else { 0 }
}

/// What a number word contributes to a number.
#[derive(Clone, Copy)]
enum Spelled {
    /// Up to nineteen.
    Unit(u64),
    /// Twenty to ninety.
    Ten(u64),
    /// Hundred, thousand and so on.
    Scale(u64),
}

fn number_word(word: &str) -> Option<Spelled> {
    Some(match word {
        "zero" | "oh" | "null" | "zéro" | "cero" => Spelled::Unit(0),
        "one" | "eins" | "un" | "uno" => Spelled::Unit(1),
        "two" | "zwei" | "zwo" | "deux" | "dos" => Spelled::Unit(2),
        "three" | "drei" | "trois" | "tres" => Spelled::Unit(3),
        "four" | "vier" | "quatre" | "cuatro" => Spelled::Unit(4),
        "five" | "fünf" | "cinq" | "cinco" => Spelled::Unit(5),
        "six" | "sechs" | "seis" => Spelled::Unit(6),
        "seven" | "sieben" | "sept" | "siete" => Spelled::Unit(7),
        "eight" | "acht" | "huit" | "ocho" => Spelled::Unit(8),
        "nine" | "neun" | "neuf" | "nueve" => Spelled::Unit(9),
        "ten" | "zehn" => Spelled::Unit(10),
        "eleven" | "elf" => Spelled::Unit(11),
        "twelve" | "zwölf" => Spelled::Unit(12),
        "thirteen" => Spelled::Unit(13),
        "fourteen" => Spelled::Unit(14),
        "fifteen" => Spelled::Unit(15),
        "sixteen" => Spelled::Unit(16),
        "seventeen" => Spelled::Unit(17),
        "eighteen" => Spelled::Unit(18),
        "nineteen" => Spelled::Unit(19),
        "twenty" => Spelled::Ten(20),
        "thirty" => Spelled::Ten(30),
        "forty" => Spelled::Ten(40),
        "fifty" => Spelled::Ten(50),
        "sixty" => Spelled::Ten(60),
        "seventy" => Spelled::Ten(70),
        "eighty" => Spelled::Ten(80),
        "ninety" => Spelled::Ten(90),
        "hundred" => Spelled::Scale(100),
        "thousand" => Spelled::Scale(1_000),
        "million" => Spelled::Scale(1_000_000),
        "billion" => Spelled::Scale(1_000_000_000),
        _ => return None,
    })
}

/// The numbers spelled by the first words, and how many words they take.
fn spelled(words: &[Word<'_>]) -> Option<(Vec<String>, usize)> {
    let mut parts = Vec::new();
    let mut length = 0;
    for (at, (before, word)) in words.iter().enumerate() {
        if at > 0 && before.chars().count() > 3 {
            break;
        }
        match number_word(word) {
            Some(part) => {
                parts.push(part);
                length = at + 1;
            }
            None if word == "and" && at > 0 => {}
            None => break,
        }
    }
    let scaled = parts.iter().any(|part| matches!(part, Spelled::Scale(_)));
    if parts.is_empty() {
        return None;
    }
    let numbers = if scaled { vec![composed(&parts).to_string()] } else { one_by_one(&parts) };
    Some((numbers, length))
}

/// Reads `four thousand seven hundred eleven`.
fn composed(parts: &[Spelled]) -> u64 {
    let (mut total, mut current) = (0_u64, 0_u64);
    for part in parts {
        match *part {
            Spelled::Unit(n) | Spelled::Ten(n) => current = current.saturating_add(n),
            Spelled::Scale(100) => current = current.max(1).saturating_mul(100),
            Spelled::Scale(scale) => {
                total = total.saturating_add(current.max(1).saturating_mul(scale));
                current = 0;
            }
        }
    }
    total.saturating_add(current)
}

/// Reads `four seven one one` and `forty-seven eleven`.
fn one_by_one(parts: &[Spelled]) -> Vec<String> {
    let mut numbers = Vec::new();
    let mut ten = None;
    for part in parts {
        match (*part, ten.take()) {
            (Spelled::Unit(n @ 1..=9), Some(tens)) => numbers.push(tens + n),
            (Spelled::Unit(n), before) => numbers.extend(before.into_iter().chain([n])),
            (Spelled::Ten(n), before) => {
                numbers.extend(before);
                ten = Some(n);
            }
            (Spelled::Scale(n), before) => numbers.extend(before.into_iter().chain([n])),
        }
    }
    numbers.extend(ten);
    numbers.iter().map(u64::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_the_same_however_it_is_written() {
        for text in [
            "The pin is 4711.",
            "4 7 1 1",
            "4-7-1-1",
            "4, 7, 1, 1",
            "47 11",
            "47-11",
            "four seven one one",
            "Four-seven-one-one",
            "forty-seven eleven",
            "four thousand seven hundred and eleven",
            "vier sieben eins eins",
            "KX4711",
            "K X 4 7 1 1",
            "4.711",
            "4,711",
            "4\n7\n1\n1",
        ] {
            assert!(codes(text).contains(&"4711".to_owned()), "{text}: {:?}", codes(text));
        }
        for text in ["DE89 3704 0044 0532 0130 00", "DE89370400440532013000", "de89-3704-0044-0532-0130-00"] {
            assert!(codes(text).contains(&"de89370400440532013000".to_owned()), "{text}");
            assert!(codes(text).contains(&"89370400440532013000".to_owned()), "{text}");
        }
        assert!(codes("DE89 3704 0044 0532 0130 00").contains(&"37040044".to_owned()), "a part of it");
        assert!(codes("A1B2-C3D4").contains(&"a1b2c3d4".to_owned()));
        assert!(codes("The key is kx47qr.").contains(&"kx47qr".to_owned()));
    }

    #[test]
    fn dates_times_and_small_numbers_are_no_codes() {
        for text in [
            "Tuesday 5 May 2026 at 14:00, 14:30 or 15:00",
            "2026-05-05T14:00:00+02:00",
            "2026-05-05T14:00:00Z",
            "2026-05-05",
            "05.05.2026, 10.30 Uhr",
            "10/12/2026 or 10/12",
            "between 10-12 or 14–16",
            "in 30 minutes, for 120 people, 100%, 500eur, 2nd, 24 hours",
            "in 2026",
            "one or two of the three",
            "",
        ] {
            assert_eq!(codes(text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn a_table_of_numbers_takes_linear_room() {
        let table = "1 ".repeat(10_000);
        assert!(codes(&table).len() <= LONGEST);
        let table: String = (0..5_000).map(|n| format!("{} ", n * 7_919)).collect();
        assert!(codes(&table).len() < 5_000 * LONGEST);
    }
}
