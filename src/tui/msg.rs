//! The events the screen handles, and the commands it issues. Both are closed lists.

use super::key::Key;
use crate::app::Delivery;
use crate::config::OwnCommand;
use crate::graph::{InterruptId, Progress, Shape, ThreadId};
use crate::inbox::{
    Activity, ActivityQuery, AgentSession, AnswerKind, CallView, Card, DecisionLine, DecisionLinks,
    DecisionQuery, DecisionRequest, DecisionView, Edited, Facets, Glance, GrantLine, GrantRequest,
    InboxError, Item, ItemLine, LineQuery, MemoryLine, MemoryVersion, MemoryView, Outcome, Overview, Page,
    PruneQuery, Pruned, Pruning, SkippedCount, SkippedLine, SkippedQuery, SourceLine, StepStates, Storage,
    ThreadLine, ThreadQuery, ThreadView, UndoableBatch, UsageView,
};
use crate::service::{AttachedFile, MailMove, Programs};
use jiff::Timestamp;
use jiff::civil::Date;
use serde_json::Value;
use std::time::Instant;

/// A key as it was read.
#[derive(Clone, Copy, Debug)]
pub struct Press {
    pub key: Key,
    pub at: Instant,
    /// Whether other keys came with it: nobody types that fast, so it decides nothing.
    pub burst: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mouse {
    Click,
    WheelUp,
    WheelDown,
}

/// What was in the last frame that a key may act on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// The item whose card was drawn.
    pub card: Option<String>,
    /// Whether the end of its proposal was on the screen.
    pub end: bool,
    /// The number of the uppermost layer.
    pub layer: Option<u64>,
}

/// Why a request was not carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The card was outdated or is no longer open, or there was nothing to do.
    pub stale: bool,
    /// One sentence.
    pub text: String,
}

impl From<InboxError> for Failure {
    fn from(error: InboxError) -> Self {
        let stale = matches!(error, InboxError::Stale { .. } | InboxError::NotOpen { .. });
        let text = match &error {
            InboxError::Stale { .. } => "it has changed since it was shown; look at it again".to_owned(),
            InboxError::Refused { refusal, .. } => refusal.to_string(),
            other => other.to_string(),
        };
        Self { stale, text }
    }
}

/// The result of a request to the inbox.
pub type InboxResult<T> = Result<T, Failure>;

/// A card as it was read.
#[derive(Clone, Debug)]
pub struct LoadedCard {
    pub item: Item,
    pub card: Card,
    /// Earlier answers.
    pub answers: Vec<DecisionView>,
}

/// A thread as it was read.
#[derive(Clone, Debug)]
pub struct LoadedThread {
    /// Everything on record.
    pub view: ThreadView,
    /// The conversation.
    pub card: Card,
    /// Its graph, if this build knows the workflow.
    pub shape: Option<Shape>,
}

/// Who drives threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Driving {
    Unknown,
    /// This process.
    Ours,
    /// Another process, by its pid if known.
    Theirs(Option<u32>),
    /// Nobody can, for this reason.
    Nobody(String),
}

#[derive(Debug)]
pub enum Msg {
    /// One of the user's own commands, by name, has ended.
    OwnCommandRan(String, InboxResult<String>),
    Key(Press),
    Paste(String),
    /// The mouse was used at a column and a row.
    Mouse(Mouse, u16, u16),
    Resized(u16, u16),
    /// A frame is on the screen, and no key was waiting when it was flushed.
    Drawn(Seen, Instant),
    Tick(Instant, Timestamp),
    /// Something in the store changed.
    Changed,
    /// A node driven by this process made progress.
    Progress(Progress),
    Driving(Driving),
    /// The inbox at a glance.
    Glanced(InboxResult<Vec<Glance>>),
    /// Lines of the list.
    Lines(InboxResult<Vec<ItemLine>>),
    /// A card, with earlier answers.
    Card(String, InboxResult<Box<LoadedCard>>),
    Overview(InboxResult<Overview>),
    /// The state of each mailbox.
    Sources(InboxResult<Vec<SourceLine>>),
    CostToday(InboxResult<f64>),
    /// Sessions of coding agents.
    Sessions(InboxResult<Vec<AgentSession>>),
    Running(InboxResult<Vec<ThreadLine>>),
    /// A page of threads.
    Threads(ThreadQuery, InboxResult<Page<ThreadLine>>),
    /// What threads can be filtered by.
    Facets(InboxResult<Facets>),
    Thread(ThreadId, InboxResult<Box<LoadedThread>>),
    /// What a step of a thread changed.
    StepStates(ThreadId, InboxResult<Box<StepStates>>),
    /// The text of a model call.
    ModelCall(InboxResult<Box<CallView>>),
    Forked(InboxResult<Outcome>),
    /// What was learned.
    Memory(InboxResult<Vec<MemoryLine>>),
    /// Why an item is there.
    Why(String, InboxResult<Card>),
    /// What an item becomes with these arguments.
    EditReviewed(InterruptId, Value, InboxResult<Edited>),
    /// What is allowed without asking.
    Grants(InboxResult<Vec<GrantLine>>),
    /// A card was accepted, with the new grant; or it was not accepted.
    Granted(String, InboxResult<GrantLine>),
    /// A grant was revoked or restored.
    Revoked(InboxResult<GrantLine>),
    Skipped(SkippedQuery, InboxResult<Page<SkippedLine>>),
    /// How much mail was skipped lately, and whether to tell the user now.
    SkippedLately(InboxResult<(SkippedCount, bool)>),
    Decisions(DecisionQuery, InboxResult<Page<DecisionLine>>),
    /// The latest decisions, to see how those of this screen ended.
    DecisionEnds(InboxResult<Page<DecisionLine>>),
    /// The grants behind the decision at this place, and what was learned from it.
    DecisionLinks(i64, InboxResult<DecisionLinks>),
    /// What was learned, to see what is new.
    Lessons(InboxResult<Vec<MemoryLine>>),
    /// A mail got another class: this one.
    Reclassified(ThreadId, InboxResult<String>),
    /// The attachments of a thread's mails.
    Attachments(ThreadId, InboxResult<Vec<AttachedFile>>),
    /// Mails were put away or moved back, or why not.
    PutAway(MailMove, Vec<(ThreadId, InboxResult<()>)>),
    /// The folders that mail can be moved to.
    Folders(InboxResult<Vec<String>>),
    /// A profile with its pins.
    Profile(InboxResult<MemoryView>),
    /// All versions of a profile, newest first.
    ProfileVersions(HistoryPurpose, InboxResult<Vec<MemoryVersion>>),
    /// `$EDITOR` was closed: namespace, the version it began with, the new text.
    ProfileEdited(String, u64, InboxResult<String>),
    /// A profile was edited, pinned or reverted.
    ProfileChanged(InboxResult<String>),
    /// A profile with its pins and all its versions.
    ProfileAndVersions(String, InboxResult<(MemoryView, Vec<MemoryVersion>)>),
    /// What went on lately.
    Activity(InboxResult<Box<Activity>>),
    /// What a running thread has used.
    Usage(ThreadId, InboxResult<UsageView>),
    /// What the database file holds.
    Storage(InboxResult<Storage>),
    /// What pruning would remove.
    PrunePlan(PruneQuery, InboxResult<Pruning>),
    Pruned(InboxResult<Pruned>),
    /// Everything typed but not sent.
    Drafts(InboxResult<Vec<(String, String)>>),
    /// A mail of the tour was delivered.
    Delivered(InboxResult<()>),
    /// The saved order of the list.
    Order(InboxResult<Option<String>>),
    /// Decisions were taken or not, by item.
    Decided(DecisionKind, Vec<(String, InboxResult<()>)>),
    /// The newest decision that can be undone, with the lines of its items.
    LastDecided(InboxResult<Option<(UndoableBatch, Vec<ItemLine>)>>),
    /// Decisions were undone or not, by item. Empty if nothing can be undone.
    Undone(Vec<(String, InboxResult<()>)>),
    /// A thread was stopped, or not.
    Stopped(ThreadId, InboxResult<()>),
    /// A thread of this workflow was started, or not.
    Started(String, InboxResult<ThreadId>),
    /// A request without a result was carried out, or not.
    Done(InboxResult<String>),
    /// `$EDITOR` was closed.
    Edited(u64, InboxResult<String>),
    /// Completions of a path.
    Completions(u64, String, Vec<String>),
}

/// What a decision did, for the note about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecisionKind {
    Accepted,
    /// Accepted with changes.
    Edited,
    /// Written in place of the proposal, to be approved next.
    Written,
    Answered,
    /// A permission was refused.
    Refused,
    Ignored,
    /// Saved as a draft.
    Drafted,
    /// A result was filed away.
    Filed,
    /// A result was continued.
    Continued,
    Snoozed {
        until: Timestamp,
    },
    Woken,
}

impl DecisionKind {
    pub fn is_snooze(self) -> bool {
        matches!(self, DecisionKind::Snoozed { .. })
    }

    pub fn can_be_undone(self) -> bool {
        !matches!(self, DecisionKind::Filed | DecisionKind::Continued | DecisionKind::Woken)
    }

    /// In the past tense.
    pub fn word(self) -> &'static str {
        match self {
            DecisionKind::Accepted => AnswerKind::Accept.past(),
            DecisionKind::Edited => AnswerKind::Edit.past(),
            DecisionKind::Written => "written, comes back to approve",
            DecisionKind::Answered => AnswerKind::Respond.past(),
            DecisionKind::Refused => "refused",
            DecisionKind::Ignored => AnswerKind::Ignore.past(),
            DecisionKind::Drafted => AnswerKind::Draft.past(),
            DecisionKind::Filed => "filed away",
            DecisionKind::Continued => "continued",
            DecisionKind::Snoozed { .. } => AnswerKind::Snooze.past(),
            DecisionKind::Woken => "snooze ended",
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Cmd {
    /// Read the inbox at a glance.
    Glance,
    Lines(LineQuery),
    /// Read the card of an interrupt or a result.
    Card(String),
    Overview,
    /// Ask for the state of each mailbox.
    Sources,
    /// Ask what model calls have cost since then.
    CostToday(Timestamp),
    /// Ask the driver to check for mail.
    FetchMail,
    Sessions,
    /// Bring a session's terminal to the front.
    FocusSession(String),
    /// Bring the terminal of the agent that asks in this thread to the front.
    FocusAsker(ThreadId),
    Running,
    /// Read a page of threads.
    Threads(ThreadQuery),
    /// Read what threads can be filtered by.
    Facets,
    Thread(ThreadId),
    /// Read what a step of a thread changed.
    StepStates(ThreadId, u64),
    /// Read the text of a model call.
    ModelCall(ThreadId, u64),
    /// Start another thread after a step of this one.
    Fork(ThreadId, u64),
    /// Write a thread to a file.
    Export(ThreadId, String),
    /// List what was learned.
    Memory,
    /// Read why an item is there.
    Why(String),
    /// Ask what an item becomes with these arguments.
    ReviewEdit(InterruptId, Value),
    /// List what is allowed without asking.
    Grants,
    /// Accept, and allow more of the same.
    Grant(DecisionRequest, GrantRequest),
    /// Accept, and let the agent remember the offer with this index.
    AcceptRemembering(DecisionRequest, usize),
    Revoke(String),
    /// Put a built-in grant back into effect.
    Restore(String),
    /// List skipped mail.
    Skipped(SkippedQuery),
    /// Count the mail skipped since then, for this day.
    SkippedLately(Timestamp, Date),
    /// Ask whether to leave the list that a thread's mail came from.
    Unsubscribe(ThreadId),
    /// List past decisions.
    Decisions(DecisionQuery),
    /// List the latest decisions, to see how those of this screen ended.
    DecisionEnds(DecisionQuery),
    /// Read the grants behind a decision, and what was learned from it.
    DecisionLinks(Box<DecisionLine>),
    /// List what was learned, to see what is new.
    Lessons,
    /// List the attachments of a thread's mails.
    Attachments(ThreadId),
    /// Save an attachment, by its number.
    SaveAttached(ThreadId, usize, Programs),
    /// Open an attachment with the system's program, by its number.
    OpenAttached(ThreadId, usize),
    /// Put the mails of these threads away, or move them back.
    PutAway(Vec<ThreadId>, MailMove),
    /// List the folders that the mail of these threads can be moved to.
    Folders(Vec<ThreadId>),
    /// Give a thread's mail another class.
    Reclassify(ThreadId, String),
    /// Read a profile with its pins.
    Profile(String),
    /// Read all versions of a profile.
    ProfileVersions(String, HistoryPurpose),
    /// Let the user edit a profile in `$EDITOR`: namespace, version, text.
    EditProfile(String, u64, String),
    /// Write a profile on top of the version that was read.
    Remember(String, u64, String),
    /// Pin or unpin a line of a profile.
    Pin(String, String, bool),
    /// Make an earlier version of a profile the newest.
    Revert(String, u64),
    /// Read a profile with its pins and all its versions.
    ProfileAndVersions(String),
    /// Count what went on lately.
    Activity(ActivityQuery),
    /// Read what a running thread has used.
    Usage(ThreadId),
    /// Read what the database file holds.
    Storage,
    /// Count what pruning would remove.
    PrunePlan(PruneQuery),
    /// Prune old threads.
    Prune(PruneQuery),
    /// Read everything typed but not sent.
    Drafts,
    /// Deliver a mail of the tour, dated like this.
    Deliver(Delivery, Timestamp),
    /// Read the saved order of the list.
    Order,
    /// Save the order of the list.
    KeepOrder(String),
    /// Save a draft, or delete it.
    KeepDraft(String, Option<String>),
    Decide(DecisionKind, Vec<DecisionRequest>),
    FileAway(Vec<ThreadId>),
    /// Go on after a result.
    Proceed(ThreadId, String),
    /// Undo decisions.
    Undo(Vec<InterruptId>),
    /// Undo everything that was decided together with this one.
    UndoTogether(InterruptId),
    /// Undo the newest decision that can be undone, whoever took it.
    UndoLast,
    /// Read the newest decision that can be undone.
    LastDecided,
    /// Snooze until then, or wake.
    Snooze(Vec<InterruptId>, Option<Timestamp>),
    Stop(ThreadId),
    Start(String, Value),
    /// Pause or resume everything.
    Pause(bool),
    /// Complete a path for the form with this number.
    Complete(u64, String),
    /// Copy text to the clipboard.
    Copy(String),
    /// Let the user edit text in `$EDITOR`, for the layer with this number.
    Editor(u64, String, &'static str),
    /// Pipe text to a command the user typed.
    Pipe(String, String),
    /// Run one of the user's own commands on a card, as JSON.
    RunOwnCommand(OwnCommand, String),
    /// Notify a user who may be looking elsewhere.
    Notice(String),
    /// Stop until the shell says `fg`.
    Suspend,
    /// Draw everything again.
    Redraw,
    Quit,
}

/// Why earlier versions of a profile are requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HistoryPurpose {
    /// To look at them.
    Read,
    /// To go back to one.
    Revert,
}
