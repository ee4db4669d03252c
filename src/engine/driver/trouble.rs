//! Turns a failure into a question: what happened, and what each answer does about it.

use crate::engine::graph::{Allow, Failure, Interrupt, Kind, Labels};
use crate::inbox::proposal;
use crate::text::Visible;
use serde_json::{Value, json};

/// The question about a failure. `could_not` is the workflow's own title for it; `hints` says whether the workflow
/// accepts a hint on a retry.
pub(crate) fn interrupt(
    failure: &Failure,
    workflow: &str,
    node: &str,
    could_not: Option<String>,
    hints: bool,
) -> Interrupt {
    let code = failure.code();
    let (args, schema) = match failure {
        Failure::InDoubt { effect, .. } => {
            (json!({"effect": effect, "outcome": "done"}), doubt_schema(effect))
        }
        Failure::Failed(_) | Failure::LostNode(_) | Failure::StepLimit(_) | Failure::Budget(_) => {
            (json!({"node": node}), Value::Bool(true))
        }
        // A person stopped it, wherever it was.
        Failure::Stopped => (json!({}), Value::Bool(true)),
    };
    let mut trouble = proposal(code, Kind::Trouble, code, &args, &title(failure, workflow, could_not));
    trouble.schema = schema;
    trouble.gist = Visible::line(&failure.text()).into_string();
    (trouble.allow, trouble.labels) = answers(failure, hints);
    trouble.irreversible = matches!(failure, Failure::InDoubt { .. });
    trouble
}

fn title(failure: &Failure, workflow: &str, could_not: Option<String>) -> String {
    let stuck = || format!("{workflow} cannot go on");
    match failure {
        Failure::InDoubt { .. } => "Was it done?".to_owned(),
        Failure::Failed(_) => could_not.unwrap_or_else(stuck),
        Failure::LostNode(_) => stuck(),
        Failure::StepLimit(_) => format!("{workflow} has taken many steps"),
        Failure::Budget(_) => format!("{workflow} would pass its budget"),
        Failure::Stopped => format!("{workflow} was stopped"),
    }
}

/// How a failure can be answered, and what each answer is called.
fn answers(failure: &Failure, hints: bool) -> (Allow, Labels) {
    let no_edit = Allow { edit: false, ..Allow::ALL };
    match failure {
        Failure::Failed(_) | Failure::LostNode(_) => (
            Allow { respond: hints, ..no_edit },
            Labels {
                done: Some("retried".to_owned()),
                refused: Some("abandoned".to_owned()),
                ..Labels::new("retry now", "retry with a hint", "abandon")
            },
        ),
        Failure::Stopped => (
            Allow { respond: hints, ..no_edit },
            Labels {
                done: Some("resumed".to_owned()),
                refused: Some("abandoned".to_owned()),
                ..Labels::new("go on", "go on with a hint", "abandon")
            },
        ),
        Failure::StepLimit(_) | Failure::Budget(_) => {
            let labels = Labels::new("allow as much again", "", "abandon");
            (Allow { respond: false, ..no_edit }, Labels { refused: Some("abandoned".to_owned()), ..labels })
        }
        Failure::InDoubt { .. } => (
            Allow { respond: false, ..Allow::ALL },
            Labels {
                edit: Some("it was not done: do it again".to_owned()),
                ..Labels::new("it was done", "", "abandon")
            },
        ),
    }
}

fn doubt_schema(effect: &str) -> Value {
    json!({
        "type": "object",
        "properties": {
            "effect": {"const": effect},
            "outcome": {"enum": ["done", "not_done"], "description": "not_done does it again, exactly as approved"}
        },
        "required": ["effect", "outcome"],
        "additionalProperties": false
    })
}
