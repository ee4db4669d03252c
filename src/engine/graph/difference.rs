//! What changed in a state, as an update: a node changes a copy of the state, and the difference is what is stored.
//!
//! For states whose fields are all written and all have defaults. A list that only grew is stored as what was added to
//! it, any other field as a whole.

use super::State;
use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use std::marker::PhantomData;

#[derive(Debug, Serialize)]
pub struct Difference<S> {
    /// The new values of fields.
    #[serde(skip_serializing_if = "Map::is_empty")]
    set: Map<String, Value>,
    /// What was added to the end of lists.
    #[serde(skip_serializing_if = "Map::is_empty")]
    added: Map<String, Value>,
    #[serde(skip)]
    of: PhantomData<fn() -> S>,
}

impl<S: State> Difference<S> {
    pub fn between(before: &S, after: &S) -> Self {
        let (mut set, mut added) = (Map::new(), Map::new());
        let before = fields(before);
        for (name, value) in fields(after) {
            match (before.get(&name), &value) {
                (Some(old), new) if old == new => {}
                (Some(Value::Array(old)), Value::Array(new)) if !old.is_empty() && new.starts_with(old) => {
                    added.insert(name, new[old.len()..].into());
                }
                _ => {
                    set.insert(name, value);
                }
            }
        }
        Self { set, added, of: PhantomData }
    }

    pub fn apply(self, state: &mut S) {
        let mut changed = fields(state);
        changed.extend(self.set);
        for (name, more) in self.added {
            if let (Some(Value::Array(list)), Value::Array(more)) = (changed.get_mut(&name), more) {
                list.extend(more);
            }
        }
        // Every field fits: it was written by this type or checked when it was read.
        if let Ok(changed) = serde_json::from_value(Value::Object(changed)) {
            *state = changed;
        }
    }
}

fn fields<S: State>(state: &S) -> Map<String, Value> {
    match serde_json::to_value(state) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    }
}

impl<'de, S: DeserializeOwned> Deserialize<'de> for Difference<S> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(default, deny_unknown_fields)]
        #[derive(Default)]
        struct Fields {
            set: Map<String, Value>,
            added: Map<String, Value>,
        }
        let Fields { set, added } = Fields::deserialize(input)?;
        for part in [&set, &added] {
            serde_json::from_value::<S>(Value::Object(part.clone())).map_err(D::Error::custom)?;
        }
        Ok(Self { set, added, of: PhantomData })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::graph::Answer;
    use serde_json::json;

    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    struct Talk {
        topic: Option<String>,
        said: Vec<String>,
    }

    impl State for Talk {
        type Input = ();
        type Update = Difference<Self>;

        fn started((): ()) -> Difference<Self> {
            Difference::between(&Self::default(), &Self::default())
        }
        fn answered(_: Vec<Answer>) -> Difference<Self> {
            Self::started(())
        }
        fn apply(&mut self, update: Difference<Self>) {
            update.apply(self);
        }
        fn title(&self) -> String {
            String::new()
        }
        fn output(&self) -> Option<Value> {
            None
        }
    }

    fn talk(topic: Option<&str>, said: &[&str]) -> Talk {
        Talk { topic: topic.map(str::to_owned), said: said.iter().map(|one| (*one).to_owned()).collect() }
    }

    #[test]
    fn what_changed_is_stored_and_nothing_else() {
        for (before, after, stored) in [
            (talk(None, &[]), talk(None, &[]), json!({})),
            (talk(None, &["a"]), talk(Some("tea"), &["a"]), json!({"set": {"topic": "tea"}})),
            (talk(Some("tea"), &[]), talk(None, &[]), json!({"set": {"topic": null}})),
            (talk(None, &["a"]), talk(None, &["a", "b"]), json!({"added": {"said": ["b"]}})),
            (talk(None, &["a", "b"]), talk(None, &["b"]), json!({"set": {"said": ["b"]}})),
            (talk(None, &["a"]), talk(None, &[]), json!({"set": {"said": []}})),
        ] {
            let written = serde_json::to_value(Difference::between(&before, &after)).unwrap();
            assert_eq!(written, stored);
            let mut state = before;
            state.apply(serde_json::from_value(written).unwrap());
            assert_eq!(state, after);
        }
    }

    #[test]
    fn what_does_not_fit_the_state_cannot_be_read() {
        for bad in [json!({"set": {"topic": 7}}), json!({"added": {"said": [7]}}), json!({"other": {}})] {
            assert!(serde_json::from_value::<Difference<Talk>>(bad.clone()).is_err(), "{bad}");
        }
    }
}
