//! The tools with which a model looks into files: it lists, searches and reads, without asking.

use super::agent_loop::Accepted;
use crate::agent::llm::{ToolCall, ToolSpec};
use crate::engine::graph::NodeError;
use crate::tools::library::{Library, Start};
use schemars::JsonSchema;
use serde::Deserialize;

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

/// What a call finds, and the file it read; or why it finds nothing.
pub async fn look(
    library: Library,
    accepted: Accepted,
) -> Result<Result<(String, Option<String>), String>, NodeError> {
    let call = ToolCall { args: accepted.args, ..accepted.call };
    // Thousands of files take a while; nothing else should wait for it.
    tokio::task::spawn_blocking(move || found(&library, &call)).await.map_err(NodeError::failed)
}

fn found(library: &Library, call: &ToolCall) -> Result<(String, Option<String>), String> {
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
