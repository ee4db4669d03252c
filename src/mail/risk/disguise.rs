//! Decodes disguised text, which people skip and models read.

use super::distinctive::with_decoded;
use crate::text::phrases::normalize_text;
use std::collections::HashSet;

/// How much of a text is decoded, in bytes.
const MOST: usize = 32 << 10;
/// Shorter encoded words are names and numbers.
const LONG_ENOUGH: usize = 24;

/// The hidden texts that each way of decoding finds.
pub(super) fn hidden_texts(text: &str) -> Vec<String> {
    let text = &text[..text.floor_char_boundary(MOST)];
    let mut texts: Vec<String> = Vec::new();
    // Link targets are checked elsewhere.
    let is_long = |word: &&str| word.len() >= LONG_ENOUGH && !word.contains("://");
    for word in text.split_whitespace().filter(is_long) {
        texts.extend(with_decoded(word, &HashSet::new()).into_iter().skip(1).filter(|inner| is_prose(inner)));
    }
    texts.extend(join_spaced_letters(text));
    texts
}

/// The text with letters replaced in three ways. Callers count only the plainest commands in it.
pub(super) fn letter_substitutions(text: &str) -> [String; 3] {
    let text = &text[..text.floor_char_boundary(MOST)];
    let rot13 = text.chars().map(|c| match c {
        'a'..='m' | 'A'..='M' => char::from_u32(u32::from(c) + 13).unwrap_or(c),
        'n'..='z' | 'N'..='Z' => char::from_u32(u32::from(c) - 13).unwrap_or(c),
        _ => c,
    });
    let leet = text.chars().map(|c| match c {
        '0' => 'o',
        '1' => 'i',
        '3' => 'e',
        '4' => 'a',
        '5' => 's',
        '7' => 't',
        _ => c,
    });
    [rot13.collect(), leet.collect(), text.chars().rev().collect()]
}

fn is_prose(text: &str) -> bool {
    normalize_text(text).split_whitespace().filter(|word| word.chars().all(char::is_alphabetic)).count() >= 4
}

/// Joins `i g n o r e  a l l`: single blanks between letters, double ones between words.
fn join_spaced_letters(text: &str) -> Option<String> {
    let line = text.lines().find(|line| {
        let letters = line.split(' ').filter(|piece| piece.chars().count() == 1).count();
        letters >= 12 && letters * 2 > line.split(' ').filter(|piece| !piece.is_empty()).count()
    })?;
    let words = line.split("  ").map(|word| word.replace(' ', ""));
    Some(words.collect::<Vec<_>>().join(" "))
}
