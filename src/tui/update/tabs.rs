//! The tabs beside the inbox: threads, memory, what is running.

use super::{activity, memory};
use crate::graph::ThreadId;
use crate::inbox::{Block, NextView, ThreadLine, ThreadView};
use crate::text::Visible;
use crate::tui::card::{Doc, Place};
use crate::tui::layout;
use crate::tui::model::{Focus, Model, Tab};
use crate::tui::msg::{Cmd, Told};
use crate::tui::words;

pub(super) fn go(model: &mut Model, tab: Tab) -> Vec<Cmd> {
    if model.tab != tab {
        model.focus = Focus::List;
    }
    model.tab = tab;
    match tab {
        Tab::Inbox => Vec::new(),
        Tab::Threads => {
            vec![Cmd::Threads(Some(model.threads_search.clone()).filter(|words| !words.is_empty()))]
        }
        Tab::Memory => vec![Cmd::Memory],
        Tab::Activity => activity::open(model),
    }
}

pub(super) fn turn(model: &mut Model, by: usize) -> Vec<Cmd> {
    let at = Tab::ALL.iter().position(|tab| *tab == model.tab).unwrap_or(0);
    go(model, Tab::ALL[(at + by) % Tab::ALL.len()])
}

/// The thread of the selected row, whatever is listed.
pub(super) fn thread_here(model: &Model) -> Option<ThreadId> {
    if model.tab == Tab::Memory {
        return memory::causing(model);
    }
    if model.shows_running() || model.tab == Tab::Activity {
        return model.selected_running().map(|line| line.id.clone());
    }
    if model.shows_skipped() {
        return model.skipped.selected().and_then(|line| line.thread.clone());
    }
    model.selected().map(|row| row.thread.clone())
}

/// Shows the thread of the selected item.
pub(super) fn open_thread(model: &mut Model) -> Vec<Cmd> {
    let Some(thread) = thread_here(model) else { return Vec::new() };
    model.threads_search.clear();
    let mut cmds = go(model, Tab::Threads);
    model.focus = Focus::Card;
    model.threads.page = None;
    model.goto_thread = Some(thread.clone());
    cmds.push(Cmd::Thread(thread));
    cmds
}

/// Reads what belongs beside the selected row of a tab.
pub(super) fn open_selected(model: &mut Model) -> Vec<Cmd> {
    match model.tab {
        Tab::Threads => {
            let Some(line) = model.threads.selected() else { return Vec::new() };
            if model.threads.page.as_ref().is_some_and(|(id, _)| *id == line.id.as_str()) {
                return Vec::new();
            }
            vec![Cmd::Thread(line.id.clone())]
        }
        Tab::Memory => memory::show(model),
        Tab::Inbox | Tab::Activity => Vec::new(),
    }
}

pub(super) fn click(model: &mut Model, line: usize) -> Vec<Cmd> {
    let choose = |top: usize, len: usize| (top + line).min(len.saturating_sub(1));
    if model.shows_running() {
        model.running.cursor = choose(model.running.top, model.running.rows.len());
        return activity::looked_at(model);
    }
    if model.shows_skipped() {
        model.skipped.cursor = choose(model.skipped.top, model.skipped.rows.len());
        return Vec::new();
    }
    match model.tab {
        Tab::Threads => model.threads.cursor = choose(model.threads.top, model.threads.rows.len()),
        Tab::Memory => model.memory.cursor = choose(model.memory.top, model.memory.rows.len()),
        Tab::Activity => return activity::select(model, choose(model.pulse.top, model.pulse_rows().len())),
        Tab::Inbox => {}
    }
    open_selected(model)
}

/// Keeps the cursor on its row and the row on the screen.
pub(super) fn scroll_tops(model: &mut Model) {
    let height = layout::areas(model).list.height;
    model.threads.top = layout::plain_top(model.threads.top, model.threads.cursor, height);
    model.memory.top = layout::plain_top(model.memory.top, model.memory.cursor, height);
    model.skipped.top = layout::plain_top(model.skipped.top, model.skipped.cursor, height);
    model.pulse.top = layout::plain_top(model.pulse.top, model.pulse.cursor, height);
    model.running.top = layout::plain_top(model.running.top, model.running.cursor, height);
}

pub(super) fn threads(model: &mut Model, told: Told<Vec<ThreadLine>>) -> Vec<Cmd> {
    match told {
        Ok(lines) => {
            let wanted = model.goto_thread.take();
            let here = wanted.or_else(|| model.threads.selected().map(|line| line.id.clone()));
            model.threads.cursor = lines.iter().position(|line| Some(&line.id) == here.as_ref()).unwrap_or(0);
            model.threads.rows = lines;
            model.threads.read = true;
            // A page that was asked for by itself stays; otherwise it is the selected row's.
            if model.threads.page.is_none() && model.tab == Tab::Threads && model.focus == Focus::List {
                return open_selected(model);
            }
        }
        Err(failure) => model.fail(failure.text),
    }
    Vec::new()
}

pub(super) fn thread(model: &mut Model, id: &ThreadId, told: Told<Box<ThreadView>>) -> Vec<Cmd> {
    match told {
        Ok(view) => {
            let same = model.threads.page.as_ref().is_some_and(|(of, _)| *of == id.as_str());
            model.threads.page = Some((id.to_string(), page(&view)));
            if !same {
                model.threads.page_top = Place::default();
            }
        }
        Err(failure) => model.fail(failure.text),
    }
    Vec::new()
}

fn page(view: &ThreadView) -> Doc {
    let line = |text: &str| Visible::line(text);
    let mut blocks = Vec::new();
    if let Some(error) = &view.error {
        blocks.push(Block::Fields(vec![(line("trouble"), Visible::new(&error.text))]));
    }
    if let Some(output) = &view.output {
        let text = match output.as_str() {
            Some(text) => text.to_owned(),
            None => serde_json::to_string_pretty(output).unwrap_or_default(),
        };
        blocks.push(Block::Heading(line("Output")));
        blocks.push(Block::Code { language: "json".to_owned(), text: Visible::new(&text) });
    }
    if !view.decisions.is_empty() {
        blocks.push(Block::Heading(line("Decisions")));
        let rows = view.decisions.iter().map(|decision| {
            let undone = if decision.undone_at.is_some() { "taken back" } else { "" };
            vec![
                line(&decision.at.strftime("%b %d %H:%M").to_string()),
                line(&decision.r#type),
                line(&decision.action),
                line(&decision.by),
                line(undone),
            ]
        });
        let head = ["when", "decision", "on", "by", ""].map(line).to_vec();
        blocks.push(Block::Table { head, rows: rows.collect() });
    }
    if !view.effects.is_empty() {
        blocks.push(Block::Heading(line("Effects")));
        let rows = view.effects.iter().map(|effect| vec![line(&effect.name), line(&effect.state)]);
        blocks.push(Block::Table { head: ["effect", "state"].map(line).to_vec(), rows: rows.collect() });
    }
    blocks.push(Block::Heading(line("Steps")));
    let rows = view.steps.iter().rev().map(|step| {
        let next = match &step.next {
            NextView::Goto { goto } => format!("→ {goto}"),
            NextView::Ask { ask, then } => {
                format!("asks {}, then {then}", words::count(ask.len(), "question"))
            }
            NextView::Spawn { spawn, then } => {
                format!("starts {}, then {then}", words::count(spawn.len(), "thread"))
            }
            NextView::End { .. } => "ends".to_owned(),
        };
        vec![
            line(&step.n.to_string()),
            line(&step.node),
            line(&next),
            line(&step.at.strftime("%H:%M:%S").to_string()),
        ]
    });
    blocks.push(Block::Table { head: ["n", "node", "next", "at"].map(line).to_vec(), rows: rows.collect() });
    let meta = format!(
        "{} · {} · {} · {}",
        view.workflow,
        view.status,
        view.id,
        words::count(view.steps.len(), "step")
    );
    Doc::page(&view.title, &meta, blocks)
}
