//! Answers quoted from files: the comments they begin with, or the names they declare.

use crate::text::words::{line, stem_set};
use crate::workflows::docs::facts::DocsFacts;

/// How many sentences an answer quotes.
const SENTENCES: usize = 3;

pub(super) fn answer(facts: &DocsFacts) -> String {
    let files: Vec<(&String, String)> =
        facts.files.iter().map(|(path, text)| (path, strip_line_numbers(text))).collect();
    if let Some((path, comment)) = files.iter().find_map(|(path, text)| Some((path, opening_comment(text)?)))
    {
        return format!("{comment} (`{path}`)");
    }
    let question_stems = stem_set(&facts.question);
    let mut matches: Vec<(usize, &str, &str)> = Vec::new();
    for (path, text) in &files {
        for sentence in
            text.lines().map(str::trim).filter(|line| line.starts_with("//") || line.starts_with('#'))
        {
            let shared = stem_set(sentence).intersection(&question_stems).count();
            if shared > 0 {
                matches.push((shared, path, sentence));
            }
        }
    }
    matches.sort_by_key(|(shared, ..)| std::cmp::Reverse(*shared));
    if let Some((_, path, sentence)) = matches.first() {
        return format!("{} (`{path}`)", line(sentence.trim_start_matches(['/', '#', '!', ' ']), 300));
    }
    match files.iter().find_map(|(path, text)| Some((path, declared_names(text)?))) {
        Some((path, names)) => format!("`{path}` says nothing of itself; it declares {names}."),
        None => "The files do not say.".to_owned(),
    }
}

/// A file excerpt without its line numbers.
fn strip_line_numbers(text: &str) -> String {
    let strip_number = |line: &str| {
        let rest = line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit());
        rest.strip_prefix("  ").map_or(line.to_owned(), str::to_owned)
    };
    text.lines().map(|line| strip_number(line) + "\n").collect()
}

/// The first sentences of the comment at the top of a file.
fn opening_comment(text: &str) -> Option<String> {
    let mut words: Vec<String> = Vec::new();
    let mut docstring_mark: Option<&str> = None;
    for row in text.lines().take(60) {
        let row = row.trim();
        if let Some(mark) = docstring_mark {
            let end = row.find(mark);
            words.push(row[..end.unwrap_or(row.len())].to_owned());
            if end.is_some() {
                break;
            }
            continue;
        }
        let comment =
            ["//!", "///", "//", "/**", "*/", "*", "# "].iter().find_map(|mark| row.strip_prefix(mark));
        match comment {
            _ if row.starts_with("#!") => {}
            None if row.starts_with("\"\"\"") || row.starts_with("'''") => {
                let (mark, rest) = row.split_at(3);
                let one_line = rest.split_once(mark).map(|(inside, _)| inside);
                words.push(one_line.unwrap_or(rest).to_owned());
                if one_line.is_some() {
                    break;
                }
                docstring_mark = Some(mark);
            }
            Some(comment) if comment.trim().is_empty() && !words.is_empty() => break,
            Some(comment) if comment.trim_start().starts_with("```") => break,
            Some(comment) => words.push(comment.trim().to_owned()),
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

fn declared_names(text: &str) -> Option<String> {
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
