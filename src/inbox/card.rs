//! What the inbox shows for an item, as data; screens draw it.

use super::day_bars::DayBars;
use super::day_strip::{DayStrip, plain};
use crate::engine::graph::Warning;
use crate::text::Visible;
use std::fmt::Write;

/// The width of a picture in plain text.
const PLAIN_COLUMNS: usize = 72;

/// A card: blocks from top to bottom. It is computed from the thread's state when read, and never stored.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Card {
    /// Most important first.
    pub blocks: Vec<Block>,
}

/// How a piece of text is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    Plain,
    /// Less prominent than the rest.
    Quiet,
    Removed,
    Added,
}

/// A piece of text with a meaning.
#[derive(Clone, Debug, PartialEq)]
pub struct Span {
    pub tone: Tone,
    pub text: Visible,
}

/// One part of a card.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// Something unusual; warnings are at the top.
    Warnings(Vec<Warning>),
    Heading(Visible),
    /// Running text shown unchanged: what will be sent, or was received.
    Text(Visible),
    /// Running text with Markdown, as models write it. Its marks become bold and the like, so text that people must
    /// judge letter by letter does not belong here.
    Markdown(Visible),
    /// Names and values.
    Fields(Vec<(Visible, Visible)>),
    /// Program text in a named language.
    Code {
        /// The language, for highlighting.
        language: String,
        text: Visible,
    },
    Table {
        head: Vec<Visible>,
        rows: Vec<Vec<Visible>>,
    },
    /// Changed lines.
    Diff(Vec<Span>),
    /// One text with words removed and added.
    Words(Vec<Span>),
    Mail(Box<MailBlock>),
    /// A day of the calendar with the proposed time on it.
    Day(DayStrip),
    /// A bar for each day.
    Bars(DayBars),
    /// A conversation: who said what, oldest first.
    Turns(Vec<(Visible, Visible)>),
    /// What accepting does, in a frame. Whatever comes after it is only told.
    Panel {
        title: Visible,
        blocks: Vec<Block>,
    },
}

/// A mail as a card shows it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MailBlock {
    pub from: Visible,
    /// The recipients, on one line.
    pub to: Visible,
    /// Copies, on one line; empty if there are none.
    pub cc: Visible,
    /// The time by the person's clock.
    pub date: Visible,
    pub subject: Visible,
    /// Every header, shown on demand.
    pub headers: Vec<(Visible, Visible)>,
    /// The text in pieces; pieces that quote an earlier mail are folded at first.
    pub body: Vec<BodyPiece>,
    pub attachments: Vec<AttachmentLine>,
    /// The shown text and the target of each link.
    pub links: Vec<(Visible, Visible)>,
    /// How many pieces of hidden text were left out.
    pub hidden: u32,
    /// Whether only its headers are shown at first: true for older mails of a conversation.
    pub folded: bool,
    /// Whether its mailbox calls it unread.
    pub unread: bool,
}

/// A piece of a mail's text.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyPiece {
    /// Whether it quotes an earlier mail.
    pub quoted: bool,
    pub text: Visible,
}

/// Something attached to a mail.
#[derive(Clone, Debug, PartialEq)]
pub struct AttachmentLine {
    pub name: Visible,
    /// The media type.
    pub kind: Visible,
    pub bytes: u64,
}

impl Card {
    /// The card as plain text, for pipes and for `view`.
    pub fn text(&self) -> String {
        let parts: Vec<String> =
            self.blocks.iter().map(Block::plain).filter(|text| !text.trim().is_empty()).collect();
        parts.join("\n\n")
    }

    /// The question is no longer open, so nothing will happen any more.
    pub fn close(&mut self) {
        for block in &mut self.blocks {
            if let Block::Panel { title, .. } = block {
                *title = Visible::line("What was proposed");
            }
        }
    }

    /// The blocks without their panels, from top to bottom.
    pub fn flat(&self) -> impl Iterator<Item = &Block> {
        self.blocks.iter().flat_map(|block| match block {
            Block::Panel { blocks, .. } => blocks.iter(),
            other => std::slice::from_ref(other).iter(),
        })
    }
}

impl Block {
    /// A block of warnings, if there are any.
    pub fn warnings(warnings: &[Warning]) -> Option<Self> {
        (!warnings.is_empty()).then(|| Self::Warnings(warnings.to_vec()))
    }

    pub fn panel(title: &str, blocks: Vec<Block>) -> Self {
        Self::Panel { title: Visible::line(title), blocks }
    }

    /// Names and values, without empty ones.
    pub fn fields<N: AsRef<str>, V: AsRef<str>>(fields: impl IntoIterator<Item = (N, V)>) -> Self {
        let shown = fields.into_iter().filter(|(_, value)| !value.as_ref().trim().is_empty());
        let line = |(name, value): (N, V)| (Visible::line(name.as_ref()), Visible::new(value.as_ref()));
        Self::Fields(shown.map(line).collect())
    }

    pub fn text(text: &str) -> Self {
        Self::Text(Visible::new(text))
    }

    fn plain(&self) -> String {
        let text = match self {
            Block::Warnings(warnings) => {
                lines(warnings.iter().map(|warning| Visible::line(&warning.line()).into_string()))
            }
            Block::Heading(text) => format!("## {text}"),
            Block::Text(text) | Block::Markdown(text) => text.as_str().to_owned(),
            Block::Fields(fields) => lines(fields.iter().map(|(name, value)| field(name, value))),
            Block::Code { language, text } => format!("```{language}\n{}\n```", text.as_str().trim_end()),
            Block::Table { head, rows } => {
                let row =
                    |cells: &Vec<Visible>| cells.iter().map(Visible::as_str).collect::<Vec<_>>().join(" | ");
                lines(std::iter::once(head).chain(rows).map(row))
            }
            Block::Diff(spans) => lines(spans.iter().flat_map(diff_lines)),
            Block::Words(spans) => spans.iter().map(changed_words).collect(),
            Block::Mail(mail) => mail.plain(),
            Block::Day(day) => plain(day.lines(PLAIN_COLUMNS)),
            Block::Bars(bars) => plain(bars.lines(PLAIN_COLUMNS)),
            Block::Turns(turns) => lines(turns.iter().map(|(who, said)| format!("{who}: {said}\n"))),
            Block::Panel { title, blocks } => {
                format!("── {title} ──\n\n{}\n\n──", Card { blocks: blocks.clone() }.text())
            }
        };
        text.trim_end().to_owned()
    }
}

fn lines(lines: impl Iterator<Item = String>) -> String {
    lines.collect::<Vec<_>>().join("\n")
}

fn field(name: &Visible, value: &Visible) -> String {
    if value.as_str().contains('\n') {
        return format!("{name}:\n  {}", value.as_str().replace('\n', "\n  "));
    }
    format!("{name}: {value}")
}

fn diff_lines(span: &Span) -> impl Iterator<Item = String> + '_ {
    let mark = match span.tone {
        Tone::Plain | Tone::Quiet => ' ',
        Tone::Removed => '-',
        Tone::Added => '+',
    };
    span.text.as_str().lines().map(move |line| format!("{mark}{line}"))
}

fn changed_words(span: &Span) -> String {
    match span.tone {
        Tone::Plain | Tone::Quiet => span.text.to_string(),
        Tone::Removed => format!("[-{}-]", span.text),
        Tone::Added => format!("{{+{}+}}", span.text),
    }
}

impl MailBlock {
    fn plain(&self) -> String {
        let mut out = String::new();
        let heads = [
            ("From", &self.from),
            ("To", &self.to),
            ("Cc", &self.cc),
            ("Date", &self.date),
            ("Subject", &self.subject),
        ];
        for (name, value) in heads.iter().filter(|(_, value)| !value.as_str().is_empty()) {
            let _ = writeln!(out, "{name}: {value}");
        }
        if self.unread {
            let _ = writeln!(out, "[unread]");
        }
        out.push('\n');
        for piece in &self.body {
            let _ = writeln!(out, "{}", piece.text.as_str().trim_end());
        }
        for file in &self.attachments {
            let _ = writeln!(out, "[attached: {} ({}, {} bytes)]", file.name, file.kind, file.bytes);
        }
        for (text, target) in &self.links {
            let name = if text.as_str().is_empty() { String::new() } else { format!("{text} -> ") };
            let _ = writeln!(out, "[link: {name}{target}]");
        }
        if self.hidden > 0 {
            let _ = writeln!(out, "[hidden text left out: {}]", self.hidden);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_shows_where_a_panel_begins_and_ends() {
        let panel = Block::panel("This will run", vec![Block::text("git push")]);
        let mut card =
            Card { blocks: vec![Block::text("Odd."), panel, Block::fields([("by", "ci"), ("in", "")])] };
        assert_eq!(card.text(), "Odd.\n\n── This will run ──\n\ngit push\n\n──\n\nby: ci");
        assert_eq!(card.flat().count(), 3);
        card.close();
        assert!(card.text().contains("── What was proposed ──"), "nothing will run any more");
    }

    #[test]
    fn a_link_without_words_is_only_its_target() {
        let link = |text: &str| (Visible::line(text), Visible::line("https://x.example/"));
        let mail = MailBlock { links: vec![link("here"), link("")], ..MailBlock::default() };
        let plain = mail.plain();
        assert!(
            plain.ends_with("[link: here -> https://x.example/]\n[link: https://x.example/]\n"),
            "{plain}"
        );
    }
}
