//! The card of trouble that the driver itself asks about.

use super::local::Local;
use crate::graph::Kind;
use crate::inbox::{Block, Card, Item, ItemKind};
use crate::text::Visible;

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
