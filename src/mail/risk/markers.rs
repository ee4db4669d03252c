//! Marks of a mail that is written for a program: what frames a prompt, and names of our tools. What it asks for in words
//! is left to whoever reads it; nothing happens without a decision.

use super::placeholders::without_placeholders;

/// Markers of the formats used to prompt models, at the start of a line.
const FORMATS: &[&str] = &[
    "<|im_start|>",
    "<|im_end|>",
    "<|system|>",
    "<|assistant|>",
    "<|endoftext|>",
    "<<sys>>",
    "[inst]",
    "[/inst]",
    "<system>",
    "</system>",
    "<system_prompt>",
    "### instruction:",
    "### system:",
    "[system message]",
    "[system prompt]",
];

/// Who speaks in a conversation with a model, besides `assistant:`.
const ROLES: &[&str] = &["system:", "user:", "developer:"];

/// How much of a text is checked, in bytes.
const MOST: usize = 128 << 10;

/// The first mark in a text.
pub(super) fn find_marker(text: &str, tools: &[&str]) -> Option<String> {
    let text = without_placeholders(&text[..text.floor_char_boundary(MOST)]).to_lowercase();
    let begins = |word: &&&str| text.lines().any(|line| line.trim_start().starts_with(**word));
    let names_tool =
        |tool: &&&str| text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == **tool);
    let role = || ROLES.iter().find(begins).filter(|_| begins(&&"assistant:"));
    let marker = FORMATS.iter().find(begins).or_else(role).or_else(|| tools.iter().find(names_tool));
    marker.map(|marker| (*marker).to_owned())
}
