//! What users can do with the mails of a card besides reading: save and open attachments, list links, pipe a mail
//! through a command.
//!
//! Nothing in a mail is ever fetched here, none of its text becomes part of a command, and files that can run programs
//! are not opened.

use crate::graph::ThreadId;
use crate::inbox::{Block, Card};
use crate::service::{AttachedFile, Programs};
use crate::text::{Visible, count_noun};
use crate::tui::card::{Doc, link};
use crate::tui::layers::{Choice, Confirm, Menu, OnConfirm, Page, Prompt, PromptKind};
use crate::tui::model::Model;
use crate::tui::msg::{Cmd, InboxResult};
use crate::tui::words;

/// Asks for the attachments of the card's mails.
pub fn attachments(model: &mut Model) -> Vec<Cmd> {
    let Some(opened) = model.current() else { return Vec::new() };
    vec![Cmd::Attachments(opened.item.thread.clone())]
}

/// The thread of the mail whose mailing list could be left: skipped mail, or a mail that says how.
pub fn unsubscribable_thread(model: &Model) -> Option<ThreadId> {
    if model.shows_skipped() {
        return model.inbox.skipped.selected()?.thread.clone();
    }
    let opened = model.current()?;
    let is_unsubscribe_header =
        |(name, _): &(Visible, Visible)| name.as_str().eq_ignore_ascii_case("list-unsubscribe");
    let has_list = opened.doc.mails().any(|mail| mail.headers.iter().any(is_unsubscribe_header));
    has_list.then(|| opened.item.thread.clone())
}

/// Lets the mail's thread ask whether to leave its list; nothing is sent before that is decided.
pub fn unsubscribe(model: &mut Model) -> Vec<Cmd> {
    unsubscribable_thread(model).map(Cmd::Unsubscribe).into_iter().collect()
}

/// Lists the attachments. The list opens and saves nothing: the choice is asked about.
pub fn attached(model: &mut Model, thread: &ThreadId, result: InboxResult<Vec<AttachedFile>>) -> Vec<Cmd> {
    let files = match result {
        Ok(files) => files,
        // Attachments on another program's card are known only by name.
        Err(_) => return list_by_name(model),
    };
    let row = |file: AttachedFile| {
        let warning = if file.program { "  can run programs!" } else { "" };
        let (name, from) = (words::line(&file.name), words::line(&file.from));
        let text = format!(
            "{}  {}, {}, from {from}{warning}",
            name,
            words::line(&file.kind),
            words::bytes(file.bytes)
        );
        (text, Choice::Attached(thread.clone(), Box::new(file)))
    };
    let title = count_noun(files.len(), "attachment");
    model.push(Menu::new(title, files.into_iter().map(row).collect()));
    Vec::new()
}

fn list_by_name(model: &mut Model) -> Vec<Cmd> {
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
    let meta = "Names only: nothing is opened or run.";
    let doc = Doc::page(&count_noun(rows.len(), "attachment"), meta, vec![Block::Table { head, rows }]);
    model.push(Page::new("Attachments", doc));
    Vec::new()
}

/// Offers what can be done with one attachment.
pub fn offer_attached(model: &mut Model, thread: &ThreadId, file: &AttachedFile) -> Vec<Cmd> {
    let name = words::line(&file.name);
    if file.program {
        model.push(Confirm::new(
            format!("Save {name} although it can run programs?"),
            "It won't be opened from here. Anyone who opens it later lets its sender do anything on this machine.",
            Doc::default(),
            OnConfirm::Do(Cmd::SaveAttached(thread.clone(), file.n, Programs::Save)),
        ));
        return Vec::new();
    }
    let rows = vec![
        (
            "save it to Downloads, or else to your home folder".to_owned(),
            Choice::SaveAttached(thread.clone(), file.n),
        ),
        ("open it in its usual program".to_owned(), Choice::OpenAttached(thread.clone(), file.n)),
    ];
    model.push(Menu::new(name, rows));
    Vec::new()
}

/// Lists where the links of all the card's mails lead.
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

/// Asks for the command to pipe a mail through.
pub fn ask_pipe(model: &mut Model) -> Vec<Cmd> {
    model.push(Prompt::new(PromptKind::Pipe, ""));
    Vec::new()
}

/// Pipes the mail at the top of the screen, or the whole card if it has no mail.
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
