//! What is done with a profile in the Memory tab: its versions, and how a person writes the next one.

use super::list::{change, read};
use super::rows;
use crate::inbox::door::{Inbox, profile_words, rows_named};
use crate::inbox::{Block, MemoryVersion, changed_lines};
use crate::text::{Visible, count_noun};
use crate::tui::card::Doc;
use crate::tui::layers::{Choice, Confirm, Menu, Page, Prompt};
use crate::tui::model::Model;

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
        model.memory.page_top = Default::default();
    }
}

/// Opens the selected profile in the user's editor; its text becomes the next version, unless nothing changed.
pub fn edit(model: &mut Model) {
    let Some(line) = model.memory.profile().cloned() else { return };
    model.edit(line.profile.clone(), "md", move |model, text| {
        if line.profile.trim_end() == text.trim_end() {
            return model.say("Nothing changed");
        }
        remember(model, line.namespace, line.version, &line.profile, text.trim_end().to_owned());
    });
}

/// Writes a profile on top of the version that was read, and offers what sayso itself can act on as a row.
pub fn remember(model: &mut Model, namespace: String, version: u64, before: &str, profile: String) {
    let named = rows_named(&namespace, before, &profile);
    let work = async move |inbox: Inbox| inbox.memory().edit(namespace, version, profile).await;
    model.start(work, move |model, result| {
        if let Some(view) = model.ok_or_fail(result) {
            let saved = format!("Saved as version {}", view.newest.version);
            model.say(match &named {
                Some(keys) if keys.is_empty() => {
                    let how = model.spell("<add_line> in the list of rows makes sayso act");
                    format!("{saved} · only the model reads it; {how}")
                }
                _ => saved,
            });
            named.into_iter().flatten().for_each(|key| rows::offer(model, key));
        }
        read(model);
    });
}

pub fn ask_line(model: &mut Model) {
    model.push(Prompt::new(("+", "one more line for this profile", "add it"), "", |model, prompt| {
        let line = prompt.text().trim();
        if let Some(selected) = model.memory.profile().filter(|_| !line.is_empty()).cloned() {
            let profile = with_line(&selected.profile, line);
            remember(model, selected.namespace, selected.version, &selected.profile, profile);
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
pub fn ask_pins(model: &mut Model) {
    let Some(namespace) = model.memory.profile().map(|line| line.namespace.clone()) else { return };
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
            model.refuse("There is no line to pin · <add_line> adds one");
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
    let Some(namespace) = model.memory.profile().map(|line| line.namespace.clone()) else { return };
    let work = async move |inbox: Inbox| inbox.memory().history(namespace).await;
    model.read(work, move |model, versions| {
        if let Some(newest) = versions.first() {
            then(model, newest, &versions);
        }
    });
}

pub fn show_history(model: &mut Model) {
    read_versions(model, |model, newest, versions| {
        let title = format!("History of your {}", Visible::line(&profile_words(&newest.namespace)));
        let doc = pages(model, versions);
        model.push(Page::new(title, doc));
    });
}

/// Asks which earlier version to go back to. If the user is looking at one, it is that one.
pub fn ask_revert(model: &mut Model) {
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
