//! A mail on a card: who and when, the text with quotes folded, the attachments, and where links lead.
//!
//! Promises: a link's target is shown unchanged next to its text; hidden text in the mail is counted; anything still
//! folded takes one line. The text itself belongs to the card and is never copied.

use super::build::{Folds, MIN_FOLDED_QUOTE};
use super::doc::{Doc, PieceKind, Place, is_same_subject};
use crate::engine::graph::Grade;
use crate::inbox::{AttachmentLine, MailBlock};
use crate::text::{Visible, truncate, width};
use crate::tui::words;

/// The column where attachments and links begin.
const INDENT: usize = 10;

/// How many attachments and links the card shows.
const MAX_LISTED: usize = 6;

/// Targets are cut at this length.
const MAX_TARGET_LENGTH: usize = 400;

/// Longer lists of people are cut after the first few.
const MAX_PEOPLE: usize = 4;

impl Doc {
    /// Cuts a mail into pieces.
    pub(super) fn mail(&mut self, n: usize, mail: &MailBlock, folds: Folds) {
        let folded = (mail.folded || self.place == Place::Below) && !folds.open;
        // A subject that stands above is not repeated for each mail.
        let is_known = is_same_subject(&self.title, &mail.subject)
            || self
                .mails()
                .take(self.mails.len())
                .any(|above| is_same_subject(&above.subject, &mail.subject));
        if !folded && self.pieces.last().is_some_and(|piece| piece.kind != PieceKind::Heading) {
            self.gap();
        }
        self.mails.push((self.pieces.len(), n));
        self.begin_part();
        if folded {
            self.push(PieceKind::Fold, format!("{}: {}", head(mail), first_words(mail)));
            return;
        }
        self.push(PieceKind::Who, head(mail));
        if folds.headers {
            let names = mail.headers.iter().map(|(name, _)| width(name));
            let indent = names.max().unwrap_or(0).min(16) + 2;
            for (part, (name, value)) in mail.headers.iter().enumerate() {
                let kind = PieceKind::Field { name: name.to_string(), indent };
                if value.is_empty() {
                    self.push(kind, String::new());
                } else {
                    self.cut(&kind, n, mail.body.len() + part, value, 0..value.len());
                }
            }
        } else {
            let people = [("to", &mail.to), ("cc", &mail.cc)].into_iter().filter(|(_, who)| !who.is_empty());
            let people: Vec<String> =
                people.map(|(word, who)| format!("{word} {}", first_people(who))).collect();
            self.push(PieceKind::Meta, people.join(" · "));
            if !is_known {
                self.push(PieceKind::Subject, mail.subject.to_string());
            }
        }
        self.gap();
        self.body(n, mail, folds);
        self.gap();
        self.attachments(&mail.attachments);
        self.links(&mail.links);
        if mail.hidden > 0 {
            let (what, are) = if mail.hidden == 1 { ("piece", "is") } else { ("pieces", "are") };
            let text = format!("{} {what} of text the mail hides {are} left out", mail.hidden);
            self.push(PieceKind::Warning(Grade::Caution), text);
        }
        self.gap();
    }

    fn body(&mut self, n: usize, mail: &MailBlock, folds: Folds) {
        if mail.body.iter().all(|piece| piece.text.trim().is_empty()) {
            self.push(PieceKind::Quiet, "(no text)".to_owned());
            return;
        }
        for (part, piece) in mail.body.iter().enumerate() {
            let lines = piece.text.trim_end().lines().count();
            if !piece.quoted {
                self.cut(&PieceKind::Text, n, part, &piece.text, 0..piece.text.trim_end().len());
            } else if folds.open || lines < MIN_FOLDED_QUOTE {
                self.cut(&PieceKind::Quiet, n, part, &piece.text, 0..piece.text.trim_end().len());
            } else {
                self.gap();
                self.push(PieceKind::Fold, format!("{lines} quoted lines"));
                self.gap();
            }
        }
    }

    fn attachments(&mut self, files: &[AttachmentLine]) {
        for (n, file) in files.iter().take(MAX_LISTED).enumerate() {
            let name = if n == 0 { "attached" } else { "" };
            let text = format!("{} · {} · {}", file.name, file.kind, words::bytes(file.bytes));
            self.push(PieceKind::Field { name: name.to_owned(), indent: INDENT }, text);
        }
        self.push_unlisted(files.len());
    }

    fn links(&mut self, links: &[(Visible, Visible)]) {
        for (n, (text, target)) in links.iter().take(MAX_LISTED).enumerate() {
            let name = format!("link {}", n + 1);
            self.push(
                PieceKind::Field { name, indent: INDENT },
                link(text, &truncate(target, MAX_TARGET_LENGTH)),
            );
        }
        self.push_unlisted(links.len());
    }

    fn push_unlisted(&mut self, count: usize) {
        if count > MAX_LISTED {
            let name = String::new();
            let text = format!("and {} more", count - MAX_LISTED);
            self.push(PieceKind::Field { name, indent: INDENT }, text);
        }
    }
}

/// A link's text and its target, so nobody has to take the one for the other.
pub fn link(text: &str, target: &str) -> String {
    let text = text.trim();
    if text.is_empty() || text == target { target.to_owned() } else { format!("{text} → {target}") }
}

fn head(mail: &MailBlock) -> String {
    let from = if mail.from.is_empty() { "(nobody)" } else { mail.from.as_str() };
    let unread = if mail.unread { "unread" } else { "" };
    let parts = [from, mail.date.as_str(), unread].into_iter().filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join(" · ")
}

fn first_words(mail: &MailBlock) -> String {
    let pieces = mail.body.iter().filter(|piece| !piece.quoted);
    let first = pieces.flat_map(|piece| piece.text.lines()).find(|line| !line.trim().is_empty());
    first.map(|line| line.trim().to_owned()).unwrap_or_default()
}

/// The first few people, and how many more there are.
fn first_people(people: &str) -> String {
    let all: Vec<&str> = people.split(", ").collect();
    if all.len() <= MAX_PEOPLE {
        return people.to_owned();
    }
    format!("{} and {} more", all[..MAX_PEOPLE - 1].join(", "), all.len() - MAX_PEOPLE + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_shows_where_it_leads() {
        assert_eq!(link("bank.example", "https://evil.test/x"), "bank.example → https://evil.test/x");
        assert_eq!(link(" https://a.test ", "https://a.test"), "https://a.test");
        assert_eq!(link("", "https://a.test"), "https://a.test");
    }

    #[test]
    fn many_people_are_cut() {
        assert_eq!(first_people("a, b, c, d"), "a, b, c, d");
        assert_eq!(first_people("a, b, c, d, e, f"), "a, b, c and 3 more");
    }
}
