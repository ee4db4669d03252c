//! Mail that the model or a rule ignored.

use super::rows::{MailRow, ThreadRow, time};
use super::{Store, StoreError};
use crate::inbox::{SkippedLine, SkippedPage, SkippedQuery};
use rusqlite::Connection;

impl Store {
    /// A page of skipped mail, newest first.
    pub fn skipped(&self, query: &SkippedQuery) -> Result<SkippedPage, StoreError> {
        self.read(|db| {
            let mut found = db.prepare_cached(
                "SELECT * FROM mails INDEXED BY mails_skipped WHERE class = 'ignore' AND seq < ? ORDER BY seq DESC",
            )?;
            let mut rows = found.query([query.after.unwrap_or(i64::MAX)])?;
            let (mut page, mut taken, mut last) = (SkippedPage::default(), 0, 0);
            while let Some(row) = rows.next()? {
                if taken == query.limit {
                    page.next = Some(last);
                    break;
                }
                taken += 1;
                last = row.get(0)?;
                match MailRow::read(row).and_then(|mail| line(db, mail)) {
                    Ok(line) => page.mails.push(line),
                    Err(StoreError::Damaged(what)) => page.damaged.push(what),
                    Err(error) => return Err(error),
                }
            }
            Ok(page)
        })
    }
}

fn line(db: &Connection, mail: MailRow) -> Result<SkippedLine, StoreError> {
    let thread = mail.thread.map(|seq| ThreadRow::by_seq(db, seq)).transpose()?;
    Ok(SkippedLine {
        thread: thread.map(|thread| thread.id),
        title: mail.subject,
        sender: mail.sender,
        reason: mail.reason.unwrap_or_default(),
        at: time(mail.came_at)?,
    })
}
