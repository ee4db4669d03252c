//! `config.example.toml`: every section and key with its help, and its default or an example.

use super::keys::{Help, Section, Shape};
use super::sections::SECTIONS;

/// The widest a line of help may be.
const WIDTH: usize = 120;

const HEAD: &str = "\
# sayso's config. Every key is shown with its default; you need to write only what you want to change.
#
# It is looked for in this order: --config FILE, SAYSO_CONFIG, config.toml in the data folder, and the platform's
# config folder (~/.config/sayso/config.toml on Linux). `sayso config` shows the settings in effect and their origin.
#
# A line that begins with # directly before a key, without a space, is a setting that has no default: the value is an
# example. Paths may begin with ~, and relative ones start at this file's folder.
#
# Keys in sections that can appear only once can also be set by a variable: SAYSO_BUDGET__DAY=1.50 sets day in [budget].
";

/// The text of `config.example.toml`.
pub fn example() -> String {
    let mut text = HEAD.to_owned();
    for section in SECTIONS {
        text.push('\n');
        add_help(&mut text, section.about);
        add_keys(&mut text, section);
        add_samples(&mut text, section);
    }
    text
}

fn add_keys(text: &mut String, section: &Section) {
    let Section { name, sample_name, .. } = section;
    match section.shape {
        Shape::One => *text += &format!("[{name}]\n"),
        Shape::Array => *text += &format!("#[[{name}]]\n"),
        Shape::Named if sample_name.is_empty() => return,
        Shape::Named => *text += &format!("#[{name}.{sample_name}]\n"),
    }
    // Keys that appear in several nested sections are explained once.
    let mut explained: Vec<Help> = Vec::new();
    for (path, key) in section.full_keys() {
        if !explained.contains(&key.help) {
            add_help(text, key.help);
            explained.push(key.help);
        }
        let is_default = section.shape == Shape::One && key.shows_default();
        let mark = if is_default { "" } else { "#" };
        *text += &format!("{mark}{}\n", key.line(&path));
    }
}

fn add_samples(text: &mut String, section: &Section) {
    for line in section.samples.lines() {
        let mark = if line.is_empty() || line.starts_with('#') { "" } else { "#" };
        *text += &format!("{mark}{line}\n");
    }
}

/// Adds a comment, wrapped at `WIDTH`.
fn add_help(text: &mut String, help: Help) {
    let mut line = String::from("#");
    for word in help.iter().flat_map(|line| line.split_whitespace()) {
        if line.chars().count() + 1 + word.chars().count() > WIDTH {
            *text += &format!("{line}\n");
            line = String::from("#");
        }
        line.push(' ');
        line.push_str(word);
    }
    if line.len() > 1 {
        *text += &format!("{line}\n");
    }
}
