//! Go: top-level functions, methods and types.

use super::{Item, Lines, depth_after, word};

pub(super) fn items(lines: &Lines<'_>) -> Vec<Item> {
    let mut items = Vec::new();
    let mut depth = 0;
    for (at, code) in lines.code.iter().enumerate() {
        let outer_depth = depth;
        depth = depth_after(depth, code, b"({", b")}");
        if outer_depth > 0 {
            continue;
        }
        let Some((kind, name)) = declared(code) else { continue };
        let last = name.rsplit('.').next().unwrap_or_default();
        if last.is_empty() {
            continue;
        }
        let (signature, _) = lines.gather(at, |code| {
            let end = code.rfind('{').unwrap_or(code.len());
            (depth_after(0, &code[..end], b"(", b")") == 0).then_some(end)
        });
        items.push(Item {
            kind,
            public: name.split('.').all(|part| part.starts_with(char::is_uppercase)),
            line: at as u32 + 1,
            end: None,
            calls: Vec::new(),
            signature,
            about: lines.above(at, "//", |_| false),
            name,
        });
    }
    items
}

fn declared(code: &str) -> Option<(&'static str, String)> {
    if let Some(rest) = code.strip_prefix("type ") {
        let name = word(rest).to_owned();
        let kind =
            if rest[name.len()..].trim_start().starts_with("interface") { "interface" } else { "type" };
        return Some((kind, name));
    }
    let rest = code.strip_prefix("func ")?;
    match rest.strip_prefix('(') {
        None => Some(("function", word(rest).to_owned())),
        Some(rest) => {
            let (receiver, rest) = rest.split_once(')')?;
            let owner = receiver.split_whitespace().last()?.trim_start_matches('*');
            Some(("method", format!("{}.{}", word(owner), word(rest.trim_start()))))
        }
    }
}
