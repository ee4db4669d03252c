//! The agents. A new one is a row in [`AGENTS`].
//!
//! A row says what its page is about and what code puts on it: tables and diagrams are made from the facts, never from
//! what a model wrote.

use super::diagram;
use super::facts::ProjectFacts;
use super::page::{self, Page, as_code, list_paths};
use crate::text::count_noun;
use crate::tools::tree::Purpose;
use serde_json::{Value, json};

/// An agent that writes one page about a code base.
pub struct DocAgent {
    /// Its name in states, files and traces.
    pub name: &'static str,
    /// The title of its page.
    pub title: &'static str,
    /// What its page is about, for the prompt.
    pub about: &'static str,
    /// The headings a model writes under.
    pub sections: &'static str,
    /// One line about the findings.
    pub summary: fn(&ProjectFacts) -> String,
    /// The tables and diagrams of its page.
    draw: fn(Page, &ProjectFacts) -> Page,
}

/// Every agent, in the order of the index.
pub(super) const AGENTS: &[DocAgent] = &[
    DocAgent {
        name: "file-structure",
        title: "File structure",
        about: "the file structure: which folders there are, what each holds, where a newcomer starts to read, how files \
                are named and organised.",
        sections: "Overview, Folders, Where to start, Conventions",
        summary: sum_files,
        draw: draw_files,
    },
    DocAgent {
        name: "dependency-analyzer",
        title: "Dependencies",
        about: "the dependencies: what is needed from outside and what for, where each is used, which are central, which \
                no file imports, and what parts need each other.",
        sections: "Overview, Central dependencies, For development, Worth a look",
        summary: sum_dependencies,
        draw: draw_dependencies,
    },
    DocAgent {
        name: "architecture",
        title: "Architecture",
        about: "the architecture: which parts there are, what each is responsible for, how a request or a run passes \
                through them, which lean on which, where the layers are, and which parts are central.",
        sections: "Overview, Parts and responsibilities, How it runs, Layers, Risks",
        summary: sum_architecture,
        draw: draw_architecture,
    },
    DocAgent {
        name: "patterns",
        title: "Patterns",
        about: "the patterns: ways of writing and designing that come back throughout the code, how errors are handled, \
                where behaviour is made exchangeable, and which conventions a newcomer should keep to.",
        sections: "Overview, Recurring designs, Error handling, Conventions to keep",
        summary: |project| format!("How {} of program text are written.", count_noun(project.lines, "line")),
        draw: |page, _| page,
    },
    DocAgent {
        name: "data-flow",
        title: "Data flow",
        about: "the data flow: where data enters (files, network, terminal), which functions pass it on and in which \
                order, where it is kept and where it leaves.",
        sections: "Overview, Ways in, Ways through, Where it is kept, Ways out",
        summary: sum_entries,
        draw: draw_entries,
    },
    DocAgent {
        name: "testing",
        title: "Testing",
        about: "the tests: where they stand, how they are organised, with which tools, how they are run, and which parts \
                have none of their own.",
        sections: "Overview, Where tests stand, Tools, Parts without tests of their own",
        summary: sum_tests,
        draw: draw_tests,
    },
];

pub(super) fn agent(name: &str) -> Option<&'static DocAgent> {
    AGENTS.iter().find(|agent| agent.name == name)
}

impl DocAgent {
    /// An analysis as data: its sections.
    pub fn parse(&self, analysis: &str) -> Value {
        json!({ "sections": page::sections(analysis) })
    }

    /// The page: a note about it, its sections, and what code puts below them.
    pub fn markdown(&self, data: &Value, note: &str, project: &ProjectFacts) -> String {
        let page = Page::new(self.title).text(&(self.summary)(project)).text(note).sections(data);
        (self.draw)(page, project).into_text()
    }
}

fn sum_files(project: &ProjectFacts) -> String {
    let files = match project.folders {
        0 => count_noun(project.files, "file"),
        folders => format!("{} in {}", count_noun(project.files, "file"), count_noun(folders, "folder")),
    };
    let tests = project.areas.iter().filter(|part| part.is_test).count();
    match project.program().count() + tests {
        0 => format!("{files}, without program text."),
        parts => {
            let lines = count_noun(project.lines, "line");
            format!(
                "{files}; {lines} of program text in {}, {tests} of them for tests.",
                count_noun(parts as u64, "part")
            )
        }
    }
}

fn draw_files(page: Page, project: &ProjectFacts) -> Page {
    let part = |part: &super::facts::AreaFacts| {
        let counts = [part.files.to_string(), part.lines.to_string()];
        [as_code(&part.path), part.about.clone()]
            .into_iter()
            .chain(counts)
            .chain([part.language.clone()])
            .collect()
    };
    let parts: Vec<Vec<String>> = project.areas.iter().map(part).collect();
    let languages = project.languages.iter();
    let languages: Vec<Vec<String>> =
        languages.map(|one| vec![one.name.clone(), one.files.to_string(), one.lines.to_string()]).collect();
    let skipped: Vec<Vec<String>> =
        project.skipped.iter().map(|(path, why)| vec![as_code(path), why.clone()]).collect();
    page.runs("How to test, run and build", project, None)
        .table("Parts", &["part", "about", "files", "lines", "mostly"], &parts)
        .table("Languages", &["language", "files", "lines"], &languages)
        .table("Not looked at", &["path", "why"], &skipped)
}

fn sum_dependencies(project: &ProjectFacts) -> String {
    let manifests = match project.manifests.len() {
        0 => return "No manifest was found.".to_owned(),
        n => count_noun(n as u64, "manifest"),
    };
    let all = || project.manifests.iter().flat_map(|manifest| &manifest.dependencies);
    let dependencies = match all().count() {
        0 => return format!("No dependency in {manifests}."),
        1 => format!("1 dependency in {manifests}"),
        n => format!("{n} dependencies in {manifests}"),
    };
    let development = all().filter(|one| one.group == "dev").count();
    let unused = all().filter(|one| one.files == 0).count();
    format!("{dependencies}, {development} for development, {unused} imported by no file that was read.")
}

fn draw_dependencies(mut page: Page, project: &ProjectFacts) -> Page {
    for manifest in &project.manifests {
        let row = |one: &super::facts::DependencyFacts| {
            let (files, areas) = (one.files.to_string(), one.areas.join(", "));
            vec![as_code(&one.name), one.wanted.clone(), one.group.clone(), files, areas]
        };
        let rows: Vec<Vec<String>> = manifest.dependencies.iter().map(row).collect();
        let title = format!("Needed by {}", as_code(&manifest.path));
        page = page.table(&title, &["name", "version", "for", "files", "used in"], &rows);
    }
    page.diagram("Which parts need which", diagram::import_graph(project))
}

fn sum_architecture(project: &ProjectFacts) -> String {
    let names: usize = project.modules.iter().map(|module| module.names.len()).sum();
    match (project.program().count(), project.program_links().count()) {
        (0, _) => "No program text was found in the files that were read.".to_owned(),
        (parts, links) => format!(
            "{} with {} between them; {} with file and line.",
            count_noun(parts as u64, "part"),
            count_noun(links as u64, "import"),
            count_noun(names as u64, "name")
        ),
    }
}

fn draw_architecture(page: Page, project: &ProjectFacts) -> Page {
    let row = |part: &super::facts::AreaFacts| {
        let imports = project.program_links().filter(|link| link.from == part.path).count();
        let importers = project.program_links().filter(|link| link.to == part.path).count();
        let counts = [part.lines, imports as u64, importers as u64].map(|count| count.to_string());
        [as_code(&part.path), part.about.clone()].into_iter().chain(counts).collect()
    };
    let rows: Vec<Vec<String>> = project.program().map(row).collect();
    page.diagram("What imports what", diagram::import_graph(project))
        .table("Parts", &["part", "about", "lines", "imports", "imported by"], &rows)
        .modules(project)
}

fn sum_entries(project: &ProjectFacts) -> String {
    match project.entries.len() {
        0 => "No entry point was found.".to_owned(),
        n => format!("{}.", count_noun(n as u64, "entry point")),
    }
}

fn draw_entries(page: Page, project: &ProjectFacts) -> Page {
    let entries = project.entries.iter();
    let rows: Vec<Vec<String>> = entries.map(|(path, what)| vec![as_code(path), what.clone()]).collect();
    page.table("Where it starts", &["path", "what"], &rows)
}

fn sum_tests(project: &ProjectFacts) -> String {
    let testing = &project.testing;
    if testing.cases == 0 {
        return "No test case was found in the files that were read.".to_owned();
    }
    let (cases, files) = (count_noun(testing.cases, "test case"), count_noun(testing.files, "file"));
    let beside = testing.beside;
    let untested = count_noun(testing.untested.len() as u64, "part");
    format!("{cases}, {beside} beside the code, the others in {files}; no test was found for {untested}.")
}

fn draw_tests(page: Page, project: &ProjectFacts) -> Page {
    let testing = &project.testing;
    let row = |(test, cases, covers): &(String, u64, Vec<String>)| {
        vec![as_code(test), cases.to_string(), list_paths(covers, 4)]
    };
    let covers: Vec<Vec<String>> = testing.covers.iter().map(row).collect();
    let untested: Vec<Vec<String>> = testing.untested.iter().map(|part| vec![as_code(part)]).collect();
    page.runs("How to run them", project, Some(Purpose::Test))
        .table("What tests what", &["test file", "cases", "tests, by name and imports"], &covers)
        .table("No test found for", &["part"], &untested)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::tree::Link;
    use crate::workflows::docs::facts::{AreaFacts, LanguageFacts, TestingFacts};

    fn summary(name: &str, project: &ProjectFacts) -> String {
        (agent(name).unwrap().summary)(project)
    }

    #[test]
    fn a_folder_with_nothing_in_it_is_told_without_zeros() {
        let project = ProjectFacts { files: 2, ..ProjectFacts::default() };
        for (name, expected) in [
            ("file-structure", "2 files, without program text."),
            ("dependency-analyzer", "No manifest was found."),
            ("architecture", "No program text was found in the files that were read."),
            ("data-flow", "No entry point was found."),
            ("testing", "No test case was found in the files that were read."),
        ] {
            assert_eq!(summary(name, &project), expected);
        }
    }

    #[test]
    fn the_pages_count_the_same_parts_and_imports() {
        let part = |path: &str, language: &str, is_test: bool| AreaFacts {
            path: path.to_owned(),
            lines: 10,
            language: language.to_owned(),
            is_test,
            ..AreaFacts::default()
        };
        let link = |from: &str, to: &str| Link { from: from.to_owned(), to: to.to_owned(), files: 1 };
        let language = |name: &str, code: bool| LanguageFacts {
            name: name.to_owned(),
            code,
            ..LanguageFacts::default()
        };
        let project = ProjectFacts {
            files: 4,
            folders: 2,
            lines: 30,
            languages: vec![language("Python", true), language("Markdown", false)],
            areas: vec![
                part(".", "Markdown", false),
                part("src/cart.py", "Python", false),
                part("src/price.py", "Python", false),
                part("tests", "Python", true),
            ],
            links: vec![link("src/cart.py", "src/price.py"), link("tests", "src/cart.py")],
            testing: TestingFacts { files: 1, cases: 1, ..TestingFacts::default() },
            ..ProjectFacts::default()
        };
        for (name, expected) in [
            (
                "file-structure",
                "4 files in 2 folders; 30 lines of program text in 3 parts, 1 of them for tests.",
            ),
            ("architecture", "2 parts with 1 import between them; 0 names with file and line."),
            (
                "testing",
                "1 test case, 0 beside the code, the others in 1 file; no test was found for 0 parts.",
            ),
        ] {
            assert_eq!(summary(name, &project), expected);
        }
        assert_eq!(diagram::import_graph(&project).unwrap().matches("-->").count(), 1);
    }
}
