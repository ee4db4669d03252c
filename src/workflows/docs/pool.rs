//! The questions of a run: what several agents ask is asked once, and the answer is everybody's.
//!
//! Children are separate threads, and the engine lets no thread see another's state, so the pool is memory of the
//! process that drives them. Nothing depends on it: what an agent takes from it becomes part of its own update, and
//! after a crash the questions are asked again.

use crate::engine::graph::ThreadId;
use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::OnceCell;

/// How many runs are kept.
const RUNS: usize = 16;

/// How similar two questions about the same names must be to count as the same: the share of common words among all
/// words of both.
const SAME: f64 = 0.8;

/// A question, who puts it to the person if anybody does, and its answer once there is one.
#[derive(Default)]
pub(super) struct Asked {
    words: BTreeSet<String>,
    by: OnceCell<String>,
    pub answer: OnceCell<String>,
}

impl Asked {
    /// Whether this agent puts the question to the person. A step that is repeated gets the same answer.
    pub(super) fn is_put_by(&self, agent: &str) -> bool {
        let _ = self.by.set(agent.to_owned());
        self.by.get().is_some_and(|by| by == agent)
    }
}

/// The runs, oldest first.
#[derive(Default)]
pub(super) struct Pool(Mutex<VecDeque<(ThreadId, Vec<Arc<Asked>>)>>);

impl Pool {
    /// The entry of a question in a run.
    pub(super) fn ask(&self, run: &ThreadId, question: &str) -> Arc<Asked> {
        let mut runs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = runs.iter().position(|(known, _)| known == run).unwrap_or_else(|| {
            if runs.len() >= RUNS {
                runs.pop_front();
            }
            runs.push_back((run.clone(), Vec::new()));
            runs.len() - 1
        });
        let entries = &mut runs[at].1;
        let words = words(question);
        let is_same = |entry: &&Arc<Asked>| {
            let all = entry.words.union(&words).count();
            let is_alike = entry.words.intersection(&words).count() as f64 >= SAME * all as f64;
            is_alike && entry.words.iter().filter(is_name).eq(words.iter().filter(is_name))
        };
        if let Some(known) = entries.iter().find(is_same) {
            return known.clone();
        }
        let asked = Arc::new(Asked { words, ..Asked::default() });
        entries.push(asked.clone());
        asked
    }

    /// Removes a run's questions.
    pub(super) fn clear(&self, run: &ThreadId) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).retain(|(known, _)| known != run);
    }
}

/// Whether a word is a path, a name or a number: a question about another one is another question.
fn is_name(word: &&String) -> bool {
    word.contains(['_', '/', '.']) || word.contains(char::is_numeric)
}

fn words(text: &str) -> BTreeSet<String> {
    let is_separator = |c: char| !c.is_alphanumeric() && !matches!(c, '_' | '/' | '.');
    let words = text.split(is_separator).map(|word| word.trim_matches('.').to_lowercase());
    words.filter(|word| !word.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_question_in_other_words_is_one_entry() {
        let (pool, run) = (Pool::default(), ThreadId::random());
        let first = pool.ask(&run, "What is src/store responsible for?");
        assert!(Arc::ptr_eq(&first, &pool.ask(&run, "what is `src/store` responsible for")));
        let long = |name: &str| format!("In which order does {name} call all of the others, and what for?");
        assert!(!Arc::ptr_eq(&pool.ask(&run, &long("App.run")), &pool.ask(&run, &long("App.stop"))));
        assert!(!Arc::ptr_eq(&first, &pool.ask(&ThreadId::random(), "What is src/store responsible for?")));
        assert!(first.is_put_by("testing") && first.is_put_by("testing") && !first.is_put_by("patterns"));
        for _ in 1..RUNS {
            pool.ask(&ThreadId::random(), "Why?");
        }
        assert!(
            !Arc::ptr_eq(&first, &pool.ask(&run, "What is src/store responsible for?")),
            "the oldest goes first"
        );
        let first = pool.ask(&run, "What is src/store responsible for?");
        pool.clear(&run);
        assert!(!Arc::ptr_eq(&first, &pool.ask(&run, "What is src/store responsible for?")));
    }
}
