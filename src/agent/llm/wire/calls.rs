//! Puts tool calls together from pieces, as servers really send them: without ids, with missing or wrong indexes,
//! several under one index, arguments as text in pieces or as an object at once.
//!
//! Promises: an index never becomes a size; count and length are capped; a call whose arguments are not a whole JSON
//! object is a [`BadCall`], never a call; every id is unique in its conversation.

use std::collections::{BTreeMap, HashSet};

use serde_json::{Map, Value};

use super::Fault;
use crate::agent::llm::{BadCall, Request, ToolCall};

/// The most calls in one answer.
const MAX_CALLS: usize = 32;

/// Indexes from here on are not trusted.
const MAX_INDEX: u64 = 1 << 16;

/// The longest arguments of one call, in bytes of JSON.
const MAX_ARGS: usize = 1 << 20;

/// The longest name, id and signature that are kept.
const MAX_NAME: usize = 200;
const MAX_SIGNATURE: usize = 256 << 10;

/// What one frame says about one call.
#[derive(Clone, Copy, Debug, Default)]
pub struct Piece<'a> {
    pub index: Option<u64>,
    pub id: Option<&'a str>,
    pub name: Option<&'a str>,
    pub args: Args<'a>,
    pub signature: Option<&'a str>,
}

/// The arguments in a piece.
#[derive(Clone, Copy, Debug, Default)]
pub enum Args<'a> {
    /// None in this piece.
    #[default]
    None,
    /// The next characters of their JSON text.
    Part(&'a str),
    /// All of them.
    Whole(&'a Value),
}

impl<'a> Args<'a> {
    /// Text is a part; anything else is the whole.
    pub fn from(value: Option<&'a Value>) -> Self {
        match value {
            None | Some(Value::Null) => Self::None,
            Some(Value::String(text)) => Self::Part(text),
            Some(other) => Self::Whole(other),
        }
    }
}

#[derive(Debug, Default)]
struct Slot {
    id: String,
    name: String,
    args: String,
    signature: Option<String>,
}

/// The calls so far, by their place in the answer.
#[derive(Debug, Default)]
pub(super) struct Calls {
    slots: BTreeMap<u64, Slot>,
    last: Option<u64>,
}

impl Calls {
    pub fn add(&mut self, piece: Piece<'_>) -> Result<(), Fault> {
        let key = self.place(&piece)?;
        if !self.slots.contains_key(&key) && self.slots.len() >= MAX_CALLS {
            return Err(Fault::TooLarge(format!("it makes more than {MAX_CALLS} calls")));
        }
        self.last = Some(key);
        let slot = self.slots.entry(key).or_default();
        if let Some(id) = piece.id.filter(|id| !id.is_empty() && slot.id.is_empty()) {
            slot.id = id.chars().take(MAX_NAME).collect();
        }
        if let Some(name) = piece.name.filter(|name| !name.is_empty() && slot.name.is_empty()) {
            slot.name = name.chars().take(MAX_NAME).collect();
        }
        if let Some(signature) = piece.signature.filter(|text| text.len() <= MAX_SIGNATURE) {
            // Opaque, but it goes back to the server and into files, so it is kept only if it is printable.
            slot.signature = signature.chars().all(|c| c.is_ascii_graphic()).then(|| signature.to_owned());
        }
        match piece.args {
            Args::None => {}
            Args::Part(text) => slot.args.push_str(text),
            Args::Whole(value) => slot.args = value.to_string(),
        }
        if slot.args.len() > MAX_ARGS {
            return Err(Fault::TooLarge(format!(
                "the arguments of a call are larger than {} MB",
                MAX_ARGS >> 20
            )));
        }
        Ok(())
    }

    /// Which call a piece belongs to.
    fn place(&self, piece: &Piece<'_>) -> Result<u64, Fault> {
        let id = piece.id.filter(|id| !id.is_empty());
        let has_name = piece.name.is_some_and(|name| !name.is_empty());
        let next = || self.slots.keys().next_back().map_or(0, |key| key.saturating_add(1));
        // An index that large is garbage; the piece is placed as if it had none.
        if let Some(index) = piece.index.filter(|index| *index < MAX_INDEX) {
            // A new id together with a name is a second call under a used index. A name again with the same id, or with
            // none, is a server that repeats itself.
            let is_second_call = self
                .slots
                .get(&index)
                .is_some_and(|slot| has_name && id.is_some_and(|id| !slot.id.is_empty() && slot.id != id));
            return Ok(if is_second_call { next() } else { index });
        }
        if let Some(id) = id
            && let Some((key, _)) = self.slots.iter().find(|(_, slot)| slot.id == id)
        {
            return Ok(*key);
        }
        match self.last {
            Some(last) if !has_name => Ok(last),
            _ if has_name => Ok(next()),
            _ => Err(Fault::Garbled("arguments came without a call they belong to".into())),
        }
    }

    /// The calls in their order, and the bad calls.
    pub fn finish(self, request: &Request) -> (Vec<ToolCall>, Vec<BadCall>) {
        let mut used: HashSet<String> = request.earlier_calls().map(|call| call.id.clone()).collect();
        let mut number = used.len();
        let (mut calls, mut bad) = (Vec::new(), Vec::new());
        for slot in self.slots.into_values() {
            if slot.name.trim().is_empty() {
                bad.push(BadCall { name: String::new(), why: "it has no name".into() });
                continue;
            }
            let args = match object(&slot.args) {
                Ok(args) => args,
                Err(why) => {
                    bad.push(BadCall { name: slot.name, why });
                    continue;
                }
            };
            let mut id = slot.id;
            while !usable(&id) || used.contains(&id) {
                id = format!("call_{number}");
                number += 1;
            }
            used.insert(id.clone());
            calls.push(ToolCall { id, name: slot.name, args, signature: slot.signature });
        }
        (calls, bad)
    }
}

/// Ids are keys in files and go back to servers, some of which are strict about them.
fn usable(id: &str) -> bool {
    !id.is_empty() && id.len() <= 128 && id.chars().all(|c| c.is_ascii_alphanumeric() || "_-.:".contains(c))
}

/// The arguments as an object. No text at all means none, and JSON inside a string is unpacked once.
fn object(text: &str) -> Result<Value, String> {
    if text.trim().is_empty() {
        return Ok(Value::Object(Map::new()));
    }
    let read = |text: &str| -> Result<Value, String> {
        serde_json::from_str(text).map_err(|error| format!("its arguments are not JSON ({error})"))
    };
    match read(text)? {
        Value::String(inner) => read(&inner),
        Value::Null => Ok(Value::Object(Map::new())),
        other => Ok(other),
    }
    .and_then(|value| {
        if value.is_object() { Ok(value) } else { Err("its arguments are not a JSON object".into()) }
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::agent::llm::Message;

    fn piece<'a>(index: Option<u64>, id: &'a str, name: &'a str, args: &'a str) -> Piece<'a> {
        let some = |text: &'a str| (!text.is_empty()).then_some(text);
        Piece { index, id: some(id), name: some(name), args: Args::Part(args), signature: None }
    }

    fn build(pieces: &[Piece<'_>]) -> (Vec<ToolCall>, Vec<BadCall>) {
        let mut calls = Calls::default();
        for piece in pieces {
            calls.add(*piece).unwrap();
        }
        calls.finish(&Request::default())
    }

    #[test]
    fn pieces_of_several_calls_interleave() {
        let (calls, bad) = build(&[
            piece(Some(1), "b", "two", "{\"x\":"),
            piece(Some(0), "a", "one", "{}"),
            piece(Some(1), "", "", "1}"),
        ]);
        assert!(bad.is_empty());
        let listed: Vec<_> = calls.iter().map(|c| (c.id.as_str(), c.name.as_str(), c.args.clone())).collect();
        assert_eq!(listed, [("a", "one", json!({})), ("b", "two", json!({"x": 1}))]);
    }

    #[test]
    fn calls_without_indexes_and_ids_are_kept_apart() {
        let (calls, _) = build(&[
            piece(None, "", "one", "{\"x\""),
            piece(None, "", "", ":1}"),
            piece(None, "", "two", "{}"),
        ]);
        let summary: Vec<_> = calls.iter().map(|c| (c.id.as_str(), c.name.as_str())).collect();
        assert_eq!(summary, [("call_0", "one"), ("call_1", "two")]);
    }

    #[test]
    fn two_calls_under_one_index_are_two() {
        let (calls, _) = build(&[piece(Some(0), "a", "one", "{}"), piece(Some(0), "b", "two", "{}")]);
        assert_eq!(calls.len(), 2);
        let (calls, _) = build(&[piece(Some(0), "a", "one", "{\"x\":"), piece(Some(0), "a", "one", "1}")]);
        assert_eq!((calls.len(), calls[0].args.clone()), (1, json!({"x": 1})));
    }

    #[test]
    fn a_huge_index_costs_nothing() {
        let (calls, _) = build(&[piece(Some(u64::MAX), "a", "one", "{}"), piece(None, "b", "two", "{}")]);
        assert_eq!(calls.len(), 2);
        let (calls, _) =
            build(&[piece(Some(u64::MAX), "", "one", "{\"x\":"), piece(Some(u64::MAX), "", "", "1}")]);
        assert_eq!(calls[0].args, json!({"x": 1}));
    }

    #[test]
    fn half_arguments_are_no_call() {
        let (calls, bad) = build(&[piece(Some(0), "a", "send", "{\"to\": \"bo")]);
        assert!(calls.is_empty());
        assert_eq!(bad[0].name, "send");
        let (calls, bad) = build(&[piece(Some(0), "a", "send", "[1]"), piece(Some(1), "b", "", "{}")]);
        assert_eq!((calls.len(), bad.len()), (0, 2));
    }

    #[test]
    fn objects_and_packed_text_are_arguments_too() {
        let mut calls = Calls::default();
        let args = json!({"x": 1});
        calls.add(Piece { name: Some("one"), args: Args::from(Some(&args)), ..Piece::default() }).unwrap();
        let packed = json!("{\"x\": 2}").to_string();
        calls.add(Piece { name: Some("two"), args: Args::Part(&packed), ..Piece::default() }).unwrap();
        let (calls, _) = calls.finish(&Request::default());
        assert_eq!([&calls[0].args["x"], &calls[1].args["x"]], [&json!(1), &json!(2)]);
    }

    #[test]
    fn ids_are_unique_over_the_conversation() {
        let earlier = ToolCall { id: "call_0".into(), name: "one".into(), args: json!({}), signature: None };
        let request = Request::default()
            .message(Message::Assistant { text: String::new(), calls: vec![earlier.clone()] })
            .message(Message::result(&earlier, "ok"));
        let mut calls = Calls::default();
        calls.add(piece(Some(0), "call_0", "one", "")).unwrap();
        calls.add(piece(Some(1), "bad id\n", "one", "")).unwrap();
        let (calls, _) = calls.finish(&request);
        assert_eq!([calls[0].id.as_str(), calls[1].id.as_str()], ["call_1", "call_2"]);
    }

    #[test]
    fn caps_hold() {
        let mut calls = Calls::default();
        let big = "x".repeat(300 << 10);
        let outcome: Result<Vec<()>, _> =
            (0..5).map(|_| calls.add(piece(Some(0), "a", "one", &big))).collect();
        assert!(matches!(outcome, Err(Fault::TooLarge(_))));
        let mut calls = Calls::default();
        let outcome: Result<Vec<()>, _> = (0..40).map(|n| calls.add(piece(Some(n), "", "one", ""))).collect();
        assert!(matches!(outcome, Err(Fault::TooLarge(_))));
    }
}
