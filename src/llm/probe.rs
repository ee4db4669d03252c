//! Finds a model's habits with two short questions: one that wants a call, one that wants data.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::habit::note;
use super::{Choice, Habit, Model, ModelError, Request, ToolSpec, propose, quiet, structured};

/// What a model did when it was probed.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Probe {
    pub habits: Vec<Habit>,
    /// What it could not do at all, in words.
    pub lacks: Vec<&'static str>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[allow(dead_code)] // We only check whether it can be read.
enum Kind {
    Call,
    Visit,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)] // We only check whether it can be read.
struct Meeting {
    /// Who comes.
    guests: Vec<String>,
    /// How long.
    minutes: u32,
    kind: Kind,
    /// Whether it is urgent.
    urgent: bool,
    /// Where, if that is known.
    #[serde(default)]
    place: Option<String>,
}

const WORDS: &str = "A call with Ada of 30 minutes, not urgent; the place is not known.";

/// Asks twice. A model that cannot be reached is an error; one that answers badly is not.
pub async fn probe(model: &dyn Model) -> Result<Probe, ModelError> {
    let mut probe = Probe::default();
    let tool = ToolSpec::of::<Meeting>("note_meeting", "Notes a meeting.");
    let request = Request::new("check.call", json!({}))
        .system("You note meetings by calling the tool you are given.")
        .user(format!("Note this meeting: {WORDS}"))
        .tool(tool)
        .choice(Choice::Required);
    match propose(model, &request, &quiet).await {
        Ok(reply) => note(&mut probe.habits, reply.habits),
        Err(error) => probe.lack("call a tool as asked", error)?,
    }
    let request = Request::new("check.data", json!({}))
        .system("You turn sentences into data.")
        .user(format!("Turn this meeting into data: {WORDS}"));
    match structured::<Meeting>(model, &request).await {
        Ok(answer) => note(&mut probe.habits, answer.habits),
        Err(error) => probe.lack("answer with data as asked", error)?,
    }
    Ok(probe)
}

impl Probe {
    /// An unusable answer is what the probe is about; anything else is an error.
    fn lack(&mut self, feature: &'static str, error: ModelError) -> Result<(), ModelError> {
        match error {
            ModelError::Unreadable { .. } | ModelError::AnswerTooLong { .. } | ModelError::Refused { .. } => {
                self.lacks.push(feature);
                Ok(())
            }
            error => Err(error),
        }
    }

    /// The result in a sentence.
    pub fn summary(&self) -> String {
        let habits: Vec<&str> = self.habits.iter().map(|habit| habit.name()).collect();
        let shows = match habits.as_slice() {
            [] => "two short questions showed no habits".to_owned(),
            habits => format!("two short questions showed {}", habits.join(", ")),
        };
        match self.lacks.as_slice() {
            [] => shows,
            lacks => format!(
                "{shows}; it did not {}, so most workflows will ask you instead",
                lacks.join(" and did not ")
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::{Reply, Scripted};

    #[tokio::test]
    async fn habits_are_named_and_a_model_that_only_talks_is_no_error() {
        let args = json!({"guests": "Ada", "minutes": "30", "kind": "CALL", "urgent": false, "place": null});
        let data =
            "```json\n{\"guests\": [\"Ada\"], \"minutes\": 30, \"kind\": \"call\", \"urgent\": false,}\n```";
        let model = Scripted::new([
            Ok(Scripted::calls([("functions.note_meeting", args)])),
            Ok(Scripted::text(data)),
        ]);
        let report = probe(&model).await.unwrap().summary();
        let seen = "one-for-list, other-case, numbers-as-text";
        for habit in ["tool-name", "fence", "loose-json"].into_iter().chain(seen.split(", ")) {
            assert!(report.contains(habit), "{habit}: {report}");
        }
        let talks = Scripted::by(|_| Ok(Scripted::text("I would love to.")));
        let report = probe(&talks).await.unwrap().summary();
        assert!(report.contains("did not call a tool as asked and did not answer with data"), "{report}");
        let good = json!({"guests": ["Ada"], "minutes": 30, "kind": "call", "urgent": false});
        let model = Scripted::new([
            Ok(Reply { text: String::new(), ..Scripted::calls([("note_meeting", good.clone())]) }),
            Ok(Scripted::json(&good)),
        ]);
        assert_eq!(probe(&model).await.unwrap().summary(), "two short questions showed no habits");
        let gone = Scripted::by(|_| Err(ModelError::Unreachable { model: "m".into(), why: "gone".into() }));
        assert_eq!(probe(&gone).await.unwrap_err().code(), "unreachable");
    }
}
