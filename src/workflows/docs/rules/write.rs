//! Pages made from facts, a section a heading.

use crate::text::words::line;
use crate::workflows::docs::facts::{AreaFacts, DocsFacts, ProjectFacts};
use std::fmt::Write;

/// Where answers are put.
const FOUND: &str = "## Found out by asking";

pub(super) fn page(agent: &str, project: &ProjectFacts) -> String {
    let sections = match agent {
        "file-structure" => file_structure(project),
        "dependency-analyzer" => dependencies(project),
        "architecture" => architecture(project),
        "patterns" => patterns(project),
        "data-flow" => data_flow(project),
        "testing" => testing(project),
        _ => vec![("Overview", overview(project))],
    };
    let whole = sections.into_iter().filter(|(_, text)| !text.trim().is_empty());
    whole.map(|(title, text)| format!("## {title}\n\n{}\n", text.trim_end())).collect::<Vec<_>>().join("\n")
}

/// The analysis with what was found out since, a line a question.
pub(super) fn with_answers(facts: &DocsFacts) -> String {
    let mut text = facts.analysis.trim_end().to_owned();
    if !text.contains(FOUND) {
        let _ = write!(text, "\n\n{FOUND}\n");
    }
    for (question, answer) in &facts.answers {
        let about = question.split('`').nth(1);
        let answer = line(answer, 400);
        text += &match about {
            Some(subject) => format!("\n- `{subject}`: {answer}"),
            None => format!("\n- {} {answer}", line(question, 200)),
        };
    }
    text + "\n"
}

fn overview(project: &ProjectFacts) -> String {
    let mut text = String::new();
    if !project.about.is_empty() {
        let _ = writeln!(text, "{} says of itself: {}\n", project.name, project.about);
    }
    let languages: Vec<String> = project
        .languages
        .iter()
        .filter(|one| one.code)
        .take(5)
        .map(|one| format!("{} ({} files, {} lines)", one.name, one.files, one.lines))
        .collect();
    let written = if languages.is_empty() { "no program text".to_owned() } else { languages.join(", ") };
    let _ =
        writeln!(text, "{} files in {} folders; it is written in {written}.", project.files, project.folders);
    text
}

/// A part in a line, with what it says of itself.
fn part(part: &AreaFacts) -> String {
    let files = if part.files == 1 { "file" } else { "files" };
    let mut text = format!("- `{}`: {} {files}, {} lines", part.path, part.files, part.lines);
    if !part.language.is_empty() {
        let _ = write!(text, " of {}", part.language);
    }
    if !part.about.is_empty() {
        let _ = write!(text, ". {}", part.about);
    }
    text
}

fn parts<'a>(list: impl Iterator<Item = &'a AreaFacts>) -> String {
    list.filter(|one| one.lines > 0).map(part).collect::<Vec<_>>().join("\n")
}

fn file_structure(project: &ProjectFacts) -> Vec<(&'static str, String)> {
    let start: Vec<String> = project
        .documents
        .iter()
        .filter(|path| !path.contains('/'))
        .map(|path| format!("- `{path}`"))
        .chain(project.entries.iter().map(|(path, what)| format!("- `{path}`, where a {what} starts")))
        .take(16)
        .collect();
    let mut large: Vec<&(String, u64)> = project.areas.iter().flat_map(|part| &part.largest).collect();
    large.sort_by_key(|(_, lines)| std::cmp::Reverse(*lines));
    let large: Vec<String> =
        large.iter().take(8).map(|(path, lines)| format!("- `{path}`, {lines} lines")).collect();
    vec![
        ("Overview", overview(project)),
        ("Folders", parts(project.areas.iter())),
        ("Where to start", start.join("\n")),
        ("Conventions", format!("The largest files:\n\n{}", large.join("\n"))),
    ]
}

fn dependencies(project: &ProjectFacts) -> Vec<(&'static str, String)> {
    let all = || project.manifests.iter().flat_map(|one| &one.dependencies);
    let list = |wanted: &dyn Fn(&str, u64) -> bool| -> String {
        let mut found: Vec<_> = all().filter(|one| wanted(&one.group, one.files)).collect();
        found.sort_by_key(|one| std::cmp::Reverse(one.files));
        let row = |one: &&crate::workflows::docs::facts::DependencyFacts| {
            let used =
                if one.areas.is_empty() { "no file that was read".to_owned() } else { one.areas.join(", ") };
            format!("- `{}` {}: {} imports, used in {used}", one.name, one.wanted, one.files)
        };
        found.iter().take(40).map(row).collect::<Vec<_>>().join("\n")
    };
    let manifests: Vec<String> = project
        .manifests
        .iter()
        .map(|one| {
            format!(
                "- `{}` ({}): {} {}, {} dependencies",
                one.path,
                one.sort,
                one.name,
                one.version,
                one.dependencies.len()
            )
        })
        .collect();
    let missing =
        if project.manifests.is_empty() { "No manifest was found.".to_owned() } else { manifests.join("\n") };
    vec![
        ("Overview", format!("{}\n{missing}", overview(project))),
        ("Central dependencies", list(&|group, _| !matches!(group, "dev" | "indirect"))),
        ("For development", list(&|group, _| group == "dev")),
        ("Worth a look", {
            let unused = list(&|_, files| files == 0);
            if unused.is_empty() {
                "Every dependency is imported by a file that was read.".to_owned()
            } else {
                format!(
                    "No file that was read imports these by name; a feature, a macro or a tool may still need them:\n\n{unused}"
                )
            }
        }),
    ]
}

fn architecture(project: &ProjectFacts) -> Vec<(&'static str, String)> {
    let count = |path: &str, from: bool| {
        project.links.iter().filter(|link| if from { link.from == path } else { link.to == path }).count()
    };
    let mut leaned: Vec<(&str, usize, usize)> = project
        .areas
        .iter()
        .map(|part| (part.path.as_str(), count(&part.path, false), count(&part.path, true)))
        .collect();
    leaned.retain(|(_, to, from)| to + from > 0);
    leaned.sort_by_key(|(_, to, from)| (std::cmp::Reverse(*to), *from));
    let layers: Vec<String> = leaned
        .iter()
        .map(|(path, to, from)| format!("- `{path}`: {to} parts lean on it, it leans on {from}"))
        .collect();
    let names: Vec<String> = project
        .areas
        .iter()
        .filter(|part| part.names.iter().any(|(kind, _)| matches!(kind.as_str(), "trait" | "interface")))
        .map(|part| {
            let names = part.names.iter().filter(|(kind, _)| matches!(kind.as_str(), "trait" | "interface"));
            let names: Vec<String> = names.map(|(_, name)| format!("`{name}`")).collect();
            format!("- `{}` declares the abstractions {}", part.path, names.join(", "))
        })
        .collect();
    let both: Vec<String> = project
        .links
        .iter()
        .filter(|link| link.from < link.to)
        .filter(|link| project.links.iter().any(|back| back.from == link.to && back.to == link.from))
        .map(|link| format!("- `{}` and `{}` lean on each other", link.from, link.to))
        .collect();
    let risks = if both.is_empty() {
        "No two parts lean on each other both ways.".to_owned()
    } else {
        both.join("\n")
    };
    let code = project.areas.iter().filter(|part| part.lines > 0);
    vec![
        ("Overview", overview(project)),
        ("Parts and responsibilities", parts(code)),
        ("Layers", layers.join("\n")),
        ("Central types", names.join("\n")),
        ("Risks", risks),
    ]
}

fn patterns(project: &ProjectFacts) -> Vec<(&'static str, String)> {
    let list = |counts: &[(String, u64)], what: &str| -> String {
        counts
            .iter()
            .take(12)
            .map(|(name, count)| format!("- {name}: {count} {what}"))
            .collect::<Vec<_>>()
            .join("\n")
    };
    let errors: Vec<&(String, u64)> =
        project.marks.iter().filter(|(name, _)| name.contains("error")).collect();
    let errors = match errors.first() {
        Some((name, count)) => format!("{count} lines show {name}."),
        None => "No way of handling errors stands out by counting.".to_owned(),
    };
    vec![
        ("Overview", format!("{}\n{}", overview(project), list(&project.marks, "lines"))),
        ("Recurring designs", list(&project.roles, "types carry it out")),
        ("Error handling", errors),
        ("Conventions to keep", parts(project.areas.iter())),
    ]
}

fn data_flow(project: &ProjectFacts) -> Vec<(&'static str, String)> {
    let reached = |wanted: &[&str]| -> String {
        let found = project.outside.iter().filter(|(what, _)| wanted.contains(&what.as_str()));
        let rows: Vec<String> = found.map(|(what, from)| format!("- {what}: {}", quoted(from))).collect();
        if rows.is_empty() { "Nothing of the kind shows in the imports.".to_owned() } else { rows.join("\n") }
    };
    let entries: Vec<String> =
        project.entries.iter().map(|(path, what)| format!("- `{path}`, where a {what} starts")).collect();
    vec![
        ("Overview", overview(project)),
        (
            "Ways in",
            format!("{}\n{}", entries.join("\n"), reached(&["the terminal", "the environment", "network"])),
        ),
        ("Ways through", parts(project.areas.iter())),
        ("Where it is kept", reached(&["databases", "files"])),
        ("Ways out", reached(&["network", "other processes", "files"])),
    ]
}

fn testing(project: &ProjectFacts) -> Vec<(&'static str, String)> {
    let testing = &project.testing;
    let areas: Vec<String> = testing
        .areas
        .iter()
        .map(|(path, cases)| {
            let about = project.areas.iter().find(|part| part.path == *path).map(|part| part.about.as_str());
            format!("- `{path}`: {cases} cases. {}", about.unwrap_or_default())
        })
        .collect();
    let none = |list: &[String], text: &str| if list.is_empty() { text.to_owned() } else { quoted(list) };
    vec![
        (
            "Overview",
            format!(
                "{} test cases: {} beside the code, the others in {} files that are for tests alone.",
                testing.cases, testing.beside, testing.files
            ),
        ),
        ("Where tests stand", areas.join("\n")),
        (
            "Tools",
            format!(
                "Test tools among the dependencies: {}.\nAutomatic checks: {}.",
                none(&testing.tools, "none known"),
                none(&testing.checks, "none found")
            ),
        ),
        ("Parts without tests of their own", none(&testing.untested, "None of any size.")),
    ]
}

fn quoted(list: &[String]) -> String {
    list.iter().map(|one| format!("`{one}`")).collect::<Vec<_>>().join(", ")
}
