//! Past decisions: the answer, who gave it, and how it ended.

use crate::graph::Kind;
use crate::inbox::{
    AnswerKind, Block, DecidedBy, DecisionEnd, DecisionLine, DecisionLinks, DecisionQuery, Page, Query,
};
use crate::service::{MailMove, action_words, name_words, profile_words};
use crate::text::{Visible, pad};
use crate::tui::card::{Doc, ScrollPosition};
use crate::tui::draw;
use crate::tui::layers::{Choice, Menu};
use crate::tui::layout::{self, Areas};
use crate::tui::model::Model;
use crate::tui::msg::{Cmd, InboxResult};
use crate::tui::tabs::activity::grants;
use crate::tui::tabs::browse::PAGE;
use crate::tui::tabs::memory;
use crate::tui::tabs::rows::{self, PlainRow};
use crate::tui::tabs::{PagedList, page};
use crate::tui::words;
use jiff::Timestamp;
use ratatui::buffer::Buffer;
use serde_json::{Map, Value};

/// The widest column of outcomes: `not sent, observe mode` fits.
const MAX_OUTCOME: usize = 24;

/// The part of the list read so far, and what it is filtered by.
#[derive(Clone, Debug, Default)]
pub struct History {
    pub list: PagedList<DecisionLine>,
    pub filter: Query,
    /// The scroll position of the selected decision's card.
    top: ScrollPosition,
}

/// Where a decision leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    Grant(String),
    /// A version of a profile.
    Lesson(String, u64),
}

impl History {
    fn query(&self, after: Option<i64>, limit: usize) -> DecisionQuery {
        DecisionQuery { filter: self.filter.clone(), after, limit, ..DecisionQuery::default() }
    }
}

/// Reads the listed rows again plus one page, so that new ones push nothing out.
pub fn read(model: &Model) -> Vec<Cmd> {
    let history = &model.inbox.history;
    vec![Cmd::Decisions(history.query(None, history.list.rows.len() + PAGE))]
}

/// Reads the next page before the end is reached.
pub fn more(model: &mut Model) -> Vec<Cmd> {
    let height = usize::from(layout::areas(model).list.height);
    let history = &mut model.inbox.history;
    match history.list.begin_next_page(height) {
        Some(after) => vec![Cmd::Decisions(history.query(Some(after), PAGE))],
        None => Vec::new(),
    }
}

/// Lists only the decisions that match.
pub fn search(model: &mut Model, filter: Query) -> Vec<Cmd> {
    model.inbox.history = History { filter, ..History::default() };
    read(model)
}

/// Selects a row, or the last one if there are fewer.
pub fn select(model: &mut Model, row: usize) -> Vec<Cmd> {
    let history = &mut model.inbox.history;
    history.list.cursor = row.min(history.list.rows.len().saturating_sub(1));
    history.top = ScrollPosition::default();
    more(model)
}

/// Scrolls the card of the selected decision by lines.
pub fn scroll(model: &mut Model, by: isize) {
    let Areas { card: area, .. } = layout::areas(model);
    let (width, height) = (usize::from(area.width), usize::from(area.height));
    let Some(doc) = model.inbox.history.list.selected().map(|line| card(model, line)) else { return };
    let top = &mut model.inbox.history.top;
    *top = match usize::try_from(by) {
        Ok(down) => doc.down(*top, down, width, height),
        Err(_) => doc.up(*top, by.unsigned_abs(), width),
    };
}

/// The sender or agent that the selected decision answered.
pub fn sender(model: &Model) -> Option<&str> {
    model.inbox.history.list.selected()?.source.as_deref()
}

/// Lists only decisions for the same sender or agent.
pub fn search_sender(model: &mut Model) -> Vec<Cmd> {
    let filter = sender(model).map(Query::of_sender);
    filter.map_or_else(Vec::new, |filter| search(model, filter))
}

/// The selected line, if it is about a mail that was moved.
pub fn moved(model: &Model) -> Option<&DecisionLine> {
    let line = model.inbox.history.list.selected().filter(|_| model.shows_history())?;
    (line.answer == AnswerKind::Move).then_some(line)
}

/// Puts the selected mail back where it was, with its card.
pub fn put_back(model: &mut Model) -> Vec<Cmd> {
    let thread = moved(model).map(|line| line.thread.clone());
    thread.map(|thread| Cmd::PutAway(vec![thread], MailMove::Back)).into_iter().collect()
}

/// Asks for the grants behind the selected decision, and what was learned from it.
pub fn ask_links(model: &mut Model) -> Vec<Cmd> {
    let line = model.inbox.history.list.selected().cloned();
    line.map(|line| Cmd::DecisionLinks(Box::new(line))).into_iter().collect()
}

/// Goes to the grant or lesson of the selected decision; if there are several, offers a choice.
pub fn linked(model: &mut Model, place: i64, result: InboxResult<DecisionLinks>) -> Vec<Cmd> {
    let Some(links) = model.ok_or_fail(result) else { return Vec::new() };
    let line = model.inbox.history.list.selected().filter(|line| line.place == place);
    let Some(by) = line.filter(|_| model.layers.is_empty()).map(|line| line.by.clone()) else {
        return Vec::new();
    };
    let ended = links.grants.iter().find(|grant| !grants::is_listed(grant));
    let only_ended = ended.filter(|_| links.lessons.is_empty() && links.grants.len() == 1);
    let nothing_stored = links.lessons.iter().all(|lesson| lesson.version.is_none());
    let mut rows = places(&links);
    match (rows.len(), only_ended) {
        (0, Some(grant)) => {
            model.say(format!(
                "Its grant is no longer in force: {}, {}",
                name_words(&grant.tool),
                grant.scope
            ));
        }
        (0, None) => model.say(match by {
            Some(DecidedBy::Tui | DecidedBy::Cli) if !links.lessons.is_empty() && nothing_stored => {
                "You decided this yourself; nothing has been stored of what it teaches"
            }
            Some(DecidedBy::Tui | DecidedBy::Cli) => {
                "You decided this yourself, and nothing was learned from it"
            }
            Some(DecidedBy::Grant(_)) => "The grant that took it is not listed any more",
            Some(DecidedBy::Expiry) => "Nobody decided this: it expired",
            None => "This leads nowhere else · 3 shows what was learned",
        }),
        (1, _) => return rows.pop().map_or_else(Vec::new, |(_, place)| go_to(model, place)),
        _ => {
            let rows = rows.into_iter().map(|(text, place)| (text, Choice::GoTo(place))).collect();
            model.push(Menu::new("Behind this decision", rows));
        }
    }
    Vec::new()
}

pub fn go_to(model: &mut Model, place: Place) -> Vec<Cmd> {
    match place {
        Place::Grant(id) => grants::show(model, id),
        Place::Lesson(namespace, version) => memory::show_version(model, namespace, version),
    }
}

/// Where a decision leads, each with its text.
fn places(links: &DecisionLinks) -> Vec<(String, Place)> {
    let listed = links.grants.iter().filter(|grant| grants::is_listed(grant));
    let grants = listed.map(|grant| {
        let text = format!("grant: {}, {}", name_words(&grant.tool), words::line(&grant.scope));
        (text, Place::Grant(grant.id.clone()))
    });
    let lessons = links.lessons.iter().filter_map(|lesson| {
        let text = format!("learned: {}, version {}", profile_words(&lesson.namespace), lesson.version?);
        Some((text, Place::Lesson(lesson.namespace.clone(), lesson.version?)))
    });
    grants.chain(lessons).collect()
}

pub fn listed(model: &mut Model, query: &DecisionQuery, result: InboxResult<Page<DecisionLine>>) -> Vec<Cmd> {
    let history = &mut model.inbox.history;
    if history.query(query.after, query.limit) != *query {
        return Vec::new();
    }
    match result {
        Ok(page) => history.list.put(query.after, page.rows, page.next, |line| Some(line.place)),
        Err(failure) => {
            history.list.reading = false;
            model.fail(failure.text);
        }
    }
    Vec::new()
}

pub fn draw(model: &Model, areas: &Areas, buf: &mut Buffer) {
    let list = &model.inbox.history.list;
    if list.rows.is_empty() {
        let (what, next) = match (list.read, model.inbox.history.filter.is_empty()) {
            (false, _) => ("Looking …", ""),
            (true, true) => ("Nothing has been decided yet.", "gi shows what waits."),
            (true, false) => ("No decision matches.", "Esc shows all of them."),
        };
        return draw::message(&model.theme, areas.list, buf, what, next);
    }
    let outcomes: Vec<String> = list.rows.iter().map(|line| words::line(&line.outcome)).collect();
    let outcome_width = rows::lead_width(outcomes.iter().map(String::as_str), MAX_OUTCOME);
    let row = |(line, outcome): (&DecisionLine, &String)| PlainRow {
        lead: pad(outcome, outcome_width),
        style: model.theme.end(line.end),
        text: match &line.source {
            Some(source) => format!("{} · {}", words::line(&line.title), words::line(source)),
            None => words::line(&line.title),
        },
        note: None,
        end: words::age(line.at, model.wall),
    };
    rows::draw(model, list, areas.list, buf, list.rows.iter().zip(&outcomes).map(row));
    let Some(line) = list.selected().filter(|_| !areas.card.is_empty()) else { return };
    page::draw(model, &card(model, line), model.inbox.history.top, areas, buf);
}

fn card(model: &Model, line: &DecisionLine) -> Doc {
    let format_time = |at: Timestamp| {
        at.to_zoned(model.options.time_zone.clone()).strftime("%a %d %b %Y, %H:%M").to_string()
    };
    let at = format_time(line.at);
    let until = line.args.get("until").filter(|_| line.answer == AnswerKind::Snooze);
    let until =
        until.and_then(Value::as_str).and_then(|until| until.parse::<Timestamp>().ok()).map(format_time);
    let by = line.by.as_ref().map_or_else(|| "you".to_owned(), DecidedBy::words);
    let action = action_words(&line.workflow, &line.action);
    let answer: &str = line.answer.into();
    let mut fields =
        vec![("decided", at.as_str()), ("by", &by), ("answer", answer), ("outcome", &line.outcome)];
    fields.extend(until.as_deref().map(|until| ("until", until)));
    fields.extend(line.source.as_deref().map(|source| ("from", source)));
    if line.kind.is_some_and(|kind| kind != Kind::Trouble) {
        fields.push(("asked for", &action));
    }
    let to_field = |(name, value): (&str, &str)| (Visible::line(name), Visible::line(value));
    let mut blocks = vec![Block::Fields(fields.into_iter().map(to_field).collect())];
    if let Some(text) = &line.text {
        blocks.push(Block::Heading(Visible::line("Your words")));
        blocks.push(Block::Text(Visible::new(text)));
    }
    blocks.extend(contents(line));
    let keys = "t thread · w why it was asked · gb grant or lesson · = same sender · / search";
    let more = match (line.answer, line.end) {
        (AnswerKind::Move, DecisionEnd::Done) => " · M put it back",
        _ if line.workflow == "email" => " · C reclassify",
        _ => "",
    };
    blocks.push(Block::Text(Visible::new(&format!("{keys}{more}"))));
    Doc::page(&line.title, &line.workflow, blocks)
}

/// What was decided on, such as a mail; the outcome says whether it was sent. Short values as fields, texts in full.
fn contents(line: &DecisionLine) -> Vec<Block> {
    let is_proposal =
        line.answer != AnswerKind::Snooze && line.kind.is_some_and(|kind| kind != Kind::Trouble);
    let is_shown = |args: &&Map<String, Value>| is_proposal && !args.is_empty();
    let Some(args) = line.args.as_object().filter(is_shown) else { return Vec::new() };
    let title = match (line.answer, line.end) {
        (AnswerKind::Edit, _) => "As you changed it",
        (AnswerKind::Draft, DecisionEnd::Done) => "What was saved",
        _ => "As it was proposed",
    };
    let shown = args.iter().map(|(name, value)| (name, value, words::value(value)));
    let shown = shown.filter(|(_, raw, value)| !raw.is_null() && !value.as_str().is_empty());
    let shown = shown.map(|(name, _, value)| (name, value));
    let (long, short): (Vec<_>, Vec<_>) = shown.partition(|(_, value)| value.as_str().contains('\n'));
    let mut blocks = vec![Block::Heading(Visible::line(title))];
    blocks.push(Block::Fields(short.into_iter().map(|(name, value)| (Visible::line(name), value)).collect()));
    blocks.extend(long.into_iter().map(|(_, value)| Block::Text(value)));
    blocks
}
