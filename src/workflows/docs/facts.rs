//! `docs.analyze`, `docs.evaluate`, `docs.questions`, `docs.answer`, `docs.refine`: take facts about a code base, and
//! return Markdown or the shapes below.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is known about a code base, found by code alone. Every list is bounded.
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
    pub bytes: u64,
    /// Languages, most lines first.
    pub languages: Vec<LanguageFacts>,
    /// Its parts, by path.
    pub areas: Vec<AreaFacts>,
    /// The files of the program, most important first.
    pub modules: Vec<ModuleFacts>,
    /// The source of functions that much of the program goes through.
    pub bodies: Vec<BodyFacts>,
    /// Whether all files of the program and all their names are included.
    pub whole: bool,
    /// How to test, run, check and build it.
    pub runs: Vec<RunFacts>,
    /// Languages of which only files and lines are known, with the number of files.
    pub unread: Vec<(String, u64)>,
    /// The tree as an outline.
    pub outline: String,
    /// Manifests, with their dependencies.
    pub manifests: Vec<ManifestFacts>,
    /// Where programs start: path and what starts there.
    pub entries: Vec<(String, String)>,
    /// Which parts depend on which, most files first.
    pub links: Vec<LinkFacts>,
    /// What is reached outside, and from which parts.
    pub outside: Vec<(String, Vec<String>)>,
    /// Ways of writing, with how often they occur and the first place.
    pub marks: Vec<(String, u64, String)>,
    /// Traits, interfaces and classes that are implemented most often.
    pub roles: Vec<(String, u64)>,
    pub testing: TestingFacts,
    /// Documents for people.
    pub documents: Vec<String>,
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
    pub fn program_links(&self) -> impl Iterator<Item = &LinkFacts> {
        let is_test = |path: &str| self.areas.iter().any(|part| part.is_test && part.path == path);
        self.links.iter().filter(move |link| !is_test(&link.from) && !is_test(&link.to))
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LanguageFacts {
    pub name: String,
    /// Whether it is program text.
    pub code: bool,
    pub files: u64,
    pub lines: u64,
    pub bytes: u64,
}

/// One part: a folder, at most two levels deep.
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
    /// Its largest files: path and lines.
    pub largest: Vec<(String, u64)>,
    /// Public names it declares: kind and name.
    pub names: Vec<(String, String)>,
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
    pub names: Vec<NameFacts>,
    /// How many more names it declares.
    pub more_names: u64,
    /// Test files that use it, most uses first.
    pub tests: Vec<String>,
}

/// A name a file declares.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct NameFacts {
    /// `class`, `function`, `method` …
    pub kind: String,
    pub name: String,
    pub line: u32,
    pub signature: String,
    /// The first sentence of its documentation.
    pub about: String,
    pub public: bool,
    /// How many files import it by name.
    pub uses: u32,
}

/// The source of a function.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct BodyFacts {
    pub path: String,
    /// Its name, with its type's name.
    pub name: String,
    /// Its first line.
    pub line: u32,
    /// Its numbered lines; omissions are marked.
    pub text: String,
}

/// A command that can be run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunFacts {
    /// `test`, `run`, `check`, `build` or `other`.
    pub purpose: String,
    /// As typed.
    pub command: String,
    /// What the file that names it says about it.
    pub says: String,
    /// The file that names it.
    pub from: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ManifestFacts {
    pub path: String,
    /// The package manager.
    pub sort: String,
    pub name: String,
    pub version: String,
    /// The language version it needs.
    pub platform: String,
    pub dependencies: Vec<DependencyFacts>,
    /// Programs, scripts and members it names.
    pub commands: Vec<String>,
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
    /// How many imports name it, in all files.
    pub files: u64,
    /// Some of the parts that import it.
    pub areas: Vec<String>,
}

/// One part imports another.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LinkFacts {
    pub from: String,
    pub to: String,
    /// How many files import it.
    pub files: u64,
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
    /// Parts with their number of cases, most first.
    pub areas: Vec<(String, u64)>,
    /// Parts with program text, beyond a small size, that hold no test case.
    pub untested: Vec<String>,
    /// Test tools among the dependencies.
    pub tools: Vec<String>,
    /// Configuration files of automatic checks.
    pub checks: Vec<String>,
    /// Test files with their number of cases and what they test, by name and by imports.
    pub covers: Vec<(String, u64, Vec<String>)>,
}

/// The input of every task of an agent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DocsFacts {
    pub agent: String,
    pub project: ProjectFacts,
    /// The current analysis; empty before the first.
    pub analysis: String,
    /// What the last evaluation found missing.
    pub missing: Vec<String>,
    /// Questions asked so far.
    pub asked: Vec<String>,
    /// What was found since: question and answer.
    pub answers: Vec<(String, String)>,
    /// The question to answer now.
    pub question: String,
    /// Files that may answer it: path and text.
    pub files: Vec<(String, String)>,
    /// Whether a person can be asked.
    pub person: bool,
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
}
