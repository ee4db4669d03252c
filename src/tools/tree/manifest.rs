//! Reads manifests: names, versions, programs and dependencies of Rust, Node, Python and Go projects.

use super::clipped;
use serde::{Deserialize, Serialize};
use std::path::Path;
use strum::Display;

/// How many dependencies per manifest we keep.
const MAX_DEPENDENCIES: usize = 300;

/// The kinds of manifest we read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ManifestKind {
    /// `Cargo.toml`
    Cargo,
    /// `package.json`
    Npm,
    /// `pyproject.toml`
    Python,
    /// `go.mod`
    Go,
}

impl ManifestKind {
    pub fn word(self) -> &'static str {
        match self {
            ManifestKind::Cargo => "Rust (Cargo)",
            ManifestKind::Npm => "Node (npm)",
            ManifestKind::Python => "Python",
            ManifestKind::Go => "Go",
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Manifest {
    /// Its path within the tree.
    pub path: String,
    pub sort: ManifestKind,
    /// The name of the package.
    pub name: Option<String>,
    pub version: Option<String>,
    /// Its description of itself.
    pub about: Option<String>,
    /// The language version it needs: `Python >=3.10`.
    pub platform: Option<String>,
    /// In the order of the file.
    pub dependencies: Vec<Dependency>,
    /// The file that others load first, if it names one.
    pub main: Option<String>,
    /// The commands it says can be run.
    pub runs: Vec<Run>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependency {
    pub name: String,
    /// The version requirement, as written.
    pub wanted: String,
    /// `normal`, `dev`, `build`, `optional` or `indirect`.
    pub group: &'static str,
}

/// What a command is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Display, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Purpose {
    Test,
    Run,
    Build,
    Other,
}

/// A command that can be run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    pub purpose: Purpose,
    /// As one types it.
    pub command: String,
    /// The file's description of it.
    pub says: String,
    /// The file that names it.
    pub from: String,
}

/// The kind of manifest a file is.
pub(super) fn kind(path: &Path) -> Option<ManifestKind> {
    match path.file_name()?.to_str()? {
        "Cargo.toml" => Some(ManifestKind::Cargo),
        "package.json" => Some(ManifestKind::Npm),
        "pyproject.toml" => Some(ManifestKind::Python),
        "go.mod" => Some(ManifestKind::Go),
        _ => None,
    }
}

/// Reads a manifest; the error is a reason for people.
pub(super) fn read(sort: ManifestKind, path: &str, text: &str) -> Result<Manifest, String> {
    let mut manifest = Manifest {
        path: path.to_owned(),
        sort,
        name: None,
        version: None,
        about: None,
        platform: None,
        dependencies: Vec::new(),
        main: None,
        runs: Vec::new(),
    };
    match sort {
        ManifestKind::Cargo => cargo(&mut manifest, &toml_of(text)?),
        ManifestKind::Python => python(&mut manifest, &toml_of(text)?),
        ManifestKind::Npm => {
            let value = serde_json::from_str(text).map_err(|_| "it is not valid JSON".to_owned())?;
            npm(&mut manifest, &value);
        }
        ManifestKind::Go => go(&mut manifest, text),
    }
    manifest.dependencies.truncate(MAX_DEPENDENCIES);
    manifest.runs.truncate(40);
    Ok(manifest)
}

fn toml_of(text: &str) -> Result<toml::Table, String> {
    text.parse().map_err(|_| "it is not valid TOML".to_owned())
}

fn text_of(table: Option<&toml::Value>, key: &str) -> Option<String> {
    table?.get(key)?.as_str().map(|text| clipped(text, 300))
}

impl Manifest {
    fn needs(&mut self, name: &str, version: &str, group: &'static str) {
        let (name, version) = (clipped(name, 100), clipped(version, 60));
        self.dependencies.push(Dependency { name, wanted: version, group });
    }

    fn runs(&mut self, purpose: Purpose, command: &str, reason: &str) {
        let (command, reason) = (clipped(command, 100), clipped(reason, 120));
        self.runs.push(Run { purpose, command, says: reason, from: self.path.clone() });
    }
}

fn cargo(manifest: &mut Manifest, table: &toml::Table) {
    let package = table.get("package");
    manifest.name = text_of(package, "name");
    manifest.version = text_of(package, "version");
    manifest.about = text_of(package, "description");
    let workspace = table.get("workspace");
    manifest.platform = text_of(package, "rust-version").map(|version| format!("Rust {version}"));
    for (place, key, group) in [
        (Some(table), "dependencies", "normal"),
        (Some(table), "dev-dependencies", "dev"),
        (Some(table), "build-dependencies", "build"),
        (workspace.and_then(toml::Value::as_table), "dependencies", "workspace"),
    ] {
        let listed = place.and_then(|table| table.get(key)).and_then(toml::Value::as_table);
        for (name, requirement) in listed.into_iter().flatten() {
            let version = match requirement {
                toml::Value::String(version) => version.clone(),
                other => match other.get("version").and_then(toml::Value::as_str) {
                    Some(version) => version.to_owned(),
                    None => ["path", "git"]
                        .iter()
                        .find_map(|key| other.get(*key).map(|v| format!("{key} {v}")))
                        .unwrap_or_default(),
                },
            };
            let optional = requirement.get("optional").and_then(toml::Value::as_bool) == Some(true);
            manifest.needs(name, &version, if optional { "optional" } else { group });
        }
    }
    for key in ["bin", "example", "bench"] {
        let listed = table.get(key).and_then(toml::Value::as_array).into_iter().flatten();
        let named = listed.filter_map(|one| Some((one.get("name")?.as_str()?, text_of(Some(one), "path"))));
        for (name, path) in named {
            let (purpose, command) = match key {
                "bin" => (Purpose::Run, format!("cargo run --bin {name}")),
                "example" => (Purpose::Run, format!("cargo run --example {name}")),
                _ => (Purpose::Other, format!("cargo bench --bench {name}")),
            };
            manifest.runs(purpose, &command, &path.unwrap_or_else(|| format!("[[{key}]]")));
        }
    }
    if package.is_some() || workspace.is_some() {
        manifest.runs(Purpose::Test, "cargo test", "the tests of the crate");
        manifest.runs(Purpose::Build, "cargo build", "");
    }
}

fn python(manifest: &mut Manifest, table: &toml::Table) {
    let project = table.get("project");
    let tool = table.get("tool");
    let poetry = tool.and_then(|tool| tool.get("poetry"));
    manifest.name = text_of(project, "name").or_else(|| text_of(poetry, "name"));
    manifest.version = text_of(project, "version").or_else(|| text_of(poetry, "version"));
    manifest.about = text_of(project, "description").or_else(|| text_of(poetry, "description"));
    let python = poetry.and_then(|poetry| poetry.get("dependencies"));
    let python = text_of(project, "requires-python").or_else(|| text_of(python, "python"));
    manifest.platform = python.map(|version| format!("Python {version}"));
    python_dependencies(manifest, project, table.get("dependency-groups"));
    poetry_dependencies(manifest, poetry);
    for scripts in [project, poetry] {
        let named = entries(scripts.and_then(|place| place.get("scripts")));
        for (name, target) in named.filter_map(|(name, target)| Some((name, target.as_str()?))) {
            manifest.runs(Purpose::Run, name, target);
        }
    }
    python_tests(manifest, tool);
}

fn python_dependencies(
    manifest: &mut Manifest,
    project: Option<&toml::Value>,
    dependency_groups: Option<&toml::Value>,
) {
    let mut need = |requirements: Option<&toml::Value>, group: &'static str| {
        for text in strings(requirements) {
            let (name, version) = requirement(text);
            manifest.needs(name, version, group);
        }
    };
    need(project.and_then(|project| project.get("dependencies")), "normal");
    for (group, requirements) in entries(project.and_then(|project| project.get("optional-dependencies"))) {
        let dev = matches!(group.as_str(), "dev" | "test" | "tests" | "lint" | "docs");
        need(Some(requirements), if dev { "dev" } else { "optional" });
    }
    for (_, requirements) in entries(dependency_groups) {
        need(Some(requirements), "dev");
    }
}

fn poetry_dependencies(manifest: &mut Manifest, poetry: Option<&toml::Value>) {
    for (key, group) in [("dependencies", "normal"), ("dev-dependencies", "dev")] {
        let listed = entries(poetry.and_then(|poetry| poetry.get(key)));
        for (name, requirement) in listed.filter(|(name, _)| *name != "python") {
            let version =
                requirement.as_str().or_else(|| requirement.get("version")?.as_str()).unwrap_or_default();
            manifest.needs(name, version, group);
        }
    }
}

/// The commands that run the tests of a Python project: pytest, tox.
fn python_tests(manifest: &mut Manifest, tool: Option<&toml::Value>) {
    let pytest = tool.is_some_and(|tool| tool.get("pytest").is_some())
        || manifest.dependencies.iter().any(|one| one.name == "pytest");
    if pytest {
        let options = tool.and_then(|tool| tool.get("pytest")?.get("ini_options"));
        let joined = |list: Option<&toml::Value>, by: &str| strings(list).collect::<Vec<_>>().join(by);
        let paths = joined(options.and_then(|options| options.get("testpaths")), ", ");
        let mut says =
            if paths.is_empty() { "the tests".to_owned() } else { format!("the tests in {paths}") };
        let added = options.and_then(|options| options.get("addopts"));
        let added = added.and_then(toml::Value::as_str).map_or_else(|| joined(added, " "), str::to_owned);
        if !added.is_empty() {
            says += &format!(", with {added}");
        }
        manifest.runs(Purpose::Test, "pytest", &says);
    }
    if let Some(tox) = tool.and_then(|tool| tool.get("tox")) {
        let described = |env: Option<&toml::Value>| text_of(env, "description").unwrap_or_default();
        manifest.runs(Purpose::Test, "tox", &described(tox.get("env_run_base")));
        for (name, env) in entries(tox.get("env")) {
            manifest.runs(Purpose::Other, &format!("tox run -e {name}"), &described(Some(env)));
        }
    }
}

fn strings(list: Option<&toml::Value>) -> impl Iterator<Item = &str> {
    list.and_then(toml::Value::as_array).into_iter().flatten().filter_map(toml::Value::as_str)
}

/// The entries of a table.
fn entries(table: Option<&toml::Value>) -> impl Iterator<Item = (&String, &toml::Value)> {
    table.and_then(toml::Value::as_table).into_iter().flatten()
}

/// `requests[socks]>=2; python_version>"3"` gives `requests` and `>=2`.
fn requirement(text: &str) -> (&str, &str) {
    let text = text.split(';').next().unwrap_or_default().trim();
    let end =
        text.find(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | '.'))).unwrap_or(text.len());
    let rest = text[end..].trim();
    let rest = if rest.starts_with('[') { rest.split_once(']').map_or("", |(_, rest)| rest) } else { rest };
    (&text[..end], rest.trim())
}

fn npm(manifest: &mut Manifest, value: &serde_json::Value) {
    let text = |key: &str| value.get(key).and_then(|v| v.as_str()).map(|text| clipped(text, 300));
    (manifest.name, manifest.version, manifest.about) = (text("name"), text("version"), text("description"));
    let node = value.get("engines").and_then(|engines| engines.get("node")?.as_str());
    manifest.platform = node.map(|version| format!("Node {}", clipped(version, 60)));
    for (key, group) in [
        ("dependencies", "normal"),
        ("devDependencies", "dev"),
        ("peerDependencies", "normal"),
        ("optionalDependencies", "optional"),
    ] {
        for (name, requirement) in value.get(key).and_then(|v| v.as_object()).into_iter().flatten() {
            manifest.needs(name, requirement.as_str().unwrap_or_default(), group);
        }
    }
    manifest.main = text("main");
    for (name, script) in value.get("scripts").and_then(|v| v.as_object()).into_iter().flatten() {
        let (purpose, command) = match name.as_str() {
            "test" => (Purpose::Test, "npm test".to_owned()),
            "start" => (Purpose::Run, "npm start".to_owned()),
            "build" => (Purpose::Build, "npm run build".to_owned()),
            other => (Purpose::Other, format!("npm run {other}")),
        };
        manifest.runs(purpose, &command, script.as_str().unwrap_or_default());
    }
}

fn go(manifest: &mut Manifest, text: &str) {
    manifest.runs(Purpose::Test, "go test ./...", "the tests of the module");
    manifest.runs(Purpose::Build, "go build ./...", "");
    let mut inside = false;
    for line in text.lines() {
        let (line, remark) = line.split_once("//").unwrap_or((line, ""));
        let line = line.trim();
        let mut words = line.split_whitespace();
        if let Some(name) = line.strip_prefix("module ") {
            manifest.name = Some(clipped(name, 200));
        } else if let Some(version) = line.strip_prefix("go ") {
            manifest.platform = Some(format!("Go {}", clipped(version, 20)));
        } else if line.starts_with("require (") {
            inside = true;
        } else if inside && line == ")" {
            inside = false;
        } else if inside || words.next() == Some("require") {
            let mut words = line.trim_start_matches("require ").split_whitespace();
            if let (Some(name), Some(version)) = (words.next(), words.next()) {
                let indirect = remark.trim() == "indirect";
                manifest.needs(name, version, if indirect { "indirect" } else { "normal" });
            }
        }
    }
}
