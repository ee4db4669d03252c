//! What users can do with the mails of a card besides reading: save and open attachments, list links, pipe a mail
//! through a command.
//!
//! Nothing in a mail is ever fetched here, none of its text becomes part of a command, and files that can run programs
//! are not opened.

use crate::engine::graph::ThreadId;
use crate::inbox::door::{AttachedFile, Inbox, Programs};
use crate::inbox::{Block, Card};
use crate::text::{Visible, count_noun};
use crate::tui::card::{Doc, link};
use crate::tui::layers::{Choice, Confirm, Menu, Page, Prompt};
use crate::tui::model::{Job, Model};
use crate::tui::words;
use std::path::PathBuf;

/// The thread of the mail whose mailing list could be left: skipped mail, or a mail that says how.
pub fn unsubscribable_thread(model: &Model) -> Option<ThreadId> {
    if model.shows_skipped() {
        return model.inbox.skipped.selected()?.thread.clone();
    }
    let opened = model.current()?;
    let is_unsubscribe_header =
        |(name, _): &(Visible, Visible)| name.as_str().eq_ignore_ascii_case("list-unsubscribe");
    let has_list = opened.doc.mails().any(|mail| mail.headers.iter().any(is_unsubscribe_header));
    has_list.then(|| opened.item.thread().clone())
}

/// Lets the mail's thread ask whether to leave its list; nothing is sent before that is decided.
pub fn unsubscribe(model: &mut Model) {
    let Some(thread) = unsubscribable_thread(model) else { return };
    model.tell(async move |inbox: Inbox| {
        let asked = inbox.mail().unsubscribe(thread).await;
        asked.map(|_| "The inbox asks you before it unsubscribes".to_owned())
    });
}

/// The thread whose mails are shown: that of the card, or the one in Threads.
fn shown_thread(model: &Model) -> Option<ThreadId> {
    let of_card = model.current().map(|opened| opened.item.thread());
    of_card.or(model.shown_review().map(|review| &review.view.id)).cloned()
}

/// Lists the attachments of the mails shown. The list opens and saves nothing: the choice is asked about.
pub fn attachments(model: &mut Model) {
    let Some(thread) = shown_thread(model) else { return };
    let id = thread.clone();
    let work = async move |inbox: Inbox| inbox.mail().attachments(id).await;
    model.start(work, move |model, result| {
        match result {
            Ok(files) if files.is_empty() => model.say("Nothing is attached"),
            Ok(files) => offer_attachments(model, &thread, files),
            Err(failure) if model.current().is_none() => model.fail(failure.text),
            // Attachments on another program's card are known only by name.
            Err(_) => list_by_name(model),
        }
    });
}

fn offer_attachments(model: &mut Model, thread: &ThreadId, files: Vec<AttachedFile>) {
    let row = |file: AttachedFile| {
        let warning = if file.program { "  can run programs!" } else { "" };
        let (name, kind, from) = (words::line(&file.name), words::line(&file.kind), words::line(&file.from));
        let text = format!("{name}  {kind}, {}, from {from}{warning}", words::bytes(file.bytes));
        let thread = thread.clone();
        Choice::new(text, move |model| offer_attached(model, thread, &file))
    };
    let title = count_noun(files.len(), "attachment");
    model.push(Menu::new(title, files.into_iter().map(row).collect()));
}

fn list_by_name(model: &mut Model) {
    let Some(opened) = model.current() else { return };
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
}

/// Offers what can be done with one attachment.
fn offer_attached(model: &mut Model, thread: ThreadId, file: &AttachedFile) {
    let (name, n, to_open) = (words::line(&file.name), file.n, thread.clone());
    if file.program {
        return model.push(Confirm::new(
            format!("Save {name} although it can run programs?"),
            "It won't be opened from here. Anyone who opens it later lets its sender do anything on this machine.",
            Doc::default(),
            move |model| save(model, thread, n, Programs::Save),
        ));
    }
    let rows = vec![
        Choice::new("save it to Downloads, or else to your home folder", move |model| {
            save(model, thread, n, Programs::Refuse);
        }),
        Choice::new("open it in its usual program", move |model| {
            model.tell(async move |inbox: Inbox| {
                let opened = inbox.mail().open_attachment(to_open, n).await;
                opened.map(|path| format!("Opened {}", path.display()))
            });
        }),
    ];
    model.push(Menu::new(name, rows));
}

fn save(model: &mut Model, thread: ThreadId, n: usize, programs: Programs) {
    model.tell(async move |inbox: Inbox| {
        let saved = inbox.mail().save_attachment(thread, n, downloads(), programs).await;
        saved.map(|path| format!("Saved as {}", path.display()))
    });
}

/// Where people look for saved files.
fn downloads() -> PathBuf {
    let home = std::env::home_dir().unwrap_or_else(|| PathBuf::from("."));
    let downloads = home.join("Downloads");
    if downloads.is_dir() { downloads } else { home }
}

/// Lists where the links of all the card's mails lead.
pub fn links(model: &mut Model) {
    let Some(opened) = model.current() else { return };
    let all = opened.doc.mails().flat_map(|mail| mail.links.iter());
    let row = |(n, (text, target)): (usize, &(Visible, Visible))| {
        Choice::copy(format!("{:>2}  {}", n + 1, link(text, target)), target.to_string())
    };
    let rows = all.enumerate().map(row).collect();
    model.push(Menu::new("Links and where they lead", rows));
}

/// Asks for a command, and pipes the mail at the top of the screen through it, or the card if it has no mail.
pub fn ask_pipe(model: &mut Model) {
    let what = ("|", "a command; the mail's text is its input", "run it");
    model.push(Prompt::new(what, "", |model, prompt| {
        let command = prompt.text().trim();
        let Some(opened) = model.current().filter(|_| !command.is_empty()) else { return Ok(()) };
        let text = match opened.doc.mail_at(opened.top) {
            Some(mail) => Card { blocks: vec![mail.clone()] }.text(),
            None => opened.item.text().to_owned(),
        };
        model.jobs.push(Job::Pipe(command.to_owned(), text));
        Ok(())
    }));
}
