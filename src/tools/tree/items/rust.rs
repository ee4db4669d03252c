//! Rust: what stands at the top of a module, in `impl` blocks and in traits; nothing under `cfg(test)`.

use super::{Item, Lines, depth_after, outside, word};

/// A block that is looked into.
struct Within {
    /// How deep braces are inside it.
    depth: usize,
    /// The type its functions belong to.
    owner: Option<String>,
    /// What its functions are for others, where the block says so.
    public: Option<bool>,
    /// Whether it is only there for tests, or carries out a trait that is declared elsewhere.
    silent: bool,
}

pub(super) fn items(lines: &Lines<'_>) -> Vec<Item> {
    let mut found = Vec::new();
    let mut within: Vec<Within> = Vec::new();
    let (mut depth, mut next) = (0, 0);
    for (at, code) in lines.code.iter().enumerate() {
        let here = depth;
        depth = depth_after(depth, code, b"{", b"}");
        within.retain(|one| at < next || here >= one.depth);
        let inner = within.last().map_or(0, |one| one.depth);
        if at < next || here != inner || within.iter().any(|one| one.silent) {
            continue;
        }
        let bare = code.trim();
        let (seen, rest) = visibility(bare);
        let rest = qualified(rest);
        let Some(kind) = keyword(rest) else { continue };
        let marks: &[u8] = if matches!(kind.1, "constant" | "type") { b"{;=" } else { b"{;" };
        let (signature, end) = lines.gather(at, |code| outside(code, marks));
        next = end + 1;
        let name = word(rest[kind.0.len()..].trim_start());
        let block = |owner: Option<String>, public: Option<bool>, silent: bool| Within {
            depth: here + 1,
            owner,
            public,
            silent,
        };
        let (line, about) =
            (at as u32 + 1, lines.above(at, "///", |line| line.starts_with("#[") || line.ends_with(']')));
        let declared = |kind: &'static str, name: String, public: bool| Item {
            kind,
            name,
            line,
            end: None,
            calls: Vec::new(),
            signature: signature.clone(),
            about: about.clone(),
            public,
        };
        match kind.1 {
            "impl" => {
                let role = super::super::rust::implemented(&signature);
                if let Some(role) = &role {
                    found.push(declared("impl", role.clone(), false));
                }
                within.push(block(Some(implementor(&signature)), None, role.is_some()));
            }
            "module" => {
                let tests = lines.written[..at].iter().rev().take(3).any(|line| line.contains("cfg(test)"));
                within.push(block(None, None, tests));
            }
            _ if name.is_empty() => {}
            "function" => {
                let owner = within.last().and_then(|one| one.owner.as_ref());
                let public = within.last().and_then(|one| one.public).unwrap_or(seen);
                found.push(match owner {
                    Some(owner) => declared("method", format!("{owner}::{name}"), public),
                    None => declared("function", name.to_owned(), public),
                });
            }
            other => {
                found.push(declared(other, name.to_owned(), seen || other == "macro"));
                if other == "trait" {
                    within.push(block(Some(name.to_owned()), Some(seen), false));
                }
            }
        }
    }
    found
}

/// Whether it is there for others, and what follows.
fn visibility(code: &str) -> (bool, &str) {
    match code.strip_prefix("pub") {
        Some(rest) if rest.starts_with(' ') => (true, rest.trim_start()),
        Some(rest) if rest.starts_with('(') => {
            (false, rest.split_once(')').map_or("", |(_, rest)| rest.trim_start()))
        }
        _ => (false, code),
    }
}

/// Less the words that may stand before `fn` and `impl`.
fn qualified(code: &str) -> &str {
    let mut rest = code;
    for word in ["default ", "const ", "async ", "unsafe ", "extern "] {
        if let Some(after) = rest.strip_prefix(word)
            && (word != "const "
                || ["fn ", "async ", "unsafe ", "extern "].iter().any(|next| after.starts_with(next)))
        {
            rest = if word == "extern " { after.trim_start_matches(['"', ' ']) } else { after };
        }
    }
    rest
}

/// What a declaration begins with, and what it declares.
fn keyword(code: &str) -> Option<(&'static str, &'static str)> {
    [
        ("fn ", "function"),
        ("struct ", "struct"),
        ("enum ", "enum"),
        ("union ", "union"),
        ("trait ", "trait"),
        ("type ", "type"),
        ("const ", "constant"),
        ("static ", "constant"),
        ("macro_rules! ", "macro"),
        ("mod ", "module"),
        ("impl ", "impl"),
        ("impl<", "impl"),
    ]
    .into_iter()
    .find(|(word, _)| code.starts_with(word))
    .filter(|(word, _)| *word != "mod " || code.contains('{'))
}

/// The type an `impl` is for.
fn implementor(signature: &str) -> String {
    let head = signature.split(" where ").next().unwrap_or(signature);
    let subject = match head.split_once(" for ") {
        Some((_, subject)) => subject,
        None => {
            let after = head.trim_start_matches("impl");
            // Type parameters stand before the type.
            match after.strip_prefix('<') {
                Some(rest) => {
                    let mut depth = 1usize;
                    let end = rest.char_indices().find_map(|(at, c)| {
                        depth = match c {
                            '<' => depth + 1,
                            '>' => depth - 1,
                            _ => depth,
                        };
                        (depth == 0).then_some(at + 1)
                    });
                    &rest[end.unwrap_or(rest.len())..]
                }
                None => after,
            }
        }
    };
    let path = subject.trim().split('<').next().unwrap_or_default();
    word(path.rsplit("::").next().unwrap_or_default().trim_start_matches(['&', ' '])).to_owned()
}
