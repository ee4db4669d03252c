//! The cards of items, of results, and of trouble that the driver reports.

use super::Inbox;
use crate::engine::graph::{InterruptId, Kind, ThreadId};
use crate::inbox::{ABSENT_ACTION, Block, Card, Edited, InboxError, Question, ThreadResult, YOUR_TURN};
use crate::text::{Visible, count_noun, sanitize_typed_json};
use serde_json::Value;

impl Inbox {
    pub(super) fn read_card(&self, id: &InterruptId) -> Result<(Question, Card), InboxError> {
        let stored = self.store().inbox().item(id)?;
        let mut item = stored.item;
        let spec = self.engine.registry().get(&item.workflow);
        let state = self.engine.state_at(&item.thread, Some(stored.steps));
        let card = match spec {
            Some(spec) if !stored.engine => state?.map(|state| spec.card(&state, Some(&item))),
            Some(spec) => {
                // If even the state cannot be read, the trouble still says why.
                let state = state.ok().flatten();
                let subject = state.map(|state| spec.in_trouble(&state)).unwrap_or_default();
                let is_warning = |block: &Block| matches!(block, Block::Warnings(_));
                let (mut blocks, subject): (Vec<Block>, Vec<Block>) =
                    subject.into_iter().partition(is_warning);
                blocks.extend(trouble_card(&item, self.trouble_title(&item)).blocks);
                blocks.extend(subject);
                Some(Card { blocks })
            }
            None => None,
        };
        let mut card = card.unwrap_or_else(|| trouble_card(&item, self.trouble_title(&item)));
        if item.action == ABSENT_ACTION && item.closed.is_none() {
            let waiting = self.store().inbox().counts()?.waiting_for_model;
            let threads = count_noun(waiting, "thread");
            card.blocks.push(Block::Fields(vec![(Visible::line("waiting"), Visible::line(&threads))]));
        }
        if item.closed.is_some() {
            card.close();
        }
        item.text = card.text();
        item.give_back = item.action == YOUR_TURN && self.has_model();
        Ok((item, card))
    }

    /// What an item becomes with these arguments.
    pub(super) fn read_edited(&self, id: &InterruptId, args: &Value) -> Result<Edited, InboxError> {
        let stored = self.store().inbox().item(id)?;
        let state = self.engine.state_at(&stored.item.thread, Some(stored.steps))?;
        let args = sanitize_typed_json(args.clone());
        Ok(match (self.engine.registry().get(&stored.item.workflow), state) {
            (Some(spec), Some(state)) if !stored.engine => spec.edited(&state, &stored.item, &args),
            _ => stored.item.edited(&args),
        })
    }

    pub(super) fn read_result(&self, id: &ThreadId) -> Result<(ThreadResult, Card), InboxError> {
        let mut result = self.store().inbox().result(id)?;
        let drawn = self.draw_result(&result)?;
        let card = if drawn.blocks.is_empty() { result_card(&result) } else { drawn };
        result.text = card.text();
        Ok((result, card))
    }

    /// The card that the workflow draws from the current state; an empty one if this build does not know the workflow.
    pub(super) fn draw_result(&self, result: &ThreadResult) -> Result<Card, InboxError> {
        let state = self.engine.state_at(&result.thread, None)?;
        Ok(match (self.engine.registry().get(&result.workflow), state) {
            (Some(spec), Some(state)) => spec.card(&state, None),
            _ => Card::default(),
        })
    }

    /// The title of a trouble's thread, if the trouble itself names only a workflow.
    pub fn trouble_title(&self, item: &Question) -> Option<String> {
        if item.kind != Kind::Trouble || item.source.is_some() {
            return None;
        }
        let title = self.store().threads().line(&item.thread).ok()?.title;
        (!title.is_empty() && title != item.title).then_some(title)
    }
}

/// The card of a trouble that the engine reports; `about` is the title of its thread.
fn trouble_card(item: &Question, about: Option<String>) -> Card {
    let mut blocks = vec![Block::Heading(Visible::line(&item.title)), Block::Text(Visible::new(&item.gist))];
    let about = about.map(|about| (Visible::line("about"), Visible::line(&about)));
    let args = item.args.as_object().into_iter().flatten().map(|(name, value)| {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        (Visible::line(name), Visible::new(&value))
    });
    let fields: Vec<_> = about.into_iter().chain(args).collect();
    if !fields.is_empty() {
        blocks.push(Block::Fields(fields));
    }
    Card { blocks }
}

/// A thread's result as plain data, if its workflow draws no card for it.
pub(super) fn result_card(result: &ThreadResult) -> Card {
    let body = match &result.output {
        Value::String(text) => Block::Markdown(Visible::new(text)),
        Value::Object(fields) => Block::Fields(
            fields
                .iter()
                .map(|(name, value)| {
                    let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                    (Visible::line(name), Visible::new(&value))
                })
                .collect(),
        ),
        other => {
            let text = serde_json::to_string_pretty(other).unwrap_or_default();
            Block::Code { language: "json".to_owned(), text: Visible::new(&text) }
        }
    };
    Card { blocks: vec![Block::Heading(Visible::line(&result.title)), body] }
}
