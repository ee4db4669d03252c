//! The third column of a very wide screen: which threads are at work, and what was decided in the last day.
//!
//! Both are read from the store when something changes; the progress of a thread comes from its own driver.

use super::news;
use crate::inbox::{DecisionLine, Status, ThreadLine};
use crate::text::truncate;
use crate::tui::model::Model;
use crate::tui::{draw, words};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// How many threads at work are named; the others are counted.
const MAX_RUNNING: usize = 6;

pub fn draw(model: &Model, area: Rect, buf: &mut Buffer) {
    if area.is_empty() {
        return;
    }
    for y in area.y..area.bottom() {
        buf.set_string(area.x - 2, y, "│", model.theme.rule);
    }
    let mut lines = (area.y..area.bottom()).map(|y| Rect { y, height: 1, ..area });
    let Some(heading) = lines.next() else { return };
    draw::heading(&model.theme, "Now", heading, buf);
    let running = || model.running.iter().filter(|line| line.status == Status::Running);
    let count = running().count();
    for (thread, line) in running().take(MAX_RUNNING).zip(&mut lines) {
        draw_running(model, thread, line, buf);
    }
    let waiting = model.running.len() - count;
    let rest = match (count.saturating_sub(MAX_RUNNING), waiting) {
        (0, 0) if count == 0 => "Nothing is at work".to_owned(),
        (0, 0) => String::new(),
        (0, waiting) => format!("{waiting} wait for their turn"),
        (more, 0) => format!("{more} more are at work"),
        (more, waiting) => format!("{more} more are at work, {waiting} wait for their turn"),
    };
    if let Some(line) = lines.next().filter(|_| !rest.is_empty()) {
        draw::text(buf, line, line.x + 1, line.y, &rest, model.theme.quiet);
        lines.next();
    }
    let Some(heading) = lines.next() else { return };
    draw::heading(&model.theme, "Lately", heading, buf);
    for (decision, line) in model.inbox.lately.iter().zip(&mut lines) {
        draw_decision(model, decision, line, buf);
    }
    if model.inbox.lately.is_empty()
        && let Some(line) = lines.next()
    {
        draw::text(buf, line, line.x + 1, line.y, "Nothing in the last day", model.theme.quiet);
    }
}

fn draw_running(model: &Model, thread: &ThreadLine, line: Rect, buf: &mut Buffer) {
    let theme = &model.theme;
    let done = model.running_here.get(&thread.id).and_then(|running| running.bar.as_ref());
    let done = done.map(|(_, done, total)| format!(" {} % ", done.min(total) * 100 / (*total).max(1)));
    let end = draw::right(buf, line, line.y, &done.unwrap_or(" ".to_owned()), theme.quiet);
    let room = Rect { width: end - line.x, ..line };
    let x = draw::text(buf, room, line.x + 1, line.y, draw::spinner(model.spinner_frame), theme.good);
    let text = format!("{} · {}", words::line(&thread.workflow), words::line(&thread.title));
    draw::text(buf, room, x + 1, line.y, &text, theme.text);
}

fn draw_decision(model: &Model, decision: &DecisionLine, line: Rect, buf: &mut Buffer) {
    let theme = &model.theme;
    let sign = model.options.glyphs.of_end(decision.end);
    let x = draw::text(buf, line, line.x + 1, line.y, sign, theme.end(decision.end));
    let at = decision.ended_at.unwrap_or(decision.at).to_zoned(model.options.time_zone.clone());
    let x = draw::text(buf, line, x + 1, line.y, &at.strftime("%H:%M").to_string(), theme.quiet);
    let room = usize::from(line.right().saturating_sub(x + 1));
    let text = news::told(decision, &model.inbox.names);
    draw::text(buf, line, x + 1, line.y, &truncate(&words::line(&text), room), theme.text);
}
