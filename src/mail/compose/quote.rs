//! The parts below a reply: the quoted mail and a signature.

use super::field::one_line;
use crate::mail::Mail;
use jiff::tz::TimeZone;

/// The most lines quoted; the other person has the rest in their own mailbox.
const LINES: usize = 500;
/// The most letters quoted of a line.
const LETTERS: usize = 900;

/// The mail with `> ` before each line, below a line that says who wrote it and when, in this time zone.
pub fn quote(mail: &Mail, zone: &TimeZone) -> String {
    let name = if mail.from.name.is_empty() { &mail.from.address } else { &mail.from.name };
    let name = one_line(if name.is_empty() { "somebody" } else { name });
    let mut quote = match mail.date {
        Some(date) => {
            let when = date.to_zoned(zone.clone()).strftime("%a, %-d %b %Y at %H:%M").to_string();
            format!("On {when}, {name} wrote:\n")
        }
        None => format!("{name} wrote:\n"),
    };
    let lines: Vec<&str> = mail.text.trim_end().lines().collect();
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

/// The text with a signature at its very end: everything below `-- ` counts as one.
pub fn with_signature(content: &str, signature: &str) -> String {
    if signature.trim().is_empty() {
        return content.to_owned();
    }
    format!("{}\n\n-- \n{}\n", content.trim_end(), signature.trim_matches('\n'))
}
