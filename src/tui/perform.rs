//! Runs commands: each command to the inbox becomes one message.
//!
//! Commands for the terminal itself (clipboard, `$EDITOR`, notices, quitting) are left to the loop.

use super::msg::{Cmd, DecisionKind, Failure, InboxResult, LoadedCard, LoadedThread, Msg};
use super::own_commands;
use crate::graph::{InterruptId, ThreadId};
use crate::inbox::{
    DecisionRequest, InboxError, ItemLine, LineQuery, MemoryVersion, MemoryView, Outcome, Query,
    SkippedCount, Status, ThreadLine, ThreadQuery, UndoableBatch,
};
use crate::service::{self, Format, Inbox, MailMove};
use crate::text::plain_json;
use futures_util::future::join_all;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use std::path::{Path, PathBuf};

const MAX_THREADS: usize = 500;

const MAX_COMPLETIONS: usize = 50;

/// Runs a command; `None` if it is the terminal's job or has no result to report.
pub async fn perform(inbox: &Inbox, cmd: Cmd) -> Option<Msg> {
    Some(match cmd {
        Cmd::Glance => Msg::Glanced(inbox.decisions().glance().await.map_err(Failure::from)),
        Cmd::Lines(query) => Msg::Lines(inbox.decisions().lines(query).await.map_err(Failure::from)),
        Cmd::Card(id) => {
            let result = card(inbox, &id).await;
            Msg::Card(id, result)
        }
        Cmd::Overview => Msg::Overview(inbox.figures().overview().await.map_err(Failure::from)),
        Cmd::Sources => Msg::Sources(inbox.mail().sources().await.map_err(Failure::from)),
        Cmd::Sessions => Msg::Sessions(inbox.sessions().list().await.map_err(Failure::from)),
        Cmd::FocusSession(id) => Msg::Done(inbox.sessions().focus(&id).await.map_err(Failure::from)),
        Cmd::FocusAsker(thread) => {
            Msg::Done(inbox.sessions().focus_asker(thread).await.map_err(Failure::from))
        }
        Cmd::CostToday(since) => {
            Msg::CostToday(inbox.figures().cost_since(since).await.map_err(Failure::from))
        }
        Cmd::FetchMail => Msg::Done(match inbox.mail().fetch().await {
            Ok(()) => Ok("Looking for new mail".to_owned()),
            Err(error) => Err(error.into()),
        }),
        Cmd::Running => Msg::Running(running(inbox).await),
        Cmd::Facets => Msg::Facets(inbox.threads().facets().await.map_err(Failure::from)),
        Cmd::Threads(query) => {
            let result = inbox.threads().list(query.clone()).await.map_err(Failure::from);
            Msg::Threads(query, result)
        }
        Cmd::Thread(id) => {
            let result = thread(inbox, id.clone()).await.map(Box::new).map_err(Failure::from);
            Msg::Thread(id, result)
        }
        Cmd::StepStates(id, step) => {
            let result =
                inbox.threads().step_states(id.clone(), step).await.map(Box::new).map_err(Failure::from);
            Msg::StepStates(id, result)
        }
        Cmd::ModelCall(id, call) => {
            Msg::ModelCall(inbox.threads().model_call(id, call).await.map(Box::new).map_err(Failure::from))
        }
        Cmd::Fork(id, step) => Msg::Forked(inbox.threads().fork(id, step).await.map_err(Failure::from)),
        Cmd::Export(id, name) => Msg::Done(export(inbox, id, &name).await),
        Cmd::Memory => Msg::Memory(inbox.memory().list().await.map_err(Failure::from)),
        Cmd::Why(id) => {
            let result = inbox.decisions().why(id.clone()).await.map_err(Failure::from);
            Msg::Why(id, result)
        }
        Cmd::ReviewEdit(id, args) => {
            let edited = inbox.decisions().edited(id.clone(), args.clone()).await.map_err(Failure::from);
            Msg::EditReviewed(id, args, edited)
        }
        Cmd::Grants => Msg::Grants(inbox.grants().list().await.map_err(Failure::from)),
        Cmd::Grant(accept, request) => {
            let id = accept.interrupt.to_string();
            let granted = inbox.decisions().accept_and_grant(accept, request).await;
            Msg::Granted(id, granted.map(|(_, grant)| grant).map_err(Failure::from))
        }
        Cmd::AcceptRemembering(accept, index) => {
            let id = accept.interrupt.to_string();
            let accepted = inbox.decisions().accept_and_remember(accept, index).await;
            Msg::Decided(DecisionKind::Accepted, vec![(id, accepted.map(|_| ()).map_err(Failure::from))])
        }
        Cmd::Revoke(id) => Msg::Revoked(inbox.grants().revoke(id).await.map_err(Failure::from)),
        Cmd::Restore(id) => Msg::Revoked(inbox.grants().restore(id).await.map_err(Failure::from)),
        Cmd::Skipped(query) => {
            let result = inbox.mail().skipped(query.clone()).await.map_err(Failure::from);
            Msg::Skipped(query, result)
        }
        Cmd::SkippedLately(since, day) => {
            Msg::SkippedLately(skipped_lately(inbox, since, day).await.map_err(Failure::from))
        }
        Cmd::Unsubscribe(thread) => Msg::Done(match inbox.mail().unsubscribe(thread).await {
            Ok(_) => Ok("The inbox asks you before it unsubscribes".to_owned()),
            Err(error) => Err(error.into()),
        }),
        Cmd::Decisions(query) => {
            let result = inbox.decisions().history(query.clone()).await.map_err(Failure::from);
            Msg::Decisions(query, result)
        }
        Cmd::DecisionLinks(line) => {
            let place = line.place;
            Msg::DecisionLinks(place, inbox.decisions().links(*line).await.map_err(Failure::from))
        }
        Cmd::DecisionEnds(query) => {
            Msg::DecisionEnds(inbox.decisions().history(query).await.map_err(Failure::from))
        }
        Cmd::Lessons => Msg::Lessons(inbox.memory().list().await.map_err(Failure::from)),
        Cmd::Reclassify(thread, class) => {
            let result = inbox.mail().reclassify(thread.clone(), class.clone()).await;
            Msg::Reclassified(thread, result.map(|_| class).map_err(Failure::from))
        }
        Cmd::Attachments(thread) => {
            let files = inbox.mail().attachments(thread.clone()).await.map_err(Failure::from);
            Msg::Attachments(thread, files)
        }
        Cmd::SaveAttached(thread, n, programs) => {
            let saved = inbox.mail().save_attachment(thread, n, downloads(), programs).await;
            Msg::Done(saved.map(|path| format!("Saved as {}", path.display())).map_err(Failure::from))
        }
        Cmd::OpenAttached(thread, n) => {
            let opened = inbox.mail().open_attachment(thread, n).await;
            Msg::Done(opened.map(|path| format!("Opened {}", path.display())).map_err(Failure::from))
        }
        Cmd::Folders(threads) => Msg::Folders(inbox.mail().folders(&threads).await.map_err(Failure::from)),
        Cmd::PutAway(threads, mail_move) => {
            let results = put_away(inbox, threads, &mail_move).await;
            Msg::PutAway(mail_move, results)
        }
        Cmd::Profile(namespace) => Msg::Profile(inbox.memory().show(namespace).await.map_err(Failure::from)),
        Cmd::ProfileVersions(namespace, purpose) => {
            Msg::ProfileVersions(purpose, inbox.memory().history(namespace).await.map_err(Failure::from))
        }
        Cmd::Remember(namespace, version, profile) => {
            let result = inbox.memory().edit(namespace, version, profile).await;
            Msg::ProfileChanged(
                result.map(|view| format!("Saved as version {}", view.newest.version)).map_err(Failure::from),
            )
        }
        Cmd::Pin(namespace, line, pinned) => {
            let result = inbox.memory().pin(namespace, line.clone(), pinned).await;
            let what = if pinned { "Pinned" } else { "No longer pinned" };
            Msg::ProfileChanged(result.map(|_| format!("{what}: {line}")).map_err(Failure::from))
        }
        Cmd::Revert(namespace, version) => {
            let result = inbox.memory().revert(namespace, version).await;
            let text = |view: MemoryView| {
                format!("Back to version {version}, saved as version {}", view.newest.version)
            };
            Msg::ProfileChanged(result.map(text).map_err(Failure::from))
        }
        Cmd::ProfileAndVersions(namespace) => {
            let result = versions(inbox, &namespace).await;
            Msg::ProfileAndVersions(namespace, result)
        }
        Cmd::Activity(query) => {
            Msg::Activity(inbox.figures().activity(query).await.map(Box::new).map_err(Failure::from))
        }
        Cmd::Usage(thread) => {
            let result = inbox.threads().usage(thread.clone()).await.map_err(Failure::from);
            Msg::Usage(thread, result)
        }
        Cmd::Storage => Msg::Storage(inbox.figures().storage().await.map_err(Failure::from)),
        Cmd::PrunePlan(query) => {
            let result = inbox.prune().plan(query.clone()).await.map_err(Failure::from);
            Msg::PrunePlan(query, result)
        }
        Cmd::Prune(query) => Msg::Pruned(inbox.prune().run(query).await.map_err(Failure::from)),
        Cmd::Drafts => Msg::Drafts(inbox.decisions().drafts().await.map_err(Failure::from)),
        Cmd::Deliver(delivery, now) => Msg::Delivered(delivery.deliver(now).map_err(|error| Failure {
            stale: false,
            text: format!("The tour's mail can't be put into the demo: {error}"),
        })),
        Cmd::Order => Msg::Order(inbox.decisions().order().await.map_err(Failure::from)),
        // If the order can't be saved, the list keeps it until the screen closes.
        Cmd::KeepOrder(order) => match inbox.decisions().keep_order(order).await {
            Ok(()) => return None,
            Err(error) => Msg::Done(Err(Failure::from(error))),
        },
        Cmd::KeepDraft(key, text) => match inbox.decisions().keep_draft(key, text).await {
            Ok(()) => return None,
            Err(error) => {
                let failure = Failure::from(error);
                let text = format!("what you typed could not be saved: {}", failure.text);
                Msg::Done(Err(Failure { text, ..failure }))
            }
        },
        Cmd::Decide(kind, requests) => Msg::Decided(kind, decide(inbox, requests).await),
        Cmd::FileAway(threads) => Msg::Decided(DecisionKind::Filed, file_away(inbox, threads).await),
        Cmd::Proceed(thread, words) => {
            let result =
                inbox.threads().proceed(thread.clone(), words).await.map(|_| ()).map_err(Failure::from);
            Msg::Decided(DecisionKind::Continued, vec![(thread.to_string(), result)])
        }
        Cmd::Undo(ids) => Msg::Undone(undo(inbox, ids).await),
        Cmd::UndoTogether(id) => Msg::Undone(undo_together(inbox, id).await),
        Cmd::UndoLast => return undo_last(inbox).await,
        Cmd::LastDecided => Msg::LastDecided(last_decided(inbox).await.map_err(Failure::from)),
        Cmd::Snooze(ids, until) => {
            let kind = until.map_or(DecisionKind::Woken, |until| DecisionKind::Snoozed { until });
            Msg::Decided(kind, snooze(inbox, ids, until).await)
        }
        Cmd::Stop(thread) => {
            let result = inbox.threads().stop(thread.clone()).await.map(|_| ()).map_err(Failure::from);
            Msg::Stopped(thread, result)
        }
        Cmd::Start(workflow, input) => {
            let started = inbox.threads().start(workflow.clone(), input).await;
            Msg::Started(workflow, started.map(|outcome| outcome.thread).map_err(Failure::from))
        }
        Cmd::Pause(paused) => Msg::Done(match inbox.pause(paused).await {
            Ok(()) if paused => Ok("Paused: nothing runs until ! resumes".to_owned()),
            Ok(()) => Ok("Resumed".to_owned()),
            Err(error) => Err(error.into()),
        }),
        Cmd::Complete(layer, typed) => {
            let text = typed.clone();
            let paths = tokio::task::spawn_blocking(move || complete(&text)).await.unwrap_or_default();
            Msg::Completions(layer, typed, paths)
        }
        Cmd::RunOwnCommand(command, card) => {
            let data = inbox.engine().store().folder().to_owned();
            let output = own_commands::run(&command, card, &data).await;
            Msg::OwnCommandRan(command.name, output)
        }
        Cmd::Copy(_)
        | Cmd::Editor(..)
        | Cmd::EditProfile(..)
        | Cmd::Pipe(..)
        | Cmd::Notice(_)
        | Cmd::Suspend
        | Cmd::Redraw
        | Cmd::Quit => return None,
    })
}

async fn card(inbox: &Inbox, id: &str) -> InboxResult<Box<LoadedCard>> {
    let (item, card) = match (InterruptId::parse(id), ThreadId::parse(id)) {
        (Ok(id), _) => inbox.decisions().card(id).await.map_err(Failure::from)?,
        (Err(_), Ok(thread)) => inbox.decisions().result(thread).await.map_err(Failure::from)?,
        (Err(_), Err(error)) => return Err(Failure { stale: false, text: error.to_string() }),
    };
    let answers = inbox.threads().answers(item.thread.clone()).await.map_err(Failure::from)?;
    Ok(Box::new(LoadedCard { item, card, answers }))
}

async fn versions(inbox: &Inbox, namespace: &str) -> InboxResult<(MemoryView, Vec<MemoryVersion>)> {
    let view = inbox.memory().show(namespace.to_owned()).await.map_err(Failure::from)?;
    let history = inbox.memory().history(namespace.to_owned()).await.map_err(Failure::from)?;
    Ok((view, history))
}

async fn thread(inbox: &Inbox, id: ThreadId) -> Result<LoadedThread, InboxError> {
    let view = inbox.threads().view(id).await?;
    let card = inbox.threads().conversation(view.id.clone()).await?;
    // A workflow that this build does not know has no graph, but its threads are shown.
    let shape = inbox.threads().graph(view.workflow.clone()).await.ok();
    Ok(LoadedThread { view, card, shape })
}

/// Writes a thread to a new file, and says where.
async fn export(inbox: &Inbox, id: ThreadId, name: &str) -> InboxResult<String> {
    let exported = service::export(inbox, id).await.map_err(Failure::from)?;
    let failed = |text: String| Failure { stale: false, text };
    let text = match Format::of(name) {
        Format::Markdown => exported.markdown(&TimeZone::system()),
        Format::Json => plain_json(&exported).map_err(|error| failed(error.to_string()))?,
    };
    let path = match (name.strip_prefix("~/"), std::env::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => Path::new(name).to_owned(),
    };
    let path = std::path::absolute(&path).unwrap_or(path);
    let shown = path.display().to_string();
    let written = tokio::task::spawn_blocking(move || service::write_new(&path, &text)).await;
    match written {
        Ok(Ok(())) => Ok(format!("Written to {shown}")),
        Ok(Err(error)) => Err(failed(error.to_string())),
        Err(_) => Err(failed(format!("writing {shown} was interrupted; try again"))),
    }
}

async fn threads(inbox: &Inbox, status: Status) -> InboxResult<Vec<ThreadLine>> {
    let filter = Query { status: Some(status), ..Query::default() };
    let query = ThreadQuery { filter, limit: MAX_THREADS, ..ThreadQuery::default() };
    inbox.threads().list(query).await.map(|page| page.rows).map_err(Failure::from)
}

async fn running(inbox: &Inbox) -> InboxResult<Vec<ThreadLine>> {
    let mut lines = threads(inbox, Status::Running).await?;
    lines.extend(threads(inbox, Status::Ready).await?);
    Ok(lines)
}

/// Items confirmed together are decided together, so that they can be undone together.
async fn decide(inbox: &Inbox, mut requests: Vec<DecisionRequest>) -> Vec<(String, InboxResult<()>)> {
    if requests.len() == 1
        && let Some(request) = requests.pop()
    {
        let id = request.interrupt.to_string();
        return vec![(id, inbox.decisions().decide(request).await.map(|_| ()).map_err(Failure::from))];
    }
    let outcomes = inbox.decisions().decide_together(requests).await;
    outcomes.into_iter().map(outcome_by_id).collect()
}

fn outcome_by_id((id, outcome): (InterruptId, Result<Outcome, InboxError>)) -> (String, InboxResult<()>) {
    (id.to_string(), outcome.map(|_| ()).map_err(Failure::from))
}

/// Where people look for saved files.
fn downloads() -> PathBuf {
    let home = std::env::home_dir().unwrap_or_else(|| PathBuf::from("."));
    let downloads = home.join("Downloads");
    if downloads.is_dir() { downloads } else { home }
}

/// Puts the mails of threads away, or back, one after the other, and waits for the driver.
async fn put_away(
    inbox: &Inbox,
    threads: Vec<ThreadId>,
    mail_move: &MailMove,
) -> Vec<(ThreadId, InboxResult<()>)> {
    let mut results = Vec::new();
    for thread in threads {
        let moved = match inbox.mail().begin_move(&thread, mail_move).await {
            Ok(by) => inbox.mail().end_move(&thread, mail_move, &by).await.map_err(Failure::from),
            Err(error) => {
                let nothing_to_do = matches!(error, InboxError::Conflict(_));
                let failure = Failure::from(error);
                Err(Failure { stale: failure.stale || nothing_to_do, ..failure })
            }
        };
        results.push((thread, moved));
    }
    results
}

async fn last_decided(inbox: &Inbox) -> Result<Option<(UndoableBatch, Vec<ItemLine>)>, InboxError> {
    let Some(last) = inbox.decisions().last_decided().await? else { return Ok(None) };
    let ids = last.interrupts.iter().map(ToString::to_string).collect();
    let lines = inbox.decisions().lines(LineQuery::Of(ids)).await?;
    Ok(Some((last, lines)))
}

async fn undo_last(inbox: &Inbox) -> Option<Msg> {
    match inbox.decisions().last_decided().await {
        Ok(Some(last)) => Some(Msg::Undone(undo_together(inbox, last.interrupts.first()?.clone()).await)),
        Ok(None) => Some(Msg::Undone(Vec::new())),
        Err(error) => Some(Msg::Done(Err(error.into()))),
    }
}

async fn snooze(
    inbox: &Inbox,
    ids: Vec<InterruptId>,
    until: Option<Timestamp>,
) -> Vec<(String, InboxResult<()>)> {
    let tasks = ids.into_iter().map(|id| async move {
        let snoozed = inbox.decisions().snooze(id.clone(), until).await;
        (id.to_string(), snoozed.map(|_| ()).map_err(Failure::from))
    });
    join_all(tasks).await
}

async fn undo_together(inbox: &Inbox, id: InterruptId) -> Vec<(String, InboxResult<()>)> {
    match inbox.decisions().undo_batch(id.clone()).await {
        Ok(outcomes) => outcomes.into_iter().map(outcome_by_id).collect(),
        Err(error) => vec![(id.to_string(), Err(error.into()))],
    }
}

async fn undo(inbox: &Inbox, ids: Vec<InterruptId>) -> Vec<(String, InboxResult<()>)> {
    let tasks = ids.into_iter().map(|id| async move {
        (id.to_string(), inbox.decisions().undo(id).await.map(|_| ()).map_err(Failure::from))
    });
    join_all(tasks).await
}

async fn file_away(inbox: &Inbox, threads: Vec<ThreadId>) -> Vec<(String, InboxResult<()>)> {
    let tasks = threads.into_iter().map(|thread| async move {
        (thread.to_string(), inbox.decisions().file_away(thread).await.map(|_| ()).map_err(Failure::from))
    });
    join_all(tasks).await
}

/// The paths that begin with the typed text; folders end with a slash.
fn complete(typed: &str) -> Vec<String> {
    let (folder, start) = match typed.rfind('/') {
        Some(slash) => typed.split_at(slash + 1),
        None => ("", typed),
    };
    let directory = match folder.strip_prefix("~/") {
        Some(rest) => match std::env::home_dir() {
            Some(home) => home.join(rest),
            None => return Vec::new(),
        },
        None => Path::new(if folder.is_empty() { "." } else { folder }).to_owned(),
    };
    let Ok(entries) = std::fs::read_dir(directory) else { return Vec::new() };
    let mut paths: Vec<String> = entries
        .filter_map(Result::ok)
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let hidden = name.starts_with('.') && !start.starts_with('.');
            if hidden || !name.starts_with(start) {
                return None;
            }
            let slash = if entry.path().is_dir() { "/" } else { "" };
            Some(format!("{folder}{name}{slash}"))
        })
        .collect();
    paths.sort();
    paths.truncate(MAX_COMPLETIONS);
    paths
}

async fn skipped_lately(
    inbox: &Inbox,
    since: Timestamp,
    day: Date,
) -> Result<(SkippedCount, bool), InboxError> {
    let count = inbox.mail().skipped_since(since).await?;
    let day = i64::from(day.since(Date::constant(1970, 1, 1)).map_or(0, |span| span.get_days()));
    // A read-only user cannot record having been told, and finds the count in Activity instead.
    let tell = count.mails > 0 && inbox.mail().tell_of_skipped(day).await.unwrap_or(false);
    Ok((count, tell))
}

#[cfg(test)]
mod tests {
    use super::complete;

    #[test]
    fn paths_are_completed() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("docs")).unwrap();
        std::fs::write(folder.path().join("dog.txt"), "").unwrap();
        std::fs::write(folder.path().join(".hidden"), "").unwrap();
        let path = |rest: &str| format!("{}/{rest}", folder.path().display());
        assert_eq!(complete(&path("do")), [path("docs/"), path("dog.txt")]);
        assert_eq!(complete(&path("")), [path("docs/"), path("dog.txt")]);
        assert_eq!(complete(&path(".h")), [path(".hidden")]);
        assert!(complete("/no/such/folder/").is_empty());
    }
}
