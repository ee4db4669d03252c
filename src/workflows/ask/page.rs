//! Long lists, page by page. The whole answer is kept; what is told of it begins where the last page ended.

use super::format::{self, Part};
use super::parts::More;
use super::state::Ask;
use super::update::AskUpdate;
use crate::graph::NodeError;
use crate::workflows::Services;
use serde_json::Value;

/// Whether words as a whole ask for the next page.
fn wants_more(words: &str) -> bool {
    let words: Vec<String> = words
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    ["more", "show more", "next", "next page", "the rest", "more please"].contains(&words.join(" ").as_str())
}

/// What is left to tell of an answer.
pub(super) fn left(services: &Services, part: &Part<'_>, digest: Option<&String>) -> Option<More> {
    let told = format::entries(part.catalogue, part.response)?.len().min(format::MOST);
    let digest = digest?.clone();
    let whole = whole(services, &digest).ok()?;
    let total = format::entries(part.catalogue, &whole)?.len();
    let (api, operation) = (part.operation.catalogue.clone(), part.operation.id.clone());
    (told < total).then(|| More { api, operation, heading: format::heading(part), digest, told, total })
}

/// How much was told, and how to go on.
pub(super) fn note(more: &More) -> String {
    format!("{} of {} are shown; say “more” for the next.", more.told, more.total)
}

/// The next page, where the person asks for it; what was kept is told, and nobody is asked again.
pub(super) fn turn(services: &Services, state: &Ask) -> Result<Option<AskUpdate>, NodeError> {
    let Some(lists) = state.more().filter(|_| state.query.as_deref().is_some_and(wants_more)) else {
        return Ok(None);
    };
    let Some((list, others)) = lists.split_first() else {
        let text = "Nothing is left to show; that was all.".to_owned();
        return Ok(Some(AskUpdate::Formatted { text, table: None, more: Vec::new() }));
    };
    let (_, catalogue) = services.apis.get(&list.api).map_err(NodeError::failed)?;
    let kind =
        catalogue.operation(&list.operation).and_then(|operation| catalogue.entities.get(&operation.returns));
    let whole = whole(services, &list.digest)?;
    let entries = format::entries(&catalogue, &whole).unwrap_or_default();
    let page = entries.get(list.told..).unwrap_or_default();
    let (mut text, table) = format::page(kind, &list.heading, page, list.told);
    let told = list.told + page.len().min(format::MOST);
    let mut more = Vec::new();
    if told < list.total && !page.is_empty() {
        more.push(More { told, ..list.clone() });
    }
    more.extend(others.iter().cloned());
    if let Some(list) = more.first() {
        text = format!("{text}\n\n{}", note(list));
    }
    Ok(Some(AskUpdate::Formatted { text, table, more }))
}

fn whole(services: &Services, digest: &str) -> Result<Value, NodeError> {
    let bytes = services.records.blob(digest)?;
    serde_json::from_slice(&bytes).map_err(|error| NodeError::failed(format!("the kept answer: {error}")))
}

#[cfg(test)]
mod tests {
    use super::wants_more;

    #[test]
    fn only_whole_words_turn_the_page() {
        for yes in ["more", "More.", "show more!", "next page", "the rest"] {
            assert!(wants_more(yes), "{yes}");
        }
        for no in ["more tracks by Skrillex", "what is next?", "", "no more"] {
            assert!(!wants_more(no), "{no}");
        }
    }
}
