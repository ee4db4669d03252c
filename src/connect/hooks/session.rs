//! The context of an agent's question: the branch of its folder, and the person's last prompt.
//!
//! Used only for the card, within bounds; whatever cannot be read is left out.

use crate::tools::regular_file;
use serde_json::Value;
use std::io::Read;
use std::path::Path;

/// How much of the end of a transcript is read, in bytes.
const TAIL: u64 = 256 * 1024;

/// How many characters of a prompt fit on a card.
const PROMPT: usize = 300;

/// The branch checked out in a folder, or in a folder above it.
pub(super) fn branch(folder: &Path) -> Option<String> {
    let git = folder.ancestors().map(|folder| folder.join(".git")).find(|git| git.exists())?;
    // In a worktree, `.git` is a file that says where the folder is.
    let git = if std::fs::metadata(&git).ok()?.is_dir() {
        git
    } else {
        let text = read_start(&git)?;
        git.parent()?.join(text.strip_prefix("gitdir:")?.trim())
    };
    let head = read_start(&git.join("HEAD"))?;
    let branch = head.trim().strip_prefix("ref: refs/heads/")?.to_owned();
    Some(branch).filter(|branch| !branch.is_empty() && branch.len() <= 200)
}

fn read_start(path: &Path) -> Option<String> {
    let mut text = String::new();
    regular_file::open(path).ok()?.take(4096).read_to_string(&mut text).ok()?;
    Some(text)
}

/// The person's last prompt in a transcript: JSON lines, as Claude Code, Codex and Gemini CLI write them. An agent may
/// write a prompt down later than it acts on it; so where it says which prompt or turn it acts on, no other prompt is
/// taken for it.
pub(super) fn last_prompt(transcript: &Path, acts_on: Option<&str>) -> Option<String> {
    let bytes = regular_file::read_end(transcript, TAIL).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let mut lines = text.lines().rev().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let (prompt, line) = lines.find_map(|line| Some((said_by_person(&line)?, line)))?;
    let Some(id) = acts_on else { return Some(prompt) };
    // Claude Code names the prompt in its line, Codex the turn in a line before.
    let names_turn = |line: Value| line.pointer("/payload/turn_id").is_some_and(|turn| turn == id);
    let is_it = line.get("promptId").is_some_and(|prompt| prompt == id) || lines.any(names_turn);
    is_it.then_some(prompt)
}

fn said_by_person(line: &Value) -> Option<String> {
    let is = |value: Option<&Value>, word: &str| value.and_then(Value::as_str) == Some(word);
    // Claude Code marks what it adds itself.
    if line.get("isMeta") == Some(&Value::Bool(true)) {
        return None;
    }
    let payload = line.get("payload");
    let content = if is(line.get("type"), "user") {
        line.pointer("/message/content").or_else(|| line.get("content"))
    } else if payload.is_some_and(|payload| is(payload.get("type"), "user_message")) {
        payload.and_then(|payload| payload.get("message"))
    } else if payload.is_some_and(|payload| is(payload.pointer("/item/type"), "UserMessage")) {
        payload.and_then(|payload| payload.pointer("/item/content"))
    } else {
        None
    }?;
    let text = match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part.get("text")?.as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => String::new(),
    };
    shortened(&text)
}

/// A prompt cut to fit a card: its end, where people say what they want.
pub(super) fn shortened(text: &str) -> Option<String> {
    let text = text.trim();
    // Text that agents wrap in tags is not the person's.
    if text.is_empty() || text.starts_with('<') {
        return None;
    }
    let skip = text.chars().count().saturating_sub(PROMPT);
    let end: String = text.chars().skip(skip).collect();
    Some(if skip > 0 { format!("…{end}") } else { end })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_last_words_of_a_person_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.jsonl");
        let of = |lines: &[Value]| {
            let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
            std::fs::write(&path, text + "{ torn").unwrap();
            last_prompt(&path, None)
        };
        let claude = json!({"type": "user", "message": {"role": "user", "content": "fix the tests"}});
        let result =
            json!({"type": "user", "message": {"content": [{"type": "tool_result", "content": "x"}]}});
        let meta = json!({"type": "user", "isMeta": true, "message": {"content": "not mine"}});
        assert_eq!(of(&[claude.clone(), result, meta]).as_deref(), Some("fix the tests"));
        let codex = json!({"type": "event_msg", "payload": {"type": "user_message", "message": "deploy it"}});
        assert_eq!(of(&[claude, codex.clone()]).as_deref(), Some("deploy it"));
        let shared = json!({"type": "event_msg", "payload": {"type": "item_completed", "item": {"type": "UserMessage",
            "content": [{"type": "text", "text": "test it"}]}}});
        assert_eq!(of(&[codex, shared]).as_deref(), Some("test it"));
        assert_eq!(of(&[json!({"type": "user", "message": {"content": "<system>x"}})]), None);
        let long = json!({"type": "user", "content": [{"text": "ü".repeat(400)}]});
        assert_eq!(of(&[long]).unwrap().chars().count(), PROMPT + 1);
        assert_eq!(last_prompt(folder.path(), None), None);
    }

    #[test]
    fn an_older_prompt_is_not_taken_for_the_one_it_acts_on() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.jsonl");
        let check = |lines: &[Value], acts_on: &str, expected: Option<&str>| {
            let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
            std::fs::write(&path, text).unwrap();
            assert_eq!(last_prompt(&path, Some(acts_on)).as_deref(), expected, "{acts_on} {lines:?}");
        };
        let claude =
            |id: &str, words: &str| json!({"type": "user", "promptId": id, "message": {"content": words}});
        let (first, second) = (claude("p1", "first"), claude("p2", "second"));
        check(std::slice::from_ref(&first), "p1", Some("first"));
        check(std::slice::from_ref(&first), "p2", None);
        check(&[first, second], "p2", Some("second"));
        let codex =
            |words: &str| json!({"type": "event_msg", "payload": {"type": "user_message", "message": words}});
        let turn = |id: &str| json!({"type": "turn_context", "payload": {"turn_id": id}});
        let began = [turn("t1"), codex("first"), turn("t2")];
        check(&began[..2], "t1", Some("first"));
        check(&began, "t2", None);
        check(&[&began[..], &[codex("second")]].concat(), "t2", Some("second"));
    }

    #[test]
    fn the_branch_is_read_from_the_folder_or_above_it() {
        let folder = tempfile::tempdir().unwrap();
        let below = folder.path().join("src/deep");
        std::fs::create_dir_all(&below).unwrap();
        std::fs::create_dir_all(folder.path().join(".git")).unwrap();
        let head = |text: &str| std::fs::write(folder.path().join(".git/HEAD"), text).unwrap();
        head("ref: refs/heads/feature/x\n");
        assert_eq!(branch(&below).as_deref(), Some("feature/x"));
        head("0123456789abcdef\n");
        assert_eq!(branch(&below), None);
    }
}
