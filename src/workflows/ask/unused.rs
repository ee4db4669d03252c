//! Words of a question that nothing covers: not the operation, not its parameters, not the thing it names.

use super::state::Ask;
use crate::text::words::{is_stop, split_camel_case, stem, words};
use crate::tools::catalogue::{Catalogue, Operation};
use serde_json::{Map, Value};
use std::collections::HashSet;

/// Words that ask for nothing by themselves, in addition to the stop words.
const FILLERS: &str = "s t current currently exactly find give got have know let list look lot many me mean much name need new now \
    okay quick quickly really right search see show tell thank thanks today want";

/// The unused words, as the person wrote them, in order.
pub(super) fn unused(
    state: &Ask,
    catalogue: &Catalogue,
    operations: &[&Operation],
    parameters: &[&Map<String, Value>],
) -> Vec<String> {
    let mut used: HashSet<String> = HashSet::new();
    let synonym = |word: &str| catalogue.same.get(word).cloned().unwrap_or_else(|| word.to_owned());
    let mut mark_used = |text: &str| {
        used.extend(words(&split_camel_case(text)).flat_map(|word| [stem(&synonym(&word)), stem(&word)]))
    };
    mark_used(&catalogue.name);
    mark_used(&catalogue.title);
    for operation in operations {
        let Operation { id, category_name, tool_name, api_name, api_description, returns, asks, .. } =
            operation;
        for text in [id, category_name, tool_name, api_name, api_description, returns].into_iter().chain(asks)
        {
            mark_used(text);
        }
        for parameter in operation.parameters() {
            mark_used(&parameter.name);
            mark_used(&parameter.description);
        }
    }
    for value in parameters.iter().flat_map(|one| one.values()) {
        mark_used(&super::values::plain(value));
    }
    for name in [&state.entity_name, &state.entity_type].into_iter().flatten() {
        mark_used(name);
    }
    if let Some(entity) = &state.entity {
        mark_used(&entity.name);
        mark_used(&entity.about);
    }
    let mut unused: Vec<String> = Vec::new();
    for word in words(&split_camel_case(state.query.as_deref().unwrap_or_default())) {
        let is_filler = is_stop(&word) || words(FILLERS).any(|filler| filler == word);
        let is_used = used.contains(&stem(&word)) || used.contains(&stem(&synonym(&word)));
        if !is_filler && !is_used && !unused.contains(&word) {
            unused.push(word);
        }
    }
    unused
}

/// The words in quotes, for a sentence.
pub(super) fn quoted(words: &[String]) -> String {
    words.iter().map(|word| format!("“{word}”")).collect::<Vec<_>>().join(", ")
}
