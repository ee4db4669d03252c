//! Which threads are listed: by status, workflow and account, and by words. Each page begins in an index where the last
//! one ended.

use super::{Store, StoreError, search};
use crate::inbox::{Facets, Status, ThreadQuery};
use rusqlite::{Connection, params};

impl Store {
    /// What threads can be narrowed to: a look into an index for each name, however many threads there are.
    pub fn facets(&self) -> Result<Facets, StoreError> {
        self.read(|db| {
            // Which servers there are stands in the config.
            let (workflows, accounts) = (names(db, WORKFLOWS)?, names(db, ACCOUNTS)?);
            Ok(Facets { workflows, accounts, servers: Vec::new() })
        })
    }
}

const WORKFLOWS: &str = "WITH RECURSIVE known (name) AS (
         SELECT min(workflow) FROM threads INDEXED BY threads_by_workflow
         UNION ALL
         SELECT (SELECT min(workflow) FROM threads INDEXED BY threads_by_workflow WHERE workflow > name)
           FROM known WHERE name IS NOT NULL
     )
     SELECT name FROM known WHERE name IS NOT NULL";

/// Mail that a person handed in has no account.
const ACCOUNTS: &str = "WITH RECURSIVE known (name) AS (
         SELECT min(account) FROM mails INDEXED BY mails_by_account WHERE account > '' AND thread IS NOT NULL
         UNION ALL
         SELECT (SELECT min(account) FROM mails INDEXED BY mails_by_account
                  WHERE account > name AND thread IS NOT NULL)
           FROM known WHERE name IS NOT NULL
     )
     SELECT name FROM known WHERE name IS NOT NULL";

/// The numbers of the threads before `before`, newest first.
pub(super) fn threads(
    db: &Connection,
    query: &ThreadQuery,
    before: i64,
    limit: i64,
) -> Result<Vec<i64>, StoreError> {
    if let Some(words) = &query.search {
        return search::threads(db, words, query, before, limit);
    }
    let status = query.status.map(Status::word);
    let mut found = db.prepare_cached(&sql(query))?;
    let mut page = |workflow: Option<&str>| -> Result<Vec<i64>, StoreError> {
        let rows =
            found.query_map(params![status, workflow, query.account, before, limit], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    };
    match query.workflow.as_deref() {
        // The graphs of a server are workflows of their own: their pages are put together.
        Some(server) if server.ends_with('/') => {
            let mut all = Vec::new();
            for name in names(db, WORKFLOWS)?.iter().filter(|name| name.starts_with(server)) {
                all.extend(page(Some(name))?);
            }
            all.sort_unstable_by(|one, other| other.cmp(one));
            all.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
            Ok(all)
        }
        workflow => page(workflow),
    }
}

fn names(db: &Connection, sql: &str) -> Result<Vec<String>, StoreError> {
    let mut found = db.prepare_cached(sql)?;
    Ok(found.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?)
}

/// The index in which fewest threads are passed over: those that have not ended are few, whatever else is asked.
fn sql(query: &ThreadQuery) -> String {
    let status = " AND t.status = ?1";
    let workflow = " AND t.workflow = ?2";
    let account = " AND EXISTS (SELECT 1 FROM mails WHERE account = ?3 AND thread = t.seq)";
    let status = query.status.map(|known| (status, known.ended()));
    let workflow = query.workflow.as_ref().map(|_| workflow);
    let account = query.account.as_ref().map(|_| account);
    let (index, place, rest) = match (status, workflow, account) {
        (Some((_, false)), ..) | (Some(_), None, None) => {
            ("t.seq FROM threads t INDEXED BY threads_by_status WHERE t.status = ?1", "t.seq", [workflow, account])
        }
        (_, Some(_), _) => (
            "t.seq FROM threads t INDEXED BY threads_by_workflow WHERE t.workflow = ?2",
            "t.seq",
            [status.map(|(sql, _)| sql), account],
        ),
        (_, None, Some(_)) => (
            "DISTINCT m.thread FROM mails m INDEXED BY mails_by_account CROSS JOIN threads t ON t.seq = m.thread
             WHERE m.account = ?3",
            "m.thread",
            [status.map(|(sql, _)| sql), None],
        ),
        (None, None, None) => ("t.seq FROM threads t WHERE true", "t.seq", [None, None]),
    };
    let rest: String = rest.into_iter().flatten().collect();
    format!("SELECT {index}{rest} AND {place} < ?4 ORDER BY {place} DESC LIMIT ?5")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever is asked for, no page is read by passing over the whole table, nor by sorting.
    #[test]
    fn every_list_is_read_by_an_index() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        store
            .read(|db| {
                let plan = |sql: &str, parameters: usize| {
                    let mut plan = db.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
                    let nothing = vec![rusqlite::types::Null; parameters];
                    let lines =
                        plan.query_map(rusqlite::params_from_iter(nothing), |row| row.get::<_, String>(3));
                    lines.unwrap().map(Result::unwrap).collect::<Vec<_>>().join("\n")
                };
                for n in 0..12 {
                    let status = [None, Some(Status::Waiting), Some(Status::Done)][n / 4];
                    let one = |bit: usize| ((n % 4) & bit != 0).then(|| "x".to_owned());
                    let query =
                        ThreadQuery { status, workflow: one(1), account: one(2), ..ThreadQuery::default() };
                    let told = plan(&sql(&query), 5);
                    assert!(!told.contains("SCAN") && !told.contains("TEMP B-TREE"), "{query:?}: {told}");
                }
                for sql in [WORKFLOWS, ACCOUNTS] {
                    let told = plan(sql, 0);
                    let scans = |line: &str| line.contains("SCAN") && !line.contains("known");
                    assert!(!told.lines().any(scans), "{told}");
                }
                Ok(())
            })
            .unwrap();
    }
}
