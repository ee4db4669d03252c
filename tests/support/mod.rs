//! What all tests share: workflows made for them, data folders to run them in, fake servers, and a screen.
#![allow(dead_code, unused_imports, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod asking;
pub mod chat;
pub mod config;
pub mod dav;
pub mod delivery;
pub mod email_inbox;
pub mod fake_model;
pub mod fake_world;
pub mod gmail;
pub mod google;
pub mod instructions;
pub mod langgraph;
pub mod mail_script;
pub mod mail_server;
pub mod model_server;
pub mod person;
pub mod player;
pub mod python;
pub mod samples;
pub mod table_workflow;
pub mod test_inbox;
pub mod test_screen;
pub mod wire;

pub use fake_model::FakeModel;
pub use test_inbox::TestInbox;

/// A warning of this code.
pub fn warning(code: &str) -> sayso::engine::graph::Warning {
    sayso::engine::graph::Warning::caution(code, format!("There is {code} about this."))
}

/// `base` with the fields of `more`.
pub fn merged(mut base: serde_json::Value, more: serde_json::Value) -> serde_json::Value {
    base.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    base
}

/// The names of the files in a folder, in order; none if there is no such folder.
pub fn file_names(folder: &std::path::Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Fails unless the text holds each of these parts.
#[track_caller]
pub fn assert_contains<const N: usize>(text: &str, parts: [&str; N]) {
    for part in parts {
        assert!(text.contains(part), "this is missing: {part}\nin: {text}");
    }
}
