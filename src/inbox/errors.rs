//! What goes wrong, and how often.

use jiff::Timestamp;
use serde::Serialize;
use std::collections::HashMap;

/// One error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorOccurrence {
    /// The workflow it happened in.
    pub workflow: String,
    /// The node, or the task that a model was called for.
    pub node: String,
    /// What went wrong, in a line.
    pub text: String,
    /// When it happened; for errors that a thread keeps in its state, when the thread last moved.
    pub at: Timestamp,
}

/// An error, and how often it happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ErrorLine {
    pub workflow: String,
    /// The node, or the task that a model was called for.
    pub node: String,
    /// What went wrong last time, in a line.
    pub text: String,
    pub count: u64,
    pub last: Timestamp,
}

/// Groups errors into one line each, the most frequent first. Texts that differ only in numbers (a port, a number of
/// tries, a time) count as the same error.
pub fn by_frequency(occurred: impl IntoIterator<Item = ErrorOccurrence>) -> Vec<ErrorLine> {
    let mut lines: HashMap<(String, String, String), ErrorLine> = HashMap::new();
    for ErrorOccurrence { workflow, node, text, at } in occurred {
        let key = (workflow.clone(), node.clone(), without_digits(&text));
        let line = lines.entry(key).or_insert_with(|| ErrorLine {
            workflow,
            node,
            text: text.clone(),
            count: 0,
            last: at,
        });
        line.count += 1;
        if at >= line.last {
            (line.last, line.text) = (at, text);
        }
    }
    let mut lines: Vec<ErrorLine> = lines.into_values().collect();
    lines.sort_by(|a, b| {
        let newer = b.count.cmp(&a.count).then(b.last.cmp(&a.last));
        newer.then_with(|| (&a.workflow, &a.node, &a.text).cmp(&(&b.workflow, &b.node, &b.text)))
    });
    lines
}

fn without_digits(text: &str) -> String {
    let mut shape = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '0'..='9' if shape.ends_with('#') => {}
            '0'..='9' => shape.push('#'),
            other => shape.push(other),
        }
    }
    shape
}

#[cfg(test)]
mod tests {
    use super::*;

    fn once(node: &str, text: &str, second: i64) -> ErrorOccurrence {
        let at = Timestamp::from_second(second).unwrap();
        ErrorOccurrence { workflow: "ask".to_owned(), node: node.to_owned(), text: text.to_owned(), at }
    }

    #[test]
    fn the_same_is_counted_together_and_the_most_frequent_stands_first() {
        let lines = by_frequency([
            once("select", "no such API", 5),
            once("send", "the server said 503 after 12 s", 7),
            once("send", "the server said 429 after 3 s", 9),
            once("send", "the server said 429 after 3 s", 8),
            once("params", "the server said 429 after 3 s", 1),
        ]);
        let counts: Vec<_> = lines.iter().map(|line| (line.node.as_str(), line.count)).collect();
        assert_eq!(counts, [("send", 3), ("select", 1), ("params", 1)]);
        assert_eq!(lines[0].text, "the server said 429 after 3 s", "as it was said last");
        assert_eq!(lines[0].last, Timestamp::from_second(9).unwrap());
        assert_eq!(by_frequency([]), []);
    }
}
