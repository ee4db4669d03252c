//! The parts below the person's words: the mail they answer or forward, and a signature.

use super::field::one_line;
use crate::mail::{Address, Mail};
use jiff::tz::TimeZone;

/// The most lines quoted; the other person has the rest in their own mailbox.
const LINES: usize = 500;
/// The most letters quoted of a line.
const LETTERS: usize = 900;

/// The mail with `> ` before each line, below a line that says who wrote it and when, in this time zone.
pub fn quote(mail: &Mail, zone: &TimeZone) -> String {
    let from = mail.as_sent("from", &mail.from.name);
    let name = from.rsplit_once('<').map_or(from, |(name, _)| name.trim().trim_matches('"'));
    let name = if name.is_empty() { &mail.from.address } else { name };
    let name = one_line(if name.is_empty() { "somebody" } else { name });
    let mut quote = match mail.date {
        Some(date) => {
            let when = date.to_zoned(zone.clone()).strftime("%a, %-d %b %Y at %H:%M").to_string();
            format!("On {when}, {name} wrote:\n")
        }
        None => format!("{name} wrote:\n"),
    };
    let lines: Vec<&str> = mail.as_sent("text", &mail.text).trim_end().lines().collect();
    for line in lines.iter().take(LINES) {
        let line: String = line.trim_end().chars().take(LETTERS).collect();
        // Nested quotes stay together: `>> `, not `> > `.
        quote.push('>');
        if !line.is_empty() && !line.starts_with('>') {
            quote.push(' ');
        }
        quote.push_str(&line);
        quote.push('\n');
    }
    if lines.len() > LINES {
        quote.push_str("> […]\n");
    }
    quote
}

/// The text with the quoted mail below it.
pub fn with_quote(content: &str, mail: &Mail, zone: &TimeZone) -> String {
    format!("{}\n\n{}", content.trim_end(), quote(mail, zone))
}

/// The text with the whole forwarded mail below it.
pub fn with_forwarded(content: &str, mail: &Mail, zone: &TimeZone) -> String {
    let date =
        mail.date.map(|date| date.to_zoned(zone.clone()).strftime("%a, %-d %b %Y at %H:%M").to_string());
    let (from, to, cc) = (mail.from.to_string(), Address::list(&mail.to), Address::list(&mail.cc));
    let head = [
        ("From", mail.as_sent("from", &from)),
        ("Date", &date.unwrap_or_default()),
        ("Subject", mail.as_sent("subject", &mail.subject)),
        ("To", mail.as_sent("to", &to)),
        ("Cc", mail.as_sent("cc", &cc)),
    ];
    let mut text = content.trim_end().to_owned();
    text.push_str(if text.is_empty() { "" } else { "\n\n" });
    text.push_str("---------- Forwarded message ----------\n");
    for (name, value) in head.iter().filter(|(_, value)| !value.is_empty()) {
        text.push_str(&format!("{name}: {}\n", one_line(value)));
    }
    format!("{text}\n{}\n", mail.as_sent("text", &mail.text).trim_end())
}

/// The text with a signature at its very end: everything below `-- ` counts as one.
pub fn with_signature(content: &str, signature: &str) -> String {
    if signature.trim().is_empty() {
        return content.to_owned();
    }
    format!("{}\n\n-- \n{}\n", content.trim_end(), signature.trim_matches('\n'))
}
