//! Everything the screen knows. Only `update` changes it, apart from the notes that `run` shows itself.

mod activity;
mod inbox;
mod job;
mod keys;
mod memory;
mod msg;
mod popup;
mod review;
mod rows;
mod threads;
mod tour;

pub use activity::{ActivityRow, ActivityTab, Section};
pub use inbox::*;
pub use job::{Callback, Failure, InboxResult, Job, TakeText};
pub use keys::{DeferredKey, EarlyKey, LastDecisionKey, Shown};
pub use memory::{MemoryTab, Versions, Wanted};
pub use msg::*;
pub use popup::{Beside, Layer, Popup};
pub use review::{Review, SpanRow, ThreadPane, prompt_page};
pub use rows::{PAGE, Rows};
pub use threads::{Stamp, ThreadsTab};
pub use tour::Tour;

use super::actions::{Keymap, Scope};
use super::key::Key;
use super::options::{Options, Startable};
use super::theme::Theme;
use super::words;
use crate::engine::graph::{Hash, ThreadId};
use crate::inbox::door::Inbox;
use crate::inbox::{DecisionEnd, GrantLine, ItemLine, Overview, Question, SourceLine, ThreadLine};
use jiff::{Timestamp, Zoned};
use std::collections::{BTreeMap, HashSet};
use std::time::{Duration, Instant};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tab {
    #[default]
    Inbox,
    Threads,
    Memory,
    Activity,
}

impl Tab {
    /// In the order shown.
    pub const ALL: [Tab; 4] = [Tab::Inbox, Tab::Threads, Tab::Memory, Tab::Activity];

    pub fn title(self) -> &'static str {
        match self {
            Tab::Inbox => "Inbox",
            Tab::Threads => "Threads",
            Tab::Memory => "Memory",
            Tab::Activity => "Activity",
        }
    }
}

/// Which half of a tab gets the keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Focus {
    #[default]
    List,
    /// The card next to or below the list.
    Card,
}

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

/// A sentence for a while: an answer to a key, or news. What was done is a [`Report`].
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
    /// What was asked for since the last message.
    pub jobs: Vec<Job>,
    /// Whether what is on the screen has to be read again.
    pub reload_due: bool,
    /// Whether the tab was just opened, and has to read what it shows.
    pub opened: bool,
    /// In columns and rows.
    pub size: (u16, u16),
    /// When the screen was opened.
    pub opened_at: Instant,
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
    /// Pop-ups over the tab.
    pub layers: Vec<Layer>,
    pub next_layer: u64,
    /// Keys that begin a longer sequence.
    pub pending: Vec<Key>,
    /// The previous key.
    pub last_key: Option<(Key, Instant)>,
    /// Whether the person has done anything yet: pressed, clicked or pasted.
    pub is_touched: bool,
    /// The last key that decided, while it may be held down.
    pub last_decision_key: Option<LastDecisionKey>,
    /// A decision that waits until its key is known not to be held down.
    pub deferred_key: Option<DeferredKey>,
    /// The key that the card asks for once more.
    pub early_key: Option<EarlyKey>,
    pub note: Option<Note>,
    /// What was done last, and then what was learned from it.
    pub reports: Vec<Report>,
    /// What can be undone.
    pub undo: Option<Undo>,
    /// What was put away here and is not back yet, the last one last.
    pub put_away: Vec<PutAway>,
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
    pub running: Vec<ThreadLine>,
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
            jobs: Vec::new(),
            reload_due: false,
            opened: false,
            size,
            opened_at: now,
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
            is_touched: false,
            last_decision_key: None,
            deferred_key: None,
            early_key: None,
            note: None,
            reports: Vec::new(),
            undo: None,
            put_away: Vec::new(),
            decided_drafts: Vec::new(),
            deciding: HashSet::new(),
            drafts: BTreeMap::new(),
            unsaved_draft: None,
            running_here: BTreeMap::new(),
            unreachable: BTreeMap::new(),
            running: Vec::new(),
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

    /// Whether a workflow is one of this program's own.
    pub fn has_workflow(&self, name: &str) -> bool {
        self.workflows.iter().any(|workflow| workflow.name == name)
    }

    pub fn is_paused(&self) -> bool {
        self.overview.as_ref().is_some_and(|overview| overview.paused)
    }

    /// Whether the tab lists skipped mail.
    pub fn shows_skipped(&self) -> bool {
        self.tab == Tab::Inbox && self.inbox.list.filter == Filter::Skipped
    }

    /// What the line after the items says, if there is one.
    pub fn past_end(&self) -> Option<PastEnd> {
        let list = &self.inbox.list;
        let (count, line) = if !list.narrow.is_empty() {
            let (found, may_be_more) = list.found_elsewhere();
            (found, PastEnd::Elsewhere(found, may_be_more))
        } else {
            let skipped = self.inbox.recently_skipped;
            (usize::try_from(skipped).unwrap_or(usize::MAX), PastEnd::Skipped(skipped))
        };
        (count > 0 && list.filter == Filter::All && list.complete).then_some(line)
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
        self.tab == Tab::Inbox && self.inbox.list.filter.lists_items()
    }

    /// The selected item, if the inbox lists items and one is selected.
    pub fn selected(&self) -> Option<&ItemLine> {
        if self.shows_items() { self.inbox.list.selected() } else { None }
    }

    /// Whether the inbox lists marked items, which keys that decide act on.
    pub fn has_marks(&self) -> bool {
        self.shows_items() && self.inbox.list.has_marks()
    }

    /// The marked items, or else the selected one.
    pub fn chosen(&self) -> Vec<&ItemLine> {
        if self.has_marks() { self.inbox.list.marked() } else { self.selected().into_iter().collect() }
    }

    /// The card of the selected item, if it is loaded and up to date.
    pub fn current(&self) -> Option<&Opened> {
        let row = self.selected()?;
        self.inbox
            .opened
            .as_ref()
            .filter(|opened| opened.item.id() == row.id && opened.item.hash() == row.hash)
    }

    /// What a key that decides may act on once it was drawn: the card of the selected item, or the skipped mail of a
    /// thread, which has no hash.
    pub fn decidable(&self) -> Option<(String, Option<Hash>)> {
        if self.shows_skipped() {
            let thread = self.inbox.skipped.selected()?.thread.as_ref()?;
            return Some((thread.to_string(), None));
        }
        self.current().map(|opened| (opened.item.id().to_owned(), opened.item.hash()))
    }

    /// The question on the card of the selected item; `None` for a result.
    pub fn question(&self) -> Option<&Question> {
        self.current()?.item.question()
    }

    /// Whether the card is unfolded.
    pub fn is_unfolded(&self) -> bool {
        self.current().is_some_and(|opened| opened.folds.open)
    }

    /// The scopes active now, nearest first.
    pub fn scopes(&self) -> Vec<Scope> {
        self.popup().map_or_else(|| self.tab_scopes(), |popup| vec![popup.scope()])
    }

    /// The tab's scopes, regardless of layers over it.
    pub fn tab_scopes(&self) -> Vec<Scope> {
        let nearest = match self.focus {
            Focus::List => Scope::List,
            Focus::Card => Scope::Card,
        };
        match (self.tab, self.focus) {
            (Tab::Inbox | Tab::Activity, _) => vec![nearest, Scope::Decide, Scope::Global],
            (Tab::Memory, _) => vec![nearest, Scope::Memory, Scope::Global],
            (Tab::Threads, Focus::List) => vec![nearest, Scope::Thread, Scope::Global],
            // Within a thread its own keys come first: `h` and `l` switch its views.
            (Tab::Threads, Focus::Card) => vec![Scope::Thread, nearest, Scope::Global],
        }
    }

    /// Whether the last decision is held.
    pub fn is_held(&self) -> bool {
        self.undo.as_ref().is_some_and(|undo| undo.until.is_some())
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

    /// A sentence of ours with the keys in place of the `<actions>` that it names.
    pub fn spell(&self, sentence: &str) -> String {
        self.keymap.spell(&self.scopes(), sentence)
    }

    /// Says why a key did nothing, until the next key is pressed.
    pub fn refuse(&mut self, why: &str) {
        self.say(self.spell(why));
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

    /// Tells what became of something that was done, until the next one.
    pub fn report(&mut self, end: DecisionEnd, text: impl Into<String>) {
        self.reports.clear();
        self.report_also(end, text);
    }

    /// Tells what followed from what is told now.
    pub fn report_also(&mut self, end: DecisionEnd, text: impl Into<String>) {
        self.note.take_if(|note| !note.is_error);
        self.reports.truncate(1);
        self.reports.push(Report { end, text: words::line(&text.into()), at: self.wall });
    }

    /// Tells how something ended that had been done before; what followed from it meanwhile stays.
    pub fn report_end(&mut self, report: Report) {
        self.note.take_if(|note| !note.is_error);
        match self.reports.first_mut().filter(|first| first.end == DecisionEnd::Pending) {
            Some(pending) => *pending = report,
            None => self.reports = vec![report],
        }
    }

    /// The value, or `None` after showing the failure.
    pub fn ok_or_fail<T>(&mut self, result: InboxResult<T>) -> Option<T> {
        result.map_err(|failure| self.fail(failure.text)).ok()
    }

    /// Goes to a tab, which then reads what it shows.
    pub fn go(&mut self, tab: Tab) {
        if self.tab != tab {
            self.focus = Focus::List;
        }
        (self.tab, self.opened) = (tab, true);
    }

    /// Reads again what is on the screen, after this message.
    pub fn reload(&mut self) {
        self.reload_due = true;
    }

    /// Saves the typed text.
    pub fn save_draft(&mut self) {
        let Some((key, _)) = self.unsaved_draft.take() else { return };
        let text = self.drafts.get(&key).cloned();
        self.keep_draft(key, text);
    }

    /// The text under this key, which is about to be sent; nobody saves it later.
    pub fn typed_draft(&mut self, key: &str) -> Option<String> {
        self.unsaved_draft.take_if(|(unsaved, _)| unsaved == key);
        self.drafts.get(key).cloned()
    }

    /// Saves a draft, or deletes it.
    pub fn keep_draft(&mut self, key: String, text: Option<String>) {
        let keep = async move |inbox: Inbox| inbox.decisions().keep_draft(key, text).await;
        self.start(keep, |model, result| {
            if let Err(failure) = result {
                model.fail(format!("what you typed could not be saved: {}", failure.text));
            }
        });
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
