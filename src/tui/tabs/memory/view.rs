//! Draws the Memory tab: the rows with the mails each decided, and each profile with what its versions changed word for
//! word, and what caused them.

use crate::engine::graph::{Grade, Warning};
use crate::inbox::door::profile_words;
use crate::inbox::{Block, ItemLine, MemoryItem, MemoryLine, MemoryVersion, RowLine, RowState, Span, Tone};
use crate::text::{Visible, count_noun, pad};
use crate::tui::card::Doc;
use crate::tui::diff::word_lines;
use crate::tui::draw;
use crate::tui::layout::Areas;
use crate::tui::model::Model;
use crate::tui::tabs::page;
use crate::tui::tabs::rows::{self, PlainRow};
use crate::tui::words;
use ratatui::buffer::Buffer;

/// How many versions are listed below a profile.
const MAX_LISTED: usize = 12;

/// The widest word for what a row does.
const ANSWER_WIDTH: usize = 6;

/// How many lines are shown before and after a changed one.
const CONTEXT_LINES: usize = 1;

pub fn draw(model: &Model, areas: &Areas, buf: &mut Buffer) {
    let list = &model.memory.list;
    if list.rows.is_empty() {
        let what = if list.read { "Nothing has been learned yet." } else { "Looking …" };
        let next =
            if list.read { "Agents learn from your answers; what they learn is shown here." } else { "" };
        return draw::message(&model.theme, areas.list, buf, what, next);
    }
    let row = |item: &MemoryItem| match item {
        MemoryItem::Row(RowLine { row, applied_at, subject, .. }) => PlainRow {
            lead: pad(if row.state == RowState::Paused { "paused" } else { row.answer.word() }, ANSWER_WIDTH),
            style: if row.state == RowState::Paused { model.theme.quiet } else { model.theme.title },
            text: match subject {
                Some(subject) => format!("conversation: {}", words::line(subject)),
                None => words::line(&row.key.to_string()),
            },
            note: Some(count_noun(row.confirmed as usize, "decision")),
            end: applied_at.map(|at| words::age(at, model.wall)).unwrap_or_default(),
        },
        MemoryItem::Profile(line) => PlainRow {
            lead: words::line(&profile_words(&line.namespace)),
            style: model.theme.title,
            text: String::new(),
            note: None,
            end: format!("v{} {}", line.version, words::age(line.updated_at, model.wall)),
        },
    };
    rows::draw(model, list, areas.list, buf, list.rows.iter().map(row));
    if areas.card.is_empty() {
        return;
    }
    page::draw(model, &selected_page(model), model.memory.page_top, areas, buf);
}

/// The page next to the list: the selected row or profile.
pub fn selected_page(model: &Model) -> Doc {
    match (model.memory.row(), model.memory.profile()) {
        (Some(line), _) => row_page(model, line),
        (None, Some(line)) => profile_page(model, line),
        (None, None) => Doc::default(),
    }
}

fn heading(text: &str) -> Block {
    Block::Heading(Visible::line(text))
}

fn note(text: String) -> Warning {
    Warning::new(Grade::Info, "note", text)
}

/// What a row does, and the mails that it decided.
fn row_page(model: &Model, line: &RowLine) -> Doc {
    let row = &line.row;
    let mut facts = vec![match row.confirmed {
        0 => "you set it".to_owned(),
        confirmed => format!("from {}", count_noun(confirmed as usize, "decision")),
    }];
    facts.extend(
        (row.corrected > 0).then(|| format!("corrected {}", count_noun(row.corrected as usize, "time"))),
    );
    facts.push(match line.applied_at {
        Some(at) => {
            format!("{}, last {}", count_noun(line.applied as usize, "mail"), words::ago(at, model.wall))
        }
        None => "it has decided no mail yet".to_owned(),
    });
    let mut blocks = Vec::new();
    if row.state == RowState::Paused {
        blocks.push(Block::Warnings(vec![note(model.spell("It is paused; <pause_row> resumes it."))]));
    }
    blocks.extend(line.subject.as_ref().map(|subject| Block::text(&format!("“{}”", words::line(subject)))));
    let view = model.memory.row.as_ref().filter(|view| view.line.row.key == row.key);
    let mails = view.map(|view| view.mails.as_slice()).unwrap_or_default();
    let cells = mails.iter().map(|mail| {
        let outcome = mail.outcome.as_deref().or(mail.class.as_deref()).unwrap_or_default();
        let age = words::age(mail.came_at, model.wall);
        [age.as_str(), &mail.subject, &mail.from, outcome].map(Visible::line).to_vec()
    });
    if !mails.is_empty() {
        let head = ["", "the mails it decided", "from", "outcome"].map(Visible::line).to_vec();
        blocks.push(Block::Table { head, rows: cells.collect() });
    }
    Doc::page(&words::capitalized(&words::line(&row.sentence())), &facts.join(" · "), blocks)
}

/// A version of a profile: what it changed, how it reads, and what other versions there are.
fn profile_page(model: &Model, line: &MemoryLine) -> Doc {
    let name = profile_words(&line.namespace);
    let versions = model.memory.versions.as_ref().filter(|versions| versions.namespace == line.namespace);
    let Some((versions, shown)) = versions.and_then(|versions| Some((versions, versions.shown()?))) else {
        let meta = format!("version {} · {}", line.version, words::ago(line.updated_at, model.wall));
        return Doc::page(&name, &meta, vec![Block::text(&line.profile)]);
    };
    let count = versions.history.len();
    let (ago, cause) = (words::ago(shown.updated_at, model.wall), describe_cause(model, shown));
    let meta = format!("version {} of {count} · {ago} · {cause}", shown.version);
    let is_newest = versions.shown_index == 0;
    let is_update = |row: &&ItemLine| row.workflow == "memory" && !row.is_decided();
    let notes = if is_newest {
        let updates = model.inbox.list.all().iter().filter(is_update);
        updates
            .map(|row| note(format!("An update awaits your approval in the inbox: {}", row.title)))
            .collect()
    } else {
        let how = "An earlier version. <revert_profile> goes back to it; <previous_part> shows a newer one.";
        vec![note(model.spell(how))]
    };
    let mut blocks = vec![Block::Warnings(notes)];
    // The first version is all new, and if it is also the newest, its text is shown below.
    if count > 1 {
        let before = versions.history.get(versions.shown_index + 1);
        let before = before.map_or("", |before| before.profile.as_str());
        blocks.push(heading(if before.is_empty() { "It began with" } else { "What it changed" }));
        blocks.push(Block::Words(changes(before, &shown.profile)));
    }
    if is_newest {
        blocks.extend((count > 1).then(|| heading("How it reads")));
        blocks.push(Block::text(&match shown.profile.trim() {
            "" => model.spell("It is empty; <add_line> adds a line."),
            _ => with_pins(&shown.profile, &versions.pinned),
        }));
    }
    if count > 1 {
        blocks.push(heading(&model.spell("Versions: <next_part> and <previous_part> step through them")));
        let from = versions.shown_index.saturating_sub(MAX_LISTED / 2).min(count.saturating_sub(MAX_LISTED));
        let listed = versions.history.iter().enumerate().skip(from).take(MAX_LISTED);
        let listed = listed.map(|(n, version)| {
            let mark = if n == versions.shown_index { "▌" } else { " " };
            let at = version.updated_at.to_zoned(model.options.time_zone.clone()).strftime("%d %b %H:%M");
            format!("{mark} {:>4}  {at}  {}", version.version, describe_cause(model, version))
        });
        blocks.push(Block::text(&listed.collect::<Vec<_>>().join("\n")));
    }
    Doc::page(&name, &meta, blocks)
}

/// What a version removed and added, line by line, with the lines around it.
fn changes(before: &str, after: &str) -> Vec<Span> {
    let lines = word_lines(before, after);
    let is_change =
        |at: usize| lines.get(at).is_some_and(|(tone, _)| matches!(tone, Tone::Added | Tone::Removed));
    let is_near = |at: usize| (at.saturating_sub(CONTEXT_LINES)..=at + CONTEXT_LINES).any(is_change);
    let mut spans = Vec::new();
    let begin_line = |spans: &mut Vec<Span>, mark: &str| {
        let line_break = if spans.is_empty() { "" } else { "\n" };
        spans.push(Span { tone: Tone::Quiet, text: Visible::new(&format!("{line_break}{mark} ")) });
    };
    let mut left_out = false;
    for (at, (tone, line)) in lines.iter().enumerate() {
        if !is_near(at) {
            if !std::mem::replace(&mut left_out, true) {
                begin_line(&mut spans, "  …");
            }
            continue;
        }
        left_out = false;
        let mark = match tone {
            Tone::Added => "+",
            Tone::Removed => "−",
            Tone::Plain | Tone::Quiet => " ",
        };
        begin_line(&mut spans, mark);
        spans.extend(line.iter().cloned());
    }
    spans
}

/// A profile's text, with a mark before each pinned line.
fn with_pins(profile: &str, pinned: &[String]) -> String {
    let is_pinned =
        |line: &str| !line.trim().is_empty() && pinned.iter().any(|pin| pin.trim() == line.trim());
    let lines =
        profile.lines().map(|line| if is_pinned(line) { format!("● {line}") } else { line.to_owned() });
    lines.collect::<Vec<_>>().join("\n")
}

/// What caused a version, in a few words.
fn describe_cause(model: &Model, version: &MemoryVersion) -> String {
    let kind = words::line(&version.cause.kind);
    let shows = || model.spell("<open_thread> shows it");
    match (kind.as_str(), &version.cause.thread) {
        ("default", _) => "the starting text".to_owned(),
        ("edit", _) => "you wrote it".to_owned(),
        ("revert", _) => "you reverted it".to_owned(),
        ("answer", Some(thread)) => format!("learned from your answer in {thread} ({})", shows()),
        ("answer", None) => "learned from several answers".to_owned(),
        (other, Some(thread)) => format!("{other} in {thread} ({})", shows()),
        (other, None) => other.to_owned(),
    }
}
