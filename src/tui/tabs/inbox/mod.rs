//! The Inbox tab: what waits for the person, its card, and what is decided there.

pub mod decide;
pub mod grants;
mod list;
pub mod mail;
pub mod marks;
pub mod menus;
pub mod query;
pub mod skipped;
mod view;

pub use list::{Filter, Group, List, Row, Sort};
pub use view::{draw, footer};

use crate::inbox::{Card, DecisionView, Item};
use crate::text::Visible;
use crate::tui::card::{Doc, Extra, Folds, ScrollPosition};
use crate::tui::msg::DecisionKind;
use std::sync::Arc;
use std::time::Instant;

/// The card that is on the screen, or on its way there.
#[derive(Clone, Debug)]
pub struct Opened {
    pub item: Item,
    pub card: Arc<Card>,
    /// What was answered before.
    pub answers: Vec<DecisionView>,
    /// The card as something to scroll through.
    pub doc: Doc,
    /// The line at the top.
    pub top: ScrollPosition,
    pub folds: Folds,
    /// Whether the end of what is proposed has been on the screen.
    pub end_seen: bool,
}

impl Opened {
    /// A card that has just arrived.
    pub fn new(item: Item, card: Card, answers: Vec<DecisionView>) -> Self {
        let mut opened = Self {
            item,
            card: Arc::new(card),
            answers,
            doc: Doc::default(),
            top: ScrollPosition::default(),
            folds: Folds::default(),
            end_seen: false,
        };
        opened.cut();
        opened
    }

    /// Cuts the card anew, after folds were changed.
    pub fn cut(&mut self) {
        let item = &self.item;
        let clean = |text: &str| Visible::line(text).into_string();
        let mut meta = vec![item.kind.word().to_owned(), clean(&item.action), clean(&item.workflow)];
        meta.extend(item.source.as_deref().map(clean));
        meta.push(item.id.clone());
        if item.irreversible {
            meta.push("irreversible".to_owned());
        }
        meta.dedup();
        let extra = Extra { meta: meta.join(" · "), answers: &self.answers };
        self.doc = Doc::new(item, self.card.clone(), &extra, self.folds);
    }
}

/// The last decision, while it can be taken back.
#[derive(Clone, Debug, PartialEq)]
pub struct Undo {
    /// What was done.
    pub kind: DecisionKind,
    /// On what: ids and titles.
    pub items: Vec<(String, String)>,
    /// Until when, where that is known.
    pub until: Option<Instant>,
    /// When it was done.
    pub since: Instant,
}
