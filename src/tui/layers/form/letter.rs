//! A form as a plain mail for `$EDITOR`: a header for each field, an empty line, and the text.
//!
//! Text that cannot be read is refused in one sentence. Fields that were not changed stay exactly as they were.

use super::field::{Field, FieldKind};
use crate::inbox::Block;
use crate::text::{Visible, short_line};
use crate::tui::words::{self, capitalized};
use serde_json::Value;
use std::collections::BTreeSet;

/// The index of the field that is the text, if the fields can be written as a mail.
pub fn body(fields: &[Field]) -> Option<usize> {
    let is_long = |field: &&Field| matches!(field.kind, FieldKind::Long | FieldKind::Json);
    let body = fields.iter().position(Field::is_body)?;
    let names: Vec<String> =
        header_fields(fields, body).map(|field| header(field).to_ascii_lowercase()).collect();
    let is_plain = |field: &Field| {
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        !field.name.is_empty() && field.name.bytes().all(is_word)
    };
    let fits = fields.iter().filter(is_long).count() == 1
        && !names.is_empty()
        && header_fields(fields, body).all(is_plain)
        && names.iter().collect::<BTreeSet<_>>().len() == names.len();
    fits.then_some(body)
}

/// The fields as a mail.
pub fn write(fields: &[Field], body: usize) -> String {
    let mut text = String::new();
    for field in header_fields(fields, body) {
        // An empty line would end the headers.
        let value: Vec<&str> = field.editor.text().lines().filter(|line| !line.trim().is_empty()).collect();
        let line = format!("{}: {}", header(field), value.join("\n    "));
        text.push_str(line.trim_end());
        text.push('\n');
    }
    let letter = fields.get(body).map_or("", |field| field.editor.text());
    format!("{text}\n{}\n", letter.trim_end())
}

/// The text of each field, as the mail has it. The error says what cannot be read.
pub fn read(fields: &[Field], body: usize, text: &str) -> Result<Vec<String>, String> {
    let mut headers: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut lines = text.lines();
    for line in lines.by_ref().take_while(|line| !line.trim().is_empty()) {
        if line.starts_with([' ', '\t'])
            && let Some((_, value)) = headers.last_mut()
        {
            value.push(line.trim());
            continue;
        }
        let find_field =
            |name: &str| header_fields(fields, body).find(|field| header(field).eq_ignore_ascii_case(name));
        let Some((field, value)) =
            line.split_once(':').and_then(|(name, value)| Some((find_field(name.trim())?, value.trim())))
        else {
            let line = short_line(line, 30);
            return Err(format!("“{line}” is not a known header; leave an empty line before the text"));
        };
        if headers.iter().any(|(name, _)| *name == field.name) {
            return Err(format!("{} appears twice", header(field)));
        }
        headers.push((field.name.as_str(), vec![value]));
    }
    if headers.is_empty() {
        return Err("there is no header before the text".to_owned());
    }
    let letter: Vec<&str> = lines.collect();
    let letter = letter.join("\n");
    let new_text = |(n, field): (usize, &Field)| {
        let old_text = field.editor.text();
        if n == body {
            let is_same = old_text.trim_end().lines().eq(letter.trim_end().lines());
            return if is_same { old_text.to_owned() } else { letter.trim_end().to_owned() };
        }
        let values = headers.iter().find(|(name, _)| *name == field.name);
        let values = values.map(|(_, values)| values.as_slice()).unwrap_or_default();
        let values: Vec<&str> = values.iter().copied().filter(|value| !value.is_empty()).collect();
        let before: Vec<&str> = old_text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        if before == values || field.kind == FieldKind::Fixed {
            old_text.to_owned()
        } else if field.kind == FieldKind::List {
            let parts = |line| if before.contains(&line) { vec![line] } else { addresses(line) };
            values.into_iter().flat_map(parts).collect::<Vec<_>>().join("\n")
        } else {
            values.join(" ")
        }
    };
    Ok(fields.iter().enumerate().map(new_text).collect())
}

/// The whole mail with these arguments, to be read before it is sent.
pub fn page(fields: &[Field], args: &Value) -> Vec<Block> {
    let to_row = |field: &Field| {
        let value = words::value(args.get(&field.name).filter(|value| !value.is_null())?);
        (!value.as_str().is_empty()).then(|| (Visible::line(&header(field)), value))
    };
    let (letter, header_fields): (Vec<&Field>, Vec<&Field>) =
        fields.iter().partition(|field| field.is_body());
    let mut blocks = vec![Block::Fields(header_fields.into_iter().filter_map(to_row).collect())];
    blocks.extend(letter.into_iter().filter_map(to_row).map(|(_, text)| Block::Text(text)));
    blocks
}

/// The fields that become headers.
fn header_fields(fields: &[Field], body: usize) -> impl Iterator<Item = &Field> {
    let others = fields.iter().enumerate().filter(move |(n, _)| *n != body).map(|(_, field)| field);
    others.filter(|field| field.kind != FieldKind::Fixed)
}

/// `remind_after` is `Remind-after`.
fn header(field: &Field) -> String {
    capitalized(&field.name.replace('_', "-"))
}

/// The addresses of a line with commas between them; any other line as it is.
fn addresses(line: &str) -> Vec<&str> {
    let mut quoted = false;
    let parts = line.split(|letter: char| {
        quoted ^= letter == '"';
        letter == ',' && !quoted
    });
    let parts: Vec<&str> = parts.map(str::trim).filter(|part| !part.is_empty()).collect();
    if parts.iter().all(|part| part.contains('@')) { parts } else { vec![line] }
}

#[cfg(test)]
mod tests {
    use super::super::{Form, Purpose};
    use super::*;
    use jiff::Zoned;
    use serde_json::json;

    fn form(args: &Value) -> Form {
        let text = json!({"type": "string"});
        let people = json!({"type": "array", "items": text});
        let schema = json!({
            "type": "object", "required": ["to", "subject", "content"],
            "properties": {"to": people, "cc": people, "subject": text, "content": text, "remind_after": text},
        });
        Form::new(Purpose::Start, "x", &schema, args, &Zoned::default())
    }

    fn mail() -> Form {
        form(&json!({
            "to": ["\"Doe, Jo\" <jo@example.org>", "bob@example.org"],
            "subject": "Hi: there", "content": "Hi,\n\n> a\n\nAda\n",
        }))
    }

    fn read_back(text: &str) -> Result<Vec<String>, String> {
        read_into(&mail(), text)
    }

    fn read_into(form: &Form, text: &str) -> Result<Vec<String>, String> {
        read(&form.fields, body(&form.fields).unwrap(), text)
    }

    #[test]
    fn a_letter_is_a_plain_mail() {
        let form = mail();
        let text = write(&form.fields, body(&form.fields).unwrap());
        assert_eq!(
            text,
            "To: \"Doe, Jo\" <jo@example.org>\n    bob@example.org\nCc:\nSubject: Hi: there\nRemind-after:\n\n\
             Hi,\n\n> a\n\nAda\n"
        );
        let same: Vec<String> = form.fields.iter().map(|field| field.editor.text().to_owned()).collect();
        assert_eq!(read_back(&text), Ok(same));
    }

    #[test]
    fn the_whole_mail_is_shown_before_it_is_sent() {
        let mut form = mail();
        let args = form.value().unwrap();
        let line = |name: &str, value: &str| (Visible::line(name), Visible::new(value));
        let header_fields =
            vec![line("To", "\"Doe, Jo\" <jo@example.org>, bob@example.org"), line("Subject", "Hi: there")];
        let text = Block::Text(Visible::new("Hi,\n\n> a\n\nAda\n"));
        assert_eq!(page(&form.fields, &args), [Block::Fields(header_fields), text]);
    }

    #[test]
    fn a_mail_without_its_text_says_so_in_words() {
        let schema = json!({
            "type": "object", "required": ["content"],
            "properties": {"content": {"type": "string", "minLength": 1}},
        });
        let purpose = Purpose::Start;
        let mut form = Form::new(purpose, "x", &schema, &json!({"content": "x"}), &Zoned::default());
        form.fields[0].rejects_empty = false;
        form.fields[0].editor.set("");
        assert_eq!(form.value(), None);
        assert_eq!(form.fields[0].error.as_deref(), Some("is required"));
    }

    #[test]
    fn what_was_changed_is_read() {
        let text = "to: a@b.org, \"Doe, Jo\" <jo@example.org>,\nSUBJECT: New\n  subject\nremind-after: 3d\n\n\nHi\n\n";
        let form = mail();
        let names: Vec<&str> = form.fields.iter().map(|field| field.name.as_str()).collect();
        assert_eq!(names, ["to", "cc", "subject", "content", "remind_after"]);
        let read = read_back(text).unwrap();
        assert_eq!(read, ["a@b.org\n\"Doe, Jo\" <jo@example.org>", "", "New subject", "\nHi", "3d"]);
    }

    #[test]
    fn an_empty_line_in_a_list_does_not_end_the_headers() {
        let mut form = mail();
        form.fields[0].editor.set("a@x.org\n\n \nb@y.org");
        let text = write(&form.fields, body(&form.fields).unwrap());
        assert!(text.starts_with("To: a@x.org\n    b@y.org\nCc:\nSubject: "), "{text}");
        let same: Vec<String> = form.fields.iter().map(|field| field.editor.text().to_owned()).collect();
        assert_eq!(read_into(&form, &text), Ok(same));
    }

    #[test]
    fn only_new_lines_of_a_list_are_split() {
        let form = form(&json!({"to": ["a@x.org, b@y.org", "c@z.org"], "subject": "", "content": "Hi"}));
        let read = read_into(&form, "To: a@x.org, b@y.org\n    d@x.org, e@y.org\n\nHi\n").unwrap();
        assert_eq!(read[0], "a@x.org, b@y.org\nd@x.org\ne@y.org");
    }

    #[test]
    fn line_ends_of_an_untouched_text_stay() {
        let form = form(&json!({"to": ["a@x.org"], "subject": "Hi", "content": "Hi,\r\n\r\nAda\r\n"}));
        let text = write(&form.fields, body(&form.fields).unwrap());
        assert_eq!(read_into(&form, &text.replace("\r\n", "\n")).unwrap()[3], "Hi,\r\n\r\nAda\r\n");
        assert_eq!(read_into(&form, &text.replace("Ada", "Bob")).unwrap()[3], "Hi,\n\nBob");
    }

    #[test]
    fn what_cannot_be_read_is_refused() {
        for (text, why) in [
            ("\n \n", "no header before the text"),
            ("\nTo: a@b.org\n\nAda", "no header before the text"),
            (
                "To: a@b.org\nHi Bob,\n\nAda",
                "“Hi Bob,” is not a known header; leave an empty line before the text",
            ),
            ("To: a@b.org\nFrom: me@b.org\n\nAda", "“From: me@b.org” is not a known header"),
            ("To: a@b.org\nto: c@d.org\n\nAda", "To appears twice"),
        ] {
            let refused = read_back(text).unwrap_err();
            assert!(refused.contains(why), "{text}: {refused}");
        }
    }

    #[test]
    fn other_forms_are_no_mail() {
        let other = |schema: Value, args: Value| {
            let purpose = Purpose::Start;
            body(&Form::new(purpose, "x", &schema, &args, &Zoned::default()).fields)
        };
        assert_eq!(other(json!({}), json!({"path": "a", "code": "x\ny"})), None);
        assert_eq!(other(json!({}), json!({"content": "x\ny"})), None, "it has no headers");
        assert_eq!(other(json!({}), json!({"content": "x\ny", "to": "a", "more": {}})), None);
        assert_eq!(
            other(json!({}), json!({"content": "x\ny", "to": "a", "TO": "b"})),
            None,
            "one header, twice"
        );
        assert_eq!(other(json!({}), json!({"content": "x\ny", "a_b": "a", "a-b": "b"})), None);
        for name in ["", "a b", "a:b", "é"] {
            assert_eq!(other(json!({}), json!({"content": "x\ny", name: "a"})), None, "{name}");
        }
        assert_eq!(other(json!({}), json!({"content": "x\ny", "to": "a"})), Some(0));
    }
}
