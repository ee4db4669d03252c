//! What is known about a code base, found by code alone, and the shapes of a model's answers about it.

use crate::tools::tree::{Item, Link, Run};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is known about a code base. Every list is bounded.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ProjectFacts {
    pub name: String,
    /// Its own description.
    pub about: String,
    /// The beginning of its README.
    pub readme: String,
    pub files: u64,
    pub folders: u64,
    /// Lines of program text.
    pub lines: u64,
    /// Languages, most lines first.
    pub languages: Vec<LanguageFacts>,
    /// Its parts, by path.
    pub areas: Vec<AreaFacts>,
    /// The files of the program, most important first.
    pub modules: Vec<ModuleFacts>,
    /// How to test, run and build it.
    pub runs: Vec<Run>,
    /// Manifests, with their dependencies.
    pub manifests: Vec<ManifestFacts>,
    /// Where programs start: path and what starts there.
    pub entries: Vec<(String, String)>,
    /// Which parts depend on which, most files first.
    pub links: Vec<Link>,
    pub testing: TestingFacts,
    /// Paths that were not read, with the reason.
    pub skipped: Vec<(String, String)>,
    /// How many more were not read.
    pub more_skipped: u64,
    /// What the person asks for in addition.
    pub wishes: Vec<String>,
}

impl ProjectFacts {
    /// The parts that hold program text and are not just tests.
    pub fn program(&self) -> impl Iterator<Item = &AreaFacts> {
        let is_prose =
            |name: &str| self.languages.iter().any(|language| !language.code && language.name == name);
        self.areas.iter().filter(move |part| !part.is_test && part.lines > 0 && !is_prose(&part.language))
    }

    /// The links between parts that are not just tests.
    pub fn program_links(&self) -> impl Iterator<Item = &Link> {
        let is_test = |path: &str| self.areas.iter().any(|part| part.is_test && part.path == path);
        self.links.iter().filter(move |link| !is_test(&link.from) && !is_test(&link.to))
    }

    /// The manifests that say which version of their language they need.
    pub fn platforms(&self) -> impl Iterator<Item = (&str, &str)> {
        let platforms = self.manifests.iter().map(|one| (one.path.as_str(), one.platform.as_str()));
        platforms.filter(|(_, platform)| !platform.is_empty())
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LanguageFacts {
    pub name: String,
    /// Whether it is program text.
    pub code: bool,
    /// Whether its names are read; if not, only files and lines are known.
    pub is_read: bool,
    pub files: u64,
    pub lines: u64,
}

/// One part: a folder, at most two levels deep, or a module of a folder that holds most of the program.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AreaFacts {
    pub path: String,
    /// What its main file says about it.
    pub about: String,
    pub files: u64,
    pub lines: u64,
    /// Its main language.
    pub language: String,
    /// How many test cases it has.
    pub tests: u64,
    /// Whether it only holds tests.
    pub is_test: bool,
}

/// One file of the program.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ModuleFacts {
    pub path: String,
    /// Its own description.
    pub about: String,
    pub lines: u64,
    /// Files or folders it imports from.
    pub imports: Vec<String>,
    /// How many files of the program import it.
    pub used_by: u64,
    /// Names it declares, in order.
    pub names: Vec<Item>,
    /// How many more names it declares.
    pub more_names: u64,
    /// Test files that use it, those that are about little else first.
    pub tests: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ManifestFacts {
    pub path: String,
    /// The package manager.
    pub sort: String,
    /// The language version it needs.
    pub platform: String,
    pub dependencies: Vec<DependencyFacts>,
}

/// A dependency of a package.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DependencyFacts {
    pub name: String,
    /// The version it asks for.
    pub wanted: String,
    /// What it is needed for.
    pub group: String,
    /// How many files import it.
    pub files: u64,
    /// Some of the parts that import it.
    pub areas: Vec<String>,
}

/// How a code base is tested.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TestingFacts {
    /// Files that only hold tests.
    pub files: u64,
    pub cases: u64,
    /// Cases in files of the program itself.
    pub beside: u64,
    /// Parts with program text, beyond a small size, that no test was found for.
    pub untested: Vec<String>,
    /// Test files with their number of cases and what they test, by name and by imports.
    pub covers: Vec<(String, u64, Vec<String>)>,
}

/// What `docs.evaluate` answers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scores {
    /// Whether all aspects are covered, 0 to 100.
    #[schemars(range(min = 0.0, max = 100.0))]
    pub completeness: f64,
    /// Structure and readability, 0 to 100.
    #[schemars(range(min = 0.0, max = 100.0))]
    pub clarity: f64,
    /// How detailed it is, 0 to 100.
    #[schemars(range(min = 0.0, max = 100.0))]
    pub depth: f64,
    /// Whether what it says is right, by the facts given, 0 to 100.
    #[schemars(range(min = 0.0, max = 100.0))]
    pub accuracy: f64,
    /// What is missing, each in a short sentence; empty where nothing is.
    pub missing_information: Vec<String>,
}

impl Scores {
    /// The overall score: the mean.
    pub fn mean(&self) -> f64 {
        (self.completeness + self.clarity + self.depth + self.accuracy) / 4.0
    }
}

/// What `docs.questions` answers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Questions {
    /// Three to five concrete questions; none where nothing is left to ask.
    pub questions: Vec<Question>,
}

/// A question an agent asks itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// The question, concrete and answerable.
    pub question: String,
    /// Paths of files that may answer it, at most four; empty where no file can.
    pub files: Vec<String>,
    /// True where only a person can answer it (a reason, a plan, a preference) and no file can.
    pub for_person: bool,
    /// What the person answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub answer: Option<String>,
}
