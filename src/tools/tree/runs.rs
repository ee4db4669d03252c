//! How to build, run, test and check a code base: the commands its files name, each with the file that names it.

use super::Tree;
use strum::{Display, IntoStaticStr};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Display, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Purpose {
    Test,
    Run,
    Check,
    Build,
    Other,
}

impl Purpose {
    /// Guesses the purpose of a script or target from its name.
    pub(super) fn of(name: &str) -> Self {
        let name = name.to_lowercase();
        let mentions = |words: &[&str]| words.iter().any(|word| name.contains(word));
        if mentions(&["lint", "style", "format", "fmt", "typ", "check", "audit"]) {
            Purpose::Check
        } else if mentions(&["test", "spec", "cov", "e2e", "stress"]) {
            Purpose::Test
        } else if mentions(&["start", "dev", "serve", "run", "demo"]) {
            Purpose::Run
        } else if mentions(&["build", "compile", "dist", "bundle", "pack", "doc", "install", "all"]) {
            Purpose::Build
        } else {
            Purpose::Other
        }
    }
}

/// A command that can be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    pub purpose: Purpose,
    /// As one types it.
    pub command: String,
    /// The file's description of it.
    pub says: String,
    /// The file that names it.
    pub from: String,
}

/// All commands the files name, tests first; each command once, from the file nearest to the top.
pub fn runs(tree: &Tree) -> Vec<Run> {
    let mut runs: Vec<Run> =
        tree.manifests.iter().flat_map(|manifest| manifest.runs.iter().cloned()).collect();
    let run = |purpose, command: String, says: &str, from: &str| Run {
        purpose,
        command,
        says: says.to_owned(),
        from: from.to_owned(),
    };
    let crates = runs.iter().any(|one| one.command == "cargo build");
    for file in &tree.files {
        let path = file.path.as_str();
        for item in file.source.items.iter().filter(|item| item.kind == "target" && !path.contains('/')) {
            runs.push(run(Purpose::of(&item.name), item.signature.clone(), &item.about, path));
        }
        let example = path.strip_prefix("examples/").and_then(|name| name.strip_suffix(".rs"));
        match (path, file.source.entry) {
            ("tox.ini", _) => runs.push(run(Purpose::Test, "tox".to_owned(), "", path)),
            ("noxfile.py", _) => runs.push(run(Purpose::Test, "nox".to_owned(), "", path)),
            ("src/main.rs", Some(_)) if crates => {
                runs.push(run(Purpose::Run, "cargo run".to_owned(), "the program", path));
            }
            (_, Some("program")) if crates && example.is_some_and(|name| !name.contains('/')) => {
                let command = format!("cargo run --example {}", example.unwrap_or_default());
                // The file says more than the manifest that lists it.
                runs.retain(|one| one.command != command);
                runs.push(run(
                    Purpose::Run,
                    command,
                    file.source.about.as_deref().unwrap_or("an example"),
                    path,
                ));
            }
            (_, Some("program")) if path.ends_with(".go") && !file.source.is_test => {
                let folder = path.rsplit_once('/').map_or(".", |(folder, _)| folder);
                runs.push(run(
                    Purpose::Run,
                    format!("go run ./{}", folder.trim_start_matches('.')),
                    "",
                    path,
                ));
            }
            (_, Some("program")) if path.ends_with("/__main__.py") => {
                let package =
                    path.trim_end_matches("/__main__.py").trim_start_matches("src/").replace('/', ".");
                runs.push(run(Purpose::Run, format!("python -m {package}"), "", path));
            }
            _ => {}
        }
    }
    runs.sort_by_key(|one| (one.purpose, one.from.matches('/').count()));
    let mut unique: Vec<Run> = Vec::new();
    for one in runs {
        if !unique.iter().any(|other| other.command == one.command) {
            unique.push(one);
        }
    }
    unique
}
