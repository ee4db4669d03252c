//! Which operation's words are in a question, and which values.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::text::words::{self, stem, stem_set};
use crate::workflows::ask::facts::{OperationFacts, ParameterFacts};

/// Points for each word of its description that the question shares, if the operation lists no phrases that ask for it.
const POINTS_PER_SHARED_WORD: usize = 1;

/// Points for each word of a phrase that asks for it.
const POINTS_PER_WORD: usize = 10;

/// Compares words, with synonyms.
pub(super) struct Matcher<'f> {
    same: &'f BTreeMap<String, String>,
}

impl<'f> Matcher<'f> {
    pub(super) fn new(same: &'f BTreeMap<String, String>) -> Self {
        Self { same }
    }

    /// The words as written, with synonyms replaced.
    pub(super) fn words(&self, text: &str) -> impl Iterator<Item = String> {
        words::words(text).map(|word| self.same.get(&word).cloned().unwrap_or(word))
    }

    pub(super) fn stems(&self, text: &str) -> BTreeSet<String> {
        self.words(text).map(|word| stem(&word)).collect()
    }

    /// How well an operation fits: by its longest phrase whose words are all there.
    pub(super) fn score(&self, operation: &OperationFacts, question_stems: &BTreeSet<String>) -> usize {
        if operation.asks.is_empty() {
            let text = format!("{} {} {}", operation.tool_name, operation.category, operation.description);
            let shared = stem_set(&text).into_iter().filter(|word| question_stems.contains(word)).count();
            // One word in common is not enough.
            return if shared >= 2 { shared * POINTS_PER_SHARED_WORD } else { 0 };
        }
        let phrase = |phrase: &String| {
            let phrase_stems = self.stems(phrase);
            let has_all = !phrase_stems.is_empty() && phrase_stems.is_subset(question_stems);
            if has_all { phrase_stems.len() * POINTS_PER_WORD } else { 0 }
        };
        operation.asks.iter().map(phrase).max().unwrap_or_default()
    }
}

/// The value a text gives for a parameter, in the parameter's type.
pub(super) fn value_in(
    parameter: &ParameterFacts,
    text: &str,
    same: &BTreeMap<String, String>,
) -> Option<Value> {
    let text_words =
        split_words(text).into_iter().filter(|word| !["the", "a", "an"].contains(&word.as_str()));
    let text_words: Vec<String> = text_words.map(|word| same.get(&word).cloned().unwrap_or(word)).collect();
    if !parameter.values.is_empty() {
        return listed_value(parameter, &text_words);
    }
    match parameter.kind.as_str() {
        "integer" if parameter.name == "limit" => {
            let numbers = text_words.iter().filter_map(|word| word.parse::<u64>().ok());
            numbers.into_iter().find(|number| (1..=500).contains(number)).map(Value::from)
        }
        "boolean" => {
            let name_words = split_words(&parameter.name);
            let last = name_words.last()?;
            text_words.contains(last).then_some(Value::Bool(true))
        }
        _ => None,
    }
}

/// The listed value that is named with the most words.
fn listed_value(parameter: &ParameterFacts, text_words: &[String]) -> Option<Value> {
    let mut best: Option<(usize, &Value)> = None;
    for value in &parameter.values {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        // `Hip-Hop/Rap` matches either part.
        for alternative in text.split('/') {
            let alternative = split_words(alternative);
            let is_placed = |index: usize| {
                // “convert 100 EUR” converts euros, whatever the amount.
                let before = text_words[..index]
                    .iter()
                    .rfind(|word| word.parse::<f64>().is_err() || parameter.after.contains(word));
                parameter.after.is_empty() || before.is_some_and(|word| parameter.after.contains(word))
            };
            let is_present = !alternative.is_empty()
                && text_words
                    .windows(alternative.len())
                    .enumerate()
                    .any(|(index, part)| part == alternative && is_placed(index));
            if is_present && best.is_none_or(|(best_length, _)| alternative.len() > best_length) {
                best = Some((alternative.len(), value));
            }
        }
    }
    best.map(|(_, value)| value.clone())
}

/// `name=value`, `name: value`, or `name is value`.
pub(super) fn spelled_value(parameter: &ParameterFacts, text: &str) -> Option<Value> {
    let lower = text.to_lowercase();
    let name = parameter.name.to_lowercase();
    for name in [name.clone(), name.replace('_', " ")] {
        for (at, _) in lower.match_indices(&name) {
            let starts_word =
                lower[..at].chars().next_back().is_none_or(|c| !c.is_alphanumeric() && c != '_');
            // Lower case may be longer than the original; then the offsets do not match.
            let Some(rest) = text.get(at + name.len()..).filter(|_| starts_word && lower.len() == text.len())
            else {
                continue;
            };
            let rest = rest.trim_start();
            let value = rest.strip_prefix(['=', ':']).or_else(|| rest.strip_prefix("is "));
            let Some(value) = value.map(str::trim_start) else { continue };
            let value = match value.strip_prefix(['"', '“']) {
                Some(quoted) => quoted.split(['"', '”']).next().unwrap_or_default(),
                None => value.split([' ', ',', ';', '?', '\n']).next().unwrap_or_default(),
            };
            let typed = match parameter.kind.as_str() {
                "integer" => value.parse::<i64>().ok().map(Value::from),
                "number" => value.parse::<f64>().ok().map(Value::from),
                "boolean" => value.parse::<bool>().ok().map(Value::from),
                "string" if !value.is_empty() => Some(Value::from(value)),
                _ => None,
            };
            if typed.is_some() {
                return typed;
            }
        }
    }
    None
}

/// Words in lower case; `allTime` is two words, and `&` is *and*.
fn split_words(text: &str) -> Vec<String> {
    words::alphanumeric_words(&words::split_camel_case(text).replace('&', " and "))
}
