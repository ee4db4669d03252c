//! The four shapes: (what a server asks, what a person decides) → what is sent.

use super::answer::answer;
use super::shape::{MAX_ACTIONS, Pending, RemoteQuestion, Shape, read};
use crate::engine::graph::{Allow, Decision, Kind};
use serde_json::{Value, json};

fn pending(value: &str, schema: Option<Value>) -> Pending {
    Pending { id: "i1".into(), value: value.into(), schema: schema.map(|schema| schema.to_string()) }
}

fn question(value: &str) -> RemoteQuestion {
    read(&pending(value, None)).unwrap()
}

#[track_caller]
fn sent(question: &RemoteQuestion, decisions: &[Decision], expected: &str) {
    assert_eq!(answer(question, decisions), Ok(Some(expected.to_owned())));
}

fn edit(args: Value) -> Decision {
    Decision::Edit { args }
}

fn respond(text: &str) -> Decision {
    Decision::Respond { text: text.into() }
}

fn words(allow: Allow) -> String {
    let words = [
        (allow.accept, 'a'),
        (allow.edit, 'e'),
        (allow.respond, 'r'),
        (allow.ignore, 'i'),
        (allow.draft, 'd'),
    ];
    words.into_iter().filter_map(|(yes, letter)| yes.then_some(letter)).collect()
}

const ARGS: &str = r#"{"to": "bo", "amount": 1.0, "big": 123456789012345678901234567890, "list": ["x"]}"#;

fn agent_inbox(config: &str) -> String {
    format!(
        r#"{{"action_request": {{"action": "send", "args": {ARGS}}}, "config": {config}, "description": "Send **it**?"}}"#
    )
}

const ALL: &str =
    r#"{"allow_ignore": true, "allow_respond": true, "allow_edit": true, "allow_accept": true}"#;

#[test]
fn agent_inbox_as_a_list_and_bare_is_answered_with_a_list() {
    let listed = question(&format!("[{}]", agent_inbox(ALL)));
    assert_eq!((listed.shape, listed.actions.len()), (Shape::Inbox, 1));
    let action = &listed.actions[0];
    assert_eq!(
        (action.name.as_str(), action.kind, words(action.allow).as_str()),
        ("send", Kind::Approval, "aeri")
    );
    assert_eq!(action.description, "Send **it**?");
    let accepted = format!(r#"{{"type":"accept","args":{{"action":"send","args":{ARGS}}}}}"#);
    sent(&listed, &[Decision::Accept], &format!("[{accepted}]"));
    sent(&listed, &[respond("not yet \"x\"")], r#"[{"args":"not yet \"x\"","type":"response"}]"#);
    sent(&listed, &[Decision::Ignore], r#"[{"args":null,"type":"ignore"}]"#);

    let bare = question(&agent_inbox(ALL));
    assert_eq!(bare, listed);
    let mut args: Value = serde_json::from_str(ARGS).unwrap();
    args["to"] = json!("cy");
    let edited = r#"{"to":"cy","amount":1.0,"big":123456789012345678901234567890,"list":["x"]}"#;
    sent(&bare, &[edit(args)], &format!(r#"[{{"type":"edit","args":{{"action":"send","args":{edited}}}}}]"#));
}

#[test]
fn agent_inbox_asks_several_things_in_one_list() {
    let two = question(&format!("[{}, {}]", agent_inbox(ALL), agent_inbox(ALL)));
    assert_eq!(two.actions.len(), 2);
    sent(
        &two,
        &[Decision::Ignore, respond("no")],
        r#"[{"args":null,"type":"ignore"},{"args":"no","type":"response"}]"#,
    );
    assert!(answer(&two, &[Decision::Accept]).is_err());
}

#[test]
fn agent_inbox_takes_only_what_it_allows() {
    for (config, expected, kind) in [
        (r#"{"allow_accept": true}"#, "a", Kind::Approval),
        (r#"{"allow_respond": true, "allow_ignore": true}"#, "ri", Kind::Question),
        (r#"{"allow_edit": true, "allow_accept": "yes"}"#, "e", Kind::Approval),
        ("{}", "", Kind::Question),
    ] {
        let action = &question(&agent_inbox(config)).actions[0];
        assert_eq!((words(action.allow).as_str(), action.kind), (expected, kind), "{config}");
    }
    let silent = question(r#"{"action_request": {"action": "send", "args": {}}}"#);
    assert_eq!(words(silent.actions[0].allow), "aeri");
}

#[test]
fn edited_arguments_keep_their_types() {
    let schema = question(&agent_inbox(ALL)).actions[0].schema.clone();
    let check = |args: Value| crate::inbox::check_args(&schema, &args);
    let good = json!({"to": "x", "amount": 2, "big": 1.5, "list": []});
    assert_eq!(check(good.clone()), Ok(()));
    for (key, wrong) in [("to", json!(1)), ("amount", json!("1")), ("list", json!("x")), ("list", json!([1]))]
    {
        let mut args = good.clone();
        args[key] = wrong;
        assert!(check(args).unwrap_err().contains(key), "{key}");
    }
    assert!(check(json!({"to": "x"})).is_err());
}

const BATCH: &str = r#"{"action_requests": [
    {"name": "send", "args": {"n": 1.0}, "description": "one"},
    {"name": "delete", "args": {"path": "/x"}},
    {"name": "ask_user", "args": {"q": "?"}},
    {"name": "unknown", "args": {}}],
  "review_configs": [
    {"action_name": "send", "allowed_decisions": ["approve", "edit", "reject"]},
    {"action_name": "delete", "allowed_decisions": ["approve", "reject", "later"]},
    {"action_name": "ask_user", "allowed_decisions": ["respond"]}]}"#;

#[test]
fn middleware_batches_are_one_item_an_action_and_one_answer() {
    let batch = question(BATCH);
    assert_eq!(batch.shape, Shape::Batched);
    let allow: Vec<String> = batch.actions.iter().map(|action| words(action.allow)).collect();
    assert_eq!(allow, ["aeri", "ari", "r", "ari"]);
    let kinds: Vec<Kind> = batch.actions.iter().map(|action| action.kind).collect();
    assert_eq!(kinds, [Kind::Approval, Kind::Approval, Kind::Question, Kind::Approval]);
    assert_eq!(batch.actions[1].labels.respond.as_deref(), Some("reject, saying why"));
    assert_eq!(batch.actions[2].labels.respond.as_deref(), Some("answer in its place"));
    assert!(batch.actions[1].labels.words_refuse && !batch.actions[2].labels.words_refuse);
    sent(
        &batch,
        &[edit(json!({"n": 2})), respond("too risky"), respond("blue"), Decision::Ignore],
        r#"{"decisions":[{"type":"edit","edited_action":{"name":"send","args":{"n":2.0}}},{"message":"too risky","type":"reject"},{"message":"blue","type":"respond"},{"type":"reject"}]}"#,
    );
    let accepts = vec![Decision::Accept; 4];
    sent(
        &batch,
        &accepts,
        r#"{"decisions":[{"type":"approve"},{"type":"approve"},{"type":"approve"},{"type":"approve"}]}"#,
    );
    assert!(answer(&batch, &accepts[..3]).is_err());
    assert!(
        answer(&batch, &[Decision::Draft, Decision::Accept, Decision::Accept, Decision::Accept]).is_err()
    );
}

/// As LangChain 1.4 sends it with a call that may be approved, edited or rejected.
fn per_call_schema() -> Value {
    json!({
        "$defs": {
            "ApproveDecision": {"properties": {"type": {"const": "approve", "type": "string"}}, "type": "object"},
            "EditDecision": {"properties": {"type": {"const": "edit"}, "edited_action": {"type": "object"}}},
            "RejectDecision": {"properties": {"type": {"const": "reject"}, "message": {"type": "string"}}}
        },
        "oneOf": [{"$ref": "#/$defs/ApproveDecision"}, {"$ref": "#/$defs/EditDecision"}, {"$ref": "#/$defs/RejectDecision"}]
    })
}

const CALL: &str = r#"{"type": "tool_approval", "tool_call_id": "c1", "name": "send", "args": {"to": "bo", "score": 1.0}, "description": "d"}"#;

#[test]
fn middleware_one_a_call_follows_its_response_schema() {
    let call = read(&pending(CALL, Some(per_call_schema()))).unwrap();
    assert_eq!((call.shape, words(call.actions[0].allow).as_str()), (Shape::PerCall, "aeri"));
    assert!(!call.actions[0].responds);
    sent(&call, &[Decision::Accept], r#"{"type":"approve"}"#);
    sent(&call, &[Decision::Ignore], r#"{"type":"reject"}"#);
    sent(&call, &[respond("no")], r#"{"message":"no","type":"reject"}"#);
    sent(
        &call,
        &[edit(json!({"to": "cy", "score": 1.0}))],
        r#"{"type":"edit","edited_action":{"name":"send","args":{"to":"cy","score":1.0}}}"#,
    );
    let only = json!({"properties": {"type": {"const": "respond"}, "message": {"type": "string"}}});
    let only = read(&pending(CALL, Some(only))).unwrap();
    assert_eq!((words(only.actions[0].allow).as_str(), only.actions[0].kind), ("r", Kind::Question));
    sent(&only, &[respond("42")], r#"{"message":"42","type":"respond"}"#);
    let open = question(CALL);
    assert_eq!((words(open.actions[0].allow).as_str(), open.actions[0].responds), ("aeri", true));
}

#[test]
fn anything_else_is_answered_by_words_or_json() {
    for value in [
        r#""How old are you?""#,
        "null",
        "7",
        "[]",
        "[1, 2]",
        "{}",
        r#"{"question": "How old?"}"#,
        r#"{"action_request": {"action": 3, "args": {}}}"#,
        r#"[{"action_request": 1}, 2]"#,
        r#"{"action_requests": "x", "review_configs": []}"#,
        r#"{"type": "tool_approval"}"#,
    ] {
        let free = question(value);
        assert_eq!((free.shape, words(free.actions[0].allow).as_str()), (Shape::Free, "eri"), "{value}");
        sent(&free, &[respond("42")], "\"42\"");
        sent(&free, &[edit(json!({"answer": {"age": 42}}))], r#"{"age":42}"#);
        sent(&free, &[edit(json!({"answer": null}))], "null");
        assert_eq!(answer(&free, &[Decision::Ignore]), Ok(None));
        assert!(answer(&free, &[Decision::Accept]).is_err());
    }
    assert_eq!(question(r#"{"question": "How old?"}"#).actions[0].description, "How old?");
}

#[test]
fn a_response_schema_decides_which_answers_fit() {
    for (schema, allowed, good, bad) in [
        (json!({"type": "integer", "default": 3}), "ei", json!(4), json!("4")),
        (json!({"type": "string"}), "eri", json!("x"), json!(4)),
        (json!({"enum": ["red", "blue"]}), "ei", json!("red"), json!("green")),
    ] {
        let free = read(&pending("\"?\"", Some(schema.clone()))).unwrap();
        assert_eq!(words(free.actions[0].allow), allowed, "{schema}");
        let fits =
            |value: Value| crate::inbox::check_args(&free.actions[0].schema, &json!({ "answer": value }));
        assert_eq!(fits(good), Ok(()), "{schema}");
        assert!(fits(bad).is_err(), "{schema}");
    }
    let preset = read(&pending("1", Some(json!({"type": "integer", "default": 3})))).unwrap();
    assert_eq!(preset.actions[0].args, r#"{"answer":3}"#);
    // A schema that is invalid, or refers elsewhere, hides no question.
    for broken in
        [json!(7), json!({"type": 9}), json!({"$ref": "http://169.254.169.254/x"}), json!({"$ref": "#"})]
    {
        assert!(read(&pending("1", Some(broken))).is_ok());
    }
}

#[test]
fn what_cannot_be_read_is_said_and_nothing_breaks() {
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    assert!(read(&pending(&deep, None)).unwrap_err().contains("nested too deeply"));
    assert!(read(&pending(&format!("\"{}\"", "x".repeat(600 << 10)), None)).unwrap_err().contains("long"));
    assert!(read(&pending("{", None)).is_err());
    let one = agent_inbox(ALL);
    let many = format!("[{}]", vec![one; MAX_ACTIONS + 1].join(","));
    assert!(read(&pending(&many, None)).unwrap_err().contains("actions at once"));
    let none = r#"{"action_requests": [], "review_configs": []}"#;
    assert!(read(&pending(none, None)).is_err());
    let loops = json!({"$defs": {"a": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"});
    assert!(read(&pending(CALL, Some(loops))).is_ok());
}
