//! The tools offered to agents, how their calls are read, and the results. Pure.

use crate::connect::{HOOK_PATIENCE, hooks};
use crate::engine::graph::InterruptId;
use crate::inbox::door::NewRequest;
use crate::inbox::{Ending, RequestAnswer};
use crate::text::Visible;
use serde_json::{Map, Value, json};
use std::time::Duration;

/// A tool call from an agent.
pub(super) struct Call {
    pub wish: ToolAction,
    /// How long it waits; `None` if it did not say.
    pub wait: Option<Duration>,
    /// The tool call to permit, if the agent's program asks and wants the answer in its own format.
    pub permits: Option<Box<hooks::Call>>,
}

pub(super) enum ToolAction {
    /// Ask, and wait for the answer.
    Ask(NewRequest),
    /// Notify, and do not wait.
    Tell(NewRequest),
    /// Check for an answer.
    Look(InterruptId),
}

/// Why a call is invalid.
pub(super) enum ToolCallError {
    /// There is no such tool.
    Tool(String),
    /// The arguments do not fit.
    Arguments(String),
}

pub(super) fn list() -> Value {
    let text = |about: &str| json!({"type": "string", "description": about});
    let wait = json!({"type": "number", "minimum": 0, "description":
        "How many seconds to wait for the answer; then a ticket is given to come back with"});
    let key = text("A name of your own for this question: asked again with it, it is the same one");
    let expires = json!({"type": "integer", "minimum": 1, "description":
        "After how many seconds the answer is of no use any more"});
    json!([
        {
            "name": "ask_person",
            "title": "Ask the person",
            "description": "Put a question to the person you work for, and wait for the answer in their words.",
            "inputSchema": {"type": "object", "required": ["question"], "additionalProperties": false, "properties": {
                "question": text("The question, in one line"),
                "details": text("What the person needs to know to answer"),
                "key": key, "expires_seconds": expires, "wait_seconds": wait,
            }},
        },
        {
            "name": "request_approval",
            "title": "Request approval",
            "description": "Ask the person to approve something before you do it. They may accept it, change its \
                arguments, answer in words, or refuse. Do exactly what the result says, with the arguments it says.",
            "inputSchema": {"type": "object", "required": ["title", "action"], "additionalProperties": false,
                "properties": {
                "title": text("What you want to do, in one line"),
                "action": text("What you would do, as one word, such as deploy"),
                "arguments": {"type": "object", "description": "The arguments you would do it with"},
                "schema": {"type": "object", "description": "JSON schema of the arguments"},
                "details": text("Why, and what comes of it"),
                "folder": text("The folder it happens in"),
                "key": key, "expires_seconds": expires, "wait_seconds": wait,
            }},
        },
        {
            "name": "notify_person",
            "title": "Tell the person",
            "description": "Tell the person something. It does not wait, and needs no answer. Should you ever need to know \
                whether they saw it, check_answer with the ticket says so.",
            "inputSchema": {"type": "object", "required": ["title"], "additionalProperties": false, "properties": {
                "title": text("What there is to know, in one line"),
                "details": text("More about it"),
                "key": key,
            }},
        },
        {
            "name": "approve_tool_call",
            "title": "Approve a tool call",
            "description": "For the agent's own program, not for models: asks the person whether a tool may be used. Its \
                name is what `claude -p --permission-prompt-tool` takes.",
            "inputSchema": {"type": "object", "required": ["tool_name", "input"], "properties": {
                "tool_name": text("The tool"),
                "input": {"type": "object", "description": "Its arguments"},
                "tool_use_id": text("The id of the call"),
            }},
        },
        {
            "name": "check_answer",
            "title": "Come back for an answer",
            "description": "Look whether a question that you have a ticket for was answered.",
            "inputSchema": {"type": "object", "required": ["ticket"], "additionalProperties": false, "properties": {
                "ticket": text("The ticket"), "wait_seconds": wait,
            }},
        },
    ])
}

/// Reads a client's `tools/call`.
pub(super) fn read(params: &Value, client: Option<&str>) -> Result<Call, ToolCallError> {
    let name = params.get("name").and_then(Value::as_str).unwrap_or_default();
    let tools = list();
    let tool = tools.as_array().and_then(|all| all.iter().find(|tool| tool["name"] == name));
    let Some(tool) = tool else { return Err(ToolCallError::Tool(name.to_owned())) };
    let arguments = match params.get("arguments") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(arguments)) => arguments.clone(),
        Some(_) => return Err(ToolCallError::Arguments("arguments are a JSON object".to_owned())),
    };
    let arguments = Value::Object(arguments);
    crate::inbox::check_args(&tool["inputSchema"], &arguments)
        .map_err(|why| ToolCallError::Arguments(format!("{why}. {}", parameters_line(tool))))?;
    let wait = arguments.get("wait_seconds").and_then(Value::as_f64);
    let wait = wait.map(Duration::try_from_secs_f64).transpose();
    let wait = wait.map_err(|_| ToolCallError::Arguments("`wait_seconds` is too large".to_owned()))?;
    let source = format!("{} (mcp)", client.unwrap_or("an agent"));
    let input = |keys: &[(&str, &str)]| {
        let pairs = keys
            .iter()
            .filter_map(|(theirs, ours)| Some(((*ours).to_owned(), arguments.get(*theirs)?.clone())));
        let mut input: Map<String, Value> = pairs.collect();
        input.insert("source".to_owned(), Value::from(source.as_str()));
        input
    };
    let key = arguments.get("key").and_then(Value::as_str).map(str::to_owned);
    let asking = |input: Map<String, Value>| NewRequest { input: Value::Object(input), key: key.clone() };
    let wish = match name {
        "ask_person" => {
            let mut input =
                input(&[("question", "title"), ("details", "text"), ("expires_seconds", "expires_in")]);
            // A bare yes answers no question that begins with "which".
            input.insert("allow".to_owned(), json!(["respond", "ignore"]));
            ToolAction::Ask(asking(input))
        }
        "request_approval" => ToolAction::Ask(asking(input(&[
            ("title", "title"),
            ("action", "action"),
            ("arguments", "args"),
            ("schema", "schema"),
            ("details", "text"),
            ("folder", "folder"),
            ("expires_seconds", "expires_in"),
        ]))),
        "notify_person" => {
            let mut input = input(&[("title", "title"), ("details", "text")]);
            input.insert("notice".to_owned(), Value::from(true));
            ToolAction::Tell(asking(input))
        }
        "approve_tool_call" => {
            let folder = std::env::current_dir().ok().map(|folder| folder.display().to_string());
            // Claude Code passes it to everything it starts.
            let session = std::env::var("CLAUDE_CODE_SESSION_ID").ok().filter(|id| !id.is_empty());
            let call = hooks::read_permission_prompt(&arguments, folder, session)
                .map_err(ToolCallError::Arguments)?;
            let wish = ToolAction::Ask(call.new_request(HOOK_PATIENCE));
            return Ok(Call { wish, wait: Some(HOOK_PATIENCE), permits: Some(Box::new(call)) });
        }
        _ => {
            let ticket = arguments.get("ticket").and_then(Value::as_str).unwrap_or_default();
            let id = InterruptId::parse(ticket).ok().filter(InterruptId::is_whole);
            ToolAction::Look(id.ok_or_else(|| {
                ToolCallError::Arguments(format!("`{}` is no ticket of this server", Visible::line(ticket)))
            })?)
        }
    };
    Ok(Call { wish, wait, permits: None })
}

/// Says which arguments a tool takes, the required ones first.
fn parameters_line(tool: &Value) -> String {
    let schema = &tool["inputSchema"];
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let names = schema["properties"].as_object().into_iter().flatten().map(|(name, _)| name.as_str());
    let optional = names.filter(|name| !required.contains(name)).map(|name| format!("`{name}`"));
    let all: Vec<String> =
        required.iter().map(|name| format!("`{name}` (required)")).chain(optional).collect();
    format!("{} takes {}", tool["name"].as_str().unwrap_or_default(), all.join(", "))
}

/// The result of telling the person something.
pub(super) fn told_result(answer: &RequestAnswer) -> Value {
    let words = match answer.r#type {
        None => "It is in the person's inbox. Go on; there is nothing to wait for.",
        Some(Ending::Accept) => "The person has accepted it.",
        Some(Ending::Ignore) => "The person has ignored it.",
        Some(Ending::Edit | Ending::Respond | Ending::Expired | Ending::Withdrawn) => {
            return answer_result(answer);
        }
    };
    result(words, answer)
}

/// The result of a question for an agent.
pub(super) fn answer_result(answer: &RequestAnswer) -> Value {
    let words = match answer.r#type {
        None => format!("There is no answer yet. Come back with check_answer and the ticket {}.", answer.id),
        Some(Ending::Accept) if answer.args.is_null() => "The person said yes.".to_owned(),
        Some(Ending::Accept) => "Approved. Do it with exactly these arguments.".to_owned(),
        Some(Ending::Edit) => {
            "Approved with changes. Do it with exactly the arguments given here.".to_owned()
        }
        Some(Ending::Respond) => {
            format!("The person answered: {}", answer.args.as_str().unwrap_or_default())
        }
        Some(Ending::Ignore) => "The person said no. Do not do it.".to_owned(),
        Some(Ending::Expired) => "Nobody answered in time. Do not do it.".to_owned(),
        Some(Ending::Withdrawn) => "The question was withdrawn. Do not do it.".to_owned(),
    };
    result(&words, answer)
}

fn result(words: &str, answer: &RequestAnswer) -> Value {
    // Claude Code and Codex give their model only the structured content, so the text is in there too.
    let structured = json!({
        "message": words,
        "answered": answer.r#type.is_some(),
        "ticket": answer.id,
        "type": answer.r#type,
        "args": answer.args,
        "by": answer.by,
        "at": answer.at,
    });
    let structured_text = structured.to_string();
    json!({
        "content": [{"type": "text", "text": words}, {"type": "text", "text": structured_text}],
        "structuredContent": structured,
        "isError": false,
    })
}

/// The result for a program that asked whether a tool may be used: a single text, as Claude Code expects.
pub(super) fn permitted(decision: &Value) -> Value {
    json!({"content": [{"type": "text", "text": decision.to_string()}], "isError": false})
}

/// The result of a call to this tool that was wrong or failed.
pub(super) fn failed(tool: &str, why: &str) -> Value {
    let failed = match tool {
        "notify_person" => "The person was not told",
        "check_answer" => "No answer was looked up",
        _ => "The person was not asked",
    };
    let text = format!("{failed}: {}", Visible::new(why));
    json!({"content": [{"type": "text", "text": text}], "isError": true})
}
