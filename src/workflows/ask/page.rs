//! Long lists, page by page. The whole answer is stored, and each page starts where the last one ended; after its end,
//! the server is asked for more.

use super::format::{self, Part};
use super::next_page;
use super::parts::{KeptAnswer, ListPosition, Next, Pending, Purpose};
use super::state::Ask;
use crate::agent::Services;
use crate::engine::graph::{Command, NodeError};
use crate::text::words::letters_and_digits;
use serde_json::Value;

/// Whether the whole text asks for the next page.
fn wants_more(words: &str) -> bool {
    letters_and_digits(words) == "more"
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
        next: if part.operation.reads() {
            next_page::next(part, &full_answer, next_link.as_deref())
        } else {
            Next::Unknown
        },
    })
}

/// Says how much was shown and how to go on; `None` if that was all.
pub(super) fn note(list: &ListPosition) -> Option<String> {
    let shown = list.before + list.told;
    if list.told < list.total {
        return Some(format!("{shown} of {} are shown; say “more” for the next.", list.before + list.total));
    }
    matches!(list.next, Next::At { .. })
        .then(|| format!("{shown} are shown, and there may be more; say “more” for the next."))
}

/// Shows the next page, if the person asks for it: from the stored answer, else from the server.
pub(super) fn show_more(services: &Services, state: &Ask) -> Result<Option<Command<Ask>>, NodeError> {
    let wants_more = state.query.as_deref().is_some_and(wants_more);
    let Some(answer) = state.last_answer().filter(|_| wants_more) else { return Ok(None) };
    let list = answer.list.as_ref();
    let text = match list.map(|list| (list, &list.next)) {
        Some((list, _)) if list.told < list.total => return stored_page(services, state, list).map(Some),
        Some((list, Next::At { parameters })) => {
            let (_, catalogue) = services.apis.get(&list.api).map_err(NodeError::failed)?;
            let operation = catalogue.operation(&list.operation);
            let operation = operation.ok_or_else(|| NodeError::failed("its operation is gone"))?.clone();
            return Ok(Some(state.goto("execute_request_node", |next| {
                (next.best_api, next.parameters) = (Some(operation.clone()), Some(parameters.clone()));
                next.plan(Pending { purpose: Purpose::Answer, operation, parameters: parameters.clone() });
                next.turning = Some(list.clone());
            })));
        }
        Some((_, Next::End)) => "Nothing is left to show; that was all.",
        Some((_, Next::Unknown)) => {
            "Everything that the server answered is shown. It does not say whether there is more, and has no next \
             page to ask for."
        }
        None => "The last answer was not a list, so there is no more to show.",
    };
    let list = list.cloned();
    Ok(Some(state.goto("reset_state_node", |next| next.answer(text.to_owned(), None, list))))
}

/// The next entries of the stored answer.
fn stored_page(services: &Services, state: &Ask, list: &ListPosition) -> Result<Command<Ask>, NodeError> {
    let (_, catalogue) = services.apis.get(&list.api).map_err(NodeError::failed)?;
    let kind =
        catalogue.operation(&list.operation).and_then(|operation| catalogue.entities.get(&operation.returns));
    let full_answer = read_answer(services, &list.digest)?;
    let entries = format::entries(&catalogue, &full_answer).unwrap_or_default();
    let page = entries.get(list.told..).unwrap_or_default();
    let (mut text, table) = format::page(kind, &list.heading, page, list.before + list.told);
    let told = if page.is_empty() { list.total } else { list.told + page.len().min(format::MAX_SHOWN) };
    let list = ListPosition { told, ..list.clone() };
    if let Some(note) = note(&list) {
        text = format!("{text}\n\n{note}");
    }
    Ok(state.goto("reset_state_node", |next| next.answer(text, table, Some(list))))
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
        for yes in ["more", "More.", " more!"] {
            assert!(wants_more(yes), "{yes}");
        }
        for no in ["more tracks by Skrillex", "what is next?", "", "no more"] {
            assert!(!wants_more(no), "{no}");
        }
    }
}
