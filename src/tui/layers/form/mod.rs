//! A form: its fields, which of them has the cursor, and the value they make up. Whoever opens it says what happens when
//! it is sent.

mod field;
mod letter;
mod popup;
mod recipients;
mod schema;
mod view;

pub use field::{Field, FieldKind};
pub use letter::page as letter_page;
pub use popup::open;

use crate::inbox::{ArgError, Question, check_fields};
use crate::text::Visible;
use crate::tui::card::ScrollPosition;
use crate::tui::key::Key;
use crate::tui::model::Model;
use crate::tui::words;
use crossterm::event::KeyCode;
use jiff::Zoned;
use schema::{fields, leave_out};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// What is wrong with a form as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FormError {
    /// The text from `$EDITOR` can't be read.
    Unread,
    /// The arguments don't fit the schema, for this reason.
    Unfit(String),
    /// Nothing was written.
    Empty,
    /// A mail has no subject, which may be meant.
    NoSubject,
}

impl FormError {
    /// The sentence that says so, and what to do.
    pub fn sentence(&self) -> &str {
        match self {
            FormError::Unread => "The text from $EDITOR can't be read · <outside> opens it again",
            FormError::Unfit(why) => why,
            FormError::Empty => "Write something, or leave with <leave_form>",
            FormError::NoSubject => "It has no subject · <submit> sends it without one",
        }
    }
}

/// What a form is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Edits arguments before they are accepted.
    Edit,
    /// Writes to the agent, in a plain box.
    Answer,
    /// Starts a thread.
    Start,
    /// Begins a mail.
    Letter,
}

/// Takes a form that is sent; says whether that closes it.
type Submit = Arc<dyn Fn(&mut Model, &mut Form) -> bool + Send + Sync>;

#[derive(Clone)]
pub struct Form {
    pub purpose: Purpose,
    pub title: String,
    pub fields: Vec<Field>,
    /// The field with the cursor.
    pub focus: usize,
    /// Whether we may learn from it.
    pub learn: bool,
    /// Whether we could: we only learn from answers about mail.
    pub learns: bool,
    /// Whether it goes to a program that takes the user's own refusals.
    pub takes_refusals: bool,
    /// What is wrong with the form as a whole.
    pub error: Option<FormError>,
    /// The scroll position of the card next to the form. The card itself does not scroll: next to a form nothing counts
    /// as seen.
    pub card_top: ScrollPosition,
    /// The addresses that complete what is typed as a recipient.
    pub people: Vec<String>,
    /// Completions for the path or address at the cursor, and the text they complete.
    pub completions: (String, Vec<String>),
    /// Text from `$EDITOR` that could not be read. Nothing else is changed or sent until it is read or emptied.
    pub unread: Option<String>,
    /// When the form was opened, by the person's clock: typed times are seen from then.
    pub now: Zoned,
    /// The key under which the typed text is kept.
    pub draft_key: String,
    /// What it began with: text that was changed back is no draft.
    initial: String,
    schema: Value,
    submit: Submit,
}

impl Form {
    /// A form for an object of this schema, filled in with `args`.
    pub fn new(purpose: Purpose, title: &str, schema: &Value, args: &Value, now: &Zoned) -> Self {
        let fields = fields(purpose, schema, args, now);
        let focus = fields.iter().position(|field| field.kind != FieldKind::Fixed).unwrap_or(0);
        let mut form = Self {
            purpose,
            title: title.to_owned(),
            fields,
            focus,
            learn: true,
            learns: false,
            takes_refusals: false,
            error: None,
            card_top: ScrollPosition::default(),
            people: Vec::new(),
            completions: Default::default(),
            unread: None,
            now: now.clone(),
            draft_key: String::new(),
            initial: String::new(),
            schema: schema.clone(),
            submit: Arc::new(|_, _| false),
        };
        form.initial = form.draft();
        form
    }

    /// Keeps its text under this key, and says what happens when it is sent.
    pub fn sending(
        self,
        draft_key: String,
        submit: impl Fn(&mut Model, &mut Form) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self { draft_key, submit: Arc::new(submit), ..self }
    }

    /// A form for an item's proposal.
    pub fn edit(item: &Question, now: &Zoned) -> Self {
        let title = match &item.source {
            Some(who) if item.edit_from.is_some() => format!("Write to {}", words::name(who)),
            Some(who) if item.begins_conversation() => format!("Mail to {}", words::name(who)),
            Some(who) if item.action == "write_email" => format!("Reply to {}", words::name(who)),
            Some(who) if item.action == "answer_invitation" => format!("Answer to {}", words::name(who)),
            Some(_) if item.is_program_question() => "Your answer to the agent".to_owned(),
            Some(_) | None => {
                format!("Edit: {}", crate::inbox::door::action_words(&item.workflow, &item.action))
            }
        };
        let mut form = Self::new(Purpose::Edit, &title, &item.schema, item.edit_args(), now);
        form.learns = item.is_about_mail();
        if let Some(first) = Field::first_to_edit(&form.fields) {
            form.focus = first;
            // People read a letter from its beginning.
            if form.fields[first].is_body() {
                form.fields[first].editor.go_to_start();
            }
        }
        form
    }

    /// A plain text box.
    pub fn text_box(title: &str) -> Self {
        let form = Self::new(Purpose::Answer, title, &Value::Bool(true), &Value::Null, &Zoned::default());
        let mut text_box = Self { fields: vec![Field::text_box()], ..form };
        text_box.initial = text_box.draft();
        text_box
    }

    /// Whether it is a plain text box.
    pub fn is_box(&self) -> bool {
        self.purpose == Purpose::Answer
    }

    /// Whether it differs from what it began with.
    pub fn is_changed(&self) -> bool {
        self.initial != self.draft()
    }

    /// Whether a field shows only in the line of those that can be left as they are: in a form that starts a thread,
    /// until the cursor is in one of them or something is wrong with one.
    pub fn is_folded(&self, field: &Field) -> bool {
        let is_needed = |field: &Field| !field.optional;
        let is_at_needed = self.fields.get(self.focus).is_some_and(is_needed);
        let all_fit = self.fields.iter().all(|field| is_needed(field) || field.error.is_none());
        self.purpose == Purpose::Start && is_at_needed && all_fit && !is_needed(field)
    }

    /// The refusals that a digit would send now: only while the box is empty, and to a program that takes them.
    pub fn refusals<'a>(&self, all: &'a [String]) -> &'a [String] {
        if self.takes_refusals && self.typed().is_empty() { all } else { &[] }
    }

    /// The text typed in a box.
    pub fn typed(&self) -> &str {
        self.fields.first().map_or("", |field| field.editor.text())
    }

    /// The field with the cursor.
    pub fn field(&mut self) -> Option<&mut Field> {
        self.fields.get_mut(self.focus)
    }

    /// Moves the cursor to the next or previous field that can be changed.
    pub fn move_focus(&mut self, forward: bool) {
        let len = self.fields.len();
        for by in 1..=len {
            let index = if forward { self.focus + by } else { self.focus + len - by } % len;
            if self.fields[index].kind != FieldKind::Fixed && !self.fields[index].is_left_out {
                self.focus = index;
                return;
            }
        }
    }

    /// Passes a key to the field; `true` if it changed something.
    pub fn key(&mut self, key: Key) -> bool {
        if self.unread.is_some() {
            return false;
        }
        if key.code == KeyCode::Down && self.complete_person() {
            return true;
        }
        let Some(field) = self.fields.get_mut(self.focus) else { return false };
        let is_changed = match field.kind {
            FieldKind::Fixed => false,
            FieldKind::YesNo | FieldKind::Choice(_) if key == Key::plain(' ') => field.next_choice(),
            FieldKind::Text
            | FieldKind::Long
            | FieldKind::Number { .. }
            | FieldKind::YesNo
            | FieldKind::Choice(_)
            | FieldKind::DateTime
            | FieldKind::List
            | FieldKind::Json => field.editor.key(key),
        };
        if is_changed {
            self.error = None;
            self.check();
            self.offer_people();
        }
        is_changed
    }

    /// The arguments as typed, without unreadable fields, and whether all fields were readable.
    fn readable(&self) -> (Map<String, Value>, bool) {
        let mut args = Map::new();
        let mut all_readable = true;
        for field in self.fields.iter().filter(|field| !field.is_left_out) {
            match field.value(&self.now) {
                Ok(Some(value)) => {
                    args.insert(field.name.clone(), value);
                }
                Ok(None) => {}
                Err(_) => all_readable = false,
            }
        }
        (args, all_readable)
    }

    /// Notes at each field what is wrong with it.
    pub fn check(&mut self) {
        if self.is_box() {
            return;
        }
        leave_out(&self.schema, &mut self.fields);
        let (args, _) = self.readable();
        let errors = check_fields(&self.schema, &Value::Object(args));
        for field in &mut self.fields {
            let unreadable = field.value(&self.now).err();
            let refusal = errors.iter().find(|error| error.field == field.name);
            let is_empty = field.editor.text().trim().is_empty();
            let is_required = is_empty || refusal.is_some_and(|error| error.is_missing);
            let wrong =
                refusal.map(|error| if is_required { "is required".to_owned() } else { error.text.clone() });
            field.error = unreadable.filter(|_| !field.is_left_out).or(wrong);
        }
        let has_field = |error: &ArgError| self.fields.iter().any(|field| field.name == error.field);
        let unfit = errors.into_iter().find(|error| !has_field(error));
        let unread = self.unread.as_ref().map(|_| FormError::Unread);
        self.error = unread.or_else(|| {
            unfit.map(|error| {
                FormError::Unfit(match (error.field.as_str(), error.is_missing) {
                    ("", _) => error.text,
                    (name, true) => format!("`{name}` {}", error.text),
                    (name, false) => format!("`{name}`: {}", error.text),
                })
            })
        });
    }

    /// The form's value if nothing is wrong with it; otherwise the cursor goes to the faulty field.
    pub fn value(&mut self) -> Option<Value> {
        self.check();
        if let Some(index) = self.fields.iter().position(|field| field.error.is_some()) {
            self.focus = index;
            return None;
        }
        let (args, all_readable) = self.readable();
        (all_readable && self.error.is_none()).then_some(Value::Object(args))
    }

    /// The times that differ from those proposed, in words.
    pub fn changed_times(&self, proposed: &Value) -> Vec<(Visible, Visible)> {
        let is_changed = |field: &&Field| {
            field.value(&self.now).is_ok_and(|value| value.as_ref() != proposed.get(&field.name))
        };
        let changed = self.fields.iter().filter(is_changed);
        let words =
            |field: &Field| Some((Visible::line(&field.name), Visible::line(&field.time(&self.now)?)));
        changed.filter_map(words).collect()
    }

    /// Replaces the text of each field.
    fn set_texts(&mut self, texts: &[String]) {
        for (field, text) in self.fields.iter_mut().zip(texts) {
            if field.editor.text() != text {
                field.editor.set(text);
            }
        }
        self.check();
    }

    /// Fills the form in with a JSON object. The error says what cannot be read.
    fn set_json(&mut self, text: &str) -> Result<(), String> {
        let args: Value = serde_json::from_str(text).map_err(|error| format!("it is not JSON ({error})"))?;
        if !args.is_object() {
            return Err("it is not a JSON object".to_owned());
        }
        let fields = fields(self.purpose, &self.schema, &args, &self.now);
        let focused = self.fields.get(self.focus).map(|field| &field.name);
        let first = fields.iter().position(|field| field.kind != FieldKind::Fixed).unwrap_or(0);
        self.focus = fields.iter().position(|field| Some(&field.name) == focused).unwrap_or(first);
        self.fields = fields;
        self.check();
        Ok(())
    }

    /// The typed text, field by field, to be kept; followed by the text that could not be read, if there is one.
    pub fn draft(&self) -> String {
        let typed: Map<String, Value> = self
            .fields
            .iter()
            .filter(|field| field.kind != FieldKind::Fixed)
            .map(|field| (field.name.clone(), Value::from(field.draft_text(&self.now))))
            .collect();
        match &self.unread {
            Some(unread) => json!([typed, unread]).to_string(),
            None => Value::Object(typed).to_string(),
        }
    }

    /// Restores what was typed before.
    pub fn restore(&mut self, draft: &str) {
        let Ok(saved) = serde_json::from_str::<Value>(draft) else { return };
        let Some(typed) = saved.get(0).unwrap_or(&saved).as_object() else { return };
        self.unread = saved.get(1).and_then(Value::as_str).map(str::to_owned);
        for field in &mut self.fields {
            if let Some(text) = typed.get(&field.name).and_then(Value::as_str)
                && field.kind != FieldKind::Fixed
            {
                field.restore(text, &self.now);
            }
        }
        self.check();
    }
}

#[cfg(test)]
mod tests;
