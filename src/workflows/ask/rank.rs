//! Which operations a model chooses from: those whose words are nearest to the question. A catalogue can hold thousands,
//! and what a model reads costs at every question.

use crate::text::words::{self, clip, is_stop, split_camel_case, stem, stem_set};
use crate::tools::catalogue::Operation;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// How many operations a model chooses from.
const MAX_OPERATIONS: usize = 40;

/// How many bytes a list of operations may take in a prompt.
pub(super) const MAX_LIST_BYTES: usize = 12_000;

/// How many characters of a description a prompt holds.
const MAX_DESCRIPTION: usize = 240;

/// A word in an operation's name or path counts more than one in its description.
const POINTS_IN_NAME: f64 = 3.0;
const POINTS_IN_DESCRIPTION: f64 = 1.0;

/// What a prompt says about an operation.
pub(super) fn description(operation: &Operation) -> String {
    words::line(&operation.api_description, MAX_DESCRIPTION)
}

/// The operations nearest to a question, each with its label. A list that is short enough stays as it is. `same` are
/// words and those they stand for.
pub(super) fn nearest<'c>(
    question: &str,
    same: &BTreeMap<String, String>,
    labels: Vec<(String, &'c Operation)>,
) -> Vec<(String, &'c Operation)> {
    // The label is there twice: in the list, and among the words the model may answer with.
    let size = |(label, operation): &(String, &Operation)| 2 * label.len() + description(operation).len() + 8;
    if labels.len() <= MAX_OPERATIONS && labels.iter().map(size).sum::<usize>() <= MAX_LIST_BYTES {
        return labels;
    }
    let mut used = 0;
    let mut fits = |one: &(String, &Operation)| {
        used += size(one);
        used <= MAX_LIST_BYTES
    };
    let ranked = ranked(question, same, labels).into_iter().take(MAX_OPERATIONS);
    ranked.take_while(|one| fits(one)).collect()
}

/// All operations, the nearest first. Words that few operations have count more than those that many have.
fn ranked<'c>(
    question: &str,
    same: &BTreeMap<String, String>,
    labels: Vec<(String, &'c Operation)>,
) -> Vec<(String, &'c Operation)> {
    let words = words::words(question).map(|word| same.get(&word).cloned().unwrap_or(word));
    let asked: BTreeSet<String> =
        words.filter(|word| !is_stop(word) && word.len() > 1).map(|word| stem(&word)).collect();
    let indexed: Vec<(HashSet<String>, HashSet<String>)> =
        labels.iter().map(|(label, operation)| index(label, operation)).collect();
    let mut weights: HashMap<&str, f64> = HashMap::new();
    for word in &asked {
        let holds = |(named, described): &&(HashSet<String>, HashSet<String>)| {
            named.contains(word) || described.contains(word)
        };
        let count = indexed.iter().filter(holds).count();
        weights.insert(word, ((indexed.len() + 1) as f64 / (count + 1) as f64).ln());
    }
    let score = |(named, described): &(HashSet<String>, HashSet<String>)| -> f64 {
        let points = |(word, weight): (&&str, &f64)| match (named.contains(*word), described.contains(*word))
        {
            (true, _) => weight * POINTS_IN_NAME,
            (false, true) => weight * POINTS_IN_DESCRIPTION,
            (false, false) => 0.0,
        };
        weights.iter().map(points).sum()
    };
    let mut scored: Vec<_> = labels
        .into_iter()
        .zip(&indexed)
        // Thousandths, so that the order in which the points are added up does not matter.
        .map(|(label, words)| ((score(words) * 1_000.0).round() as u64, words.0.len(), label))
        .collect();
    // Of equals the one with the shorter name is first, then the first in its catalogue.
    scored.sort_by_key(|(score, length, _)| (Reverse(*score), *length));
    scored.into_iter().map(|(_, _, label)| label).collect()
}

/// The words of an operation's name, path and phrases, and those of its description.
fn index(label: &str, operation: &Operation) -> (HashSet<String>, HashSet<String>) {
    let Operation { id, catalogue, category_name, api_name, api_url, asks, .. } = operation;
    let name = format!("{label} {id} {catalogue} {category_name} {api_name} {api_url} {}", asks.join(" "));
    (stem_set(&split_camel_case(&name)), stem_set(&clip(&operation.api_description, 4 * MAX_DESCRIPTION)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operation(id: &str, path: &str, about: &str) -> Operation {
        Operation {
            id: id.to_owned(),
            catalogue: "hub".to_owned(),
            tool_name: id.to_owned(),
            api_url: path.to_owned(),
            api_description: about.to_owned(),
            ..Operation::default()
        }
    }

    fn names(question: &str, operations: &[Operation]) -> Vec<String> {
        let labels = operations.iter().map(|one| (one.tool_name.clone(), one)).collect();
        nearest(question, &BTreeMap::new(), labels).into_iter().map(|(label, _)| label).collect()
    }

    #[test]
    fn of_many_operations_the_nearest_few_are_left() {
        let about = "Does something with a repository. ".repeat(40);
        let mut operations: Vec<Operation> =
            (0..1_200).map(|n| operation(&format!("thing_{n}"), &format!("/repos/{n}"), &about)).collect();
        operations.push(operation("issues/listForRepo", "/repos/{owner}/{repo}/issues", "Lists issues."));
        operations.push(operation("pulls/list", "/repos/{owner}/{repo}/pulls", "Lists pull requests."));
        let found = names("Which issues of this repository are open?", &operations);
        assert_eq!(found[0], "issues/listForRepo");
        assert!(found.len() <= MAX_OPERATIONS, "{}", found.len());
        assert_eq!(names("open pull requests", &operations)[0], "pulls/list");
    }

    #[test]
    fn a_short_list_stays_as_it_is() {
        let operations = [operation("b", "/b", "Beta."), operation("a", "/a", "Alpha.")];
        assert_eq!(names("alpha", &operations), ["b", "a"]);
    }
}
