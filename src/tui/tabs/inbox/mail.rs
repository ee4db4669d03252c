//! What can be done with the mails of a card besides reading them: list what is attached and linked, pipe one on.
//!
//! Nothing of a mail is ever opened or fetched here, and no text of it becomes a part of a command.

use crate::inbox::{Block, Card};
use crate::text::Visible;
use crate::tui::card::{Doc, link};
use crate::tui::layers::{Ask, Choice, Menu, Page, Prompt};
use crate::tui::model::Model;
use crate::tui::msg::Cmd;
use crate::tui::words;

/// Lists what is attached to any mail of the card.
pub fn attachments(model: &mut Model) -> Vec<Cmd> {
    let Some(opened) = model.current() else { return Vec::new() };
    let head = ["name", "type", "size", "from"].map(Visible::line).to_vec();
    let rows: Vec<Vec<Visible>> = opened
        .doc
        .mails()
        .flat_map(|mail| mail.attachments.iter().map(move |file| (mail, file)))
        .map(|(mail, file)| {
            let size = Visible::line(&words::bytes(file.bytes));
            vec![file.name.clone(), file.kind.clone(), size, mail.from.clone()]
        })
        .collect();
    let meta = "Shown by name only: nothing of it is opened or run.";
    let doc = Doc::page(&words::count(rows.len(), "attachment"), meta, vec![Block::Table { head, rows }]);
    model.push(Page::new("Attachments", doc));
    Vec::new()
}

/// Lists where the links of all mails of the card lead.
pub fn links(model: &mut Model) -> Vec<Cmd> {
    let Some(opened) = model.current() else { return Vec::new() };
    let all = opened.doc.mails().flat_map(|mail| mail.links.iter());
    let rows: Vec<(String, Choice)> = all
        .enumerate()
        .map(|(n, (text, target))| {
            (format!("{:>2}  {}", n + 1, link(text, target)), Choice::Copy(target.to_string()))
        })
        .collect();
    model.push(Menu::new("Links and where they lead", rows));
    Vec::new()
}

/// Asks for the command a mail is piped through.
pub fn ask_pipe(model: &mut Model) -> Vec<Cmd> {
    model.push(Prompt::new(Ask::Pipe, ""));
    Vec::new()
}

/// Pipes the mail at the top of the screen, or a card without mails as a whole.
pub fn pipe(model: &mut Model, command: &str) -> Vec<Cmd> {
    model.layers.pop();
    let command = command.trim();
    let Some(opened) = model.current().filter(|_| !command.is_empty()) else { return Vec::new() };
    let text = match opened.doc.mail_at(opened.top) {
        Some(mail) => Card { blocks: vec![mail.clone()] }.text(),
        None => opened.item.text.clone(),
    };
    vec![Cmd::Pipe(command.to_owned(), text)]
}
