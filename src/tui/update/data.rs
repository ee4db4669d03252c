//! What the inbox tells: the inbox at a glance, lines, cards, progress, and the passing of time.

use crate::graph::Progress;
use crate::inbox::{Glance, ItemLine, Overview, Standing, Status};
use crate::text::Visible;
use crate::tui::model::Model;
use crate::tui::msg::{Cmd, InboxResult, Lines, Read};
use crate::tui::tabs::Tab;
use crate::tui::tabs::inbox::Opened;
use jiff::Timestamp;
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// So many lines are read at a time, so that others get their turn.
const CHUNK: usize = 400;

/// Of what a model says, so much of its newest part is shown.
const STREAM: usize = 16 * 1024;

/// Notices come no faster than this.
const NOTICE: Duration = Duration::from_secs(5);

/// What was typed is kept this long after it was.
const KEEP: Duration = Duration::from_millis(400);

pub fn ticked(model: &mut Model, at: Instant, wall: Timestamp) -> Vec<Cmd> {
    let a_minute = wall.as_second() / 60 != model.wall.as_second() / 60;
    model.now = model.now.max(at);
    model.wall = wall;
    model.turns = model.turns.wrapping_add(1);
    if model.note.as_ref().is_some_and(|note| note.until <= model.now) {
        model.note = None;
    }
    if model.undo.as_ref().is_some_and(|undo| undo.until.is_some_and(|until| until <= model.now)) {
        model.undo = None;
    }
    let mut cmds = crate::tui::tabs::inbox::decide::late(model);
    if model.unkept.as_ref().is_some_and(|(_, since)| model.now.saturating_duration_since(*since) >= KEEP) {
        cmds.extend(keep(model));
    }
    // Snoozed items wake by the clock, and nobody writes then.
    if a_minute {
        cmds.extend(changed(model));
    }
    cmds
}

/// Keeps what was typed.
pub fn keep(model: &mut Model) -> Vec<Cmd> {
    let Some((key, _)) = model.unkept.take() else { return Vec::new() };
    let text = model.drafts.get(&key).cloned();
    vec![Cmd::KeepDraft(key, text)]
}

/// Something changed: look again, once at a time.
pub fn changed(model: &mut Model) -> Vec<Cmd> {
    if !model.list.complete && !model.glancing.0 && model.reading {
        // The first lines are on their way, and the first glance follows them.
        return Vec::new();
    }
    if model.glancing.0 {
        model.glancing.1 = true;
        return Vec::new();
    }
    model.glancing = (true, false);
    let mut cmds = vec![Cmd::Glance, Cmd::Overview, Cmd::Sources];
    let today = model.wall.to_zoned(model.options.time_zone.clone()).start_of_day();
    cmds.extend(today.ok().map(|today| Cmd::CostToday(today.timestamp())));
    if model.shows_running() || model.tab == Tab::Activity {
        cmds.push(Cmd::Running);
    }
    if model.tab == Tab::Threads {
        cmds.extend(crate::tui::tabs::threads::read(model));
    }
    if model.tab == Tab::Memory {
        cmds.push(Cmd::Memory);
    }
    if model.tab == Tab::Activity {
        cmds.push(Cmd::Grants);
        cmds.extend(crate::tui::tabs::activity::refresh(model));
    }
    if model.shows_skipped() {
        cmds.extend(crate::tui::tabs::inbox::skipped::read(model));
    }
    cmds
}

pub fn overview(model: &mut Model, result: InboxResult<Overview>) -> Vec<Cmd> {
    let Some(overview) = model.ok_or_fail(result) else { return Vec::new() };
    let running = overview.threads_in(Status::Running);
    model.overview = Some(overview);
    // A node that was stopped says nothing more, so who really runs is asked.
    if running < model.working.len() as u64 { vec![Cmd::Running] } else { Vec::new() }
}

pub fn glanced(model: &mut Model, result: InboxResult<Vec<Glance>>) -> Vec<Cmd> {
    model.glancing.0 = false;
    let due = std::mem::take(&mut model.glancing.1);
    let stale = std::mem::take(&mut model.stale_glance);
    let all = match result {
        Ok(_) if stale => return changed(model),
        Ok(all) => all,
        Err(failure) => {
            model.fail(failure.text);
            return Vec::new();
        }
    };
    let was_complete = model.list.complete;
    let known: std::collections::HashSet<String> =
        model.list.all().iter().map(|row| row.id.clone()).collect();
    let unread = model.list.glance(&all, model.wall);
    count_down(model, &all);
    select_goto(model);
    let mut cmds = Vec::new();
    let waits: HashMap<&str, Standing> =
        all.iter().map(|glance| (glance.id.as_str(), glance.standing)).collect();
    let new = unread.iter().filter(|id| {
        !known.contains(*id) && matches!(waits.get(id.as_str()), Some(Standing::Open | Standing::Result))
    });
    let new = new.filter(|id| model.goto.as_ref() != Some(*id)).count();
    let lately = model.noticed.is_some_and(|at| model.now.saturating_duration_since(at) < NOTICE);
    if was_complete && new > 0 && !lately {
        model.noticed = Some(model.now);
        cmds.push(Cmd::Notice(format!("{} in your inbox", crate::tui::words::count(new, "new item"))));
    }
    model.wanted = unread.into();
    cmds.extend(read_on(model));
    if due {
        cmds.extend(changed(model));
    }
    cmds
}

/// How long the last decision can be taken back, as the store sees it.
fn count_down(model: &mut Model, all: &[Glance]) {
    let Some(undo) = &mut model.undo else { return };
    let standing: HashMap<&str, Standing> =
        all.iter().map(|glance| (glance.id.as_str(), glance.standing)).collect();
    let mut left: Option<i64> = None;
    for (id, _) in &undo.items {
        match standing.get(id.as_str()).copied() {
            Some(Standing::Held { hold_ms, since }) => {
                let passed =
                    model.wall.as_millisecond().saturating_sub(since.as_millisecond()).clamp(0, hold_ms);
                left = Some(left.map_or(hold_ms - passed, |left| left.min(hold_ms - passed)));
            }
            Some(Standing::Decided) => {}
            // Its thread has acted on it, or somebody else took it back.
            Some(Standing::Open | Standing::Snoozed | Standing::Result) | None => {
                model.undo = None;
                return;
            }
        }
    }
    undo.until = match (undo.until, left) {
        (Some(until), _) => Some(until),
        (None, Some(left)) => Some(undo.since.max(model.now) + Duration::from_millis(left.unsigned_abs())),
        (None, None) => None,
    };
}

/// Selects what was taken back, once it is there.
pub fn select_goto(model: &mut Model) {
    let Some(goto) = &model.goto else { return };
    if let Some(position) =
        (0..model.list.len()).find(|n| model.list.row(*n).is_some_and(|row| row.id == *goto))
    {
        model.list.select(position);
        model.goto = None;
    }
}

/// Reads the next lines that are missing.
fn read_on(model: &mut Model) -> Vec<Cmd> {
    if model.reading || model.wanted.is_empty() {
        return Vec::new();
    }
    model.reading = true;
    let some = model.wanted.len().min(CHUNK);
    vec![Cmd::Lines(Lines::Of(model.wanted.drain(..some).collect()))]
}

pub fn lines(model: &mut Model, result: InboxResult<Vec<ItemLine>>) -> Vec<Cmd> {
    model.reading = false;
    if let Some(lines) = model.ok_or_fail(result) {
        model.list.put(lines, model.wall);
    }
    select_goto(model);
    if model.list.selected().is_none() && !model.list.has_lost() {
        model.list.select(model.list.cursor());
    }
    if !model.list.complete && !model.glancing.0 {
        return changed(model);
    }
    read_on(model)
}

pub fn card(model: &mut Model, id: &str, result: InboxResult<Box<Read>>) -> Vec<Cmd> {
    let wanted = model.selected().is_some_and(|row| row.id == id);
    match result {
        Ok(read) if wanted => {
            let Read { item, card, answers } = *read;
            let stale = model.selected().is_some_and(|row| row.hash != item.args_hash);
            model.opened = Some(Opened::new(item, card, answers));
            model.shown = None;
            if stale {
                return changed(model);
            }
        }
        Ok(_) => {}
        Err(failure) if wanted => model.fail(failure.text),
        Err(_) => {}
    }
    Vec::new()
}

pub fn progressed(model: &mut Model, progress: Progress) -> Vec<Cmd> {
    match progress {
        Progress::Started { thread, node } => {
            let now = model.now;
            let working = model.working.entry(thread).or_default();
            (working.node, working.since) = (Visible::line(&node).into_string(), Some(now));
        }
        Progress::Text { thread, delta } => {
            let text = &mut model.working.entry(thread).or_default().text;
            text.push_str(&Visible::new(&delta));
            if text.len() > STREAM {
                let mut cut = text.len() - STREAM / 2;
                while !text.is_char_boundary(cut) {
                    cut += 1;
                }
                text.drain(..cut);
            }
        }
        Progress::Bar { thread, what, done, total } => {
            let what = Visible::line(&what).into_string();
            model.working.entry(thread).or_default().bar = Some((what, done, total));
        }
        Progress::Finished { thread } => {
            model.working.remove(&thread);
        }
    }
    Vec::new()
}
