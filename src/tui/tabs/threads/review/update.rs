//! What keys do to the thread shown. Anything that cannot be undone is confirmed first.

use super::{Review, ThreadPane, prompt_page};
use crate::graph::{Decision, ThreadId};
use crate::inbox::{Block, CallView, DecisionRequest, Outcome, QuestionView, StepStates};
use crate::text::{Visible, count_noun};
use crate::tui::actions::Action;
use crate::tui::card::{Doc, ScrollPosition};
use crate::tui::layers::{Choice, Confirm, Menu, OnConfirm, Page, Prompt, PromptKind};
use crate::tui::model::Model;
use crate::tui::msg::{Cmd, DecisionKind, InboxResult, Press};
use crate::tui::tabs::inbox::{self, decide};
use crate::tui::tabs::{self, Focus, Tab, threads};
use crate::tui::{key_guard, layout, words};
use serde_json::{Value, json};

/// Switches between what a step changed and the whole state after it.
pub fn toggle_whole_state(model: &mut Model) -> Vec<Cmd> {
    if let Some(review) = &mut model.threads.review {
        review.shows_whole_state = !review.shows_whole_state;
        review.top = ScrollPosition::default();
        review.cut();
    }
    read_missing(model)
}

/// Scrolls the graph by columns.
pub fn pan(model: &mut Model, by: isize) -> Vec<Cmd> {
    if let Some(review) = &mut model.threads.review {
        review.shift = review.shift.saturating_add_signed(by).min(400);
    }
    Vec::new()
}

/// Ok if an action makes sense on the thread shown; otherwise the reason why not.
pub fn available(model: &Model, action: Action) -> Result<(), &'static str> {
    let Some(review) = model.shown_review() else { return Err("no thread is shown; j or k selects one") };
    let when = |can: bool, why: &'static str| if can { Ok(()) } else { Err(why) };
    match action {
        Action::StateDiff => {
            when(review.pane == ThreadPane::Steps, "the steps show what changed; l goes there")
        }
        Action::ShowPrompt => {
            let is_call = review.span().is_some_and(|row| row.call.is_some());
            when(is_call, "j and k select a model call in the trace; p shows its words")
        }
        Action::Unfold => {
            let can_fold = match review.pane {
                ThreadPane::State => {
                    review.tree.rows.get(review.cursor).is_some_and(|row| row.fold.is_some())
                }
                ThreadPane::Trace => review.span().is_some_and(|row| row.call.is_some()),
                ThreadPane::Conversation => review.has_mail(),
                ThreadPane::Steps | ThreadPane::Graph => false,
            };
            when(can_fold && model.focus == Focus::Card, "")
        }
        Action::PanLeft | Action::PanRight => when(review.pane == ThreadPane::Graph, ""),
        Action::Fork => when(
            review.pane == ThreadPane::Steps,
            "the steps show where to fork; l goes there, ] and [ choose one",
        ),
        Action::Settle => when(in_doubt(review).is_some(), "none of its effects is in doubt"),
        Action::Retry => {
            let can = review.trouble().is_some_and(|question| question.action != "in_doubt");
            when(can, "it has no trouble that a retry could fix")
        }
        Action::Answer => when(review.open_question().is_some(), "it isn't asking anything now"),
        _ => Ok(()),
    }
}

/// Whether mails are shown, which have quotes to fold.
pub fn has_mail(model: &Model) -> bool {
    model.shown_review().is_some_and(|review| review.pane == ThreadPane::Conversation)
}

/// Switches to the next or previous view; before the first one is the list.
pub fn switch_view(model: &mut Model, action: Action) -> Vec<Cmd> {
    let Some(review) = &mut model.threads.review else { return Vec::new() };
    let pane = match action {
        Action::NextView => Some(review.pane.next()),
        _ => review.pane.previous(),
    };
    match pane {
        Some(pane) => {
            review.switch_to(pane);
            model.threads.pane = pane;
            // If everything fits, the view begins at the top.
            scroll(model, 0);
            read_missing(model)
        }
        None => {
            model.focus = Focus::List;
            Vec::new()
        }
    }
}

/// Whether the current view goes by steps.
pub fn has_steps(model: &Model) -> bool {
    model.shown_review().is_some_and(|review| matches!(review.pane, ThreadPane::Steps | ThreadPane::Trace))
}

/// Moves to the next or previous step, or to the next node in the trace.
pub fn part(model: &mut Model, forward: bool) -> Vec<Cmd> {
    let Some(review) = &mut model.threads.review else { return Vec::new() };
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
        ThreadPane::Conversation | ThreadPane::Graph | ThreadPane::State => return Vec::new(),
    }
    read_missing(model)
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
        review.first =
            layout::plain_top(review.first, review.cursor, u16::try_from(height).unwrap_or(u16::MAX));
    }
}

/// The columns and lines below the title.
pub fn size(model: &Model) -> (usize, usize) {
    let (_, body) = layout::review(layout::areas(model).card);
    (usize::from(body.width), usize::from(body.height))
}

/// Folds or unfolds the selected row, or whatever the view can unfold.
pub fn unfold(model: &mut Model) -> Vec<Cmd> {
    let Some(review) = &mut model.threads.review else { return Vec::new() };
    match review.pane {
        ThreadPane::State => {
            review.tree.toggle(review.cursor);
            Vec::new()
        }
        ThreadPane::Trace => ask_prompt(model),
        ThreadPane::Conversation => fold(model),
        ThreadPane::Steps | ThreadPane::Graph => Vec::new(),
    }
}

/// Folds or unfolds quotes and older mails.
pub fn fold(model: &mut Model) -> Vec<Cmd> {
    let (width, height) = size(model);
    if let Some(review) = &mut model.threads.review {
        review.folds.open = !review.folds.open;
        review.cut();
        review.top = review.top.min(review.doc.end(width, height));
    }
    Vec::new()
}

/// Asks for what the current view needs but does not have yet.
pub fn read_missing(model: &Model) -> Vec<Cmd> {
    match model.shown_review() {
        Some(review)
            if review.pane == ThreadPane::Steps
                && review.states.is_none()
                && !review.view.steps.is_empty() =>
        {
            vec![Cmd::StepStates(review.view.id.clone(), review.step as u64)]
        }
        _ => Vec::new(),
    }
}

pub fn states(model: &mut Model, thread: &ThreadId, result: InboxResult<Box<StepStates>>) -> Vec<Cmd> {
    match (result, &mut model.threads.review) {
        (Ok(states), Some(review)) if review.view.id == *thread => review.put_states(*states),
        (Ok(_), _) => {}
        (Err(failure), _) => model.fail(failure.text),
    }
    Vec::new()
}

pub fn ask_prompt(model: &mut Model) -> Vec<Cmd> {
    let call =
        model.shown_review().and_then(Review::span).and_then(|row| Some((row.thread.clone()?, row.call?)));
    call.map(|(thread, call)| Cmd::ModelCall(thread, call)).into_iter().collect()
}

/// Shows the text of a call, if no layer has opened meanwhile.
pub fn prompt(model: &mut Model, result: InboxResult<Box<CallView>>) -> Vec<Cmd> {
    match result {
        Ok(call) if model.layers.is_empty() => {
            let title = "What the model was told, and what it said";
            let doc = prompt_page(&call);
            model.push(Page::new(title, doc));
        }
        Ok(_) => {}
        Err(failure) => model.fail(failure.text),
    }
    Vec::new()
}

fn confirm(model: &mut Model, title: String, why: String, page: Doc, then: OnConfirm) -> Vec<Cmd> {
    model.push(Confirm::new(title, why, page, then));
    Vec::new()
}

pub fn ask_fork(model: &mut Model, press: Press) -> Vec<Cmd> {
    if !key_guard::is_deliberate(model, press) {
        return Vec::new();
    }
    let Some(review) = model.shown_review() else { return Vec::new() };
    let Some(step) = review.fork_step() else { return Vec::new() };
    let node = review.view.steps.iter().find(|other| other.n == step).map(|step| step.node.clone());
    let node = words::line(&node.unwrap_or_default());
    let asks = review.view.questions.iter().filter(|question| question.step == step).count();
    let then = match asks {
        0 => "The new thread goes on from there by itself.".to_owned(),
        asks => format!("What was asked there is asked again: {} in your inbox.", count_noun(asks, "item")),
    };
    let why = format!("{then} Nothing is done twice, and this thread stays as it is.");
    let fork = OnConfirm::Do(Cmd::Fork(review.view.id.clone(), step));
    confirm(model, format!("Fork a new thread after step {step} ({node})?"), why, Doc::default(), fork)
}

/// A fork was made: go to its question in the inbox, or else to the new thread.
pub fn forked(model: &mut Model, result: InboxResult<Outcome>) -> Vec<Cmd> {
    let Some(outcome) = model.ok_or_fail(result) else { return Vec::new() };
    let mut cmds = match outcome.interrupts.first() {
        Some(interrupt) => {
            model.say(format!("Forked as {}: it will ask you again", outcome.thread));
            go_to_item(model, interrupt.to_string())
        }
        None => {
            model.say(format!("Forked as {}: it goes on from there", outcome.thread));
            threads::show(model, outcome.thread)
        }
    };
    cmds.extend(tabs::reload(model));
    cmds
}

/// Selects an item of the inbox, once it is there.
pub fn go_to_item(model: &mut Model, item: String) -> Vec<Cmd> {
    let cmds = tabs::go(model, Tab::Inbox);
    model.inbox.list.show_all(model.wall);
    model.inbox.goto = Some(item);
    inbox::select_goto(model);
    cmds
}

/// Goes to the thread's question.
pub fn answer(model: &mut Model) -> Vec<Cmd> {
    let question_id =
        model.shown_review().and_then(Review::open_question).map(|question| question.id.to_string());
    question_id.map(|id| go_to_item(model, id)).unwrap_or_default()
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
pub fn in_doubt(review: &Review) -> Option<&QuestionView> {
    review.trouble().filter(|question| question.action == "in_doubt")
}

pub fn offer_outcomes(model: &mut Model, press: Press) -> Vec<Cmd> {
    if !key_guard::is_deliberate(model, press) {
        return Vec::new();
    }
    let Some(question) = model.shown_review().and_then(in_doubt) else { return Vec::new() };
    let effect = words::value(&question.args["effect"]);
    let rows = vec![
        ("it was done: don't do it again".to_owned(), Choice::Settle("done")),
        ("it was not done: do it now, exactly as approved".to_owned(), Choice::Settle("not_done")),
    ];
    let title = format!("What happened to {}?", Visible::line(&effect));
    model.push(Menu::new(title, rows));
    Vec::new()
}

/// Asks once more before an effect is settled.
pub fn ask_settle(model: &mut Model, outcome: &'static str) -> Vec<Cmd> {
    let Some(question) = model.shown_review().and_then(in_doubt) else { return Vec::new() };
    let (title, why, kind, decision) = match outcome {
        "not_done" => {
            let args: Value = json!({ "effect": question.args["effect"], "outcome": "not_done" });
            let why =
                "It will be done now, exactly as you approved it. If it did happen before, it happens twice.";
            ("Do it again?", why, DecisionKind::Edited, Decision::Edit { args })
        }
        _ => ("Count it as done?", "It will not be done again.", DecisionKind::Accepted, Decision::Accept),
    };
    let (page, then) =
        (trouble_page(question), OnConfirm::Decide(kind, pending_decision(question, decision)));
    confirm(model, title.to_owned(), why.to_owned(), page, then)
}

pub fn ask_retry(model: &mut Model, press: Press) -> Vec<Cmd> {
    if !key_guard::is_deliberate(model, press) {
        return Vec::new();
    }
    let Some(question) = model.shown_review().and_then(Review::trouble) else { return Vec::new() };
    let label = words::line(question.labels.accept.as_deref().unwrap_or("retry"));
    let (page, then) = (
        trouble_page(question),
        OnConfirm::Decide(DecisionKind::Accepted, pending_decision(question, Decision::Accept)),
    );
    let why = "It picks up where it stopped; nothing is done twice.".to_owned();
    confirm(model, format!("{label}?"), why, page, then)
}

/// Asks whether to abandon a thread in trouble, or to stop a live one.
pub fn ask_stop(model: &mut Model, press: Press) -> Vec<Cmd> {
    if !key_guard::is_deliberate(model, press) {
        return Vec::new();
    }
    let Some(review) = model.shown_review() else { return Vec::new() };
    let title = words::line(&review.view.title);
    match review.trouble() {
        Some(question) => {
            let label = words::line(question.labels.ignore.as_deref().unwrap_or("abandon"));
            let page = trouble_page(question);
            let then = OnConfirm::Decide(DecisionKind::Ignored, pending_decision(question, Decision::Ignore));
            let why = "It will do nothing more. What it has done so far stands.".to_owned();
            confirm(model, format!("{label}: “{title}”?"), why, page, then)
        }
        None => {
            let thread = review.view.id.clone();
            decide::ask_stop(model, thread, &title)
        }
    }
}

pub fn ask_export(model: &mut Model) -> Vec<Cmd> {
    let Some(review) = model.shown_review() else { return Vec::new() };
    let prompt = Prompt::new(PromptKind::Export, &format!("{}.md", review.view.id));
    model.push(prompt);
    Vec::new()
}

pub fn export(model: &mut Model, name: &str) -> Vec<Cmd> {
    let thread = model.shown_review().map(|review| review.view.id.clone());
    model.layers.pop();
    match thread {
        Some(thread) if !name.trim().is_empty() => vec![Cmd::Export(thread, name.trim().to_owned())],
        _ => Vec::new(),
    }
}
