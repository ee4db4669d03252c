//! Mail that the model or a rule ignored.

use crate::engine::store::pages::PageBuilder;
use crate::engine::store::rows::{MailRow, ThreadRow, time};
use crate::engine::store::{Mail, StoreError};
use crate::inbox::{Page, SkippedLine, SkippedQuery};
use jiff::Timestamp;
use rusqlite::Connection;

impl Mail<'_> {
    /// A page of skipped mail, newest first.
    pub fn skipped(self, query: &SkippedQuery) -> Result<Page<SkippedLine>, StoreError> {
        self.0.read(|db| {
            let mut statement = db.prepare_cached(
                "SELECT * FROM mails INDEXED BY mails_skipped WHERE class = 'ignore' AND seq < ? ORDER BY seq DESC",
            )?;
            let mut rows = statement.query([query.after.unwrap_or(i64::MAX)])?;
            let mut page = PageBuilder::new(query.limit);
            while let Some(row) = rows.next()? {
                if !page.take(row.get(0)?, || line(db, MailRow::read(row)?))? {
                    break;
                }
            }
            Ok(page.finish(0))
        })
    }

    /// How many mails that came since then were skipped.
    pub fn skipped_since(self, since: Timestamp) -> Result<u64, StoreError> {
        self.0.read(|db| {
            let mut statement = db.prepare_cached(
                "SELECT came_at FROM mails INDEXED BY mails_skipped WHERE class = 'ignore' ORDER BY seq DESC",
            )?;
            let mut rows = statement.query([])?;
            let mut count = 0;
            while let Some(row) = rows.next()? {
                if row.get::<_, i64>(0)? < since.as_millisecond() {
                    break;
                }
                count += 1;
            }
            Ok(count)
        })
    }
}

fn line(db: &Connection, mail: MailRow) -> Result<SkippedLine, StoreError> {
    let thread = mail.thread.map(|seq| ThreadRow::by_seq(db, seq)).transpose()?;
    // As in the inbox: if a mail's date is in the future, the time it arrived counts.
    let sent = mail.sent_at.map_or(mail.came_at, |sent| sent.min(mail.came_at));
    Ok(SkippedLine {
        thread: thread.map(|thread| thread.id),
        title: mail.subject,
        sender: mail.sender,
        reason: mail.reason.unwrap_or_default(),
        unsure: false,
        at: time(sent)?,
        came_at: time(mail.came_at)?,
        text: String::new(),
        raw: mail.raw,
    })
}
