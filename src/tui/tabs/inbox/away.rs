//! Puts the selected or marked mail away, or the selected skipped mail, or mutes it; `u` puts it back.

use super::{follow, news};
use crate::engine::graph::{Hash, InterruptId, ThreadId};
use crate::inbox::door::{Destination, Inbox, MailMove};
use crate::inbox::{DecisionEnd, InboxError, ItemLine};
use crate::text::{count_noun, there_are};
use crate::tui::layers::Prompt;
use crate::tui::model::{Failure, InboxResult, Model, PutAway};
use crate::tui::words;
use std::collections::HashSet;
use std::future;

/// What became of a mail that was to be moved.
pub struct MovedMail {
    pub thread: ThreadId,
    pub title: String,
    pub result: InboxResult<()>,
}

/// The mails to act on.
fn mails_to_move(model: &Model) -> Vec<&ItemLine> {
    model.chosen().into_iter().filter(|row| row.workflow == "email").collect()
}

pub fn has_mail(model: &Model) -> bool {
    !threads_to_move(model).is_empty()
}

/// A thread whose mails are to be moved, and the question that was shown.
type Shown = (ThreadId, Option<(InterruptId, Hash)>);

fn threads_to_move(model: &Model) -> Vec<Shown> {
    if model.shows_skipped() {
        let skipped = model.inbox.skipped.selected().and_then(|line| line.thread.clone());
        return skipped.into_iter().map(|thread| (thread, None)).collect();
    }
    let mut threads: Vec<Shown> = Vec::new();
    for row in mails_to_move(model) {
        if threads.iter().all(|(thread, _)| *thread != row.thread) {
            let question = InterruptId::parse(&row.id).ok().zip(row.hash);
            threads.push((row.thread.clone(), question));
        }
    }
    threads
}

pub fn put_away(model: &mut Model, mail_move: MailMove) {
    let threads = threads_to_move(model);
    move_mails(model, threads, mail_move);
}

pub fn put_back(model: &mut Model, threads: Vec<ThreadId>) {
    move_mails(model, threads.into_iter().map(|thread| (thread, None)).collect(), MailMove::Back);
}

/// Asks for a folder, and offers those there are. Without a list, the mailbox says whether there is such a folder.
pub fn ask_folder(model: &mut Model) {
    let threads = threads_to_move(model);
    let ids: Vec<ThreadId> = threads.iter().map(|(thread, _)| thread.clone()).collect();
    let prompt = Prompt::new(("to ", "a folder", "move it there"), "", move |model, prompt| {
        let (name, folders) = (prompt.text().trim(), &prompt.names);
        let exact = folders.iter().find(|folder| *folder == name);
        let folder = exact.or_else(|| folders.iter().find(|folder| folder.eq_ignore_ascii_case(name)));
        if folder.is_none() && !name.is_empty() && !folders.is_empty() {
            let shown: Vec<String> = folders.iter().map(|name| words::line(name)).collect();
            return Err(format!("There is no folder {}; {}", words::line(name), there_are(&shown)));
        }
        let name = folder.map_or(name, String::as_str);
        if !name.is_empty() {
            let away = MailMove::Away(Destination::Folder(name.to_owned()));
            move_mails(model, threads.clone(), away);
        }
        Ok(())
    });
    model.push(prompt.deciding());
    let work = async move |inbox: Inbox| inbox.mail().folders(&ids).await;
    model.start_any(work, |model, folders| {
        let Some(prompt) = model.top_mut::<Prompt>() else { return };
        match folders {
            Ok(names) => prompt.names = names,
            Err(InboxError::Conflict(why)) => {
                model.layers.pop();
                model.fail(format!("Not moved: {why}"));
            }
            // The name can be typed all the same.
            Err(_) => {}
        }
    });
}

/// Moves the mails of threads one after the other, and waits for the driver.
fn move_mails(model: &mut Model, threads: Vec<Shown>, mail_move: MailMove) {
    let is_moved = |row: &&ItemLine| threads.iter().any(|(thread, _)| *thread == row.thread);
    let rows = model.inbox.list.all().iter().filter(is_moved);
    let ids: Vec<String> = rows.map(|row| row.id.clone()).collect();
    model.deciding.extend(ids.iter().cloned());
    model.inbox.list.unmark(&ids);
    let title = |thread: &ThreadId| {
        let row = model.inbox.list.all().iter().find(|row| row.thread == *thread);
        let skipped = model.inbox.skipped.rows.iter().find(|line| line.thread.as_ref() == Some(thread));
        row.map(|row| &row.title).or(skipped.map(|line| &line.title)).cloned().unwrap_or_default()
    };
    let mails: Vec<(Shown, String)> = threads
        .into_iter()
        .map(|shown| {
            let title = title(&shown.0);
            (shown, title)
        })
        .collect();
    let way = mail_move.clone();
    let work = async move |inbox: Inbox| {
        let mut moved = Vec::new();
        for ((thread, shown), title) in mails {
            let result = move_mail(&inbox, &thread, &way, shown).await;
            moved.push(MovedMail { thread, title, result });
        }
        moved
    };
    model.start_any(work, move |model, results| {
        model.deciding.retain(|id| !ids.contains(id));
        moved(model, &mail_move, results);
    });
}

async fn move_mail(
    inbox: &Inbox,
    thread: &ThreadId,
    way: &MailMove,
    shown: Option<(InterruptId, Hash)>,
) -> InboxResult<()> {
    let moved = match inbox.mail().begin_move(thread, way, shown).await {
        Ok(by) => inbox.mail().end_move(thread, way, &by, future::pending()).await,
        Err(error) => Err(error),
    };
    moved.map_err(|error| {
        // Trying again would not help.
        let is_final = matches!(error, InboxError::Conflict(_));
        let failure = Failure::from(error);
        Failure { stale: failure.stale || is_final, ..failure }
    })
}

/// Reports which mails were moved, and the first failure.
pub fn moved(model: &mut Model, mail_move: &MailMove, results: Vec<MovedMail>) {
    let failures = || results.iter().filter_map(|mail| Some((&mail.thread, mail.result.as_ref().err()?)));
    let first_failure = failures().next().map(|(_, failure)| failure.text.clone());
    let unfinished = failures().filter(|(_, failure)| !failure.stale);
    let unfinished: Vec<ThreadId> = unfinished.map(|(thread, _)| thread.clone()).collect();
    let moved = results.into_iter().filter(|mail| mail.result.is_ok());
    let (threads, titles): (Vec<ThreadId>, Vec<String>) = moved.map(|mail| (mail.thread, mail.title)).unzip();
    let what = match titles.as_slice() {
        [title] if !title.is_empty() => format!("{}: “{title}”", mail_move.done()),
        many => format!("{}: {}", mail_move.done(), count_noun(many.len(), "mail")),
    };
    let what = words::capitalized(&what);
    match first_failure {
        Some(why) if threads.is_empty() => {
            model.report(DecisionEnd::Failed, format!("Not {}: {why}", mail_move.done()));
        }
        Some(why) => model.report(DecisionEnd::Failed, format!("{what} · but not all: {why}")),
        None if *mail_move == MailMove::Back => model.report(DecisionEnd::Undone, what),
        None => {
            let how = model.spell("<undo> undoes it");
            model.report(DecisionEnd::Done, format!("{what} · {how}"));
        }
    }
    let since = model.now;
    if *mail_move == MailMove::Back {
        // The next `u` tries again what did not come back.
        if !unfinished.is_empty() {
            model.put_away.push(PutAway { threads: unfinished, since });
        }
        news::await_return(model, &threads);
        if let Some(thread) = threads.into_iter().next() {
            follow::select_question_of(model, thread);
        }
    } else if !threads.is_empty() {
        drop_cards(model, &threads);
        model.put_away.push(PutAway { threads, since });
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
