//! Rust: items at the top of a module, in `impl` blocks and in traits; nothing under `cfg(test)`.

use super::super::rust::implemented;
use super::{Item, Lines, depth_after, outside, word};

/// A block whose items we read.
struct Within {
    /// The brace depth inside it.
    depth: usize,
    /// The type its functions belong to.
    owner: Option<String>,
    /// Whether its functions are public, if the block decides that.
    public: Option<bool>,
    /// Whether it is only for tests, or implements a trait that is declared elsewhere.
    silent: bool,
}

pub(super) fn items(lines: &Lines<'_>) -> Vec<Item> {
    let mut items = Vec::new();
    let mut within: Vec<Within> = Vec::new();
    let (mut depth, mut next) = (0, 0);
    for (at, code) in lines.code.iter().enumerate() {
        let outer_depth = depth;
        depth = depth_after(depth, code, b"{", b"}");
        within.retain(|one| at < next || outer_depth >= one.depth);
        let inner = within.last().map_or(0, |one| one.depth);
        if at < next || outer_depth != inner || within.iter().any(|one| one.silent) {
            continue;
        }
        let Some((declared, end)) = declaration(lines, at) else { continue };
        next = end + 1;
        let block = opened(&declared, lines, outer_depth + 1);
        items.extend(item(declared, within.last()));
        within.extend(block);
    }
    items
}

/// The declaration on a line, with its name as written, and the line its head ends on.
fn declaration(lines: &Lines<'_>, at: usize) -> Option<(Item, usize)> {
    let (public, rest) = visibility(lines.code[at].trim());
    let rest = qualified(rest);
    let (keyword, kind) = keyword(rest)?;
    let marks: &[u8] = if matches!(kind, "constant" | "type") { b"{;=" } else { b"{;" };
    let (signature, end) = lines.gather(at, |code| outside(code, marks));
    let name = word(rest[keyword.len()..].trim_start()).to_owned();
    let about = lines.above(at, "///", |line| line.starts_with("#[") || line.ends_with(']'));
    let line = at as u32 + 1;
    Some((Item { kind, name, line, signature, about, public, ..Item::default() }, end))
}

/// The block a declaration opens, if we read its items.
fn opened(declared: &Item, lines: &Lines<'_>, depth: usize) -> Option<Within> {
    let block = Within { depth, owner: None, public: None, silent: false };
    match declared.kind {
        "impl" => Some(Within {
            owner: Some(implementor(&declared.signature)),
            silent: implemented(&declared.signature).is_some(),
            ..block
        }),
        "module" => {
            let mut above = lines.written[..declared.line as usize - 1].iter().rev().take(3);
            Some(Within { silent: above.any(|line| line.contains("cfg(test)")), ..block })
        }
        "trait" if !declared.name.is_empty() => {
            Some(Within { owner: Some(declared.name.clone()), public: Some(declared.public), ..block })
        }
        _ => None,
    }
}

/// The item for a declaration inside a block, if we list it.
fn item(declared: Item, within: Option<&Within>) -> Option<Item> {
    match declared.kind {
        "impl" => implemented(&declared.signature).map(|role| Item { name: role, public: false, ..declared }),
        "module" => None,
        _ if declared.name.is_empty() => None,
        "function" => {
            let public = within.and_then(|one| one.public).unwrap_or(declared.public);
            Some(match within.and_then(|one| one.owner.as_ref()) {
                Some(owner) => {
                    let name = format!("{owner}::{}", declared.name);
                    Item { kind: "method", name, public, ..declared }
                }
                None => Item { public, ..declared },
            })
        }
        kind => Some(Item { public: declared.public || kind == "macro", ..declared }),
    }
}

/// Whether it is public, and the rest of the code.
fn visibility(code: &str) -> (bool, &str) {
    match code.strip_prefix("pub") {
        Some(rest) if rest.starts_with(' ') => (true, rest.trim_start()),
        Some(rest) if rest.starts_with('(') => {
            (false, rest.split_once(')').map_or("", |(_, rest)| rest.trim_start()))
        }
        _ => (false, code),
    }
}

/// Strips the words that may come before `fn` and `impl`.
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

/// The keyword of a declaration, and what it declares.
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
            // Type parameters come before the type.
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
