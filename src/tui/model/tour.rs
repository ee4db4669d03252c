//! How far the user is on a tour; `tui/tour.rs` leads through it.

use super::{Filter, Model, Tab};
use crate::app::{TourGoal, TourStep};
use std::time::Instant;

/// One line for its name, the others for its text.
const HEIGHT: u16 = 4;

const MIN_SCREEN_HEIGHT: u16 = 20;

/// How far the user is on a tour.
#[derive(Clone, Debug)]
pub struct Tour {
    pub steps: Vec<TourStep>,
    pub index: usize,
    /// The item to decide, or the one decided last.
    pub item: Option<String>,
    pub has_begun: bool,
    /// Whether the user looked at other lists, such as skipped mail, in this step.
    pub has_looked: bool,
    /// Only a key after this one was pressed by somebody who has read the step.
    pub key_before: Option<Instant>,
}

impl Model {
    /// Whether the user looks at something else than the inbox.
    pub fn is_away(&self) -> bool {
        self.tab != Tab::Inbox || self.inbox.list.filter != Filter::All
    }

    /// The item that the tour waits for, if the user has selected something else.
    pub fn left_tour_item(&self) -> Option<String> {
        let tour = self.tour.as_ref().filter(|tour| tour.has_begun)?;
        let is_to_decide = matches!(tour.steps.get(tour.index)?.goal, TourGoal::Decide(_));
        let item = tour.item.as_ref().filter(|id| is_to_decide && self.inbox.list.find(id).is_some())?;
        let is_there = !self.is_away() && self.inbox.list.selected().is_some_and(|row| row.id == *item);
        (!is_there).then(|| item.clone())
    }
}

impl Tour {
    /// A tour with these steps; `None` if there are none.
    pub fn new(steps: Vec<TourStep>) -> Option<Self> {
        let has_steps = !steps.is_empty();
        let tour =
            Self { steps, index: 0, item: None, has_begun: false, has_looked: false, key_before: None };
        has_steps.then_some(tour)
    }

    /// How many lines it takes on a screen of this height.
    pub fn height(&self, screen: u16) -> u16 {
        if screen >= MIN_SCREEN_HEIGHT { HEIGHT } else { 0 }
    }

    pub fn text(&self) -> &'static str {
        match self.steps.get(self.index) {
            Some(TourStep { goal: TourGoal::TakeBack { too_late }, .. }) if self.has_begun => too_late,
            Some(step) => step.text,
            None => "",
        }
    }
}
