//! News for the line at the bottom: how a decision ended, what has come, what was learned.

use crate::graph::Kind;
use crate::inbox::{DecisionEnd, DecisionLine, DecisionPage, DecisionQuery, ItemKind, MemoryLine};
use crate::tui::actions::Action;
use crate::tui::layers::{Ask, Choice, Menu, Prompt};
use crate::tui::model::Model;
use crate::tui::msg::{Cmd, DecisionKind, InboxResult};
use crate::tui::tabs::inbox::{Row, follow};
use crate::tui::words;
use jiff::{Timestamp, ToSpan};
use serde_json::Value;
use std::collections::{BTreeMap, HashSet};
use std::time::{Duration, Instant};

/// So many decisions are looked through for those whose end is awaited.
const LATEST: usize = 100;

/// So long after a decision its lesson may still come.
const LEARNING: Duration = Duration::from_secs(180);

/// What the person has not been told yet.
#[derive(Clone, Debug, Default)]
pub struct News {
    /// Decisions of this screen that have not ended, and since when.
    pub awaited: HashSet<String>,
    since: Option<Timestamp>,
    /// Items that have come and were not read yet.
    pub arrived: HashSet<String>,
    /// What was known of each profile: its version and its lines.
    profiles: Option<BTreeMap<String, (u64, String)>>,
    /// Until when lessons are looked for.
    learning: Option<Instant>,
    /// What was learned last.
    lesson: Option<Lesson>,
}

/// A line that a profile did not have before.
#[derive(Clone, Debug)]
struct Lesson {
    namespace: String,
    /// The version that has it, and how that reads.
    version: u64,
    profile: String,
    line: String,
}

impl News {
    /// Whether something was learned since the screen was opened.
    pub fn has_lesson(&self) -> bool {
        self.lesson.is_some()
    }
}

/// Notes decisions whose end is news.
pub fn await_ends(model: &mut Model, kind: DecisionKind, ids: &[(String, String)]) -> Vec<Cmd> {
    let ends = matches!(kind, DecisionKind::Accepted | DecisionKind::Edited | DecisionKind::Drafted);
    let teaches = ends || matches!(kind, DecisionKind::Answered | DecisionKind::Ignored);
    let news = &mut model.inbox.news;
    if ends {
        news.awaited.extend(ids.iter().map(|(id, _)| id.clone()));
        news.since.get_or_insert(model.wall);
    }
    if teaches {
        news.learning = Some(model.now + LEARNING);
    }
    // What is known now, so that what is new can be told from it.
    if teaches && news.profiles.is_none() { vec![Cmd::Lessons] } else { Vec::new() }
}

/// Looks for news, where any is expected.
pub fn look(model: &mut Model) -> Vec<Cmd> {
    let news = &mut model.inbox.news;
    let mut cmds = Vec::new();
    if let Some(since) = news.since.filter(|_| !news.awaited.is_empty()) {
        // Clocks of two processes may differ a little.
        let since = since.checked_sub(1.minute()).ok();
        cmds.push(Cmd::Ends(DecisionQuery { since, limit: LATEST, ..DecisionQuery::default() }));
    }
    if news.learning.is_some_and(|until| model.now < until) {
        cmds.push(Cmd::Lessons);
    }
    cmds
}

/// Says how awaited decisions ended.
pub fn ended(model: &mut Model, result: InboxResult<DecisionPage>) -> Vec<Cmd> {
    let Ok(page) = result else { return Vec::new() };
    for line in page.decisions.iter().rev() {
        let id = line.interrupt.to_string();
        if line.end == DecisionEnd::Pending || !model.inbox.news.awaited.remove(&id) {
            continue;
        }
        let text = words::capitalized(&ending(line));
        match line.end {
            DecisionEnd::Failed | DecisionEnd::InDoubt => model.fail(text),
            DecisionEnd::Done if line.kind != Kind::Triage => model.say(text),
            _ => {}
        }
    }
    if model.inbox.news.awaited.is_empty() {
        model.inbox.news.since = None;
    }
    Vec::new()
}

/// How a decision ended, and for a mail to whom: `sent to Ines: Re: Lunch`.
fn ending(line: &DecisionLine) -> String {
    let to = line.args.get("to").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let to: Vec<&str> = to.iter().filter_map(Value::as_str).map(words::name).collect();
    match to.as_slice() {
        [to] if line.outcome == "sent" => format!("sent to {to}: {}", line.title),
        [to, more @ ..] if line.outcome == "sent" => {
            format!("sent to {to} and {} more: {}", more.len(), line.title)
        }
        _ => format!("{}: {}", line.outcome, line.title),
    }
}

/// Says what has come, once its lines are there.
pub fn tell_arrived(model: &mut Model) {
    let arrived = std::mem::take(&mut model.inbox.news.arrived);
    follow::select_next(model, &arrived);
    let rows: Vec<&Row> = model.inbox.list.all().iter().filter(|row| arrived.contains(&row.id)).collect();
    let text = match rows.as_slice() {
        [] => return,
        [row] => arrival(model, row),
        many => format!("{} new", many.len()),
    };
    if model.note.as_ref().is_none_or(|note| !note.bad) {
        model.say(text);
    }
}

fn arrival(model: &Model, row: &Row) -> String {
    let own = model.has_workflow(&row.workflow);
    match row.kind {
        ItemKind::Interrupt(Kind::Triage) => format!("New: {} · {}", row.title, row.who()),
        ItemKind::Interrupt(Kind::Trouble) => format!("Failed: {}", row.title),
        ItemKind::Result => format!("Done: {}", row.title),
        ItemKind::Interrupt(Kind::Approval) if row.action == "write_email" => {
            format!("Draft ready: {}", row.title)
        }
        ItemKind::Interrupt(Kind::Approval | Kind::Question) if own => format!("Asks you: {}", row.title),
        ItemKind::Interrupt(Kind::Approval | Kind::Question) => {
            format!("{} waits: {}", row.who(), row.title)
        }
    }
}

/// Says what was learned since the profiles were last looked at.
pub fn learned(model: &mut Model, result: InboxResult<Vec<MemoryLine>>) -> Vec<Cmd> {
    let Ok(lines) = result else { return Vec::new() };
    let now: BTreeMap<String, (u64, String)> =
        lines.into_iter().map(|line| (line.namespace, (line.version, line.profile))).collect();
    let Some(before) = model.inbox.news.profiles.replace(now.clone()) else { return Vec::new() };
    let nothing = (0, String::new());
    let new = now.iter().find_map(|(namespace, (version, profile))| {
        let (known, old) = before.get(namespace).unwrap_or(&nothing);
        let old: HashSet<&str> = old.lines().map(str::trim).collect();
        let line = profile.lines().map(str::trim).find(|line| !line.is_empty() && !old.contains(line));
        let line = line.filter(|_| version > known)?.to_owned();
        Some(Lesson { namespace: namespace.clone(), version: *version, profile: profile.clone(), line })
    });
    if let Some(lesson) = new {
        let key = model.keymap.key_of(&model.tab_scopes(), Action::LastLesson).unwrap_or_default();
        model.say(format!("Learned: {} · {key} takes it back or narrows it", shown(&lesson.line)));
        model.inbox.news.lesson = Some(lesson);
    }
    Vec::new()
}

/// A line of a profile without its bullet.
fn shown(line: &str) -> String {
    words::line(line.trim_start_matches(['-', '*', ' ']))
}

/// Offers what can be done about what was learned last.
pub fn offer(model: &mut Model) -> Vec<Cmd> {
    let Some(lesson) = &model.inbox.news.lesson else { return Vec::new() };
    let title = format!("Learned: {}", shown(&lesson.line));
    let rows = vec![
        ("take it back".to_owned(), Choice::DropLesson),
        ("narrow it: reword it …".to_owned(), Choice::NarrowLesson),
    ];
    model.push(Menu::new(title, rows));
    Vec::new()
}

/// Asks how what was learned last should read.
pub fn ask_wording(model: &mut Model) -> Vec<Cmd> {
    if let Some(lesson) = &model.inbox.news.lesson {
        let prompt = Prompt::new(Ask::Lesson, &lesson.line);
        model.push(prompt);
    }
    Vec::new()
}

/// Writes what was learned last anew, or, with no words, takes it back. A profile that has changed since is left alone.
pub fn reword(model: &mut Model, wording: &str) -> Vec<Cmd> {
    let Some(lesson) = model.inbox.news.lesson.take() else { return Vec::new() };
    let wording = wording.trim();
    let lines = lesson.profile.lines().filter_map(|line| match line.trim() == lesson.line {
        true => Some(wording).filter(|wording| !wording.is_empty()),
        false => Some(line),
    });
    let profile = lines.collect::<Vec<_>>().join("\n");
    vec![Cmd::Remember(lesson.namespace, lesson.version, profile)]
}
