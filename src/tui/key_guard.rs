//! Safe keys: nothing is decided unseen, by key repeat, by typing ahead, by paste or by mouse.
//!
//! Terminals do not say whether a key was pressed or is held down, so we judge by time. If a key that has just decided
//! comes again, that may be its first repeat. It acts only if no other key follows for a moment ([`DEFER_TIME`]), which
//! never happens while a key is held. Pressing the same key twice a second works, with a short delay.
//!
//! Pure: what was drawn and when keys were read come in as data. A decision key acts on [`Shown`], which is set only if
//! a frame with that card was flushed while no key was waiting. Paste and mouse never get here.

use super::actions::Action;
use super::model::{DeferredKey, EarlyKey, LastDecisionKey, Model, Press};
use crate::engine::graph::{Grade, Kind};
use crate::inbox::{ItemKind, Question};
use std::time::Duration;

/// A key that comes again sooner is held down, not pressed again.
pub const MAX_REPEAT_INTERVAL: Duration = Duration::from_millis(120);

/// No keyboard waits longer than this before it starts repeating.
pub const MAX_REPEAT_DELAY: Duration = Duration::from_millis(700);

/// A key held down repeats within this time.
pub const DEFER_TIME: Duration = Duration::from_millis(250);

/// Nobody has read a card shown for less time: such a key was meant for the previous card.
pub const MIN_SHOWN_TIME: Duration = Duration::from_millis(200);

/// An irreversible proposal must be on the screen for at least this long.
pub const MIN_IRREVERSIBLE_SHOWN_TIME: Duration = Duration::from_millis(700);

/// Why a key that acts on an item does nothing where there is none.
pub const NOTHING_SELECTED: &str = "Nothing is selected · <down> or <up> selects";

/// What happens with a decision key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guard {
    Acts,
    /// It asks once more, because the card carries a warning.
    Asks,
    /// The end of the card has not been on the screen, so the key shows more of it.
    Scrolls,
    /// It acts in a moment, unless it comes again before then.
    Waits,
    /// It does nothing, for this reason; until it comes again, no other key decides on the card.
    TooEarly(&'static str),
    /// It does nothing, for this reason.
    Rejected(&'static str),
}

/// Notes what a key tells us about earlier keys. Runs before the key itself is handled.
pub fn note_key(model: &mut Model, press: Press) {
    let deferred = model.deferred_key.take();
    match model.last_key {
        Some((key, at)) if key == press.key => {
            if press.at.saturating_duration_since(at) > MAX_REPEAT_DELAY {
                model.last_decision_key = None;
            } else if let Some(last) = &mut model.last_decision_key {
                // One repeat may be a second press; two are a key held down, whatever became of the first.
                last.held = std::mem::replace(&mut last.repeated, true);
            }
        }
        _ => {
            model.last_decision_key = None;
            if deferred.is_some() {
                model.say("Not decided: another key came right after it");
            }
        }
    }
}

/// Remembers a key that came too early for the selected card.
pub fn note_early(model: &mut Model, press: Press) {
    model.early_key = model.selected().map(|row| EarlyKey { key: press.key, card: row.id.clone() });
}

/// The deferred key, if it has waited long enough and its card is still on the screen.
pub fn due(model: &mut Model) -> Option<DeferredKey> {
    let now = model.now;
    let deferred =
        model.deferred_key.take_if(|deferred| now.saturating_duration_since(deferred.at) >= DEFER_TIME)?;
    // Nothing followed it, so its key was pressed and let go.
    if let Some(last) = &mut model.last_decision_key {
        last.repeated = false;
    }
    let is_same_card = model.layers.is_empty() && model.shown.as_ref() == Some(&deferred.shown);
    is_same_card.then_some(deferred)
}

/// Whether a person pressed the key: it is not part of a burst and not held down.
pub fn is_deliberate(model: &Model, press: Press) -> bool {
    let is_held = model.last_key.is_some_and(|(key, at)| {
        key == press.key && press.at.saturating_duration_since(at) < MAX_REPEAT_INTERVAL
    });
    !press.burst && !is_held
}

/// What happens with a key that decides on the selected item.
pub fn guard(model: &Model, action: Action, press: Press) -> Guard {
    if !is_deliberate(model, press) {
        return Guard::Rejected("Ignored: the keys came too fast");
    }
    if model.shows_skipped() {
        return guard_skipped(model, press);
    }
    let Some(row) = model.selected() else {
        return Guard::Rejected(NOTHING_SELECTED);
    };
    if model.deciding.contains(&row.id) {
        return Guard::Rejected("This one is being decided");
    }
    if model.early_key.as_ref().is_some_and(|early| early.card == row.id && early.key != press.key) {
        return Guard::Rejected("The key before came too early for this card: press it again, or move first");
    }
    let Some(opened) = model.current() else { return Guard::TooEarly("The card is still loading") };
    let Some(shown) = &model.shown else {
        return Guard::Rejected("The card isn't on the screen · <open> opens it");
    };
    if shown.id != row.id || shown.hash != row.hash || press.at < shown.since {
        return Guard::TooEarly("The card isn't on the screen · <open> opens it");
    }
    let is_invitation = model.question().is_some_and(Question::is_invitation);
    // An invitation is answered by a mail, whichever the answer is.
    let proposes = match action {
        Action::Accept => true,
        Action::Maybe | Action::Ignore => is_invitation,
        _ => false,
    };
    // What leaves was read to its end, and the key is pressed after that.
    let seen_at = opened.end_seen.filter(|seen| proposes && press.at >= *seen);
    let shown_for = press.at.saturating_duration_since(seen_at.map_or(shown.since, |at| at.max(shown.since)));
    if shown_for < MIN_SHOWN_TIME {
        return Guard::TooEarly("Ignored: typed before the card was shown");
    }
    if proposes && seen_at.is_none() {
        return Guard::Scrolls;
    }
    if proposes && row.irreversible && shown_for < MIN_IRREVERSIBLE_SHOWN_TIME {
        return Guard::TooEarly("This can't be undone later: look at it for a moment, then accept");
    }
    match model.last_decision_key {
        Some(LastDecisionKey { key, held: true, .. }) if key == press.key => {
            Guard::Rejected("Ignored: the key seems to be held down")
        }
        // Accepting a triage card proposes nothing, so nothing leaves; a danger is asked about all the same.
        _ if proposes
            && row.is_warned()
            && (row.kind != ItemKind::Question(Kind::Triage) || row.grade == Some(Grade::Danger)) =>
        {
            Guard::Asks
        }
        Some(LastDecisionKey { key, .. }) if key == press.key => Guard::Waits,
        _ => Guard::Acts,
    }
}

/// What happens with a key that puts the selected skipped mail away.
fn guard_skipped(model: &Model, press: Press) -> Guard {
    let Some((id, _)) = model.decidable() else { return Guard::Rejected(NOTHING_SELECTED) };
    let shown = model.shown.as_ref().filter(|shown| shown.id == id && press.at >= shown.since);
    let Some(shown) = shown else { return Guard::Rejected("This mail isn't on the screen") };
    if press.at.saturating_duration_since(shown.since) < MIN_SHOWN_TIME {
        return Guard::Rejected("Ignored: typed before the card was shown");
    }
    match model.last_decision_key {
        Some(LastDecisionKey { key, held: true, .. }) if key == press.key => {
            Guard::Rejected("Ignored: the key seems to be held down")
        }
        Some(LastDecisionKey { key, .. }) if key == press.key => Guard::Waits,
        _ => Guard::Acts,
    }
}

/// Whether a key may confirm the question of the uppermost layer.
pub fn confirms(model: &Model, press: Press) -> bool {
    let is_drawn = match (model.layers.last(), model.layer_shown) {
        (Some(layer), Some((shown, since))) => layer.number == shown && press.at >= since,
        _ => false,
    };
    is_drawn && is_deliberate(model, press)
}
