//! What a session has used, as its agent records it. Claude Code and Gemini CLI write the tokens of each answer, Codex
//! writes the sum; opencode sends tokens and cost with its events.
//!
//! Counting continues where it stopped in the transcript, within bounds; whatever cannot be read is left out.

use crate::inbox::door::Used;
use crate::tools::regular_file;
use serde_json::Value;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// How many bytes of a transcript are read at once.
const PIECE: u64 = 8 * 1024 * 1024;

/// The longest message id, in bytes.
const LONGEST_ID: usize = 200;

/// Adds what the transcript says since the last count; `None` if there is nothing new.
pub(super) fn count_on(before: &Used, transcript: &Path) -> Option<Used> {
    let path = transcript.to_str()?;
    let mut file = regular_file::open(transcript).ok()?;
    let length = file.metadata().ok()?.len();
    // A file that is now shorter was rewritten, so it is counted anew.
    let mut used = if before.transcript.as_deref() == Some(path) && before.counted <= length {
        before.clone()
    } else {
        Used { transcript: Some(path.to_owned()), ..Used::default() }
    };
    if length <= used.counted {
        return None;
    }
    file.seek(SeekFrom::Start(used.counted)).ok()?;
    let mut bytes = Vec::new();
    file.take(PIECE).read_to_end(&mut bytes).ok()?;
    // An unfinished line is read next time.
    let complete_lines = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    for line in bytes[..complete_lines].split(|byte| *byte == b'\n') {
        let counts = [&b"\"usage\""[..], b"token_count", b"\"tokens\""];
        if counts.iter().any(|word| line.windows(word.len()).any(|part| part == *word))
            && let Ok(line) = serde_json::from_slice(line)
        {
            count(&mut used, &line);
        }
    }
    // A line longer than a piece is skipped; the rest of it is not JSON.
    let passed =
        if complete_lines == 0 && bytes.len() as u64 == PIECE { bytes.len() } else { complete_lines };
    used.counted += passed as u64;
    (used != *before).then_some(used)
}

fn count(used: &mut Used, line: &Value) {
    let number = |value: &Value, names: &[&str]| -> u64 {
        names.iter().filter_map(|name| value.get(name)?.as_u64()).fold(0, u64::saturating_add)
    };
    // Codex writes the total so far.
    if let Some(total) = line.pointer("/payload/info/total_token_usage") {
        (used.input, used.output) = (number(total, &["input_tokens"]), number(total, &["output_tokens"]));
        return;
    }
    let (id, input, output) = if let Some(usage) = line.pointer("/message/usage") {
        let input = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];
        (line.pointer("/message/id"), number(usage, &input), number(usage, &["output_tokens"]))
    } else if let Some(tokens) = line.get("tokens") {
        (line.get("id"), number(tokens, &["input"]), number(tokens, &["output", "thoughts"]))
    } else {
        return;
    };
    let Some(id) = id.and_then(Value::as_str).filter(|id| id.len() <= LONGEST_ID) else { return };
    // A message is written once per part, each time with all its tokens so far.
    if let Some((_, counted_in, counted_out)) = used.last.take_if(|(last, ..)| last == id) {
        used.input = used.input.saturating_sub(counted_in);
        used.output = used.output.saturating_sub(counted_out);
    }
    used.input = used.input.saturating_add(input);
    used.output = used.output.saturating_add(output);
    used.last = Some((id.to_owned(), input, output));
}

/// What an event itself reports.
pub(super) fn reported_usage(event: &Value) -> Option<Used> {
    let tokens = event.get("tokens")?;
    let number = |path: &str| tokens.pointer(path).and_then(Value::as_u64).unwrap_or(0);
    let input = number("/input").saturating_add(number("/cache/read")).saturating_add(number("/cache/write"));
    let output = number("/output").saturating_add(number("/reasoning"));
    let cost = event.get("cost").and_then(Value::as_f64).filter(|cost| cost.is_finite() && *cost >= 0.0);
    Some(Used { input, output, cost, ..Used::default() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::fs::File;
    use std::io::Write;

    #[test]
    fn transcripts_are_counted_on() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.jsonl");
        let write = |text: &str| {
            let mut file = File::options().create(true).append(true).open(&path).unwrap();
            file.write_all(text.as_bytes()).unwrap();
        };
        let claude = |id: &str, output: u64| {
            let usage = json!({"input_tokens": 100, "cache_read_input_tokens": 7, "cache_creation_input_tokens": 3,
                "output_tokens": output});
            json!({"type": "assistant", "message": {"id": id, "usage": usage}}).to_string()
        };
        write(&format!("{{\"type\":\"user\"}}\n{}\n{}\n", claude("m1", 1), claude("m1", 20)));
        let first = count_on(&Used::default(), &path).unwrap();
        assert_eq!((first.input, first.output), (110, 20));
        assert_eq!(count_on(&first, &path), None);
        let next = claude("m2", 5);
        write(&next[..10]);
        assert_eq!(count_on(&first, &path), None);
        write(&format!("{}\nno json, \"usage\"\n", &next[10..]));
        let second = count_on(&first, &path).unwrap();
        assert_eq!((second.input, second.output), (220, 25));
        // A rewritten file that is now shorter starts a new count.
        std::fs::write(&path, format!("{}\n", claude("m3", 4))).unwrap();
        let rewritten = count_on(&second, &path).unwrap();
        assert_eq!((rewritten.input, rewritten.output), (110, 4));
        assert_eq!(count_on(&rewritten, &path), None);
        // So does another file.
        let codex = folder.path().join("c.jsonl");
        let sum = |n: u64| {
            json!({"payload": {"type": "token_count", "info": {"total_token_usage":
            {"input_tokens": n, "output_tokens": 2}}}})
        };
        std::fs::write(&codex, format!("{}\n{}\n", sum(100), sum(200))).unwrap();
        let counted = count_on(&second, &codex).unwrap();
        assert_eq!((counted.input, counted.output), (200, 2));
        let gemini = folder.path().join("g.jsonl");
        let answer =
            json!({"id": "a", "type": "gemini", "tokens": {"input": 100, "output": 20, "thoughts": 1}});
        std::fs::write(&gemini, format!("{answer}\n{answer}\n")).unwrap();
        let counted = count_on(&Used::default(), &gemini).unwrap();
        assert_eq!((counted.input, counted.output), (100, 21));
        assert_eq!(count_on(&Used::default(), folder.path()), None);
    }

    #[test]
    fn opencode_tells_tokens_and_cost() {
        let event = json!({"tokens": {"input": 100, "output": 20, "reasoning": 1, "cache": {"read": 5, "write": 2}},
            "cost": 0.14});
        let used = reported_usage(&event).unwrap();
        assert_eq!((used.input, used.output, used.cost), (107, 21, Some(0.14)));
        assert_eq!(reported_usage(&json!({"cost": 1.0})), None);
    }
}
