//! Which operations a model chooses from: those whose words are nearest to the question. A catalogue can hold
//! thousands, and what a model reads costs at every question. The same question always gives the same order.

use super::values::plain;
use crate::text::words::{clip, is_stop, split_camel_case, stem, stem_set, words};
use crate::tools::catalogue::{Catalogue, Operation};
use std::cmp::Reverse;
use std::collections::{BTreeSet, HashSet};

/// How many operations a model chooses from.
const MAX_OPERATIONS: usize = 20;

/// How many characters of a description count.
const MAX_DESCRIPTION: usize = 1_000;

/// A word in an operation's name, path or phrases counts more than one in its description or among its values.
const POINTS_IN_NAME: f64 = 3.0;
const POINTS_IN_DESCRIPTION: f64 = 1.0;

/// The operations nearest to a question, the nearest first. Words that few operations have count more than those that
/// many have.
pub(super) fn nearest<'c>(question: &str, catalogues: &'c [Catalogue]) -> Vec<&'c Operation> {
    let synonym = |word: &str| catalogues.iter().find_map(|one| one.same.get(word)).cloned();
    let asked = words(question).filter(|word| !is_stop(word) && word.len() > 1);
    let asked: BTreeSet<String> =
        asked.flat_map(|word| [synonym(&word), Some(word)]).flatten().map(|word| stem(&word)).collect();
    let all: Vec<&Operation> = catalogues.iter().flat_map(|one| &one.operations).collect();
    let indexed: Vec<_> = all.iter().map(|operation| index(operation)).collect();
    let mut scores = vec![0.0; all.len()];
    for word in &asked {
        let points =
            indexed.iter().map(|(named, described)| match (named.contains(word), described.contains(word)) {
                (true, _) => POINTS_IN_NAME,
                (false, true) => POINTS_IN_DESCRIPTION,
                (false, false) => 0.0,
            });
        let points: Vec<f64> = points.collect();
        let count = points.iter().filter(|points| **points > 0.0).count();
        let weight = ((all.len() + 1) as f64 / (count + 1) as f64).ln();
        scores.iter_mut().zip(points).for_each(|(score, points)| *score += weight * points);
    }
    let mut ranked: Vec<_> = all.into_iter().zip(&indexed).zip(scores).collect();
    // Of equals the one with the shorter name is first, then the first in its catalogue.
    ranked.sort_by_key(|((_, (named, _)), score)| (Reverse((score * 1_000.0).round() as u64), named.len()));
    ranked.into_iter().take(MAX_OPERATIONS).map(|((operation, _), _)| operation).collect()
}

/// The words of an operation's name, path and phrases, and those of its description, parameters and their values.
fn index(operation: &Operation) -> (HashSet<String>, HashSet<String>) {
    let Operation { id, catalogue, category_name, tool_name, api_name, api_url, asks, .. } = operation;
    let name =
        format!("{tool_name} {id} {catalogue} {category_name} {api_name} {api_url} {}", asks.join(" "));
    let mut described = clip(&operation.api_description, MAX_DESCRIPTION);
    for parameter in operation.parameters() {
        let values: Vec<String> = parameter.values.iter().map(plain).collect();
        described += &format!(" {} {} {}", parameter.name, parameter.description, values.join(" "));
    }
    (stem_set(&split_camel_case(&name)), stem_set(&split_camel_case(&described)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Env;
    use crate::tools::catalogue::CatalogueStore;
    use std::collections::BTreeMap;

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

    fn names(question: &str, catalogues: &[Catalogue]) -> Vec<String> {
        nearest(question, catalogues).into_iter().map(|one| one.id.clone()).collect()
    }

    #[test]
    fn of_many_operations_the_nearest_few_are_left() {
        let about = "Does something with a repository. ".repeat(40);
        let mut operations: Vec<Operation> =
            (0..1_200).map(|n| operation(&format!("thing_{n}"), &format!("/repos/{n}"), &about)).collect();
        operations.push(operation("issues/listForRepo", "/repos/{owner}/{repo}/issues", "Lists issues."));
        operations.push(operation("pulls/list", "/repos/{owner}/{repo}/pulls", "Lists pull requests."));
        let hub = [Catalogue { operations, ..Catalogue::default() }];
        let found = names("Which issues of this repository are open?", &hub);
        assert_eq!(found[0], "issues/listForRepo");
        assert!(found.len() <= MAX_OPERATIONS, "{}", found.len());
        assert_eq!(names("open pull requests", &hub)[0], "pulls/list");
    }

    #[test]
    fn everyday_questions_find_their_operation_near_the_top() {
        let store = CatalogueStore::new("nowhere".into(), BTreeMap::new(), Env::default());
        let catalogues: Vec<Catalogue> = store.all().unwrap().into_iter().map(|(_, one)| one).collect();
        for (question, expected) in [
            ("What are the trending tracks on Audius this week?", "trending_tracks"),
            ("which songs are hot in techno", "trending_tracks"),
            ("who follows Skrillex", "user_followers"),
            ("How much is 250 EUR in USD?", "exchange_rate"),
            ("Wie viel sind 250 EUR in USD?", "exchange_rate"),
            ("How many dollars do I get for 20 euros?", "exchange_rate"),
            ("What does Wikipedia say about Jupiter?", "article_summary"),
            ("Tell me about the artist \"Skrillex\" and their tracks", "get_user"),
            ("Which tracks are on the playlist \"Night Drive\"?", "playlist_tracks"),
            ("What else did the artist of the top trending track make?", "trending_tracks"),
        ] {
            let found = names(question, &catalogues);
            let place = found.iter().position(|id| id == expected);
            assert!(place.is_some_and(|place| place < 6), "{question}: {place:?} in {found:?}");
        }
        // What is asked next only has to be among them.
        let found = names("Tell me about the artist Skrillex and their tracks", &catalogues);
        assert!(found.contains(&"user_tracks".to_owned()), "{found:?}");
    }
}
