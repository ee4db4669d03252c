//! What README and docs tell people to type: every command is one the program takes, every config one it reads.

use crate::runner::{Cli, captured, run};
use std::path::{Path, PathBuf};

/// What stays until it is told to stop or is answered, or wants a terminal; these are asked for their help instead.
const STAY: &[&str] = &["", "demo", "watch", "request", "mcp", "auth", "init"];

/// What else the examples call.
const OTHERS: &[&str] = &["cargo", "git", "sqlite3", "systemctl", "export", "cp", "mkdir", "cd", "python3"];

fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut pages: Vec<PathBuf> =
        std::fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path()).collect();
    pages.retain(|page| page.extension().is_some_and(|ext| ext == "md"));
    pages.push(root.join("README.md"));
    pages.sort();
    pages
}

/// The fenced blocks of a page in one language.
fn blocks(page: &Path, language: &str) -> Vec<String> {
    let text = std::fs::read_to_string(page).unwrap();
    let mut blocks = Vec::new();
    let mut open: Option<String> = None;
    for line in text.lines() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(fence), None) if fence == language => open = Some(String::new()),
            (None, Some(block)) => *block += &format!("{line}\n"),
            _ => {}
        }
    }
    blocks
}

/// The words of a command as a shell would see them, up to a comment or a pipe.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for c in line.chars() {
        match (c, quote) {
            (c, Some(open)) if c == open => quote = None,
            ('"' | '\'', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            ('#' | '|' | '&' | ';' | '>', None) if word.is_none() => break,
            (c, None) if c.is_whitespace() => words.extend(word.take()),
            (c, _) => word.get_or_insert_default().push(c),
        }
    }
    words.into_iter().chain(word).collect()
}

/// A folder with everything the examples name.
fn configured() -> Cli {
    let cli = Cli::new();
    cli.maildir("mail");
    let account = "[user]\naddress = \"ada@example.org\"\n[[mail]]\nname = \"home\"\npath = ";
    cli.configure(&format!("{}{account}\"{}\"\n", crate::model::config(), cli.path("mail").display()));
    std::fs::create_dir(cli.path("notes")).unwrap();
    std::fs::write(cli.path("notes/launch.md"), "The launch slipped because the supplier was late.\n")
        .unwrap();
    std::fs::write(cli.path("README.md"), "# A project\n\nIt counts bicycles.\n").unwrap();
    std::fs::write(cli.path("sales.csv"), "Region,Amount\nNorth,3\nSouth,4\n").unwrap();
    let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/workbooks/orders.xlsx");
    std::fs::copy(book, cli.path("sales.xlsx")).unwrap();
    let mail = "From: bob@b.example\r\nTo: ada@example.org\r\nSubject: Lunch?\r\n\r\nOn Friday?\r\n";
    std::fs::write(cli.path("letter.eml"), mail).unwrap();
    let api = "openapi: 3.0.0\ninfo: {title: Tracker, version: '1'}\nservers: [{url: 'https://tracker.example'}]\n\
               paths:\n  /bugs:\n    get: {operationId: bugs, summary: All bugs, responses: {'200': {description: ok}}}\n";
    std::fs::write(cli.path("tracker.yaml"), api).unwrap();
    cli
}

#[test]
fn every_command_in_the_docs_is_taken() {
    let mut tried = 0;
    for page in pages() {
        let cli = configured();
        for line in blocks(&page, "sh").iter().flat_map(|block| block.lines()) {
            let words = words(line);
            let Some(first) = words.first() else { continue };
            let args: &[String] = match (first.as_str(), words.iter().position(|word| word == "--")) {
                ("sayso", _) => &words[1..],
                ("cargo", Some(dashes)) if words[1] == "run" => &words[dashes + 1..],
                (other, _) => {
                    assert!(OTHERS.contains(&other) || other.starts_with('.'), "{}: {line}", page.display());
                    continue;
                }
            };
            let verb = args.iter().find(|arg| !arg.starts_with('-')).map_or("", String::as_str);
            let mut command = cli.real();
            command.args(args);
            if STAY.contains(&verb) {
                command.arg("--help");
            }
            let output = captured(command.output().unwrap());
            // Names in the examples are made up, so they may not be found; wrong usage they are never.
            let taken = matches!(output.code, 0 | 1 | 3) && !output.err.contains("panicked");
            assert!(taken, "{}: {line}\n{output:?}", page.display());
            tried += 1;
        }
    }
    assert!(tried > 40, "{tried}");
}

#[test]
fn every_config_in_the_docs_is_read() {
    let mut tried = 0;
    for page in pages() {
        for block in blocks(&page, "toml") {
            let cli = configured();
            run(&cli, &["apis", "add", "tracker.yaml", "--name", "tracker"]).done();
            cli.configure(&block);
            let output = run(&cli, &["config"]);
            assert_eq!(output.code, 0, "{}:\n{block}\n{output:?}", page.display());
            tried += 1;
        }
    }
    assert!(tried > 4, "{tried}");
}

/// The name by which a heading is linked to.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().to_lowercase();
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[test]
fn every_link_in_the_docs_leads_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut linked = std::collections::BTreeSet::new();
    for page in pages().into_iter().chain(["ARCHITECTURE.md", "CONTRIBUTING.md"].map(|name| root.join(name)))
    {
        let text = std::fs::read_to_string(&page).unwrap();
        for target in text.split("](").skip(1).map(|rest| rest.split(')').next().unwrap()) {
            if target.starts_with("http") {
                continue;
            }
            let (file, part) = target.split_once('#').unwrap_or((target, ""));
            let file = if file.is_empty() { page.clone() } else { page.with_file_name(file) };
            let found = std::fs::read_to_string(&file);
            let found = found.unwrap_or_else(|_| panic!("{}: {target} leads nowhere", page.display()));
            let has = |part| {
                found
                    .lines()
                    .any(|line| line.starts_with('#') && anchor(line.trim_start_matches('#')) == part)
            };
            assert!(part.is_empty() || has(part), "{}: {target} names no heading", page.display());
            if page.ends_with("README.md") {
                linked.insert(file);
            }
        }
    }
    for page in pages() {
        assert!(
            linked.contains(&page) || page.ends_with("README.md"),
            "README.md does not list {}",
            page.display()
        );
    }
}
