//! One thread in detail: what was said, what each step changed, what took how long, its path through the graph, and its
//! state. Pure: everything shown is made from what was read.

mod conversation;
mod prompt;
mod steps;
mod trace;
mod tree;

pub use prompt::prompt_page;
pub use trace::SpanRow;
pub use tree::Tree;

use super::msg::LoadedThread;
use crate::engine::graph::{Kind, Picture, Shape};
use crate::inbox::{Block, Card, NextView, QuestionView, Status, StepStates, ThreadView, path_taken};
use crate::tui::card::{Doc, Folds, ScrollPosition};
use jiff::Timestamp;
use jiff::tz::TimeZone;

/// The views of a thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ThreadPane {
    /// What was said, asked, answered and done.
    #[default]
    Conversation,
    Steps,
    Trace,
    /// The graph, and the path taken.
    Graph,
    /// The state as a tree.
    State,
}

impl ThreadPane {
    /// In the order shown.
    pub const ALL: [ThreadPane; 5] = [
        ThreadPane::Conversation,
        ThreadPane::Steps,
        ThreadPane::Trace,
        ThreadPane::Graph,
        ThreadPane::State,
    ];

    pub fn title(self) -> &'static str {
        match self {
            ThreadPane::Conversation => "Conversation",
            ThreadPane::Steps => "Steps",
            ThreadPane::Trace => "Trace",
            ThreadPane::Graph => "Graph",
            ThreadPane::State => "State",
        }
    }

    /// The next one; the first follows the last, so that one key reaches all of them.
    pub fn next(self) -> Self {
        let at = Self::ALL.iter().position(|pane| *pane == self).unwrap_or(0);
        Self::ALL[(at + 1) % Self::ALL.len()]
    }

    /// The previous one; `None` before the first.
    pub fn previous(self) -> Option<Self> {
        let at = Self::ALL.iter().position(|pane| *pane == self)?;
        Self::ALL.get(at.checked_sub(1)?).copied()
    }
}

#[derive(Clone, Debug)]
pub struct Review {
    /// Everything on record.
    pub view: ThreadView,
    /// The view it is shown in.
    pub pane: ThreadPane,
    /// The index of the step shown.
    pub step: usize,
    /// Whether to show the whole state instead of what the step changed.
    pub shows_whole_state: bool,
    /// What the shown step changed, once it has been read.
    pub states: Option<StepStates>,
    /// Which parts of the conversation are unfolded.
    pub folds: Folds,
    /// The page, if the view is one.
    pub doc: Doc,
    /// The scroll position of the page.
    pub top: ScrollPosition,
    pub spans: Vec<SpanRow>,
    pub picture: Picture,
    pub tree: Tree,
    /// The selected row, if the view has rows.
    pub cursor: usize,
    /// The first row or line on the screen.
    pub first: usize,
    /// How many columns the graph is scrolled to the right.
    pub shift: usize,
    card: Card,
    shape: Option<Shape>,
    zone: TimeZone,
}

impl Review {
    /// A thread that has just been read.
    pub fn new(read: LoadedThread, pane: ThreadPane, zone: TimeZone) -> Self {
        let LoadedThread { view, card, shape } = read;
        let step = view.steps.len().saturating_sub(1);
        let mut review = Self {
            view,
            pane,
            step,
            shows_whole_state: false,
            states: None,
            folds: Folds::default(),
            doc: Doc::default(),
            top: ScrollPosition::default(),
            spans: Vec::new(),
            picture: Picture::default(),
            tree: Tree::default(),
            cursor: 0,
            first: 0,
            shift: 0,
            card,
            shape,
            zone,
        };
        review.rebuild();
        review.enter();
        review
    }

    /// The same thread, read again; the user stays at the same place.
    pub fn refresh(&mut self, read: LoadedThread) {
        let at_end = self.step + 1 >= self.view.steps.len();
        (self.view, self.card, self.shape) = (read.view, read.card, read.shape);
        if at_end || self.step >= self.view.steps.len() {
            self.step = self.view.steps.len().saturating_sub(1);
        }
        if self.states.as_ref().is_some_and(|states| states.n != self.step as u64) {
            self.states = None;
        }
        self.rebuild();
        self.cursor = self.cursor.min(self.rows().saturating_sub(1));
    }

    /// Switches to another view.
    pub fn switch_to(&mut self, pane: ThreadPane) {
        self.pane = pane;
        (self.top, self.cursor, self.first, self.shift) = (ScrollPosition::default(), 0, 0, 0);
        self.cut();
        self.enter();
    }

    pub fn go_to(&mut self, step: usize) {
        self.step = step.min(self.view.steps.len().saturating_sub(1));
        self.top = ScrollPosition::default();
        if self.states.as_ref().is_some_and(|states| states.n != self.step as u64) {
            self.states = None;
        }
        self.cut();
    }

    /// Stores what the shown step changed.
    pub fn put_states(&mut self, states: StepStates) {
        if states.n == self.step as u64 {
            self.states = Some(states);
            self.cut();
        }
    }

    /// How many rows the view has; 0 if it has none.
    pub fn rows(&self) -> usize {
        match self.pane {
            ThreadPane::Trace => self.spans.len(),
            ThreadPane::State => self.tree.rows.len(),
            ThreadPane::Conversation | ThreadPane::Steps | ThreadPane::Graph => 0,
        }
    }

    /// The question it waits for, if any; trouble comes first.
    pub fn open_question(&self) -> Option<&QuestionView> {
        self.trouble().or_else(|| self.view.questions.iter().find(|question| question.is_open()))
    }

    /// Its open trouble, which the user can resolve.
    pub fn trouble(&self) -> Option<&QuestionView> {
        self.view.questions.iter().rfind(|question| question.is_open() && question.kind == Kind::Trouble)
    }

    pub fn has_mail(&self) -> bool {
        self.card.blocks.iter().any(|block| matches!(block, Block::Mail(_)))
    }

    pub fn is_alive(&self) -> bool {
        match self.view.status {
            Status::Ready | Status::Running | Status::Waiting | Status::Held | Status::Joining => true,
            Status::Trouble | Status::Done | Status::Abandoned => false,
        }
    }

    /// The step a fork would begin after; for an answer, the step that asked.
    pub fn fork_step(&self) -> Option<u64> {
        let step = self.view.steps.get(self.step)?;
        let is_question = |n: u64| {
            let before = self.view.steps.iter().find(|step| step.n == n);
            before.is_some_and(|step| matches!(step.next, NextView::Ask { .. }))
        };
        match step.n.checked_sub(1) {
            Some(before) if step.node == "ANSWERS" && is_question(before) => Some(before),
            _ => Some(step.n),
        }
    }

    /// The selected span, if the trace is shown.
    pub fn span(&self) -> Option<&SpanRow> {
        if self.pane == ThreadPane::Trace { self.spans.get(self.cursor) } else { None }
    }

    /// Makes everything shown from what was read.
    pub fn rebuild(&mut self) {
        self.spans = trace::rows(&self.view.trace);
        let path = path_taken(&self.view.steps, self.view.status);
        self.picture = self.shape.as_ref().map(|shape| shape.picture(&path)).unwrap_or_default();
        self.tree.put(&self.view.state);
        self.cut();
    }

    /// Sets where the view begins.
    fn enter(&mut self) {
        if self.pane == ThreadPane::Graph {
            self.first = self.picture.current_line().unwrap_or(0).saturating_sub(4);
        }
    }

    /// Builds the page again after its content changed.
    pub fn cut(&mut self) {
        let clock = Clock(&self.zone);
        let (blocks, folds) = match self.pane {
            ThreadPane::Conversation => (conversation::blocks(&self.view, &self.card, &clock), self.folds),
            ThreadPane::Steps => {
                let open = Folds { open: true, headers: false };
                (
                    steps::blocks(
                        &self.view,
                        self.step,
                        self.states.as_ref(),
                        self.shows_whole_state,
                        &clock,
                    ),
                    open,
                )
            }
            ThreadPane::Trace | ThreadPane::Graph | ThreadPane::State => return,
        };
        self.doc = Doc::untitled(blocks, folds);
    }
}

/// Shows times in the user's time zone.
struct Clock<'a>(&'a TimeZone);

impl Clock<'_> {
    fn time(&self, at: Timestamp) -> String {
        format!("{} {}", self.day(at), self.second(at))
    }

    fn day(&self, at: Timestamp) -> String {
        at.to_zoned(self.0.clone()).strftime("%b %d").to_string()
    }

    fn second(&self, at: Timestamp) -> String {
        at.to_zoned(self.0.clone()).strftime("%H:%M:%S").to_string()
    }
}
