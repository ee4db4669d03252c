//! The planner's tools: `python` asks and runs, `inform` looks something up, `finish` ends the work. And what the
//! planner means by words.

use super::run::{find, run};
use super::state::{BookNow, SheetUpdate, SheetWork};
use super::{FINISH, INFORM, PYTHON, end_label};
use crate::agent::agent_loop::{Accepted, Asked, LoopState, Outcome, Tool, Words, allow_in_thread};
use crate::agent::llm::{Reply, ToolCall, ToolSpec};
use crate::agent::{Picked, Services, written_text};
use crate::engine::graph::{Ctx, Interrupt, Labels, NodeError};
use crate::text::words::letters_and_digits;
use crate::text::{Visible, count_noun, short_line};
use crate::tools::cage::Observation;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use std::path::Path;
use std::sync::Arc;

type Ran = Result<Outcome<SheetWork>, NodeError>;

/// What the model is told that answers before its code has run.
const NO_CODE: &str = "nothing was computed for this yet; call python, or put the code into one ```python block; if no \
    code is needed, give the answer again in plain words";

/// The arguments of `python`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PythonArgs {
    /// The Python to run on the workbook.
    #[schemars(length(max = 40000), regex(pattern = r"\S"))]
    code: String,
}

/// The arguments of `inform`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct InformArgs {
    /// What to look for: words of headings and values.
    question: String,
}

/// The arguments of `finish`.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[allow(dead_code)]
struct FinishArgs {
    /// The answer for the person.
    answer: String,
}

pub(super) fn tools(_: &Services, state: &SheetWork) -> Result<Vec<Tool<SheetWork>>, NodeError> {
    let python = ToolSpec::of::<PythonArgs>(PYTHON, "Run Python on the workbook.");
    let mut tools = vec![Tool::asks(python, ask_to_run, run_code).running_own()];
    if state.with_informer {
        let about = "Look up where words of a question stand in the workbook, as headings and as values.";
        tools.push(Tool::free(ToolSpec::of::<InformArgs>(INFORM, about), inform));
    }
    let finish = ToolSpec::of::<FinishArgs>(FINISH, "Give the answer; nothing more is to be done.");
    tools.push(Tool::ends(finish, "answer"));
    Ok(tools)
}

/// Shows the code to the person.
async fn ask_to_run(
    ctx: Ctx<Services>,
    state: Arc<SheetWork>,
    mut question: Interrupt,
) -> Result<Asked<SheetWork>, NodeError> {
    let thought = state.dialog().thought().replace(['*', '_', '`', '#'], "");
    question.gist = short_line(thought.trim(), 160);
    let lines = question.args["code"].as_str().unwrap_or_default().trim_end().lines().count();
    question.labels = Labels {
        edit: Some("change the code".to_owned()),
        done: Some("run".to_owned()),
        ..Labels::new(format!("run {}", count_noun(lines, "line")), "", end_label(&state))
    };
    let name = Path::new(&state.workbook).file_name().map(|name| name.to_string_lossy().into_owned());
    question.source = name.map(|name| Visible::line(&name).into_string());
    question.shown_with = vec![state.read.digest.clone()];
    allow_in_thread(&ctx, &mut question)?;
    Ok(question.into())
}

/// Runs the accepted code.
async fn run_code(ctx: Ctx<Services>, state: Arc<SheetWork>, accepted: Accepted) -> Ran {
    let PythonArgs { code } = accepted.read()?;
    let ran: (Observation, BookNow) = ctx.call("run", run(&ctx, &state, &code)).await?;
    let (observation, book) = (Box::new(ran.0), Box::new(ran.1));
    let text = observation.text();
    let outcome = if observation.error.is_some() { Outcome::failed(text) } else { Outcome::done(text) };
    Ok(outcome.update(SheetUpdate::Ran { code, observation, book }))
}

/// Looks up where the words of a question occur.
async fn inform(ctx: Ctx<Services>, state: Arc<SheetWork>, accepted: Accepted) -> Ran {
    let InformArgs { question } = accepted.read()?;
    let found = find(&ctx, &state, question).await?;
    let none = "Nothing in the workbook holds those words.".to_owned();
    let text = if found.is_empty() { none } else { found.join("\n") };
    Ok(Outcome::done(text).update(SheetUpdate::Informed { found }))
}

/// Words with a fenced block of Python are that code. Others, and the end, come too early if no code has run.
pub(super) fn read(state: &SheetWork, reply: &mut Reply) -> Result<(), String> {
    let has_run = state.cells.len() > state.earlier;
    for call in reply.calls.iter_mut().filter(|call| call.name == PYTHON) {
        if let Some(code) = call.args.get_mut("code")
            && let Some(inner) = code.as_str().and_then(without_fence)
        {
            *code = json!(inner);
        }
    }
    if let [call] = reply.calls.as_slice()
        && call.name == FINISH
        && !has_run
    {
        // Then its answer is only words, too.
        let answer = call.args["answer"].as_str().unwrap_or_default().to_owned();
        if !answer.trim().is_empty() {
            reply.text = answer;
        }
        reply.calls.clear();
        return Err(NO_CODE.to_owned());
    }
    if !reply.calls.is_empty() || !reply.bad_calls.is_empty() {
        return Ok(());
    }
    match code_in_words(&reply.text)? {
        Some((thought, code)) => {
            let (name, args) = (PYTHON.to_owned(), json!({ "code": code }));
            reply.calls = vec![ToolCall { id: "cell".to_owned(), name, args, signature: None }];
            (reply.text, reply.in_words) = (thought, true);
            Ok(())
        }
        None if has_run => Ok(()),
        None => Err(NO_CODE.to_owned()),
    }
}

/// Words are the answer if code has run. The person decides about others, and about those that may be none.
pub(super) async fn words(
    ctx: Ctx<Services>,
    state: Arc<SheetWork>,
    model: Picked,
    reply: Reply,
) -> Result<Words, NodeError> {
    if model.person {
        return Ok(Words::Answer(reply.text));
    }
    code_in_words(&reply.text).map_err(|why| {
        NodeError::failed(format!("The model's answers cannot be used, after two tries: {why}"))
    })?;
    if state.cells.is_empty() {
        return Ok(Words::Unsure);
    }
    if ["done", "finish"].contains(&letters_and_digits(&reply.text).as_str()) {
        return Ok(Words::Answer(state.last_printed()));
    }
    let what = "the answer to a question about a workbook";
    let answer = written_text(&ctx, "words", &model, &reply, what).await?;
    Ok(answer.map_or(Words::Unsure, |answer| Words::Answer(answer.with_note())))
}

/// The code in an argument that is a fenced block as a whole.
fn without_fence(code: &str) -> Option<String> {
    let code = code.trim();
    let is_fence = code.len() > 6 && code.starts_with("```") && code.ends_with("```");
    is_fence.then(|| code_in_words(code).ok().flatten()).flatten().map(|(_, inner)| inner)
}

/// The code in a fenced block of Python, and what is said around it.
fn code_in_words(text: &str) -> Result<Option<(String, String)>, String> {
    let parts: Vec<&str> = text.split("```").collect();
    for index in (1..parts.len()).step_by(2) {
        let (language, code) = parts[index].split_once('\n').unwrap_or((parts[index], ""));
        let language = language.split_whitespace().next().unwrap_or_default().to_lowercase();
        if !["", "python", "py", "python3"].contains(&language.as_str()) {
            continue;
        }
        let after = &parts[index + 1..];
        if code.trim().is_empty() || after.is_empty() {
            return Err("put the code into one whole ```python block, or call python".to_owned());
        }
        let around = format!("{}\n{}", parts[..index].join("```").trim(), after.join("```").trim());
        return Ok(Some((around.trim().to_owned(), code.trim_end().to_owned())));
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_code_in_a_fence_or_only_said() {
        for (text, thought) in [
            ("First a look.\n```python\nprint(1)\n```\nThen more.", "First a look.\nThen more."),
            ("It printed:\n```text\n1\n```\n```py\nprint(1)\n```", "It printed:\n```text\n1\n```"),
        ] {
            let found = code_in_words(text).unwrap();
            assert_eq!(found, Some((thought.to_owned(), "print(1)".to_owned())), "{text}");
        }
        assert_eq!(without_fence(" ```python\nprint(1)\n```\n").as_deref(), Some("print(1)"));
        for code in ["print(1)", "print('```python\\nx\\n```')", "```python```", "```"] {
            assert_eq!(without_fence(code), None, "{code}");
        }
        for words in
            ["I am nearly done", "Done. The total is 5.", "```text\nNorth 5\n```", "Use ```sum``` here."]
        {
            assert_eq!(code_in_words(words), Ok(None), "{words}");
        }
        for unclear in ["```python\n\n```", "```python\nprint(1)", "```python print(1)```", "```python"] {
            assert!(code_in_words(unclear).is_err(), "{unclear}");
        }
    }
}
