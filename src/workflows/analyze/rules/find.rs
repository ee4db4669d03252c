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

struct ScoredSentence<'a> {
    file: &'a str,
    place: usize,
    text: &'a str,
    score: f64,
}

/// Looks for the words of several texts, each text with its weight. The first is the question itself.
pub(super) fn find(files: &[FileFacts], weighted_texts: &[(&str, f64)], max: usize) -> Findings {
    let mut weights: HashMap<String, f64> = HashMap::new();
    for (text, weight) in weighted_texts {
        for stem in stem_set(text) {
            let slot = weights.entry(stem).or_default();
            *slot = slot.max(*weight);
        }
    }
    let asking_stems: HashSet<String> = ASKING.split(' ').map(stem).collect();
    weights.retain(|stem, _| !asking_stems.contains(stem));

    let all_sentences: Vec<(&str, &str)> = files
        .iter()
        .flat_map(|file| sentences(&file.text).into_iter().map(|text| (file.name.as_str(), text)))
        .take(MAX_SENTENCES)
        .collect();
    let stem_sets: Vec<HashSet<String>> = all_sentences.iter().map(|(_, text)| stem_set(text)).collect();
    let mut sentence_counts: HashMap<&str, usize> = HashMap::new();
    for stem in stem_sets.iter().flatten() {
        *sentence_counts.entry(stem).or_default() += 1;
    }

    // A word that is everywhere says little, and a long sentence shares words by chance.
    let own_scores: Vec<f64> = stem_sets
        .iter()
        .map(|set| {
            let shared = weights.iter().filter(|(stem, _)| set.contains(*stem)).map(|(stem, weight)| {
                let rarity = all_sentences.len() as f64
                    / sentence_counts.get(stem.as_str()).copied().unwrap_or(1) as f64;
                weight * (1.0 + rarity).ln()
            });
            shared.sum::<f64>() / (set.len().max(4) as f64).sqrt()
        })
        .collect();
    let mut scored = in_context(&all_sentences, &own_scores);
    scored.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.place.cmp(&b.place)));

    Findings {
        quotes: best_quotes(&scored, max),
        missing: missing(weighted_texts.first().map_or("", |(text, _)| text), &weights, &sentence_counts),
        open: scored.iter().filter(|sentence| leaves_open(sentence.text)).take(5).map(quote).collect(),
        choice: scored.iter().find(|sentence| names_alternatives(sentence.text)).map(quote),
        topics: topics(&all_sentences, &sentence_counts),
    }
}

/// A sentence also gets points from its neighbours and its heading: an answer rarely repeats the words of the question.
/// Sentences far below the best score are left out.
fn in_context<'a>(all_sentences: &[(&'a str, &'a str)], own_scores: &[f64]) -> Vec<ScoredSentence<'a>> {
    let mut out = Vec::new();
    let mut heading = 0.0;
    for (place, (file, text)) in all_sentences.iter().enumerate() {
        let neighbour_score =
            |at: Option<usize>| match at.and_then(|at| Some((all_sentences.get(at)?, own_scores.get(at)?))) {
                Some(((other, _), score)) if other == file => *score,
                _ => 0.0,
            };
        if place > 0 && all_sentences[place - 1].0 != *file {
            heading = 0.0;
        }
        if text.trim_start().starts_with('#') {
            heading = own_scores[place];
        }
        let best_neighbour = neighbour_score(place.checked_sub(1)).max(neighbour_score(Some(place + 1)));
        out.push(ScoredSentence {
            file,
            place,
            text,
            score: own_scores[place] + 0.3 * best_neighbour + 0.4 * heading,
        });
    }
    let best_score = out.iter().map(|sentence| sentence.score).fold(0.0, f64::max);
    out.retain(|sentence| sentence.score > 0.0 && sentence.score >= 0.2 * best_score);
    out
}

fn quote(sentence: &ScoredSentence<'_>) -> Quote {
    let text = sentence.text.trim_start_matches(['#', '-', '*', '>', ' ']);
    Quote { file: line(sentence.file, 80), text: line(text, MAX_QUOTE) }
}

fn best_quotes(scored: &[ScoredSentence<'_>], max: usize) -> Vec<Quote> {
    let mut counts_by_file: HashMap<&str, usize> = HashMap::new();
    let mut seen = HashSet::new();
    let mut chosen: Vec<&ScoredSentence<'_>> = Vec::new();
    for sentence in scored {
        // A heading alone says nothing, and a sentence that is in two files is quoted once.
        if sentence.text.trim_start().starts_with('#') || !seen.insert(sentence.text) {
            continue;
        }
        let count = counts_by_file.entry(sentence.file).or_default();
        if *count < MAX_FINDINGS_PER_FILE && chosen.len() < max {
            *count += 1;
            chosen.push(sentence);
        }
    }
    chosen.sort_by_key(|sentence| sentence.place);
    chosen.into_iter().map(quote).collect()
}

/// Words of the question, as written, that are in no file.
fn missing(
    question: &str,
    weights: &HashMap<String, f64>,
    sentence_counts: &HashMap<&str, usize>,
) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for word in words(question) {
        let stem = stem(&word);
        let is_subject_word = word.len() > 3 && !is_stop(&word) && weights.contains_key(&stem);
        if is_subject_word && !sentence_counts.contains_key(stem.as_str()) && !out.contains(&word) {
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
fn topics(all_sentences: &[(&str, &str)], sentence_counts: &HashMap<&str, usize>) -> Vec<String> {
    let mut candidates: Vec<(String, String)> = Vec::new();
    for word in all_sentences.iter().take(2_000).flat_map(|(_, text)| words(text)) {
        let stem = stem(&word);
        if word.len() > 3
            && !is_stop(&word)
            && word.chars().all(char::is_alphabetic)
            && !candidates.iter().any(|(s, _)| *s == stem)
        {
            candidates.push((stem, word));
            if candidates.len() >= 500 {
                break;
            }
        }
    }
    // The sort is stable: among equals, the earlier word wins.
    candidates
        .sort_by_key(|(stem, _)| std::cmp::Reverse(sentence_counts.get(stem.as_str()).copied().unwrap_or(0)));
    candidates.into_iter().take(5).map(|(_, word)| word).collect()
}
