//! `architecture`: the parts, and what leans on what.

use super::page::{self, Page};
use super::{DocAgent, figure};
use crate::workflows::docs::facts::ProjectFacts;
use serde_json::{Value, json};

/// What the agent is, knows and shows.
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
    page::opening(project)
        + &page::parts(project)
        + &page::links(project)
        + &page::counts("Traits and interfaces carried out most often", &project.roles)
}

fn count(project: &ProjectFacts) -> Value {
    let circles = project
        .links
        .iter()
        .filter(|link| link.from < link.to)
        .filter(|link| project.links.iter().any(|back| back.from == link.to && back.to == link.from))
        .count();
    json!({ "parts": project.areas.len(), "links": project.links.len(), "circles": circles })
}

fn summarize(data: &Value) -> String {
    let count = |key| figure(data, key);
    format!(
        "{} parts with {} leanings between them; {} pairs lean on each other both ways.",
        count("parts"),
        count("links"),
        count("circles")
    )
}

fn draw(page: Page, project: &ProjectFacts) -> Page {
    let rows: Vec<Vec<String>> = project
        .areas
        .iter()
        .map(|part| {
            let uses = project.links.iter().filter(|link| link.from == part.path).count();
            let used = project.links.iter().filter(|link| link.to == part.path).count();
            vec![page::path(&part.path), part.about.clone(), uses.to_string(), used.to_string()]
        })
        .collect();
    page.diagram("What leans on what", page::leaning(&project.links)).table(
        "Parts by what they lean on",
        &["part", "about", "leans on", "leaned on by"],
        &rows,
    )
}
