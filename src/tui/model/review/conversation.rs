//! The Conversation view: what was said, asked, answered and done.

use super::Clock;
use crate::inbox::door::name_words;
use crate::inbox::{Block, Card, DecisionView, EffectView, QuestionView, ThreadView};
use crate::text::Visible;
use crate::tui::diff::changed_words;
use crate::tui::words;
use serde_json::Value;

fn line(text: &str) -> Visible {
    Visible::line(text)
}

pub fn blocks(view: &ThreadView, card: &Card, clock: &Clock<'_>) -> Vec<Block> {
    let mut blocks = Vec::new();
    if let Some(error) = &view.error {
        blocks.push(Block::Fields(vec![(line("trouble"), Visible::new(&error.text))]));
    }
    blocks.extend(card.blocks.iter().cloned());
    if !view.questions.is_empty() {
        blocks.push(Block::Heading(line("Asked and answered")));
    }
    for question in &view.questions {
        push_question(&mut blocks, question, clock);
        let answers: Vec<&DecisionView> =
            view.decisions.iter().filter(|decision| decision.interrupt == question.id).collect();
        for decision in &answers {
            push_answer(&mut blocks, decision, clock);
        }
        if answers.is_empty() {
            let text = match &question.closed {
                Some(why) => format!("nobody answered: {why}"),
                None => "waiting for an answer".to_owned(),
            };
            blocks.push(Block::Text(line(&text)));
        }
    }
    if !view.effects.is_empty() {
        blocks.push(Block::Heading(line("Done outside sayso")));
        blocks.extend(view.effects.iter().map(|effect| effect_block(effect, clock)));
    }
    blocks
}

fn push_question(blocks: &mut Vec<Block>, question: &QuestionView, clock: &Clock<'_>) {
    let mut what = vec![clock.time(question.at), question.kind.word().to_owned()];
    if question.action != question.kind.word() {
        what.push(name_words(&question.action));
    }
    what.extend(question.source.clone());
    let mut fields = vec![(line("asked"), line(&question.title)), (line("when"), line(&what.join(" · ")))];
    if !question.gist.is_empty() {
        fields.push((line("about"), Visible::new(&question.gist)));
    }
    fields.extend(question.warnings.iter().map(|warning| (line("warning"), line(&warning.text))));
    blocks.push(Block::Fields(fields));
}

fn push_answer(blocks: &mut Vec<Block>, decision: &DecisionView, clock: &Clock<'_>) {
    let mut what = format!("{} by {}, {}", decision.r#type, decision.by.words(), clock.time(decision.at));
    if let Some(at) = decision.undone_at {
        what += &format!("; taken back {}", clock.time(at));
    }
    let mut fields = vec![(line("answer"), line(&what))];
    if let Value::String(text) = &decision.args {
        fields.push((line("words"), Visible::new(text)));
    }
    blocks.push(Block::Fields(fields));
    if decision.args.is_object() {
        changes(blocks, "changed", &decision.proposed, &decision.args);
    }
    if let Some(executed) = &decision.executed {
        let approved = if decision.args.is_object() { &decision.args } else { &decision.proposed };
        changes(blocks, "carried out with changes", approved, executed);
    }
}

/// The arguments that differ, each with its removed and added words.
fn changes(blocks: &mut Vec<Block>, what: &str, before: &Value, after: &Value) {
    let (Some(old), Some(new)) = (before.as_object(), after.as_object()) else { return };
    let mut names: Vec<&String> = old.keys().chain(new.keys()).collect();
    names.sort();
    names.dedup();
    for name in names.into_iter().filter(|name| old.get(*name) != new.get(*name)) {
        let text =
            |value: Option<&Value>| value.map(|value| words::value(value).into_string()).unwrap_or_default();
        let mut spans = vec![crate::inbox::Span {
            tone: crate::inbox::Tone::Quiet,
            text: Visible::line(&format!("{what}, {name}: ")),
        }];
        spans.extend(changed_words(&text(old.get(name)), &text(new.get(name))));
        blocks.push(Block::Words(spans));
    }
}

fn effect_block(effect: &EffectView, clock: &Clock<'_>) -> Block {
    let state = match effect.state.as_str() {
        "in_doubt" => "in doubt: it may have happened".to_owned(),
        "not_done" => "not done".to_owned(),
        other => other.to_owned(),
    };
    let mut fields = vec![
        (line("effect"), line(&name_words(&effect.name))),
        (line("state"), line(&format!("{state} · step {} · {}", effect.step, clock.time(effect.at)))),
    ];
    if !effect.outcome.is_null() {
        fields.push((line("outcome"), words::value(&effect.outcome)));
    }
    Block::Fields(fields)
}
