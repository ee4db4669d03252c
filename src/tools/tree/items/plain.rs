//! Declarations on unindented lines, for languages that are read no further.

use super::super::language::Family;
use super::{Item, Lines, word};

/// The words that start a declaration, and what it declares.
const DECLARED: &[(Family, &str, &str)] = &[
    (Family::Jvm, "public class ", "class"),
    (Family::Jvm, "public final class ", "class"),
    (Family::Jvm, "public abstract class ", "class"),
    (Family::Jvm, "public interface ", "interface"),
    (Family::Jvm, "public enum ", "enum"),
    (Family::Jvm, "public record ", "record"),
    (Family::Jvm, "class ", "class"),
    (Family::Jvm, "data class ", "class"),
    (Family::Jvm, "interface ", "interface"),
    (Family::C, "struct ", "struct"),
    (Family::C, "class ", "class"),
];

pub(super) fn types(family: Family, lines: &Lines<'_>) -> Vec<Item> {
    let declared = |(at, code): (usize, &&str)| {
        let (kind, rest) = DECLARED.iter().find_map(|(of, start, kind)| {
            (*of == family).then(|| code.strip_prefix(start)).flatten().map(|rest| (*kind, rest))
        })?;
        let name = word(rest);
        (!name.is_empty()).then(|| Item {
            kind,
            name: name.to_owned(),
            line: at as u32 + 1,
            end: None,
            calls: Vec::new(),
            signature: code.trim_end_matches(['{', ' ', ';']).to_owned(),
            about: lines.block_above(at),
            public: true,
        })
    };
    lines.code.iter().enumerate().filter_map(declared).collect()
}

pub(super) fn targets(lines: &Lines<'_>) -> Vec<Item> {
    let target = |(at, code): (usize, &&str)| {
        let (name, rest) = code.split_once(':')?;
        let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
        let named = !name.is_empty() && name.chars().all(plain) && !rest.starts_with('=');
        named.then(|| Item {
            kind: "target",
            name: name.to_owned(),
            line: at as u32 + 1,
            end: None,
            calls: Vec::new(),
            signature: format!("make {name}"),
            about: lines.above(at, "#", |line| line.starts_with(".PHONY")),
            public: true,
        })
    };
    lines.code.iter().enumerate().filter_map(target).collect()
}
