//! Reads requests of Codex's app-server as the calls they are about: commands, file changes, permissions, questions,
//! and requests from MCP servers.
//!
//! Requests that cannot be shown in full are not asked here; Codex asks them in its own window.

use super::Agent;
use super::call::{Call, TITLE};
use super::command_line::script;
use super::elicitation::Elicitation;
use super::questions::Questions;
use super::remember;
use crate::dialects::HookPoint;
use crate::engine::graph::Waiting;
use crate::inbox::door::NewRequest;
use crate::tools::process::Process;
use serde_json::{Map, Value, json};

/// A Codex thread, as far as cards need it.
#[derive(Clone, Debug, Default)]
pub struct AppThread {
    about: Value,
    /// The items of its current turn.
    items: Vec<Value>,
}

impl AppThread {
    /// A thread from the server's response to joining it.
    pub fn joined(response: &Value) -> Self {
        let items = response.pointer("/initialTurnsPage/data/0/items").and_then(Value::as_array);
        Self { about: response["thread"].clone(), items: items.cloned().unwrap_or_default() }
    }

    /// Records an item that started.
    pub fn began(&mut self, item: &Value) {
        if item["type"] == "fileChange" || item["type"] == "mcpToolCall" {
            self.ended(item);
            self.items.push(item.clone());
        }
    }

    /// Records that an item now changes other files, or changes them differently.
    pub fn changed(&mut self, id: &str, changes: &Value) {
        for item in self.items.iter_mut().filter(|item| item["id"] == id) {
            item["changes"] = changes.clone();
        }
    }

    /// Drops an item that is over.
    pub fn ended(&mut self, item: &Value) {
        self.items.retain(|known| known["id"] != item["id"]);
    }

    fn text(&self, name: &str) -> Option<String> {
        text(&self.about, name)
    }

    /// The latest item with this id.
    fn item(&self, id: &str) -> Option<&Value> {
        self.items.iter().rev().find(|item| item["id"] == id)
    }

    /// The server's tool that it is about to use with these arguments, if that is certain.
    fn server_tool(&self, server: &str, params: &Value) -> Option<String> {
        let is_it = |item: &&Value| {
            item["type"] == "mcpToolCall"
                && item["status"] == "inProgress"
                && item["server"] == server
                && item["arguments"] == *params
        };
        let mut tools = self.items.iter().rev().filter(is_it).map(|item| text(item, "tool"));
        let tool = tools.next()??;
        tools.all(|other| other.as_deref() == Some(&tool)).then_some(tool)
    }
}

/// The call that a server's request is about; `None` if it is left to Codex's own window.
pub fn call_from_request(method: &str, params: &Value, thread: &AppThread) -> Option<Call> {
    let request = ServerRequest { params, thread };
    match method {
        "item/commandExecution/requestApproval" => request.command(),
        "item/fileChange/requestApproval" => request.file_change(),
        "item/permissions/requestApproval" => request.permissions(),
        "item/tool/requestUserInput" => request.questions(),
        "mcpServer/elicitation/request" => request.elicitation(),
        _ => None,
    }
}

impl Call {
    /// The question for this call when the server waits for the answer, as long as it runs.
    pub fn new_request_for_server(&self, server: &Process, key: String) -> NewRequest {
        let mut input = self.question();
        input["asker"] = json!(server);
        input["waiting"] = json!(Waiting::default());
        NewRequest { input, key: Some(key) }
    }
}

struct ServerRequest<'a> {
    params: &'a Value,
    thread: &'a AppThread,
}

impl ServerRequest<'_> {
    fn text(&self, name: &str) -> Option<String> {
        text(self.params, name)
    }

    fn call(&self, point: HookPoint, tool: &str, mut input: Map<String, Value>) -> Option<Call> {
        // The same form that Codex uses for its hooks, so that both make the same card.
        if let Some(reason) = self.text("reason") {
            input.insert("description".to_owned(), Value::from(reason));
        }
        let about = self.thread;
        let helper = about.text("parentThreadId").and_then(|_| {
            about.text("agentRole").or_else(|| about.text("agentNickname")).or(Some("sub-agent".to_owned()))
        });
        Some(Call {
            folder: self.text("cwd").or_else(|| about.text("cwd")),
            session: Some(about.text("sessionId").or_else(|| self.text("threadId"))?),
            // A sub-agent's prompt is not the person's words.
            transcript: about.text("path").filter(|_| helper.is_none()),
            acts_on: self.text("turnId"),
            helper,
            // An MCP server has a say in who asks and for what.
            each_time: point != HookPoint::Approval,
            ..Call::new(Agent::Codex, point, tool.to_owned(), input)
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
        let param = |name: &str| params.get(name).filter(|value| !value.is_null()).cloned();
        let mut input = Map::new();
        let command = self.text("command").map(|line| script(&line).unwrap_or(line));
        input.extend(command.clone().map(|command| ("command".to_owned(), Value::from(command))));
        // These go beyond the command itself.
        let elsewhere = param("environmentId").filter(|environment| environment != "local");
        let more = [("additionalPermissions", param("additionalPermissions")), ("environmentId", elsewhere)];
        let more = more.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        let before = input.len();
        input.extend(more);
        let each_time = input.len() > before;
        if let Some(network) = param("networkApprovalContext") {
            let host = text(&network, "host")?;
            input.insert("network".to_owned(), network);
            let call = self.call(HookPoint::Approval, "network", input)?;
            return Some(Call {
                title: Some(format!("Let a command reach {host}")),
                each_time: true,
                ..call
            });
        }
        command?;
        let call = self.call(HookPoint::Approval, "Bash", input)?;
        Some(Call { remember: remember::offered_by_server(params).into_iter().collect(), each_time, ..call })
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
        let root = self.params.get("grantRoot").filter(|root| !root.is_null());
        input.extend(root.map(|root| ("grantRoot".to_owned(), root.clone())));
        let deletes = changes.iter().any(|change| change.pointer("/kind/type") == Some(&json!("delete")));
        let each_time = root.is_some() || deletes;
        let call = self.call(HookPoint::Approval, "apply_patch", input)?;
        let title = (count > 1).then(|| {
            let names = changes.iter().filter_map(|change| change["path"].as_str()?.rsplit('/').next());
            format!("Change {count} files: {}", names.collect::<Vec<_>>().join(", "))
        });
        Some(Call { title, each_time, ..call })
    }

    fn permissions(&self) -> Option<Call> {
        let requested = self.params.get("permissions").filter(|requested| requested.is_object())?;
        let input = Map::from_iter([("permissions".to_owned(), requested.clone())]);
        let call = self.call(HookPoint::Permissions, "request_permissions", input)?;
        Some(Call { title: Some("Grant more permissions for this turn".to_owned()), ..call })
    }

    fn questions(&self) -> Option<Call> {
        let asked = self.params.get("questions")?.as_array()?;
        // A secret would end up in the record.
        if asked.iter().any(|question| question.get("isSecret") == Some(&Value::Bool(true))) {
            return None;
        }
        let questions = Questions::read(self.params.as_object()?)?;
        let call = self.call(HookPoint::Input, "request_user_input", Map::new())?;
        Some(Call { questions: Some(questions), ..call })
    }

    fn elicitation(&self) -> Option<Call> {
        let (server, message) = (self.text("serverName")?, self.text("message")?);
        if !matches!(self.params["mode"].as_str(), Some("form" | "url")) {
            return None;
        }
        let meta = &self.params["_meta"];
        let params = meta.get("tool_params").cloned().unwrap_or(json!({}));
        // An MCP server may claim this too. A real approval has no form fields and one line of text.
        let fields = self.params.pointer("/requestedSchema/properties").and_then(Value::as_object);
        let is_bare = self.params["mode"] == "form" && fields.is_some_and(Map::is_empty);
        let is_line = message.lines().count() == 1 && message.chars().count() <= TITLE;
        let is_call = meta["codex_approval_kind"] == "mcp_tool_call";
        let tool =
            (is_call && is_bare && is_line).then(|| self.thread.server_tool(&server, &params)).flatten();
        if let (Some(tool), Value::Object(input)) = (tool, &params) {
            let call = self.call(HookPoint::Form, &format!("mcp__{server}__{tool}"), input.clone())?;
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
        let elicitation = Elicitation::read(&event)?;
        let call = self.call(HookPoint::Form, "Elicitation", Map::new())?;
        Some(Call { elicitation: Some(elicitation), ..call })
    }
}

fn text(of: &Value, name: &str) -> Option<String> {
    of.get(name)?.as_str().filter(|text| !text.trim().is_empty()).map(str::to_owned)
}

/// One changed file, in the form that other agents use.
fn change(change: &Value) -> Option<Map<String, Value>> {
    let (path, diff) = (text(change, "path")?, change.get("diff")?.as_str()?);
    let moved = change.pointer("/kind/move_path").and_then(Value::as_str);
    let mut read = Map::from_iter([("file_path".to_owned(), Value::from(path))]);
    let replacement = |from: &str, to: &str| json!([{"old_string": from, "new_string": to}]);
    match change.pointer("/kind/type")?.as_str()? {
        "add" => read.insert("content".to_owned(), Value::from(diff)),
        "delete" => {
            read.insert("delete".to_owned(), Value::Bool(true));
            read.insert("edits".to_owned(), replacement(diff, ""))
        }
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

/// The removed and added text of each hunk of a unified diff; `None` if it is not one.
fn hunks(diff: &str) -> Option<Vec<Value>> {
    let mut read: Vec<(String, String)> = Vec::new();
    for line in diff.lines() {
        let with_newline = |text: &str| format!("{text}\n");
        match (line.chars().next(), read.last_mut()) {
            (Some('@'), _) => read.push(Default::default()),
            (Some('-'), Some((old, _))) => old.push_str(&with_newline(&line[1..])),
            (Some('+'), Some((_, new))) => new.push_str(&with_newline(&line[1..])),
            (Some(' '), Some((old, new))) => {
                old.push_str(&with_newline(&line[1..]));
                new.push_str(&with_newline(&line[1..]));
            }
            // "No newline at end of file".
            (Some('\\'), Some(_)) => {}
            _ => return None,
        }
    }
    let edit = |(old, new)| json!({"old_string": old, "new_string": new});
    (!read.is_empty()).then(|| read.into_iter().map(edit).collect())
}

#[cfg(test)]
mod tests;
