//! What lies over the tabs. Layers are a stack: keys go to the uppermost one only.

pub mod ending;
pub mod form;
mod fuzzy;
pub mod palette;
pub mod update;
pub mod view;

use super::card::{Doc, ScrollPosition};
use super::editor::Editor;
use super::keys::Scope;
use super::msg::{DecisionKind, PendingDecision};
use crate::graph::ThreadId;
use crate::inbox::{GrantRequest, GrantScope, MemoryVersion, PruneQuery, Status};
use form::Form;
use jiff::Timestamp;
use std::time::Duration;

/// A question that only `y` answers with yes.
#[derive(Clone, Debug)]
pub struct Confirm {
    /// What is asked.
    pub title: String,
    /// Why it is asked once more.
    pub why: String,
    /// What `y` does.
    pub then: Then,
    /// What it is about, to scroll through.
    pub page: Doc,
    /// The line at the top.
    pub top: ScrollPosition,
}

/// What is done once confirmed.
#[derive(Clone, Debug, PartialEq)]
pub enum Then {
    /// A decision is taken.
    Decide(DecisionKind, PendingDecision),
    /// A thread is stopped.
    Stop(ThreadId),
    /// A decision is taken, and more of the same allowed.
    Grant(PendingDecision, GrantRequest),
    /// A built-in grant counts again.
    Restore(String),
    /// A mail is taken for something else.
    Reclassify(ThreadId, String),
    /// An earlier version of a profile becomes the newest.
    Revert(String, u64),
    /// Another thread begins after a step of this one.
    Fork(ThreadId, u64),
    /// Old threads are let go of.
    Prune(PruneQuery),
}

/// One decision on many items, before it is confirmed.
#[derive(Clone, Debug)]
pub struct Bulk {
    /// What is to be done.
    pub deed: DecisionKind,
    /// On what: title and decision; results have none.
    pub rows: Vec<(String, BulkItem)>,
    /// The row that can be dropped.
    pub cursor: usize,
    /// Titles of what is left out, each with the reason.
    pub left_out: Vec<String>,
}

/// An item of a bulk decision.
#[derive(Clone, Debug, PartialEq)]
pub enum BulkItem {
    /// An interrupt to be decided.
    Decide(PendingDecision),
    /// A result to be filed away.
    FileAway(ThreadId),
}

/// A list to choose from.
#[derive(Clone, Debug)]
pub struct Menu {
    pub title: String,
    /// What can be chosen, and what that means.
    pub rows: Vec<(String, Choice)>,
    /// The one the keys are on.
    pub cursor: usize,
}

/// What a row of a menu means.
#[derive(Clone, Debug, PartialEq)]
pub enum Choice {
    Sort(super::tabs::inbox::Sort),
    Group(super::tabs::inbox::Group),
    /// Snooze until then, or wake.
    Snooze(Option<Timestamp>),
    /// Start a thread of this workflow.
    Start(String),
    /// List threads of this status, or no longer only those; or all there are.
    Status(Option<Status>),
    /// List threads of this workflow or server, or no longer only those.
    Workflow(String),
    /// List threads with mail of this account, or no longer only those.
    Account(String),
    /// Ask whether the effect in doubt came to this.
    Settle(&'static str),
    /// Put this on the clipboard.
    Copy(String),
    /// Ask whether to accept and allow this much.
    Grant(GrantScope, Option<Duration>),
    /// Ask whether to take the mail of this thread and title for this.
    Reclassify(ThreadId, String, String),
    /// Pin this line of a profile, or let it go.
    Pin(String, String, bool),
    /// Ask whether to go back to this version, from a profile that reads like this.
    Revert(Box<(MemoryVersion, String)>),
    /// Ask whether to let go of threads to which nothing has happened for so many days.
    Prune(i64),
}

/// What a line of text is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// To find something in the list.
    Search,
    Narrow,
    /// To do something by its name.
    Palette,
    /// To pipe a mail through it.
    Pipe,
    /// To add it to a profile.
    Line,
    /// To write a thread to a file of this name.
    Export,
}

/// A line of text.
#[derive(Clone, Debug)]
pub struct Prompt {
    /// What it is for.
    pub ask: Ask,
    /// What was typed.
    pub editor: Editor,
    /// The suggestion the keys are on.
    pub cursor: usize,
}

/// Something to read.
#[derive(Clone, Debug)]
pub struct Page {
    pub title: String,
    /// What it says.
    pub doc: Doc,
    /// The line at the top.
    pub top: ScrollPosition,
}

/// What lies over the tabs.
#[derive(Clone, Debug)]
pub enum Layer {
    /// A question.
    Confirm(Box<Confirm>),
    /// A question about many.
    Bulk(Bulk),
    /// A form or a box.
    Form(Box<Form>),
    /// A list to choose from.
    Menu(Menu),
    /// A line of text.
    Prompt(Prompt),
    /// Something to read.
    Page(Box<Page>),
    /// All keys, from this line on.
    Help(usize),
    /// Something is held, and the person wants to leave: titles.
    Ending(Vec<String>),
}

impl Layer {
    /// Where its keys are found.
    pub fn scope(&self) -> Scope {
        match self {
            Layer::Confirm(_) | Layer::Bulk(_) => Scope::Confirm,
            Layer::Form(_) => Scope::Form,
            Layer::Menu(_) | Layer::Page(_) | Layer::Help(_) => Scope::Menu,
            Layer::Prompt(_) => Scope::Prompt,
            Layer::Ending(_) => Scope::Ending,
        }
    }
}
