//! Draws the Memory tab: the rows with the mails each decided, and each profile with what its versions changed word for
//! word, and what caused them.

use crate::inbox::door::profile_words;
use crate::inbox::{MemoryItem, MemoryVersion, RowLine, RowState, Tone};
use crate::text::{count_noun, pad};
use crate::tui::diff::word_lines;
use crate::tui::draw::{self, Sheet};
use crate::tui::layout::{self, Areas};
use crate::tui::model::{Model, Versions};
use crate::tui::tabs::page;
use crate::tui::tabs::rows::{self, PlainRow};
use crate::tui::words;
use ratatui::buffer::Buffer;
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};

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
    let sheet = sheet(model, areas.card.width);
    page::draw_sheet(model, &sheet, areas, model.memory.page_top, buf);
}

/// How far the page next to the list can be scrolled.
pub fn length(model: &Model) -> usize {
    let card = layout::areas(model).card;
    sheet(model, card.width).height().saturating_sub(usize::from(card.height))
}

fn sheet(model: &Model, width: u16) -> Sheet {
    let mut sheet = Sheet::new(width);
    if let Some(line) = model.memory.row() {
        draw_row(model, &mut sheet, line);
    }
    let Some(line) = model.memory.profile() else { return sheet };
    sheet.say(&words::line(&profile_words(&line.namespace)), model.theme.title);
    let Some(versions) =
        model.memory.versions.as_ref().filter(|versions| versions.namespace == line.namespace)
    else {
        let meta = format!("version {} · {}", line.version, words::ago(line.updated_at, model.wall));
        sheet.say(&meta, model.theme.quiet);
        sheet.gap();
        for text in line.profile.lines() {
            sheet.wrap(&words::line(text), model.theme.text);
        }
        return sheet;
    };
    if let Some(shown) = versions.shown() {
        draw_version(model, &mut sheet, versions, shown);
    }
    sheet
}

fn draw_row(model: &Model, sheet: &mut Sheet, line: &RowLine) {
    let (theme, row) = (&model.theme, &line.row);
    sheet.wrap(&words::capitalized(&words::line(&row.sentence())), theme.title);
    if let Some(subject) = &line.subject {
        sheet.wrap(&format!("“{}”", words::line(subject)), theme.text);
    }
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
    sheet.wrap(&facts.join(" · "), theme.quiet);
    if row.state == RowState::Paused {
        sheet.wrap(&model.spell("It is paused; <pause_row> resumes it."), theme.warning);
    }
    let view = model.memory.row.as_ref().filter(|view| view.line.row.key == row.key);
    let mails = view.map(|view| view.mails.as_slice()).unwrap_or_default();
    if !mails.is_empty() {
        sheet.gap();
        sheet.say("The mails it decided", theme.title);
    }
    for mail in mails {
        let class = mail.class.as_deref().unwrap_or_default();
        let what = format!("{} · {}", words::line(&mail.subject), words::line(&mail.from));
        sheet.flow(&[
            (pad(&words::age(mail.came_at, model.wall), 5), theme.quiet),
            (what, theme.text),
            (format!(" {}", words::line(mail.outcome.as_deref().unwrap_or(class))), theme.quiet),
        ]);
    }
}

fn draw_version(model: &Model, sheet: &mut Sheet, versions: &Versions, shown: &MemoryVersion) {
    let theme = &model.theme;
    let count = versions.history.len();
    let meta = format!(
        "version {} of {count} · {} · {}",
        shown.version,
        words::ago(shown.updated_at, model.wall),
        describe_cause(model, shown)
    );
    sheet.wrap(&meta, theme.quiet);
    let is_newest = versions.shown_index == 0;
    if is_newest {
        for row in model.inbox.list.all().iter().filter(|row| row.workflow == "memory" && !row.is_decided()) {
            sheet.gap();
            let title = words::line(&row.title);
            sheet.wrap(&format!("An update awaits your approval in the inbox: {title}"), theme.warning);
        }
    } else {
        let how = "An earlier version. <revert_profile> goes back to it; <previous_part> shows a newer one.";
        sheet.wrap(&model.spell(how), theme.warning);
    }
    // The first version is all new, and if it is also the newest, its text is shown below.
    if count > 1 {
        let before =
            versions.history.get(versions.shown_index + 1).map_or("", |before| before.profile.as_str());
        sheet.gap();
        sheet.say(if before.is_empty() { "It began with" } else { "What it changed" }, theme.title);
        draw_changes(model, sheet, before, &shown.profile);
    }
    if is_newest {
        sheet.gap();
        if count > 1 {
            sheet.say("How it reads", theme.title);
        }
        draw_profile(model, sheet, versions, &shown.profile);
    }
    if count > 1 {
        sheet.gap();
        sheet.say(&model.spell("Versions: <next_part> and <previous_part> step through them"), theme.title);
        let from = versions.shown_index.saturating_sub(MAX_LISTED / 2).min(count.saturating_sub(MAX_LISTED));
        for (n, version) in versions.history.iter().enumerate().skip(from).take(MAX_LISTED) {
            let mark = if n == versions.shown_index { "▌ " } else { "  " };
            let at = version.updated_at.to_zoned(model.options.time_zone.clone()).strftime("%d %b %H:%M");
            sheet.line(Line::from(vec![
                Span::styled(mark, theme.accent),
                Span::styled(format!("{:>4}  {at}  ", version.version), theme.text),
                Span::styled(describe_cause(model, version), theme.quiet),
            ]));
        }
    }
}

/// What a version removed and added, line by line, with the lines around it.
fn draw_changes(model: &Model, sheet: &mut Sheet, before: &str, after: &str) {
    let theme = &model.theme;
    let lines = word_lines(before, after);
    let is_change =
        |at: usize| lines.get(at).is_some_and(|(tone, _)| matches!(tone, Tone::Added | Tone::Removed));
    let is_near = |at: usize| (at.saturating_sub(CONTEXT_LINES)..=at + CONTEXT_LINES).any(is_change);
    let mut left_out = false;
    for (at, (tone, line)) in lines.iter().enumerate() {
        if !is_near(at) {
            if !std::mem::replace(&mut left_out, true) {
                sheet.say("  …", theme.quiet);
            }
            continue;
        }
        left_out = false;
        let (mark, style) = match tone {
            Tone::Added => ("+ ", theme.added),
            Tone::Removed => ("− ", theme.removed),
            Tone::Plain | Tone::Quiet => ("  ", theme.quiet),
        };
        let words = line.iter().map(|span| {
            let style = match span.tone {
                Tone::Added => theme.added.add_modifier(Modifier::UNDERLINED),
                Tone::Removed => theme.removed.add_modifier(Modifier::CROSSED_OUT),
                Tone::Plain | Tone::Quiet => style,
            };
            (span.text.to_string(), style)
        });
        let pieces: Vec<_> = std::iter::once((mark.to_owned(), style)).chain(words).collect();
        sheet.flow(&pieces);
    }
}

fn draw_profile(model: &Model, sheet: &mut Sheet, versions: &Versions, text: &str) {
    for line in text.lines() {
        let is_pinned = versions.pinned.iter().any(|pin| pin.trim() == line.trim() && !pin.trim().is_empty());
        let (mark, style) = if is_pinned { ("● ", model.theme.title) } else { ("", model.theme.text) };
        sheet.flow(&[(mark.to_owned(), model.theme.accent), (words::line(line), style)]);
    }
    if text.trim().is_empty() {
        sheet.say(&model.spell("It is empty; <add_line> adds a line."), model.theme.quiet);
    }
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
