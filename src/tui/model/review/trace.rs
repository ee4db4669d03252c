//! The trace as lines of a tree, each with its position on a clock that stops while nothing works.

use crate::engine::graph::ThreadId;
use crate::inbox::TraceView;
use crate::text::Visible;
use jiff::Timestamp;

const MAX_ROWS: usize = 5_000;

/// One span of work, on one line.
#[derive(Clone, Debug, PartialEq)]
pub struct SpanRow {
    /// The tree lines before its name.
    pub branch: String,
    pub name: String,
    /// `thread`, `node` or `call`.
    pub sort: &'static str,
    /// Where its bar begins and how long it is, in thousandths of the total working time.
    pub bar: (u32, u32),
    /// Its duration.
    pub ms: u64,
    /// How much of that time something worked; the rest was waiting for a person or for other threads.
    pub worked_ms: u64,
    /// Tokens read and written.
    pub tokens: (u64, u64),
    /// The price, if known.
    pub cost: Option<f64>,
    pub model: Option<String>,
    /// Why it failed.
    pub error: Option<String>,
    pub thread: Option<ThreadId>,
    pub step: Option<u64>,
    /// The number of the model call.
    pub call: Option<u64>,
}

pub fn rows(trace: &TraceView) -> Vec<SpanRow> {
    let intervals = WorkIntervals::new(trace);
    let mut rows = Vec::new();
    push_rows(&mut rows, trace, &intervals, (String::new(), String::new()), None);
    rows
}

fn push_rows(
    rows: &mut Vec<SpanRow>,
    span: &TraceView,
    intervals: &WorkIntervals,
    (branch, below): (String, String),
    thread: Option<&ThreadId>,
) {
    if rows.len() >= MAX_ROWS {
        return;
    }
    let thread = span.thread.as_ref().or(thread);
    rows.push(SpanRow {
        branch,
        name: Visible::line(&span.name).into_string(),
        sort: span.sort,
        bar: intervals.bar(span),
        ms: span.ms,
        worked_ms: intervals.within(span),
        tokens: (span.input_tokens, span.output_tokens),
        cost: span.cost,
        model: span
            .model
            .as_deref()
            .filter(|model| !model.is_empty())
            .map(|model| Visible::line(model).into_string()),
        error: span.error.as_deref().map(|error| Visible::line(error).into_string()),
        thread: thread.cloned(),
        step: span.step,
        call: span.call,
    });
    for (index, child) in span.children.iter().enumerate() {
        let is_last = index + 1 == span.children.len();
        let (branch, under) = if is_last { ("└─", "  ") } else { ("├─", "│ ") };
        push_rows(rows, child, intervals, (format!("{below}{branch}"), format!("{below}{under}")), thread);
    }
}

/// The intervals in which anything worked, in order and disjoint.
struct WorkIntervals(Vec<(i64, i64)>);

impl WorkIntervals {
    fn new(trace: &TraceView) -> Self {
        let mut all = Vec::new();
        push_intervals(trace, &mut all);
        all.sort_unstable();
        let mut merged: Vec<(i64, i64)> = Vec::new();
        for (from, to) in all {
            match merged.last_mut() {
                Some((_, end)) if from <= *end => *end = (*end).max(to),
                _ => merged.push((from, to)),
            }
        }
        Self(merged)
    }

    /// The working time up to `at`.
    fn worked_until(&self, at: i64) -> i64 {
        self.0.iter().take_while(|(from, _)| *from < at).map(|(from, to)| (*to).min(at) - from).sum()
    }

    /// The working time within a span.
    fn within(&self, span: &TraceView) -> u64 {
        let (from, to) = ends(span);
        u64::try_from(self.worked_until(to) - self.worked_until(from)).unwrap_or(0)
    }

    fn bar(&self, span: &TraceView) -> (u32, u32) {
        let total: i64 = self.0.iter().map(|(from, to)| to - from).sum::<i64>().max(1);
        let (from, to) = ends(span);
        let share = |at: i64| u32::try_from(self.worked_until(at) * 1000 / total).unwrap_or(0).min(1000);
        (share(from), share(to).saturating_sub(share(from)))
    }
}

fn ends(span: &TraceView) -> (i64, i64) {
    let from = Timestamp::as_millisecond(span.at);
    (from, from.saturating_add(i64::try_from(span.ms).unwrap_or(i64::MAX)))
}

fn push_intervals(span: &TraceView, all: &mut Vec<(i64, i64)>) {
    // A thread exists also while it waits, and so does a node that waits for threads: only what is inside them works.
    let is_waiting = span.sort == "thread" || span.children.iter().any(|child| child.sort == "thread");
    if !is_waiting {
        all.push(ends(span));
    }
    span.children.iter().for_each(|child| push_intervals(child, all));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(name: &str, sort: &'static str, at: i64, ms: u64, children: Vec<TraceView>) -> TraceView {
        let at = Timestamp::from_millisecond(at).unwrap();
        TraceView { ms, children, ..TraceView::begun(name.to_owned(), sort, at) }
    }

    #[test]
    fn the_clock_stands_still_while_a_person_thinks() {
        let call = span("ask", "call", 0, 50, Vec::new());
        let day = 86_400_000;
        let nodes =
            vec![span("first", "node", 0, 100, vec![call]), span("second", "node", day, 300, Vec::new())];
        let rows = rows(&span("thread", "thread", 0, day as u64 + 300, nodes));
        let result: Vec<(&str, &str, (u32, u32))> =
            rows.iter().map(|row| (row.branch.as_str(), row.name.as_str(), row.bar)).collect();
        assert_eq!((rows[0].ms, rows[0].worked_ms), (day as u64 + 300, 400));
        assert_eq!(
            result,
            [
                ("", "thread", (0, 1000)),
                ("├─", "first", (0, 250)),
                ("│ └─", "ask", (0, 125)),
                ("└─", "second", (250, 750)),
            ]
        );
    }

    #[test]
    fn a_trace_of_nothing_is_one_line() {
        assert_eq!(rows(&span("t", "thread", 5, 0, Vec::new())).len(), 1);
    }
}
