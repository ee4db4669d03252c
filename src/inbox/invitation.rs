//! The three answers to an invitation, each one key: yes, maybe, no.

use crate::engine::graph::Decision;
use serde_json::{Value, json};

/// The action of a question whether the person comes.
pub const ANSWER_INVITATION: &str = "answer_invitation";

/// Whether the person comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coming {
    Yes,
    Maybe,
    No,
}

impl Coming {
    const ALL: [Coming; 3] = [Coming::Yes, Coming::Maybe, Coming::No];

    /// The answer in these arguments.
    pub fn of(args: &Value) -> Self {
        let answer = args["answer"].as_str();
        Self::ALL.into_iter().find(|coming| answer == Some(coming.argument())).unwrap_or(Coming::Yes)
    }

    fn argument(self) -> &'static str {
        match self {
            Coming::Yes => "accept",
            Coming::Maybe => "tentative",
            Coming::No => "decline",
        }
    }

    pub fn word(self) -> &'static str {
        match self {
            Coming::Yes => "yes",
            Coming::Maybe => "maybe",
            Coming::No => "no",
        }
    }

    /// What has been done once it is sent.
    pub fn done(self) -> &'static str {
        match self {
            Coming::Yes => "accepted",
            Coming::Maybe => "tentatively accepted",
            Coming::No => "declined",
        }
    }

    /// The decision on proposed arguments that says this: as proposed, or with this answer instead.
    pub fn decision(self, proposed: &Value) -> Decision {
        if Self::of(proposed) == self {
            return Decision::Accept;
        }
        let mut args = proposed.clone();
        args["answer"] = json!(self.argument());
        // What was to be said went with another answer.
        if let Some(args) = args.as_object_mut() {
            args.remove("comment");
        }
        Decision::Edit { args }
    }

    /// What follows from a deed, if it answers an invitation.
    pub fn follows(action: &str, deed: &str) -> &'static str {
        let answers = action == ANSWER_INVITATION && Self::ALL.iter().any(|coming| coming.done() == deed);
        if answers { ". The organiser is told." } else { "" }
    }
}
