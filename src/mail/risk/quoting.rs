//! Text that repeats a mail from elsewhere.
//!
//! Looks for a long run of the same words; what also stands in the conversation, or is a greeting everybody writes,
//! is no news. Linear in all texts together.

use super::Message;
use crate::mail::Mail;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Words in a row that nobody writes twice by chance.
const RUN: usize = 12;
/// Letters such a run has at least.
const LETTERS: usize = 45;

/// The first words of the message that repeat one of the other mails.
pub(super) fn repeated(
    message: &Message<'_>,
    conversation: &[&Mail],
    other_mails: &[&Mail],
) -> Option<String> {
    let text = format!("{}\n{}", message.subject, message.content);
    let own = words(&text);
    let mut runs: HashMap<u64, usize> = HashMap::new();
    for (at, run) in own.windows(RUN).enumerate() {
        // A letter beyond the alphabets is three bytes, and says about as much as three letters.
        if run.iter().map(String::len).sum::<usize>() >= LETTERS {
            runs.entry(digest(run)).or_insert(at);
        }
    }
    if runs.is_empty() {
        return None;
    }
    for mail in conversation {
        for run in words(&said(mail)).windows(RUN) {
            runs.remove(&digest(run));
        }
    }
    let mut first: Option<usize> = None;
    for mail in other_mails {
        for run in words(&said(mail)).windows(RUN) {
            if let Some(at) = runs.get(&digest(run)) {
                first = Some(first.map_or(*at, |first| first.min(*at)));
            }
        }
    }
    first.map(|at| own[at..at + RUN].join(" "))
}

fn said(mail: &Mail) -> String {
    format!("{}\n{}", mail.subject, mail.text)
}

/// The words of a text in lower case; in scripts without blanks, four letters are one.
fn words(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut word = String::new();
    let mut wide = 0;
    for c in text.chars() {
        let is_wide =
            matches!(c, '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}');
        if !c.is_alphanumeric() || (wide > 0) != is_wide || wide == 4 {
            if !word.is_empty() {
                found.push(std::mem::take(&mut word));
            }
            wide = 0;
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
            wide += usize::from(is_wide);
        }
    }
    if !word.is_empty() {
        found.push(word);
    }
    found
}

fn digest(run: &[String]) -> u64 {
    let mut hasher = DefaultHasher::new();
    run.hash(&mut hasher);
    hasher.finish()
}
