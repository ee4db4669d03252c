//! Answers questions to APIs by rule: which operation's words are in the question, and what the question names.
//!
//! The rules understand no language. A catalogue says which words ask for each operation and which words are synonyms.
//! Quotes, handles and the words after *by*, *of*, *called* and the like are names. Numbers and a parameter's listed
//! values are looked for. Anything not found this way is missing, and the person is asked for it.

mod match_words;
mod named;

use serde_json::{Map, Value};

use self::match_words::{Matcher, spelled_value, value_in};
use self::named::name_in;
use crate::llm::{Answer, Task, facts};
use crate::workflows::ask::facts::{
    AskFacts, CategoryAnswer, Complexity, OperationFacts, ParameterFacts, ParamsAnswer, SelectAnswer,
};

/// The most operations that may answer a question.
const MAX_OPERATIONS: usize = 4;

/// Words that refer back to something named before.
const BACK_REFERENCES: &[&str] = &["their", "them", "they", "his", "her", "its", "it", "he", "she", "there"];

/// The tasks that work without a language model.
pub(in crate::workflows) const TASKS: &[Task] =
    &[("ask.category", category), ("ask.select", select), ("ask.params", params)];

/// `ask.category`
fn category(value: &Value) -> Result<Answer, String> {
    let facts = facts::<AskFacts>(value)?;
    let question = Question::of(&facts);
    let matcher = Matcher::new(&facts.same);
    let mut halves = question.halves.iter().map(|half| best_operations(&matcher, &facts.operations, half));
    let first = halves.next().unwrap_or_default();
    let mut chosen: Vec<&OperationFacts> = first;
    let mut complexity = Complexity::Simple;
    if let Some(one) = chosen.first().copied() {
        let second = halves.next().unwrap_or_default().into_iter().find(|two| continues(one, two));
        if let Some(two) = second {
            chosen.retain(|other| other.name != two.name);
            chosen.insert(1.min(chosen.len()), two);
            complexity = Complexity::Complex;
        }
    }
    chosen.truncate(MAX_OPERATIONS);
    let kind = chosen.first().and_then(|one| kind_of(one));
    let takes_name = chosen.first().is_some_and(|one| kind.is_some() || one.parameters.iter().any(is_words));
    let name = takes_name.then(|| question.name(&facts)).flatten();
    let is_entity_query = kind.is_some() && name.is_some();
    let answer = CategoryAnswer {
        query_type: chosen.first().map(|one| query_type(one)).unwrap_or_default(),
        categories: chosen.iter().map(|one| one.tool_name.clone()).collect(),
        is_entity_query,
        entity_type: kind.filter(|_| is_entity_query),
        entity_name: name.filter(|_| is_entity_query),
        complexity,
    };
    Answer::data(&answer)
}

/// `ask.select`
fn select(value: &Value) -> Result<Answer, String> {
    // The candidates are sorted best first, followed by the one to ask next.
    let facts = facts::<AskFacts>(value)?;
    let name = |index: usize| facts.operations.get(index).map(|one| one.name.clone());
    let answer = SelectAnswer { api: name(0).unwrap_or_default(), secondary_api: name(1) };
    Answer::data(&answer)
}

/// `ask.params`
fn params(value: &Value) -> Result<Answer, String> {
    let facts = facts::<AskFacts>(value)?;
    let Some(operation) = facts.operations.first() else { return Err("there is no operation".to_owned()) };
    let question = Question::of(&facts);
    let kind = kind_of(operation);
    let name = facts.entity_name.clone().or_else(|| question.name(&facts));
    // The newest words count most.
    let texts: Vec<&str> = facts
        .said
        .iter()
        .rev()
        .map(String::as_str)
        .chain([facts.query.as_str()])
        .chain(question.before)
        .collect();
    let mut parameters = Map::new();
    for parameter in operation.parameters.iter().filter(|one| one.entity.is_none()) {
        let without_name = |text: &str| match &name {
            // If a parameter says what comes before its value, that value may look like a name.
            Some(name) if parameter.after.is_empty() => text.replace(name.as_str(), " "),
            _ => text.to_owned(),
        };
        let mut value = texts.iter().find_map(|text| spelled_value(parameter, text));
        value = value
            .or_else(|| texts.iter().find_map(|text| value_in(parameter, &without_name(text), &facts.same)));
        if value.is_none() && is_words(parameter) && kind.is_none() {
            value = name.as_ref().map(|name| Value::from(name.trim_start_matches('@')));
        }
        if let Some(value) = value {
            parameters.insert(parameter.name.clone(), value);
        }
    }
    Answer::data(&ParamsAnswer { parameters })
}

/// The operations that the words ask for, best first.
fn best_operations<'o>(
    matcher: &Matcher<'_>,
    operations: &'o [OperationFacts],
    words: &str,
) -> Vec<&'o OperationFacts> {
    let stems = matcher.stems(words);
    let mut scored: Vec<(usize, &OperationFacts)> = operations
        .iter()
        .map(|operation| (matcher.score(operation, &stems), operation))
        .filter(|(score, _)| *score > 0)
        .collect();
    // The sort is stable: of two equal matches, the first in its catalogue wins.
    scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    scored.into_iter().map(|(_, operation)| operation).collect()
}

/// Whether the first operation returns what the second needs, or both are about the same kind of thing.
fn continues(first: &OperationFacts, second: &OperationFacts) -> bool {
    let needed_kind = kind_of(second);
    first.name != second.name
        && needed_kind.is_some()
        && (needed_kind == kind_of(first) || needed_kind.as_deref() == Some(&first.returns))
}

fn kind_of(operation: &OperationFacts) -> Option<String> {
    operation.parameters.iter().filter(|one| one.required).find_map(|one| one.entity.clone())
}

/// Whether a parameter takes search words.
fn is_words(parameter: &ParameterFacts) -> bool {
    parameter.required
        && parameter.kind == "string"
        && parameter.entity.is_none()
        && parameter.values.is_empty()
}

fn query_type(operation: &OperationFacts) -> String {
    operation.name.rsplit('/').next().unwrap_or_default().to_owned()
}

struct Question<'f> {
    /// Its text without quotes; two halves if it asks for two things.
    halves: Vec<String>,
    /// The previous question, if this one follows up on it.
    before: Option<&'f str>,
}

impl<'f> Question<'f> {
    fn of(facts: &'f AskFacts) -> Self {
        let matcher = Matcher::new(&facts.same);
        // What the person added replaces the question if it asks for something by itself.
        let asks_something = |addition: &&String| {
            !best_operations(&matcher, &facts.operations, &named::without_quotes(addition)).is_empty()
        };
        let replacement = facts.said.iter().rev().find(asks_something).cloned();
        let joined =
            || std::iter::once(&facts.query).chain(&facts.said).cloned().collect::<Vec<_>>().join(" ");
        let text = replacement.unwrap_or_else(joined);
        let unquoted = named::without_quotes(&text);
        let points_back = matcher.words(&unquoted).any(|word| BACK_REFERENCES.contains(&word.as_str()));
        let has_before = !facts.before.is_empty();
        let stands_alone = !best_operations(&matcher, &facts.operations, &unquoted).is_empty();
        let has_name = name_in(&text, &facts.same).is_some();
        // `Skrillex's tracks` are tracks by a user.
        let unquoted =
            if named::is_owned(&unquoted, &facts.same) { unquoted + " by of user" } else { unquoted };
        let before =
            (has_before && (!stands_alone || points_back && !has_name)).then_some(facts.before.as_str());
        let mut halves: Vec<String> = unquoted.split(" and ").map(str::to_owned).collect();
        if halves.len() != 2 {
            halves = vec![unquoted];
        } else if matcher.words(&halves[1]).any(|word| BACK_REFERENCES.contains(&word.as_str())) {
            halves[1].push_str(" by of user");
        }
        if let Some(before) = before {
            // Things named before are meant again; the earlier request only counts if this question makes none.
            let more = if stands_alone { " by of user" } else { before };
            halves = vec![format!("{} {more}", halves.join(" "))];
        }
        Self { halves, before }
    }

    /// The name in the question, or in the previous one.
    fn name(&self, facts: &AskFacts) -> Option<String> {
        let texts =
            facts.said.iter().rev().map(String::as_str).chain([facts.query.as_str()]).chain(self.before);
        texts.into_iter().find_map(|text| name_in(text, &facts.same))
    }
}
