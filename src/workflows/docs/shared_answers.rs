//! Shares answers between the agents of one run.
//!
//! Children are separate threads, and the engine lets no thread see another's state, so the answers are shared memory of
//! the process that drives them. Reading it needs no guarantees: whatever an agent takes from it becomes part of its
//! own update, and missing answers are found again.

use crate::graph::ThreadId;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

/// How many runs are kept, and how many answers of each.
const RUNS: usize = 16;
const ANSWERS: usize = 120;

/// How similar two questions must be to count as the same, and as related.
const SAME_LIKENESS: f64 = 0.8;
const SIMILAR_LIKENESS: f64 = 0.25;

/// An agent's answer to one of its questions.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Finding {
    pub agent: String,
    pub question: String,
    pub answer: String,
}

#[derive(Default)]
pub(super) struct SharedAnswers(Mutex<BTreeMap<ThreadId, Vec<Finding>>>);

impl SharedAnswers {
    /// Adds an answer; each question of an agent is stored once.
    pub(super) fn put(&self, run: &ThreadId, finding: Finding) {
        let mut runs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if runs.len() >= RUNS && !runs.contains_key(run) {
            runs.pop_first();
        }
        let answers = runs.entry(run.clone()).or_default();
        let is_known =
            answers.iter().any(|other| other.agent == finding.agent && other.question == finding.question);
        if !is_known && answers.len() < ANSWERS {
            answers.push(finding);
        }
    }

    /// A sibling's answer to the same question.
    pub(super) fn answer(&self, run: &ThreadId, agent: &str, question: &str) -> Option<Finding> {
        self.nearest(run, agent, question)
            .into_iter()
            .find(|(likeness, _)| *likeness >= SAME_LIKENESS)
            .map(|(_, finding)| finding)
    }

    /// What siblings found out about similar questions, most similar first.
    pub(super) fn similar(&self, run: &ThreadId, agent: &str, question: &str) -> Vec<Finding> {
        let ranked = self.nearest(run, agent, question).into_iter();
        ranked
            .filter(|(likeness, _)| *likeness >= SIMILAR_LIKENESS)
            .map(|(_, finding)| finding)
            .take(4)
            .collect()
    }

    /// Removes a run's answers.
    pub(super) fn clear(&self, run: &ThreadId) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(run);
    }

    fn nearest(&self, run: &ThreadId, agent: &str, question: &str) -> Vec<(f64, Finding)> {
        let runs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let question_words = words(question);
        let others = runs.get(run).into_iter().flatten().filter(|finding| finding.agent != agent);
        let mut ranked: Vec<(f64, Finding)> = others
            .map(|finding| (likeness(&question_words, &words(&finding.question)), finding.clone()))
            .collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        ranked
    }
}

fn words(text: &str) -> BTreeSet<String> {
    let is_long = |word: &&str| word.chars().count() > 2;
    text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '/' | '.'))
        .map(|word| word.trim_matches('.'))
        .filter(is_long)
        .map(str::to_lowercase)
        .collect()
}

/// The share of common words among all words of both sets.
fn likeness(a: &BTreeSet<String>, b: &BTreeSet<String>) -> f64 {
    let all = a.union(b).count();
    if all == 0 { 0.0 } else { a.intersection(b).count() as f64 / all as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn siblings_answers_are_found_by_likeness_and_ones_own_are_not() {
        let (shared, run) = (SharedAnswers::default(), ThreadId::random());
        let put = |agent: &str, question: &str| {
            let finding =
                Finding { agent: agent.to_owned(), question: question.to_owned(), answer: "So.".to_owned() };
            shared.put(&run, finding);
        };
        put("testing", "What is src/store responsible for?");
        put("testing", "What is src/store responsible for?");
        assert!(shared.answer(&run, "testing", "What is src/store responsible for?").is_none());
        assert_eq!(
            shared.answer(&run, "patterns", "what is `src/store` responsible for").unwrap().answer,
            "So."
        );
        assert!(shared.answer(&run, "patterns", "What is src/mail responsible for?").is_none());
        assert_eq!(shared.similar(&run, "patterns", "What does src/store keep, and what for?").len(), 1);
        assert!(shared.similar(&ThreadId::random(), "patterns", "What is src/store?").is_empty());
        shared.clear(&run);
        assert!(shared.similar(&run, "patterns", "What is src/store responsible for?").is_empty());
    }
}
