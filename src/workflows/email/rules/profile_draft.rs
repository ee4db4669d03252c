//! A profile while lines of it are added, changed or dropped.

use super::profile::strip_bullet;
use crate::agent::lesson::{MemoryFacts, MemoryUpdate};
use crate::text::words::{line, stem_set};

/// The maximum length of a line we write.
pub(super) const MAX_LINE: usize = 200;

/// The profile while we change it.
pub(super) struct ProfileDraft<'a> {
    lines: Vec<String>,
    lacks_final_newline: bool,
    pinned: &'a [String],
    pub notes: Vec<String>,
}

impl<'a> ProfileDraft<'a> {
    pub fn new(facts: &'a MemoryFacts) -> Self {
        Self {
            lines: facts.profile.lines().map(str::to_owned).collect(),
            lacks_final_newline: !facts.profile.is_empty() && !facts.profile.ends_with('\n'),
            pinned: &facts.pinned,
            notes: Vec::new(),
        }
    }

    pub fn text(&self) -> String {
        let mut text = self.lines.join("\n");
        if !self.lacks_final_newline && !text.is_empty() {
            text.push('\n');
        }
        text
    }

    pub fn is_pinned(&self, index: usize) -> bool {
        self.lines
            .get(index)
            .is_some_and(|line| self.pinned.iter().any(|pin| strip_bullet(pin) == strip_bullet(line)))
    }

    pub fn add(&mut self, text: &str) {
        let text = line(text, MAX_LINE);
        self.notes.push(format!("Added “{text}”."));
        self.lines.push(format!("- {text}"));
    }

    pub fn replace(&mut self, index: usize, text: &str) {
        let text = line(text, MAX_LINE);
        if let Some(old) = self.lines.get_mut(index) {
            self.notes.push(format!("Changed “{}” to “{text}”.", strip_bullet(old)));
            *old = format!("- {text}");
        }
    }

    pub fn remove(&mut self, index: usize) {
        self.lines.remove(index);
    }

    pub fn note(&mut self, text: impl Into<String>) {
        self.notes.push(text.into());
    }

    /// Sets the line for `topic` ("Length: …"): changes the existing line, or adds one.
    pub fn set(&mut self, topic: &str, text: &str) {
        let text = format!("{topic}: {text}");
        match self.lines.iter().position(|line| strip_bullet(line).starts_with(&format!("{topic}:"))) {
            Some(index) if strip_bullet(&self.lines[index]) == text => {
                self.note(format!("“{text}” is already there."))
            }
            Some(index) if self.is_pinned(index) => self.note(format!("The pinned line on {topic} stays.")),
            Some(index) => self.replace(index, &text),
            None => self.add(&text),
        }
    }

    /// Adds a sentence from the person, unless a line with the same words exists.
    pub fn remember(&mut self, words: &str) {
        let stems = stem_set(words);
        if stems.is_empty() || self.lines.iter().any(|line| stem_set(strip_bullet(line)) == stems) {
            self.note("That is already there.");
        } else {
            self.add(words.trim_end_matches(['.', ' ']));
        }
    }

    pub fn finish(self) -> MemoryUpdate {
        let reasoning =
            if self.notes.is_empty() { "Nothing to learn.".to_owned() } else { self.notes.join(" ") };
        MemoryUpdate { reasoning, profile: self.text() }
    }
}
