//! `docs.analyze`, `docs.evaluate`, `docs.questions`, `docs.answer`, `docs.refine`: facts about a code base in, and
//! Markdown or the shapes below out.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is known of a code base, by code alone. Every list is bounded.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ProjectFacts {
    /// What it is called.
    pub name: String,
    /// What it says of itself.
    pub about: String,
    /// Its README, the beginning of it.
    pub readme: String,
    /// How many files.
    pub files: u64,
    /// How many folders.
    pub folders: u64,
    /// How many lines of program text.
    pub lines: u64,
    /// How many bytes.
    pub bytes: u64,
    /// Languages, most lines first.
    pub languages: Vec<LanguageFacts>,
    /// Its parts, by path.
    pub areas: Vec<AreaFacts>,
    /// The files of the program, those that matter most first.
    pub modules: Vec<ModuleFacts>,
    /// Functions that much of the program goes through, as they are written.
    pub bodies: Vec<BodyFacts>,
    /// Whether all files of the program and all their names are among these.
    pub whole: bool,
    /// How it is tested, run, checked and built.
    pub runs: Vec<RunFacts>,
    /// Languages of which only files and lines are known, with how many files.
    pub unread: Vec<(String, u64)>,
    /// The tree as an outline.
    pub outline: String,
    /// Manifests, with what they need.
    pub manifests: Vec<ManifestFacts>,
    /// Where programs start: path and what starts there.
    pub entries: Vec<(String, String)>,
    /// Which parts lean on which, most files first.
    pub links: Vec<LinkFacts>,
    /// What outside is reached, and from which parts.
    pub outside: Vec<(String, Vec<String>)>,
    /// Ways of writing, with how often they occur and where first.
    pub marks: Vec<(String, u64, String)>,
    /// Traits, interfaces and classes that are carried out most often.
    pub roles: Vec<(String, u64)>,
    /// How it is tested.
    pub testing: TestingFacts,
    /// Documents for people.
    pub documents: Vec<String>,
    /// What was not looked at: path and reason.
    pub skipped: Vec<(String, String)>,
    /// How many more were not.
    pub more_skipped: u64,
    /// What the person asks for besides.
    pub wishes: Vec<String>,
}

impl ProjectFacts {
    /// The parts that hold program text and are not there for tests.
    pub fn program(&self) -> impl Iterator<Item = &AreaFacts> {
        let text = |name: &str| self.languages.iter().any(|one| !one.code && one.name == name);
        self.areas.iter().filter(move |part| !part.is_test && part.lines > 0 && !text(&part.language))
    }
}

/// One language.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LanguageFacts {
    /// Its name.
    pub name: String,
    /// Whether it is program text.
    pub code: bool,
    /// How many files.
    pub files: u64,
    /// How many lines.
    pub lines: u64,
    /// How many bytes.
    pub bytes: u64,
}

/// One part: a folder, at most two deep.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AreaFacts {
    /// Its path.
    pub path: String,
    /// What its main file says of it.
    pub about: String,
    /// How many files.
    pub files: u64,
    /// How many lines.
    pub lines: u64,
    /// What it is mostly written in.
    pub language: String,
    /// How many test cases it holds.
    pub tests: u64,
    /// Its largest files: path and lines.
    pub largest: Vec<(String, u64)>,
    /// Names it declares for others: kind and name.
    pub names: Vec<(String, String)>,
    /// Whether it is there for tests.
    pub is_test: bool,
}

/// One file of the program.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ModuleFacts {
    /// Its path.
    pub path: String,
    /// What it says of itself.
    pub about: String,
    /// How many lines.
    pub lines: u64,
    /// Files, or folders, it imports from.
    pub imports: Vec<String>,
    /// How many files of the program import it.
    pub used_by: u64,
    /// Names it declares, in its order.
    pub names: Vec<NameFacts>,
    /// How many more it declares.
    pub more_names: u64,
    /// Test files that use it, those that use it most first.
    pub tests: Vec<String>,
}

/// A name a file declares.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct NameFacts {
    /// `class`, `function`, `method` …
    pub kind: String,
    /// The name.
    pub name: String,
    /// The line it stands on.
    pub line: u32,
    /// How it is declared.
    pub signature: String,
    /// The first sentence said of it.
    pub about: String,
    /// Whether it is there for others.
    pub public: bool,
    /// How many files import it by its name.
    pub uses: u32,
}

/// A function as it is written.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct BodyFacts {
    /// Its file.
    pub path: String,
    /// Its name, with that of its type.
    pub name: String,
    /// The line it begins on.
    pub line: u32,
    /// Its lines with their numbers; what is left out is marked.
    pub text: String,
}

/// Something that can be run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunFacts {
    /// `test`, `run`, `check`, `build` or `other`.
    pub purpose: String,
    /// As it is typed.
    pub command: String,
    /// What the file that names it says of it.
    pub says: String,
    /// The file that names it.
    pub from: String,
}

/// One manifest.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ManifestFacts {
    /// Its path.
    pub path: String,
    /// What it manages.
    pub sort: String,
    /// What the package is called.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The language's version it needs.
    pub platform: String,
    /// What it needs.
    pub dependencies: Vec<DependencyFacts>,
    /// Programs, scripts and members it names.
    pub commands: Vec<String>,
}

/// Something a package needs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DependencyFacts {
    /// Its name.
    pub name: String,
    /// Which versions.
    pub wanted: String,
    /// What for.
    pub group: String,
    /// How many imports name it, in all files.
    pub files: u64,
    /// From which parts, the first of them.
    pub areas: Vec<String>,
}

/// One part leans on another.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LinkFacts {
    /// Who imports.
    pub from: String,
    /// From where.
    pub to: String,
    /// In how many files.
    pub files: u64,
}

/// How a code base is tested.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TestingFacts {
    /// Files that are there for tests.
    pub files: u64,
    /// Test cases in all.
    pub cases: u64,
    /// Cases that stand in files of the program itself.
    pub beside: u64,
    /// Parts by their cases, most first.
    pub areas: Vec<(String, u64)>,
    /// Parts of program text, larger than a little, without any case in them.
    pub untested: Vec<String>,
    /// Test tools among the dependencies.
    pub tools: Vec<String>,
    /// Files of automatic checks.
    pub checks: Vec<String>,
    /// Test files with their cases and what they test, by name and by what they import.
    pub covers: Vec<(String, u64, Vec<String>)>,
}

/// What every task of an agent reads.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DocsFacts {
    /// Which agent.
    pub agent: String,
    /// What is known of the code base.
    pub project: ProjectFacts,
    /// The analysis as it stands; empty before the first.
    pub analysis: String,
    /// What the last evaluation missed.
    pub missing: Vec<String>,
    /// Questions asked so far.
    pub asked: Vec<String>,
    /// What was found out since: question and answer.
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
    /// The one score: their mean.
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
