//! What happens to the screen, and what it asks to be done. Both are closed lists.

use super::keys::Key;
use crate::app::Delivery;
use crate::config::OwnCommand;
use crate::graph::{InterruptId, Progress, Shape, ThreadId};
use crate::inbox::{
    Activity, ActivityQuery, AgentSession, CallView, Card, Decide, DecisionLine, DecisionLinks, DecisionPage,
    DecisionQuery, DecisionView, ErrorLine, Facets, Glance, GrantLine, GrantRequest, InboxError, Item,
    ItemLine, LineQuery, MemoryLine, MemoryVersion, MemoryView, Outcome, Overview, PruneQuery, Pruned,
    Pruning, SkippedCount, SkippedPage, SkippedQuery, SourceLine, StepStates, Storage, ThreadLine,
    ThreadPage, ThreadQuery, ThreadView, UsageView,
};
use crate::service::{AttachedFile, Programs, Way};
use jiff::Timestamp;
use jiff::civil::Date;
use serde_json::Value;
use std::time::Instant;

/// A key as it was read.
#[derive(Clone, Copy, Debug)]
pub struct Press {
    pub key: Key,
    pub at: Instant,
    /// Whether others came with it: nobody types that fast, so it decides nothing.
    pub burst: bool,
}

/// What the mouse did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mouse {
    Click,
    /// The wheel, upwards.
    WheelUp,
    /// The wheel, downwards.
    WheelDown,
}

/// What the last frame held that a key may act on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// The item whose card was drawn.
    pub card: Option<String>,
    /// Whether the end of what it proposes was on the screen.
    pub end: bool,
    /// The uppermost layer, by its number.
    pub layer: Option<u64>,
}

/// Why something asked for was not done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The card was not the card as it stands, or is no longer open.
    pub stale: bool,
    /// In a sentence.
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

/// What was asked, answered.
pub type InboxResult<T> = Result<T, Failure>;

/// A card as it was read.
#[derive(Clone, Debug)]
pub struct Read {
    pub item: Item,
    pub card: Card,
    /// What was answered before.
    pub answers: Vec<DecisionView>,
}

/// A thread as it was read.
#[derive(Clone, Debug)]
pub struct Reviewed {
    /// Everything on record.
    pub view: ThreadView,
    /// The conversation.
    pub card: Card,
    /// Its graph, if this build knows it.
    pub shape: Option<Shape>,
}

/// Who drives threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Driving {
    /// Not known yet.
    Unknown,
    /// This process.
    Ours,
    /// Another one, by its number if that is known.
    Theirs(Option<u32>),
    /// Nobody can: why.
    Nobody(String),
}

/// Something that happened.
#[derive(Debug)]
pub enum Msg {
    /// A command of the person's own, by its name, has ended.
    OwnRan(String, InboxResult<String>),
    /// A key was pressed.
    Key(Press),
    /// Text was pasted.
    Paste(String),
    /// The mouse did something at a column and a row.
    Mouse(Mouse, u16, u16),
    /// The screen has another size.
    Resized(u16, u16),
    /// A frame is on the screen, and no key was waiting when it was.
    Drawn(Seen, Instant),
    /// Time has passed.
    Tick(Instant, Timestamp),
    /// Something changed in the store.
    Changed,
    /// A node this process drives got further.
    Progress(Progress),
    Driving(Driving),
    /// The inbox at a glance.
    Glanced(InboxResult<Vec<Glance>>),
    /// Lines of the list that were asked for.
    Lines(InboxResult<Vec<ItemLine>>),
    /// A card, with what was answered before.
    Card(String, InboxResult<Box<Read>>),
    /// The inbox in numbers.
    Overview(InboxResult<Overview>),
    /// How each mailbox does.
    Sources(InboxResult<Vec<SourceLine>>),
    /// What the day has cost.
    CostToday(InboxResult<f64>),
    /// Sessions of coding agents.
    Sessions(InboxResult<Vec<AgentSession>>),
    /// Running threads.
    Running(InboxResult<Vec<ThreadLine>>),
    /// A page of threads that was asked for.
    Threads(ThreadQuery, InboxResult<ThreadPage>),
    /// What threads can be narrowed to.
    Facets(InboxResult<Facets>),
    Thread(ThreadId, InboxResult<Box<Reviewed>>),
    /// What a step of a thread changed.
    StepStates(ThreadId, InboxResult<Box<StepStates>>),
    /// The words of a model call.
    ModelCall(InboxResult<Box<CallView>>),
    /// A thread was forked.
    Forked(InboxResult<Outcome>),
    /// What was learned.
    Memory(InboxResult<Vec<MemoryLine>>),
    /// Why an item is there.
    Why(String, InboxResult<Card>),
    /// What may be done without asking.
    Grants(InboxResult<Vec<GrantLine>>),
    /// A card was accepted, or was not; and if it was, what is allowed from now on.
    Granted(String, InboxResult<GrantLine>),
    /// A grant was revoked or restored.
    Revoked(InboxResult<GrantLine>),
    /// Mail that was not shown.
    Skipped(SkippedQuery, InboxResult<SkippedPage>),
    /// How much mail was not shown lately, and whether the person is to be told of it now.
    SkippedLately(InboxResult<(SkippedCount, bool)>),
    /// Past decisions.
    Decisions(DecisionQuery, InboxResult<DecisionPage>),
    /// The latest decisions, to see how those of this screen ended.
    Ends(InboxResult<DecisionPage>),
    /// The grants of a decision, and what was learned from it.
    DecisionLinks(InterruptId, InboxResult<DecisionLinks>),
    /// What was learned, to see what is new.
    Lessons(InboxResult<Vec<MemoryLine>>),
    /// A mail was taken for something else: for what.
    Reclassified(InboxResult<String>),
    /// What is attached to a thread's mails.
    Attachments(ThreadId, InboxResult<Vec<AttachedFile>>),
    /// Mails were put away, or back; or why not.
    PutAway(Way, Vec<(ThreadId, InboxResult<()>)>),
    /// A profile with its pins.
    Profile(InboxResult<MemoryView>),
    /// All versions of a profile, newest first.
    History(Past, InboxResult<Vec<MemoryVersion>>),
    /// `$EDITOR` was left: namespace, the version it began with, what was written.
    ProfileEdited(String, u64, InboxResult<String>),
    /// A profile was written, pinned or taken back.
    Learned(InboxResult<String>),
    /// A profile with its pins and all its versions.
    Versions(String, InboxResult<(MemoryView, Vec<MemoryVersion>)>),
    /// What went on lately.
    Activity(InboxResult<Box<Activity>>),
    /// What goes wrong, by how often.
    Errors(InboxResult<Vec<ErrorLine>>),
    /// What a running thread has used.
    Usage(ThreadId, InboxResult<UsageView>),
    /// What the file holds.
    Storage(InboxResult<Storage>),
    /// What letting go of old threads would take.
    PrunePlan(PruneQuery, InboxResult<Pruning>),
    /// Old threads were let go of.
    Pruned(InboxResult<Pruned>),
    /// Everything begun and not sent.
    Drafts(InboxResult<Vec<(String, String)>>),
    /// A mail of the tour has come to the mailbox.
    Delivered(InboxResult<()>),
    /// How the person wants the list ordered.
    Order(InboxResult<Option<String>>),
    /// Decisions were taken, or not: by item.
    Decided(DecisionKind, Vec<(String, InboxResult<()>)>),
    /// Decisions were taken back, or not: by item.
    Undone(Vec<(String, InboxResult<()>)>),
    /// A thread was started.
    Started(InboxResult<ThreadId>),
    /// Something without an answer was done, or not.
    Done(InboxResult<String>),
    /// `$EDITOR` was left.
    Edited(u64, InboxResult<String>),
    /// Ways in which a path may go on.
    Completions(u64, String, Vec<String>),
}

/// What a decision did, for the line that says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecisionKind {
    /// Accepted as proposed.
    Accepted,
    /// Accepted with changes.
    Edited,
    /// Answered with words.
    Answered,
    Ignored,
    /// Saved as a draft.
    Drafted,
    /// A result, filed away.
    Filed,
    /// A result, gone on with.
    Continued,
    /// Put out of sight.
    Snoozed,
    /// Put back into it.
    Woken,
}

impl DecisionKind {
    /// In the past tense.
    pub fn word(self) -> &'static str {
        match self {
            DecisionKind::Accepted => "accepted",
            DecisionKind::Edited => "accepted with changes",
            DecisionKind::Answered => "answered",
            DecisionKind::Ignored => "ignored",
            DecisionKind::Drafted => "saved as a draft",
            DecisionKind::Filed => "filed away",
            DecisionKind::Continued => "continued",
            DecisionKind::Snoozed => "snoozed",
            DecisionKind::Woken => "snooze ended",
        }
    }
}

/// Something to be done.
#[derive(Clone, Debug, PartialEq)]
pub enum Cmd {
    /// Look at the inbox.
    Glance,
    /// Read lines of the list.
    Lines(Lines),
    /// Read a card: of an interrupt, or of a result.
    Card(String),
    /// Count.
    Overview,
    /// Ask how each mailbox does.
    Sources,
    /// Ask what model calls have cost since then.
    CostToday(Timestamp),
    /// Ask whoever drives to look for mail.
    FetchMail,
    /// List the sessions of coding agents.
    Sessions,
    /// Bring the terminal of a session to the front.
    FocusSession(String),
    /// Bring the terminal of the agent that asks in this thread to the front.
    FocusAsker(ThreadId),
    /// List running threads.
    Running,
    /// Read a page of threads.
    Threads(ThreadQuery),
    /// Read what threads can be narrowed to.
    Facets,
    /// Read a thread.
    Thread(ThreadId),
    /// Read what a step of a thread changed.
    StepStates(ThreadId, u64),
    /// Read the words of a model call.
    ModelCall(ThreadId, u64),
    /// Begin another thread after a step of this one.
    Fork(ThreadId, u64),
    /// Write a thread to a file.
    Export(ThreadId, String),
    /// List what was learned.
    Memory,
    /// Read why an item is there.
    Why(String),
    /// List what may be done without asking.
    Grants,
    /// Accept, and allow more of the same.
    Grant(Decide, GrantRequest),
    /// Accept, and let the agent remember what it offered at this place.
    AcceptRemembering(Decide, usize),
    /// End a grant.
    Revoke(String),
    /// Let a built-in grant count again.
    Restore(String),
    /// List mail that was not shown.
    Skipped(SkippedQuery),
    /// Count the mail that was not shown since then, for this day.
    SkippedLately(Timestamp, Date),
    /// Ask about leaving the list a thread's mail came by.
    Unsubscribe(ThreadId),
    /// List past decisions.
    Decisions(DecisionQuery),
    /// List the latest decisions, to see how those of this screen ended.
    Ends(DecisionQuery),
    /// Read the grants of a decision, and what was learned from it.
    DecisionLinks(Box<DecisionLine>),
    /// List what was learned, to see what is new.
    Lessons,
    /// List what is attached to a thread's mails.
    Attachments(ThreadId),
    /// Save something attached, by its number.
    SaveAttached(ThreadId, usize, Programs),
    /// Open something attached with the system's program, by its number.
    OpenAttached(ThreadId, usize),
    /// Put the mails of these threads away, or back.
    PutAway(Vec<ThreadId>, Way),
    /// Take a thread's mail for something else.
    Reclassify(ThreadId, String),
    /// Read a profile with its pins.
    Profile(String),
    /// Read all versions of a profile.
    History(String, Past),
    /// Let a person edit a profile in `$EDITOR`: namespace, version, text.
    EditProfile(String, u64, String),
    /// Write a profile on top of the version that was read.
    Remember(String, u64, String),
    /// Pin a line of a profile, or let it go.
    Pin(String, String, bool),
    /// Make an earlier version of a profile the newest.
    Revert(String, u64),
    /// Read a profile with its pins and all its versions.
    Versions(String),
    /// Count what went on lately.
    Activity(ActivityQuery),
    /// Count what goes wrong.
    Errors,
    /// Read what a running thread has used.
    Usage(ThreadId),
    /// Look what the file holds.
    Storage,
    /// Count what letting go of old threads would take.
    PrunePlan(PruneQuery),
    /// Let go of old threads.
    Prune(PruneQuery),
    /// Read everything begun and not sent.
    Drafts,
    /// Have a mail of the tour come.
    Deliver(Delivery),
    /// Read how the list is to be ordered.
    Order,
    /// Keep how it is ordered.
    KeepOrder(String),
    /// Keep what was begun, or forget it.
    KeepDraft(String, Option<String>),
    /// Take decisions.
    Decide(DecisionKind, Vec<Decide>),
    /// File results away.
    FileAway(Vec<ThreadId>),
    /// Go on after a result.
    Proceed(ThreadId, String),
    /// Take decisions back.
    Undo(Vec<InterruptId>),
    /// Take back all that was decided together with this one.
    UndoTogether(InterruptId),
    /// Take back the newest decision that can be, whoever took it.
    UndoLast,
    /// Put out of sight until then, or back.
    Snooze(Vec<InterruptId>, Option<Timestamp>),
    /// Stop a thread.
    Stop(ThreadId),
    /// Start a thread.
    Start(String, Value),
    /// Pause or resume all.
    Pause(bool),
    /// Find ways in which a path may go on; for the form of this number.
    Complete(u64, String),
    /// Put text on the clipboard.
    Copy(String),
    /// Let a person edit text in `$EDITOR`; for the layer of this number.
    Editor(u64, String, &'static str),
    /// Give text to a command of the person's, on its standard input.
    Pipe(String, String),
    /// Run a command of the person's own on a card, as JSON.
    Own(OwnCommand, String),
    /// Tell a person who may look elsewhere.
    Notice(String),
    /// Stop until the shell says `fg`.
    Suspend,
    /// Draw everything anew.
    Redraw,
    /// End.
    Quit,
}

/// What earlier versions of a profile are wanted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Past {
    /// To be looked at.
    Read,
    /// To go back to one.
    Revert,
}

/// Which lines to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lines {
    /// The first ones, for a first look.
    First(usize),
    Of(Vec<String>),
}

impl From<Lines> for LineQuery {
    fn from(lines: Lines) -> Self {
        match lines {
            Lines::First(limit) => LineQuery::First(limit),
            Lines::Of(ids) => LineQuery::Of(ids),
        }
    }
}
