//! Mail that the model or a rule ignored.

use super::rows::{ThreadRow, time};
use super::{Store, StoreError};
use crate::inbox::{SkippedLine, SkippedPage, SkippedQuery};
use rusqlite::{Connection, Row};

impl Store {
    /// A page of skipped mail, newest first.
    pub fn skipped(&self, query: &SkippedQuery) -> Result<SkippedPage, StoreError> {
        self.read(|db| {
            let mut found = db.prepare_cached(
                "SELECT seq, thread, subject, sender, reason, came_at FROM mails INDEXED BY mails_skipped
                 WHERE class = 'ignore' AND seq < ? ORDER BY seq DESC",
            )?;
            let mut rows = found.query([query.after.unwrap_or(i64::MAX)])?;
            let (mut page, mut last) = (SkippedPage::default(), 0);
            let mut taken = 0;
            while let Some(row) = rows.next()? {
                if taken == query.limit {
                    page.next = Some(last);
                    break;
                }
                taken += 1;
                last = row.get(0)?;
                match line(db, row) {
                    Ok(line) => page.mails.push(line),
                    Err(StoreError::Damaged(what)) => page.damaged.push(what),
                    Err(error) => return Err(error),
                }
            }
            Ok(page)
        })
    }
}

fn line(db: &Connection, row: &Row<'_>) -> Result<SkippedLine, StoreError> {
    let thread = row.get::<_, Option<i64>>(1)?.map(|seq| ThreadRow::by_seq(db, seq)).transpose()?;
    Ok(SkippedLine {
        thread: thread.map(|thread| thread.id),
        title: row.get(2)?,
        sender: row.get(3)?,
        reason: row.get::<_, Option<String>>(4)?.unwrap_or_default(),
        at: time(row.get(5)?)?,
    })
}
