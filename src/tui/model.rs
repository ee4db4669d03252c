//! Everything the screen knows. Only `update` changes it, apart from the notes that `run` shows itself.

use super::actions::{Keymap, Scope};
use super::key::Key;
use super::key_guard::{DeferredKey, LastDecisionKey, Shown};
use super::layers::{Layer, PromptKind};
use super::msg::{Cmd, Driving, InboxResult};
use super::options::{Options, Startable};
use super::tabs::activity::ActivityTab;
use super::tabs::inbox::{Filter, InboxTab, Opened, Row, Undo};
use super::tabs::memory::MemoryTab;
use super::tabs::threads::ThreadsTab;
use super::tabs::threads::review::Review;
use super::tabs::{Focus, PagedList, Tab};
use super::theme::Theme;
use super::tour::Tour;
use super::words;
use crate::graph::ThreadId;
use crate::inbox::{GrantLine, LineQuery, Overview, SourceLine, ThreadLine};
use jiff::{Timestamp, Zoned};
use std::collections::{BTreeMap, HashSet};
use std::time::{Duration, Instant};

/// A thread at work in this process.
#[derive(Clone, Debug, Default)]
pub struct RunningThread {
    pub node: String,
    pub since: Option<Instant>,
    /// The newest part of the model's output.
    pub text: String,
    /// The progress of long work: its name, how much is done, and the total.
    pub bar: Option<(String, u64, u64)>,
}

/// A line about what happened.
#[derive(Clone, Debug)]
pub struct Note {
    pub text: String,
    /// Whether it reports an error.
    pub is_error: bool,
    /// Whether it says why a key did nothing; the next key removes it.
    pub about_key: bool,
    pub until: Instant,
}

pub struct Model {
    /// In columns and rows.
    pub size: (u16, u16),
    /// The clock for waits.
    pub now: Instant,
    /// The clock for ages.
    pub wall: Timestamp,
    pub options: Options,
    pub theme: Theme,
    pub keymap: Keymap,
    pub tour: Option<Tour>,
    pub workflows: Vec<Startable>,
    pub tab: Tab,
    /// The half of the tab that gets the keys.
    pub focus: Focus,
    pub inbox: InboxTab,
    pub threads: ThreadsTab,
    pub memory: MemoryTab,
    pub activity: ActivityTab,
    /// The card that a decision key may act on.
    pub shown: Option<Shown>,
    /// The layer that was drawn last, and when.
    pub layer_shown: Option<(u64, Instant)>,
    /// Layers over the tab, each with its number.
    pub layers: Vec<(u64, Layer)>,
    pub next_layer: u64,
    /// Keys that begin a longer sequence.
    pub pending: Vec<Key>,
    /// The previous key.
    pub last_key: Option<(Key, Instant)>,
    /// The last key that decided, while it may be held down.
    pub last_decision_key: Option<LastDecisionKey>,
    /// A decision that waits until its key is known not to be held down.
    pub deferred_key: Option<DeferredKey>,
    pub note: Option<Note>,
    /// What can be undone.
    pub undo: Option<Undo>,
    /// The threads whose mail was put away last.
    pub put_away: Vec<ThreadId>,
    /// The typed text of the last decision, by draft key: if the decision is undone, it becomes a draft again.
    pub decided_drafts: Vec<(String, String)>,
    /// The items being decided right now.
    pub deciding: HashSet<String>,
    /// Everything typed but not sent.
    pub drafts: BTreeMap<String, String>,
    /// The draft that is not saved yet, and since when.
    pub unsaved_draft: Option<(String, Instant)>,
    /// Threads running in this process.
    pub running_here: BTreeMap<ThreadId, RunningThread>,
    /// Threads of this process whose last try did not reach a server, with that server.
    pub unreachable: BTreeMap<ThreadId, String>,
    /// Threads running in any process.
    pub running: PagedList<ThreadLine>,
    pub grants: Vec<GrantLine>,
    pub overview: Option<Overview>,
    /// The state of each mailbox.
    pub sources: Vec<SourceLine>,
    pub spent_today: f64,
    pub driving: Driving,
    pub spinner_frame: usize,
    /// Whether to quit once nothing is held.
    pub quit_when_idle: bool,
    /// When the user was last notified.
    pub last_notice: Option<Instant>,
}

impl Model {
    /// A screen that has loaded nothing yet; the error names a key that is not possible.
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
            decided_drafts: Vec::new(),
            deciding: HashSet::new(),
            drafts: BTreeMap::new(),
            unsaved_draft: None,
            running_here: BTreeMap::new(),
            unreachable: BTreeMap::new(),
            running: PagedList::default(),
            grants: Vec::new(),
            overview: None,
            sources: Vec::new(),
            spent_today: 0.0,
            driving: Driving::Unknown,
            spinner_frame: 0,
            quit_when_idle: false,
            last_notice: None,
        })
    }

    /// The thread shown, if the Threads tab is on the screen.
    pub fn shown_review(&self) -> Option<&Review> {
        self.threads.review.as_ref().filter(|_| self.tab == Tab::Threads)
    }

    /// The commands to run at start.
    pub fn begin(&self) -> Vec<Cmd> {
        // As many lines as a screen shows; the rest is loaded once it is drawn.
        let shown = usize::from(self.size.1 / 2).max(8);
        vec![Cmd::Order, Cmd::Lines(LineQuery::First(shown)), Cmd::Drafts]
    }

    /// Whether a workflow is one of this program's own.
    pub fn has_workflow(&self, name: &str) -> bool {
        self.workflows.iter().any(|workflow| workflow.name == name)
    }

    pub fn is_paused(&self) -> bool {
        self.overview.as_ref().is_some_and(|overview| overview.paused)
    }

    pub fn layer(&self) -> Option<&Layer> {
        self.layers.last().map(|(_, layer)| layer)
    }

    /// Puts a layer on top.
    pub fn push(&mut self, layer: impl Into<Layer>) {
        self.layers.push((self.next_layer, layer.into()));
        self.next_layer += 1;
        self.layer_shown = None;
    }

    /// Whether the tab lists running threads instead of items.
    pub fn shows_running(&self) -> bool {
        self.tab == Tab::Inbox && self.inbox.list.filter == Filter::Running
    }

    /// Whether the tab lists skipped mail.
    pub fn shows_skipped(&self) -> bool {
        self.tab == Tab::Inbox && self.inbox.list.filter == Filter::Skipped
    }

    /// The time by the person's clock.
    pub fn local_time(&self) -> Zoned {
        self.wall.to_zoned(self.options.time_zone.clone())
    }

    /// Whether the tab lists past decisions.
    pub fn shows_history(&self) -> bool {
        self.tab == Tab::Inbox && self.inbox.list.filter == Filter::Decided
    }

    /// Whether the tab lists the inbox's items.
    pub fn shows_items(&self) -> bool {
        let other = self.shows_running() || self.shows_skipped() || self.shows_history();
        self.tab == Tab::Inbox && !other
    }

    /// The selected item, if the inbox lists items and one is selected.
    pub fn selected(&self) -> Option<&Row> {
        if self.shows_items() { self.inbox.list.selected() } else { None }
    }

    /// The card of the selected item, if it is loaded and up to date.
    pub fn current(&self) -> Option<&Opened> {
        let row = self.selected()?;
        self.inbox
            .opened
            .as_ref()
            .filter(|opened| opened.item.id == row.id && opened.item.args_hash == row.hash)
    }

    /// Whether the card is unfolded.
    pub fn is_unfolded(&self) -> bool {
        self.current().is_some_and(|opened| opened.folds.open)
    }

    /// The scopes active now, nearest first.
    pub fn scopes(&self) -> Vec<Scope> {
        self.layer().map_or_else(|| self.tab_scopes(), |layer| vec![layer.scope()])
    }

    /// The tab's scopes, regardless of layers over it.
    pub fn tab_scopes(&self) -> Vec<Scope> {
        let nearest = match self.focus {
            Focus::List => Scope::List,
            Focus::Card => Scope::Card,
        };
        match (self.tab, self.focus) {
            (Tab::Inbox, _) => vec![nearest, Scope::Decide, Scope::Global],
            (Tab::Activity, _) => vec![nearest, Scope::Activity, Scope::Decide, Scope::Global],
            (Tab::Memory, _) => vec![nearest, Scope::Memory, Scope::Global],
            (Tab::Threads, Focus::List) => vec![nearest, Scope::Thread, Scope::Global],
            // Within a thread its own keys come first: `h` and `l` switch its views.
            (Tab::Threads, Focus::Card) => vec![Scope::Thread, nearest, Scope::Global],
        }
    }

    /// Whether the layer only lists what can be done in the tab below it.
    pub fn shows_help(&self) -> bool {
        match self.layer() {
            Some(Layer::Help(_)) => true,
            Some(Layer::Prompt(prompt)) => prompt.ask == PromptKind::Palette,
            _ => false,
        }
    }

    /// Shows a message for a while.
    pub fn say(&mut self, text: impl Into<String>) {
        self.note = Some(Note {
            text: words::line(&text.into()),
            is_error: false,
            about_key: false,
            until: self.now + Duration::from_secs(6),
        });
    }

    /// Says why a key did nothing, until the next key is pressed.
    pub fn refuse(&mut self, why: &str) {
        self.say(why);
        if let Some(note) = &mut self.note {
            note.about_key = true;
        }
    }

    /// Shows an error.
    pub fn fail(&mut self, text: impl Into<String>) {
        self.note = Some(Note {
            text: words::line(&text.into()),
            is_error: true,
            about_key: false,
            until: self.now + Duration::from_secs(12),
        });
    }

    /// The value, or `None` after showing the failure.
    pub fn ok_or_fail<T>(&mut self, result: InboxResult<T>) -> Option<T> {
        result.map_err(|failure| self.fail(failure.text)).ok()
    }

    /// Saves the typed text.
    pub fn save_draft(&mut self) -> Vec<Cmd> {
        let Some((key, _)) = self.unsaved_draft.take() else { return Vec::new() };
        let text = self.drafts.get(&key).cloned();
        vec![Cmd::KeepDraft(key, text)]
    }

    /// Whether a clock with seconds is on the screen.
    pub fn shows_seconds(&self) -> bool {
        self.shows_items() && self.inbox.list.all().iter().any(|row| row.is_waited_for(self.wall))
    }

    /// Whether something on the screen changes with time alone.
    pub fn needs_ticks(&self) -> bool {
        !self.running_here.is_empty()
            || self.undo.as_ref().is_some_and(|undo| !undo.kind.is_snooze())
            || self.deferred_key.is_some()
            || self.note.is_some()
            || self.unsaved_draft.is_some()
            || self.quit_when_idle
    }
}
