//! What a planner's answer means: a call, or in words a fenced block of Python, or that it is done.

use super::prompts::{FinishArgs, InformArgs, PythonArgs};
use super::state::Pending;
use super::{FINISH, INFORM, PYTHON};
use crate::llm::{Message, Reply};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// What the planner wants.
pub(super) enum Plan {
    /// A tool.
    Act(Message, Pending),
    /// It is done.
    Finish(Message, String),
    /// Nobody can say; the model is told this.
    Unclear(&'static str),
}

/// Reads an answer. Of several calls the first counts: the next one should know what came of it.
pub(super) fn read(reply: &Reply) -> Plan {
    let thought = reply.text.trim().to_owned();
    let Some(call) = reply.calls.first() else { return words(&thought) };
    let message = Message::Assistant { text: reply.text.clone(), calls: vec![call.clone()] };
    let act = |args: Value| {
        let pending =
            Pending { thought: thought.clone(), tool: call.name.clone(), args, call: Some(call.clone()) };
        Plan::Act(message.clone(), pending)
    };
    match call.name.as_str() {
        // The call itself is answered by nothing, so the conversation keeps it as words.
        FINISH => match given::<FinishArgs>(&call.args) {
            Some(FinishArgs { answer }) => {
                Plan::Finish(Message::assistant(answer.trim()), answer.trim().to_owned())
            }
            None => Plan::Unclear("finish takes `answer`, a text, and nothing else"),
        },
        INFORM => match given::<InformArgs>(&call.args) {
            Some(InformArgs { question }) => act(json!({ "question": question })),
            None => Plan::Unclear("inform takes `question`, a text, and nothing else"),
        },
        PYTHON => match given::<PythonArgs>(&call.args) {
            Some(PythonArgs { code }) if !code.trim().is_empty() => act(json!({ "code": code })),
            _ => Plan::Unclear("python takes `code`, a text that is not empty, and nothing else"),
        },
        _ => Plan::Unclear("that tool is not there"),
    }
}

/// Arguments as the tool takes them.
fn given<T: DeserializeOwned>(args: &Value) -> Option<T> {
    serde_json::from_value(args.clone()).ok()
}

fn words(text: &str) -> Plan {
    if let Some((thought, code)) = fenced(text) {
        let pending = Pending { thought, tool: PYTHON.to_owned(), args: json!({ "code": code }), call: None };
        return Plan::Act(Message::assistant(text), pending);
    }
    let plain: String = text.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
    if plain == "done" || plain == "finish" || plain == "finished" {
        return Plan::Finish(Message::assistant(text), String::new());
    }
    Plan::Unclear(
        "call python, or put the code into one ```python block; when all is done, call finish or say Done",
    )
}

/// The first fenced block of Python, and what was said around it.
fn fenced(text: &str) -> Option<(String, String)> {
    let start = text.find("```")?;
    let after = text.get(start + 3..)?;
    let (language, rest) = after.split_once('\n')?;
    if !["", "python", "py", "python3"].contains(&language.trim().to_lowercase().as_str()) {
        return None;
    }
    let end = rest.find("```")?;
    let code = rest.get(..end)?.trim_end().to_owned();
    let around = format!("{}\n{}", text.get(..start)?.trim(), rest.get(end + 3..)?.trim());
    (!code.trim().is_empty()).then(|| (around.trim().to_owned(), code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_code_in_a_fence_or_the_end_or_unclear() {
        let read = |text: &str| read(&Reply { text: text.to_owned(), ..Reply::default() });
        let Plan::Act(_, pending) = read("First a look.\n```python\nprint(1)\n```\nThen more.") else {
            panic!()
        };
        assert_eq!(
            (pending.args["code"].as_str(), pending.thought.as_str()),
            (Some("print(1)"), "First a look.\nThen more.")
        );
        for done in ["Done", "done.", " FINISH! ", "**Finished**"] {
            assert!(matches!(read(done), Plan::Finish(..)), "{done}");
        }
        for unclear in
            ["I am nearly done", "```rust\nfn main() {}\n```", "```python\n\n```", "```python\nprint(1)"]
        {
            assert!(matches!(read(unclear), Plan::Unclear(_)), "{unclear}");
        }
    }
}
