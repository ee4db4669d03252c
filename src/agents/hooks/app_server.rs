//! What Codex's app-server asks its clients, read as the calls it is about: commands, changes to files, permissions,
//! questions, and what MCP servers want.
//!
//! What cannot be shown whole is not asked here; Codex asks it in its own window.

use super::Agent;
use super::call::{Call, Point};
use super::command_line::script;
use super::elicitation::Elicitation;
use super::questions::Questions;
use super::remember;
use crate::graph::Waiting;
use crate::service::Asking;
use crate::tools::process::Process;
use serde_json::{Map, Value, json};

/// A thread of Codex, as far as cards need it.
#[derive(Clone, Debug, Default)]
pub struct AppThread {
    about: Value,
    /// What its turn is at.
    items: Vec<Value>,
}

impl AppThread {
    /// The one that was joined, by what the server said to that.
    pub fn joined(said: &Value) -> Self {
        let items = said.pointer("/initialTurnsPage/data/0/items").and_then(Value::as_array);
        Self { about: said["thread"].clone(), items: items.cloned().unwrap_or_default() }
    }

    /// Takes note of something it began.
    pub fn began(&mut self, item: &Value) {
        self.items.push(item.clone());
    }

    fn text(&self, name: &str) -> Option<String> {
        text(&self.about, name)
    }

    /// What it did last under this id.
    fn item(&self, id: &str) -> Option<&Value> {
        self.items.iter().rev().find(|item| item["id"] == id)
    }

    /// The tool of a server that it is about to use with these arguments, where that can be told.
    fn server_tool(&self, server: &str, params: &Value) -> Option<String> {
        let is_it = |item: &&Value| {
            item["type"] == "mcpToolCall"
                && item["status"] == "inProgress"
                && item["server"] == server
                && item["arguments"] == *params
        };
        let mut found = self.items.iter().rev().filter(is_it).map(|item| text(item, "tool"));
        let tool = found.next()??;
        found.all(|other| other.as_deref() == Some(&tool)).then_some(tool)
    }
}

/// The call that a request of the server is about; `None` for what is left to Codex's own window.
pub fn asked_by_server(method: &str, params: &Value, thread: &AppThread) -> Option<Call> {
    let asked = Asked { params, thread };
    match method {
        "item/commandExecution/requestApproval" => asked.command(),
        "item/fileChange/requestApproval" => asked.file_change(),
        "item/permissions/requestApproval" => asked.permissions(),
        "item/tool/requestUserInput" => asked.questions(),
        "mcpServer/elicitation/request" => asked.elicitation(),
        _ => None,
    }
}

impl Call {
    /// The question it becomes where the server waits for the answer, for as long as it runs.
    pub fn asking_for(&self, server: &Process, key: String) -> Asking {
        let mut input = self.question();
        input["asker"] = json!(server);
        input["waiting"] = json!(Waiting { gives_up_in: None });
        Asking { input, key: Some(key) }
    }
}

struct Asked<'a> {
    params: &'a Value,
    thread: &'a AppThread,
}

impl Asked<'_> {
    fn text(&self, name: &str) -> Option<String> {
        text(self.params, name)
    }

    fn call(&self, point: Point, tool: &str, mut input: Map<String, Value>) -> Option<Call> {
        // As Codex tells it to its hooks, so that both make the same card.
        if let Some(reason) = self.text("reason") {
            input.insert("description".to_owned(), Value::from(reason));
        }
        let about = self.thread;
        let helper = about.text("parentThreadId").and_then(|_| {
            about.text("agentRole").or_else(|| about.text("agentNickname")).or(Some("sub-agent".to_owned()))
        });
        Some(Call {
            agent: Agent::Codex,
            point,
            tool: tool.to_owned(),
            input,
            title: None,
            folder: self.text("cwd").or_else(|| about.text("cwd")),
            key: None,
            session: Some(about.text("sessionId").or_else(|| self.text("threadId"))?),
            // What a sub-agent was asked for are not the person's words.
            transcript: about.text("path").filter(|_| helper.is_none()),
            helper,
            headless: false,
            questions: None,
            elicitation: None,
            remember: Vec::new(),
        })
    }

    fn command(&self) -> Option<Call> {
        let params = self.params;
        let offered = params.get("availableDecisions").and_then(Value::as_array);
        let takes_accept = offered.is_none_or(|offered| offered.iter().any(|one| one == "accept"));
        let is_command = params.get("kind").is_none_or(|kind| kind == "command");
        if !takes_accept || !is_command {
            return None;
        }
        let mut input = Map::new();
        let command = self.text("command").map(|line| script(&line).unwrap_or(line));
        input.extend(command.clone().map(|command| ("command".to_owned(), Value::from(command))));
        if let Some(more) = params.get("additionalPermissions").filter(|more| !more.is_null()) {
            input.insert("additionalPermissions".to_owned(), more.clone());
        }
        if let Some(network) = params.get("networkApprovalContext").filter(|network| !network.is_null()) {
            let host = text(network, "host")?;
            input.insert("network".to_owned(), network.clone());
            let call = self.call(Point::Approval, "network", input)?;
            return Some(Call { title: Some(format!("Let a command reach {host}")), ..call });
        }
        command?;
        let call = self.call(Point::Approval, "Bash", input)?;
        Some(Call { remember: remember::offered_by_server(params).into_iter().collect(), ..call })
    }

    fn file_change(&self) -> Option<Call> {
        let changes = self.thread.item(&self.text("itemId")?)?.get("changes")?.as_array()?;
        let mut read = changes.iter().map(change).collect::<Option<Vec<_>>>()?;
        let count = read.len();
        let mut input = match count {
            0 => return None,
            1 => read.pop()?,
            _ => Map::from_iter([("changes".to_owned(), json!(read))]),
        };
        if let Some(root) = self.text("grantRoot") {
            input.insert("grantRoot".to_owned(), Value::from(root));
        }
        let call = self.call(Point::Approval, "apply_patch", input)?;
        let title = (count > 1).then(|| {
            let names = changes.iter().filter_map(|change| change["path"].as_str()?.rsplit('/').next());
            format!("Change {count} files: {}", names.collect::<Vec<_>>().join(", "))
        });
        Some(Call { title, ..call })
    }

    fn permissions(&self) -> Option<Call> {
        let wanted = self.params.get("permissions").filter(|wanted| wanted.is_object())?;
        let input = Map::from_iter([("permissions".to_owned(), wanted.clone())]);
        let call = self.call(Point::Permissions, "request_permissions", input)?;
        Some(Call { title: Some("Grant more permissions for this turn".to_owned()), ..call })
    }

    fn questions(&self) -> Option<Call> {
        let asked = self.params.get("questions")?.as_array()?;
        // A secret would stand in the record.
        if asked.iter().any(|question| question.get("isSecret") == Some(&Value::Bool(true))) {
            return None;
        }
        let questions = Questions::read(self.params.as_object()?)?;
        let call = self.call(Point::Input, "request_user_input", Map::new())?;
        Some(Call { questions: Some(questions), ..call })
    }

    fn elicitation(&self) -> Option<Call> {
        let (server, message) = (self.text("serverName")?, self.text("message")?);
        // What asks here already needs no second card.
        if server == "sayso" || !matches!(self.params["mode"].as_str(), Some("form" | "url")) {
            return None;
        }
        let meta = &self.params["_meta"];
        let params = meta.get("tool_params").cloned().unwrap_or(json!({}));
        let is_call = meta["codex_approval_kind"] == "mcp_tool_call";
        let tool = is_call.then(|| self.thread.server_tool(&server, &params)).flatten();
        if let (Some(tool), Value::Object(input)) = (tool, &params) {
            let call = self.call(Point::Form, &format!("mcp__{server}__{tool}"), input.clone())?;
            return Some(Call { title: Some(message), ..call });
        }
        let message = if is_call { format!("{message}\n\nArguments: {params}") } else { message };
        let event = json!({
            "mcp_server_name": server,
            "message": message,
            "mode": self.params["mode"],
            "url": self.params["url"],
            "requested_schema": self.params["requestedSchema"],
        });
        let asked = Elicitation::read(&event)?;
        let call = self.call(Point::Form, "Elicitation", Map::new())?;
        Some(Call { elicitation: Some(asked), ..call })
    }
}

fn text(of: &Value, name: &str) -> Option<String> {
    of.get(name)?.as_str().filter(|text| !text.trim().is_empty()).map(str::to_owned)
}

/// One changed file, in the form in which other agents name their changes.
fn change(change: &Value) -> Option<Map<String, Value>> {
    let (path, diff) = (text(change, "path")?, change.get("diff")?.as_str()?);
    let moved = change.pointer("/kind/move_path").and_then(Value::as_str);
    let mut read = Map::from_iter([("file_path".to_owned(), Value::from(path))]);
    let whole = |from: &str, to: &str| json!([{"old_string": from, "new_string": to}]);
    match change.pointer("/kind/type")?.as_str()? {
        "add" => read.insert("content".to_owned(), Value::from(diff)),
        "delete" => read.insert("edits".to_owned(), whole(diff, "")),
        "update" => {
            let note = moved.map(|moved| format!("\n\nMoved to: {moved}"));
            let bare = note.and_then(|note| diff.strip_suffix(&note)).unwrap_or(diff);
            match hunks(bare) {
                Some(edits) => read.insert("edits".to_owned(), Value::from(edits)),
                None => read.insert("diff".to_owned(), Value::from(diff)),
            }
        }
        _ => return None,
    };
    if let Some(moved) = moved {
        read.insert("moved_to".to_owned(), Value::from(moved));
    }
    Some(read)
}

/// What each part of a unified diff takes away and puts in; `None` where it is none.
fn hunks(diff: &str) -> Option<Vec<Value>> {
    let mut read: Vec<(String, String)> = Vec::new();
    for line in diff.lines() {
        let whole = |text: &str| format!("{text}\n");
        match (line.chars().next(), read.last_mut()) {
            (Some('@'), _) => read.push(Default::default()),
            (Some('-'), Some((old, _))) => old.push_str(&whole(&line[1..])),
            (Some('+'), Some((_, new))) => new.push_str(&whole(&line[1..])),
            (Some(' '), Some((old, new))) => {
                old.push_str(&whole(&line[1..]));
                new.push_str(&whole(&line[1..]));
            }
            // There is no newline at the end of the file.
            (Some('\\'), Some(_)) => {}
            _ => return None,
        }
    }
    let edit = |(old, new)| json!({"old_string": old, "new_string": new});
    (!read.is_empty()).then(|| read.into_iter().map(edit).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inbox::{Ending, STOP_WORDS};

    fn thread() -> AppThread {
        let said = json!({
            "thread": {"id": "t1", "sessionId": "t1", "parentThreadId": null, "cwd": "/home/a/app", "path": "/nowhere"},
            "initialTurnsPage": {"data": [{"items": [
                {"type": "mcpToolCall", "id": "call_5", "server": "form", "tool": "greet", "status": "inProgress",
                    "arguments": {"who": "Ada"}},
            ]}]},
        });
        let mut thread = AppThread::joined(&said);
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
        asked_by_server(method, &params, &thread())
    }

    fn command(more: Value) -> Option<Call> {
        let mut params = json!({"kind": "command", "threadId": "t1", "turnId": "u1", "itemId": "call_0",
            "reason": "Needed", "command": "/bin/bash -lc 'touch ran'", "cwd": "/home/a/app",
            "availableDecisions": ["accept", "cancel"]});
        params.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
        of("item/commandExecution/requestApproval", params)
    }

    fn reply(call: &Call, ending: Ending, args: Value) -> Option<Value> {
        call.reply(&super::super::tests::answered(Some(ending), args))
    }

    fn input(call: &Call) -> Value {
        call.asking_for(&Process::own(), "k".to_owned()).input
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
            let told = reply(&call, ending, args);
            assert_eq!(told, expected.map(|word| json!({"decision": word})), "{ending:?}");
        }
        // A sub-agent asks in its parent's session.
        let mut below = thread();
        below.about["parentThreadId"] = json!("t0");
        below.about["sessionId"] = json!("t0");
        below.about["agentNickname"] = json!("Ada");
        let params = json!({"threadId": "t1", "command": "ls"});
        let of_helper = asked_by_server("item/commandExecution/requestApproval", &params, &below).unwrap();
        assert_eq!((of_helper.helper.as_deref(), of_helper.session.as_deref()), (Some("Ada"), Some("t0")));
        assert_eq!((of_helper.transcript, call.transcript.as_deref()), (None, Some("/nowhere")));
        // What it offers to remember is told as it came.
        let offer = json!({"acceptWithExecpolicyAmendment": {"execpolicy_amendment": ["touch", "ran"]}});
        let offers =
            json!({"availableDecisions": ["accept", offer], "proposedExecpolicyAmendment": ["touch", "ran"]});
        let offering = command(offers).unwrap();
        let remembered = input(&offering)["remember"][0].clone();
        assert_eq!(remembered["words"], "commands that begin with `touch ran`, everywhere");
        let mut answer = super::super::tests::answered(Some(Ending::Accept), Value::Null);
        assert_eq!(offering.reply(&answer), Some(json!({"decision": "accept"})));
        answer.remember = Some(remembered["told"].clone());
        assert_eq!(offering.reply(&answer), Some(json!({ "decision": offer })));
        assert_eq!(call.reply(&answer), Some(json!({"decision": "accept"})), "it was not offered");
        // More than the command is shown, or nothing is asked.
        let more = command(json!({"additionalPermissions": {"network": {"enabled": true}}})).unwrap();
        assert!(input(&more)["args"]["additionalPermissions"].is_object());
        let reach =
            command(json!({"networkApprovalContext": {"host": "x.test", "protocol": "https"}})).unwrap();
        assert_eq!(input(&reach)["title"], "Let a command reach x.test");
        for left in [
            json!({"kind": "writeStdin"}),
            json!({"availableDecisions": ["cancel"]}),
            json!({"command": null}),
        ] {
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
    }

    #[test]
    fn permissions_are_granted_for_the_turn_as_they_were_asked() {
        let wanted = json!({"network": {"enabled": true}, "fileSystem": {"write": ["/x"]}});
        let params = json!({"threadId": "t1", "turnId": "u1", "itemId": "call_0", "permissions": wanted});
        let call = of("item/permissions/requestApproval", params).unwrap();
        assert_eq!(input(&call)["args"]["permissions"], wanted);
        let told = reply(&call, Ending::Accept, Value::Null);
        assert_eq!(told, Some(json!({"permissions": wanted, "scope": "turn"})));
        assert_eq!(
            reply(&call, Ending::Ignore, Value::Null),
            Some(json!({"permissions": {}, "scope": "turn"}))
        );
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
        let told = reply(&call, Ending::Respond, json!("2\nhuge"));
        let expected = json!({"answers": {"colour": {"answers": ["Blue"]}, "size": {"answers": ["huge"]}}});
        assert_eq!(told, Some(expected));
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
        assert_eq!(
            reply(&tool, Ending::Accept, Value::Null),
            Some(json!({"action": "accept", "content": {}}))
        );
        assert_eq!(reply(&tool, Ending::Ignore, Value::Null), Some(json!({"action": "decline"})));
        // Which tool it is cannot be told: no grant of a tool may cover it.
        let unknown = elicit("form", "form", meta(json!({"who": "Bo"})), empty).unwrap();
        assert_eq!(
            (&input(&unknown)["action"], &input(&unknown)["allow"]),
            (&json!("Elicitation"), &json!(["accept", "ignore"]))
        );
        assert!(input(&unknown)["text"].as_str().unwrap().contains("{\"who\":\"Bo\"}"));
        let schema =
            json!({"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}});
        let form = elicit("form", "form", Value::Null, schema.clone()).unwrap();
        let told = reply(&form, Ending::Edit, json!({"name": "Ada"}));
        assert_eq!(told, Some(json!({"action": "accept", "content": {"name": "Ada"}})));
        assert_eq!(reply(&form, Ending::Edit, json!({})), None);
        for (server, mode) in [("sayso", "form"), ("form", "openai/form")] {
            assert_eq!(elicit(server, mode, Value::Null, schema.clone()), None);
        }
        assert_eq!(of("item/tool/call", json!({"threadId": "t1"})), None);
    }
}
