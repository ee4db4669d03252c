//! Past decisions: the answer, who gave it, and how it ended.

use super::away;
use crate::engine::graph::{Kind, ThreadId};
use crate::inbox::door::{Inbox, action_words, name_words, profile_words};
use crate::inbox::{AnswerKind, Block, DecidedBy, DecisionEnd, DecisionLine, DecisionLinks, Place, Query};
use crate::text::Visible;
use crate::tui::actions::Action;
use crate::tui::card::{Doc, ScrollPosition};
use crate::tui::draw;
use crate::tui::layers::{Choice, Menu, Prompt};
use crate::tui::layout::{self, Areas};
use crate::tui::model::{History, Model, PAGE, Seen, Wanted};
use crate::tui::tabs::activity::grants;
use crate::tui::tabs::pane::{Cursor, Does, NO_NEXT_MATCH, Pane, named, open_page, page_size, when};
use crate::tui::tabs::rows::{self, PlainRow};
use crate::tui::tabs::{memory, page};
use crate::tui::words;
use jiff::Timestamp;
use ratatui::buffer::Buffer;
use serde_json::{Map, Value};

/// The list of past decisions.
pub struct Decided;

impl Pane for Decided {
    fn does(&self, model: &Model, action: Action) -> Option<Does> {
        Some(match action {
            Action::Open => when(selected(model).is_some(), "", open_page),
            Action::Behind => {
                let why = "Past decisions have grants and lessons · <show_decisions> lists them";
                when(selected(model).is_some(), why, ask_links)
            }
            Action::PutBack => {
                let is_moved = selected(model).is_some_and(|line| line.answer == AnswerKind::Move);
                when(
                    is_moved,
                    "Only mail that was moved can be put back · <show_decisions> lists it",
                    put_back,
                )
            }
            Action::MarkSame => {
                let has_sender = selected(model).is_some_and(|line| line.source.is_some());
                when(has_sender, "This one names no sender", search_sender)
            }
            Action::Search | Action::Narrow => Ok(ask_search),
            Action::SearchNext | Action::SearchPrevious => Err(NO_NEXT_MATCH),
            _ => return None,
        })
    }

    /// Reads the rows down to the selected one again plus one page, so that new ones don't push it out.
    fn read(&self, model: &mut Model) {
        read(model, None, model.inbox.history.list.cursor + PAGE);
    }

    fn list<'m>(&self, model: &'m mut Model) -> Option<&'m mut dyn Cursor> {
        Some(&mut model.inbox.history.list)
    }

    /// Reads the next page before the end is reached.
    fn selected(&self, model: &mut Model) {
        let height = usize::from(layout::areas(model).list.height);
        let history = &mut model.inbox.history;
        history.top = ScrollPosition::default();
        if let Some(after) = history.list.begin_next_page(height) {
            read(model, Some(after), PAGE);
        }
    }

    fn clear(&self, model: &mut Model) -> bool {
        let is_filtered = !model.inbox.history.filter.is_empty();
        if is_filtered {
            search(model, Query::default());
        }
        is_filtered
    }

    fn scroll(&self, model: &mut Model, by: isize) {
        let Some(doc) = selected(model).map(|line| card(model, line)) else { return };
        model.inbox.history.top = page::scrolled(&doc, model.inbox.history.top, by, page_size(model));
    }

    fn draw(&self, model: &Model, areas: &Areas, buf: &mut Buffer) -> Seen {
        draw_list(model, areas, buf);
        Seen::default()
    }

    fn footer(&self, _model: &Model) -> Vec<(Action, String)> {
        named([
            (Action::OpenThread, "thread"),
            (Action::PutBack, "put it back"),
            (Action::Behind, "grant or lesson"),
            (Action::MarkSame, "same sender"),
            (Action::Why, "why"),
        ])
    }

    fn thread(&self, model: &Model) -> Option<ThreadId> {
        selected(model).map(|line| line.thread.clone())
    }

    fn about(&self, model: &Model) -> Option<(String, String, &'static str)> {
        let line = selected(model)?;
        let id = line.interrupt.as_ref().map_or_else(|| line.thread.to_string(), ToString::to_string);
        Some((id, words::line(&line.title), "Why it was asked"))
    }

    fn mail(&self, model: &Model) -> Option<(ThreadId, String)> {
        let line = selected(model).filter(|line| line.workflow == "email")?;
        Some((line.thread.clone(), words::line(&line.title)))
    }

    fn filters(&self, model: &Model) -> Vec<String> {
        let filter = Some(&model.inbox.history.filter).filter(|filter| !filter.is_empty());
        filter.map(|filter| format!("searching `{}`", words::line(&filter.typed))).into_iter().collect()
    }
}

fn selected(model: &Model) -> Option<&DecisionLine> {
    model.inbox.history.list.selected()
}

fn read(model: &mut Model, after: Option<i64>, limit: usize) {
    let query = model.inbox.history.query(after, limit);
    let asked = query.clone();
    let work = async move |inbox: Inbox| inbox.decisions().history(query).await;
    model.start(work, move |model, result| {
        let history = &mut model.inbox.history;
        // The list may be filtered by something else by now.
        if history.query(asked.after, asked.limit) != asked {
            return;
        }
        history.list.reading = false;
        if let Some(page) = model.ok_or_fail(result) {
            model.inbox.history.list.put(asked.after, page.rows, page.next, |line| Some(line.seq));
        }
    });
}

/// Asks what to list.
fn ask_search(model: &mut Model) {
    let what = ("/", &*Place::Decisions.hint(), "search");
    let typed = model.inbox.history.filter.typed.clone();
    model.push(Prompt::new(what, &typed, |model, prompt| {
        let query = Query::parse(prompt.text(), Place::Decisions, &model.local_time())?;
        search(model, query);
        Ok(())
    }));
}

/// Lists only the decisions that match.
pub fn search(model: &mut Model, filter: Query) {
    model.inbox.history = History { filter, ..History::default() };
    Decided.read(model);
}

/// Lists only decisions for the same sender or agent.
fn search_sender(model: &mut Model) {
    let filter = selected(model).and_then(|line| line.source.as_deref()).map(Query::of_sender);
    if let Some(filter) = filter {
        search(model, filter);
    }
}

/// Puts the selected mail back where it was, with its card.
fn put_back(model: &mut Model) {
    if let Some(thread) = Decided.thread(model) {
        away::put_back(model, vec![thread]);
    }
}

/// Goes to the grant behind the selected decision, or to what was learned from it; if there are several, offers a choice.
fn ask_links(model: &mut Model) {
    let Some(line) = selected(model).cloned() else { return };
    let (place, by) = (line.seq, line.by.clone());
    let work = async move |inbox: Inbox| inbox.decisions().links(line).await;
    model.read(work, move |model, links| {
        let is_selected = selected(model).is_some_and(|line| line.seq == place);
        if is_selected && model.layers.is_empty() {
            linked(model, by, &links);
        }
    });
}

fn linked(model: &mut Model, by: Option<DecidedBy>, links: &DecisionLinks) {
    let ended = links.grants.iter().find(|grant| !grants::is_listed(grant));
    let only_ended = ended.filter(|_| links.lessons.is_empty() && links.grants.len() == 1);
    let nothing_stored = links.lessons.iter().all(|lesson| lesson.version.is_none());
    let rows = places(links);
    match (rows.len(), only_ended) {
        (0, Some(grant)) => {
            let tool = name_words(&grant.tool);
            model.say(format!("Its grant is no longer in force: {tool}, {}", grant.scope));
        }
        (0, None) => model.refuse(match by {
            Some(DecidedBy::Tui | DecidedBy::Cli) if !links.lessons.is_empty() && nothing_stored => {
                "You decided this yourself; what was learned from it hasn't been stored yet"
            }
            Some(DecidedBy::Tui | DecidedBy::Cli) => {
                "You decided this yourself, and nothing was learned from it"
            }
            Some(DecidedBy::Grant(_)) => "The grant that allowed it is no longer listed",
            Some(DecidedBy::Expiry) => "Nobody decided this: it expired",
            None => "No grant or lesson belongs to this one · <memory> shows what was learned",
        }),
        (1, _) => rows.into_iter().for_each(|row| row.choose(model)),
        _ => model.push(Menu::new("Behind this decision", rows)),
    }
}

/// Where a decision leads.
fn places(links: &DecisionLinks) -> Vec<Choice> {
    let listed = links.grants.iter().filter(|grant| grants::is_listed(grant));
    let grants = listed.map(|grant| {
        let (text, id) =
            (format!("grant: {}, {}", name_words(&grant.tool), words::line(&grant.scope)), grant.id.clone());
        Choice::new(text, move |model| grants::show(model, id))
    });
    let lessons = links.lessons.iter().filter_map(|lesson| {
        let (namespace, version) = (lesson.namespace.clone(), lesson.version?);
        let text = format!("learned: {}, version {version}", profile_words(&namespace));
        Some(Choice::new(text, move |model| memory::show(model, Wanted::Version(namespace, version))))
    });
    let rows = links.rows.iter().map(|key| {
        let (text, key) = (format!("learned: a row about {}", words::line(&key.words())), key.clone());
        Choice::new(text, move |model| memory::show(model, Wanted::Row(key)))
    });
    grants.chain(lessons).chain(rows).collect()
}

fn draw_list(model: &Model, areas: &Areas, buf: &mut Buffer) {
    let list = &model.inbox.history.list;
    if list.rows.is_empty() {
        let (what, next) = match (list.read, model.inbox.history.filter.is_empty()) {
            (false, _) => ("Looking …", ""),
            (true, true) => ("Nothing has been decided yet.", "<show_all> shows what waits."),
            (true, false) => ("No decision matches.", "<clear> shows all of them."),
        };
        return draw::message(&model.theme, areas.list, buf, what, &model.spell(next));
    }
    let row = |line: &DecisionLine| {
        let source = line.source.as_deref().map(|source| format!(" · {}", words::name(source)));
        PlainRow {
            lead: model.options.glyphs.of_end(line.end).to_owned(),
            style: model.theme.end(line.end),
            text: words::line(&line.title),
            note: Some(words::line(&format!("{}{}", line.outcome, source.unwrap_or_default()))),
            end: words::age(line.at, model.wall),
        }
    };
    rows::draw(model, list, areas.list, buf, list.rows.iter().map(row));
    let Some(line) = selected(model).filter(|_| !areas.card.is_empty()) else { return };
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
    let keys = "<open_thread> thread · <why> why it was asked · <behind> grant or lesson · <mark_same> same sender · \
                <search> search";
    let more = match (line.answer, line.end) {
        (AnswerKind::Move, DecisionEnd::Done) => " · <put_back> put it back",
        _ if line.workflow == "email" => " · <reclassify> reclassify",
        _ => "",
    };
    blocks.push(Block::Text(Visible::new(&model.spell(&format!("{keys}{more}")))));
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
