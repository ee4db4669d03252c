//! JavaScript and TypeScript: exports, functions, classes with their methods, and members assigned to an object.

use super::{ITEMS, Item, Lines, depth_after, outside, word};
use std::collections::BTreeSet;

/// Words that start a statement and are not method names.
const STATEMENTS: [&str; 11] =
    ["if", "for", "while", "switch", "return", "catch", "function", "constructor", "super", "new", "throw"];

/// A class or namespace whose members we read.
struct Within {
    depth: usize,
    name: String,
    public: bool,
}

pub(super) fn items(lines: &Lines<'_>) -> Vec<Item> {
    let exported = exported(lines);
    let mut items: Vec<Item> = Vec::new();
    let mut within: Vec<Within> = Vec::new();
    let mut depth = 0;
    for (at, code) in lines.code.iter().enumerate() {
        if items.len() >= ITEMS {
            break;
        }
        let outer_depth = depth;
        depth = depth_after(depth, code, b"([{", b")]}");
        within.retain(|one| outer_depth >= one.depth);
        let bare = code.trim();
        let inner = within.last().map_or(0, |one| one.depth);
        if outer_depth != inner || bare.is_empty() {
            continue;
        }
        let declared = match within.last() {
            Some(class) => member(bare)
                .map(|(name, public)| ("method", format!("{}.{name}", class.name), public && class.public)),
            None => top(lines, at, bare, &exported),
        };
        let Some((kind, name, public)) = declared else { continue };
        let (signature, _) = lines.gather(at, |code| match kind {
            "property" => code.find('{'),
            _ => outside(code, b"{;").or_else(|| arrow(code)).or_else(|| complete_line(code)),
        });
        if matches!(kind, "class" | "interface") && signature_opens(lines, at) {
            within.push(Within { depth: outer_depth + 1, name: name.clone(), public });
        }
        if items.iter().any(|other| other.name == name) {
            continue;
        }
        let signature = signature.trim_start_matches("export ").trim_start_matches("default ");
        let signature =
            signature.strip_suffix("=>").unwrap_or(signature).trim_end_matches(['=', ' ']).to_owned();
        let about = lines.block_above(at);
        let line = at as u32 + 1;
        items.push(Item { kind, name, line, end: None, calls: Vec::new(), signature, about, public });
    }
    items
}

/// Whether the body of a declaration opens within its first lines.
fn signature_opens(lines: &Lines<'_>, at: usize) -> bool {
    lines.code[at..].iter().take(6).any(|code| code.contains('{'))
}

/// A line is complete without a semicolon if nothing is open.
fn complete_line(code: &str) -> Option<usize> {
    let bare = code.trim_end();
    let open = depth_after(0, bare, b"([{", b")]}") > 0;
    (!open && !bare.ends_with(['=', ',', '+', '&', '|', '.', '?', ':', '<'])).then_some(bare.len())
}

fn arrow(code: &str) -> Option<usize> {
    let at = code.find("=>")?;
    (depth_after(0, &code[..at], b"(", b")") == 0).then_some(at)
}

/// Names a file exports: `module.exports = …`, `exports.x = x`, `export { x }`, `export default x`.
fn exported(lines: &Lines<'_>) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut listing = false;
    for code in &lines.code {
        let bare = code.trim();
        let list = match bare {
            _ if listing => Some(bare),
            _ if bare.starts_with("export {") => Some(&bare[8..]),
            _ => bare.split_once("module.exports = {").map(|(_, rest)| rest),
        };
        if let Some(list) = list {
            let end = list.find('}');
            for one in list[..end.unwrap_or(list.len())].split(',') {
                names.insert(word(one.trim().trim_start_matches("...")).to_owned());
            }
            listing = end.is_none();
        } else if let Some((_, rest)) =
            bare.split_once("exports = ").or_else(|| bare.split_once("export default "))
        {
            names.insert(word(rest.rsplit("exports = ").next().unwrap_or(rest)).to_owned());
        } else if bare.starts_with("exports.") || bare.starts_with("module.exports.") {
            let value = bare.split_once('=').map_or("", |(_, rest)| rest.trim().trim_end_matches(';'));
            names.extend((word(value) == value).then(|| value.to_owned()));
        }
    }
    names
}

/// What a top-level line declares: its kind, its name, and whether it is public.
fn top(
    lines: &Lines<'_>,
    at: usize,
    bare: &str,
    exported: &BTreeSet<String>,
) -> Option<(&'static str, String, bool)> {
    let mut rest = bare;
    for word in ["export ", "default ", "declare ", "abstract ", "async "] {
        rest = rest.strip_prefix(word).unwrap_or(rest);
    }
    let is_exported = bare.starts_with("export ");
    for (start, kind) in [
        ("class ", "class"),
        ("function* ", "function"),
        ("function ", "function"),
        ("interface ", "interface"),
        ("enum ", "enum"),
        ("const enum ", "enum"),
        ("type ", "type"),
    ] {
        if let Some(rest) = rest.strip_prefix(start) {
            let name = word(rest.trim_start());
            let is_public = is_exported || exported.contains(name);
            return (!name.is_empty()).then(|| (kind, name.to_owned(), is_public));
        }
    }
    if let Some(rest) = ["const ", "let ", "var "].iter().find_map(|word| rest.strip_prefix(word)) {
        let name = word(rest);
        let value = rest[name.len()..].split_once('=').map_or("", |(_, value)| value.trim_start());
        let is_public = is_exported || exported.contains(name);
        let kind = if is_function(value) { "function" } else { "constant" };
        // A required module is declared elsewhere.
        let is_declaration =
            !name.is_empty() && (kind == "function" || is_public && !value.starts_with("require("));
        return is_declaration.then(|| (kind, name.to_owned(), is_public));
    }
    assigned(lines, at, rest).or_else(|| defined(lines.written[at].trim()))
}

/// `object.name = function …`, `exports.name = …`.
fn assigned(lines: &Lines<'_>, at: usize, bare: &str) -> Option<(&'static str, String, bool)> {
    let (path, value) = bare.split_once('=')?;
    let path = path.trim_end();
    let plain = path.split('.').all(|part| !part.is_empty() && word(part) == part);
    if !plain || !path.contains('.') || value.starts_with('=') || path == "module.exports" {
        return None;
    }
    let value = value.trim();
    let next = lines.code.get(at + 1).map_or("", |line| line.trim());
    // `a.get =` and `a.header = function` on the next line are two names of one function.
    let value = if value.is_empty() { next.rsplit("= ").next().unwrap_or_default() } else { value };
    let name = path.trim_start_matches("module.").trim_start_matches("exports.");
    let handed = name.len() < path.len();
    let kind = if is_function(value) { "function" } else { "constant" };
    (handed || kind == "function").then(|| (kind, name.to_owned(), !name.contains("._")))
}

/// `defineGetter(object, 'name', function …` and `Object.defineProperty(object, 'name', …`.
fn defined(written: &str) -> Option<(&'static str, String, bool)> {
    let (call, rest) = written.split_once('(')?;
    let defines = call.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '.'))
        && call.to_lowercase().contains("define");
    let (object, rest) = rest.split_once(',').filter(|_| defines)?;
    let quoted = rest.trim_start();
    let quote = quoted.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let name = quoted[1..].split_once(quote)?.0;
    let plain = !name.is_empty() && word(name) == name && word(object) == object;
    plain.then(|| ("property", format!("{object}.{name}"), true))
}

fn is_function(value: &str) -> bool {
    let value = value.trim_start_matches("async ");
    value.starts_with("function")
        || value.starts_with("class")
        || value.contains("=>") && (value.starts_with('(') || value.starts_with(char::is_alphabetic))
}

/// A method of a class, and whether it is public.
fn member(bare: &str) -> Option<(String, bool)> {
    let mut rest = bare;
    let mut public = true;
    for word in [
        "public ",
        "private ",
        "protected ",
        "static ",
        "override ",
        "abstract ",
        "readonly ",
        "async ",
        "get ",
        "set ",
        "*",
    ] {
        if let Some(after) = rest.strip_prefix(word) {
            public &= !matches!(word, "private " | "protected ");
            rest = after.trim_start();
        }
    }
    let name = word(rest);
    let call = rest[name.len()..].trim_start().trim_start_matches('?');
    let takes = call.starts_with('(') || call.starts_with('<');
    let is_method = takes && !name.is_empty() && !STATEMENTS.contains(&name);
    is_method.then(|| (name.to_owned(), public && !name.starts_with('_')))
}
