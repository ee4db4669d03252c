//! A form as a pop-up: it opens with the text typed before, is sent on request, and keeps its text when left.

use super::{Form, FormError, Purpose, letter, view};
use crate::inbox::door::Inbox;
use crate::tui::actions::{Action, Scope};
use crate::tui::key::Key;
use crate::tui::layout;
use crate::tui::model::{Beside, Model, Popup};
use ratatui::terminal::Frame;
use std::any::Any;
use std::path::Path;
use std::sync::Arc;

const MAX_COMPLETIONS: usize = 50;

/// Opens a form with the text typed before.
pub fn open(model: &mut Model, mut form: Form) {
    if form.is_letter() {
        let key = form.draft_key.clone();
        model.read(
            async |inbox: Inbox| inbox.mail().people().await,
            move |model, people| {
                if let Some(form) = find(model, &key) {
                    form.people = people;
                }
            },
        );
    }
    if let Some(draft) = model.drafts.get(&form.draft_key) {
        form.restore(draft);
    }
    if let Some(opened) = model.current() {
        // The form stands in the place of what it changes.
        form.card_top = if form.purpose == Purpose::Edit { opened.doc.below() } else { opened.top };
    }
    model.push(form);
}

/// The form whose text is kept under this key, if it is still open.
fn find<'m>(model: &'m mut Model, key: &str) -> Option<&'m mut Form> {
    let popups = model.layers.iter_mut().map(|layer| &mut *layer.popup as &mut dyn Any);
    popups.filter_map(|popup| popup.downcast_mut::<Form>()).find(|form| form.draft_key == key)
}

fn keep_text(model: &mut Model, key: &str) {
    if let Some(form) = find(model, key) {
        let (draft, is_changed) = (form.draft(), form.is_changed());
        keep(model, key.to_owned(), draft, is_changed);
    }
}

/// The form's text changed: it is saved a moment later.
fn keep(model: &mut Model, key: String, draft: String, is_changed: bool) {
    if model.unsaved_draft.as_ref().is_some_and(|(other, _)| *other != key) {
        model.save_draft();
    }
    if is_changed {
        model.drafts.insert(key.clone(), draft);
    } else {
        model.drafts.remove(&key);
    }
    let since = model.unsaved_draft.take().map_or(model.now, |(_, since)| since);
    model.unsaved_draft = Some((key, since));
}

impl Popup for Form {
    fn scope(&self) -> Scope {
        Scope::Form
    }

    fn act(mut self: Box<Self>, model: &mut Model, action: Action) -> Option<Box<dyn Popup>> {
        match action {
            // The first address offered, unless it was chosen with the arrows.
            Action::NextField if self.complete_first_person() => self.text_changed(model),
            Action::NextField | Action::PreviousField => {
                self.completions = Default::default();
                self.check();
                self.move_focus(action == Action::NextField);
            }
            Action::Remember => self.learn = !self.learn,
            Action::Complete if self.unread.is_none() => self.complete(model),
            Action::CardDown | Action::PageDown if self.unfold(model) => {}
            Action::CardDown | Action::CardUp | Action::PageDown | Action::PageUp => {
                let card = layout::areas_beside(model, self.beside_card()).card;
                let page = isize::try_from(card.height).unwrap_or(2).max(3) - 2;
                self.scroll(
                    model,
                    match action {
                        Action::CardDown => 1,
                        Action::CardUp => -1,
                        Action::PageDown => page,
                        _ => -page,
                    },
                );
            }
            Action::ReplyAll => {
                self.reply_all();
                self.text_changed(model);
            }
            Action::Outside => self.edit_outside(model),
            Action::LeaveForm => {
                model.save_draft();
                return None;
            }
            Action::Submit if self.unread.is_some() => model.fail(model.spell(FormError::Unread.sentence())),
            Action::Submit => {
                let submit = Arc::clone(&self.submit);
                if submit(model, &mut self) {
                    return None;
                }
            }
            _ => {}
        }
        Some(self)
    }

    fn available(&self, model: &Model, action: Action) -> Result<(), &'static str> {
        let is_there = match action {
            Action::Complete => self.fields.get(self.focus).is_some_and(|field| field.path),
            Action::Remember => self.learns,
            Action::ReplyAll => self.others().is_some(),
            Action::CardDown | Action::CardUp | Action::PageDown | Action::PageUp => {
                let has_card = layout::has_card_with_form(model);
                return if has_card {
                    Ok(())
                } else {
                    Err("No card is shown here · a larger window has room for it")
                };
            }
            _ => true,
        };
        if is_there { Ok(()) } else { Err("") }
    }

    fn draw(&self, model: &Model, frame: &mut Frame<'_>) -> bool {
        view::draw(model, self, frame)
    }

    fn wheel(&mut self, model: &Model, by: isize) {
        self.scroll(model, 3 * by);
    }

    fn footer(&self) -> Vec<(Action, &'static str)> {
        let submit = match self.purpose {
            Purpose::Start => "start",
            Purpose::Answer => "tell the agent",
            _ if self.is_letter() => "send",
            Purpose::Edit | Purpose::Letter => "review",
        };
        let mut actions = vec![(Action::Submit, submit), (Action::LeaveForm, "keep & close")];
        if self.fields.len() > 1 {
            actions.push((Action::NextField, "next"));
        }
        let learn = if self.learn { "learning on" } else { "learning off" };
        actions.push((Action::ReplyAll, if self.reaches_all() { "to one" } else { "to all" }));
        actions.extend([
            (Action::PageDown, "read below"),
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

    fn text_changed(&mut self, model: &mut Model) {
        keep(model, self.draft_key.clone(), self.draft(), self.is_changed());
    }

    /// A digit sends the refusal with this number, if it means one here.
    fn quick_answer(&self, model: &Model, key: Key) -> Option<String> {
        let number = key.letter()?.to_digit(10)?.checked_sub(1)?;
        self.refusals(&model.options.refusals).get(usize::try_from(number).ok()?).cloned()
    }

    fn answer(mut self: Box<Self>, model: &mut Model, answer: &str) -> Option<Box<dyn Popup>> {
        self.field()?.editor.set(answer);
        self.act(model, Action::Submit)
    }

    fn beside_card(&self) -> Option<Beside> {
        match self.purpose {
            Purpose::Edit => Some(Beside::Fields),
            Purpose::Answer => Some(Beside::Box),
            Purpose::Letter => Some(Beside::Nothing),
            Purpose::Start => None,
        }
    }
}

impl Form {
    /// Scrolls the card beside it by lines.
    fn scroll(&mut self, model: &Model, by: isize) {
        let areas = layout::areas_beside(model, self.beside_card());
        let Some(opened) = model.current().filter(|_| !areas.form.is_empty()) else { return };
        let (width, height) = (usize::from(areas.card.width), usize::from(areas.card.height));
        self.card_top = match usize::try_from(by) {
            Ok(down) => opened.doc.down(self.card_top, down, width, height).max(self.card_top),
            Err(_) => opened.doc.up(self.card_top, by.unsigned_abs(), width),
        };
    }

    /// Unfolds the mail below the form; `false` if nothing is folded there.
    fn unfold(&mut self, model: &mut Model) -> bool {
        let is_edit = self.purpose == Purpose::Edit && model.current().is_some();
        let opened = model.inbox.opened.as_mut().filter(|_| is_edit);
        let Some(opened) = opened.filter(|opened| !opened.folds.open && opened.doc.has_folds()) else {
            return false;
        };
        opened.folds.open = true;
        opened.cut();
        self.card_top = opened.doc.below();
        true
    }

    /// Completes the path at the cursor, or asks what it could become.
    fn complete(&mut self, model: &mut Model) {
        let typed = self.fields.get(self.focus).map(|field| last_line(field.editor.text()).to_owned());
        let typed = typed.unwrap_or_default();
        if self.completions.0 == typed && !self.completions.1.is_empty() {
            let next = self.completions.1.remove(0);
            self.completions.1.push(typed);
            self.put_last_line(&next);
            self.completions.0 = next;
            return self.text_changed(model);
        }
        let (key, text) = (self.draft_key.clone(), typed.clone());
        let look =
            async move |_| tokio::task::spawn_blocking(move || complete(&text)).await.unwrap_or_default();
        model.start_any(look, move |model, paths: Vec<String>| {
            let Some(form) = find(model, &key) else { return };
            let at_cursor = form.fields.get(form.focus).map(|field| last_line(field.editor.text()));
            if at_cursor != Some(&typed) || form.unread.is_some() {
                return;
            }
            match paths.as_slice() {
                [] => model.say("No file starts with that"),
                [only] => {
                    form.put_last_line(only);
                    form.completions = (only.clone(), Vec::new());
                    keep_text(model, &key);
                }
                _ => form.completions = (typed, paths),
            }
        });
    }

    pub(super) fn put_last_line(&mut self, line: &str) {
        if let Some(field) = self.field() {
            let text = field.editor.text();
            let earlier_lines = text.rfind('\n').map_or(String::new(), |end| text[..=end].to_owned());
            field.editor.set(&format!("{earlier_lines}{line}"));
        }
        self.check();
    }

    /// Opens the box, or the whole form, in `$EDITOR`: a letter as a plain mail, anything else as JSON.
    fn edit_outside(&mut self, model: &mut Model) {
        let body = letter::body(&self.fields);
        let ending = match (self.is_box(), body) {
            (true, _) => "txt",
            (false, Some(_)) => "eml",
            (false, None) => "json",
        };
        let text = match (self.is_box(), &self.unread, body) {
            (true, ..) => Some(self.typed().to_owned()),
            (false, Some(unread), _) => Some(unread.clone()),
            (false, None, Some(body)) => Some(letter::write(&self.fields, body)),
            (false, None, None) => {
                self.value().map(|value| serde_json::to_string_pretty(&value).unwrap_or_default())
            }
        };
        let Some(text) = text else { return model.say("Fix the marked field first") };
        let key = self.draft_key.clone();
        model.edit(text, ending, move |model, text| {
            let Some(form) = find(model, &key) else { return };
            let is_empty = text.trim().is_empty() && !form.is_box();
            match form.take_text(text) {
                Ok(()) if is_empty => model.say("The text is empty: the form stays as it is"),
                Ok(()) => {}
                Err(why) => {
                    let again = model.spell("The form is unchanged · <outside> opens the text again");
                    model.fail(format!("The text can't be read: {why}. {again}"));
                }
            }
            keep_text(model, &key);
        });
    }

    /// `$EDITOR` was closed. Text that can't be read is kept, and the form stays as it is.
    fn take_text(&mut self, text: String) -> Result<(), String> {
        if self.is_box() {
            if let Some(field) = self.field() {
                field.editor.set(text.trim_end_matches('\n'));
            }
            return Ok(());
        }
        let read = match letter::body(&self.fields) {
            _ if text.trim().is_empty() => Ok(()),
            Some(body) => letter::read(&self.fields, body, &text).map(|texts| self.set_texts(&texts)),
            None => self.set_json(&text),
        };
        self.unread = read.is_err().then_some(text);
        self.check();
        read
    }
}

fn last_line(text: &str) -> &str {
    text.rsplit('\n').next().unwrap_or(text)
}

/// The paths that begin with the typed text; folders end with a slash.
fn complete(typed: &str) -> Vec<String> {
    let (folder, start) = match typed.rfind('/') {
        Some(slash) => typed.split_at(slash + 1),
        None => ("", typed),
    };
    let directory = match folder.strip_prefix("~/") {
        Some(rest) => match std::env::home_dir() {
            Some(home) => home.join(rest),
            None => return Vec::new(),
        },
        None => Path::new(if folder.is_empty() { "." } else { folder }).to_owned(),
    };
    let Ok(entries) = std::fs::read_dir(directory) else { return Vec::new() };
    let mut paths: Vec<String> = entries
        .filter_map(Result::ok)
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let hidden = name.starts_with('.') && !start.starts_with('.');
            if hidden || !name.starts_with(start) {
                return None;
            }
            let slash = if entry.path().is_dir() { "/" } else { "" };
            Some(format!("{folder}{name}{slash}"))
        })
        .collect();
    paths.sort();
    paths.truncate(MAX_COMPLETIONS);
    paths
}

#[cfg(test)]
mod tests {
    use super::complete;

    #[test]
    fn paths_are_completed() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("docs")).unwrap();
        std::fs::write(folder.path().join("dog.txt"), "").unwrap();
        std::fs::write(folder.path().join(".hidden"), "").unwrap();
        let path = |rest: &str| format!("{}/{rest}", folder.path().display());
        assert_eq!(complete(&path("do")), [path("docs/"), path("dog.txt")]);
        assert_eq!(complete(&path("")), [path("docs/"), path("dog.txt")]);
        assert_eq!(complete(&path(".h")), [path(".hidden")]);
        assert!(complete("/no/such/folder/").is_empty());
    }
}
