//! The Memory tab: profiles are read, edited in `$EDITOR`, extended, pinned, and reverted to an earlier version.
//!
//! The inbox makes every change: it refuses to drop a pinned line or to overwrite somebody else's version.

use crate::graph::ThreadId;
use crate::inbox::{Block, MemoryLine, MemoryVersion, MemoryView, changed_lines};
use crate::service::profile_words;
use crate::text::{Visible, count_noun};
use crate::tui::card::Doc;
use crate::tui::layers::{Choice, Confirm, Menu, OnConfirm, Page, Prompt, PromptKind};
use crate::tui::model::Model;
use crate::tui::msg::{Cmd, HistoryPurpose, InboxResult};
use crate::tui::tabs::memory::Versions;
use crate::tui::tabs::{self, Tab};

pub fn listed(model: &mut Model, result: InboxResult<Vec<MemoryLine>>) -> Vec<Cmd> {
    if let Some(lines) = model.ok_or_fail(result) {
        let target = model.memory.version_to_show.as_ref().map(|(name, _)| name.clone());
        let namespace = target.or(model.memory.list.selected().map(|line| line.namespace.clone()));
        let position = lines.iter().position(|line| Some(&line.namespace) == namespace.as_ref());
        model.memory.list.cursor =
            position.unwrap_or(model.memory.list.cursor.min(lines.len().saturating_sub(1)));
        model.memory.list.rows = lines;
        model.memory.list.read = true;
        return show(model);
    }
    Vec::new()
}

pub fn show_version(model: &mut Model, namespace: String, version: u64) -> Vec<Cmd> {
    model.memory.version_to_show = Some((namespace, version));
    model.memory.page_top = 0;
    tabs::go(model, Tab::Memory)
}

/// Reads the versions of the selected profile; a newly selected one is shown from the top.
pub fn show(model: &mut Model) -> Vec<Cmd> {
    let Some(line) = model.memory.list.selected() else { return Vec::new() };
    let versions = model.memory.versions.as_ref().filter(|versions| versions.namespace == line.namespace);
    if versions.is_none() {
        model.memory.page_top = 0;
    }
    vec![Cmd::ProfileAndVersions(line.namespace.clone())]
}

pub fn versions(
    model: &mut Model,
    namespace: String,
    result: InboxResult<(MemoryView, Vec<MemoryVersion>)>,
) -> Vec<Cmd> {
    if let Some((view, history)) = model.ok_or_fail(result) {
        // Users who look at an earlier version stay with it, whatever is learned meanwhile.
        let earlier = model
            .memory
            .versions
            .take()
            .filter(|versions| versions.namespace == namespace && versions.shown_index > 0);
        let version_to_show = model.memory.version_to_show.take_if(|(name, _)| *name == namespace);
        let version = match version_to_show {
            Some((_, version)) => Some(version),
            None => earlier.and_then(|versions| Some(versions.shown()?.version)),
        };
        let index = version.and_then(|version| history.iter().position(|entry| entry.version == version));
        model.memory.versions =
            Some(Versions { namespace, history, pinned: view.pinned, shown_index: index.unwrap_or(0) });
    }
    Vec::new()
}

/// Shows the version before or after the one shown.
pub fn browse(model: &mut Model, earlier: bool) {
    let Some(versions) = &mut model.memory.versions else { return };
    let last = versions.history.len().saturating_sub(1);
    let index =
        if earlier { (versions.shown_index + 1).min(last) } else { versions.shown_index.saturating_sub(1) };
    if index == versions.shown_index {
        model.say(if earlier { "This is the first version" } else { "This is the newest version" });
    } else {
        versions.shown_index = index;
        model.memory.page_top = 0;
    }
}

/// The thread whose answer caused the version shown.
pub fn causing_thread(model: &Model) -> Option<ThreadId> {
    let line = model.memory.list.selected()?;
    let versions = model.memory.versions.as_ref().filter(|versions| versions.namespace == line.namespace)?;
    versions.shown()?.cause.thread.clone()
}

/// Opens the selected profile in the user's editor.
pub fn edit(model: &mut Model) -> Vec<Cmd> {
    let Some(line) = model.memory.list.selected() else { return Vec::new() };
    vec![Cmd::EditProfile(line.namespace.clone(), line.version, line.profile.clone())]
}

/// `$EDITOR` was closed: its text becomes the next version, unless nothing changed.
pub fn edited(model: &mut Model, namespace: String, version: u64, result: InboxResult<String>) -> Vec<Cmd> {
    let Some(text) = model.ok_or_fail(result) else { return Vec::new() };
    let unedited =
        model.memory.list.rows.iter().find(|line| line.namespace == namespace && line.version == version);
    if unedited.is_some_and(|line| line.profile.trim_end() == text.trim_end()) {
        model.say("Nothing changed");
        return Vec::new();
    }
    vec![Cmd::Remember(namespace, version, text.trim_end().to_owned())]
}

pub fn ask_line(model: &mut Model) -> Vec<Cmd> {
    model.push(Prompt::new(PromptKind::Line, ""));
    Vec::new()
}

pub fn add_line(model: &mut Model, line: &str) -> Vec<Cmd> {
    model.layers.pop();
    let Some(selected) = model.memory.list.selected().filter(|_| !line.trim().is_empty()) else {
        return Vec::new();
    };
    vec![Cmd::Remember(
        selected.namespace.clone(),
        selected.version,
        with_line(&selected.profile, line.trim()),
    )]
}

/// A profile with one more line, which gets a bullet if the others have one.
fn with_line(profile: &str, line: &str) -> String {
    let before = profile.trim_end();
    let gap = if before.is_empty() { "" } else { "\n" };
    let has_bullets = before.is_empty() || before.lines().any(|line| line.starts_with("- "));
    let bullet = if has_bullets && !line.starts_with(['-', '*', '•', '#']) { "- " } else { "" };
    format!("{before}{gap}{bullet}{line}")
}

/// Reads what is pinned, to choose from.
pub fn ask_pins(model: &mut Model) -> Vec<Cmd> {
    model.memory.list.selected().map(|line| Cmd::Profile(line.namespace.clone())).into_iter().collect()
}

pub fn pins(model: &mut Model, result: InboxResult<MemoryView>) -> Vec<Cmd> {
    let Some(view) = model.ok_or_fail(result) else { return Vec::new() };
    let is_pinned = |line: &str| view.pinned.iter().any(|pinned| pinned.trim() == line.trim());
    let lines = view.newest.profile.lines().filter(|line| !line.trim().is_empty());
    let rows: Vec<(String, Choice)> = lines
        .map(|line| {
            let mark = if is_pinned(line) { "● " } else { "  " };
            let choice = Choice::Pin(view.newest.namespace.clone(), line.trim().to_owned(), !is_pinned(line));
            (format!("{mark}{}", Visible::line(line)), choice)
        })
        .collect();
    if rows.is_empty() {
        model.say("There is no line to pin · o adds one");
    } else {
        let title = "Pin a line so that learning keeps it".to_owned();
        model.push(Menu::new(title, rows));
    }
    Vec::new()
}

/// Reads earlier versions, to look at or to revert to. If the user is looking at one, reverts to that one.
pub fn ask_past(model: &mut Model, purpose: HistoryPurpose) -> Vec<Cmd> {
    let earlier = model.memory.versions.as_ref().filter(|versions| versions.shown_index > 0);
    let earlier =
        earlier.and_then(|versions| Some((versions.shown()?.clone(), versions.history.first()?.clone())));
    if let (HistoryPurpose::Revert, Some((version, newest))) = (purpose, earlier) {
        return confirm_revert(model, version, &newest.profile);
    }
    model
        .memory
        .list
        .selected()
        .map(|line| Cmd::ProfileVersions(line.namespace.clone(), purpose))
        .into_iter()
        .collect()
}

pub fn profile_versions(
    model: &mut Model,
    purpose: HistoryPurpose,
    result: InboxResult<Vec<MemoryVersion>>,
) -> Vec<Cmd> {
    let Some(versions) = model.ok_or_fail(result) else { return Vec::new() };
    let Some(newest) = versions.first() else { return Vec::new() };
    match purpose {
        HistoryPurpose::Read => {
            let title = format!("History of your {}", Visible::line(&profile_words(&newest.namespace)));
            let doc = pages(model, &versions);
            model.push(Page::new(title, doc));
        }
        HistoryPurpose::Revert if versions.len() < 2 => model.say("There is no earlier version"),
        HistoryPurpose::Revert => {
            let rows = versions.iter().skip(1).map(|version| {
                let first = version.profile.lines().next().unwrap_or_default();
                let text = format!("{:<44} {}", describe(model, version), Visible::line(first));
                (text, Choice::Revert(Box::new((version.clone(), newest.profile.clone()))))
            });
            let rows = rows.collect();
            model.push(Menu::new("Go back to which version?", rows));
        }
    }
    Vec::new()
}

fn describe(model: &Model, version: &MemoryVersion) -> String {
    let at = version.updated_at.to_zoned(model.options.time_zone.clone()).strftime("%d %b %H:%M").to_string();
    let by = match &version.cause.thread {
        Some(thread) => format!("{} in {thread}", version.cause.kind),
        None => version.cause.kind.clone(),
    };
    format!("version {} · {at} · by {by}", version.version)
}

/// Each version with what it changed, newest first.
fn pages(model: &Model, versions: &[MemoryVersion]) -> Doc {
    let mut blocks = Vec::new();
    for (n, version) in versions.iter().enumerate() {
        blocks.push(Block::Heading(Visible::line(&describe(model, version))));
        let before = versions.get(n + 1).map_or("", |before| before.profile.as_str());
        blocks.push(Block::Diff(changed_lines(before, &version.profile)));
    }
    Doc::page(&count_noun(versions.len(), "version"), "newest first", blocks)
}

/// Shows what going back would change, and asks.
pub fn confirm_revert(model: &mut Model, version: MemoryVersion, current: &str) -> Vec<Cmd> {
    let page =
        Doc::page("What would change", "", vec![Block::Diff(changed_lines(current, &version.profile))]);
    model.push(Confirm::new(
        format!("Go back to version {}?", version.version),
        "It becomes the newest version; the ones between stay in the history.",
        page,
        OnConfirm::Do(Cmd::Revert(version.namespace, version.version)),
    ));
    Vec::new()
}

/// A profile was edited, pinned or reverted, or the change failed.
pub fn profile_changed(model: &mut Model, result: InboxResult<String>) -> Vec<Cmd> {
    if let Some(text) = model.ok_or_fail(result) {
        model.say(text);
    }
    vec![Cmd::Memory]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_added_looks_like_the_others() {
        for (profile, line, expected) in [
            ("", "Be brief", "- Be brief"),
            ("# Tone\n- Be brief\n", "No jokes", "# Tone\n- Be brief\n- No jokes"),
            ("- Be brief", "- No jokes", "- Be brief\n- No jokes"),
            ("- Be brief", "# Content", "- Be brief\n# Content"),
            ("I like plain words.", "No jokes", "I like plain words.\nNo jokes"),
        ] {
            assert_eq!(with_line(profile, line), expected);
        }
    }
}
