//! `architecture`: the parts, and which part depends on which.

use super::page::{self, Page};
use super::{DocAgent, diagram, figure, prompt_facts};
use crate::text::count_noun;
use crate::workflows::docs::facts::ProjectFacts;
use serde_json::{Value, json};

pub(super) const AGENT: DocAgent = DocAgent {
    name: "architecture",
    title: "Architecture",
    about: "the architecture: which parts there are, what each is responsible for, which lean on which, where the \
                     layers are, which parts are central and where parts lean on each other in circles.",
    sections: "Overview, Parts and responsibilities, Layers, Central types, Risks",
    tell_facts,
    count,
    summarize,
    draw,
};

fn tell_facts(project: &ProjectFacts) -> String {
    prompt_facts::opening(project)
        + &prompt_facts::parts(project)
        + &prompt_facts::links(project)
        + &prompt_facts::counts("Traits and interfaces carried out most often", &project.roles)
        + &prompt_facts::code(project)
        + &prompt_facts::bodies(project)
        + &prompt_facts::remaining_names(project)
}

fn count(project: &ProjectFacts) -> Value {
    let circles = project
        .program_links()
        .filter(|link| link.from < link.to)
        .filter(|link| project.links.iter().any(|back| back.from == link.to && back.to == link.from))
        .count();
    let names: usize = project.modules.iter().map(|module| module.names.len()).sum();
    json!({
        "parts": project.program().count(),
        "links": project.program_links().count(),
        "circles": circles,
        "names": names,
    })
}

fn summarize(data: &Value) -> String {
    let count = |key| figure(data, key);
    let parts = match (count("parts"), count("links")) {
        (0, _) => return "No program text was found in the files that were read.".to_owned(),
        (1, _) => "1 part".to_owned(),
        (parts, 0) => format!("{parts} parts without imports between them"),
        (parts, links) => format!("{parts} parts with {} between them", count_noun(links, "import")),
    };
    match count("names") {
        0 => format!("{parts}."),
        names => format!("{parts}; {} with file and line.", count_noun(names, "name")),
    }
}

fn draw(page: Page, project: &ProjectFacts) -> Page {
    let rows: Vec<Vec<String>> = project
        .program()
        .map(|part| {
            let import_count = project.program_links().filter(|link| link.from == part.path).count();
            let importer_count = project.program_links().filter(|link| link.to == part.path).count();
            let counts =
                [part.lines, import_count as u64, importer_count as u64].map(|count| count.to_string());
            [page::as_code(&part.path), part.about.clone()].into_iter().chain(counts).collect()
        })
        .collect();
    page.diagram("What imports what", diagram::import_graph(project))
        .table("Parts", &["part", "about", "lines", "imports", "imported by"], &rows)
        .modules(project)
}
