//! Safe keys: nothing is decided unseen, by repetition, by typing ahead, by paste or by mouse.
//!
//! Pure: what was drawn and when keys were read comes in as data. A decision key acts on [`Shown`], which is set only
//! when a frame with that card was flushed and no key was waiting then. Paste and mouse never get here.

use super::action::Action;
use super::model::Model;
use super::msg::Press;
use std::time::{Duration, Instant};

/// A key that comes again sooner is held down, not pressed.
pub const REPEAT: Duration = Duration::from_millis(120);

/// An irreversible proposal is looked at for at least so long.
pub const LOOK: Duration = Duration::from_millis(700);

/// A card that is on the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The item.
    pub id: String,
    /// Its hash as shown; results have none.
    pub hash: Option<String>,
    /// Since when.
    pub since: Instant,
}

/// What becomes of a decision key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guard {
    /// It acts.
    Acts,
    /// It asks once more, for this reason.
    Asks(&'static str),
    /// It does nothing, for this reason.
    Dead(&'static str),
}

/// Whether a press is a person's, and not a burst or a key held down.
pub fn is_deliberate(model: &Model, press: Press) -> bool {
    let held = model
        .last_key
        .is_some_and(|(key, at)| key == press.key && press.at.saturating_duration_since(at) < REPEAT);
    !press.burst && !held
}

/// What becomes of a key that decides on the selected item.
pub fn guard(model: &Model, action: Action, press: Press) -> Guard {
    if !is_deliberate(model, press) {
        return Guard::Dead("keys came too fast to be meant; nothing was decided");
    }
    let Some(row) = model.selected() else {
        return Guard::Dead("nothing is selected; j or k selects an item");
    };
    if model.deciding.contains(&row.id) {
        return Guard::Dead("it is being decided");
    }
    let Some(opened) = model.current() else { return Guard::Dead("its card is not here yet") };
    let Some(shown) = &model.shown else {
        return Guard::Dead("its card is not on the screen; Enter opens it");
    };
    let hash = row.hash.map(|hash| hash.to_string());
    if shown.id != row.id || shown.hash != hash || press.at < shown.since {
        return Guard::Dead("its card is not on the screen; Enter opens it");
    }
    if action != Action::Accept {
        return Guard::Acts;
    }
    if row.irreversible && press.at.saturating_duration_since(shown.since) < LOOK {
        return Guard::Dead("this cannot be taken back once done: look at it for a moment, then accept");
    }
    if row.warned {
        return Guard::Asks("it carries a warning");
    }
    if !opened.end_seen {
        return Guard::Asks("its end has not been on the screen");
    }
    Guard::Acts
}

/// Whether a key may confirm what the uppermost layer asks.
pub fn confirms(model: &Model, press: Press) -> bool {
    let drawn = match (model.layers.last(), model.layer_shown) {
        (Some((number, _)), Some((shown, since))) => *number == shown && press.at >= since,
        _ => false,
    };
    drawn && is_deliberate(model, press)
}
