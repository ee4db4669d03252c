//! Recent activity, counted only from the rows of those days, so that it costs the same after a year.
//!
//! These figures are for people: rows are not checked against their digests here, and nothing depends on them.

use crate::graph::Decision;
use crate::inbox::{
    Activity, ActivityQuery, DayLine, DecidedBy, Decisions, Latency, ModelLine, NodeLine, ToolLine,
};
use crate::store::log::{self, Decided};
use crate::store::record::recent::Question;
use crate::store::record::steps::steps_in;
use crate::store::{Figures, StoreError};
use jiff::Timestamp;
use rusqlite::Connection;
use std::collections::HashMap;

/// How many of the newest entries are searched for step times.
const ENTRIES: i64 = 4_000;

/// How many nodes are listed, slowest first.
const NODES: usize = 40;

const DECIDED: &str = "SELECT l.seq FROM log l INDEXED BY log_decided WHERE l.kind = 'decided' AND l.at >= ?";
const CALLED: &str = "SELECT at, model, ms, input, output, cost, error FROM spans WHERE at >= ?";
const WORKED: &str = "SELECT l.seq, t.workflow FROM log l JOIN threads t ON t.seq = l.stream
     WHERE l.seq > (SELECT coalesce(max(seq), 0) FROM log) - ?1 AND l.at >= ?2 AND l.kind = 'stepped'";

impl Figures<'_> {
    /// Activity on these days.
    pub fn activity(self, query: &ActivityQuery) -> Result<Activity, StoreError> {
        self.0.read(|db| run(db, query))
    }
}

fn run(db: &Connection, query: &ActivityQuery) -> Result<Activity, StoreError> {
    let Some(first) = query.days.first() else { return Ok(Activity::default()) };
    let first = first.as_millisecond();
    let empty = |day: &Timestamp| DayLine {
        day: *day,
        decisions: Decisions::default(),
        calls: 0,
        tokens: 0,
        cost: 0.0,
    };
    let mut activity = Activity { days: query.days.iter().map(empty).collect(), ..Activity::default() };
    count_decisions(db, first, &mut activity)?;
    count_calls(db, first, &mut activity)?;
    time_nodes(db, first, &mut activity)?;
    Ok(activity)
}

/// The day that contains this time.
fn day(days: &mut [DayLine], at: i64) -> Option<&mut DayLine> {
    let after = days.partition_point(|line| line.day.as_millisecond() <= at);
    days.get_mut(after.checked_sub(1)?)
}

fn count_decisions(db: &Connection, first: i64, activity: &mut Activity) -> Result<(), StoreError> {
    let mut tools: HashMap<String, Decisions> = HashMap::new();
    let mut statement = db.prepare_cached(DECIDED)?;
    let mut rows = statement.query([first])?;
    while let Some(row) = rows.next()? {
        let entry = log::entry(db, row.get(0)?)?;
        let Decided { decision, by, .. } = entry.parse_body()?;
        let question = Question::read(db, entry.stream, entry.about.unwrap_or_default())?;
        let undone =
            question.answers.iter().any(|answer| answer.seq == entry.seq && answer.undone_at.is_some());
        // Expired questions say nothing about what people decide.
        if by == DecidedBy::Expiry || undone || question.asked.is_trouble() {
            continue;
        }
        let tool = question.asked.action;
        let add = |decisions: &mut Decisions| {
            let count = match (&by, &decision) {
                (DecidedBy::Grant(_), _) => &mut decisions.granted,
                (_, Decision::Edit { .. }) => &mut decisions.edited,
                (_, Decision::Respond { .. }) => &mut decisions.responded,
                (_, Decision::Ignore) => &mut decisions.ignored,
                (_, Decision::Accept | Decision::Draft) => &mut decisions.untouched,
            };
            *count += 1;
        };
        if let Some(day) = day(&mut activity.days, entry.at) {
            add(&mut day.decisions);
        }
        add(tools.entry(tool).or_default());
    }
    let tools = tools.into_iter().map(|(tool, decisions)| ToolLine { tool, decisions });
    activity.tools = tools.collect();
    let weight = |line: &ToolLine| line.decisions.by_people() + line.decisions.granted;
    activity.tools.sort_by(|a, b| weight(b).cmp(&weight(a)).then_with(|| a.tool.cmp(&b.tool)));
    Ok(())
}

fn count_calls(db: &Connection, first: i64, activity: &mut Activity) -> Result<(), StoreError> {
    let mut models: HashMap<String, (ModelLine, Vec<u64>)> = HashMap::new();
    let count = activity.days.len();
    let mut statement = db.prepare_cached(CALLED)?;
    let mut rows = statement.query([first])?;
    while let Some(row) = rows.next()? {
        let number = |at: usize| row.get::<_, i64>(at).map(i64::unsigned_abs);
        let (at, model): (i64, String) = (row.get(0)?, row.get(1)?);
        let (ms, input, output) = (number(2)?, number(3)?, number(4)?);
        let (cost, failed): (Option<f64>, bool) = (row.get(5)?, row.get::<_, Option<String>>(6)?.is_some());
        let (line, times) = models.entry(model).or_insert_with_key(|model| {
            let line = ModelLine {
                model: model.clone(),
                calls: 0,
                failed: 0,
                input: 0,
                output: 0,
                cost: Some(0.0),
                latency: Latency::default(),
                tokens_by_day: vec![0; count],
                cost_by_day: vec![0.0; count],
            };
            (line, Vec::new())
        });
        line.calls += 1;
        line.failed += u64::from(failed);
        line.input += input;
        line.output += output;
        line.cost = line.cost.zip(cost).map(|(sum, cost)| sum + cost);
        if !failed {
            times.push(ms);
        }
        let after = activity.days.partition_point(|line| line.day.as_millisecond() <= at);
        if let Some(place) = after.checked_sub(1) {
            line.tokens_by_day[place] += input + output;
            line.cost_by_day[place] += cost.unwrap_or_default();
            let day = &mut activity.days[place];
            day.calls += 1;
            day.tokens += input + output;
            day.cost += cost.unwrap_or_default();
        }
    }
    let models = models.into_values().map(|(line, times)| ModelLine { latency: Latency::of(times), ..line });
    activity.models = models.collect();
    activity.models.sort_by(|a, b| b.calls.cmp(&a.calls).then_with(|| a.model.cmp(&b.model)));
    Ok(())
}

fn time_nodes(db: &Connection, first: i64, activity: &mut Activity) -> Result<(), StoreError> {
    let mut nodes: HashMap<(String, String), Vec<u64>> = HashMap::new();
    let mut statement = db.prepare_cached(WORKED)?;
    let mut rows = statement.query([ENTRIES, first])?;
    while let Some(row) = rows.next()? {
        let workflow: String = row.get(1)?;
        let entry = log::entry(db, row.get(0)?)?;
        for step in steps_in(db, &entry, &[])? {
            if let Some(ms) = step.ms {
                nodes.entry((workflow.clone(), step.node)).or_default().push(ms.unsigned_abs());
            }
        }
    }
    let line = |((workflow, node), times): ((String, String), Vec<u64>)| NodeLine {
        workflow,
        node,
        runs: times.len() as u64,
        latency: Latency::of(times),
    };
    activity.nodes = nodes.into_iter().map(line).collect();
    activity.nodes.sort_by(|a, b| {
        let slower = b.latency.p90.cmp(&a.latency.p90);
        slower.then_with(|| (&a.workflow, &a.node).cmp(&(&b.workflow, &b.node)))
    });
    activity.nodes.truncate(NODES);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_query_reads_a_whole_table() {
        let db = Connection::open_in_memory().unwrap();
        crate::store::schema::create(&db).unwrap();
        for sql in [DECIDED, CALLED, WORKED] {
            let mut plan = db.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
            let count = plan.parameter_count();
            let steps: Vec<String> = plan
                .query_map(rusqlite::params_from_iter(vec![1; count]), |row| row.get(3))
                .unwrap()
                .collect::<Result<_, _>>()
                .unwrap();
            // A `SCAN` of nothing is how SQLite finds the newest number in one step.
            assert!(steps.iter().all(|step| !step.starts_with("SCAN")), "{sql}: {steps:?}");
        }
    }

    /// Each query's cost in SQLite VM steps, with `before` rows of earlier days behind it, and how many rows it found.
    fn cost(before: i64) -> Vec<(i32, usize)> {
        let db = Connection::open_in_memory().unwrap();
        crate::store::schema::create(&db).unwrap();
        let rows = before + 300;
        // One row of each kind per second; the requested days begin with the last 300.
        let each =
            format!("WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < {rows})");
        db.execute_batch(&format!(
            "INSERT INTO threads (seq, id, workflow, fingerprint, title, status, node, awaits, steps, step, since, last,
                    version, steps_since_person, step_limit, allowance, unheard, unread, hold_ms, created_at, updated_at)
             VALUES (1, 't00000001', 'email', '', '', 'done', '', 'nothing', 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0);
             {each} INSERT INTO log (seq, stream, kind, at, chain)
                    SELECT n * 2, 1, 'stepped', n * 1000, x'' FROM n;
             {each} INSERT INTO log (seq, stream, kind, ref, at, chain)
                    SELECT n * 2 + 1, 1, 'decided', 1, n * 1000, x'' FROM n;
             {each} INSERT INTO spans (thread, step, task, model, at, ms, input, output, cached, counts)
                    SELECT 1, n, 'task', 'model', n * 1000, 7, 1, 1, 0, 1 FROM n;"
        ))
        .unwrap();
        let first = (before + 1) * 1000;
        let counted = |sql: &str| {
            let mut query = db.prepare(sql).unwrap();
            let parameters = if query.parameter_count() == 1 { vec![first] } else { vec![ENTRIES, first] };
            let mut rows = query.query(rusqlite::params_from_iter(parameters)).unwrap();
            let mut count = 0;
            while rows.next().unwrap().is_some() {
                count += 1;
            }
            drop(rows);
            assert_eq!(query.get_status(rusqlite::StatementStatus::FullscanStep), 0, "{sql}");
            (query.get_status(rusqlite::StatementStatus::VmStep), count)
        };
        [DECIDED, CALLED, WORKED].map(counted).into()
    }

    /// A year later, the same days cost the same.
    #[test]
    fn what_lies_behind_costs_nothing() {
        let (young, old) = (cost(16_000), cost(60_000));
        for ((young, found), (old, found_then)) in young.into_iter().zip(old) {
            assert_eq!((found, found_then), (300, 300));
            assert!(old <= young + young / 20, "{young} steps grew to {old}");
        }
    }
}
