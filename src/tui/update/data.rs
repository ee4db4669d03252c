//! Messages that concern every tab: changes, progress, and the passing of time.

use crate::engine::graph::Progress;
use crate::text::Visible;
use crate::tui::model::Model;
use crate::tui::{commands, key_guard};
use jiff::Timestamp;
use std::time::{Duration, Instant};

/// How much of a model's output is kept; only the newest part is shown.
const MAX_STREAM: usize = 16 * 1024;

/// Typed text is saved after this delay.
const SAVE_DELAY: Duration = Duration::from_millis(400);

pub fn ticked(model: &mut Model, at: Instant, wall: Timestamp) {
    let minute_changed = wall.as_second() / 60 != model.wall.as_second() / 60;
    model.now = model.now.max(at);
    model.wall = wall;
    model.spinner_frame = model.spinner_frame.wrapping_add(1);
    if model.note.as_ref().is_some_and(|note| note.until <= model.now) {
        model.note = None;
    }
    if model.undo.as_ref().is_some_and(|undo| undo.until.is_some_and(|until| until <= model.now)) {
        model.undo = None;
    }
    if let Some(deferred) = key_guard::due(model) {
        commands::act(model, deferred.action);
    }
    if model
        .unsaved_draft
        .as_ref()
        .is_some_and(|(_, since)| model.now.saturating_duration_since(*since) >= SAVE_DELAY)
    {
        model.save_draft();
    }
    // Snoozed items wake by the clock, without any write to the store.
    if minute_changed {
        model.reload();
    }
}

pub fn progressed(model: &mut Model, progress: Progress) {
    match progress {
        Progress::Started { thread, node } => {
            let now = model.now;
            let working = model.running_here.entry(thread).or_default();
            (working.node, working.since) = (Visible::line(&node).into_string(), Some(now));
        }
        Progress::Text { thread, delta } => {
            let text = &mut model.running_here.entry(thread).or_default().text;
            text.push_str(&Visible::new(&delta));
            if text.len() > MAX_STREAM {
                let mut cut = text.len() - MAX_STREAM / 2;
                while !text.is_char_boundary(cut) {
                    cut += 1;
                }
                text.drain(..cut);
            }
        }
        Progress::Bar { thread, what, done, total } => {
            let what = Visible::line(&what).into_string();
            model.running_here.entry(thread).or_default().bar = Some((what, done, total));
        }
        Progress::Finished { thread } => {
            model.running_here.remove(&thread);
            model.unreachable.remove(&thread);
        }
        Progress::Unreachable { thread, server } => {
            model.unreachable.insert(thread, Visible::line(&server).into_string());
        }
    }
}
