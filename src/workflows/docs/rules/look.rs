//! Answers quoted from files: the comments they begin with, or the names they declare.

use crate::text::words::{line, stem_set};
use crate::workflows::docs::facts::DocsFacts;

/// How many sentences an answer quotes.
const SENTENCES: usize = 3;

pub(super) fn answer(facts: &DocsFacts) -> String {
    let files: Vec<(&String, String)> =
        facts.files.iter().map(|(path, text)| (path, unnumbered(text))).collect();
    if let Some((path, said)) = files.iter().find_map(|(path, text)| Some((path, opening(text)?))) {
        return format!("{said} (`{path}`)");
    }
    let wanted = stem_set(&facts.question);
    let mut best: Vec<(usize, &str, &str)> = Vec::new();
    for (path, text) in &files {
        for sentence in
            text.lines().map(str::trim).filter(|line| line.starts_with("//") || line.starts_with('#'))
        {
            let shared = stem_set(sentence).intersection(&wanted).count();
            if shared > 0 {
                best.push((shared, path, sentence));
            }
        }
    }
    best.sort_by_key(|(shared, ..)| std::cmp::Reverse(*shared));
    if let Some((_, path, sentence)) = best.first() {
        return format!("{} (`{path}`)", line(sentence.trim_start_matches(['/', '#', '!', ' ']), 300));
    }
    match files.iter().find_map(|(path, text)| Some((path, declared(text)?))) {
        Some((path, names)) => format!("`{path}` says nothing of itself; it declares {names}."),
        None => "The files do not say.".to_owned(),
    }
}

/// A file excerpt without its line numbers.
fn unnumbered(text: &str) -> String {
    let bare = |line: &str| {
        let number = line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit());
        number.strip_prefix("  ").map_or(line.to_owned(), str::to_owned)
    };
    text.lines().map(|line| bare(line) + "\n").collect()
}

/// The first sentences of the comment at the top of a file.
fn opening(text: &str) -> Option<String> {
    let mut words: Vec<String> = Vec::new();
    let mut quote: Option<&str> = None;
    for row in text.lines().take(60) {
        let row = row.trim();
        if let Some(mark) = quote {
            let end = row.find(mark);
            words.push(row[..end.unwrap_or(row.len())].to_owned());
            if end.is_some() {
                break;
            }
            continue;
        }
        let said =
            ["//!", "///", "//", "/**", "*/", "*", "# "].iter().find_map(|mark| row.strip_prefix(mark));
        match said {
            _ if row.starts_with("#!") => {}
            None if row.starts_with("\"\"\"") || row.starts_with("'''") => {
                let (mark, rest) = row.split_at(3);
                let closed = rest.split_once(mark).map(|(inside, _)| inside);
                words.push(closed.unwrap_or(rest).to_owned());
                if closed.is_some() {
                    break;
                }
                quote = Some(mark);
            }
            Some(said) if said.trim().is_empty() && !words.is_empty() => break,
            Some(said) if said.trim_start().starts_with("```") => break,
            Some(said) => words.push(said.trim().to_owned()),
            None if row.is_empty() && words.is_empty() => {}
            None => break,
        }
    }
    let text = words.join(" ");
    let text = text.trim();
    let lower = text.to_lowercase();
    if text.len() < 12 || lower.contains("copyright") || lower.contains("licen") {
        return None;
    }
    let mut ends = text.match_indices(". ").map(|(at, _)| at + 1);
    let end = ends.nth(SENTENCES - 1).unwrap_or(text.len());
    Some(line(&text[..end], 360))
}

/// The names a file declares.
fn declared(text: &str) -> Option<String> {
    let starts = [
        "pub fn ",
        "pub struct ",
        "pub enum ",
        "pub trait ",
        "class ",
        "def ",
        "func ",
        "export function ",
        "function ",
    ];
    let mut names: Vec<String> = Vec::new();
    for row in text.lines() {
        let Some(rest) = starts.iter().find_map(|start| row.strip_prefix(start)) else { continue };
        let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        if !name.is_empty() && names.len() < 8 {
            names.push(format!("`{name}`"));
        }
    }
    if names.is_empty() { None } else { Some(names.join(", ")) }
}
