//! Long lists, page by page. The whole answer is stored, and each page starts where the last one ended; after its end,
//! the server is asked for more.

use super::format::{self, Part};
use super::next_page;
use super::parts::{KeptAnswer, ListPosition, Next, PageFetch};
use super::state::Ask;
use super::update::AskUpdate;
use crate::graph::NodeError;
use crate::text::words::alphanumeric_words;
use crate::workflows::Services;
use serde_json::Value;

/// Whether the whole text asks for the next page.
fn wants_more(words: &str) -> bool {
    ["more", "show more", "next", "next page", "the rest", "more please"]
        .contains(&alphanumeric_words(words).join(" ").as_str())
}

/// How a list goes on; `None` if the answer is not a list.
pub(super) fn list_position(
    services: &Services,
    part: &Part<'_>,
    kept_answer: Option<&KeptAnswer>,
) -> Option<ListPosition> {
    let shown = format::entries(part.catalogue, part.response)?.len().min(format::MAX_SHOWN);
    let KeptAnswer { digest, next_link } = kept_answer?.clone();
    let full_answer = read_answer(services, &digest).ok()?;
    let total = format::entries(part.catalogue, &full_answer)?.len();
    Some(ListPosition {
        api: part.operation.catalogue.clone(),
        operation: part.operation.id.clone(),
        heading: format::heading(part),
        digest,
        told: shown,
        total,
        before: part.before,
        next: match part.operation.reads() {
            true => next_page::next(part, &full_answer, next_link.as_deref()),
            false => Next::Unknown,
        },
    })
}

/// Says how much was shown and how to go on; `None` if that was all.
pub(super) fn note(lists: &[ListPosition]) -> Option<String> {
    lists.iter().find_map(|list| {
        let shown = list.before + list.told;
        if list.told < list.total {
            return Some(format!(
                "{shown} of {} are shown; say “more” for the next.",
                list.before + list.total
            ));
        }
        let may_have_more = matches!(list.next, Next::At { .. });
        may_have_more.then(|| format!("{shown} are shown, and there may be more; say “more” for the next."))
    })
}

/// What to do when the person asks for more.
pub(super) enum NextPage {
    /// Show entries of the stored answer, without another request.
    Tell(AskUpdate),
    /// Ask the server for the next page.
    Fetch(AskUpdate),
}

/// The next page, if the person asks for it.
pub(super) fn show_more(services: &Services, state: &Ask) -> Result<Option<NextPage>, NodeError> {
    let Some(lists) = state.more().filter(|_| state.query.as_deref().is_some_and(wants_more)) else {
        return Ok(None);
    };
    let others = |index: usize| {
        lists.iter().enumerate().filter(move |(other, _)| *other != index).map(|(_, list)| list.clone())
    };
    if let Some((index, list)) = lists.iter().enumerate().find(|(_, list)| list.told < list.total) {
        return stored_page(services, list, others(index)).map(|update| Some(NextPage::Tell(update)));
    }
    for (index, list) in lists.iter().enumerate() {
        let Next::At { parameters } = &list.next else { continue };
        let (_, catalogue) = services.apis.get(&list.api).map_err(NodeError::failed)?;
        let Some(operation) = catalogue.operation(&list.operation) else { continue };
        let turning = PageFetch {
            heading: list.heading.clone(),
            before: list.before + list.told,
            others: others(index).collect(),
        };
        let (best_api, parameters) = (Box::new(operation.clone()), parameters.clone());
        return Ok(Some(NextPage::Fetch(AskUpdate::Turned { best_api, parameters, turning })));
    }
    let text = match lists {
        [] => "The last answer was not a list, so there is no more to show.",
        _ if lists.iter().all(|list| list.next == Next::End) => "Nothing is left to show; that was all.",
        _ => {
            "Everything that the server answered is shown. It does not say whether there is more, and has no next \
             page to ask for."
        }
    };
    Ok(Some(NextPage::Tell(AskUpdate::Formatted {
        text: text.to_owned(),
        table: None,
        more: lists.to_vec(),
    })))
}

/// The next entries of the stored answer.
fn stored_page(
    services: &Services,
    list: &ListPosition,
    others: impl Iterator<Item = ListPosition>,
) -> Result<AskUpdate, NodeError> {
    let (_, catalogue) = services.apis.get(&list.api).map_err(NodeError::failed)?;
    let kind =
        catalogue.operation(&list.operation).and_then(|operation| catalogue.entities.get(&operation.returns));
    let full_answer = read_answer(services, &list.digest)?;
    let entries = format::entries(&catalogue, &full_answer).unwrap_or_default();
    let page = entries.get(list.told..).unwrap_or_default();
    let (mut text, table) = format::page(kind, &list.heading, page, list.before + list.told);
    let shown = if page.is_empty() { list.total } else { list.told + page.len().min(format::MAX_SHOWN) };
    let mut more = vec![ListPosition { told: shown, ..list.clone() }];
    more.extend(others);
    if let Some(note) = note(&more) {
        text = format!("{text}\n\n{note}");
    }
    Ok(AskUpdate::Formatted { text, table, more })
}

fn read_answer(services: &Services, digest: &str) -> Result<Value, NodeError> {
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
