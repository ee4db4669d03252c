//! The state of the inbox: its items, the card shown, past decisions, and what the user is told about.

mod heading;
mod list;
mod marks;

pub use heading::asker;
pub use list::{Filter, Heading, List};

use super::msg::DecisionKind;
use super::rows::Rows;
use crate::engine::graph::ThreadId;
use crate::inbox::{
    Card, DecisionEnd, DecisionLine, DecisionQuery, DecisionView, Edited, Item, MemoryRow, Query,
    SkippedCount, SkippedLine,
};
use crate::tui::card::{CardContext, Doc, Folds, ScrollPosition};
use crate::tui::key::Key;
use jiff::Timestamp;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::Instant;

#[derive(Debug, Default)]
pub struct InboxTab {
    pub list: List,
    pub skipped: Rows<SkippedLine>,
    /// The scroll position of the selected one's card.
    pub skipped_top: ScrollPosition,
    /// How much of the last day's mail was skipped, as Activity shows it.
    pub skipped_lately: SkippedCount,
    /// How many mails were skipped in the last day.
    pub recently_skipped: u64,
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
    /// Whom the mail being decided on goes to, and since when, by item.
    pub sent_to: HashMap<String, (String, Timestamp)>,
    /// What people are called who get mail, by address.
    pub names: HashMap<String, String>,
    /// The newest decisions, newest first, if there is room to show them.
    pub lately: Vec<DecisionLine>,
    /// A mail of the user's own that is on its way to its hold, or out, if nothing is held.
    pub own_letter: Option<OwnLetter>,
    /// When the last decision was taken here.
    pub decided_at: Option<Instant>,
    pub news: News,
    /// Lines that are still to be read.
    pub unread_ids: VecDeque<String>,
    /// Whether everything that was there at the start has been read.
    pub is_loaded: bool,
    /// Whether lines are being read.
    pub reading: bool,
    /// Whether a glance is in progress.
    pub is_glancing: bool,
    /// Whether another glance is due after it.
    pub glance_due: bool,
    /// Whether the glance in progress is older than what we know by now.
    pub stale_glance: bool,
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
    /// When the end of the proposal was first on the screen.
    pub end_seen: Option<Instant>,
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
            end_seen: None,
        };
        opened.cut();
        opened
    }

    /// Cuts the card again after folds changed.
    pub fn cut(&mut self) {
        let context = CardContext { verdict: heading::verdict(&self.item), answers: &self.answers };
        self.doc = Doc::new(&self.item, self.card.clone(), &context, self.folds);
        self.end_seen = None;
    }

    /// The proposal in the card's own words, unfolded: enough to know what accepting it would do.
    pub fn proposal(&self) -> Doc {
        let context = CardContext { verdict: heading::verdict(&self.item), answers: &[] };
        let folds = Folds { open: true, headers: false };
        Doc::new(&self.item, self.card.clone(), &context, folds).proposal_only(&self.item)
    }
}

/// A mail of the user's own. Its thread holds it before it leaves, or asks about it if it has a warning.
#[derive(Clone, Debug)]
pub struct OwnLetter {
    pub thread: ThreadId,
    pub to: String,
    pub since: Instant,
    /// The decision to send it is on record after this time.
    pub begun: Timestamp,
}

/// The last decision, while it can be undone.
#[derive(Clone, Debug, PartialEq)]
pub struct Undo {
    pub kind: DecisionKind,
    /// The ids of the items.
    pub ids: Vec<String>,
    /// The title, if it is one item.
    pub title: String,
    /// What is done, or will be: `Sending to Ines`.
    pub what: String,
    /// Whether a mail leaves when that time is over.
    pub sends: bool,
    /// When the time to undo ends, if known.
    pub until: Option<Instant>,
    /// When it was done.
    pub since: Instant,
}

/// The line after the items, which is none of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PastEnd {
    /// So many mails were skipped in the last day.
    Skipped(u64),
    /// So many threads besides match the filter, and perhaps even more.
    Elsewhere(usize, bool),
}

/// Mail that was put away together.
#[derive(Clone, Debug)]
pub struct PutAway {
    /// The threads of the mails.
    pub threads: Vec<ThreadId>,
    pub since: Instant,
}

/// The part of the list read so far, and what it is filtered by.
#[derive(Clone, Debug, Default)]
pub struct History {
    pub list: Rows<DecisionLine>,
    pub filter: Query,
    /// The scroll position of the selected decision's card.
    pub top: ScrollPosition,
}

impl History {
    pub fn query(&self, after: Option<i64>, limit: usize) -> DecisionQuery {
        DecisionQuery { filter: self.filter.clone(), after, limit, ..DecisionQuery::default() }
    }
}

/// What became of something the user did, told until the next one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    pub end: DecisionEnd,
    pub text: String,
    pub at: Timestamp,
}

/// What the user has not been told yet.
#[derive(Clone, Debug, Default)]
pub struct News {
    /// Decisions of this screen that have not ended; `since` is when the first of them was taken.
    pub awaited: HashSet<String>,
    pub since: Option<Timestamp>,
    /// Items that arrived but were not read yet.
    pub arrived: HashSet<String>,
    /// The last note about arrivals, and the items it is about.
    pub last_arrivals: (String, HashSet<String>),
    /// Threads whose mail was put back, and until when we expect their cards.
    pub returning: Option<(Vec<ThreadId>, Instant)>,
    /// What we knew about each profile, its version and its text, and about each row.
    pub memory: Option<(Profiles, Vec<MemoryRow>)>,
    /// Until when we look for lessons.
    pub learning: Option<Instant>,
    /// The last lesson.
    pub lesson: Option<Lesson>,
    /// How many lessons came since the last decision.
    pub lessons: u64,
}

/// The version and the text of each profile.
pub type Profiles = BTreeMap<String, (u64, String)>;

/// What was learned last.
#[derive(Clone, Debug)]
pub enum Lesson {
    /// A line that a profile did not have before, with the version that has it, and its text.
    Line { namespace: String, version: u64, profile: String, line: String },
    /// A row that is new or says something else.
    Row(MemoryRow),
}

impl News {
    /// Whether something was learned since the screen was opened.
    pub fn has_lesson(&self) -> bool {
        self.lesson.is_some()
    }
}

/// The thread that was started or answered last and is on the screen instead of a card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Followed {
    pub thread: ThreadId,
    /// Whether nobody was working on it at the last look.
    pub idle: bool,
}

/// The thread or agent whose next question is selected when it comes, if the user has touched nothing until then.
#[derive(Clone, Debug)]
pub struct Expected {
    pub thread: ThreadId,
    /// The coding agent: each of its questions is a separate thread.
    pub agent: Option<String>,
    pub last_key: Option<(Key, Instant)>,
    pub selected: Option<String>,
    pub until: Instant,
}
