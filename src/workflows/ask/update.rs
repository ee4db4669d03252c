//! Everything that can happen to a question.

use super::parts::{Entity, ListPosition, PageFetch, Pending, Table};
use crate::graph::Decision;
use crate::tools::catalogue::Operation;
use crate::workflows::ask::facts::CategoryAnswer;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum AskUpdate {
    Nothing,
    /// The thread began.
    Started {
        query: String,
        /// Whether to ask for a next question.
        follow_up: bool,
        /// The model it was started with.
        model: Option<String>,
    },
    /// The person continued after an answer.
    Heard {
        /// The next question.
        text: String,
    },
    /// The person added a hint to a retry.
    Hinted {
        text: String,
    },
    /// The person answered.
    Answered {
        /// The key of the question they answered.
        key: String,
        decision: Decision,
    },
    /// The sort of question is known.
    Categorised {
        answer: CategoryAnswer,
        /// A note to add to the answer.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    },
    /// The candidates were looked up.
    Listed {
        apis: Vec<Operation>,
    },
    /// The operation to ask is known.
    Chosen {
        best_api: Box<Operation>,
        /// The operation to ask next.
        secondary_api: Option<Box<Operation>>,
        /// A note to add to the answer.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    },
    /// The next page of a list is being fetched.
    Turned {
        best_api: Box<Operation>,
        parameters: Map<String, Value>,
        turning: PageFetch,
    },
    /// A note was added to the answer.
    Noted {
        note: String,
    },
    /// The parameters in the question are known; some may be missing.
    Extracted {
        /// The parameters so far.
        parameters: Map<String, Value>,
    },
    /// The next request is ready.
    Planned {
        pending: Box<Pending>,
    },
    /// A parameter is missing, and the person is asked for it.
    Wanted {
        parameter: String,
        question: String,
        /// The things they may have meant.
        candidates: Vec<Entity>,
    },
    /// A server was chosen.
    Hosted {
        api: String,
        host: String,
        /// All servers; empty if the list was not fetched.
        hosts: Vec<String>,
    },
    /// The person wants a different request.
    Objected {
        text: String,
    },
    /// The person says which thing they mean.
    Named {
        name: String,
        kind: String,
    },
    /// The thing the question names was found.
    Resolved {
        entity: Entity,
    },
    /// The thing the question names was not found with certainty.
    Ambiguous {
        /// The things that may be meant; empty if nothing was found.
        candidates: Vec<Entity>,
    },
    Responded {
        /// Whether it answers the second request.
        secondary: bool,
        /// The answer, shortened if it is long.
        response: Value,
        /// The digest of the whole answer.
        digest: Option<String>,
        /// Says what was left out.
        note: Option<String>,
        /// The next page, from the `Link` header.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        next_link: Option<String>,
        host: String,
    },
    /// The server refused the request.
    Refused {
        text: String,
    },
    Erred {
        node: String,
        text: String,
    },
    /// The answer is in words.
    Formatted {
        text: String,
        /// The same as a table, if it is a list.
        table: Option<Table>,
        /// Lists that have more to show.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        more: Vec<ListPosition>,
    },
    /// The person is done.
    Ended,
    /// The question was reset.
    Reset,
}
