//! `config.example.toml` shows every key, and every default as it is.

use std::collections::BTreeSet;

use super::*;
use crate::config::document::Document;
use crate::config::resolve::File;

const EXAMPLE: &str = include_str!("../../../config.example.toml");

/// The example with its optional settings switched on.
fn whole_text() -> String {
    EXAMPLE
        .lines()
        .map(|line| match line.strip_prefix('#') {
            Some(setting) if !setting.is_empty() && !setting.starts_with(' ') => format!("{setting}\n"),
            _ => format!("{line}\n"),
        })
        .collect()
}

fn read(text: &str) -> Result<File, Error> {
    Document::parse(Path::new(FILE), text, &inputs().host, Path::new("/x"))?.read()
}

#[test]
fn the_example_shows_every_default() {
    assert_eq!(read(EXAMPLE).unwrap(), File::default());
    let whole = whole_text();
    // A secret is kept in one place; the example shows all three.
    let is_kept = |line: &&str| !line.contains("_command = ") && !line.contains("_file = ");
    let optional: Vec<_> = whole.lines().filter(is_kept).collect();
    assert!(read(&optional.join("\n")).unwrap() != File::default());
}

/// The keys that the refusal of an unknown one lists.
fn known(text: &str) -> Vec<String> {
    let error = read(text).unwrap_err().to_string();
    let list = error.split_once(" are ").unwrap_or_else(|| panic!("{text}: {error}")).1;
    list.split(", ").map(str::to_owned).collect()
}

#[test]
fn the_example_has_every_key() {
    let text = whole_text();
    let inputs = inputs();
    let document = Document::parse(Path::new(FILE), &text, &inputs.host, Path::new("/x")).unwrap();
    // Without the names and the numbers of sections: models.cheap.name is models.name here.
    let written: BTreeSet<(String, String)> = document
        .rows()
        .iter()
        .map(|(name, _)| {
            let words: Vec<&str> = name.split('.').collect();
            let section = words.iter().filter(|word| ["outgoing", "handled"].contains(word));
            let section: Vec<&str> = [words[0]].into_iter().chain(section.copied()).collect();
            (section.join("."), words.last().copied().unwrap_or_default().to_owned())
        })
        .collect();
    let has = |section: &str, key: &str| {
        assert!(written.contains(&(section.to_owned(), key.to_owned())), "[{section}] {key} is left out");
    };
    for section in known("zzzz = 1") {
        let nested = |name: &str| known(&format!("[[mail]]\n[mail.{name}]\nzzzz = 1"));
        let keys = match section.as_str() {
            "keys" => vec!["accept".to_owned()],
            "workflow" => ["model", "final_model", "expire"].map(str::to_owned).to_vec(),
            "models" | "prices" | "policy" | "apis" => known(&format!("[{section}.x]\nzzzz = 1")),
            "mail" | "rule" | "server" | "command" => known(&format!("[[{section}]]\nzzzz = 1")),
            _ => known(&format!("[{section}]\nzzzz = 1")),
        };
        for key in keys {
            match key.as_str() {
                "outgoing" | "handled" => {
                    nested(&key).iter().for_each(|inner| has(&format!("{section}.{key}"), inner));
                }
                key => has(&section, key),
            }
        }
    }
}
