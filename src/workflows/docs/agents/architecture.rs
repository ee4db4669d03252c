//! `architecture`: the parts, and what leans on what.

use super::page::{self, Page};
use super::{DocAgent, figure, role};
use crate::workflows::docs::facts::ProjectFacts;
use serde_json::{Value, json};

pub(super) struct Architecture;

impl DocAgent for Architecture {
    fn name(&self) -> &'static str {
        "architecture"
    }

    fn title(&self) -> &'static str {
        "Architecture"
    }

    fn system_prompt(&self) -> String {
        let about = "the architecture: which parts there are, what each is responsible for, which lean on which, where the \
                     layers are, which parts are central and where parts lean on each other in circles.";
        role(about, "Overview, Parts and responsibilities, Layers, Central types, Risks")
    }

    fn human_prompt(&self, project: &ProjectFacts) -> String {
        page::opening(project)
            + &page::parts(project)
            + &page::links(project)
            + &page::counts("Traits and interfaces carried out most often", &project.roles)
    }

    fn figures(&self, project: &ProjectFacts) -> Value {
        let circles = project
            .links
            .iter()
            .filter(|link| link.from < link.to)
            .filter(|link| project.links.iter().any(|back| back.from == link.to && back.to == link.from))
            .count();
        json!({ "parts": project.areas.len(), "links": project.links.len(), "circles": circles })
    }

    fn markdown(&self, data: &Value, project: &ProjectFacts) -> String {
        let rows: Vec<Vec<String>> = project
            .areas
            .iter()
            .map(|part| {
                let uses = project.links.iter().filter(|link| link.from == part.path).count();
                let used = project.links.iter().filter(|link| link.to == part.path).count();
                vec![page::path(&part.path), part.about.clone(), uses.to_string(), used.to_string()]
            })
            .collect();
        Page::new(self.title())
            .text(&self.summary(data))
            .sections(data)
            .diagram("What leans on what", page::leaning(&project.links))
            .table("Parts by what they lean on", &["part", "about", "leans on", "leaned on by"], &rows)
            .into_text()
    }

    fn summary(&self, data: &Value) -> String {
        let count = |key| figure(data, key);
        format!(
            "{} parts with {} leanings between them; {} pairs lean on each other both ways.",
            count("parts"),
            count("links"),
            count("circles")
        )
    }
}
