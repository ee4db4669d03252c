//! Everything that can happen to a question.

use super::parts::{Entity, More, Pending, Table, Turning};
use crate::graph::Decision;
use crate::tools::catalogue::Operation;
use crate::workflows::ask::facts::CategoryAnswer;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Everything that can happen.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum AskUpdate {
    Nothing,
    /// The thread began.
    Started {
        /// The question.
        query: String,
        /// Whether the next question is asked for.
        follow_up: bool,
        /// The model it was started with.
        model: Option<String>,
    },
    /// The person went on after an answer.
    Heard {
        /// The next question.
        text: String,
    },
    /// The person added words to a retry.
    Hinted {
        /// The words.
        text: String,
    },
    /// The person answered.
    Answered {
        /// What they were asked.
        key: String,
        /// What they decided.
        decision: Decision,
    },
    /// What sort of question it is, is known.
    Categorised {
        /// What was found.
        answer: CategoryAnswer,
        /// What is said of the answer because of it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    },
    /// What came into question was looked up.
    Listed {
        apis: Vec<Operation>,
    },
    /// What is asked, is known.
    Chosen {
        /// What is asked.
        best_api: Box<Operation>,
        /// What is asked next.
        secondary_api: Option<Box<Operation>>,
        /// What is said of the answer because of it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    },
    /// The next page of a list is fetched.
    Turned {
        best_api: Box<Operation>,
        parameters: Map<String, Value>,
        turning: Turning,
    },
    /// Something is to be said of the answer.
    Noted {
        note: String,
    },
    /// What the question says, is known; something may be missing.
    Extracted {
        /// The parameters so far.
        parameters: Map<String, Value>,
    },
    /// The next request is known.
    Planned {
        /// The request.
        pending: Box<Pending>,
    },
    /// Something is missing, and the person is asked for it.
    Wanted {
        parameter: String,
        question: String,
        /// What they may have meant.
        candidates: Vec<Entity>,
    },
    /// A server was chosen.
    Hosted {
        api: String,
        /// The server.
        host: String,
        /// All servers there are; empty where nobody asked.
        hosts: Vec<String>,
    },
    /// The person wants another request.
    Objected {
        /// Their words.
        text: String,
    },
    /// The person says which thing they mean.
    Named {
        name: String,
        kind: String,
    },
    /// The thing the question names was found.
    Resolved {
        /// The thing.
        entity: Entity,
    },
    /// The thing the question names was not found for sure.
    Ambiguous {
        /// What may be meant; empty where nothing was found.
        candidates: Vec<Entity>,
    },
    /// An answer came.
    Responded {
        /// Whether it is that to the second request.
        secondary: bool,
        /// The answer, cut where it is long.
        response: Value,
        /// The digest of the whole answer.
        digest: Option<String>,
        /// How much was left out.
        note: Option<String>,
        /// Where the next page is, by the `Link` header.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        next_link: Option<String>,
        /// Who answered.
        host: String,
    },
    /// The server refused the request.
    Refused {
        text: String,
    },
    /// Something went wrong.
    Erred {
        node: String,
        text: String,
    },
    /// The answer stands.
    Formatted {
        text: String,
        /// As a table, for a list.
        table: Option<Table>,
        /// Lists of which there is more to tell.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        more: Vec<More>,
    },
    /// The person wants no more.
    Ended,
    /// The question is forgotten.
    Reset,
}
