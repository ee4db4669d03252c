//! Checks of the sources and of what they are built from: imports go one way, every module has a head comment, no file
//! grows too long, and `cargo run` and `cargo test` share one build.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Which of our rooms each room may use. A room that is named with its floor has one part below and one above others.
const MAY_USE: &[(&str, &str)] = &[
    ("text", ""),
    ("dialects", ""),
    ("engine/graph", ""),
    ("config", "text"),
    ("inbox", "engine/graph text"),
    ("tools/web", "config text"),
    ("tools", "tools/web config text"),
    ("agent/llm", "tools/web config text"),
    ("mail", "tools/web config text"),
    ("calendar", "tools/web config text"),
    ("engine/store", "engine/graph inbox text"),
    ("engine/driver", "engine/store engine/graph inbox config text"),
    ("agent", "agent/llm engine/store engine/graph inbox mail calendar tools config text"),
    ("workflows", "agent agent/llm engine/graph inbox mail calendar tools config dialects text"),
    (
        "inbox/door",
        "engine/driver engine/store engine/graph workflows agent agent/llm mail calendar tools inbox config dialects text",
    ),
    (
        "connect",
        "inbox/door engine/driver engine/store engine/graph tools tools/web inbox config dialects text",
    ),
    (
        "app",
        "connect inbox/door workflows agent agent/llm engine/driver engine/store engine/graph inbox mail calendar tools \
         tools/web config dialects text",
    ),
    ("tui", "app inbox/door inbox engine/graph config text"),
    ("cli", "tui connect app inbox/door inbox engine/graph config dialects text"),
];

/// Files that may be longer than [`LONGEST`], each with the reason. There are none.
const LONG: &[&str] = &[];
const LONGEST: usize = 500;

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|ext| ext == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn name(path: &Path) -> String {
    path.strip_prefix(source()).unwrap().display().to_string()
}

/// The room a file belongs to; a file that only joins the floors of one belongs to none.
fn room(path: &Path) -> Option<&'static str> {
    let name = name(path).replace('\\', "/");
    let rooms = MAY_USE.iter().map(|(room, _)| *room);
    rooms.filter(|room| name.starts_with(&format!("{room}/"))).max_by_key(|room| room.len())
}

/// A program that names floors as one word: `crate::engine/store`.
fn with_floors(code: &str) -> String {
    let floors = MAY_USE.iter().map(|(room, _)| *room).filter(|room| room.contains('/'));
    floors.fold(code.to_owned(), |code, floor| {
        code.replace(&format!("crate::{}", floor.replace('/', "::")), &format!("crate::{floor}"))
    })
}

/// A source file without its comments and string literals.
fn code(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text.chars().peekable();
    let (mut line_comment, mut string) = (false, false);
    let mut before = ' ';
    while let Some(c) = rest.next() {
        match c {
            '\n' => {
                line_comment = false;
                out.push(c);
            }
            _ if line_comment => {}
            '\\' if string => {
                rest.next();
            }
            '"' if string => string = false,
            _ if string => {}
            '"' if before != '\'' => string = true,
            '/' if rest.peek() == Some(&'/') => line_comment = true,
            other => out.push(other),
        }
        before = c;
    }
    out
}

/// The modules a program names after `crate::`, alone or in braces.
fn uses(code: &str) -> BTreeSet<String> {
    let word = |text: &str| {
        text.chars().take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '/')).collect::<String>()
    };
    let mut found = BTreeSet::new();
    for (at, _) in code.match_indices("crate::") {
        let after = code[at + "crate::".len()..].trim_start();
        match after.strip_prefix('{') {
            None => {
                found.insert(word(after));
            }
            Some(list) => {
                let mut depth = 0;
                let mut start = true;
                for (place, c) in list.char_indices() {
                    match c {
                        '{' => depth += 1,
                        '}' if depth == 0 => break,
                        '}' => depth -= 1,
                        ',' if depth == 0 => start = true,
                        c if start && c.is_alphabetic() => {
                            found.insert(word(&list[place..]));
                            start = false;
                        }
                        _ => {}
                    }
                }
            }
        }
    }
    found
}

#[test]
fn imports_go_one_way() {
    let rooms: BTreeSet<&str> = MAY_USE.iter().flat_map(|(room, _)| [*room, first(room)]).collect();
    for path in files(&source()) {
        let Some(room) = room(&path) else {
            let name = name(&path);
            let joins = rooms.iter().any(|room| name == format!("{room}/mod.rs"));
            assert!(
                joins || matches!(name.as_str(), "lib.rs" | "main.rs"),
                "{name} has no place in the table"
            );
            continue;
        };
        let (_, allowed) = MAY_USE.iter().find(|(name, _)| *name == room).unwrap();
        for used in uses(&with_floors(&code(&fs::read_to_string(&path).unwrap()))) {
            let ours = rooms.contains(used.as_str());
            let fine = used == room || allowed.split(' ').any(|allowed| allowed == used);
            assert!(!ours || fine, "{}: `{room}` may not use `{used}`", name(&path));
        }
    }
}

/// The folder of a room with floors.
fn first(room: &str) -> &str {
    room.split('/').next().unwrap()
}

#[test]
fn no_two_rooms_use_each_other() {
    for (module, allowed) in MAY_USE {
        for used in allowed.split_whitespace() {
            let (_, theirs) = MAY_USE.iter().find(|(name, _)| *name == used).unwrap();
            assert!(
                !theirs.split(' ').any(|theirs| theirs == *module),
                "`{module}` and `{used}` use each other"
            );
        }
    }
}

/// The folders inside a folder, at any depth.
fn folders(folder: &Path) -> Vec<PathBuf> {
    let inside: BTreeSet<PathBuf> =
        files(folder).iter().flat_map(|file| file.ancestors().skip(1)).map(Path::to_owned).collect();
    inside.into_iter().filter(|inside| inside.starts_with(folder) && inside != folder).collect()
}

#[test]
fn no_folder_has_a_cycle() {
    for folder in folders(&source()) {
        let shown = name(&folder);
        let prefix = format!("crate::{}::", shown.replace('/', "::"));
        let mut uses_of: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for path in files(&folder) {
            let inside = path.strip_prefix(&folder).unwrap().with_extension("");
            let mut place: Vec<String> =
                inside.iter().map(|part| part.to_string_lossy().into_owned()).collect();
            if place.last().is_some_and(|last| last == "mod") {
                place.pop();
            }
            // Tests may use everything.
            if place.iter().any(|part| part.ends_with("tests")) {
                continue;
            }
            let Some(part) = place.first().cloned() else { continue };
            // `super` in a part's own file is the folder's module; each folder below needs one more.
            let text = code(&fs::read_to_string(&path).unwrap());
            let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
            let text = text.replace(&"super::".repeat(place.len()), &prefix).replace(&prefix, "inside::");
            let text = text.replace("crate::", "outside::").replace("inside::", "crate::");
            uses_of.entry(part).or_default().extend(uses(&text));
        }
        let mut left = uses_of;
        // Remove whatever uses nothing that is left; what remains is a cycle, or leads to one.
        while let Some(leaf) = left
            .iter()
            .find(|(part, used)| !used.iter().any(|used| used != *part && left.contains_key(used)))
            .map(|(part, _)| part.clone())
        {
            left.remove(&leaf);
        }
        assert!(left.is_empty(), "`{shown}` has a cycle through {:?}", left.keys());
    }
}

#[test]
fn imports_are_found_wherever_they_are() {
    let text = "use crate::{store::{Store, lists}, text}; // crate::mail\nlet x = crate::calendar::Next; \"crate::tui\"";
    let found: Vec<String> = uses(&code(text)).into_iter().collect();
    assert_eq!(found, ["calendar", "store", "text"]);
}

#[test]
fn every_file_says_what_it_is() {
    let silent: Vec<String> = files(&source())
        .into_iter()
        .filter(|path| !fs::read_to_string(path).unwrap().starts_with("//!"))
        .map(|path| name(&path))
        .filter(|name| name != "main.rs")
        .collect();
    assert_eq!(silent, Vec::<String>::new(), "these have no module comment");
}

#[test]
fn no_file_grows_out_of_hand() {
    let long: Vec<String> = files(&source())
        .into_iter()
        .map(|path| (name(&path), fs::read_to_string(&path).unwrap().lines().count()))
        .filter(|(name, lines)| *lines > LONGEST && !LONG.contains(&name.as_str()))
        .map(|(name, lines)| format!("{name}: {lines} lines"))
        .collect();
    assert_eq!(long, Vec::<String>::new(), "these are too long");
}

#[test]
fn every_dependency_has_its_reason_and_none_is_openssl() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |name: &str| fs::read_to_string(root.join(name)).unwrap();
    let manifest: toml::Table = read("Cargo.toml").parse().unwrap();
    let linux = &manifest["target"]["cfg(target_os = \"linux\")"]["dependencies"];
    let tables = [&manifest["dependencies"], &manifest["dev-dependencies"], linux];
    let dependencies: BTreeSet<String> =
        tables.iter().flat_map(|table| table.as_table().unwrap().keys().cloned()).collect();
    let page = read("docs/dependencies.md");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` | "));
    // Crates that occur twice have a table of their own, without a licence.
    let listed: BTreeSet<String> =
        rows.filter(|(_, rest)| rest.matches(" | ").count() == 1).map(|(name, _)| name.to_owned()).collect();
    assert_eq!(listed, dependencies);
    let lock: toml::Table = read("Cargo.lock").parse().unwrap();
    for package in lock["package"].as_array().unwrap() {
        let name = package["name"].as_str().unwrap();
        assert!(!matches!(name, "openssl" | "openssl-sys" | "native-tls"), "{name} is in Cargo.lock");
    }
}

#[test]
fn tests_build_nothing_of_the_program_anew() {
    let built = |edges: &str| {
        let mut tree = std::process::Command::new(env!("CARGO"));
        tree.args(["tree", "--offline", "--locked", "--prefix", "none", "-f", "{p} [{f}]", "-e", edges]);
        let tree = tree.current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
        assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
        let lines = String::from_utf8(tree.stdout).unwrap();
        lines.lines().map(|line| line.trim_end_matches(" (*)").to_owned()).collect::<BTreeSet<_>>()
    };
    let (run, test) = (built("normal,build"), built("normal,build,dev"));
    let other: Vec<_> = run.difference(&test).collect();
    assert!(
        run.len() > 100 && other.is_empty(),
        "name the features that tests switch on in Cargo.toml: {other:?}"
    );
}
