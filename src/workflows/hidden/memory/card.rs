//! The card of a waiting update: warnings, the changes, and the answers and mails it came from.

use super::state::Learning;
use crate::agent::lesson::{Cause, CauseKind};
use crate::agent::mail_facts::MailFacts;
use crate::engine::graph::AnyState;
use crate::inbox::{Block, BodyPiece, Card, MailBlock, Question, changed_lines};
use crate::text::Visible;
use serde_json::Value;

/// How many answers a card shows with their mails.
const MAX_SHOWN: usize = 5;

pub(super) fn draw(state: &AnyState, question: Option<&Question>) -> Card {
    let Some(state) = state.get::<Learning>() else { return Card::default() };
    let mut blocks = Vec::from_iter(question.and_then(|question| Block::warnings(&question.warnings)));
    let after = match question {
        Some(question) => question.args.get("profile").and_then(Value::as_str).unwrap_or_default(),
        None => &state.proposed,
    };
    blocks
        .push(Block::panel("This will be learned", vec![Block::Diff(changed_lines(&state.profile, after))]));
    blocks.push(Block::fields([("why", &state.reasoning)]));
    for cause in state.causes.iter().rev().take(MAX_SHOWN) {
        blocks.extend(cause_blocks(cause));
    }
    let more = state.causes.len().saturating_sub(MAX_SHOWN);
    if more > 0 {
        blocks.push(Block::text(&format!("Earlier answers not shown here: {more}.")));
    }
    Card { blocks }
}

/// Which answers taught it, and why it changes the profile.
pub(super) fn explain(state: &AnyState, _: Option<&Question>) -> Vec<Block> {
    let Some(state) = state.get::<Learning>() else { return Vec::new() };
    let causes = state.causes.iter().map(|cause| {
        let about = cause.mail.as_ref().map(|mail| mail.subject.as_str()).unwrap_or_default();
        let feedback =
            if cause.feedback.is_empty() { String::new() } else { format!(": {}", cause.feedback) };
        (cause.action.as_deref().unwrap_or("mail"), format!("{about}{feedback}"))
    });
    let what = [
        ("profile", state.namespace.clone()),
        ("because", state.reasoning.clone()),
        ("answers", state.causes.len().to_string()),
    ];
    let thread = state.thread.iter().map(|thread| ("last learned from", thread.to_string()));
    vec![Block::fields(what.into_iter().chain(causes).chain(thread))]
}

/// One answer and the mail it was about.
fn cause_blocks(cause: &Cause) -> Vec<Block> {
    let mut blocks = vec![Block::Heading(Visible::line(cause_heading(cause.kind)))];
    blocks.push(Block::fields([("your words", &cause.feedback)]));
    if let Some(edited) = cause.edited.as_object() {
        for (name, after) in edited {
            let before = cause.proposed.get(name).unwrap_or(&Value::Null);
            if before != after {
                blocks.push(Block::text(&format!("you changed {name}:")));
                blocks.push(Block::Diff(changed_lines(&plain(before), &plain(after))));
            }
        }
    }
    blocks.extend(cause.mail.as_ref().map(|mail| Block::Mail(Box::new(mail_block(mail)))));
    blocks
}

fn cause_heading(kind: CauseKind) -> &'static str {
    match kind {
        CauseKind::ProposalEdited => "You changed what was proposed:",
        CauseKind::ProposalAnswered => "You sent a proposal back:",
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn mail_block(mail: &MailFacts) -> MailBlock {
    let from = match mail.from_name.trim() {
        "" => mail.from.clone(),
        name => format!("{name} <{}>", mail.from),
    };
    MailBlock {
        from: Visible::line(&from),
        to: Visible::line(&mail.to.join(", ")),
        cc: Visible::line(&mail.cc.join(", ")),
        date: Visible::line(&mail.date),
        subject: Visible::line(&mail.subject),
        body: vec![BodyPiece { quoted: false, text: Visible::new(&mail.text) }],
        ..MailBlock::default()
    }
}
