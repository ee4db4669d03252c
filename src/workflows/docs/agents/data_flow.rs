//! `data-flow`: where data comes in, where it goes out, and its way in between.

use super::page::{self, Page};
use super::{DocAgent, diagram, figure, prompt_facts};
use crate::text::count_noun;
use crate::workflows::docs::facts::ProjectFacts;
use serde_json::{Value, json};
use std::fmt::Write;

pub(super) const AGENT: DocAgent = DocAgent {
    name: "data-flow",
    title: "Data flow",
    about: "the data flow: where data enters (files, network, terminal), which parts pass it on, where it is kept \
                     and where it leaves.",
    sections: "Overview, Ways in, Ways through, Where it is kept, Ways out",
    tell_facts,
    count,
    summarize,
    draw,
};

fn tell_facts(project: &ProjectFacts) -> String {
    let mut text = prompt_facts::opening(project) + "\nWhat outside is reached, and from which parts:\n";
    for (what, parts) in &project.outside {
        let _ = writeln!(text, "- {what}: {}", parts.join(", "));
    }
    text + &prompt_facts::links(project)
        + &prompt_facts::parts(project)
        + &prompt_facts::code(project)
        + &prompt_facts::bodies(project)
        + &prompt_facts::remaining_names(project)
}

fn count(project: &ProjectFacts) -> Value {
    json!({ "entries": project.entries.len(), "outside": project.outside.len() })
}

fn summarize(data: &Value) -> String {
    let count = |key| figure(data, key);
    let entries = match count("entries") {
        0 => "No entry point was found".to_owned(),
        n => count_noun(n, "entry point"),
    };
    let outside = match count("outside") {
        0 => "nothing outside is reached".to_owned(),
        1 => "1 kind of thing is reached outside".to_owned(),
        n => format!("{n} kinds of things are reached outside"),
    };
    format!("{entries}; {outside}.")
}

fn draw(page: Page, project: &ProjectFacts) -> Page {
    let entries: Vec<Vec<String>> =
        project.entries.iter().map(|(path, what)| vec![page::as_code(path), what.clone()]).collect();
    let outside: Vec<Vec<String>> =
        project.outside.iter().map(|(what, parts)| vec![what.clone(), parts.join(", ")]).collect();
    page.diagram("What reaches outside", diagram::outside_graph(&project.outside))
        .table("Where it starts", &["path", "what"], &entries)
        .table("Reached outside", &["what", "from"], &outside)
}
