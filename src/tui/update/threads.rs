//! The Threads tab: which threads are listed, and the one that is shown.

use super::tabs::{go, thread_here};
use crate::graph::ThreadId;
use crate::inbox::{Block, NextView, ThreadLine, ThreadView};
use crate::text::Visible;
use crate::tui::card::{Doc, Place};
use crate::tui::model::{Focus, Model, Tab};
use crate::tui::msg::{Cmd, Told};
use crate::tui::words;

/// Reads the list.
pub(super) fn read(model: &Model) -> Vec<Cmd> {
    vec![Cmd::Threads(Some(model.threads_search.clone()).filter(|words| !words.is_empty()))]
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

/// Reads the thread of the selected row.
pub(super) fn open_selected(model: &Model) -> Vec<Cmd> {
    let Some(line) = model.threads.selected() else { return Vec::new() };
    if model.threads.page.as_ref().is_some_and(|(id, _)| *id == line.id.as_str()) {
        return Vec::new();
    }
    vec![Cmd::Thread(line.id.clone())]
}

pub(super) fn listed(model: &mut Model, told: Told<Vec<ThreadLine>>) -> Vec<Cmd> {
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

pub(super) fn opened(model: &mut Model, id: &ThreadId, told: Told<Box<ThreadView>>) -> Vec<Cmd> {
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
