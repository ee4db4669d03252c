//! The Inbox tab: the items that wait for the user, their cards, and the decisions taken there.

pub mod away;
pub mod decide;
pub mod follow;
pub mod grant;
mod heading;
pub mod history;
mod list;
pub mod mail;
pub mod marks;
pub mod menus;
pub mod news;
mod row;
pub mod skipped;
mod update;
mod view;

pub use list::{Filter, Group, List, Sort};
pub use row::Row;
pub use update::*;
pub use view::{draw, footer};

use crate::inbox::{Card, DecisionView, Edited, Item, SkippedCount, SkippedLine};
use crate::tui::card::{CardContext, Doc, Folds, ScrollPosition};
use crate::tui::model::Model;
use crate::tui::msg::{Cmd, DecisionKind};
use crate::tui::tabs::{self, Focus, PagedList, Tab};
use follow::{Expected, Followed};
use history::History;
use jiff::civil::Date;
use news::News;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Instant;

#[derive(Debug)]
pub struct InboxTab {
    pub list: List,
    pub skipped: PagedList<SkippedLine>,
    /// How much of the last day's mail was skipped, and the day on which that was counted.
    pub skipped_lately: (SkippedCount, Option<Date>),
    pub history: History,
    /// The card of the selected item.
    pub opened: Option<Opened>,
    pub requested_card: Option<String>,
    /// The item to select once it is there.
    pub goto: Option<String>,
    pub following: Option<Followed>,
    pub expected: Option<Expected>,
    /// What is being decided, in words that fit the person's arguments, by item.
    pub decided_as: HashMap<String, Edited>,
    /// The ids and titles of the items whose decision is being undone.
    pub undoing: Vec<(String, String)>,
    pub news: News,
    /// Lines that are still to be read.
    pub unread_ids: VecDeque<String>,
    /// Whether everything that was there at the start has been read.
    pub is_loaded: bool,
    /// Whether lines are being read; true at the start.
    pub reading: bool,
    /// Whether a glance is in progress.
    pub is_glancing: bool,
    /// Whether another glance is due after it.
    pub glance_due: bool,
    /// Whether the glance in progress is older than what we know by now.
    pub stale_glance: bool,
}

impl Default for InboxTab {
    fn default() -> Self {
        Self {
            list: List::default(),
            skipped: PagedList::default(),
            skipped_lately: Default::default(),
            history: History::default(),
            opened: None,
            requested_card: None,
            goto: None,
            following: None,
            expected: None,
            decided_as: HashMap::new(),
            undoing: Vec::new(),
            news: News::default(),
            unread_ids: VecDeque::new(),
            is_loaded: false,
            reading: true,
            is_glancing: false,
            glance_due: false,
            stale_glance: false,
        }
    }
}

/// The card that is on the screen, or about to be.
#[derive(Clone, Debug)]
pub struct Opened {
    pub item: Item,
    pub card: Arc<Card>,
    /// Earlier answers.
    pub answers: Vec<DecisionView>,
    /// The card cut up for scrolling.
    pub doc: Doc,
    /// The scroll position.
    pub top: ScrollPosition,
    pub folds: Folds,
    /// Whether the end of the proposal has been on the screen.
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

    /// Cuts the card again after folds changed.
    pub fn cut(&mut self) {
        let context = CardContext { meta: heading::who_wants_what(&self.item), answers: &self.answers };
        self.doc = Doc::new(&self.item, self.card.clone(), &context, self.folds);
    }

    /// The proposal in the card's own words, unfolded: enough to know what accepting it would do.
    pub fn proposal(&self) -> Doc {
        let context = CardContext { meta: heading::who_wants_what(&self.item), answers: &[] };
        let folds = Folds { open: true, headers: false };
        Doc::new(&self.item, self.card.clone(), &context, folds).proposal_only(&self.item)
    }
}

/// The last decision, while it can be undone.
#[derive(Clone, Debug, PartialEq)]
pub struct Undo {
    pub kind: DecisionKind,
    /// The ids and titles of the items.
    pub items: Vec<(String, String)>,
    /// When the time to undo ends, if known.
    pub until: Option<Instant>,
    /// When it was done.
    pub since: Instant,
}

/// Goes to the inbox's items, leaving lists of anything else.
pub fn enter(model: &mut Model) -> Vec<Cmd> {
    match model.inbox.list.filter {
        Filter::Running | Filter::Skipped | Filter::Decided => show(model, Filter::All),
        Filter::All | Filter::Kind(_) | Filter::Snoozed | Filter::Held => tabs::go(model, Tab::Inbox),
    }
}

/// Shows other rows of the inbox, starting at the first.
pub fn show(model: &mut Model, filter: Filter) -> Vec<Cmd> {
    let mut cmds = tabs::go(model, Tab::Inbox);
    model.inbox.list.show(filter, model.wall);
    model.focus = Focus::List;
    model.inbox.list.clear_marks();
    model.inbox.list.select(0);
    match filter {
        Filter::Running => cmds.push(Cmd::Running),
        Filter::Skipped => cmds.extend(skipped::read(model)),
        Filter::Decided => cmds.extend(history::read(model)),
        Filter::All | Filter::Kind(_) | Filter::Snoozed | Filter::Held => {}
    }
    cmds
}
