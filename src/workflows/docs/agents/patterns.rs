//! `patterns`: ways of writing that come back.

use super::page::{self, Page};
use super::{DocAgent, figure, role};
use crate::workflows::docs::facts::ProjectFacts;
use serde_json::{Value, json};

pub(super) struct Patterns;

impl DocAgent for Patterns {
    fn name(&self) -> &'static str {
        "patterns"
    }

    fn title(&self) -> &'static str {
        "Patterns"
    }

    fn system_prompt(&self) -> String {
        let about = "the patterns: ways of writing and designing that come back throughout the code, how errors are handled, \
                     where behaviour is made exchangeable, and which conventions a newcomer should keep to.";
        role(about, "Overview, Recurring designs, Error handling, Conventions to keep")
    }

    fn human_prompt(&self, project: &ProjectFacts) -> String {
        page::opening(project)
            + &page::counts("Ways of writing, with how many lines show them", &project.marks)
            + &page::counts("Traits and interfaces carried out most often", &project.roles)
            + &page::parts(project)
    }

    fn figures(&self, project: &ProjectFacts) -> Value {
        json!({ "marks": project.marks.len(), "roles": project.roles.len() })
    }

    fn markdown(&self, data: &Value, project: &ProjectFacts) -> String {
        let rows = |counts: &[(String, u64)]| -> Vec<Vec<String>> {
            counts.iter().map(|(name, count)| vec![name.clone(), count.to_string()]).collect()
        };
        Page::new(self.title())
            .text(&self.summary(data))
            .sections(data)
            .table("Ways of writing", &["what", "lines"], &rows(&project.marks))
            .table("Carried out most often", &["trait or interface", "times"], &rows(&project.roles))
            .into_text()
    }

    fn summary(&self, data: &Value) -> String {
        let count = |key| figure(data, key);
        format!(
            "{} ways of writing counted, {} traits or interfaces carried out more than once.",
            count("marks"),
            count("roles")
        )
    }
}
