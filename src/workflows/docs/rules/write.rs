//! Pages made from facts, one section per heading.

use crate::text::count_noun;
use crate::text::words::line;
use crate::workflows::docs::agents::{describe_cases, files_in_folders, list_paths};
use crate::workflows::docs::facts::{AreaFacts, DocsFacts, NameFacts, ProjectFacts};
use crate::workflows::docs::project::keep_best;
use std::fmt::Write;

/// The heading that answers go under.
const ANSWERS_HEADING: &str = "## Found out by asking";

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
    let filled = sections.into_iter().filter(|(_, text)| !text.trim().is_empty());
    filled.map(|(title, text)| format!("## {title}\n\n{}\n", text.trim_end())).collect::<Vec<_>>().join("\n")
}

/// The analysis with the new answers, one line per question.
pub(super) fn with_answers(facts: &DocsFacts) -> String {
    let mut text = facts.analysis.trim_end().to_owned();
    if !text.contains(ANSWERS_HEADING) {
        let _ = write!(text, "\n\n{ANSWERS_HEADING}\n");
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
        .map(|one| {
            format!("{} ({}, {})", one.name, count_noun(one.files, "file"), count_noun(one.lines, "line"))
        })
        .collect();
    let files = files_in_folders(project.files, project.folders);
    let _ = match languages.is_empty() {
        true => writeln!(text, "{files}, without program text."),
        false => writeln!(text, "{files}; it is written in {}.", languages.join(", ")),
    };
    for (language, files) in &project.unread {
        let _ = writeln!(
            text,
            "\nNames and imports of {language} are not read, so of its {} only the paths and sizes are known.",
            count_noun(*files, "file")
        );
    }
    text
}

/// What a part is for: what it says of itself, or its most telling names.
fn purpose(part: &AreaFacts, project: &ProjectFacts) -> String {
    let description = description(part, project);
    if !description.is_empty() || part.is_test {
        return description;
    }
    let mut names = names(part, project);
    keep_best(&mut names, 3);
    let names: Vec<String> = names.iter().map(|name| format!("`{}`", name.name)).collect();
    if names.is_empty() { String::new() } else { format!("Declares {}.", names.join(", ")) }
}

/// Whether a file or folder is a part, or lies in it.
fn lies_in(part: &AreaFacts, path: &str) -> bool {
    path == part.path || path.starts_with(&format!("{}/", part.path))
}

/// The names a part declares.
fn names(part: &AreaFacts, project: &ProjectFacts) -> Vec<NameFacts> {
    let modules = project.modules.iter().filter(|module| lies_in(part, &module.path));
    modules.flat_map(|module| module.names.clone()).collect()
}

/// What is said about a part: its own description, what it tests, or the descriptions of its names.
pub(super) fn description(part: &AreaFacts, project: &ProjectFacts) -> String {
    if !part.about.is_empty() {
        return part.about.clone();
    }
    if part.is_test {
        let covers = project.testing.covers.iter().filter(|(test, ..)| lies_in(part, test));
        let mut covers: Vec<String> = covers.filter_map(|(_, _, covers)| covers.first().cloned()).collect();
        covers.sort();
        covers.dedup();
        return if covers.is_empty() { String::new() } else { format!("Tests {}.", list_paths(&covers, 10)) };
    }
    if matches!(part.language.as_str(), "Markdown" | "reStructuredText") {
        let largest: Vec<String> = part.largest.iter().map(|(path, _)| path.clone()).collect();
        return format!("Documents for people, the largest of them {}.", list_paths(&largest, 3));
    }
    let mut names = names(part, project);
    names.retain(|name| !name.about.is_empty());
    keep_best(&mut names, 3);
    let described = |name: &NameFacts| format!("`{}` ({})", name.name, name.about.trim_end_matches('.'));
    match names.is_empty() {
        true => String::new(),
        false => format!("Declares {}.", names.iter().map(described).collect::<Vec<_>>().join(", ")),
    }
}

/// Parts, one line each, with what they are for.
fn parts<'a>(project: &ProjectFacts, areas: impl Iterator<Item = &'a AreaFacts>) -> String {
    let part = |part: &AreaFacts| {
        let files = if part.files == 1 { String::new() } else { format!("{} files, ", part.files) };
        let mut text = format!("- `{}` ({files}{})", part.path, count_noun(part.lines, "line"));
        let purpose = purpose(part, project);
        if !purpose.is_empty() {
            let _ = write!(text, ": {purpose}");
        }
        text
    };
    areas.filter(|one| one.lines > 0).map(part).collect::<Vec<_>>().join("\n")
}

/// The first command for a purpose, in words.
fn how_to(project: &ProjectFacts, purpose: &str) -> Option<String> {
    let run = project.runs.iter().find(|run| run.purpose == purpose)?;
    let says = if run.says.is_empty() { String::new() } else { format!(": {}", run.says) };
    Some(format!("`{}` (named in `{}`{says})", run.command, run.from))
}

fn file_structure(project: &ProjectFacts) -> Vec<(&'static str, String)> {
    let mut start: Vec<String> = Vec::new();
    for (purpose, words) in
        [("run", "Run it with"), ("test", "Run the tests with"), ("check", "Check it with")]
    {
        start.extend(how_to(project, purpose).map(|how| format!("- {words} {how}")));
    }
    let documents = project.documents.iter().filter(|path| !path.contains('/')).take(6);
    start.extend(documents.map(|path| format!("- Read `{path}`")));
    start.extend(
        project.entries.iter().take(10).map(|(path, what)| format!("- Start at `{path}`, the {what}")),
    );
    let central = project.modules.iter().filter(|module| module.used_by > 1).take(5);
    start.extend(central.map(|one| format!("- Know `{}`: {} files import it", one.path, one.used_by)));
    let mut large: Vec<&(String, u64)> = project.areas.iter().flat_map(|part| &part.largest).collect();
    large.sort_by_key(|(_, lines)| std::cmp::Reverse(*lines));
    let large: Vec<String> =
        large.iter().take(8).map(|(path, lines)| format!("- `{path}`, {lines} lines")).collect();
    vec![
        ("Overview", overview(project)),
        ("Folders and modules", parts(project, project.areas.iter())),
        ("Where to start", start.join("\n")),
        ("Largest files", large.join("\n")),
    ]
}

fn dependencies(project: &ProjectFacts) -> Vec<(&'static str, String)> {
    let all_dependencies = || project.manifests.iter().flat_map(|manifest| &manifest.dependencies);
    let list = |is_wanted: &dyn Fn(&str, u64) -> bool| -> String {
        let mut dependencies: Vec<_> =
            all_dependencies().filter(|dependency| is_wanted(&dependency.group, dependency.files)).collect();
        dependencies.sort_by_key(|dependency| std::cmp::Reverse(dependency.files));
        let row = |dependency: &&crate::workflows::docs::facts::DependencyFacts| {
            let users = if dependency.areas.is_empty() {
                "no file that was read".to_owned()
            } else {
                list_paths(&dependency.areas, 8)
            };
            format!(
                "- `{}` {}: {}, used in {users}",
                dependency.name,
                dependency.wanted,
                count_noun(dependency.files, "import")
            )
        };
        dependencies.iter().take(40).map(row).collect::<Vec<_>>().join("\n")
    };
    let manifests: Vec<String> = project
        .manifests
        .iter()
        .map(|manifest| {
            format!(
                "- `{}` ({}): {} {}, {}",
                manifest.path,
                manifest.sort,
                manifest.name,
                manifest.version,
                match manifest.dependencies.len() {
                    0 => "no dependency".to_owned(),
                    1 => "1 dependency".to_owned(),
                    n => format!("{n} dependencies"),
                }
            )
        })
        .collect();
    let manifest_list =
        if project.manifests.is_empty() { "No manifest was found.".to_owned() } else { manifests.join("\n") };
    vec![
        ("Overview", format!("{}\n{manifest_list}", overview(project))),
        ("Central dependencies", list(&|group, _| !matches!(group, "dev" | "indirect"))),
        ("For development", list(&|group, _| group == "dev")),
        ("Worth a look", {
            let unused = list(&|_, files| files == 0);
            if all_dependencies().next().is_none() {
                "No manifest that was read names a dependency.".to_owned()
            } else if unused.is_empty() {
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
    let layers: Vec<String> = project
        .modules
        .iter()
        .filter(|module| module.used_by > 0)
        .take(12)
        .map(|module| {
            let imports = match module.imports.is_empty() {
                true => "imports nothing of this code base".to_owned(),
                false => format!("imports {}", list_paths(&module.imports, 8)),
            };
            format!("- `{}`: imported by {}, {imports}", module.path, count_noun(module.used_by, "file"))
        })
        .collect();
    let is_type = |name: &&NameFacts| {
        matches!(name.kind.as_str(), "class" | "struct" | "trait" | "interface" | "enum" | "type")
            && name.public
    };
    let types: Vec<String> = project
        .modules
        .iter()
        .flat_map(|module| module.names.iter().filter(is_type).take(5).map(move |name| (module, name)))
        .take(24)
        .map(|(module, name)| {
            let about = if name.about.is_empty() { String::new() } else { format!(": {}", name.about) };
            format!("- `{}` (`{}:{}`){about}", name.name, module.path, name.line)
        })
        .collect();
    let circles: Vec<String> = project
        .links
        .iter()
        .filter(|link| link.from < link.to)
        .filter(|link| project.links.iter().any(|back| back.from == link.to && back.to == link.from))
        .filter(|link| ![&link.from, &link.to].iter().any(|path| is_reexporting(path)))
        .map(|link| format!("- `{}` and `{}` import each other", link.from, link.to))
        .collect();
    let risks = match (circles.is_empty(), project.links.is_empty()) {
        (true, true) => "No import between parts was found, so circles could not be looked for.".to_owned(),
        (true, false) => "No two parts import each other.".to_owned(),
        (false, _) => circles.join("\n"),
    };
    vec![
        ("Overview", overview(project)),
        ("Parts and responsibilities", parts(project, project.program())),
        ("Layers, most used first", layers.join("\n")),
        ("Central types", types.join("\n")),
        ("Risks", risks),
    ]
}

/// Whether a file re-exports what others declare: that they import each other is its purpose.
fn is_reexporting(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    matches!(name, "lib.rs" | "mod.rs" | "__init__.py" | "index.js" | "index.ts")
}

fn patterns(project: &ProjectFacts) -> Vec<(&'static str, String)> {
    let marks: Vec<String> = project
        .marks
        .iter()
        .take(12)
        .map(|(name, count, place)| {
            format!("- {name} show in {}; the first is `{place}`", count_noun(*count, "line"))
        })
        .collect();
    let roles: Vec<String> = project
        .roles
        .iter()
        .take(12)
        .map(|(name, count)| format!("- `{name}` is carried out {count} times"))
        .collect();
    let is_error = |name: &&NameFacts| {
        let last = name.name.rsplit(['.', ':']).next().unwrap_or_default();
        (last.ends_with("Error") || last.ends_with("Exception")) && name.kind != "method"
    };
    let errors: Vec<String> = project
        .modules
        .iter()
        .flat_map(|module| module.names.iter().filter(is_error).map(move |name| (module, name)))
        .take(16)
        .map(|(module, name)| format!("- `{}` (`{}:{}`) {}", name.name, module.path, name.line, name.about))
        .collect();
    let errors = match errors.is_empty() {
        true => "No type is named an error or an exception.".to_owned(),
        false => format!("Types named after errors:\n\n{}", errors.join("\n")),
    };
    vec![
        ("Overview", format!("{}\n{}", overview(project), marks.join("\n"))),
        ("Recurring designs", roles.join("\n")),
        ("Error handling", errors),
    ]
}

fn data_flow(project: &ProjectFacts) -> Vec<(&'static str, String)> {
    let list_outside = |kinds: &[&str]| -> String {
        let matches = project.outside.iter().filter(|(kind, _)| kinds.contains(&kind.as_str()));
        let rows: Vec<String> =
            matches.map(|(kind, from)| format!("- {kind}: {}", list_paths(from, 12))).collect();
        if rows.is_empty() { "Nothing of the kind shows in the imports.".to_owned() } else { rows.join("\n") }
    };
    let entries: Vec<String> =
        project.entries.iter().map(|(path, kind)| format!("- `{path}`, the {kind}")).collect();
    let follow = |path: &String| {
        let module = project.modules.iter().find(|module| module.path == *path)?;
        let next = |path: &String| {
            let module = project.modules.iter().find(|module| module.path == *path)?;
            let imports = list_paths(&module.imports, 8);
            (!module.imports.is_empty()).then(|| format!("  - `{path}` leads to {imports}"))
        };
        let deeper: Vec<String> = module.imports.iter().filter_map(next).take(8).collect();
        let first = format!("- `{path}` leads to {}", list_paths(&module.imports, 12));
        (!module.imports.is_empty())
            .then(|| std::iter::once(first).chain(deeper).collect::<Vec<_>>().join("\n"))
    };
    let ways: Vec<String> = project.entries.iter().filter_map(|(path, _)| follow(path)).take(8).collect();
    vec![
        ("Overview", overview(project)),
        (
            "Ways in",
            format!(
                "{}\n{}",
                entries.join("\n"),
                list_outside(&["the terminal", "the environment", "network"])
            ),
        ),
        ("Ways through", ways.join("\n")),
        ("Where it is kept", list_outside(&["databases", "files"])),
        ("Ways out", list_outside(&["network", "other processes", "files"])),
    ]
}

fn testing(project: &ProjectFacts) -> Vec<(&'static str, String)> {
    let testing = &project.testing;
    let areas: Vec<String> = testing
        .areas
        .iter()
        .map(|(path, cases)| {
            let part = project.areas.iter().find(|part| part.path == *path);
            let about = part.map(|part| purpose(part, project)).unwrap_or_default();
            format!("- `{path}`: {}. {about}", count_noun(*cases, "case"))
        })
        .collect();
    let list_or =
        |list: &[String], text: &str| if list.is_empty() { text.to_owned() } else { list_paths(list, 30) };
    let how = match how_to(project, "test") {
        Some(how) => format!("Run the tests with {how}."),
        None => "No file that was read says how the tests are run.".to_owned(),
    };
    let overview = match testing.cases {
        0 => "No test case was found in the files that were read. They may be kept elsewhere, or be written in a way \
              this program does not know."
            .to_owned(),
        cases => format!("{}.", describe_cases(cases, testing.beside, testing.files)),
    };
    vec![
        ("Overview", format!("{overview}\n\n{how}")),
        ("Where tests stand", areas.join("\n")),
        (
            "Tools",
            format!(
                "Test tools among the dependencies: {}.\nAutomatic checks: {}.",
                list_or(&testing.tools, "none known"),
                list_or(&testing.checks, "none found")
            ),
        ),
    ]
}
