//! The Memory tab: profiles are read, edited in `$EDITOR`, extended, pinned, and reverted to an earlier version.
//!
//! The inbox makes every change: it refuses to drop a pinned line or to overwrite somebody else's version.

use super::view;
use crate::engine::graph::ThreadId;
use crate::inbox::door::{Inbox, profile_words};
use crate::inbox::{Block, InboxError, MemoryLine, MemoryVersion, MemoryView, changed_lines};
use crate::text::{Visible, count_noun};
use crate::tui::actions::Action;
use crate::tui::card::Doc;
use crate::tui::layers::{Choice, Confirm, Menu, Page, Prompt};
use crate::tui::layout::Areas;
use crate::tui::model::{Focus, Model, Seen, Tab, Versions};
use crate::tui::tabs::pane::{Cursor, Does, Pane, named, when};
use ratatui::buffer::Buffer;

/// The profiles, and the versions of the selected one.
pub struct Memory;

impl Pane for Memory {
    fn does(&self, model: &Model, action: Action) -> Option<Does> {
        let has_row = model.memory.list.selected().is_some();
        let on_profile = |effect| when(has_row, "Nothing has been learned yet", effect);
        Some(match action {
            Action::EditProfile => on_profile(edit),
            Action::AddLine => on_profile(ask_line),
            Action::PinLine => on_profile(ask_pins),
            Action::RevertProfile => on_profile(ask_revert),
            Action::History => on_profile(show_history),
            Action::Open => when(has_row, "", |model| {
                model.focus = Focus::Card;
                Memory.selected(model);
            }),
            _ => return None,
        })
    }

    fn read(&self, model: &mut Model) {
        model.read(async |inbox: Inbox| inbox.memory().list().await, listed);
    }

    fn list<'m>(&self, model: &'m mut Model) -> Option<&'m mut dyn Cursor> {
        Some(&mut model.memory.list)
    }

    /// Reads the versions of the selected profile; a newly selected one is shown from the top.
    fn selected(&self, model: &mut Model) {
        let Some(namespace) = model.memory.list.selected().map(|line| line.namespace.clone()) else { return };
        if model.memory.versions.as_ref().is_none_or(|versions| versions.namespace != namespace) {
            model.memory.page_top = 0;
        }
        let name = namespace.clone();
        let read = async move |inbox: Inbox| {
            let view = inbox.memory().show(name.clone()).await?;
            Ok::<_, InboxError>((view, inbox.memory().history(name).await?))
        };
        model.read(read, |model, (view, history)| show_versions(model, namespace, view, history));
    }

    fn scroll(&self, model: &mut Model, by: isize) {
        let last = view::length(model);
        let top = &mut model.memory.page_top;
        *top = top.saturating_add_signed(by).min(last);
    }

    fn part(&self, model: &mut Model, forward: bool) {
        browse(model, forward);
    }

    fn draw(&self, model: &Model, areas: &Areas, buf: &mut Buffer) -> Seen {
        view::draw(model, areas, buf);
        Seen::default()
    }

    fn footer(&self, _model: &Model) -> Vec<(Action, String)> {
        named([
            (Action::EditProfile, "edit"),
            (Action::AddLine, "add a line"),
            (Action::PinLine, "pin"),
            (Action::Open, "versions"),
            (Action::History, "history"),
            (Action::RevertProfile, "revert"),
            (Action::OpenThread, "cause"),
        ])
    }

    /// The thread whose answer caused the version shown.
    fn thread(&self, model: &Model) -> Option<ThreadId> {
        let line = model.memory.list.selected()?;
        let versions =
            model.memory.versions.as_ref().filter(|versions| versions.namespace == line.namespace)?;
        versions.shown()?.cause.thread.clone()
    }
}

fn listed(model: &mut Model, lines: Vec<MemoryLine>) {
    model.memory.list.replace(lines, |line| line.namespace.clone());
    let list = &mut model.memory.list;
    let wanted = model.memory.version_to_show.as_ref();
    let wanted = wanted.and_then(|(name, _)| list.rows.iter().position(|line| line.namespace == *name));
    list.select(wanted.unwrap_or(list.cursor));
    Memory.selected(model);
}

pub fn show_version(model: &mut Model, namespace: String, version: u64) {
    model.memory.version_to_show = Some((namespace, version));
    model.memory.page_top = 0;
    model.go(Tab::Memory);
}

fn show_versions(model: &mut Model, namespace: String, view: MemoryView, history: Vec<MemoryVersion>) {
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

/// Shows the version before or after the one shown.
fn browse(model: &mut Model, earlier: bool) {
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

/// Opens the selected profile in the user's editor; its text becomes the next version, unless nothing changed.
fn edit(model: &mut Model) {
    let Some(line) = model.memory.list.selected().cloned() else { return };
    model.edit(line.profile.clone(), "md", move |model, text| {
        if line.profile.trim_end() == text.trim_end() {
            return model.say("Nothing changed");
        }
        remember(model, line.namespace, line.version, text.trim_end().to_owned());
    });
}

/// Changes a profile and says so; the list shows it either way.
fn change<F>(model: &mut Model, work: impl FnOnce(Inbox) -> F + Send + 'static)
where
    F: Future<Output = Result<String, InboxError>> + Send + 'static,
{
    model.start(work, |model, result| {
        if let Some(text) = model.ok_or_fail(result) {
            model.say(text);
        }
        Memory.read(model);
    });
}

/// Writes a profile on top of the version that was read.
pub fn remember(model: &mut Model, namespace: String, version: u64, profile: String) {
    change(model, async move |inbox: Inbox| {
        let view = inbox.memory().edit(namespace, version, profile).await?;
        Ok(format!("Saved as version {}", view.newest.version))
    });
}

fn ask_line(model: &mut Model) {
    model.push(Prompt::new(("+", "one more line for this profile", "add it"), "", |model, prompt| {
        let line = prompt.text().trim();
        if let Some(selected) = model.memory.list.selected().filter(|_| !line.is_empty()).cloned() {
            let profile = with_line(&selected.profile, line);
            remember(model, selected.namespace, selected.version, profile);
        }
        Ok(())
    }));
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
fn ask_pins(model: &mut Model) {
    let Some(namespace) = model.memory.list.selected().map(|line| line.namespace.clone()) else { return };
    let work = async move |inbox: Inbox| inbox.memory().show(namespace).await;
    model.read(work, |model, view| {
        let is_pinned = |line: &str| view.pinned.iter().any(|pinned| pinned.trim() == line.trim());
        let lines = view.newest.profile.lines().filter(|line| !line.trim().is_empty());
        let rows: Vec<Choice> = lines
            .map(|line| {
                let pins = !is_pinned(line);
                let text = format!("{}{}", if pins { "  " } else { "● " }, Visible::line(line));
                let (namespace, line) = (view.newest.namespace.clone(), line.trim().to_owned());
                Choice::new(text, move |model| pin(model, namespace, line, pins))
            })
            .collect();
        if rows.is_empty() {
            model.say("There is no line to pin · o adds one");
        } else {
            model.push(Menu::new("Pin a line so that learning keeps it", rows));
        }
    });
}

fn pin(model: &mut Model, namespace: String, line: String, pins: bool) {
    change(model, async move |inbox: Inbox| {
        inbox.memory().pin(namespace, line.clone(), pins).await?;
        Ok(format!("{}: {line}", if pins { "Pinned" } else { "No longer pinned" }))
    });
}

/// Reads all versions of the selected profile.
fn read_versions(model: &mut Model, then: fn(&mut Model, &MemoryVersion, &[MemoryVersion])) {
    let Some(namespace) = model.memory.list.selected().map(|line| line.namespace.clone()) else { return };
    let work = async move |inbox: Inbox| inbox.memory().history(namespace).await;
    model.read(work, move |model, versions| {
        if let Some(newest) = versions.first() {
            then(model, newest, &versions);
        }
    });
}

fn show_history(model: &mut Model) {
    read_versions(model, |model, newest, versions| {
        let title = format!("History of your {}", Visible::line(&profile_words(&newest.namespace)));
        let doc = pages(model, versions);
        model.push(Page::new(title, doc));
    });
}

/// Asks which earlier version to go back to. If the user is looking at one, it is that one.
fn ask_revert(model: &mut Model) {
    let earlier = model.memory.versions.as_ref().filter(|versions| versions.shown_index > 0);
    let earlier =
        earlier.and_then(|versions| Some((versions.shown()?.clone(), versions.history.first()?.clone())));
    if let Some((version, newest)) = earlier {
        return confirm_revert(model, version, &newest.profile);
    }
    read_versions(model, |model, newest, versions| {
        let rows = versions.iter().skip(1).map(|version| {
            let first = version.profile.lines().next().unwrap_or_default();
            let text = format!("{:<44} {}", describe(model, version), Visible::line(first));
            let (version, profile) = (version.clone(), newest.profile.clone());
            Choice::new(text, move |model| confirm_revert(model, version, &profile))
        });
        let rows: Vec<Choice> = rows.collect();
        if rows.is_empty() {
            model.say("There is no earlier version");
        } else {
            model.push(Menu::new("Go back to which version?", rows));
        }
    });
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
fn confirm_revert(model: &mut Model, version: MemoryVersion, current: &str) {
    let page =
        Doc::page("What would change", "", vec![Block::Diff(changed_lines(current, &version.profile))]);
    let (namespace, version) = (version.namespace, version.version);
    let why = "It becomes the newest version; the ones between stay in the history.";
    model.push(Confirm::new(format!("Go back to version {version}?"), why, page, move |model| {
        change(model, async move |inbox: Inbox| {
            let view = inbox.memory().revert(namespace, version).await?;
            Ok(format!("Back to version {version}, saved as version {}", view.newest.version))
        });
    }));
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
