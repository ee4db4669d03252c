//! News for the line above the footer: how a decision ended, what arrived, what was learned. How decisions ended is read
//! back from the store.

use crate::engine::graph::{Kind, ThreadId};
use crate::inbox::door::Inbox;
use crate::inbox::{
    AnswerKind, Coming, DecidedBy, DecisionEnd, DecisionLine, DecisionQuery, ItemKind, ItemLine, ItemStamp,
    ItemStatus, MemoryItem, MemoryRow, Page, Query, RowChange, RowKey,
};
use crate::text::when::Past;
use crate::text::{count_noun, truncate, width};
use crate::tui::layers::{Choice, Menu, Prompt};
use crate::tui::model::{DecisionKind, InboxResult, Lesson, Model, OwnLetter, Profiles, Report, Wanted};
use crate::tui::tabs::inbox::follow;
use crate::tui::tabs::memory;
use crate::tui::{layout, words};
use jiff::ToSpan;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

/// How many decisions are searched for those whose end is awaited.
const MAX_DECISIONS: usize = 100;

/// How many decisions are shown beside the items.
const MAX_LATELY: usize = 40;

/// How long after a decision its lesson may still come.
const LESSON_WAIT: Duration = Duration::from_secs(180);

/// How long after its mail was put back a card may still come.
const RETURN_WAIT: Duration = Duration::from_secs(30);

/// Notes decisions whose end is news.
pub fn await_ends(model: &mut Model, kind: DecisionKind, ids: &[String]) {
    let has_end = matches!(kind, DecisionKind::Accepted | DecisionKind::Edited | DecisionKind::Drafted);
    let teaches = has_end
        || matches!(
            kind,
            DecisionKind::Written | DecisionKind::Answered | DecisionKind::Refused | DecisionKind::Ignored
        );
    let news = &mut model.inbox.news;
    if has_end {
        news.awaited.extend(ids.iter().cloned());
        news.since.get_or_insert(model.wall);
    }
    if teaches {
        news.learning = Some(model.now + LESSON_WAIT);
        news.lessons = 0;
    }
    // Reads what is known now, so that we can tell what is new later.
    if teaches && news.memory.is_none() {
        read_lessons(model);
    }
}

/// Notes decisions of an earlier screen that are still held; says whether there are any.
pub fn await_held(model: &mut Model, all: &[ItemStamp]) -> bool {
    let news = &mut model.inbox.news;
    for item in all {
        if let ItemStatus::Held { since, .. } = item.status {
            news.awaited.insert(item.id.clone());
            // Other questions of its thread may have been answered long before the last one.
            let since = since.checked_sub(24.hours()).unwrap_or(since);
            news.since = Some(news.since.map_or(since, |first| first.min(since)));
        }
    }
    !news.awaited.is_empty()
}

/// Looks for news if any is expected, and for the decisions of the last day if there is room to show them.
pub fn look(model: &mut Model) {
    let news = &model.inbox.news;
    let learns = news.learning.is_some_and(|until| model.now < until);
    let letter = model.inbox.own_letter.as_ref().map(|letter| letter.begun);
    let awaited = news.since.filter(|_| !news.awaited.is_empty()).into_iter().chain(letter).min();
    // The clocks of two processes may differ a little.
    let awaited = awaited.and_then(|since| since.checked_sub(1.minute()).ok());
    let shown = model.wall.checked_sub(24.hours()).ok().filter(|_| layout::shows_lately(model));
    let limit = if awaited.is_some() { MAX_DECISIONS } else { MAX_LATELY };
    if let Some(since) = awaited.into_iter().chain(shown).min() {
        let filter = Query { newer: Some(Past::At(since)), ..Query::default() };
        let query = DecisionQuery { filter, only_answers: false, limit, after: None };
        model.start(async move |inbox: Inbox| inbox.decisions().history(query).await, read_back);
    }
    if learns {
        read_lessons(model);
    }
}

/// Reads what was learned, to see what is new.
fn read_lessons(model: &mut Model) {
    model.start(async |inbox: Inbox| inbox.memory().list().await, learned);
}

/// What was decided was read back: tells which awaited decisions have ended.
fn read_back(model: &mut Model, result: InboxResult<Page<DecisionLine>>) {
    let Ok(page) = result else { return };
    let is_answer = |line: &&DecisionLine| line.answer != AnswerKind::Snooze;
    let answers = page.rows.iter().filter(is_answer);
    let answers = answers.filter_map(|line| Some((line.interrupt.as_ref()?.to_string(), line)));
    // An earlier answer to the same question was undone.
    let mut answered = HashSet::new();
    let newest = answers.filter(|(id, _)| answered.insert(id.clone()));
    let news = &mut model.inbox.news;
    let mut ended: Vec<&DecisionLine> = Vec::new();
    for (id, line) in newest {
        if line.end != DecisionEnd::Pending && news.awaited.remove(&id) {
            ended.push(line);
        }
    }
    if news.awaited.is_empty() {
        news.since = None;
    }
    let letter = model.inbox.own_letter.as_ref();
    let own = letter.and_then(|letter| page.rows.iter().find(|line| sends(line, letter)));
    if let Some(line) = own.filter(|line| line.end != DecisionEnd::Pending) {
        ended.push(line);
        model.inbox.own_letter = None;
    }
    if let Some(report) = report_of(&ended, &model.inbox.names) {
        model.report_end(report);
    }
    if layout::shows_lately(model) {
        model.inbox.lately = page.rows;
        model.inbox.lately.truncate(MAX_LATELY);
    }
}

/// Whether this is the decision to send a mail of the user's own. A grant takes it, because they wrote the mail.
fn sends(line: &DecisionLine, letter: &OwnLetter) -> bool {
    let is_by_grant = matches!(line.by, Some(DecidedBy::Grant(_)));
    is_by_grant && line.thread == letter.thread && line.at >= letter.begun
}

/// How these decisions ended, newest first. A failure is told before anything else.
fn report_of(ended: &[&DecisionLine], names: &HashMap<String, String>) -> Option<Report> {
    let has_failed = |line: &&&DecisionLine| matches!(line.end, DecisionEnd::Failed | DecisionEnd::InDoubt);
    let line = ended.iter().find(has_failed).or(ended.first())?;
    let same = ended.iter().filter(|other| (other.end, &other.outcome) == (line.end, &line.outcome)).count();
    let text = match same {
        1 => told(line, names),
        many => words::capitalized(&format!("{}: {}", line.outcome, count_noun(many, "item"))),
    };
    Some(Report { end: line.end, text: words::line(&text), at: line.ended_at.unwrap_or(line.at) })
}

/// What became of a decision, and of whom: `Sent to Ines`.
pub fn told(line: &DecisionLine, names: &HashMap<String, String>) -> String {
    let people = words::recipients(&line.args, names);
    match people.filter(|_| line.outcome == "sent") {
        Some(people) => format!("Sent to {people}"),
        None => {
            let follows = Coming::follows(&line.action, &line.outcome);
            words::capitalized(&format!("{}: “{}”{follows}", line.outcome, line.title))
        }
    }
}

/// Says what arrived, once its lines have been read.
pub fn tell_arrived(model: &mut Model) {
    let arrived = std::mem::take(&mut model.inbox.news.arrived);
    // Items that are not read yet are announced once their lines are there.
    let (arrived, unread): (HashSet<String>, HashSet<String>) = {
        let read_ids: HashSet<&str> = model.inbox.list.all().iter().map(|row| row.id.as_str()).collect();
        arrived.into_iter().partition(|id| read_ids.contains(id.as_str()))
    };
    model.inbox.news.arrived = unread;
    follow::select_next(model, &arrived);
    // A user who stopped a thread has been told.
    let is_news = |row: &&ItemLine| arrived.contains(&row.id) && row.action != "stopped";
    let rows: Vec<&ItemLine> = model.inbox.list.all().iter().filter(is_news).collect();
    // What came a moment ago is counted too while the note about it is shown.
    let (note, announced) = &model.inbox.news.last_arrivals;
    let is_note_shown = model.note.as_ref().is_some_and(|shown| shown.text == *note);
    let mut announced = if is_note_shown { announced.clone() } else { HashSet::new() };
    announced.extend(rows.iter().map(|row| row.id.clone()));
    let mut counted = model.inbox.list.all().iter().filter(|row| announced.contains(&row.id));
    let all_back = counted.all(|row| comes_back(model, row));
    let text = match rows.as_slice() {
        [] => return,
        [row] if announced.len() == 1 => arrival(model, row),
        _ if all_back => format!("Put back: {}", count_noun(announced.len(), "mail")),
        _ => format!("{} new", announced.len()),
    };
    // The list shows it, too; how long something can be stopped does not wait.
    if model.note.as_ref().is_none_or(|note| !note.is_error) && !model.is_held() {
        model.say(text);
        let note = model.note.as_ref().map(|note| note.text.clone());
        model.inbox.news.last_arrivals = (note.unwrap_or_default(), announced);
    }
}

/// Notes mail that was put back: its cards come again, and are not new.
pub fn await_return(model: &mut Model, threads: &[ThreadId]) {
    let is_open = |thread: &ThreadId| {
        model.inbox.list.all().iter().any(|row| row.thread == *thread && !row.is_decided())
    };
    let threads = threads.iter().filter(|thread| !is_open(thread)).cloned().collect();
    model.inbox.news.returning = Some((threads, model.now + RETURN_WAIT));
}

/// Whether a card is there again because its mail was put back.
fn comes_back(model: &Model, row: &ItemLine) -> bool {
    let returning = model.inbox.news.returning.as_ref();
    returning.is_some_and(|(threads, until)| model.now < *until && threads.contains(&row.thread))
}

fn arrival(model: &Model, row: &ItemLine) -> String {
    if comes_back(model, row) {
        return format!("Put back: “{}”", row.title);
    }
    let is_own = model.has_workflow(&row.workflow);
    match row.kind {
        ItemKind::Question(Kind::Triage) => format!("New: {} · {}", row.title, row.who()),
        ItemKind::Question(Kind::Trouble) => format!("Failed: {}", row.title),
        ItemKind::Result => format!("Done: {}", row.title),
        ItemKind::Question(Kind::Approval) if row.action == "write_email" => {
            let ready = if row.allow.accept { "ready" } else { "to finish" };
            format!("Draft {ready}: {}", row.title)
        }
        ItemKind::Question(Kind::Approval | Kind::Question) if is_own => {
            format!("Waits for you: {}", row.title)
        }
        ItemKind::Question(Kind::Approval | Kind::Question) => {
            format!("{} waits: {}", row.who(), row.title)
        }
    }
}

/// Says what was learned since the memory was last read.
fn learned(model: &mut Model, result: InboxResult<Vec<MemoryItem>>) {
    let Ok(items) = result else { return };
    let (mut profiles, mut rows) = (BTreeMap::new(), Vec::new());
    for item in items {
        match item {
            MemoryItem::Profile(line) => {
                profiles.insert(line.namespace, (line.version, line.profile));
            }
            MemoryItem::Row(line) => rows.push(line.row),
        }
    }
    let Some(before) = model.inbox.news.memory.replace((profiles.clone(), rows.clone())) else { return };
    let was = |key: &RowKey| before.1.iter().find(|row| row.key == *key);
    // What a person set by hand comes from no decision, and is no news to them.
    let is_new = |row: &&MemoryRow| {
        !row.decisions.is_empty() && was(&row.key).is_none_or(|was| was.answer != row.answer)
    };
    let new_rows: Vec<&MemoryRow> = rows.iter().filter(is_new).collect();
    let dropped = before.1.iter().find(|row| rows.iter().all(|now| now.key != row.key));
    let lines = new_lines(&before.0, &profiles);
    let count = new_rows.len() + lines.len();
    let Some(lesson) = new_rows.last().map(|&row| Lesson::Row(row.clone())).or(lines.into_iter().next())
    else {
        if let Some(row) = dropped {
            model.report_also(DecisionEnd::Undone, format!("No longer: {}", row.sentence()));
        }
        return;
    };
    model.inbox.news.lessons += count as u64;
    let is_corrected = matches!(&lesson, Lesson::Row(row) if was(&row.key).is_some());
    let (intro, hint) = match model.inbox.news.lessons {
        _ if is_corrected => ("Corrected".to_owned(), "<last_lesson> takes it back"),
        0 | 1 => ("Learned".to_owned(), "<last_lesson> takes it back"),
        many => (format!("Learned {many} things, among them"), "<last_lesson> takes that one back"),
    };
    let hint = model.spell(hint);
    // A long lesson must not cut off the hint, nor what else stands on the line.
    let room = usize::from(model.size.0).saturating_sub(width(&intro) + width(&hint) + 24).max(24);
    let text = format!("{intro}: {} · {hint}", truncate(&sentence(&lesson), room));
    model.report_also(DecisionEnd::Done, text);
    model.inbox.news.lesson = Some(lesson);
}

/// A new line of each profile that has a new version.
fn new_lines(before: &Profiles, now: &Profiles) -> Vec<Lesson> {
    let missing = (0, String::new());
    let new_line = |(namespace, (version, profile)): (&String, &(u64, String))| {
        let (old_version, old) = before.get(namespace).unwrap_or(&missing);
        let old: HashSet<&str> = old.lines().map(str::trim).collect();
        let line = profile.lines().map(str::trim).find(|line| !line.is_empty() && !old.contains(line));
        let line = line.filter(|_| version > old_version)?.to_owned();
        let (namespace, profile) = (namespace.clone(), profile.clone());
        Some(Lesson::Line { namespace, version: *version, profile, line })
    };
    now.iter().filter_map(new_line).collect()
}

fn sentence(lesson: &Lesson) -> String {
    match lesson {
        Lesson::Line { line, .. } => without_bullet(line),
        Lesson::Row(row) => words::line(&row.sentence()),
    }
}

/// A line of a profile without its bullet.
fn without_bullet(line: &str) -> String {
    words::line(line.trim_start_matches(['-', '*', ' ']))
}

/// Offers to take back or change the last lesson.
pub fn offer(model: &mut Model) {
    let Some(lesson) = &model.inbox.news.lesson else { return };
    let title = format!("Learned: {}", sentence(lesson));
    let rows = match lesson {
        Lesson::Line { .. } => vec![
            Choice::new("take it back", |model| reword(model, "")),
            Choice::new("reword it …", ask_wording),
        ],
        Lesson::Row(row) => {
            let (dropped, shown) = (row.key.clone(), row.key.clone());
            vec![
                Choice::new("take it back", move |model| drop_row(model, dropped)),
                Choice::new("show it in Memory", move |model| memory::show(model, Wanted::Row(shown))),
            ]
        }
    };
    model.push(Menu::new(title, rows));
}

fn drop_row(model: &mut Model, key: RowKey) {
    model.inbox.news.lesson = None;
    model.inbox.news.lessons = 0;
    let work = async move |inbox: Inbox| inbox.memory().change_row(key, RowChange::Deleted).await;
    model.start(work, |model, result| {
        model.ok_or_fail(result);
        read_lessons(model);
    });
}

/// Asks how the last lesson should read.
fn ask_wording(model: &mut Model) {
    let Some(Lesson::Line { line, .. }) = &model.inbox.news.lesson else { return };
    let what = ("learn ", "how it should read; leave it empty to take it back", "save it");
    model.push(Prompt::new(what, &line.clone(), |model, prompt| {
        reword(model, prompt.text());
        Ok(())
    }));
}

/// Rewords the last lesson, or takes it back if the wording is empty. A profile that has changed since is left alone.
fn reword(model: &mut Model, wording: &str) {
    let lesson = model.inbox.news.lesson.take_if(|lesson| matches!(lesson, Lesson::Line { .. }));
    let Some(Lesson::Line { namespace, version, profile, line }) = lesson else { return };
    // The new wording is not one more lesson.
    model.inbox.news.lessons = 0;
    let wording = wording.trim();
    let lines = profile.lines().filter_map(|one| {
        if one.trim() == line { Some(wording).filter(|wording| !wording.is_empty()) } else { Some(one) }
    });
    let reworded = lines.collect::<Vec<_>>().join("\n");
    memory::remember(model, namespace, version, &profile, reworded);
}
