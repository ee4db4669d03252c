//! The content of a mail: text, attachments, links, invitation.
//!
//! Promises: plain text is preferred to HTML unless it is empty or only says that there is HTML; forwarded mails follow
//! below with their headers; text that is too long is cut before it is decoded, and marked as cut.

use super::kind::PartKind;
use super::tree::Tree;
use super::words::{clip, line, unshown};
use super::{decode, hex, names};
use crate::mail::html::{self, Page};
use crate::mail::{Attachment, Invitation, Link, Mail, links};
use crate::text::{Visible, hidden_count, sanitize_typed};
use sha2::{Digest, Sha256};
use std::collections::HashSet;

/// The longest text a mail shows, in bytes.
const MAX_TEXT: usize = 1 << 20;
/// The most that is decoded of one text part, in encoded bytes.
const MAX_ENCODED: usize = 3 << 20;
/// The longest invitation read, in bytes.
const MAX_INVITATION: usize = 256 << 10;
/// The most links kept.
const MAX_LINKS: usize = 1_000;

/// Fills in everything found in the content of a mail.
pub(super) fn fill(mail: &mut Mail, tree: &Tree<'_>) {
    let mut reader = Reader { tree, mail, seen_links: HashSet::new() };
    let contents = reader.part(0);
    let PartText { text, hidden, unseen, cut, .. } = contents;
    mail.cut = cut || text.len() > MAX_TEXT;
    let raw = clip(&text, MAX_TEXT);
    if hidden_count(raw) > 0 {
        mail.unshown.push(("text", sanitize_typed(raw)));
    }
    let text = Visible::new(raw);
    // Placeholders are longer than the characters they replace.
    mail.cut |= text.len() > 2 * MAX_TEXT;
    let text = if text.len() > 2 * MAX_TEXT { Visible::new(clip(&text, 2 * MAX_TEXT)) } else { text };
    mail.text = text.trim_end().to_owned();
    mail.hidden = hidden;
    mail.unseen = Visible::new(&unseen).trim().to_owned();
}

/// The text of a part.
#[derive(Default)]
struct PartText {
    text: String,
    hidden: u32,
    unseen: String,
    cut: bool,
    rich: bool,
}

impl PartText {
    /// Adds the hidden text of another part.
    fn add_unseen(&mut self, unseen: &str) {
        if !unseen.is_empty() {
            self.unseen.push_str("\n\n");
            self.unseen.push_str(clip(unseen, MAX_TEXT.saturating_sub(self.unseen.len())));
        }
    }
}

struct Reader<'a, 't> {
    tree: &'a Tree<'t>,
    mail: &'a mut Mail,
    /// Links already in the list.
    seen_links: HashSet<Link>,
}

impl Reader<'_, '_> {
    /// The tree's depth is bounded, so recursion is safe.
    fn part(&mut self, index: usize) -> PartText {
        let tree = self.tree;
        let part = &tree.parts[index];
        if part.kind.is_mail() {
            return self.forwarded(index);
        }
        if part.kind.is_multipart() {
            let texts: Vec<PartText> = part.children.iter().map(|child| self.part(*child)).collect();
            return if part.kind.is("multipart/alternative") { pick_best(texts) } else { join_all(texts) };
        }
        if part.kind.is("text/calendar") || part.kind.is("application/ics") {
            self.read_invitation(index);
        }
        if is_attachment(tree, index) {
            self.add_attachment(index);
            return PartText::default();
        }
        self.read_text(index)
    }

    fn read_text(&mut self, index: usize) -> PartText {
        let part = &self.tree.parts[index];
        let (text, cut) = text(self.tree, index);
        if part.kind.is("text/html") || looks_like_html(&part.kind, &text) {
            let Page { text, hidden, unseen, links, cut: too_long } = html::page(&text);
            self.add_links(links);
            return PartText { text, hidden, unseen, cut: cut || too_long, rich: true };
        }
        let text = if part.kind.flowed { unflow(&text, part.kind.del_sp) } else { text };
        self.add_links(links::bare_links(&text, MAX_LINKS));
        PartText { text, cut, ..PartText::default() }
    }

    fn add_links(&mut self, links: Vec<Link>) {
        for link in links {
            if self.mail.links.len() < MAX_LINKS && self.seen_links.insert(link.clone()) {
                self.mail.links.push(link);
            }
        }
    }

    /// A mail within the mail: its header, with its text below.
    fn forwarded(&mut self, index: usize) -> PartText {
        let part = &self.tree.parts[index];
        if part.kind.attached || part.kind.name.is_some() || !part.kind.plain_encoding {
            self.add_attachment(index);
        }
        let Some(inner) = part.children.first() else { return PartText::default() };
        let head = &self.tree.parts[*inner];
        let value = |field, charset| unshown(field, charset).unwrap_or_else(|| line(field, charset));
        let mut text = String::from("---------- Forwarded message ----------\n");
        for name in ["From", "Date", "Subject", "To", "Cc"] {
            if let Some(field) = self.tree.field(head, name) {
                text.push_str(&format!("{name}: {}\n", value(field, &head.kind.charset)));
            }
        }
        let body = self.part(*inner);
        text.push('\n');
        text.push_str(&body.text);
        PartText { text, ..body }
    }

    fn read_invitation(&mut self, index: usize) {
        if self.mail.invitation.is_some() {
            return;
        }
        let (text, _) = text(self.tree, index);
        // Data for calendars: what a screen cannot show is in it, and made visible where it is shown.
        let text = sanitize_typed(clip(&text, MAX_INVITATION));
        let method_line = text.lines().find_map(|line| line.strip_prefix("METHOD:")).map(str::to_owned);
        let method = self.tree.parts[index].kind.method.clone().or(method_line).unwrap_or_default();
        let method = Visible::line(clip(method.trim(), 40)).to_ascii_uppercase();
        if text.contains("BEGIN:VCALENDAR") {
            self.mail.invitation = Some(Invitation { method, text });
        }
    }

    fn add_attachment(&mut self, index: usize) {
        let kind = &self.tree.parts[index].kind;
        let content = content(self.tree, index);
        self.mail.attachments.push(Attachment {
            name: names::safe(kind.name.as_deref(), &kind.kind),
            kind: Visible::line(clip(&kind.kind, 120)).into_string(),
            bytes: content.len() as u64,
            digest: hex(&Sha256::digest(&content)),
        });
    }
}

/// Whether a part is listed as an attachment instead of being read.
pub(super) fn is_attachment(tree: &Tree<'_>, index: usize) -> bool {
    let kind = &tree.parts[index].kind;
    if kind.is_mail() {
        return kind.attached || kind.name.is_some() || !kind.plain_encoding;
    }
    if kind.is_multipart() {
        return false;
    }
    let is_readable = matches!(
        kind.kind.as_str(),
        "text/plain"
            | "text/html"
            | "text/enriched"
            | "text/x-amp-html"
            | "text/rfc822-headers"
            | "message/delivery-status"
            | "text"
    );
    // A multipart without a boundary is a single text.
    !(is_readable || kind.kind.starts_with("multipart/"))
        || kind.attached
        || (kind.name.is_some() && index != 0)
}

/// The decoded bytes of a part.
pub(super) fn content(tree: &Tree<'_>, index: usize) -> Vec<u8> {
    let part = &tree.parts[index];
    decode::transfer(&part.kind.encoding, &tree.raw[part.body.clone()])
}

/// The text of a part, and whether it was cut.
fn text(tree: &Tree<'_>, index: usize) -> (String, bool) {
    let part = &tree.parts[index];
    let raw = &tree.raw[part.body.clone()];
    let cut = raw.len() > MAX_ENCODED;
    let bytes = decode::transfer(&part.kind.encoding, &raw[..raw.len().min(MAX_ENCODED)]);
    (decode::text(&part.kind.charset, &bytes), cut)
}

/// Some senders label HTML as plain text.
fn looks_like_html(kind: &PartKind, text: &str) -> bool {
    let start = clip(text.trim_start(), 200).to_ascii_lowercase();
    (kind.is("text/plain") || kind.kind.starts_with("multipart/"))
        && (start.starts_with("<!doctype html") || start.starts_with("<html"))
}

/// Picks one of several versions of the same text.
fn pick_best(mut texts: Vec<PartText>) -> PartText {
    let has_text = |part: &PartText| !part.text.trim().is_empty();
    let rich = texts.iter().position(|part| part.rich && has_text(part));
    let plain = texts.iter().position(|part| !part.rich && has_text(part));
    let pick = match (plain, rich) {
        (Some(plain), Some(rich)) if is_stub(&texts[plain].text, &texts[rich].text) => rich,
        (Some(plain), _) => plain,
        (None, Some(rich)) => rich,
        (None, None) => return join_all(texts),
    };
    let mut picked = texts.swap_remove(pick);
    // Hidden text in versions that are not shown counts too.
    texts.iter().for_each(|other| picked.add_unseen(&other.unseen));
    picked
}

/// Whether plain text only says that there is more to see elsewhere.
fn is_stub(plain: &str, rich: &str) -> bool {
    let plain = plain.trim();
    if plain.len() > 500 || plain.len() > rich.trim().len() {
        return false;
    }
    let lower = plain.to_lowercase();
    let says_html = lower.contains("html")
        && [
            "view", "support", "client", "version", "enable", "reader", "anzeigen", "programm", "lire",
            "ver este",
        ]
        .iter()
        .any(|word| lower.contains(word));
    let says_browser = lower.contains("browser") && (lower.contains("view") || lower.contains("http"));
    let only_links = plain.split_whitespace().all(|word| word.starts_with("http") || word.len() < 2);
    says_html || says_browser || only_links
}

fn join_all(texts: Vec<PartText>) -> PartText {
    let rich = texts.iter().all(|part| part.rich || part.text.trim().is_empty())
        && texts.iter().any(|part| part.rich);
    let mut joined = PartText { rich, ..PartText::default() };
    for part in texts {
        joined.hidden = joined.hidden.saturating_add(part.hidden);
        joined.cut |= part.cut;
        joined.add_unseen(&part.unseen);
        let text = part.text.trim_end();
        if text.is_empty() {
            continue;
        }
        if !joined.text.is_empty() {
            joined.text.push_str("\n\n");
        }
        // Text past the limit is not shown, so we drop it; the length shows that it was cut.
        joined.text.push_str(clip(text, (MAX_TEXT + 1).saturating_sub(joined.text.len())));
        joined.cut |= joined.text.len() > MAX_TEXT;
    }
    joined
}

/// Joins the lines of each paragraph of `format=flowed` (RFC 3676).
fn unflow(text: &str, del_sp: bool) -> String {
    let mut out = String::with_capacity(text.len());
    // The quote depth of the line to continue.
    let mut open: Option<usize> = None;
    for line in text.split('\n') {
        let line = line.strip_suffix('\r').unwrap_or(line);
        let depth = line.bytes().take_while(|byte| *byte == b'>').count();
        let content = &line[depth..];
        let content = content.strip_prefix(' ').unwrap_or(content);
        if open == Some(depth) && content != "-- " {
            if del_sp {
                out.pop();
            }
        } else {
            if !out.is_empty() || open.is_some() {
                out.push('\n');
            }
            if depth > 0 {
                out.push_str(&line[..depth]);
                out.push(' ');
            }
        }
        out.push_str(content);
        open = (content.ends_with(' ') && content != "-- ").then_some(depth);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flowed_lines_become_paragraphs() {
        for (flowed, expected) in [
            ("one \ntwo\nthree", "one two\nthree"),
            ("one \n-- \nname", "one \n-- \nname"),
            ("> a \n> b\nc", "> a b\nc"),
            ("> a \n>> b", "> a \n>> b"),
            (" >not quoted", ">not quoted"),
            (" From me", "From me"),
            ("a\n\nb", "a\n\nb"),
        ] {
            assert_eq!(unflow(flowed, false), expected, "{flowed:?}");
        }
        assert_eq!(unflow("日本 \n語", true), "日本語");
    }

    #[test]
    fn stubs() {
        let rich = "Hello there, this is the newsletter with everything that happened this week.".repeat(3);
        assert!(is_stub("Your mail client does not support HTML.", &rich));
        assert!(is_stub("View this email in your browser: https://example.com/x", &rich));
        assert!(is_stub("https://example.com/x", &rich));
        assert!(!is_stub("The meeting is at noon. Bring the HTML mock-ups.", &rich));
        assert!(!is_stub("A real answer in plain words.", &rich));
    }
}
