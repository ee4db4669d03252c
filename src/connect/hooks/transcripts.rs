//! The calls in an agent's own transcripts. Each becomes the event that the agent's hook would have sent before it, so
//! it is read and judged like one.
//!
//! Claude Code writes one file per session and one per sub-agent, Codex one per session, all of them JSON lines. Only
//! calls are taken from them, and nothing is kept. What cannot be read is skipped and counted.

use super::{Agent, Call, HookEvent, read};
use crate::connect::setup::{is_named_like_ours, quoted};
use crate::engine::graph::Interrupt;
use crate::inbox::InboxError;
use crate::inbox::door::Inbox;
use crate::tools::process::SHELLS;
use crate::tools::regular_file;
use jiff::Timestamp;
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use std::fs::{File, read_dir};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// How deep below their folder agents keep transcripts, and one more.
const DEEPEST: usize = 5;

/// The longest line that is read, in bytes.
const LONGEST: u64 = 32 * 1024 * 1024;

/// What an agent did lately.
#[derive(Debug, Default)]
pub struct PastCalls {
    /// Oldest first.
    pub calls: Vec<PastCall>,
    /// How many sessions they are from.
    pub sessions: usize,
    /// How many lines and files could not be read.
    pub unreadable: usize,
}

#[derive(Debug)]
pub struct PastCall {
    pub at: Timestamp,
    call: Call,
}

impl PastCall {
    /// The question it would be if the agent asked now. Nothing is asked or stored.
    pub async fn question(&self, inbox: &Inbox) -> Result<Interrupt, InboxError> {
        inbox.requests().preview(self.call.question()).await
    }

    pub fn folder(&self) -> Option<&str> {
        self.call.folder.as_deref()
    }
}

/// Reads the calls since `since` in the transcripts below `folder`.
pub fn past_calls(agent: Agent, folder: &Path, since: Timestamp) -> PastCalls {
    let mut past = PastCalls::default();
    let mut files = Vec::new();
    find_transcripts(folder, since, DEEPEST, &mut files, &mut past.unreadable);
    let (mut sessions, mut seen) = (HashSet::new(), HashSet::new());
    for file in files {
        let Ok(file) = regular_file::open(&file) else {
            past.unreadable += 1;
            continue;
        };
        let mut place = Place::default();
        for line in Lines(BufReader::new(file)) {
            let Some(line) = line else {
                past.unreadable += 1;
                continue;
            };
            let at =
                line.get("timestamp").and_then(Value::as_str).and_then(|at| at.parse::<Timestamp>().ok());
            for event in events(agent, &line, &mut place) {
                match (at, event.and_then(|event| Ok((read(agent, &event, false)?, event)))) {
                    (Some(at), Ok((HookEvent::Asks(call), event))) => {
                        // A session that is resumed or forked repeats the calls before that.
                        let same = format!("{} {}", event["tool_use_id"], event["tool_input"]);
                        if at >= since && !is_named_like_ours(&call.tool) && seen.insert(same) {
                            sessions.insert(call.session.clone());
                            past.calls.push(PastCall { at, call: *call });
                        }
                    }
                    (Some(_), Ok(_)) => {}
                    (None, _) | (_, Err(_)) => past.unreadable += 1,
                }
            }
        }
    }
    past.calls.sort_by_key(|call| call.at);
    past.sessions = sessions.len();
    past
}

/// Finds the files that were written since then.
fn find_transcripts(
    folder: &Path,
    since: Timestamp,
    deeper: usize,
    files: &mut Vec<PathBuf>,
    unreadable: &mut usize,
) {
    let Ok(entries) = read_dir(folder) else {
        *unreadable += 1;
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        let Ok(metadata) = entry.metadata() else { continue };
        if metadata.is_dir() && deeper > 0 {
            find_transcripts(&path, since, deeper - 1, files, unreadable);
        } else if metadata.is_file()
            && path.extension().is_some_and(|ending| ending == "jsonl")
            && metadata.modified().is_ok_and(|at| at >= since.into())
        {
            files.push(path);
        }
    }
}

/// The lines of a file as JSON; `None` for a line that is none.
struct Lines(BufReader<File>);

impl Iterator for Lines {
    type Item = Option<Value>;

    fn next(&mut self) -> Option<Option<Value>> {
        let mut line = Vec::new();
        loop {
            line.clear();
            if self.0.by_ref().take(LONGEST).read_until(b'\n', &mut line).ok()? == 0 {
                return None;
            }
            if line.len() as u64 == LONGEST && !line.ends_with(b"\n") {
                skip_line(&mut self.0).ok()?;
                return Some(None);
            }
            if !line.trim_ascii().is_empty() {
                return Some(serde_json::from_slice(&line).ok());
            }
        }
    }
}

fn skip_line(file: &mut impl BufRead) -> io::Result<()> {
    file.skip_until(b'\n').map(drop)
}

/// What a transcript of Codex has said so far about its session.
#[derive(Default)]
struct Place {
    session: Value,
    folder: Option<String>,
}

/// The calls in a line, as the agent's hook would have sent them.
fn events(agent: Agent, line: &Value, place: &mut Place) -> Vec<Result<Value, String>> {
    match agent {
        Agent::Claude => claude(line),
        Agent::Codex => codex(line, place).into_iter().collect(),
        Agent::Gemini | Agent::Opencode => Vec::new(),
    }
}

fn claude(line: &Value) -> Vec<Result<Value, String>> {
    let parts = line.pointer("/message/content").and_then(Value::as_array).into_iter().flatten();
    let calls = parts.filter(|part| line["type"] == "assistant" && part["type"] == "tool_use");
    let event = |call: &Value| {
        json!({"hook_event_name": "PreToolUse", "session_id": line["sessionId"], "cwd": line["cwd"],
            "agent_id": line["agentId"], "tool_name": call["name"], "tool_input": call["input"],
            "tool_use_id": call["id"]})
    };
    calls.map(|call| Ok(event(call))).collect()
}

fn codex(line: &Value, place: &mut Place) -> Option<Result<Value, String>> {
    let payload = &line["payload"];
    let text = |value: &Value| value.as_str().map(str::to_owned);
    match line["type"].as_str()? {
        "session_meta" => {
            *place = Place { session: payload["id"].clone(), folder: text(&payload["cwd"]) };
            return None;
        }
        "turn_context" => {
            place.folder = text(&payload["cwd"]).or(place.folder.take());
            return None;
        }
        "response_item" => {}
        _ => return None,
    }
    let mut folder = place.folder.clone();
    let (tool, input) = match (payload["type"].as_str()?, payload["name"].as_str()) {
        ("function_call", Some(name)) => {
            let arguments = payload["arguments"].as_str().unwrap_or_default();
            let Ok(arguments) = serde_json::from_str::<Map<String, Value>>(arguments) else {
                return Some(Err("its arguments are not JSON".to_owned()));
            };
            let server = payload["namespace"].as_str().filter(|server| server.starts_with("mcp__"));
            match (arguments.get("cmd").or_else(|| arguments.get("command")), server) {
                (Some(command), _) => {
                    let below = arguments.get("workdir").and_then(Value::as_str);
                    folder = below.map(|below| within(folder.as_deref(), below)).or(folder);
                    ("Bash".to_owned(), json!({"command": command_line(command)?}))
                }
                (None, Some(server)) => {
                    (format!("{}__{name}", server.trim_end_matches('_')), Value::Object(arguments))
                }
                (None, None) if name.starts_with("mcp__") => (name.to_owned(), Value::Object(arguments)),
                // Its hooks are not told of its other tools.
                (None, None) => return None,
            }
        }
        ("custom_tool_call", Some(name @ "apply_patch")) => {
            (name.to_owned(), json!({"command": payload["input"]}))
        }
        _ => return None,
    };
    Some(Ok(
        json!({"hook_event_name": "PreToolUse", "turn_id": "", "session_id": place.session, "cwd": folder,
        "tool_name": tool, "tool_input": input, "tool_use_id": payload["call_id"]}),
    ))
}

fn within(folder: Option<&str>, below: &str) -> String {
    Path::new(folder.unwrap_or_default()).join(below).to_string_lossy().into_owned()
}

/// A command as one line: Codex has it as a line, or as words for a shell.
fn command_line(command: &Value) -> Option<String> {
    if let Value::String(line) = command {
        return Some(line.clone());
    }
    let words: Vec<&str> = command.as_array()?.iter().map(Value::as_str).collect::<Option<_>>()?;
    Some(match words.as_slice() {
        [shell, "-c" | "-lc", line] if SHELLS.iter().any(|name| Path::new(shell).ends_with(name)) => {
            (*line).to_owned()
        }
        words => words.iter().copied().map(quoted).collect::<Vec<_>>().join(" "),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn titles(past: &PastCalls) -> Vec<(String, String)> {
        let title = |call: &PastCall| call.call.question()["title"].as_str().unwrap().to_owned();
        past.calls.iter().map(|call| (title(call), call.folder().unwrap_or_default().to_owned())).collect()
    }

    fn written(name: &str, text: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
        folder
    }

    fn since() -> Timestamp {
        "2026-11-12T00:00:00Z".parse().unwrap()
    }

    #[test]
    fn the_calls_of_claude_code_are_found_once() {
        let call = |at: &str, id: &str, name: &str, input: Value| {
            let content = json!([{"type": "text", "text": "x"},
                {"type": "tool_use", "id": id, "name": name, "input": input}]);
            json!({"type": "assistant", "timestamp": at, "cwd": "/a", "sessionId": "s", "isSidechain": false,
                "message": {"role": "assistant", "content": content}})
        };
        let lines = [
            json!({"type": "user", "timestamp": "2026-11-18T09:00:00Z", "message": {"content": "do it"}}),
            call("2026-11-18T09:00:02Z", "t2", "Bash", json!({"command": "make"})),
            call("2026-11-18T09:00:01Z", "t1", "Edit", json!({"file_path": "/a/x"})),
            call("2026-11-11T09:00:00Z", "t0", "Bash", json!({"command": "too old"})),
            call("2026-11-18T09:00:02Z", "t2", "Bash", json!({"command": "make"})),
            call(
                "2026-11-18T09:00:02Z",
                "t3",
                "mcp__sayso0123456789ab__ask_person",
                json!({"question": "x"}),
            ),
            call("2026-11-18T09:00:03Z", "t4", "Bash", json!("no object")),
            call("yesterday", "t5", "Bash", json!({"command": "when?"})),
        ];
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let folder = written("-a/s/subagents/agent-1.jsonl", &format!("{text}\n{{\"torn"));
        let past = past_calls(Agent::Claude, folder.path(), since());
        let pair = |title: &str| (title.to_owned(), "/a".to_owned());
        assert_eq!(titles(&past), [pair("Edit /a/x"), pair("$ make")]);
        assert_eq!((past.sessions, past.unreadable), (1, 3));
        let future = "2200-01-01T00:00:00Z".parse().unwrap();
        assert!(past_calls(Agent::Claude, folder.path(), future).calls.is_empty());
        assert_eq!(past_calls(Agent::Claude, &folder.path().join("none"), since()).unreadable, 1);
    }

    #[test]
    fn codex_s_calls_are_in_the_folder_they_name() {
        let line = |kind: &str, payload: Value| {
            json!({"timestamp": "2026-11-18T09:00:00Z", "type": kind, "payload": payload}).to_string()
        };
        let call = |id: &str, name: &str, arguments: Value| {
            line(
                "response_item",
                json!({"type": "function_call", "call_id": id, "name": name, "arguments": arguments.to_string()}),
            )
        };
        let patch = "*** Begin Patch\n*** End Patch";
        let lines = [
            line("session_meta", json!({"id": "s", "cwd": "/a"})),
            call("c1", "exec_command", json!({"cmd": "ls"})),
            line("turn_context", json!({"cwd": "/b"})),
            call("c2", "shell", json!({"command": ["bash", "-lc", "rm -r x"]})),
            call(
                "c3",
                "shell_command",
                json!({"command": ["git", "commit", "-m", "it's"], "workdir": "sub"}),
            ),
            call("c4", "mcp__files__move", json!({"from": "x"})),
            call("c5", "update_plan", json!({"plan": []})),
            line(
                "response_item",
                json!({"type": "custom_tool_call", "call_id": "c6", "name": "apply_patch", "input": patch}),
            ),
            line(
                "response_item",
                json!({"type": "function_call", "call_id": "c7", "name": "exec_command", "arguments": "{"}),
            ),
            line("event_msg", json!({"type": "task_complete"})),
        ];
        let folder = written("2026/11/18/rollout-1.jsonl", &lines.join("\n"));
        let past = past_calls(Agent::Codex, folder.path(), since());
        let expected = [
            ("$ ls", "/a"),
            ("$ rm -r x", "/b"),
            (r"$ git commit -m 'it'\''s'", "/b/sub"),
            ("Use mcp__files__move", "/b"),
            ("$ *** Begin Patch", "/b"),
        ];
        assert_eq!(titles(&past), expected.map(|(title, folder)| (title.to_owned(), folder.to_owned())));
        assert_eq!((past.sessions, past.unreadable), (1, 1));
    }
}
