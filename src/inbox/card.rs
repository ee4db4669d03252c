//! What the inbox shows for an item: data, drawn by whoever has a screen.

use crate::graph::Warning;
use crate::text::Visible;
use std::fmt::Write;

/// A card: blocks from top to bottom. It is computed when read, from the thread's state then, and never kept.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Card {
    /// The blocks, most important first.
    pub blocks: Vec<Block>,
}

/// How a piece of text is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// As it is.
    Plain,
    /// Quieter than the rest.
    Quiet,
    /// Taken away.
    Removed,
    /// Put in.
    Added,
}

/// A piece of text with a meaning.
#[derive(Clone, Debug, PartialEq)]
pub struct Span {
    /// How it is meant.
    pub tone: Tone,
    /// What it says.
    pub text: Visible,
}

/// One part of a card.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// Something unusual; these stand on top.
    Warnings(Vec<Warning>),
    /// A heading.
    Heading(Visible),
    /// Running text.
    Text(Visible),
    /// Names and values.
    Fields(Vec<(Visible, Visible)>),
    /// Program text in a named language.
    Code {
        /// The language, for highlighting.
        language: String,
        /// The program.
        text: Visible,
    },
    /// A table with a heading row.
    Table {
        /// The heading row.
        head: Vec<Visible>,
        /// The other rows.
        rows: Vec<Vec<Visible>>,
    },
    /// What changes, line by line.
    Diff(Vec<Span>),
    /// A conversation: who said what, oldest first.
    Turns(Vec<(Visible, Visible)>),
}

impl Card {
    /// The card as plain text, for pipes and for `view`.
    pub fn text(&self) -> String {
        let parts: Vec<String> =
            self.blocks.iter().map(Block::plain).filter(|text| !text.trim().is_empty()).collect();
        parts.join("\n\n")
    }
}

impl Block {
    fn plain(&self) -> String {
        let mut out = String::new();
        match self {
            Block::Warnings(warnings) => {
                for warning in warnings {
                    let _ = writeln!(
                        out,
                        "! {} [{}]",
                        Visible::line(&warning.text),
                        Visible::line(&warning.code)
                    );
                }
            }
            Block::Heading(text) => {
                let _ = write!(out, "## {text}");
            }
            Block::Text(text) => out.push_str(text.as_str()),
            Block::Fields(fields) => {
                for (name, value) in fields {
                    if value.as_str().contains('\n') {
                        let indented = value.as_str().replace('\n', "\n  ");
                        let _ = writeln!(out, "{name}:\n  {indented}");
                    } else {
                        let _ = writeln!(out, "{name}: {value}");
                    }
                }
            }
            Block::Code { language, text } => {
                let _ = write!(out, "```{language}\n{}\n```", text.as_str().trim_end());
            }
            Block::Table { head, rows } => {
                let line =
                    |cells: &[Visible]| cells.iter().map(Visible::as_str).collect::<Vec<_>>().join(" | ");
                let _ = writeln!(out, "{}", line(head));
                for row in rows {
                    let _ = writeln!(out, "{}", line(row));
                }
            }
            Block::Diff(spans) => {
                for span in spans {
                    let mark = match span.tone {
                        Tone::Plain | Tone::Quiet => ' ',
                        Tone::Removed => '-',
                        Tone::Added => '+',
                    };
                    for line in span.text.as_str().lines() {
                        let _ = writeln!(out, "{mark}{line}");
                    }
                }
            }
            Block::Turns(turns) => {
                for (who, said) in turns {
                    let _ = writeln!(out, "{who}: {said}\n");
                }
            }
        }
        out.trim_end().to_owned()
    }
}
