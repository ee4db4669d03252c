//! `patterns`: recurring ways of writing.

use super::page::{self, Page};
use super::{DocAgent, figure, prompt_facts};
use crate::text::count_noun;
use crate::workflows::docs::facts::ProjectFacts;
use serde_json::{Value, json};

pub(super) const AGENT: DocAgent = DocAgent {
    name: "patterns",
    title: "Patterns",
    about: "the patterns: ways of writing and designing that come back throughout the code, how errors are handled, \
                     where behaviour is made exchangeable, and which conventions a newcomer should keep to.",
    sections: "Overview, Recurring designs, Error handling, Conventions to keep",
    tell_facts,
    count,
    summarize,
    draw,
};

fn tell_facts(project: &ProjectFacts) -> String {
    let mut text = prompt_facts::opening(project)
        + "\nWays of writing, with how many lines show them and where first:\n";
    for (name, count, place) in &project.marks {
        text += &format!("- {name}: {count}, {place}\n");
    }
    text + &prompt_facts::counts("Traits and interfaces carried out most often", &project.roles)
        + &prompt_facts::parts(project)
        + &prompt_facts::code(project)
        + &prompt_facts::bodies(project)
        + &prompt_facts::remaining_names(project)
}

fn count(project: &ProjectFacts) -> Value {
    json!({ "marks": project.marks.len(), "roles": project.roles.len() })
}

fn summarize(data: &Value) -> String {
    let marks = match figure(data, "marks") {
        0 => "No way of writing stands out".to_owned(),
        1 => "1 way of writing counted".to_owned(),
        n => format!("{n} ways of writing counted"),
    };
    match figure(data, "roles") {
        0 => format!("{marks}."),
        n => format!("{marks}; {} carried out more than once.", count_noun(n, "trait")),
    }
}

fn draw(page: Page, project: &ProjectFacts) -> Page {
    let rows = |counts: &[(String, u64)]| -> Vec<Vec<String>> {
        counts.iter().map(|(name, count)| vec![name.clone(), count.to_string()]).collect()
    };
    let marks: Vec<Vec<String>> = project
        .marks
        .iter()
        .map(|(name, count, place)| vec![name.clone(), count.to_string(), page::as_code(place)])
        .collect();
    page.table("Ways of writing", &["what", "lines", "first seen"], &marks).table(
        "Carried out most often",
        &["trait or interface", "times"],
        &rows(&project.roles),
    )
}
