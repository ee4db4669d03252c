//! Recent activity, counted only from the rows of those days, so that it costs the same after a year.
//!
//! These figures are for people; nothing depends on them.

use crate::engine::graph::Decision;
use crate::engine::store::log::{self, Decided};
use crate::engine::store::record::since_step::AskedQuestion;
use crate::engine::store::{Statistics, StoreError};
use crate::inbox::{Activity, ActivityQuery, DayLine, DecidedBy, Decisions, ModelLine};
use jiff::Timestamp;
use rusqlite::Connection;
use std::collections::HashMap;

const DECIDED: &str = "SELECT l.seq FROM log l INDEXED BY log_decided WHERE l.kind = 'decided' AND l.at >= ?";
const CALLED: &str = "SELECT at, model, input, output, cost, error FROM spans WHERE at >= ?";
impl Statistics<'_> {
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
    Ok(activity)
}

/// The day that contains this time.
fn day(days: &mut [DayLine], at: i64) -> Option<&mut DayLine> {
    let after = days.partition_point(|line| line.day.as_millisecond() <= at);
    days.get_mut(after.checked_sub(1)?)
}

fn count_decisions(db: &Connection, first: i64, activity: &mut Activity) -> Result<(), StoreError> {
    let mut statement = db.prepare_cached(DECIDED)?;
    let mut rows = statement.query([first])?;
    while let Some(row) = rows.next()? {
        let entry = log::entry(db, row.get(0)?)?;
        let Decided { decision, by, .. } = entry.parse_body()?;
        let question = AskedQuestion::read(db, entry.stream, entry.about.unwrap_or_default())?;
        let undone =
            question.answers.iter().any(|answer| answer.seq == entry.seq && answer.undone_at.is_some());
        // Expired questions say nothing about what people decide.
        if by == DecidedBy::Expiry || undone || question.asked.is_trouble() {
            continue;
        }
        let Some(day) = day(&mut activity.days, entry.at) else { continue };
        let count = match (&by, &decision) {
            (DecidedBy::Grant(_), _) => &mut day.decisions.granted,
            (_, Decision::Edit { .. }) => &mut day.decisions.edited,
            (_, Decision::Respond { .. }) => &mut day.decisions.responded,
            (_, Decision::Ignore) => &mut day.decisions.ignored,
            (_, Decision::Accept | Decision::Draft) => &mut day.decisions.untouched,
        };
        *count += 1;
    }
    Ok(())
}

fn count_calls(db: &Connection, first: i64, activity: &mut Activity) -> Result<(), StoreError> {
    let mut models: HashMap<String, ModelLine> = HashMap::new();
    let mut statement = db.prepare_cached(CALLED)?;
    let mut rows = statement.query([first])?;
    while let Some(row) = rows.next()? {
        let number = |at: usize| row.get::<_, i64>(at).map(i64::unsigned_abs);
        let (at, model): (i64, String) = (row.get(0)?, row.get(1)?);
        let (input, output) = (number(2)?, number(3)?);
        let (cost, failed): (Option<f64>, bool) = (row.get(4)?, row.get::<_, Option<String>>(5)?.is_some());
        let line = models.entry(model).or_insert_with_key(|model| ModelLine {
            model: model.clone(),
            calls: 0,
            failed: 0,
            input: 0,
            output: 0,
            cost: Some(0.0),
        });
        line.calls += 1;
        line.failed += u64::from(failed);
        line.input += input;
        line.output += output;
        line.cost = line.cost.zip(cost).map(|(sum, cost)| sum + cost);
        if let Some(day) = day(&mut activity.days, at) {
            day.calls += 1;
            day.tokens += input + output;
            day.cost += cost.unwrap_or_default();
        }
    }
    activity.models = models.into_values().collect();
    activity.models.sort_by(|a, b| b.calls.cmp(&a.calls).then_with(|| a.model.cmp(&b.model)));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_query_reads_a_whole_table() {
        let db = Connection::open_in_memory().unwrap();
        crate::engine::store::schema::create(&db).unwrap();
        for sql in [DECIDED, CALLED] {
            let mut plan = db.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
            let count = plan.parameter_count();
            let steps: Vec<String> = plan
                .query_map(rusqlite::params_from_iter(vec![1; count]), |row| row.get(3))
                .unwrap()
                .collect::<Result<_, _>>()
                .unwrap();
            assert!(steps.iter().all(|step| !step.starts_with("SCAN")), "{sql}: {steps:?}");
        }
    }

    /// Each query's cost in SQLite VM steps, with `before` rows of earlier days behind it, and how many rows it found.
    fn cost(before: i64) -> Vec<(i32, usize)> {
        let db = Connection::open_in_memory().unwrap();
        crate::engine::store::schema::create(&db).unwrap();
        let rows = before + 300;
        // One row of each kind per second; the requested days begin with the last 300.
        let each =
            format!("WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < {rows})");
        db.execute_batch(&format!(
            "INSERT INTO threads (seq, id, workflow, fingerprint, title, status, node, awaits, steps, step, since, last,
                    version, steps_since_person, step_limit, allowance, waiting_events, unread, hold_ms, created_at, updated_at)
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
            let mut rows = query.query([first]).unwrap();
            let mut count = 0;
            while rows.next().unwrap().is_some() {
                count += 1;
            }
            drop(rows);
            assert_eq!(query.get_status(rusqlite::StatementStatus::FullscanStep), 0, "{sql}");
            (query.get_status(rusqlite::StatementStatus::VmStep), count)
        };
        [DECIDED, CALLED].map(counted).into()
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
