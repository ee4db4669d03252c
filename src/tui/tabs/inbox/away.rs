//! Puts away the selected or marked mail, after a list to confirm; `u` puts it back.

use super::{follow, news};
use crate::engine::graph::ThreadId;
use crate::inbox::door::{Destination, Inbox, MailMove};
use crate::inbox::{Block, InboxError, ItemLine};
use crate::text::{Visible, count_noun, there_are};
use crate::tui::card::{Doc, Folds};
use crate::tui::layers::{Confirm, Prompt};
use crate::tui::model::{Failure, InboxResult, Model};
use crate::tui::words;
use std::collections::HashSet;

/// The mails to act on: the marked ones, else the selected one.
fn mails_to_move(model: &Model) -> Vec<&ItemLine> {
    let marked = model.inbox.list.marked();
    let rows = if marked.is_empty() { model.selected().into_iter().collect() } else { marked };
    rows.into_iter().filter(|row| row.workflow == "email").collect()
}

pub fn has_mail(model: &Model) -> bool {
    !mails_to_move(model).is_empty()
}

/// Opens the list that `y` confirms.
pub fn ask(model: &mut Model, destination: Destination) {
    let mut threads: Vec<ThreadId> = Vec::new();
    let mut rows = Vec::new();
    for row in mails_to_move(model) {
        if !threads.contains(&row.thread) {
            threads.push(row.thread.clone());
            let from = Visible::line(row.source.as_deref().unwrap_or_default());
            rows.push(vec![from, Visible::line(&row.title)]);
        }
    }
    if threads.is_empty() {
        return;
    }
    let count = count_noun(threads.len(), "mail");
    let title = match &destination {
        Destination::Archive => format!("Archive {count}?"),
        Destination::Trash => format!("Move {count} to the trash?"),
        Destination::Spam => format!("Move {count} to spam?"),
        Destination::Folder(name) => format!("Move {count} to {}?", Visible::line(name)),
    };
    let head = ["from", "subject"].map(Visible::line).to_vec();
    let page = Doc::untitled(vec![Block::Table { head, rows }], Folds::default());
    let why = "The card goes too. u brings both back while the mail is still there.";
    model.push(Confirm::new(title, why, page, move |model| {
        put_away(model, threads, MailMove::Away(destination));
    }));
}

/// Asks for a folder, and offers those there are. Without a list, the mailbox says whether there is such a folder.
pub fn ask_folder(model: &mut Model) {
    let threads: Vec<ThreadId> = mails_to_move(model).into_iter().map(|row| row.thread.clone()).collect();
    model.push(Prompt::new(("to ", "a folder", "move it there"), "", |model, prompt| {
        let (name, folders) = (prompt.text().trim(), &prompt.names);
        let exact = folders.iter().find(|folder| *folder == name);
        let folder = exact.or_else(|| folders.iter().find(|folder| folder.eq_ignore_ascii_case(name)));
        if folder.is_none() && !name.is_empty() && !folders.is_empty() {
            let shown: Vec<String> = folders.iter().map(|name| words::line(name)).collect();
            return Err(format!("There is no folder {}; {}", words::line(name), there_are(&shown)));
        }
        let name = folder.map_or(name, String::as_str);
        if !name.is_empty() {
            ask(model, Destination::Folder(name.to_owned()));
        }
        Ok(())
    }));
    let work = async move |inbox: Inbox| inbox.mail().folders(&threads).await;
    model.start(work, |model, result| {
        if let (Ok(names), Some(prompt)) = (result, model.top_mut::<Prompt>()) {
            prompt.names = names;
        }
    });
}

/// Puts the mails of threads away, or back, one after the other, and waits for the driver.
pub fn put_away(model: &mut Model, threads: Vec<ThreadId>, mail_move: MailMove) {
    let way = mail_move.clone();
    let put_away = async move |inbox: Inbox| {
        let mut results = Vec::new();
        for thread in threads {
            let moved = match inbox.mail().begin_move(&thread, &way).await {
                Ok(by) => inbox.mail().end_move(&thread, &way, &by).await.map_err(Failure::from),
                Err(error) => {
                    let nothing_to_do = matches!(error, InboxError::Conflict(_));
                    let failure = Failure::from(error);
                    Err(Failure { stale: failure.stale || nothing_to_do, ..failure })
                }
            };
            results.push((thread, moved));
        }
        results
    };
    model.start_any(put_away, move |model, results| moved(model, &mail_move, results));
}

/// Reports how many mails were moved, and the first failure.
pub fn moved(model: &mut Model, mail_move: &MailMove, results: Vec<(ThreadId, InboxResult<()>)>) {
    let first_failure =
        results.iter().find_map(|(_, result)| result.as_ref().err()).map(|failure| failure.text.clone());
    let unfinished =
        results.iter().filter(|(_, result)| result.as_ref().is_err_and(|failure| !failure.stale));
    let unfinished: Vec<ThreadId> = unfinished.map(|(thread, _)| thread.clone()).collect();
    let tried: Vec<ThreadId> = results.iter().map(|(thread, _)| thread.clone()).collect();
    let done: Vec<ThreadId> =
        results.into_iter().filter(|(_, result)| result.is_ok()).map(|(thread, _)| thread).collect();
    let count = count_noun(done.len(), "mail");
    match first_failure {
        Some(why) if done.is_empty() => model.fail(format!("Not {}: {why}", mail_move.done())),
        Some(why) => model.fail(format!("{count} {} · but not all: {why}", mail_move.done())),
        None => model.say(format!("{count} {}", mail_move.done())),
    }
    model.inbox.list.clear_marks();
    if *mail_move == MailMove::Back {
        // The next `u` tries again what did not come back.
        model.put_away.retain(|thread| !tried.contains(thread));
        model.put_away.extend(unfinished);
        news::await_return(model, &done);
        if let Some(thread) = done.into_iter().next() {
            follow::select_question_of(model, thread);
        }
    } else if !done.is_empty() {
        drop_cards(model, &done);
        // The next `u` puts these back, whatever was decided before.
        (model.put_away, model.undo) = (done, None);
    }
    model.reload();
}

/// Takes the cards of mail that was put away off the list. If the selected card was among them, selects the next one.
fn drop_cards(model: &mut Model, threads: &[ThreadId]) {
    let rows = model.inbox.list.all().iter().filter(|row| threads.contains(&row.thread));
    let ids: HashSet<String> = rows.map(|row| row.id.clone()).collect();
    // A glance may have taken the card away already.
    let has_vanished = model.inbox.list.selection_vanished() && model.inbox.following.is_none();
    let is_dropped = has_vanished || model.inbox.list.selected().is_some_and(|row| ids.contains(&row.id));
    model.inbox.list.drop_rows(&ids, model.wall);
    if is_dropped {
        model.inbox.list.select(model.inbox.list.cursor());
    }
    // A glance taken before this would show the old cards.
    model.inbox.stale_glance = model.inbox.is_glancing;
}
