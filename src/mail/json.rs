//! Converts mail that comes as JSON into raw mail, so that all mail takes the same path.
//!
//! Promises: the same JSON gives the same bytes; no value can add a header or a part; depth and sizes are bounded.
//! Reads a message of Gmail's API (`raw`, or `payload` with its parts) and the four fields `author`, `to`, `subject`,
//! `email_thread`.

use super::ParseError;
use super::read::base64;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use std::fmt::Write as _;

/// How deep parts may nest, the same as for other mail.
const MAX_DEPTH: usize = 40;

/// Writes a mail from JSON.
pub fn from_json(value: &Value) -> Result<Vec<u8>, ParseError> {
    if let Some(raw) = value.get("raw").and_then(Value::as_str) {
        let raw = base64(raw.as_bytes());
        return if raw.is_empty() { Err(ParseError::Empty) } else { Ok(raw) };
    }
    if let Some(payload) = value.get("payload").filter(|payload| payload.is_object()) {
        let mut writer = Writer::default();
        writer.fields(payload, |name| !is_content(name));
        writer.out.push_str("MIME-Version: 1.0\r\n");
        writer.part(payload, 0)?;
        return Ok(writer.out.into_bytes());
    }
    let text = |key: &str| value.get(key).and_then(Value::as_str);
    let (Some(author), Some(body)) = (text("author"), text("email_thread")) else {
        return Err(ParseError::NotMail(
            "the JSON should have `author`, `to`, `subject` and `email_thread`, or be a message of Gmail's API.".to_owned(),
        ));
    };
    let mut writer = Writer::default();
    for (name, value) in
        [("From", Some(author)), ("To", text("to")), ("Subject", text("subject")), ("Date", text("date"))]
    {
        if let Some(value) = value {
            writer.field(name, value);
        }
    }
    if let Some(id) = text("id").filter(|id| id.contains('@')) {
        writer.field("Message-ID", &format!("<{}>", id.trim_matches(['<', '>'])));
    }
    writer.out.push_str("MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n");
    writer.base64(body.as_bytes());
    Ok(writer.out.into_bytes())
}

/// Fields that describe the encoding, which we write anew.
fn is_content(name: &str) -> bool {
    ["content-type", "content-transfer-encoding", "mime-version"]
        .iter()
        .any(|own| name.eq_ignore_ascii_case(own))
}

#[derive(Default)]
struct Writer {
    out: String,
    boundaries: usize,
}

impl Writer {
    /// Writes the fields of a part whose names are wanted.
    fn fields(&mut self, part: &Value, is_wanted: impl Fn(&str) -> bool) {
        let headers = part.get("headers").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        for header in headers {
            let text = |key: &str| header.get(key).and_then(Value::as_str);
            if let (Some(name), Some(value)) = (text("name"), text("value"))
                && is_wanted(name)
            {
                self.field(name, value);
            }
        }
    }

    /// Writes one field. Non-ASCII letters stay; a line break becomes a blank.
    fn field(&mut self, name: &str, value: &str) {
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_graphic() && byte != b':') {
            return;
        }
        let value: String =
            value.chars().map(|c| if matches!(c, '\r' | '\n' | '\0') { ' ' } else { c }).collect();
        let _ = write!(self.out, "{name}: {}\r\n", value.trim()); // Writing to a String cannot fail.
    }

    fn part(&mut self, part: &Value, depth: usize) -> Result<(), ParseError> {
        if depth >= MAX_DEPTH {
            return Err(ParseError::Deep { most: MAX_DEPTH });
        }
        let kind = part.get("mimeType").and_then(Value::as_str).unwrap_or("text/plain").to_ascii_lowercase();
        let kind = if kind.bytes().all(|byte| byte.is_ascii_graphic() && byte != b';') {
            kind
        } else {
            "text/plain".to_owned()
        };
        let parts = part.get("parts").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        if kind.starts_with("multipart/") && !parts.is_empty() {
            // Everything below is base64, which has no underscore, so the boundary cannot appear in it.
            self.boundaries += 1;
            let boundary = format!("=_part_{:06}", self.boundaries);
            let _ = write!(self.out, "Content-Type: {kind}; boundary=\"{boundary}\"\r\n\r\n");
            for inner in parts {
                let _ = write!(self.out, "--{boundary}\r\n");
                self.fields(inner, |name| {
                    name.to_ascii_lowercase().starts_with("content-") && !is_content(name)
                });
                self.part(inner, depth + 1)?;
                self.out.push_str("\r\n");
            }
            let _ = write!(self.out, "--{boundary}--\r\n");
            return Ok(());
        }
        if let ("message/rfc822", [inner, ..]) = (kind.as_str(), parts) {
            self.disposition(part);
            self.out.push_str("Content-Type: message/rfc822\r\n\r\n");
            self.fields(inner, |name| !is_content(name));
            return self.part(inner, depth + 1);
        }
        self.leaf(part, &kind);
        Ok(())
    }

    fn leaf(&mut self, part: &Value, kind: &str) {
        let data = part.pointer("/body/data").and_then(Value::as_str).unwrap_or_default();
        let content = base64(data.as_bytes());
        // The API returns texts in UTF-8, whatever their label says.
        let label = if kind.starts_with("text/") && std::str::from_utf8(&content).is_ok() {
            "; charset=utf-8".to_owned()
        } else {
            self.parameter(part, "charset")
        };
        let method = self.parameter(part, "method");
        let _ = write!(self.out, "Content-Type: {kind}{label}{method}\r\n");
        self.disposition(part);
        self.base64(&content);
    }

    /// Writes the file name, unless the part's own fields have it.
    fn disposition(&mut self, part: &Value) {
        let name = part.get("filename").and_then(Value::as_str).unwrap_or_default();
        let is_declared = part.get("headers").and_then(Value::as_array).is_some_and(|headers| {
            let name =
                |header: &Value| header.get("name").and_then(Value::as_str).map(str::to_ascii_lowercase);
            headers.iter().any(|header| name(header).as_deref() == Some("content-disposition"))
        });
        if !name.is_empty() && !is_declared {
            let name: String = name.chars().filter(|c| !c.is_control() && !matches!(c, '"' | '\\')).collect();
            let _ = write!(self.out, "Content-Disposition: attachment; filename=\"{name}\"\r\n");
        }
    }

    /// A parameter of the part's own `Content-Type`, unchanged.
    fn parameter(&self, part: &Value, name: &str) -> String {
        let headers = part.get("headers").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let text = |header: &Value, key: &str| {
            header.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let content = headers.iter().find(|header| text(header, "name").eq_ignore_ascii_case("content-type"));
        let value = content.map(|header| text(header, "value")).unwrap_or_default();
        let parameter =
            value.split(';').skip(1).filter_map(|pair| pair.split_once('=')).find_map(|(key, value)| {
                key.trim().eq_ignore_ascii_case(name).then(|| value.trim().trim_matches('"').to_owned())
            });
        let is_plain = |value: &String| {
            !value.is_empty()
                && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
        };
        parameter.filter(is_plain).map(|value| format!("; {name}={value}")).unwrap_or_default()
    }

    fn base64(&mut self, content: &[u8]) {
        self.out.push_str("Content-Transfer-Encoding: base64\r\n\r\n");
        // 57 bytes make 76 letters, the longest line allowed.
        for line in content.chunks(57) {
            STANDARD.encode_string(line, &mut self.out);
            self.out.push_str("\r\n");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;
    use base64::engine::general_purpose::URL_SAFE;
    use serde_json::json;

    #[test]
    fn four_fields() {
        let value = json!({"author": "Ann <ann@example.com>", "to": "bob@example.org", "subject": "Lünch?\r\nBcc: x@evil.example", "email_thread": "Tomorrow?\n\nAnn"});
        let raw = from_json(&value).unwrap();
        assert_eq!(raw, from_json(&value).unwrap());
        let mail = parse(&raw).unwrap();
        assert_eq!(mail.from.to_string(), "Ann <ann@example.com>");
        assert_eq!(mail.subject, "Lünch?  Bcc: x@evil.example");
        assert!(mail.bcc.is_empty());
        assert_eq!(mail.text, "Tomorrow?\n\nAnn");
        assert!(from_json(&json!({"author": "x"})).unwrap_err().to_string().contains("`email_thread`"));
        assert!(from_json(&json!(3)).is_err());
    }

    #[test]
    fn a_gmail_message() {
        let data = |text: &str| URL_SAFE.encode(text);
        let value = json!({"id": "1", "payload": {
            "mimeType": "multipart/mixed",
            "headers": [
                {"name": "From", "value": "\"Smith, Ann\" <ann@example.com>"},
                {"name": "Message-ID", "value": "<m1@example.com>"},
                {"name": "Content-Type", "value": "multipart/mixed; boundary=x"},
            ],
            "parts": [
                {"mimeType": "text/plain", "headers": [{"name": "Content-Type", "value": "text/plain; charset=koi8-r"}], "body": {"data": data("Grüße")}},
                {"mimeType": "application/pdf", "filename": "Plän.pdf", "body": {"data": data("%PDF")}},
                {"mimeType": "application/pdf", "filename": "later.pdf", "body": {"attachmentId": "x", "size": 9}},
            ],
        }});
        let mail = parse(&from_json(&value).unwrap()).unwrap();
        assert_eq!((mail.from.name.as_str(), mail.text.as_str()), ("Smith, Ann", "Grüße"));
        assert_eq!(mail.message_id.as_deref(), Some("m1@example.com"));
        let names: Vec<_> = mail.attachments.iter().map(|part| (part.name.as_str(), part.bytes)).collect();
        assert_eq!(names, [("Plän.pdf", 4), ("later.pdf", 0)]);
        let raw = json!({"raw": data("Subject: hi\r\n\r\nthere")});
        assert_eq!(parse(&from_json(&raw).unwrap()).unwrap().subject, "hi");
    }

    #[test]
    fn endless_parts_are_refused() {
        let mut part = json!({"mimeType": "text/plain"});
        for _ in 0..100 {
            part = json!({"mimeType": "multipart/mixed", "parts": [part]});
        }
        assert!(matches!(from_json(&json!({"payload": part})), Err(ParseError::Deep { .. })));
    }
}
