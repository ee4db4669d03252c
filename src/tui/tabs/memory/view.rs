//! Draws the Memory tab: each profile, what its versions changed word for word, and what caused them.

use crate::inbox::{MemoryLine, MemoryVersion, Tone};
use crate::tui::actions::Action;
use crate::tui::diff::word_lines;
use crate::tui::draw::{self, PlainRow, Sheet, rows};
use crate::tui::layout::{self, Areas};
use crate::tui::model::Model;
use crate::tui::tabs::memory::Versions;
use crate::tui::words;
use ratatui::buffer::Buffer;
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};

/// How many versions are listed below a profile.
const LISTED: usize = 12;

/// How many lines are shown before and after a changed one.
const AROUND: usize = 1;

pub fn draw(model: &Model, areas: &Areas, buf: &mut Buffer) {
    let browse = &model.memory.list;
    if browse.rows.is_empty() {
        let what = if browse.read { "Nothing has been learned yet." } else { "Looking …" };
        let next =
            if browse.read { "Agents learn from your answers; what they learn is shown here." } else { "" };
        return draw::message(model, areas.list, buf, what, next);
    }
    let profile = |line: &MemoryLine| {
        let namespace = words::line(&line.namespace);
        let (space, name) = namespace.rsplit_once('/').unwrap_or(("", &namespace));
        PlainRow {
            lead: name.to_owned(),
            style: model.theme.title,
            text: space.to_owned(),
            note: None,
            end: format!("v{} {}", line.version, words::age(line.updated_at, model.wall)),
        }
    };
    rows(model, browse, areas.list, buf, browse.rows.iter().map(profile));
    if areas.card.is_empty() {
        return;
    }
    let sheet = sheet(model, areas.card.width);
    sheet.draw(model, areas, model.memory.page_top, buf);
}

/// How far the page next to the list can be scrolled.
pub fn memory_length(model: &Model) -> usize {
    let card = layout::areas(model).card;
    sheet(model, card.width).height().saturating_sub(usize::from(card.height))
}

fn sheet(model: &Model, width: u16) -> Sheet {
    let mut sheet = Sheet::new(width);
    let Some(line) = model.memory.list.selected() else { return sheet };
    sheet.say(&words::line(&line.namespace), model.theme.title);
    let Some(versions) = model.memory.versions.as_ref().filter(|known| known.namespace == line.namespace)
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
        version(model, &mut sheet, versions, shown);
    }
    sheet
}

fn version(model: &Model, sheet: &mut Sheet, versions: &Versions, shown: &MemoryVersion) {
    let theme = &model.theme;
    let of = versions.history.len();
    let meta = format!(
        "version {} of {of} · {} · {}",
        shown.version,
        words::ago(shown.updated_at, model.wall),
        caused(shown)
    );
    sheet.wrap(&meta, theme.quiet);
    let newest = versions.at == 0;
    if newest {
        for held in model.inbox.list.all().iter().filter(|row| row.workflow == "memory" && !row.is_decided())
        {
            sheet.gap();
            sheet
                .wrap(&format!("An update awaits your approval in the inbox: {}", held.title), theme.warning);
        }
    } else {
        sheet.wrap("An earlier version. R goes back to it; [ shows a newer one.", theme.warning);
    }
    // The first version is all new, and if it is also the newest, its text is shown below.
    if of > 1 {
        let before = versions.history.get(versions.at + 1).map_or("", |before| before.profile.as_str());
        sheet.gap();
        sheet.say(if before.is_empty() { "It began with" } else { "What it changed" }, theme.title);
        changes(model, sheet, before, &shown.profile);
    }
    if newest {
        sheet.gap();
        if of > 1 {
            sheet.say("How it reads", theme.title);
        }
        profile(model, sheet, versions, &shown.profile);
    }
    if of > 1 {
        sheet.gap();
        sheet.say("Versions: ] and [ step through them", theme.title);
        let from = versions.at.saturating_sub(LISTED / 2).min(of.saturating_sub(LISTED));
        for (n, version) in versions.history.iter().enumerate().skip(from).take(LISTED) {
            let mark = if n == versions.at { "▌ " } else { "  " };
            let at = version.updated_at.to_zoned(model.options.time_zone.clone()).strftime("%d %b %H:%M");
            sheet.line(Line::from(vec![
                Span::styled(mark, theme.accent),
                Span::styled(format!("{:>4}  {at}  ", version.version), theme.text),
                Span::styled(caused(version), theme.quiet),
            ]));
        }
    }
}

/// What a version removed and added, line by line, with the lines around it.
fn changes(model: &Model, sheet: &mut Sheet, before: &str, after: &str) {
    let theme = &model.theme;
    let lines = word_lines(before, after);
    let is_change =
        |at: usize| lines.get(at).is_some_and(|(tone, _)| matches!(tone, Tone::Added | Tone::Removed));
    let is_near = |at: usize| (at.saturating_sub(AROUND)..=at + AROUND).any(is_change);
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

fn profile(model: &Model, sheet: &mut Sheet, versions: &Versions, text: &str) {
    for line in text.lines() {
        let pinned = versions.pinned.iter().any(|pin| pin.trim() == line.trim() && !pin.trim().is_empty());
        let (mark, style) = if pinned { ("● ", model.theme.title) } else { ("", model.theme.text) };
        sheet.flow(&[(mark.to_owned(), model.theme.accent), (words::line(line), style)]);
    }
    if text.trim().is_empty() {
        sheet.say("It is empty; o adds a line.", model.theme.quiet);
    }
}

/// What caused a version, in a few words.
fn caused(version: &MemoryVersion) -> String {
    let kind = words::line(&version.cause.kind);
    match (kind.as_str(), &version.cause.thread) {
        ("default", _) => "the starting text".to_owned(),
        ("edit", _) => "you wrote it".to_owned(),
        ("revert", _) => "you reverted it".to_owned(),
        ("answer", Some(thread)) => format!("learned from your answer in {thread} (t shows it)"),
        ("answer", None) => "learned from several answers".to_owned(),
        (other, Some(thread)) => format!("{other} in {thread} (t shows it)"),
        (other, None) => other.to_owned(),
    }
}

/// The actions on a profile worth showing in the footer, most important first.
pub fn footer() -> Vec<(Action, String)> {
    [
        (Action::EditProfile, "edit"),
        (Action::AddLine, "add a line"),
        (Action::PinLine, "pin"),
        (Action::Open, "versions"),
        (Action::History, "history"),
        (Action::RevertProfile, "revert"),
        (Action::OpenThread, "cause"),
    ]
    .map(|(action, text)| (action, text.to_owned()))
    .to_vec()
}
