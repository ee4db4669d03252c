//! Reads a planner's reply: a call, a fenced block of Python, or plain words.

use super::prompts::{FinishArgs, InformArgs, PythonArgs};
use super::state::Pending;
use super::{FINISH, INFORM, PYTHON};
use crate::llm::{Message, Reply};
use crate::text::words::letters_and_digits;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// What the planner wants to do.
pub(super) enum Plan {
    /// Call a tool.
    Act(Message, Pending),
    Finish(Message, String),
    /// Only words: the answer, if its code has run.
    Say(String),
    /// Unusable; the model is told why.
    Unclear(&'static str),
}

/// Reads a reply. Only the first of several calls counts: the next one should know its result.
pub(super) fn read(reply: &Reply) -> Plan {
    let thought = reply.text.trim().to_owned();
    let Some(call) = reply.calls.first() else { return plan_from_words(&thought) };
    let message = Message::Assistant { text: reply.text.clone(), calls: vec![call.clone()] };
    let act = |args: Value| {
        let pending =
            Pending { thought: thought.clone(), tool: call.name.clone(), args, call: Some(call.clone()) };
        Plan::Act(message.clone(), pending)
    };
    match call.name.as_str() {
        // Nothing answers this call, so the conversation keeps it as words.
        FINISH => match parse_args::<FinishArgs>(&call.args) {
            Some(FinishArgs { answer }) => {
                Plan::Finish(Message::assistant(answer.trim()), answer.trim().to_owned())
            }
            None => Plan::Unclear("finish takes `answer`, a text, and nothing else"),
        },
        INFORM => match parse_args::<InformArgs>(&call.args) {
            Some(InformArgs { question }) => act(json!({ "question": question })),
            None => Plan::Unclear("inform takes `question`, a text, and nothing else"),
        },
        PYTHON => match parse_args::<PythonArgs>(&call.args) {
            Some(PythonArgs { code }) if !code.trim().is_empty() => act(json!({ "code": code })),
            _ => Plan::Unclear("python takes `code`, a text that is not empty, and nothing else"),
        },
        _ => Plan::Unclear("that tool is not there"),
    }
}

fn parse_args<T: DeserializeOwned>(args: &Value) -> Option<T> {
    serde_json::from_value(args.clone()).ok()
}

/// Words with a fenced block of Python are that code; others are only words.
fn plan_from_words(text: &str) -> Plan {
    let parts: Vec<&str> = text.split("```").collect();
    for index in (1..parts.len()).step_by(2) {
        let (language, code) = parts[index].split_once('\n').unwrap_or((parts[index], ""));
        let language = language.split_whitespace().next().unwrap_or_default().to_lowercase();
        if !["", "python", "py", "python3"].contains(&language.as_str()) {
            continue;
        }
        let after = &parts[index + 1..];
        if code.trim().is_empty() || after.is_empty() {
            return Plan::Unclear("put the code into one whole ```python block, or call python");
        }
        let surrounding_text = format!("{}\n{}", parts[..index].join("```").trim(), after.join("```").trim());
        let pending = Pending {
            thought: surrounding_text.trim().to_owned(),
            tool: PYTHON.to_owned(),
            args: json!({ "code": code.trim_end() }),
            call: None,
        };
        return Plan::Act(Message::assistant(text), pending);
    }
    Plan::Say(text.to_owned())
}

/// Whether the words only say that everything is done.
pub(super) fn says_only_done(text: &str) -> bool {
    ["done", "finish", "finished"].contains(&letters_and_digits(text).as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_code_in_a_fence_or_only_said() {
        let read = |text: &str| read(&Reply { text: text.to_owned(), ..Reply::default() });
        for (text, thought) in [
            ("First a look.\n```python\nprint(1)\n```\nThen more.", "First a look.\nThen more."),
            ("It printed:\n```text\n1\n```\n```py\nprint(1)\n```", "It printed:\n```text\n1\n```"),
        ] {
            let Plan::Act(_, pending) = read(text) else { panic!("{text}") };
            assert_eq!(pending.args["code"], "print(1)", "{text}");
            assert_eq!(pending.thought, thought);
        }
        for words in
            ["I am nearly done", "Done. The total is 5.", "```text\nNorth 5\n```", "Use ```sum``` here."]
        {
            assert!(matches!(read(words), Plan::Say(text) if text == words), "{words}");
        }
        for unclear in ["```python\n\n```", "```python\nprint(1)", "```python print(1)```", "```python"] {
            assert!(matches!(read(unclear), Plan::Unclear(_)), "{unclear}");
        }
    }

    #[test]
    fn done_alone_is_told_from_an_answer() {
        for done in ["Done", "done.", " FINISH! ", "**Finished**"] {
            assert!(says_only_done(done), "{done}");
        }
        for answer in ["Done. The total is 5.", "I am nearly done", ""] {
            assert!(!says_only_done(answer), "{answer}");
        }
    }
}
