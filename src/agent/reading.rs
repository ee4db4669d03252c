//! The tools with which a model looks into files: it lists, searches and reads, without asking.

use super::{Picked, Services, ask_model};
use crate::agent::llm::{Message, Request, ToolCall, ToolSpec};
use crate::engine::graph::{Ctx, NodeError};
use crate::tools::library::{Library, Start};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct List {
    /// The folder; all of it if empty.
    #[serde(default)]
    folder: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Search {
    /// Words that a line must hold, all of them.
    text: String,
    /// Search only beneath this folder, or only this file.
    #[serde(default)]
    folder: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Read {
    /// The path of the file, as it is listed.
    path: String,
    /// A name declared in it, to read from there: `Store.open`.
    #[serde(default)]
    name: Option<String>,
    /// The line to read from, where no name is given.
    #[serde(default)]
    line: Option<u32>,
}

pub fn list_tool() -> ToolSpec {
    ToolSpec::of::<List>("list", "Lists the files and folders of a folder, with their sizes.")
}

pub fn search_tool() -> ToolSpec {
    ToolSpec::of::<Search>(
        "search",
        "Finds lines that hold some words, in all files, with path and line number.",
    )
}

/// The tool that reads, under the name a workflow gives it.
pub fn read_tool(name: &str) -> ToolSpec {
    ToolSpec::of::<Read>(name, "Reads a part of one file, from its start, a line or a declared name on.")
}

/// Asks the model until it has words; after `steps` looks it has to answer. This is not the loop of all agents: `docs`
/// answers several questions at once in one node, shares them with its siblings, and ends alone if one fails.
pub async fn look_and_answer(
    ctx: &Ctx<Services>,
    name: &str,
    model: &Picked,
    mut request: Request,
    library: &Arc<Library>,
    steps: usize,
) -> Result<String, NodeError> {
    for step in 0..=steps {
        if step == steps {
            request.tools.clear();
        }
        let reply = ask_model(ctx, &format!("{name}-{step}"), model, &request).await?;
        if reply.calls.is_empty() {
            return Ok(reply.text);
        }
        request.messages.push(reply.message());
        for call in reply.calls {
            let (library, wanted) = (library.clone(), call.clone());
            // Thousands of files take a while; nothing else should wait for it.
            let result = tokio::task::spawn_blocking(move || look(&library, &wanted));
            request.messages.push(match result.await.map_err(NodeError::failed)? {
                Ok((text, _)) => Message::result(&call, text),
                Err(why) => Message::failure(&call, why),
            });
        }
    }
    Err(NodeError::failed("the model went on looking into files and did not answer"))
}

/// What a call finds, and the file it read.
pub fn look(library: &Library, call: &ToolCall) -> Result<(String, Option<String>), String> {
    fn args<T: serde::de::DeserializeOwned>(call: &ToolCall) -> Result<T, String> {
        serde_json::from_value(call.args.clone()).map_err(|error| error.to_string())
    }
    match call.name.as_str() {
        "list" => Ok((library.list(args::<List>(call)?.folder.as_deref().unwrap_or_default()), None)),
        "search" => {
            let Search { text, folder } = args(call)?;
            Ok((library.search(&text, folder.as_deref().unwrap_or_default()), None))
        }
        _ => {
            let Read { path, name, line } = args(call)?;
            let start = match &name {
                Some(name) if !name.is_empty() => Start::Name(name),
                _ => Start::Line(line.unwrap_or(1)),
            };
            Ok((library.read(&path, start)?, Some(path)))
        }
    }
}
