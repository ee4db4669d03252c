//! The text of a model call, as a page.

use crate::inbox::{Block, CallView};
use crate::text::Visible;
use crate::tui::card::Doc;
use serde_json::Value;

/// What a model was told and what it answered.
pub fn prompt_page(call: &CallView) -> Doc {
    let line = |text: &str| Visible::line(text);
    let json = |value: &Value| Block::Code {
        language: "json".to_owned(),
        text: Visible::new(&serde_json::to_string_pretty(value).unwrap_or_default()),
    };
    let mut blocks = Vec::new();
    if let Some(error) = &call.error {
        blocks.push(Block::Fields(vec![(line("failed"), line(error))]));
    }
    if let Some(missing) = &call.missing {
        blocks.push(Block::Text(line(missing)));
    } else {
        blocks.push(Block::Heading(line("The answer")));
        match &call.answer {
            Some(text) if !text.trim().is_empty() => blocks.push(Block::Text(Visible::new(text))),
            Some(_) if !call.calls.is_empty() => {}
            Some(_) => blocks.push(Block::Text(line("It said nothing."))),
            None => blocks.push(Block::Text(line("No answer came."))),
        }
        for (tool, args) in &call.calls {
            blocks.push(Block::Fields(vec![(line("calls"), line(tool))]));
            blocks.push(json(args));
        }
        blocks.push(Block::Heading(line("The instructions")));
        blocks.push(Block::Text(Visible::new(&call.system)));
        for (who, text) in &call.messages {
            blocks.push(Block::Heading(line(&format!("From: {who}"))));
            blocks.push(Block::Text(Visible::new(text)));
        }
        if call.rules.as_object().is_some_and(|rules| !rules.is_empty()) {
            blocks.push(Block::Heading(line("Tools, and the shape of the answer")));
            blocks.push(json(&call.rules));
        }
    }
    Doc::page(&call.task, &call.model, blocks)
}
