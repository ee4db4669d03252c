//! The line above the footer: what was done last, with how long it can still be stopped; for a while, an answer to a key
//! or news instead. At its end, what the list is limited to.
//!
//! Promises: nothing here is intended only: what it tells was read back from the store. An outcome stays until the next.

use crate::inbox::DecisionEnd;
use crate::text::{truncate, width};
use crate::tui::actions::Action;
use crate::tui::commands::pane;
use crate::tui::model::{Driving, Filter, Model, Popup, Report, Tab, Undo};
use crate::tui::tabs::inbox::{undo::takes_back_held, why_marks_apart};
use crate::tui::{draw, layout, words};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use std::time::Instant;

/// The length of the bar that drains while a decision is held.
const HOLD_CELLS: usize = 10;

/// What was done is not cut further than this for what the list is limited to.
const MIN_REPORT: usize = 40;

pub fn draw(model: &Model, area: Rect, buf: &mut Buffer) {
    if area.is_empty() || model.popup().is_some_and(Popup::covers_note) {
        return;
    }
    let theme = &model.theme;
    let held = model.undo.as_ref().and_then(|undo| Some((undo, undo.until?)));
    let note = model.note.as_ref().map(|note| {
        let style = if note.is_error { theme.danger } else { theme.text };
        (note.text.as_str(), style)
    });
    if let Some((undo, until)) = held.filter(|_| note.is_none() && takes_back_held(model)) {
        return draw_held(model, undo, until, area, buf);
    }
    let mut room = area;
    if model.undo.is_some() {
        let start = draw::right(buf, area, area.y, &model.spell("<undo> undo "), theme.quiet);
        room.width = start.saturating_sub(area.x + 1);
    }
    if let Some((text, style)) = note {
        draw::sentence(buf, room, area.x + 1, area.y, text, style);
        return;
    }
    let (limits, style) = limits(model);
    let reports = fitting(&model.reports, usize::from(room.width));
    let report_width = reports.iter().map(|report| width(&report.text) + 10).sum::<usize>();
    let needed = report_width.min(MIN_REPORT) + width(&limits) + 2;
    if reports.is_empty() || (!limits.is_empty() && needed > usize::from(room.width)) {
        draw::sentence(buf, room, area.x + 1, area.y, &limits, style);
        return;
    }
    if !limits.is_empty() {
        let start = draw::right(buf, room, area.y, &format!("{limits} "), style);
        room.width = start.saturating_sub(area.x + 2);
    }
    draw_reports(model, reports, room, buf);
}

/// Draws what is held, the keys that stop it or end the hold, and the time that is left as a bar.
fn draw_held(model: &Model, undo: &Undo, until: Instant, area: Rect, buf: &mut Buffer) {
    let theme = &model.theme;
    let remaining = until.saturating_duration_since(model.now).as_secs_f32();
    let total = until.saturating_duration_since(undo.since).as_secs_f32().max(f32::EPSILON);
    let (stops, at_once) =
        if undo.sends { ("stops it", "sends it now") } else { ("undoes it", "ends the wait") };
    let stops = model.spell(&format!("<undo> {stops}"));
    let now = model.keymap.key_of(&model.scopes(), Action::ActNow);
    let now = now.map(|now| format!(" · {now} {at_once}")).unwrap_or_default();
    let rest = format!(" · {:.0} s · {stops}{now}", remaining.ceil());
    let mut room = area;
    if area.width >= layout::WIDE {
        let filled = ((remaining / total * HOLD_CELLS as f32).ceil() as usize).min(HOLD_CELLS);
        let empty = format!("{} ", "─".repeat(HOLD_CELLS - filled));
        room.width = draw::right(buf, room, area.y, &empty, theme.rule).saturating_sub(area.x);
        room.width =
            draw::right(buf, room, area.y, &"━".repeat(filled), theme.warning).saturating_sub(area.x);
    }
    let for_text = usize::from(room.width).saturating_sub(width(&rest) + 2).max(8);
    let x = draw::text(buf, room, area.x + 1, area.y, &truncate(&undo.what, for_text), theme.text);
    draw::sentence(buf, room, x, area.y, &rest, theme.warning);
}

/// The reports that fit into this width; at least the last one.
fn fitting(reports: &[Report], room: usize) -> &[Report] {
    let needed: usize = reports.iter().map(|report| width(&report.text) + 10).sum();
    let skipped = if needed > room { reports.len().saturating_sub(1) } else { 0 };
    &reports[skipped..]
}

fn draw_reports(model: &Model, reports: &[Report], room: Rect, buf: &mut Buffer) {
    let theme = &model.theme;
    let nothing_runs = model.is_paused() || matches!(model.driving, Driving::Nobody(_));
    let mut x = room.x + 1;
    for report in reports {
        let sign = model.options.glyphs.of_end(report.end);
        x = draw::text(buf, room, x, room.y, sign, theme.end(report.end)) + 1;
        let style = match report.end {
            DecisionEnd::Failed | DecisionEnd::InDoubt => theme.danger,
            DecisionEnd::Pending
            | DecisionEnd::Done
            | DecisionEnd::Ignored
            | DecisionEnd::Expired
            | DecisionEnd::Undone => theme.text,
        };
        let time = match (report.end == DecisionEnd::Pending, nothing_runs) {
            (true, true) => " · not yet: nothing runs now".to_owned(),
            (true, false) => String::new(),
            (false, _) => {
                format!(" {}", report.at.to_zoned(model.options.time_zone.clone()).strftime("%H:%M"))
            }
        };
        let for_text = usize::from(room.right().saturating_sub(x)).saturating_sub(width(&time));
        x = draw::sentence(buf, room, x, room.y, &truncate(&report.text, for_text), style);
        x = draw::text(buf, room, x, room.y, &time, theme.quiet) + 3;
    }
}

/// What the list is limited to, or why nothing works as usual.
fn limits(model: &Model) -> (String, Style) {
    let theme = &model.theme;
    let list = &model.inbox.list;
    if let Driving::Nobody(why) = &model.driving {
        (format!("view only: {}", words::line(why)), theme.warning)
    } else if list.selection_vanished() && model.inbox.following.is_none() && model.shows_items() {
        (model.spell("This one is gone · <down> or <up> moves on"), theme.warning)
    } else if model.has_marks() {
        let count = list.mark_count();
        let clears = model.spell("<clear> clears");
        let text = match why_marks_apart(model) {
            None => format!("{count} marked: your answer goes to all of them · {clears}"),
            Some(why) => format!("{count} marked · {clears} · {why}"),
        };
        (text, theme.accent)
    } else {
        (describe_filters(model), theme.quiet)
    }
}

/// What the list is filtered by.
fn describe_filters(model: &Model) -> String {
    let mut parts = pane(model).filters(model);
    if !parts.is_empty() {
        parts.push(model.spell("<clear> clears"));
    }
    if let (Tab::Inbox, Some(shown)) = (model.tab, filter_words(model.inbox.list.filter)) {
        parts.push(model.spell(&format!("Showing {shown} only · <show_all>: all")));
    }
    parts.join(" · ")
}

/// What a filter shows, in words.
fn filter_words(filter: Filter) -> Option<&'static str> {
    match filter {
        Filter::All => None,
        Filter::Kind(kind) => Some(words::kinds(kind)),
        Filter::Snoozed => Some("snoozed items"),
        Filter::Held => Some("held decisions"),
        Filter::Skipped => Some("skipped mail"),
        Filter::Decided => Some("past decisions"),
    }
}
