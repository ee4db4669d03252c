//! Safe keys: nothing is decided unseen, by repetition, by typing ahead, by paste or by mouse.
//!
//! Terminals do not say whether a key was pressed or is held down, so time has to tell. A key that has just decided and
//! comes again may be the first repeat of itself; it acts only when it stays the last one for a moment ([`SETTLE`]),
//! which a held key does not. Who presses the same key twice a second is served, a moment later.
//!
//! Pure: what was drawn and when keys were read comes in as data. A decision key acts on [`Shown`], which is set only
//! when a frame with that card was flushed and no key was waiting then. Paste and mouse never get here.

use super::actions::Action;
use super::keys::Key;
use super::model::Model;
use super::msg::Press;
use crate::graph::{Hash, Kind};
use crate::inbox::ItemKind;
use std::time::{Duration, Instant};

/// A key that comes again sooner is held down, not pressed.
pub const REPEAT: Duration = Duration::from_millis(120);

/// No keyboard waits longer than this before it begins to repeat.
pub const INITIAL: Duration = Duration::from_millis(700);

/// A key held down comes again within this.
pub const SETTLE: Duration = Duration::from_millis(250);

/// Nobody has read a card that was there for less: such a key was meant for the one before.
pub const GLANCE: Duration = Duration::from_millis(200);

/// An irreversible proposal is looked at for at least so long.
pub const LOOK: Duration = Duration::from_millis(700);

/// A card that is on the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The item.
    pub id: String,
    /// Its hash as shown; results have none.
    pub hash: Option<Hash>,
    pub since: Instant,
}

/// The key that took the last decision, as long as it may still be down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastDecisionKey {
    pub key: Key,
    /// Whether it is known to be held down.
    pub held: bool,
}

/// A decision that waits until it is clear that its key is not held down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeferredKey {
    /// What the key means.
    pub action: Action,
    /// When it was pressed.
    pub at: Instant,
    /// What was on the screen then.
    pub shown: Shown,
}

/// What becomes of a decision key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guard {
    Acts,
    /// It asks once more, for this reason.
    Asks(&'static str),
    /// It acts in a moment, unless it comes again until then.
    Waits,
    /// It does nothing, for this reason.
    Rejected(&'static str),
}

/// Notes what a key says about those before it. Comes before anything is made of the key itself.
pub fn heard(model: &mut Model, press: Press) {
    let late = model.deferred_key.take();
    match model.last_key {
        Some((key, at)) if key == press.key => {
            if press.at.saturating_duration_since(at) > INITIAL {
                model.last_decision_key = None;
            } else if let (Some(spent), Some(_)) = (&mut model.last_decision_key, &late) {
                spent.held = true;
            }
        }
        _ => {
            model.last_decision_key = None;
            if late.is_some() {
                model.say("Not decided: another key came right after it");
            }
        }
    }
}

/// What has waited long enough and is still on the screen.
pub fn due(model: &mut Model) -> Option<DeferredKey> {
    let now = model.now;
    let late = model.deferred_key.take_if(|late| now.saturating_duration_since(late.at) >= SETTLE)?;
    let same = model.layers.is_empty() && model.shown.as_ref() == Some(&late.shown);
    same.then_some(late)
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
        return Guard::Rejected("Ignored: the keys came too fast");
    }
    let Some(row) = model.selected() else {
        return Guard::Rejected("Nothing is selected · j or k selects");
    };
    if model.deciding.contains(&row.id) {
        return Guard::Rejected("This one is being decided");
    }
    let Some(opened) = model.current() else { return Guard::Rejected("The card is still loading") };
    let Some(shown) = &model.shown else {
        return Guard::Rejected("The card isn't on the screen · Enter opens it");
    };
    if shown.id != row.id || shown.hash != row.hash || press.at < shown.since {
        return Guard::Rejected("The card isn't on the screen · Enter opens it");
    }
    if press.at.saturating_duration_since(shown.since) < GLANCE {
        return Guard::Rejected("Ignored: typed before the card was shown");
    }
    let acts = match model.last_decision_key {
        Some(LastDecisionKey { key, held: true }) if key == press.key => {
            return Guard::Rejected("Ignored: the key seems to be held down");
        }
        Some(LastDecisionKey { key, .. }) if key == press.key => Guard::Waits,
        _ => Guard::Acts,
    };
    if action != Action::Accept {
        return acts;
    }
    if row.irreversible && press.at.saturating_duration_since(shown.since) < LOOK {
        return Guard::Rejected("This can't be undone later: look at it for a moment, then accept");
    }
    // To take note of a mail proposes nothing: nothing leaves by it.
    if row.is_warned() && row.kind != ItemKind::Interrupt(Kind::Triage) {
        return Guard::Asks("it carries a warning");
    }
    if !opened.end_seen {
        return Guard::Asks("you haven't seen the end of it");
    }
    acts
}

/// Whether a key may confirm what the uppermost layer asks.
pub fn confirms(model: &Model, press: Press) -> bool {
    let drawn = match (model.layers.last(), model.layer_shown) {
        (Some((number, _)), Some((shown, since))) => *number == shown && press.at >= since,
        _ => false,
    };
    drawn && is_deliberate(model, press)
}
