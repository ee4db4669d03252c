//! Trouble, put so that a person can decide it: what happened, and what each key does about it.

use super::local::Local;
use crate::graph::{Allow, Failure, Interrupt, Kind, Labels};
use crate::inbox::{Block, Card, Item, ItemKind, proposal};
use crate::text::Visible;
use serde_json::{Value, json};

impl Local {
    /// What the thread of a trouble is about, where the trouble itself names only a workflow. It is read from the thread,
    /// so that trouble which was asked before says it too.
    pub fn about(&self, item: &Item) -> Option<String> {
        if item.kind != ItemKind::Interrupt(Kind::Trouble) || item.source.is_some() {
            return None;
        }
        let title = self.engine().store().threads().line(&item.thread).ok()?.title;
        (!title.is_empty() && title != item.title).then_some(title)
    }
}

/// The question a failure becomes. `hints` says whether the workflow takes words on a retry.
pub(super) fn interrupt(failure: &Failure, title: &str, node: &str, hints: bool) -> Interrupt {
    let code = failure.code();
    let (args, schema) = match failure {
        Failure::InDoubt { effect, .. } => {
            (json!({"effect": effect, "outcome": "done"}), doubt_schema(effect))
        }
        Failure::Failed(_)
        | Failure::LostNode(_)
        | Failure::StepLimit(_)
        | Failure::Budget(_)
        | Failure::Stopped => (json!({"node": node}), Value::Bool(true)),
    };
    let mut trouble = proposal(code, Kind::Trouble, code, &args, title);
    trouble.schema = schema;
    trouble.gist = Visible::line(&failure.text()).into_string();
    let label = |text: &str| Some(text.to_owned());
    let no_edit = Allow { edit: false, ..Allow::ALL };
    (trouble.allow, trouble.labels) = match failure {
        Failure::Failed(_) | Failure::LostNode(_) => (
            Allow { respond: hints, ..no_edit },
            Labels {
                accept: label("retry now"),
                edit: None,
                respond: label("retry with a hint"),
                ignore: label("abandon"),
            },
        ),
        Failure::Stopped => (
            Allow { respond: hints, ..no_edit },
            Labels {
                accept: label("go on"),
                edit: None,
                respond: label("go on with a hint"),
                ignore: label("abandon"),
            },
        ),
        Failure::StepLimit(_) | Failure::Budget(_) => (
            Allow { respond: false, ..no_edit },
            Labels { accept: label("as much again"), ignore: label("end"), ..Labels::default() },
        ),
        Failure::InDoubt { .. } => (
            Allow { respond: false, ..Allow::ALL },
            Labels {
                accept: label("it was done"),
                edit: label("it was not done: do it again"),
                ignore: label("abandon"),
                ..Labels::default()
            },
        ),
    };
    trouble.irreversible = matches!(failure, Failure::InDoubt { .. });
    trouble
}

fn doubt_schema(effect: &str) -> Value {
    json!({
        "type": "object",
        "properties": {
            "effect": {"const": effect},
            "outcome": {"enum": ["done", "not_done"], "description": "not_done does it again, with the same bytes"}
        },
        "required": ["effect", "outcome"],
        "additionalProperties": false
    })
}

/// The card of a trouble the engine itself asks about; `about` is what its thread is about.
pub(super) fn card(item: &Item, about: Option<String>) -> Card {
    let mut blocks = vec![Block::Heading(Visible::line(&item.title)), Block::Text(Visible::new(&item.gist))];
    let about = about.map(|about| (Visible::line("about"), Visible::line(&about)));
    let args = item.args.as_object().into_iter().flatten().map(|(name, value)| {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        (Visible::line(name), Visible::new(&value))
    });
    blocks.push(Block::Fields(about.into_iter().chain(args).collect()));
    let keys = [
        (item.allow.accept, "accept", &item.labels.accept),
        (item.allow.edit, "edit", &item.labels.edit),
        (item.allow.respond, "respond", &item.labels.respond),
        (item.allow.ignore, "ignore", &item.labels.ignore),
    ];
    let ways = keys
        .into_iter()
        .filter(|(allowed, ..)| *allowed)
        .map(|(_, word, label)| (Visible::line(word), Visible::line(label.as_deref().unwrap_or(word))));
    blocks.push(Block::Fields(ways.collect()));
    Card { blocks }
}
