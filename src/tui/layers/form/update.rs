//! Forms and boxes: they open with the text typed before, are sent on request, and keep their text when left.

use super::{Form, Purpose, UNREAD, letter, review, view};
use crate::graph::{Decision, Kind, ThreadId};
use crate::inbox::{DecisionRequest, Item, ItemKind, PROGRAM_ACTIONS, unsent_edit_key};
use crate::tui::actions::{Action, Scope};
use crate::tui::key::Key;
use crate::tui::key_guard;
use crate::tui::layers::{Choice, Layer, Menu, Popup};
use crate::tui::layout::{self, Areas};
use crate::tui::model::Model;
use crate::tui::msg::{Cmd, DecisionKind, InboxResult, Press};
use crate::tui::options::Startable;
use crate::tui::tabs;
use crate::tui::tabs::inbox::{decide, follow};
use ratatui::Frame;
use serde_json::Value;

/// The item whose card is shown, as it was read.
fn item(model: &mut Model) -> Option<Item> {
    if model.selected().is_some_and(|row| model.deciding.contains(&row.id)) {
        return None;
    }
    let item = model.current().map(|opened| opened.item.clone());
    if item.is_none() {
        model.say("The card is still loading");
    }
    item
}

fn open(model: &mut Model, mut form: Form) {
    if let Some(draft) = model.drafts.get(&form.draft_key()) {
        form.restore(draft);
    }
    let is_edit = matches!(form.purpose, Purpose::Edit { .. });
    model.push(form);
    // Users who edit an answer have it in the form, and want to see the mail it answers.
    let Areas { card, .. } = layout::areas(model);
    let (width, height) = (usize::from(card.width), usize::from(card.height));
    let top = model.current().map(|opened| match is_edit {
        true => opened.doc.at_mail(opened.top, width, height),
        false => opened.top,
    });
    if let (Some(form), Some(top)) = (Form::uppermost(model), top) {
        form.card_top = top;
    }
}

pub fn edit(model: &mut Model) -> Vec<Cmd> {
    let Some(item) = item(model) else { return Vec::new() };
    let form = Form::edit(&item, &model.local_time());
    open(model, form);
    Vec::new()
}

/// Whether the selected item was changed in a form that was closed without sending.
pub fn has_unsent_edit(model: &Model) -> bool {
    let Some(item) = model.current().map(|opened| &opened.item) else { return false };
    let Some(draft) = model.drafts.get(&unsent_edit_key(&item.id)) else { return false };
    let mut form = Form::edit(item, &model.local_time());
    let before = form.draft();
    form.restore(draft);
    form.draft() != before
}

/// Shows what was changed, to be accepted that way.
pub fn review_edit(model: &mut Model) -> Vec<Cmd> {
    edit(model);
    submit(model)
}

/// Opens the whole proposal in `$EDITOR`; the result goes back into the form.
pub fn edit_outside(model: &mut Model) -> Vec<Cmd> {
    edit(model);
    outside(model)
}

pub fn respond(model: &mut Model) -> Vec<Cmd> {
    let Some(item) = item(model) else { return Vec::new() };
    let form = if item.kind == ItemKind::Result {
        Form::text_box(Purpose::Proceed { thread: item.thread.clone() }, "Go on: what next?", "")
    } else {
        let program = item.action.starts_with(PROGRAM_ACTIONS);
        let title = match item.kind {
            ItemKind::Interrupt(Kind::Approval) if program => "Refuse it, and tell the agent why",
            ItemKind::Interrupt(Kind::Question) if program => "Your answer to the agent",
            _ if item.is_about_mail() => "To the agent, not to the sender",
            ItemKind::Interrupt(Kind::Question) => "Your answer",
            _ => "To the agent",
        };
        Form::text_box(Purpose::Respond { item: Box::new(item) }, title, "")
    };
    open(model, form);
    Vec::new()
}

pub fn start(model: &mut Model, workflow: &str) -> Vec<Cmd> {
    let Some(startable) = model.workflows.iter().find(|startable| startable.name == workflow) else {
        return Vec::new();
    };
    let title = format!("New thread: {}", startable.name);
    let schema = startable.schema.clone();
    let purpose = Purpose::Start { workflow: workflow.to_owned() };
    let form = Form::new(purpose, &title, &schema, &Value::Null, &model.local_time());
    open(model, form);
    Vec::new()
}

/// The form's text changed: it is saved a moment later.
fn draft_changed(model: &mut Model) -> Vec<Cmd> {
    let Some(Layer::Form(form)) = model.layer() else { return Vec::new() };
    let (key, draft) = (form.draft_key(), form.draft());
    // Text that was changed back is no change.
    let unchanged =
        matches!(&form.purpose, Purpose::Edit { item } if Form::edit(item, &form.now).draft() == draft);
    let mut cmds = Vec::new();
    if model.unsaved_draft.as_ref().is_some_and(|(other, _)| *other != key) {
        cmds = model.save_draft();
    }
    if unchanged {
        model.drafts.remove(&key);
    } else {
        model.drafts.insert(key.clone(), draft);
    }
    let since = model.unsaved_draft.take().map_or(model.now, |(_, since)| since);
    model.unsaved_draft = Some((key, since));
    cmds
}

impl Popup for Form {
    fn scope(&self) -> Scope {
        Scope::Form
    }

    fn act(model: &mut Model, action: Action, press: Press) -> Vec<Cmd> {
        let Some((number, Layer::Form(form))) = model.layers.last_mut() else { return Vec::new() };
        match action {
            Action::NextField | Action::PreviousField => {
                form.check();
                form.move_focus(action == Action::NextField);
                Vec::new()
            }
            Action::Remember => {
                form.learn = !form.learn;
                Vec::new()
            }
            Action::Complete if form.unread.is_none() => {
                let typed =
                    form.fields.get(form.focus).map(|field| last_line(field.editor.text()).to_owned());
                let typed = typed.unwrap_or_default();
                if form.completions.0 == typed && !form.completions.1.is_empty() {
                    let next = form.completions.1.remove(0);
                    form.completions.1.push(typed.clone());
                    put_last_line(form, &next);
                    form.completions.0 = next;
                    return draft_changed(model);
                }
                vec![Cmd::Complete(*number, typed)]
            }
            Action::CardDown | Action::CardUp | Action::PageDown | Action::PageUp => {
                let page = isize::try_from(layout::areas(model).card.height).unwrap_or(2).max(3) - 2;
                let by = match action {
                    Action::CardDown => 1,
                    Action::CardUp => -1,
                    Action::PageDown => page,
                    _ => -page,
                };
                Self::scroll(model, by);
                Vec::new()
            }
            Action::Outside => outside(model),
            Action::LeaveForm => {
                model.layers.pop();
                model.save_draft()
            }
            Action::Submit => {
                if !key_guard::confirms(model, press) {
                    model.say("Not sent: the keys came too fast");
                    return Vec::new();
                }
                submit(model)
            }
            _ => Vec::new(),
        }
    }

    fn draw(&self, model: &Model, frame: &mut Frame<'_>) -> bool {
        view::draw(model, self, frame)
    }

    fn scroll(model: &mut Model, by: isize) {
        let Areas { card, .. } = layout::areas(model);
        let (width, height) = (usize::from(card.width), usize::from(card.height));
        if !layout::has_card_with_form(model) {
            return;
        }
        let Some(from) = Form::uppermost(model).map(|form| form.card_top) else { return };
        let top = model.current().map(|opened| match usize::try_from(by) {
            Ok(down) => opened.doc.down(from, down, width, height),
            Err(_) => opened.doc.up(from, by.unsigned_abs(), width),
        });
        if let (Some(form), Some(top)) = (Form::uppermost(model), top) {
            form.card_top = top;
        }
    }

    fn footer(&self) -> Vec<(Action, &'static str)> {
        let submit = match self.purpose {
            Purpose::Start { .. } => "start",
            Purpose::Respond { .. } | Purpose::Proceed { .. } => "tell the agent",
            Purpose::Edit { .. } => "review",
        };
        let mut actions = vec![(Action::Submit, submit), (Action::LeaveForm, "keep & close")];
        if self.fields.len() > 1 {
            actions.push((Action::NextField, "next"));
        }
        let learn = if self.learn { "learning on" } else { "learning off" };
        actions.extend([
            (Action::PageDown, "scroll the card"),
            (Action::Outside, "$EDITOR"),
            (Action::Complete, "complete"),
            (Action::Remember, learn),
        ]);
        actions
    }

    fn type_key(&mut self, key: Key) -> bool {
        self.key(key)
    }

    fn paste(&mut self, text: &str) -> bool {
        if self.unread.is_none()
            && let Some(field) = self.field()
        {
            field.editor.insert(text);
        }
        self.check();
        true
    }

    fn text_changed(model: &mut Model) -> Vec<Cmd> {
        draft_changed(model)
    }
}

fn last_line(text: &str) -> &str {
    text.rsplit('\n').next().unwrap_or(text)
}

fn put_last_line(form: &mut Form, line: &str) {
    if let Some(field) = form.field() {
        let earlier_lines = field
            .editor
            .text()
            .rfind('\n')
            .map_or(String::new(), |end| field.editor.text()[..=end].to_owned());
        field.editor.set(&format!("{earlier_lines}{line}"));
    }
    form.check();
}

/// Opens the box, or the whole form, in `$EDITOR`: a letter as a plain mail, anything else as JSON.
fn outside(model: &mut Model) -> Vec<Cmd> {
    let Some((number, Layer::Form(form))) = model.layers.last_mut() else { return Vec::new() };
    if form.is_box() {
        return vec![Cmd::Editor(*number, form.typed().to_owned(), "txt")];
    }
    let body = letter::body(&form.fields);
    let ending = if body.is_some() { "eml" } else { "json" };
    if let Some(unread) = &form.unread {
        return vec![Cmd::Editor(*number, unread.clone(), ending)];
    }
    let text = match body {
        Some(body) => Some(letter::write(&form.fields, body)),
        None => form.value().map(|value| serde_json::to_string_pretty(&value).unwrap_or_default()),
    };
    match text {
        Some(text) => vec![Cmd::Editor(*number, text, ending)],
        None => {
            model.say("Fix the marked field first");
            Vec::new()
        }
    }
}

/// `$EDITOR` was closed: its text goes into the form that opened it.
pub fn edited(model: &mut Model, number: u64, result: InboxResult<String>) -> Vec<Cmd> {
    let Some(text) = model.ok_or_fail(result) else { return Vec::new() };
    let Some((_, Layer::Form(form))) = model.layers.iter_mut().find(|(other, _)| *other == number) else {
        return Vec::new();
    };
    if form.is_box() {
        if let Some(field) = form.field() {
            field.editor.set(text.trim_end_matches('\n'));
        }
        return draft_changed(model);
    }
    if text.trim().is_empty() {
        form.unread = None;
        form.check();
        model.say("The text is empty: the form stays as it is");
        return draft_changed(model);
    }
    let read = match letter::body(&form.fields) {
        Some(body) => letter::read(&form.fields, body, &text).map(|texts| form.set_texts(&texts)),
        None => form.set_json(&text),
    };
    match read {
        Ok(()) => {
            form.unread = None;
            form.check();
        }
        Err(why) => {
            form.unread = Some(text);
            form.check();
            let again = "The form is unchanged · Ctrl-g opens the text again";
            model.fail(format!("The text can't be read: {why}. {again}"));
        }
    }
    draft_changed(model)
}

/// Sends the refusal with this number, if a digit means one here.
pub fn refuse(model: &mut Model, press: Press) -> Option<Vec<Cmd>> {
    let Some(Layer::Form(form)) = model.layer() else { return None };
    let number = (1..=9).find(|n| char::from_digit(*n, 10).is_some_and(|c| press.key == Key::plain(c)))?;
    let index = usize::try_from(number).ok()?.checked_sub(1)?;
    let text = form.refusals(&model.options.refusals).get(index)?.clone();
    if !key_guard::confirms(model, press) {
        model.say("Not sent: the keys came too fast");
        return Some(Vec::new());
    }
    Form::uppermost(model)?.field()?.editor.set(&text);
    Some(submit(model))
}

fn submit(model: &mut Model) -> Vec<Cmd> {
    let Some((_, Layer::Form(form))) = model.layers.last_mut() else { return Vec::new() };
    if form.unread.is_some() {
        model.fail(UNREAD);
        return Vec::new();
    }
    let learn = form.learn;
    match form.purpose.clone() {
        Purpose::Respond { item } => {
            if form.typed().trim().is_empty() {
                form.error = Some("say something, or leave with Esc".to_owned());
                return Vec::new();
            }
            let decision = Decision::Respond { text: form.typed().to_owned() };
            let (Some(id), Some(hash)) = (item.interrupt(), item.args_hash) else { return Vec::new() };
            let kind = if item.labels.words_refuse { DecisionKind::Refused } else { DecisionKind::Answered };
            let mut cmds = leave(model);
            cmds.extend(decide::send(model, kind, DecisionRequest::on_screen(id, hash, decision, learn)));
            cmds
        }
        Purpose::Proceed { thread } => {
            if form.typed().trim().is_empty() {
                form.error = Some("say something, or leave with Esc".to_owned());
                return Vec::new();
            }
            let words = form.typed().to_owned();
            let mut cmds = leave(model);
            model.deciding.insert(thread.to_string());
            cmds.push(Cmd::Proceed(thread, words));
            cmds
        }
        Purpose::Start { workflow } => {
            let Some(input) = form.value() else { return Vec::new() };
            let mut cmds = leave(model);
            cmds.push(Cmd::Start(workflow, input));
            cmds
        }
        Purpose::Edit { item } => review::ask(form, &item),
    }
}

/// Closes the form; its draft is removed when the request has succeeded.
pub fn leave(model: &mut Model) -> Vec<Cmd> {
    model.layers.pop();
    model.save_draft()
}

pub fn started(model: &mut Model, workflow: String, result: InboxResult<ThreadId>) -> Vec<Cmd> {
    match result {
        Ok(thread) => {
            model.say(format!("Started {thread} · gr shows running threads"));
            let key = Form::start_key(&workflow);
            model.drafts.remove(&key);
            follow::follow_started(model, thread);
            let mut cmds = vec![Cmd::KeepDraft(key, None)];
            cmds.extend(tabs::reload(model));
            cmds
        }
        Err(failure) => {
            model.fail(format!("Not started: {} · c opens the form again", failure.text));
            Vec::new()
        }
    }
}

pub fn completions(model: &mut Model, number: u64, typed: String, paths: Vec<String>) -> Vec<Cmd> {
    let Some((_, Layer::Form(form))) = model.layers.iter_mut().find(|(other, _)| *other == number) else {
        return Vec::new();
    };
    let is_current = form.fields.get(form.focus).is_some_and(|field| last_line(field.editor.text()) == typed);
    if !is_current || form.unread.is_some() {
        return Vec::new();
    }
    match paths.as_slice() {
        [] => {
            model.say("No file starts with that");
            Vec::new()
        }
        [only] => {
            put_last_line(form, only);
            form.completions = (only.clone(), Vec::new());
            draft_changed(model)
        }
        _ => {
            form.completions = (typed, paths);
            Vec::new()
        }
    }
}

/// Offers the workflows that can be started; with only one, skips the choice.
pub fn choose_workflow(model: &mut Model) -> Vec<Cmd> {
    if let [only] = model.workflows.as_slice() {
        let name = only.name.clone();
        return start(model, &name);
    }
    let widest = model.workflows.iter().map(|startable| startable.name.len()).max().unwrap_or(0);
    let row = |startable: &Startable| {
        (format!("{:widest$}  {}", startable.name, startable.about), Choice::Start(startable.name.clone()))
    };
    let rows = model.workflows.iter().map(row).collect();
    model.push(Menu::new("New thread", rows));
    Vec::new()
}
