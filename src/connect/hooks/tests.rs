//! Events as the programs send them, and the reply to each.

use super::*;
use crate::connect::HOOK_PATIENCE;
use crate::engine::graph::{InterruptId, ThreadId};
use crate::inbox::door::AgentEvent;
use crate::inbox::{Ending, Status};
use serde_json::json;

fn bash(command: &str) -> Value {
    json!({
        "session_id": "5e1f", "transcript_path": "/home/a/.claude/projects/x/5e1f.jsonl", "cwd": "/home/a/app",
        "permission_mode": "default", "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": {"command": command, "description": "Runs the tests", "timeout": 120000},
        "tool_use_id": "toolu_01A",
    })
}

fn with(mut event: Value, name: &str, value: Value) -> Value {
    event[name] = value;
    event
}

fn permission(event: Value) -> Value {
    with(event, "hook_event_name", json!("PermissionRequest"))
}

fn call_of(agent: Agent, event: &Value, headless: bool) -> Call {
    match read(agent, event, headless).unwrap() {
        HookEvent::Asks(call) => *call,
        other => panic!("{other:?}"),
    }
}

pub(super) fn answered(ending: Option<Ending>, args: Value) -> RequestAnswer {
    RequestAnswer {
        id: InterruptId::parse("i00000001").unwrap(),
        thread: ThreadId::parse("t00000001").unwrap(),
        status: Status::Done,
        interrupts: Vec::new(),
        r#type: ending,
        args,
        by: None,
        at: None,
        remember: None,
    }
}

const OPEN: [Option<Ending>; 3] = [Some(Ending::Expired), Some(Ending::Withdrawn), None];

#[test]
fn a_call_becomes_a_question() {
    let call = call_of(Agent::Claude, &bash("cargo test\n--lib"), false);
    let asking = call.new_request(HOOK_PATIENCE);
    assert_eq!(asking.key.as_deref(), Some("claude-code:5e1f:toolu_01A"));
    assert_eq!(asking.input["title"], "$ cargo test");
    assert_eq!((&asking.input["action"], &asking.input["folder"]), (&json!("Bash"), &json!("/home/a/app")));
    assert_eq!(asking.input["args"]["timeout"], 120000);
    assert_eq!(asking.input["session"]["id"], "5e1f");
    assert_eq!(asking.input["asker"]["pid"], std::process::id());
    assert!(asking.input.get("allow").is_none());
    // No name becomes another one; one that is too long or odd is refused where it is asked.
    let name = format!("mcp__x__do it/{}", "x".repeat(400));
    let odd = json!({"toolName": name, "toolInput": null});
    let odd = call_of(Agent::Claude, &odd, false).new_request(HOOK_PATIENCE);
    assert_eq!(odd.input["action"], name);
    // A name proves nothing.
    let named = with(bash("x"), "tool_name", json!("mcp__sayso__ask_person"));
    assert_eq!(call_of(Agent::Claude, &named, false).tool, "mcp__sayso__ask_person");
}

#[test]
fn what_cannot_be_read_is_named() {
    let bash = |name: &str| json!({"hook_event_name": name, "tool_name": "Bash"});
    for (agent, event, expected) in [
        (Agent::Claude, json!([]), "no tool"),
        (Agent::Claude, json!({}), "no tool"),
        (Agent::Gemini, json!({"tool_name": 3}), "no tool"),
        (Agent::Claude, json!({"tool_name": " "}), "no tool"),
        (Agent::Codex, json!({"tool_name": "Bash", "tool_input": "rm"}), "not an object"),
        (Agent::Claude, bash("Whatever"), "register the hook for PermissionRequest, PreToolUse"),
        (Agent::Gemini, bash("PreToolUse"), "register the hook for BeforeTool"),
        (Agent::Opencode, json!({"tool_name": "bash"}), "no name"),
        (Agent::Opencode, json!({"event": "x", "tool_name": "bash"}), "tool, permission, question"),
    ] {
        assert!(read(agent, &event, false).unwrap_err().contains(expected), "{event}");
    }
}

#[test]
fn only_a_yes_allows() {
    let call = call_of(Agent::Claude, &bash("cargo test"), false);
    let reply = |ending, args| call.reply(&answered(ending, args)).unwrap()["hookSpecificOutput"].clone();
    // An accepted call runs as it came in, whatever was shown for it.
    for args in [json!({"command": "cargo test"}), json!({"command": "as shown"})] {
        let allowed = reply(Some(Ending::Accept), args);
        assert_eq!(allowed["permissionDecision"], "allow");
        assert_eq!(allowed["updatedInput"], bash("cargo test")["tool_input"]);
    }
    let other = json!({"command": "cargo test --lib"});
    let edited = reply(Some(Ending::Edit), other.clone());
    assert_eq!((&edited["permissionDecision"], &edited["updatedInput"]), (&json!("allow"), &other));
    let response = reply(Some(Ending::Respond), json!("use nextest"));
    assert_eq!(response["permissionDecision"], "deny");
    assert_eq!(response["permissionDecisionReason"], "The person said no: use nextest");
    assert_eq!(reply(Some(Ending::Ignore), Value::Null)["permissionDecision"], "deny");
    for ending in OPEN {
        assert_eq!(reply(ending, Value::Null)["permissionDecision"], "ask");
    }
    let alone = call_of(Agent::Claude, &bash("cargo test"), true);
    let response = alone.reply(&answered(None, Value::Null)).unwrap();
    assert_eq!(response["hookSpecificOutput"]["permissionDecision"], "deny");
}

#[test]
fn codex_gets_only_what_it_honours() {
    let event = with(with(bash("cargo test"), "turn_id", json!("01a1")), "model", json!("gpt-5"));
    // Also if it is installed under the other agent's name.
    for agent in [Agent::Codex, Agent::Claude] {
        let call = call_of(agent, &event, false);
        let asking = call.new_request(HOOK_PATIENCE);
        assert_eq!(asking.key.as_deref(), Some("codex:5e1f:toolu_01A"));
        assert_eq!(asking.input["source"], "codex");
        let reply = |ending, args| call.reply(&answered(ending, args));
        assert_eq!(reply(Some(Ending::Accept), Value::Null), None);
        // It takes changed input only together with `allow`.
        let other = json!({"command": "cargo test --lib"});
        let edited = reply(Some(Ending::Edit), other.clone()).unwrap()["hookSpecificOutput"].clone();
        assert_eq!((&edited["permissionDecision"], &edited["updatedInput"]), (&json!("allow"), &other));
        for ending in [Some(Ending::Respond), Some(Ending::Ignore)].into_iter().chain(OPEN) {
            let response = reply(ending, Value::Null).unwrap();
            assert_eq!(response["hookSpecificOutput"]["permissionDecision"], "deny", "{ending:?}");
        }
        let response = call.undecided("why").unwrap();
        assert_eq!(response["hookSpecificOutput"]["permissionDecision"], "deny");
    }
}

#[test]
fn network_access_is_no_permission_for_the_command_that_wants_it() {
    let event = |words: &str| {
        let mut event = with(permission(bash("npm test")), "turn_id", json!("t"));
        event["tool_input"] = json!({"command": "npm test", "description": words});
        event
    };
    let is_asked_each_time = |agent, words| call_of(agent, &event(words), false).each_time;
    assert!(is_asked_each_time(Agent::Codex, "network-access evil.test:443"));
    assert!(!is_asked_each_time(Agent::Codex, "Runs the tests"));
}

#[test]
fn after_an_edit_the_model_is_told() {
    let ran = with(bash("cargo test --lib"), "hook_event_name", json!("PostToolUse"));
    let codex = with(ran.clone(), "turn_id", json!("t"));
    for event in [ran, codex] {
        let told = told_after_edit(Agent::Claude, &event).unwrap()["hookSpecificOutput"].clone();
        assert_eq!(told["hookEventName"], "PostToolUse");
        assert!(told["additionalContext"].as_str().unwrap().contains("cargo test --lib"), "{told}");
    }
    let gemini = json!({"hook_event_name": "AfterTool", "tool_input": {"command": "x"}});
    assert_eq!(told_after_edit(Agent::Gemini, &gemini), None);
}

#[test]
fn a_permission_that_is_not_decided_is_the_agent_s_to_ask() {
    let codex = with(permission(bash("x")), "turn_id", json!("t"));
    for (agent, event) in [(Agent::Claude, permission(bash("x"))), (Agent::Codex, codex)] {
        let call = call_of(agent, &event, false);
        let reply = |ending, args| {
            let reply = call.reply(&answered(ending, args))?;
            assert_eq!(reply["hookSpecificOutput"]["hookEventName"], "PermissionRequest");
            Some(reply["hookSpecificOutput"]["decision"].clone())
        };
        let yes = reply(Some(Ending::Accept), Value::Null).unwrap();
        // A plan that is shown counts as accepted only together with its input.
        let input = (agent == Agent::Claude).then(|| bash("x")["tool_input"].clone());
        assert_eq!((&yes["behavior"], yes.get("updatedInput")), (&json!("allow"), input.as_ref()));
        let no = reply(Some(Ending::Ignore), Value::Null).unwrap();
        assert_eq!(no, json!({"behavior": "deny", "message": "The person said no."}));
        let response = reply(Some(Ending::Respond), json!("later")).unwrap();
        assert!(response["behavior"] == "deny" && response["message"].as_str().unwrap().ends_with("later"));
        for ending in OPEN {
            assert_eq!(reply(ending, Value::Null), None);
        }
        assert_eq!(call.undecided("full disk"), None);
        let edited = reply(Some(Ending::Edit), json!({"command": "y"}));
        let allow = call.new_request(HOOK_PATIENCE).input.get("allow").cloned();
        if agent == Agent::Claude {
            let expected = json!({"behavior": "allow", "updatedInput": {"command": "y"}});
            assert_eq!((edited, allow), (Some(expected), None));
            let alone = call_of(agent, &event, true).undecided("nobody").unwrap();
            assert_eq!(alone["hookSpecificOutput"]["decision"]["behavior"], "deny");
        } else {
            // It is not offered, because it would not be honoured.
            assert_eq!((edited, allow), (None, Some(json!(["accept", "respond", "ignore"]))));
        }
    }
}

#[test]
fn gemini_is_refused_what_is_not_decided() {
    let event = json!({"session_id": "s", "cwd": "/a", "hook_event_name": "BeforeTool",
        "tool_name": "run_shell_command", "tool_input": {"command": "ls"}});
    let call = call_of(Agent::Gemini, &event, false);
    assert_eq!(call.new_request(HOOK_PATIENCE).input["source"], "gemini");
    let reply = |ending, args| call.reply(&answered(ending, args)).unwrap();
    assert_eq!(reply(Some(Ending::Accept), Value::Null), json!({"decision": "allow"}));
    let edited = reply(Some(Ending::Edit), json!({"command": "ls -l"}));
    assert_eq!(edited["hookSpecificOutput"]["tool_input"], json!({"command": "ls -l"}));
    for ending in [Some(Ending::Respond), Some(Ending::Ignore)].into_iter().chain(OPEN) {
        assert_eq!(reply(ending, Value::Null)["decision"], "deny", "{ending:?}");
    }
}

#[test]
fn opencode_is_told_in_its_own_words() {
    let event = |name: &str| {
        json!({"event": name, "session_id": "ses_1", "cwd": "/a", "tool_name": "bash",
            "tool_input": {"command": "ls"}})
    };
    let tool = call_of(Agent::Opencode, &event("tool"), false);
    assert_eq!(tool.reply(&answered(Some(Ending::Accept), Value::Null)), Some(json!({"decision": "allow"})));
    let edited = tool.reply(&answered(Some(Ending::Edit), json!({"command": "ls -l"}))).unwrap();
    assert_eq!(edited["args"], json!({"command": "ls -l"}));
    for ending in [Some(Ending::Respond), Some(Ending::Ignore)].into_iter().chain(OPEN) {
        assert_eq!(tool.reply(&answered(ending, Value::Null)).unwrap()["decision"], "deny", "{ending:?}");
    }
    let asked = call_of(Agent::Opencode, &event("permission"), false);
    assert_eq!(asked.new_request(HOOK_PATIENCE).input["allow"], json!(["accept", "respond", "ignore"]));
    assert_eq!(asked.reply(&answered(Some(Ending::Accept), Value::Null)), Some(json!({"reply": "once"})));
    assert_eq!(asked.reply(&answered(Some(Ending::Ignore), Value::Null)).unwrap()["reply"], "reject");
    for ending in OPEN {
        assert_eq!(asked.reply(&answered(ending, Value::Null)), None);
    }
}

#[test]
fn questions_are_answered_in_each_form() {
    let questions = json!([{"question": "Which colour?", "header": "Colour", "options": [
        {"label": "Red", "description": ""}, {"label": "Blue", "description": ""}]}]);
    let input = json!({"questions": questions});
    let event = with(with(permission(bash("x")), "tool_name", json!("AskUserQuestion")), "tool_input", input);
    let call = call_of(Agent::Claude, &event, false);
    let asking = call.new_request(HOOK_PATIENCE).input;
    assert_eq!((&asking["title"], &asking["args"]), (&json!("Which colour?"), &json!({"Colour": ""})));
    assert_eq!(asking["question"], true, "to be answered, not allowed");
    // The title is the question; it is not repeated.
    assert!(asking["text"].as_str().unwrap().starts_with("  1 Red\n  2 Blue\n"), "{asking}");
    let edited = call.reply(&answered(Some(Ending::Edit), json!({"Colour": "2"}))).unwrap();
    let decision = &edited["hookSpecificOutput"]["decision"];
    assert_eq!(
        decision["updatedInput"],
        json!({"questions": questions, "answers": {"Which colour?": "Blue"}})
    );
    let reply = call.reply(&answered(Some(Ending::Respond), json!("something green"))).unwrap();
    let answers = &reply["hookSpecificOutput"]["decision"]["updatedInput"]["answers"];
    assert_eq!(answers, &json!({"Which colour?": "something green"}));
    let no = call.reply(&answered(Some(Ending::Ignore), Value::Null)).unwrap();
    assert_eq!(no["hookSpecificOutput"]["decision"]["behavior"], "deny");
    let event = json!({"event": "question", "session_id": "s", "tool_name": "question",
        "tool_input": {"questions": questions}});
    let call = call_of(Agent::Opencode, &event, false);
    let reply = call.reply(&answered(Some(Ending::Respond), json!("1"))).unwrap();
    assert_eq!(reply, json!({"answers": [["Red"]]}));
    assert_eq!(call.reply(&answered(Some(Ending::Ignore), Value::Null)), Some(json!({"reject": true})));
}

#[test]
fn later_events_say_what_is_over() {
    let over = |agent, event: Value| match read(agent, &event, false).unwrap() {
        HookEvent::Activity(over) => over,
        other => panic!("{other:?}"),
    };
    let ran = over(Agent::Claude, with(bash("ls"), "hook_event_name", json!("PostToolUse")));
    assert!(
        ran.session == "5e1f" && matches!(&ran.past, AgentEvent::Ran { tool, .. } if tool == "Bash"),
        "{ran:?}"
    );
    let at = |name: &str| json!({"session_id": "s", "hook_event_name": name});
    for (agent, name, past) in [
        (Agent::Claude, "Stop", AgentEvent::TurnEnded),
        (Agent::Claude, "StopFailure", AgentEvent::TurnEnded),
        (Agent::Claude, "SubagentStop", AgentEvent::TurnEnded),
        (Agent::Codex, "UserPromptSubmit", AgentEvent::TurnEnded),
        (Agent::Gemini, "AfterAgent", AgentEvent::TurnEnded),
        (Agent::Claude, "SessionEnd", AgentEvent::SessionEnded),
    ] {
        assert_eq!(over(agent, at(name)).past, past, "{name}");
    }
    let helper = over(Agent::Claude, with(at("SubagentStop"), "agent_type", json!("explorer")));
    assert_eq!(helper.helper.as_deref(), Some("explorer"));
}

#[test]
fn a_session_is_stopped_where_the_agent_can_be_told_so() {
    let stop = || answered(Some(Ending::Respond), json!(crate::inbox::STOP_WORDS));
    let reply = |agent, event: &Value| call_of(agent, event, false).reply(&stop()).unwrap();
    let before = reply(Agent::Claude, &bash("x"));
    assert_eq!(
        (&before["continue"], &before["hookSpecificOutput"]["permissionDecision"]),
        (&json!(false), &json!("deny"))
    );
    let asked = reply(Agent::Claude, &permission(bash("x")));
    let decision = &asked["hookSpecificOutput"]["decision"];
    assert_eq!((&decision["interrupt"], &decision["behavior"]), (&json!(true), &json!("deny")));
    // Codex takes only a refusal.
    let codex = with(permission(bash("x")), "turn_id", json!("t"));
    let decision = &reply(Agent::Codex, &codex)["hookSpecificOutput"]["decision"];
    assert!(decision.get("interrupt").is_none() && decision["behavior"] == "deny", "{decision}");
    let gemini = json!({"hook_event_name": "BeforeTool", "tool_name": "run_shell_command", "tool_input": {}});
    let gemini = reply(Agent::Gemini, &gemini);
    assert_eq!((&gemini["decision"], &gemini["continue"]), (&json!("deny"), &json!(false)));
    let opencode = json!({"event": "tool", "session_id": "s", "tool_name": "bash", "tool_input": {}});
    let opencode = reply(Agent::Opencode, &opencode);
    assert_eq!((&opencode["decision"], &opencode["stop"]), (&json!("deny"), &json!(true)));
}

#[test]
fn what_a_server_wants_to_know_is_a_card() {
    let event = json!({"session_id": "s", "cwd": "/a", "hook_event_name": "Elicitation", "mcp_server_name": "tickets",
        "message": "Which project?", "mode": "form", "requested_schema": {"type": "object", "required": ["project"],
        "properties": {"project": {"type": "string"}}}});
    let call = call_of(Agent::Claude, &event, false);
    let asking = call.new_request(HOOK_PATIENCE).input;
    assert_eq!((&asking["title"], &asking["allow"]), (&json!("Which project?"), &json!(["edit", "ignore"])));
    let reply =
        |ending, args| call.reply(&answered(ending, args)).map(|reply| reply["hookSpecificOutput"].clone());
    let filled = reply(Some(Ending::Edit), json!({"project": "x"})).unwrap();
    let expected = json!({"hookEventName": "Elicitation", "action": "accept", "content": {"project": "x"}});
    assert_eq!(filled, expected);
    // If the content does not fit, the agent's own dialog asks, or nobody does.
    assert_eq!(reply(Some(Ending::Edit), json!({})), None);
    assert_eq!(reply(Some(Ending::Ignore), Value::Null).unwrap()["action"], "decline");
    assert_eq!(reply(None, Value::Null), None);
    let alone = call_of(Agent::Claude, &event, true).undecided("nobody").unwrap();
    assert_eq!(alone["hookSpecificOutput"]["action"], "cancel");
}

#[test]
fn what_claude_code_is_to_remember_it_is_told_as_it_offered_it() {
    let rule = json!({"type": "addRules", "rules": [{"toolName": "Bash", "ruleContent": "npm test *"}],
        "behavior": "allow", "destination": "localSettings"});
    let mut event = bash("npm test");
    event["hook_event_name"] = json!("PermissionRequest");
    event["permission_suggestions"] = json!([rule]);
    let call = call_of(Agent::Claude, &event, false);
    assert_eq!(call.new_request(HOOK_PATIENCE).input["remember"][0]["told"], rule);
    let decided = |remember: Option<Value>, ending| {
        let answer = RequestAnswer { remember, ..answered(Some(ending), Value::Null) };
        call.reply(&answer).unwrap()["hookSpecificOutput"]["decision"].clone()
    };
    let reply = decided(Some(rule.clone()), Ending::Accept);
    assert_eq!((&reply["behavior"], &reply["updatedPermissions"]), (&json!("allow"), &json!([rule])));
    // The agent is not told to remember anything that it did not offer, nor together with a no.
    let other = json!({"type": "setMode", "mode": "bypassPermissions", "destination": "session"});
    assert!(decided(Some(other), Ending::Accept).get("updatedPermissions").is_none());
    assert_eq!(decided(Some(rule.clone()), Ending::Ignore)["behavior"], "deny");
    assert!(decided(None, Ending::Accept).get("updatedPermissions").is_none());
    // If the agent cannot be told, it is not offered.
    event["hook_event_name"] = json!("PreToolUse");
    assert!(call_of(Agent::Claude, &event, false).new_request(HOOK_PATIENCE).input.get("remember").is_none());
    event["hook_event_name"] = json!("PermissionRequest");
    assert!(call_of(Agent::Codex, &event, false).new_request(HOOK_PATIENCE).input.get("remember").is_none());
}
