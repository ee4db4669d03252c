//! The recipients of a letter: completed from people the user knows, and all of a conversation at once.

use super::field::MAIL_ORDER;
use super::{Field, Form};

/// How many people are offered for what is typed.
const MAX_PEOPLE_OFFERED: usize = 20;

impl Form {
    /// Whether it is a mail: people, a subject and a text.
    pub fn is_letter(&self) -> bool {
        let is_of_mail = |field: &Field| MAIL_ORDER.contains(&field.name.as_str());
        self.fields.iter().any(|field| field.name == "to") && self.fields.iter().all(is_of_mail)
    }

    /// The copies of a reply, if it leaves somebody out.
    pub(super) fn others(&self) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == "cc" && !field.examples.is_empty())
    }

    /// Whether a reply goes to everybody.
    pub(super) fn reaches_all(&self) -> bool {
        let has =
            |field: &Field, person: &String| field.editor.text().lines().any(|line| line.trim() == person);
        self.others().is_some_and(|field| field.examples.iter().all(|person| has(field, person)))
    }

    /// Adds everybody that a reply leaves out, or takes them out again.
    pub(super) fn reply_all(&mut self) {
        let reaches_all = self.reaches_all();
        let Some(field) = self.fields.iter_mut().find(|field| field.name == "cc") else { return };
        let kept = field.editor.text().lines().map(str::trim).filter(|line| !line.is_empty());
        let kept = kept.filter(|line| !field.examples.iter().any(|person| person == line)).map(str::to_owned);
        let added = field.examples.iter().filter(|_| !reaches_all).cloned();
        let people: Vec<String> = kept.chain(added).collect();
        field.editor.set(&people.join("\n"));
        self.check();
    }

    /// Offers the people whose address has what is typed at the end of a list of recipients.
    pub(super) fn offer_people(&mut self) {
        let Some(typed) = self.typed_person() else { return };
        let wanted = typed.to_lowercase();
        let matching = |address: &&String| address.contains(&wanted) && **address != wanted;
        let mut found: Vec<String> =
            self.people.iter().filter(matching).take(MAX_PEOPLE_OFFERED).cloned().collect();
        found.sort_by_key(|address| !address.starts_with(&wanted));
        self.completions = if wanted.is_empty() { Default::default() } else { (typed, found) };
    }

    /// The address being typed, if the cursor is in a list of recipients.
    pub(super) fn typed_person(&self) -> Option<String> {
        let field =
            self.fields.get(self.focus).filter(|field| ["to", "cc", "bcc"].contains(&field.name.as_str()))?;
        Some(field.editor.text().rsplit('\n').next().unwrap_or_default().trim().to_owned())
    }

    /// Completes what is typed to the first address offered; `false` if it is an address already.
    pub(super) fn complete_first_person(&mut self) -> bool {
        let is_complete = self.typed_person().is_none_or(|typed| {
            typed.split_once('@').is_some_and(|(_, domain)| domain.contains('.') && !domain.ends_with('.'))
        });
        !is_complete && self.complete_person()
    }

    /// Puts an offered address in the place of what is typed, and moves the others up; `false` if none is offered.
    pub(super) fn complete_person(&mut self) -> bool {
        let Some(typed) = self.typed_person() else { return false };
        if self.completions.0 != typed || self.completions.1.is_empty() {
            return false;
        }
        let mut offered = std::mem::take(&mut self.completions.1);
        // What was completed before comes round again.
        if self.people.contains(&typed) {
            offered.push(typed);
        }
        let next = offered.remove(0);
        self.put_last_line(&next);
        self.completions = (next, offered);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::Purpose;
    use super::*;
    use crate::tui::key::Key;
    use crossterm::event::KeyCode;
    use jiff::Zoned;
    use serde_json::json;

    fn letter() -> Form {
        let people = json!({"type": "array", "items": {"type": "string"}});
        let mut copies = people.clone();
        copies["examples"] = json!(["sam@x.example"]);
        let text = json!({"type": "string"});
        let fields = json!({"to": people, "cc": copies, "subject": text, "content": text});
        let schema = json!({"type": "object", "properties": fields});
        let mut form = Form::new(Purpose::Letter, "x", &schema, &json!({}), &Zoned::default());
        form.people = vec!["zoe@obi.example".to_owned(), "obi@x.example".to_owned()];
        form
    }

    #[test]
    fn addresses_are_completed_from_known_people() {
        let mut form = letter();
        assert!(form.is_letter());
        for key in "Obi".chars() {
            form.key(Key::plain(key));
        }
        assert_eq!(
            form.completions.1,
            ["obi@x.example", "zoe@obi.example"],
            "those that begin with it first"
        );
        let down = Key { code: KeyCode::Down, ..Key::plain('x') };
        for expected in ["obi@x.example", "zoe@obi.example", "obi@x.example"] {
            assert!(form.key(down));
            assert_eq!(form.fields[0].editor.text(), expected);
        }
        assert!(!form.complete_first_person(), "it is complete already");
    }

    #[test]
    fn one_key_replies_to_all_and_to_one() {
        let mut form = letter();
        form.fields[1].editor.set("ann@x.example");
        form.reply_all();
        assert_eq!(
            (form.fields[1].editor.text(), form.reaches_all()),
            ("ann@x.example\nsam@x.example", true)
        );
        form.reply_all();
        assert_eq!(form.fields[1].editor.text(), "ann@x.example");
    }
}
