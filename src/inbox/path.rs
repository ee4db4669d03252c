//! The path a thread took through its graph.

use super::{NextView, Status, StepView};
use crate::engine::graph::{END, START, TakenPath};

/// Reads a thread's nodes, the edges it took and its current node from its steps.
pub fn path_taken(steps: &[StepView], status: Status) -> TakenPath {
    let mut path = TakenPath::default();
    for step in steps {
        let to = match &step.next {
            NextView::Goto { goto } => goto.as_str(),
            NextView::Ask { then, .. } | NextView::Spawn { then, .. } => then.as_str(),
            NextView::End { .. } => END,
        };
        path.current = Some(to.to_owned());
        // Answers, children's results and arriving mail are steps but not nodes.
        if matches!(step.node.as_str(), "ANSWERS" | "JOIN" | "ARRIVED") {
            continue;
        }
        *path.visits.entry(step.node.clone()).or_default() += 1;
        path.edges.insert((step.node.clone(), to.to_owned()));
    }
    if path.current.as_deref() == Some(END) {
        path.visits.insert(END.to_owned(), 1);
    }
    // A thread that has not moved is at the start.
    if steps.is_empty() || (status == Status::Ready && path.current.is_none()) {
        path.current = Some(START.to_owned());
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn step(n: u64, node: &str, next: NextView) -> StepView {
        StepView { n, node: node.to_owned(), updates: Value::Null, next, at: jiff::Timestamp::UNIX_EPOCH }
    }

    #[test]
    fn the_way_is_read_off_the_steps() {
        let goto = |to: &str| NextView::Goto { goto: to.to_owned() };
        let steps = [
            step(0, START, goto("plan")),
            step(1, "plan", NextView::Ask { ask: Vec::new(), then: "act".to_owned() }),
            step(2, "ANSWERS", goto("act")),
            step(3, "act", goto("plan")),
            step(4, "plan", NextView::End { end: true }),
        ];
        let path = path_taken(&steps, Status::Done);
        assert_eq!(path.current.as_deref(), Some(END));
        assert_eq!(path.visits["plan"], 2);
        let edges: Vec<(&str, &str)> = path.edges.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        assert_eq!(edges, [("START", "plan"), ("act", "plan"), ("plan", "END"), ("plan", "act")]);
        assert_eq!(path_taken(&steps[..2], Status::Waiting).current.as_deref(), Some("act"));
    }
}
