//! Requests as Codex 0.166.0 sends them, and the replies.

use super::*;
use crate::inbox::{Ending, STOP_WORDS};

fn thread() -> AppThread {
    let response = json!({
        "thread": {"id": "t1", "sessionId": "t1", "parentThreadId": null, "cwd": "/home/a/app", "path": "/nowhere"},
        "initialTurnsPage": {"data": [{"items": [
            {"type": "mcpToolCall", "id": "call_5", "server": "form", "tool": "greet", "status": "inProgress",
                "arguments": {"who": "Ada"}},
        ]}]},
    });
    let mut thread = AppThread::joined(&response);
    thread.began(&json!({"type": "fileChange", "id": "call_2", "changes": [
        {"path": "/home/a/app/a.txt", "kind": {"type": "update", "move_path": null},
            "diff": "@@ -1,2 +1,2 @@\n-one\n+ONE\n two\n@@ -9 +9 @@\n-ten\n+TEN\n"},
    ]}));
    thread.began(&json!({"type": "fileChange", "id": "call_3", "changes": [
        {"path": "/home/a/app/b.txt", "kind": {"type": "delete"}, "diff": "bee\n"},
        {"path": "/home/a/app/c.txt", "kind": {"type": "update", "move_path": "/home/a/app/d.txt"},
            "diff": "@@ -1,2 +1,2 @@\n-cee\n+dee\n cee2\n\n\nMoved to: /home/a/app/d.txt"},
    ]}));
    thread
}

fn of(method: &str, params: Value) -> Option<Call> {
    call_from_request(method, &params, &thread())
}

fn command(more: Value) -> Option<Call> {
    let mut params = json!({"kind": "command", "threadId": "t1", "turnId": "u1", "itemId": "call_0",
        "reason": "Needed", "command": "/bin/bash -lc 'touch ran'", "cwd": "/home/a/app",
        "availableDecisions": ["accept", "cancel"]});
    params.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
    of("item/commandExecution/requestApproval", params)
}

fn reply(call: &Call, ending: Ending, args: Value) -> Option<Value> {
    call.reply(&crate::connect::hooks::tests::answered(Some(ending), args))
}

fn input(call: &Call) -> Value {
    call.new_request_for_server(&Process::current(), "k".to_owned()).input
}

#[test]
fn a_command_is_asked_as_the_hook_asks_it() {
    let call = command(json!({})).unwrap();
    let asked = input(&call);
    assert_eq!(asked["args"], json!({"command": "touch ran", "description": "Needed"}));
    assert_eq!((&asked["action"], &asked["title"]), (&json!("Bash"), &json!("$ touch ran")));
    assert_eq!((&asked["source"], &asked["session"]["id"]), (&json!("codex"), &json!("t1")));
    assert_eq!(asked["allow"], json!(["accept", "respond", "ignore"]));
    assert_eq!((&asked["waiting"], asked.get("expires_in")), (&json!({}), None));
    for (ending, args, expected) in [
        (Ending::Accept, Value::Null, Some("accept")),
        (Ending::Respond, json!("no"), Some("decline")),
        (Ending::Respond, json!(STOP_WORDS), Some("cancel")),
        (Ending::Ignore, Value::Null, Some("decline")),
        (Ending::Expired, Value::Null, None),
        (Ending::Withdrawn, Value::Null, None),
    ] {
        let response = reply(&call, ending, args);
        assert_eq!(response, expected.map(|word| json!({"decision": word})), "{ending:?}");
    }
    // A sub-agent asks in its parent's session.
    let mut below = thread();
    below.about["parentThreadId"] = json!("t0");
    below.about["sessionId"] = json!("t0");
    below.about["agentNickname"] = json!("Ada");
    let params = json!({"threadId": "t1", "command": "ls"});
    let of_helper = call_from_request("item/commandExecution/requestApproval", &params, &below).unwrap();
    assert_eq!((of_helper.helper.as_deref(), of_helper.session.as_deref()), (Some("Ada"), Some("t0")));
    assert_eq!((of_helper.transcript, call.transcript.as_deref()), (None, Some("/nowhere")));
    // Its offer to remember is sent back unchanged.
    let offer = json!({"acceptWithExecpolicyAmendment": {"execpolicy_amendment": ["touch", "ran"]}});
    let offers =
        json!({"availableDecisions": ["accept", offer], "proposedExecpolicyAmendment": ["touch", "ran"]});
    let offering = command(offers).unwrap();
    let remembered = input(&offering)["remember"][0].clone();
    assert_eq!(remembered["words"], "commands that begin with `touch ran`, everywhere");
    let mut answer = crate::connect::hooks::tests::answered(Some(Ending::Accept), Value::Null);
    assert_eq!(offering.reply(&answer), Some(json!({"decision": "accept"})));
    answer.remember = Some(remembered["told"].clone());
    assert_eq!(offering.reply(&answer), Some(json!({ "decision": offer })));
    assert_eq!(call.reply(&answer), Some(json!({"decision": "accept"})), "it was not offered");
    assert_eq!(input(&offering).get("each_time"), None);
    // Anything beyond the command is shown and asked each time, or not asked at all.
    let more = command(json!({"additionalPermissions": {"network": {"enabled": true}}})).unwrap();
    assert!(input(&more)["args"]["additionalPermissions"].is_object());
    let remote = command(json!({"environmentId": "build-host"})).unwrap();
    assert_eq!(input(&remote)["args"]["environmentId"], "build-host");
    let local = command(json!({"environmentId": "local", "additionalPermissions": null})).unwrap();
    assert_eq!(input(&local), input(&call));
    let reach = command(json!({"networkApprovalContext": {"host": "x.test", "protocol": "https"}})).unwrap();
    assert_eq!(input(&reach)["title"], "Let a command reach x.test");
    for call in [&more, &remote, &reach] {
        assert_eq!(input(call)["each_time"], true, "{call:?}");
    }
    let other = command(json!({"command": "/tmp/evil/bash -lc 'touch ran'"})).unwrap();
    assert_eq!(input(&other)["title"], "$ /tmp/evil/bash -lc 'touch ran'");
    for left in
        [json!({"kind": "writeStdin"}), json!({"availableDecisions": ["cancel"]}), json!({"command": null})]
    {
        assert_eq!(command(left.clone()), None, "{left}");
    }
}

#[test]
fn changes_to_files_are_shown_whole_or_left() {
    let change = |item: &str| {
        of("item/fileChange/requestApproval", json!({"threadId": "t1", "turnId": "u1", "itemId": item}))
    };
    let one = input(&change("call_2").unwrap());
    assert_eq!(
        (&one["action"], &one["title"]),
        (&json!("apply_patch"), &json!("apply_patch /home/a/app/a.txt"))
    );
    assert_eq!(
        one["args"],
        json!({"file_path": "/home/a/app/a.txt", "edits": [
        {"old_string": "one\ntwo\n", "new_string": "ONE\ntwo\n"}, {"old_string": "ten\n", "new_string": "TEN\n"}]})
    );
    let two = input(&change("call_3").unwrap());
    assert_eq!(two["title"], "Change 2 files: b.txt, c.txt");
    assert_eq!(two["args"]["changes"][1]["moved_to"], "/home/a/app/d.txt");
    assert_eq!(two["args"]["changes"][1]["edits"][0]["new_string"], "dee\ncee2\n");
    assert_eq!(change("call_9"), None, "nobody knows what it changes");
    // Deletions, and changes that reach further, are asked each time.
    assert_eq!((one.get("each_time"), &two["each_time"]), (None, &json!(true)));
    assert_eq!(two["args"]["changes"][0]["delete"], true);
    let root = json!({"threadId": "t1", "itemId": "call_2", "grantRoot": "/home/a"});
    let root = input(&of("item/fileChange/requestApproval", root).unwrap());
    assert_eq!((&root["each_time"], &root["args"]["grantRoot"]), (&json!(true), &json!("/home/a")));
    // The latest reported changes count.
    let params = json!({"threadId": "t1", "itemId": "call_2"});
    let asked = |thread: &AppThread| call_from_request("item/fileChange/requestApproval", &params, thread);
    let mut thread = thread();
    thread.changed("call_2", &json!([{"path": "/home/a/app/z.txt", "kind": {"type": "add"}, "diff": "z\n"}]));
    assert_eq!(input(&asked(&thread).unwrap())["args"]["file_path"], "/home/a/app/z.txt");
    thread.ended(&json!({"id": "call_2"}));
    assert_eq!(asked(&thread), None);
}

#[test]
fn permissions_are_granted_for_the_turn_as_they_were_asked() {
    let requested = json!({"network": {"enabled": true}, "fileSystem": {"write": ["/x"]}});
    let params = json!({"threadId": "t1", "turnId": "u1", "itemId": "call_0", "permissions": requested});
    let call = of("item/permissions/requestApproval", params).unwrap();
    assert_eq!(input(&call)["args"]["permissions"], requested);
    let response = reply(&call, Ending::Accept, Value::Null);
    assert_eq!(response, Some(json!({"permissions": requested, "scope": "turn"})));
    assert_eq!(reply(&call, Ending::Ignore, Value::Null), Some(json!({"permissions": {}, "scope": "turn"})));
    assert_eq!(reply(&call, Ending::Expired, Value::Null), None);
}

#[test]
fn questions_are_answered_by_their_ids() {
    let params = |secret: bool| {
        json!({"threadId": "t1", "turnId": "u1", "itemId": "call_0", "isBlocking": false, "questions": [
            {"id": "colour", "header": "Colour", "question": "Which colour?", "isSecret": secret, "options": [
                {"label": "Red", "description": "warm"}, {"label": "Blue", "description": "cold"}]},
            {"id": "size", "header": "Size", "question": "Which size?", "options": null}]})
    };
    let call = of("item/tool/requestUserInput", params(false)).unwrap();
    let response = reply(&call, Ending::Respond, json!("2\nhuge"));
    let expected = json!({"answers": {"colour": {"answers": ["Blue"]}, "size": {"answers": ["huge"]}}});
    assert_eq!(response, Some(expected));
    assert_eq!(reply(&call, Ending::Ignore, Value::Null), Some(json!({"answers": {}})));
    assert_eq!(of("item/tool/requestUserInput", params(true)), None);
}

#[test]
fn servers_tools_and_forms_are_asked_as_what_they_are() {
    let elicit = |server: &str, mode: &str, meta: Value, schema: Value| {
        of(
            "mcpServer/elicitation/request",
            json!({"threadId": "t1", "serverName": server, "mode": mode,
            "message": "Allow it?", "_meta": meta, "requestedSchema": schema}),
        )
    };
    let empty = json!({"type": "object", "properties": {}});
    let meta = |params: Value| json!({"codex_approval_kind": "mcp_tool_call", "tool_params": params});
    let tool = elicit("form", "form", meta(json!({"who": "Ada"})), empty.clone()).unwrap();
    assert_eq!(
        (&input(&tool)["action"], &input(&tool)["args"]),
        (&json!("mcp__form__greet"), &json!({"who": "Ada"}))
    );
    assert_eq!(reply(&tool, Ending::Accept, Value::Null), Some(json!({"action": "accept", "content": {}})));
    assert_eq!(reply(&tool, Ending::Ignore, Value::Null), Some(json!({"action": "decline"})));
    // An MCP server that makes this claim itself gains nothing: its form or its page is shown.
    let form = json!({"type": "object", "properties": {"name": {"type": "string"}}});
    let posing = elicit("form", "form", meta(json!({"who": "Ada"})), form).unwrap();
    let page = elicit("form", "url", meta(json!({"who": "Ada"})), empty.clone()).unwrap();
    for call in [&tool, &posing, &page] {
        assert_eq!(input(call)["each_time"], true, "{call:?}");
    }
    for call in [&posing, &page] {
        assert_eq!(input(call)["action"], "Elicitation", "{call:?}");
    }
    // The tool is not known.
    let unknown = elicit("form", "form", meta(json!({"who": "Bo"})), empty).unwrap();
    assert_eq!(
        (&input(&unknown)["action"], &input(&unknown)["allow"]),
        (&json!("Elicitation"), &json!(["accept", "ignore"]))
    );
    assert!(input(&unknown)["text"].as_str().unwrap().contains("{\"who\":\"Bo\"}"));
    let schema = json!({"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}});
    let form = elicit("form", "form", Value::Null, schema.clone()).unwrap();
    let response = reply(&form, Ending::Edit, json!({"name": "Ada"}));
    assert_eq!(response, Some(json!({"action": "accept", "content": {"name": "Ada"}})));
    assert_eq!(reply(&form, Ending::Edit, json!({})), None);
    assert_eq!(elicit("form", "openai/form", Value::Null, schema.clone()), None);
    assert_eq!(of("item/tool/call", json!({"threadId": "t1"})), None);
}
