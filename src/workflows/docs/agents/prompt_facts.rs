//! Facts as text for prompts.

use crate::workflows::docs::facts::{NameFacts, ProjectFacts};
use crate::workflows::docs::project::keep_best;
use std::fmt::Write;

/// How many bytes of the README a prompt quotes.
const README: usize = 4_000;

/// How many names of a module come before the names of the next.
const FIRST_NAMES: usize = 24;

/// The project in a few lines; every prompt starts with them.
pub(super) fn opening(project: &ProjectFacts) -> String {
    let mut out = format!("The code base: {}\n", project.name);
    if !project.about.is_empty() {
        let _ = writeln!(out, "It says of itself: {}", project.about);
    }
    let _ = writeln!(
        out,
        "{} files in {} folders, {} lines of program text.",
        project.files, project.folders, project.lines
    );
    let languages: Vec<String> = project
        .languages
        .iter()
        .take(10)
        .map(|one| format!("{} {} files {} lines", one.name, one.files, one.lines))
        .collect();
    let _ = writeln!(out, "Languages: {}", languages.join("; "));
    let entries: Vec<String> =
        project.entries.iter().map(|(path, what)| format!("{path} ({what})")).collect();
    if !entries.is_empty() {
        let _ = writeln!(out, "Entry points: {}", entries.join("; "));
    }
    for (path, platform) in platforms(project) {
        let _ = writeln!(out, "Needs {platform} ({path})");
    }
    for wish in &project.wishes {
        let _ = writeln!(out, "The person asks besides: {wish}");
    }
    for (language, files) in &project.unread {
        let _ = writeln!(
            out,
            "Names and imports of {language} are not read ({files} files); only its files are known."
        );
    }
    out + &runs(project)
}

/// The commands that test, run, check and build it.
fn runs(project: &ProjectFacts) -> String {
    let mut out = String::new();
    for run in &project.runs {
        let _ = writeln!(out, "To {}: `{}` (named in {}; {})", run.purpose, run.command, run.from, run.says);
    }
    out
}

/// The README, and the program file by file: its description, imports, declarations with their lines, and tests.
pub(super) fn code(project: &ProjectFacts) -> String {
    let mut out = String::new();
    if !project.readme.is_empty() {
        let _ = write!(out, "\nThe README begins:\n{}\n[end of the README]\n", head(&project.readme, README));
    }
    if !project.modules.is_empty() {
        out +=
            "\nThe program, file by file, those used most first (line: declaration: what is said of it):\n";
    }
    for module in &project.modules {
        let _ =
            write!(out, "\n{} ({} lines, imported by {} files)", module.path, module.lines, module.used_by);
        for (what, list) in [("imports", &module.imports), ("tested in", &module.tests)] {
            if !list.is_empty() {
                let _ = write!(out, "; {what} {}", list.join(", "));
            }
        }
        out.push('\n');
        if !module.about.is_empty() {
            let _ = writeln!(out, "  says of itself: {}", module.about);
        }
        let mut best = module.names.clone();
        keep_best(&mut best, FIRST_NAMES);
        best.iter().for_each(|name| write_name(&mut out, name));
    }
    out
}

/// The other names that modules declare. They come last, so that a large module does not crowd out the others.
pub(super) fn remaining_names(project: &ProjectFacts) -> String {
    let mut out = String::new();
    for module in project.modules.iter().filter(|module| module.names.len() > FIRST_NAMES) {
        let mut best = module.names.clone();
        keep_best(&mut best, FIRST_NAMES);
        let _ = writeln!(out, "\n{} (declares besides)", module.path);
        let rest = module.names.iter().filter(|name| !best.iter().any(|one| one.line == name.line));
        rest.for_each(|name| write_name(&mut out, name));
    }
    out
}

/// The source of functions that much of the program goes through.
pub(super) fn bodies(project: &ProjectFacts) -> String {
    let mut out = String::new();
    if !project.bodies.is_empty() {
        out += "\nFunctions that much of the program goes through, as they are written:\n";
    }
    for body in &project.bodies {
        let _ = write!(out, "\n{}:{} {}\n{}", body.path, body.line, body.name, body.text);
    }
    out
}

/// Adds a name on one line.
fn write_name(out: &mut String, name: &NameFacts) {
    let _ = write!(out, "  {}: ", name.line);
    // A method's declaration does not name its type.
    if !name.signature.contains(name.name.as_str()) {
        let _ = write!(out, "{} = ", name.name);
    }
    let _ = write!(out, "{}{}", name.signature, if name.public { "" } else { " [internal]" });
    if !name.about.is_empty() {
        let _ = write!(out, ": {}", name.about);
    }
    out.push('\n');
}

/// At most this many bytes of a text.
fn head(text: &str, max: usize) -> &str {
    &text[..text.floor_char_boundary(max)]
}

/// The parts, with what is known about each.
pub(super) fn parts(project: &ProjectFacts) -> String {
    let mut out = "\nParts:\n".to_owned();
    for part in &project.areas {
        let _ = write!(out, "- {}: {} files, {} lines", part.path, part.files, part.lines);
        if !part.language.is_empty() {
            let _ = write!(out, ", {}", part.language);
        }
        if part.tests > 0 {
            let _ = write!(out, ", {} tests", part.tests);
        }
        if !part.about.is_empty() {
            let _ = write!(out, "; says of itself: {}", part.about);
        }
        if !part.names.is_empty() {
            let names: Vec<String> = part.names.iter().map(|(kind, name)| format!("{kind} {name}")).collect();
            let _ = write!(out, "; declares {}", names.join(", "));
        }
        out.push('\n');
    }
    out
}

/// Which parts depend on which, one line each.
pub(super) fn links(project: &ProjectFacts) -> String {
    let mut out = "\nImports between parts (from, to, files):\n".to_owned();
    for link in &project.links {
        let _ = writeln!(out, "- {} -> {} ({})", link.from, link.to, link.files);
    }
    out
}

/// The manifests that say which version of their language they need.
pub(in crate::workflows::docs) fn platforms(project: &ProjectFacts) -> impl Iterator<Item = (&str, &str)> {
    let platforms =
        project.manifests.iter().map(|manifest| (manifest.path.as_str(), manifest.platform.as_str()));
    platforms.filter(|(_, platform)| !platform.is_empty())
}

/// Names on one line, or "none".
pub(super) fn join_or_none(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

/// Names and numbers, one line each.
pub(super) fn counts(title: &str, counts: &[(String, u64)]) -> String {
    if counts.is_empty() {
        return String::new();
    }
    let mut out = format!("\n{title}:\n");
    for (name, count) in counts {
        let _ = writeln!(out, "- {name}: {count}");
    }
    out
}
