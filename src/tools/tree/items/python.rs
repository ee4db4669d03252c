//! Python: classes, their methods, functions, and top-level constants.

use super::{ITEMS, Item, Lines, depth_after, only_quotes, outside, sentence, word};

/// A class or function that encloses a line.
struct Within {
    indent: usize,
    /// The class; `None` inside a function.
    class: Option<String>,
}

pub(super) fn items(lines: &Lines<'_>) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    let mut within: Vec<Within> = Vec::new();
    let mut depth = 0;
    for (at, code) in lines.code.iter().enumerate() {
        if items.len() >= ITEMS {
            break;
        }
        let open = depth;
        depth = depth_after(depth, code, b"([{", b")]}");
        let bare = code.trim();
        if open > 0 || only_quotes(bare) {
            continue;
        }
        let indent = code.len() - code.trim_start().len();
        within.retain(|one| one.indent < indent);
        let (kind, rest) = match bare {
            _ if bare.starts_with("class ") => ("class", &bare[6..]),
            _ if bare.starts_with("def ") => ("function", &bare[4..]),
            _ if bare.starts_with("async def ") => ("function", &bare[10..]),
            _ => {
                if indent == 0
                    && let Some(item) = constant(bare, at)
                {
                    items.push(item);
                }
                continue;
            }
        };
        let name = word(rest);
        let owner = match within.last() {
            None => Some(String::new()),
            Some(Within { class, .. }) if within.len() < 3 => class.as_ref().map(|class| format!("{class}.")),
            Some(_) => None,
        };
        let full = owner.as_ref().map(|owner| format!("{owner}{name}"));
        within.push(Within { indent, class: full.clone().filter(|_| kind == "class") });
        let dunder = name.starts_with("__") && name.ends_with("__");
        let Some(full) = full.filter(|_| !name.is_empty() && !dunder) else { continue };
        let (signature, end) = lines.gather(at, |code| outside(code, b":"));
        let method = kind == "function" && full.contains('.');
        let property = method && at > 0 && is_property(lines.code[at - 1]);
        let signature = signature.trim_start_matches("async ").trim_start_matches("def ");
        let item = Item {
            kind: if method { "method" } else { kind },
            public: !full.split('.').any(|part| part.starts_with('_')),
            signature: format!("{}{signature}", if property { "@property " } else { "" }),
            about: docstring(lines, end + 1),
            line: at as u32 + 1,
            end: None,
            calls: Vec::new(),
            name: full,
        };
        // Overloads come before the documented definition.
        match items.iter_mut().find(|other| other.name == item.name) {
            Some(other) if other.about.is_empty() => *other = item,
            Some(_) => {}
            None => items.push(item),
        }
    }
    items
}

fn is_property(decorator: &str) -> bool {
    let name = decorator.trim().rsplit('.').next().unwrap_or_default();
    name.trim_start_matches('@').ends_with("property")
}

/// `NAME = …` or `NAME: …`.
fn constant(code: &str, at: usize) -> Option<Item> {
    let name = word(code);
    let loud =
        name.len() > 1 && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    let rest = code[name.len()..].trim_start();
    let set = rest.starts_with(':') || (rest.starts_with('=') && !rest.starts_with("=="));
    (loud && set && !name.starts_with('_')).then(|| Item {
        kind: "constant",
        name: name.to_owned(),
        line: at as u32 + 1,
        end: None,
        calls: Vec::new(),
        signature: name.to_owned(),
        about: String::new(),
        public: true,
    })
}

/// The first sentence of the docstring near line `at`, if there is one.
fn docstring(lines: &Lines<'_>, at: usize) -> String {
    let Some(at) = (at..lines.written.len()).take(3).find(|at| !lines.written[*at].trim().is_empty()) else {
        return String::new();
    };
    let first = lines.written[at].trim().trim_start_matches(['r', 'R', 'u', 'U']);
    let Some(mark) = ["\"\"\"", "'''", "\"", "'"].into_iter().find(|mark| first.starts_with(mark)) else {
        return String::new();
    };
    let mut text_lines = Vec::new();
    for (n, line) in lines.written[at..].iter().take(40).enumerate() {
        let line = if n == 0 { &first[mark.len()..] } else { line.trim() };
        let end = line.find(mark);
        text_lines.push(line[..end.unwrap_or(line.len())].trim());
        if end.is_some() || mark.len() == 1 {
            break;
        }
    }
    sentence(&text_lines)
}
