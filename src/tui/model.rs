//! Everything the screen knows. It changes in `update` and nowhere else.

use super::actions::Scope;
use super::keys::{Key, Keymap};
use super::layers::{Ask, Layer};
use super::msg::{Cmd, DecisionKind, Driving, InboxResult};
use super::options::{Options, Startable};
use super::safe::{DeferredKey, LastDecisionKey, Shown};
use super::tabs::activity::ActivityTab;
use super::tabs::inbox::{Filter, InboxTab, Opened, Row, Undo};
use super::tabs::memory::MemoryTab;
use super::tabs::threads::ThreadsTab;
use super::tabs::{Browse, Focus, Tab};
use super::theme::Theme;
use super::tour::Tour;
use super::words;
use crate::graph::ThreadId;
use crate::inbox::{GrantLine, Overview, SourceLine, ThreadLine};
use jiff::Timestamp;
use std::collections::{BTreeMap, HashSet};
use std::time::{Duration, Instant};

/// A thread at work in this process.
#[derive(Clone, Debug, Default)]
pub struct Working {
    pub node: String,
    pub since: Option<Instant>,
    /// What the model has said, its newest part.
    pub text: String,
    /// How far long work has come: what, done, of.
    pub bar: Option<(String, u64, u64)>,
}

/// A line that says what happened.
#[derive(Clone, Debug)]
pub struct Note {
    /// What it says.
    pub text: String,
    /// Whether something went wrong.
    pub bad: bool,
    /// Whether it says why a key did nothing: the next key makes it old.
    pub about_key: bool,
    /// When it goes away.
    pub until: Instant,
}

/// Everything the screen knows.
pub struct Model {
    /// Columns and rows.
    pub size: (u16, u16),
    /// Now, for waits.
    pub now: Instant,
    /// Now, for ages.
    pub wall: Timestamp,
    /// How the screen is to be.
    pub options: Options,
    /// The styles.
    pub theme: Theme,
    /// The keys.
    pub keymap: Keymap,
    pub tour: Option<Tour>,
    /// What can be started.
    pub workflows: Vec<Startable>,
    pub tab: Tab,
    /// Which half of it the keys go to.
    pub focus: Focus,
    pub inbox: InboxTab,
    pub threads: ThreadsTab,
    pub memory: MemoryTab,
    pub activity: ActivityTab,
    /// What a decision key may act on.
    pub shown: Option<Shown>,
    /// The layer that has been drawn.
    pub layer_shown: Option<(u64, Instant)>,
    /// Layers over the tab, each with its number.
    pub layers: Vec<(u64, Layer)>,
    /// The number of the next layer.
    pub next_layer: u64,
    /// Keys that have begun something longer.
    pub pending: Vec<Key>,
    /// The key before this one.
    pub last_key: Option<(Key, Instant)>,
    /// The key that decided last, while it may be held down.
    pub last_decision_key: Option<LastDecisionKey>,
    /// A decision that waits until its key is known not to be.
    pub deferred_key: Option<DeferredKey>,
    /// What happened.
    pub note: Option<Note>,
    /// What can be taken back.
    pub undo: Option<Undo>,
    /// The threads whose mail was put away last.
    pub put_away: Vec<ThreadId>,
    /// What was typed for the last decision, by the draft it was: taken back, it is a draft again.
    pub sent: Vec<(String, String)>,
    /// What is being decided right now.
    pub deciding: HashSet<String>,
    /// Everything begun and not sent.
    pub drafts: BTreeMap<String, String>,
    /// A draft that is not kept yet, and since when.
    pub unkept: Option<(String, Instant)>,
    /// ThreadsTab at work in this process.
    pub working: BTreeMap<ThreadId, Working>,
    /// ThreadsTab at work in any.
    pub running: Browse<ThreadLine>,
    /// What may be done without asking.
    pub grants: Vec<GrantLine>,
    /// The inbox in numbers.
    pub overview: Option<Overview>,
    /// How each mailbox does.
    pub sources: Vec<SourceLine>,
    /// What the day has cost.
    pub spent_today: f64,
    pub driving: Driving,
    /// Counts ticks, for what turns.
    pub turns: usize,
    /// Whether to end once nothing is held.
    pub ending: bool,
    /// When a notice was last given.
    pub noticed: Option<Instant>,
}

impl Model {
    /// A screen that has seen nothing yet; the error names a key that cannot be.
    pub fn new(
        options: Options,
        workflows: Vec<Startable>,
        size: (u16, u16),
        now: Instant,
        wall: Timestamp,
    ) -> Result<Self, String> {
        Ok(Self {
            size,
            now,
            wall,
            theme: Theme::new(options.theme, options.colours),
            keymap: Keymap::new(&options.keys, &options.commands)?,
            tour: Tour::new(options.tour.clone()),
            options,
            workflows,
            tab: Tab::Inbox,
            focus: Focus::List,
            inbox: InboxTab::default(),
            threads: ThreadsTab::default(),
            memory: MemoryTab::default(),
            activity: ActivityTab::default(),
            shown: None,
            layer_shown: None,
            layers: Vec::new(),
            next_layer: 1,
            pending: Vec::new(),
            last_key: None,
            last_decision_key: None,
            deferred_key: None,
            note: None,
            undo: None,
            put_away: Vec::new(),
            sent: Vec::new(),
            deciding: HashSet::new(),
            drafts: BTreeMap::new(),
            unkept: None,
            working: BTreeMap::new(),
            running: Browse::default(),
            grants: Vec::new(),
            overview: None,
            sources: Vec::new(),
            spent_today: 0.0,
            driving: Driving::Unknown,
            turns: 0,
            ending: false,
            noticed: None,
        })
    }

    /// What is to be done before anything happened.
    pub fn begin(&self) -> Vec<Cmd> {
        // As many lines as a screen shows; the others follow once it is there.
        let shown = usize::from(self.size.1 / 2).max(8);
        vec![Cmd::Order, Cmd::Lines(super::msg::Lines::First(shown)), Cmd::Drafts]
    }

    /// Whether a workflow is one of this program's own.
    pub fn has_workflow(&self, name: &str) -> bool {
        self.workflows.iter().any(|known| known.name == name)
    }

    /// Whether nothing is driven.
    pub fn is_paused(&self) -> bool {
        self.overview.as_ref().is_some_and(|overview| overview.paused)
    }

    /// The uppermost layer.
    pub fn layer(&self) -> Option<&Layer> {
        self.layers.last().map(|(_, layer)| layer)
    }

    /// Puts a layer over everything.
    pub fn push(&mut self, layer: impl Into<Layer>) {
        self.layers.push((self.next_layer, layer.into()));
        self.next_layer += 1;
        self.layer_shown = None;
    }

    /// Whether the keys go to running threads in place of items.
    pub fn shows_running(&self) -> bool {
        self.tab == Tab::Inbox && self.inbox.list.filter == Filter::Running
    }

    /// Whether the keys go to mail that was not shown.
    pub fn shows_skipped(&self) -> bool {
        self.tab == Tab::Inbox && self.inbox.list.filter == Filter::Skipped
    }

    /// Whether the keys go to past decisions.
    pub fn shows_history(&self) -> bool {
        self.tab == Tab::Inbox && self.inbox.list.filter == Filter::Decided
    }

    /// Whether the inbox's items are on the screen.
    pub fn shows_items(&self) -> bool {
        let other = self.shows_running() || self.shows_skipped() || self.shows_history();
        self.tab == Tab::Inbox && !other
    }

    /// The selected item, if the inbox is on the screen and one is selected.
    pub fn selected(&self) -> Option<&Row> {
        if self.shows_items() { self.inbox.list.selected() } else { None }
    }

    /// The card of the selected item, if it is there and of the item as it stands.
    pub fn current(&self) -> Option<&Opened> {
        let row = self.selected()?;
        self.inbox
            .opened
            .as_ref()
            .filter(|opened| opened.item.id == row.id && opened.item.args_hash == row.hash)
    }

    /// Whether the card shows what it folds at first.
    pub fn is_unfolded(&self) -> bool {
        self.current().is_some_and(|opened| opened.folds.open)
    }

    /// Where keys mean something now, the nearest first.
    pub fn scopes(&self) -> Vec<Scope> {
        self.layer().map_or_else(|| self.tab_scopes(), |layer| vec![layer.scope()])
    }

    /// Where the keys of the tab are found, whatever lies over it.
    pub fn tab_scopes(&self) -> Vec<Scope> {
        let near = match self.focus {
            Focus::List => Scope::List,
            Focus::Card => Scope::Card,
        };
        match (self.tab, self.focus) {
            (Tab::Inbox, _) => vec![near, Scope::Decide, Scope::Global],
            (Tab::Activity, _) => vec![near, Scope::Activity, Scope::Decide, Scope::Global],
            (Tab::Memory, _) => vec![near, Scope::Memory, Scope::Global],
            (Tab::Threads, Focus::List) => vec![near, Scope::Thread, Scope::Global],
            // Within a thread its own keys come first: `h` and `l` turn it.
            (Tab::Threads, Focus::Card) => vec![Scope::Thread, near, Scope::Global],
        }
    }

    /// Whether a layer only tells what can be done in the tab under it.
    pub fn shows_help(&self) -> bool {
        match self.layer() {
            Some(Layer::Help(_)) => true,
            Some(Layer::Prompt(prompt)) => prompt.ask == Ask::Palette,
            _ => false,
        }
    }

    /// Says something for a while.
    pub fn say(&mut self, text: impl Into<String>) {
        self.note = Some(Note {
            text: words::line(&text.into()),
            bad: false,
            about_key: false,
            until: self.now + Duration::from_secs(6),
        });
    }

    /// Says why a key did nothing, until the next one is pressed.
    pub fn refuse(&mut self, why: &str) {
        self.say(why);
        if let Some(note) = &mut self.note {
            note.about_key = true;
        }
    }

    /// Says that something went wrong.
    pub fn fail(&mut self, text: impl Into<String>) {
        self.note = Some(Note {
            text: words::line(&text.into()),
            bad: true,
            about_key: false,
            until: self.now + Duration::from_secs(12),
        });
    }

    /// The value that was asked for; a failure is said.
    pub fn ok_or_fail<T>(&mut self, result: InboxResult<T>) -> Option<T> {
        result.map_err(|failure| self.fail(failure.text)).ok()
    }

    /// Whether a clock is on the screen that shows seconds.
    pub fn shows_seconds(&self) -> bool {
        self.shows_items() && self.inbox.list.all().iter().any(|row| row.is_waited_for(self.wall))
    }

    /// Whether something on the screen changes with time alone.
    pub fn is_lively(&self) -> bool {
        !self.working.is_empty()
            || self.undo.as_ref().is_some_and(|undo| undo.kind != DecisionKind::Snoozed)
            || self.deferred_key.is_some()
            || self.note.is_some()
            || self.unkept.is_some()
            || self.ending
    }
}
