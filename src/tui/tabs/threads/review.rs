//! What keys do to the thread shown. Anything that cannot be undone is confirmed first.

use crate::engine::graph::{Decision, ThreadId};
use crate::inbox::door::{Format, Inbox, export, write_new};
use crate::inbox::{Block, DecisionRequest, InboxError, QuestionView};
use crate::text::{Visible, count_noun, plain_json};
use crate::tui::actions::Action;
use crate::tui::card::{Doc, ScrollPosition};
use crate::tui::layers::{Choice, Confirm, Menu, Page, Prompt};
use crate::tui::model::{
    DecisionKind, Failure, Focus, InboxResult, LoadedThread, Model, Review, Stamp, Tab, ThreadPane,
    prompt_page,
};
use crate::tui::tabs::inbox::{self, decide, stop, take_over};
use crate::tui::tabs::pane::{Does, Effect};
use crate::tui::{layout, words};
use jiff::tz::TimeZone;
use serde_json::{Value, json};
use std::path::Path;

/// Shows a thread, wherever it is in the list.
pub fn show(model: &mut Model, thread: ThreadId) {
    model.threads.widen();
    model.threads.reset_list();
    model.threads.goto = Some(thread.clone());
    model.threads.pane = ThreadPane::default();
    model.go(Tab::Threads);
    model.focus = Focus::Card;
    model.threads.review = None;
    read_thread(model, thread);
}

pub fn read_thread(model: &mut Model, id: ThreadId) {
    let wanted = id.clone();
    let read = async move |inbox: Inbox| {
        let view = inbox.threads().view(wanted).await?;
        let card = inbox.threads().conversation(view.id.clone()).await?;
        // A workflow that this build does not know has no graph, but its threads are shown.
        let shape = inbox.threads().graph(view.workflow.clone()).await.ok();
        Ok::<_, InboxError>(LoadedThread { view, card, shape })
    };
    model.start(read, move |model, result| opened(model, &id, result));
}

/// A thread was read: show it if it is still wanted.
fn opened(model: &mut Model, id: &ThreadId, result: InboxResult<LoadedThread>) {
    let is_requested = match model.threads.selected() {
        Some(line) if model.threads.goto.is_none() => line.id == *id,
        _ => model.threads.goto.as_ref().is_none_or(|goto| goto == id),
    };
    let is_shown = model.threads.review.as_ref().is_some_and(|review| review.view.id == *id);
    if is_shown || is_requested {
        model.threads.shown_stamp = stamp(model, id);
    }
    if let Some(read) = model.ok_or_fail(result) {
        match &mut model.threads.review {
            Some(review) if is_shown => review.refresh(read),
            _ if is_requested => {
                let zone = model.options.time_zone.clone();
                model.threads.review = Some(Review::new(read, model.threads.pane, zone));
                scroll(model, 0);
            }
            _ => {}
        }
    }
    read_missing(model);
}

/// The thread's current stamp; it changes whenever anything happens to the thread.
pub fn stamp(model: &Model, id: &ThreadId) -> Option<Stamp> {
    let line = model.threads.list.rows.iter().find(|line| line.id == *id)?;
    Some((line.id.clone(), line.status, line.steps, line.updated_at))
}

/// Switches between what a step changed and the whole state after it.
fn toggle_whole_state(model: &mut Model) {
    if let Some(review) = &mut model.threads.review {
        review.shows_whole_state = !review.shows_whole_state;
        review.top = ScrollPosition::default();
        review.cut();
    }
    read_missing(model)
}

/// Scrolls the graph by columns.
fn pan(model: &mut Model, by: isize) {
    if let Some(review) = &mut model.threads.review {
        review.shift = review.shift.saturating_add_signed(by).min(400);
    }
}

/// What an action does to the thread shown, or why it does nothing.
pub fn does(model: &Model, action: Action) -> Option<Does> {
    let effect: Effect = match action {
        Action::NextView => |model| switch_view(model, ThreadPane::next),
        Action::PreviousView => previous_view,
        Action::StateDiff => toggle_whole_state,
        Action::ShowPrompt => show_prompt,
        Action::Unfold => unfold,
        Action::PanLeft => |model| pan(model, -8),
        Action::PanRight => |model| pan(model, 8),
        Action::Answer => answer,
        Action::Fork => ask_fork,
        Action::Settle => offer_outcomes,
        Action::Retry => ask_retry,
        Action::Export => ask_export,
        _ => return None,
    };
    let Some(review) = model.shown_review() else {
        return Some(Err("no thread is shown; <down> or <up> selects one"));
    };
    let (can, why) = match action {
        Action::StateDiff => {
            (review.pane == ThreadPane::Steps, "the steps show what changed · <next_view> goes there")
        }
        Action::ShowPrompt => {
            let is_call = review.span().is_some_and(|row| row.call.is_some());
            (is_call, "<down> and <up> select a model call in the trace; <show_prompt> shows its words")
        }
        Action::Unfold => {
            let can_fold = match review.pane {
                ThreadPane::State => {
                    review.tree.rows.get(review.cursor).is_some_and(|row| row.fold.is_some())
                }
                ThreadPane::Trace => review.span().is_some_and(|row| row.call.is_some()),
                ThreadPane::Conversation => review.folds.open || review.doc.has_folds(),
                ThreadPane::Steps | ThreadPane::Graph => false,
            };
            (can_fold && model.focus == Focus::Card, "")
        }
        Action::PanLeft | Action::PanRight => (review.pane == ThreadPane::Graph, ""),
        Action::Fork => (
            review.pane == ThreadPane::Steps,
            "fork from a step · <next_view> goes there, <next_part> and <previous_part> choose one",
        ),
        Action::Settle => (in_doubt(review).is_some(), "none of its effects is in doubt"),
        Action::Retry => {
            let can = review.trouble().is_some_and(|question| question.action != "in_doubt");
            (can, "it has no trouble that a retry could fix")
        }
        Action::Answer => (review.open_question().is_some(), "it isn't asking anything now"),
        _ => (true, ""),
    };
    Some(if can { Ok(effect) } else { Err(why) })
}

/// Switches to the view before this one; before the first one is the list.
fn previous_view(model: &mut Model) {
    if model.shown_review().is_some_and(|review| review.pane.previous().is_none()) {
        model.focus = Focus::List;
    } else {
        switch_view(model, |pane| pane.previous().unwrap_or(pane));
    }
}

fn switch_view(model: &mut Model, next: impl FnOnce(ThreadPane) -> ThreadPane) {
    let Some(review) = &mut model.threads.review else { return };
    let pane = next(review.pane);
    review.switch_to(pane);
    model.threads.pane = pane;
    // If everything fits, the view begins at the top.
    scroll(model, 0);
    read_missing(model);
}

/// Moves to the next or previous step, or to the next node in the trace.
pub fn part(model: &mut Model, forward: bool) {
    let (width, height) = size(model);
    let Some(review) = &mut model.threads.review else { return };
    match review.pane {
        ThreadPane::Steps => {
            let to = if forward { review.step + 1 } else { review.step.saturating_sub(1) };
            review.go_to(to);
        }
        ThreadPane::Trace => {
            let cursor = review.cursor;
            let is_node = |n: &usize| review.spans.get(*n).is_some_and(|row| row.sort == "node");
            let target = if forward {
                (cursor + 1..review.spans.len()).find(is_node)
            } else {
                (0..cursor).rev().find(is_node)
            };
            review.cursor = target.unwrap_or(cursor);
            keep_cursor_visible(model);
        }
        ThreadPane::Conversation => review.top = review.doc.part(review.top, forward, width, height),
        ThreadPane::Graph | ThreadPane::State => {}
    }
    read_missing(model);
}

/// Scrolls by lines, or moves the cursor if there is one.
pub fn scroll(model: &mut Model, by: isize) {
    let (_, height) = size(model);
    let Some(review) = &mut model.threads.review else { return };
    match review.pane {
        // These are pages, and scroll like all pages.
        ThreadPane::Conversation | ThreadPane::Steps => {}
        ThreadPane::Graph => {
            let last = (review.picture.lines.len() + 1).saturating_sub(height);
            review.first = review.first.saturating_add_signed(by).min(last);
        }
        ThreadPane::Trace | ThreadPane::State => {
            let last = review.rows().saturating_sub(1);
            review.cursor = review.cursor.saturating_add_signed(by).min(last);
            keep_cursor_visible(model);
        }
    }
}

/// Keeps the selected row on the screen.
fn keep_cursor_visible(model: &mut Model) {
    let (_, height) = size(model);
    if let Some(review) = &mut model.threads.review {
        let last = (review.cursor + 1).saturating_sub(height.max(1));
        review.first = review.first.min(review.cursor).max(last);
    }
}

/// The columns and lines below the title.
pub fn size(model: &Model) -> (usize, usize) {
    let (_, body) = layout::review(layout::areas(model).card);
    (usize::from(body.width), usize::from(body.height))
}

/// Folds or unfolds the selected row, or whatever the view can unfold.
fn unfold(model: &mut Model) {
    let Some(review) = &mut model.threads.review else { return };
    match review.pane {
        ThreadPane::State => {
            review.tree.toggle(review.cursor);
        }
        ThreadPane::Trace => show_prompt(model),
        ThreadPane::Conversation => fold(model),
        ThreadPane::Steps | ThreadPane::Graph => {}
    }
}

/// Folds or unfolds quotes and older mails.
pub fn fold(model: &mut Model) {
    let (width, height) = size(model);
    if let Some(review) = &mut model.threads.review {
        review.folds.open = !review.folds.open;
        review.cut();
        review.top = review.top.min(review.doc.end(width, height));
    }
}

/// Reads what the current view needs but does not have yet.
pub fn read_missing(model: &mut Model) {
    let missing = model.shown_review().filter(|review| {
        review.pane == ThreadPane::Steps && review.states.is_none() && !review.view.steps.is_empty()
    });
    let Some((id, step)) = missing.map(|review| (review.view.id.clone(), review.step as u64)) else { return };
    let thread = id.clone();
    let work = async move |inbox: Inbox| inbox.threads().step_states(id, step).await;
    model.read(work, move |model, states| {
        if let Some(review) = model.threads.review.as_mut().filter(|review| review.view.id == thread) {
            review.put_states(states);
        }
    });
}

/// Shows the text of the selected model call, if no pop-up has opened meanwhile.
fn show_prompt(model: &mut Model) {
    let call =
        model.shown_review().and_then(Review::span).and_then(|row| Some((row.thread.clone()?, row.call?)));
    let Some((thread, call)) = call else { return };
    let work = async move |inbox: Inbox| inbox.threads().model_call(thread, call).await;
    model.read(work, |model, call| {
        if model.layers.is_empty() {
            model.push(Page::new("What the model was told, and what it said", prompt_page(&call)));
        }
    });
}

fn ask_fork(model: &mut Model) {
    let Some(review) = model.shown_review() else { return };
    let Some(step) = review.fork_step() else { return };
    let node = review.view.steps.iter().find(|other| other.n == step).map(|step| step.node.clone());
    let node = words::line(&node.unwrap_or_default());
    let asks = review.view.questions.iter().filter(|question| question.step == step).count();
    let then = match asks {
        0 => "The new thread goes on from there by itself.".to_owned(),
        asks => format!("What was asked there is asked again: {} in your inbox.", count_noun(asks, "item")),
    };
    let why = format!("{then} Nothing is done twice, and this thread stays as it is.");
    let (title, id) = (format!("Fork a new thread after step {step} ({node})?"), review.view.id.clone());
    model.push(Confirm::new(title, why, Doc::default(), move |model| fork(model, id, step)));
}

/// Makes a fork, and goes to its question in the inbox, or else to the new thread.
fn fork(model: &mut Model, id: ThreadId, step: u64) {
    let work = async move |inbox: Inbox| inbox.threads().fork(id, step).await;
    model.read(work, |model, outcome| {
        match outcome.interrupts.first() {
            Some(interrupt) => {
                model.say(format!("Forked as {}: it will ask you again", outcome.thread));
                inbox::go_to_item(model, interrupt.to_string());
            }
            None => {
                model.say(format!("Forked as {}: it goes on from there", outcome.thread));
                show(model, outcome.thread);
            }
        }
        model.reload();
    });
}

/// Goes to the thread's question.
fn answer(model: &mut Model) {
    let question =
        model.shown_review().and_then(Review::open_question).map(|question| question.id.to_string());
    if let Some(id) = question {
        inbox::go_to_item(model, id);
    }
}

/// The trouble as a page, shown with the question how to resolve it.
fn trouble_page(question: &QuestionView) -> Doc {
    let mut fields = vec![(Visible::line("trouble"), Visible::new(&question.gist))];
    fields.extend(
        question
            .args
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, value)| (Visible::line(name), words::value(value))),
    );
    Doc::page(&question.title, question.id.as_str(), vec![Block::Fields(fields)])
}

fn pending_decision(question: &QuestionView, decision: Decision) -> DecisionRequest {
    DecisionRequest::on_screen(question.id.clone(), question.args_hash, decision, true)
}

/// The question about an effect whose outcome nobody knows.
fn in_doubt(review: &Review) -> Option<&QuestionView> {
    review.trouble().filter(|question| question.action == "in_doubt")
}

fn offer_outcomes(model: &mut Model) {
    let Some(question) = model.shown_review().and_then(in_doubt) else { return };
    let effect = words::value(&question.args["effect"]);
    let rows = vec![
        Choice::new("it was done: don't do it again", |model| ask_settle(model, "done")),
        Choice::new("it was not done: do it now, exactly as approved", |model| ask_settle(model, "not_done")),
    ];
    let title = format!("What happened to {}?", Visible::line(&effect));
    model.push(Menu::new(title, rows));
}

/// Asks once more before an effect is settled.
fn ask_settle(model: &mut Model, outcome: &'static str) {
    let Some(question) = model.shown_review().and_then(in_doubt) else { return };
    let (title, why, kind, decision) = match outcome {
        "not_done" => {
            let args: Value = json!({ "effect": question.args["effect"], "outcome": "not_done" });
            let why =
                "It will be done now, exactly as you approved it. If it did happen before, it happens twice.";
            ("Do it again?", why, DecisionKind::Edited, Decision::Edit { args })
        }
        _ => ("Count it as done?", "It will not be done again.", DecisionKind::Accepted, Decision::Accept),
    };
    let (page, decision) = (trouble_page(question), pending_decision(question, decision));
    decide::ask(model, title, why, page, kind, decision);
}

fn ask_retry(model: &mut Model) {
    let Some(question) = model.shown_review().and_then(Review::trouble) else { return };
    let label = words::line(question.labels.accept.as_deref().unwrap_or("retry"));
    let (page, decision) = (trouble_page(question), pending_decision(question, Decision::Accept));
    let why = "It picks up where it stopped; nothing is done twice.";
    decide::ask(model, &format!("{label}?"), why, page, DecisionKind::Accepted, decision);
}

pub fn take_over(model: &mut Model) {
    if let Some(thread) = model.shown_review().map(|review| review.view.id.clone()) {
        take_over::toggle(model, thread);
    }
}

/// Asks whether to abandon a thread in trouble, or to stop a live one.
pub fn ask_stop(model: &mut Model) {
    let Some(review) = model.shown_review() else { return };
    let title = words::line(&review.view.title);
    match review.trouble() {
        Some(question) => {
            let label = words::line(question.labels.ignore.as_deref().unwrap_or("abandon"));
            let page = trouble_page(question);
            let decision = pending_decision(question, Decision::Ignore);
            let why = "It will do nothing more. What it has done so far stands.";
            decide::ask(model, &format!("{label}: “{title}”?"), why, page, DecisionKind::Ignored, decision);
        }
        None => {
            let thread = review.view.id.clone();
            stop::ask(model, thread, &title);
        }
    }
}

fn ask_export(model: &mut Model) {
    let Some(thread) = model.shown_review().map(|review| review.view.id.clone()) else { return };
    let what = ("to ", "a file: .md to read, .json for all of it", "write it");
    model.push(Prompt::new(what, &format!("{thread}.md"), move |model, prompt| {
        let (thread, name) = (thread.clone(), prompt.text().trim().to_owned());
        if !name.is_empty() {
            let zone = model.options.time_zone.clone();
            model.tell(async move |inbox: Inbox| write_thread(&inbox, thread, &zone, &name).await);
        }
        Ok(())
    }));
}

/// Writes a thread to a new file, with times of this zone, and says where.
async fn write_thread(inbox: &Inbox, id: ThreadId, zone: &TimeZone, name: &str) -> InboxResult<String> {
    let exported = export(inbox, id).await?;
    let text = match Format::of(name) {
        Format::Markdown => exported.markdown(zone),
        Format::Json => plain_json(&exported).map_err(|error| Failure::new(error.to_string()))?,
    };
    let path = match (name.strip_prefix("~/"), std::env::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => Path::new(name).to_owned(),
    };
    let path = std::path::absolute(&path).unwrap_or(path);
    let shown = path.display().to_string();
    match tokio::task::spawn_blocking(move || write_new(&path, &text)).await {
        Ok(Ok(())) => Ok(format!("Written to {shown}")),
        Ok(Err(error)) => Err(Failure::new(error.to_string())),
        Err(_) => Err(Failure::new(format!("writing {shown} was interrupted; try again"))),
    }
}
