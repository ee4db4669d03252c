//! Tests of `key=value` parsing.

use super::*;
use serde_json::json;

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "subject": {"type": "string"},
            "note": {"type": ["string", "null"]},
            "to": {"type": "array", "items": {"type": "string"}},
            "cc": {"anyOf": [{"type": "array", "items": {"$ref": "#/$defs/Address"}}, {"type": "null"}]},
            "minutes": {"type": "integer"},
            "urgent": {"type": "boolean"},
            "rooms": {"type": "array", "items": {"type": "integer"}},
            "outcome": {"enum": ["done", "not_done"]},
            "effect": {"const": "send"},
            "tree": {"$ref": "#/$defs/Tree"},
            "any": true
        },
        "$defs": {
            "Address": {"type": "string"},
            "Tree": {"anyOf": [{"$ref": "#/$defs/Tree"}]}
        },
        "additionalProperties": false
    })
}

#[track_caller]
fn check(pair: &str, expected: Value) {
    let read = read(&[pair.to_owned()], &schema(), &Value::Null).unwrap();
    assert_eq!(read.values().next(), Some(&expected), "{pair}");
}

#[track_caller]
fn refused(pairs: &[&str], expected: &str) {
    let pairs: Vec<String> = pairs.iter().map(|pair| (*pair).to_owned()).collect();
    let failure = read(&pairs, &schema(), &Value::Null).unwrap_err();
    assert!(failure.text().contains(expected), "{}", failure.text());
}

#[test]
fn values_are_typed_by_the_schema() {
    check("subject=5", json!("5"));
    check("subject=", json!(""));
    check("subject=a=b \"c\"", json!("a=b \"c\""));
    check("note=null", json!("null"));
    check("to=ada@example.org", json!(["ada@example.org"]));
    check("to=5", json!(["5"]));
    check("to=[\"a\", \"b\"]", json!(["a", "b"]));
    check("cc=ada@example.org", json!(["ada@example.org"]));
    check("minutes=30", json!(30));
    check("minutes=\"thirty\"", json!("thirty"));
    check("urgent=true", json!(true));
    check("rooms=[1,2]", json!([1, 2]));
    check("outcome=not_done", json!("not_done"));
    check("effect=send", json!("send"));
    check("any={\"a\":1}", json!({"a": 1}));
    check("any=word", json!("word"));
    check("tree=[]", json!([]));
    check("subject=a\u{1b}[31mb\r\nc", json!("a[31mb\nc"));
}

#[test]
fn what_cannot_be_meant_is_refused_by_name() {
    refused(&["minutes=thirty"], "`minutes`: `thirty` is not an integer; write it as JSON");
    refused(&["rooms=1,2"], "`rooms`: `1,2` is not a list");
    refused(&["subjetc=x"], "there is no key `subjetc`; did you mean `subject`?");
    refused(&["colour=x"], "there is no key `colour`; there are ");
    refused(&["subject"], "`subject` is not key=value");
    refused(&["=x"], "there is no key ``");
    refused(&["urgent=true", "urgent=false"], "`urgent` is given twice");
}

#[test]
fn without_declared_keys_everything_goes() {
    let pairs = ["a=1".to_owned(), "b=x".to_owned()];
    let read = read(&pairs, &Value::Bool(true), &json!({"a": 0})).unwrap();
    assert_eq!(Value::Object(read), json!({"a": 1, "b": "x"}));
}

#[test]
fn every_key_is_named_once() {
    let names = known_keys(&schema(), &json!({"to": [], "any": 1, "subject": "x"}));
    let once: std::collections::BTreeSet<&String> = names.iter().collect();
    assert_eq!(once.len(), names.len(), "{names:?}");
}
