//! Finds sentences that share words with a question, and ranks them.

use std::collections::{HashMap, HashSet};

use crate::text::words::{is_stop, line, sentences, stem, stem_set, words};
use crate::workflows::analyze::facts::FileFacts;

/// How many sentences are read in all; files beyond that are counted, not quoted.
const MAX_SENTENCES: usize = 50_000;

/// How many findings one file may contribute, so that a long file does not drown out the others.
const MAX_FINDINGS_PER_FILE: usize = 4;

/// The longest quote.
const MAX_QUOTE: usize = 300;

/// Words that belong to asking, not to the subject of the question.
const ASKING: &str = "analyze analyse analysis find show tell list explain describe summarise summarize propose plan \
    suggest implement write need want question answer file document folder handle make best way help give me";

/// A sentence and its file.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Quote {
    pub file: String,
    pub text: String,
}

#[derive(Debug, Default)]
pub(super) struct Findings {
    /// The best sentences, in the order of the files.
    pub quotes: Vec<Quote>,
    /// Words of the question that no file contains, as written.
    pub missing: Vec<String>,
    /// Sentences that say something is still open, the most relevant first.
    pub open: Vec<Quote>,
    /// The best sentence that names alternatives.
    pub choice: Option<Quote>,
    /// The most frequent words, for when nothing was found.
    pub topics: Vec<String>,
}

struct Scored<'a> {
    file: &'a str,
    place: usize,
    text: &'a str,
    score: f64,
}

/// Looks for the words of several texts, each text with its weight. The first is the question itself.
pub(super) fn find(files: &[FileFacts], asked: &[(&str, f64)], most: usize) -> Findings {
    let mut weights: HashMap<String, f64> = HashMap::new();
    for (text, weight) in asked {
        for stem in stem_set(text) {
            let slot = weights.entry(stem).or_default();
            *slot = slot.max(*weight);
        }
    }
    let asking: HashSet<String> = ASKING.split(' ').map(stem).collect();
    weights.retain(|stem, _| !asking.contains(stem));

    let all: Vec<(&str, &str)> = files
        .iter()
        .flat_map(|file| sentences(&file.text).into_iter().map(|text| (file.name.as_str(), text)))
        .take(MAX_SENTENCES)
        .collect();
    let sets: Vec<HashSet<String>> = all.iter().map(|(_, text)| stem_set(text)).collect();
    let mut holding: HashMap<&str, usize> = HashMap::new();
    for stem in sets.iter().flatten() {
        *holding.entry(stem).or_default() += 1;
    }

    // A word that is everywhere says little, and a long sentence shares words by chance.
    let own: Vec<f64> = sets
        .iter()
        .map(|set| {
            let shared = weights.iter().filter(|(stem, _)| set.contains(*stem)).map(|(stem, weight)| {
                let rare = all.len() as f64 / holding.get(stem.as_str()).copied().unwrap_or(1) as f64;
                weight * (1.0 + rare).ln()
            });
            shared.sum::<f64>() / (set.len().max(4) as f64).sqrt()
        })
        .collect();
    let mut scored = in_context(&all, &own);
    scored.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.place.cmp(&b.place)));

    Findings {
        quotes: best(&scored, most),
        missing: missing(asked.first().map_or("", |(text, _)| text), &weights, &holding),
        open: scored.iter().filter(|found| leaves_open(found.text)).take(5).map(quote).collect(),
        choice: scored.iter().find(|found| names_alternatives(found.text)).map(quote),
        topics: topics(&all, &holding),
    }
}

/// A sentence also gets points from its neighbours and its heading: an answer rarely repeats the words of the question.
/// Sentences far below the best score are left out.
fn in_context<'a>(all: &[(&'a str, &'a str)], own: &[f64]) -> Vec<Scored<'a>> {
    let mut out = Vec::new();
    let mut heading = 0.0;
    for (place, (file, text)) in all.iter().enumerate() {
        let near = |at: Option<usize>| match at.and_then(|at| Some((all.get(at)?, own.get(at)?))) {
            Some(((other, _), score)) if other == file => *score,
            _ => 0.0,
        };
        if place > 0 && all[place - 1].0 != *file {
            heading = 0.0;
        }
        if text.trim_start().starts_with('#') {
            heading = own[place];
        }
        let beside = near(place.checked_sub(1)).max(near(Some(place + 1)));
        out.push(Scored { file, place, text, score: own[place] + 0.3 * beside + 0.4 * heading });
    }
    let best = out.iter().map(|found| found.score).fold(0.0, f64::max);
    out.retain(|found| found.score > 0.0 && found.score >= 0.2 * best);
    out
}

fn quote(found: &Scored<'_>) -> Quote {
    let text = found.text.trim_start_matches(['#', '-', '*', '>', ' ']);
    Quote { file: line(found.file, 80), text: line(text, MAX_QUOTE) }
}

fn best(scored: &[Scored<'_>], most: usize) -> Vec<Quote> {
    let mut taken: HashMap<&str, usize> = HashMap::new();
    let mut seen = HashSet::new();
    let mut chosen: Vec<&Scored<'_>> = Vec::new();
    for found in scored {
        // A heading alone says nothing, and a sentence that is in two files is quoted once.
        if found.text.trim_start().starts_with('#') || !seen.insert(found.text) {
            continue;
        }
        let count = taken.entry(found.file).or_default();
        if *count < MAX_FINDINGS_PER_FILE && chosen.len() < most {
            *count += 1;
            chosen.push(found);
        }
    }
    chosen.sort_by_key(|found| found.place);
    chosen.into_iter().map(quote).collect()
}

/// Words of the question, as written, that are in no file.
fn missing(question: &str, weights: &HashMap<String, f64>, holding: &HashMap<&str, usize>) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for word in words(question) {
        let stem = stem(&word);
        let counts = word.len() > 3 && !is_stop(&word) && weights.contains_key(&stem);
        if counts && !holding.contains_key(stem.as_str()) && !out.contains(&word) {
            out.push(word);
        }
    }
    out.truncate(5);
    out
}

fn leaves_open(text: &str) -> bool {
    let lower = text.to_lowercase();
    let marks = [
        "tbd",
        "todo",
        "to be decided",
        "to be defined",
        "not yet decided",
        "undecided",
        "open question",
        "unclear",
        "???",
    ];
    marks.iter().any(|mark| lower.contains(mark)) || text.trim_end().ends_with('?')
}

fn names_alternatives(text: &str) -> bool {
    let lower = format!(" {} ", text.to_lowercase());
    [" or ", " either ", " alternatively ", " option "].iter().any(|mark| lower.contains(mark))
}

/// The words that occur in the most sentences.
fn topics(all: &[(&str, &str)], holding: &HashMap<&str, usize>) -> Vec<String> {
    let mut order: Vec<(String, String)> = Vec::new();
    for word in all.iter().take(2_000).flat_map(|(_, text)| words(text)) {
        let stem = stem(&word);
        if word.len() > 3
            && !is_stop(&word)
            && word.chars().all(char::is_alphabetic)
            && !order.iter().any(|(s, _)| *s == stem)
        {
            order.push((stem, word));
            if order.len() >= 500 {
                break;
            }
        }
    }
    // The sort is stable: among equals, the earlier word wins.
    order.sort_by_key(|(stem, _)| std::cmp::Reverse(holding.get(stem.as_str()).copied().unwrap_or(0)));
    order.into_iter().take(5).map(|(_, word)| word).collect()
}
