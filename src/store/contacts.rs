//! Whom the person knows: whoever they wrote to, and whoever wrote to them.

use super::rows::{MailRow, MailState};
use super::{Store, StoreError, blobs};
use rusqlite::params;

impl Store {
    /// Whether the person wrote to this address, or had mail from it besides the mail of this Message-ID.
    pub fn knows(&self, address: &str, besides: Option<&str>) -> Result<bool, StoreError> {
        let address = address.to_lowercase();
        self.read(|db| {
            let wrote = db.prepare_cached("SELECT 1 FROM contacts WHERE address = ?")?.exists([&address])?;
            if wrote {
                return Ok(true);
            }
            Ok(db
                .prepare_cached("SELECT 1 FROM mails WHERE sender = ?1 AND message_id IS NOT ?2 LIMIT 1")?
                .exists(params![address, besides])?)
        })
    }

    /// Addresses the person wrote to, at most `limit`, newest first.
    pub fn contacts(&self, limit: usize) -> Result<Vec<String>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.read(|db| {
            let mut found = db.prepare_cached(
                "SELECT address FROM contacts WHERE sent_at IS NOT NULL ORDER BY sent_at DESC LIMIT ?",
            )?;
            Ok(found.query_map([limit], |row| row.get(0))?.collect::<Result<_, _>>()?)
        })
    }

    /// Remembers who wrote to the person before sayso looked.
    pub async fn heard_from(&self, addresses: Vec<String>) -> Result<(), StoreError> {
        self.write(move |db| {
            let mut keep = db.prepare_cached("INSERT OR IGNORE INTO contacts (address) VALUES (?)")?;
            for address in addresses {
                keep.execute([address.to_lowercase()])?;
            }
            Ok(())
        })
        .await
    }

    /// Remembers whom the person wrote to.
    pub async fn wrote_to(&self, addresses: Vec<String>) -> Result<(), StoreError> {
        let now = self.now_ms();
        self.write(move |db| {
            let mut keep =
                db.prepare_cached("INSERT OR REPLACE INTO contacts (address, sent_at) VALUES (?, ?)")?;
            for address in addresses {
                keep.execute(params![address.to_lowercase(), now])?;
            }
            Ok(())
        })
        .await
    }

    /// The bytes of the newest mails of an account, at most `limit`, newest first.
    pub fn newest_mails(&self, account: &str, limit: usize) -> Result<Vec<Vec<u8>>, StoreError> {
        let each = i64::try_from(limit).unwrap_or(i64::MAX);
        self.read(|db| {
            // The newest of each state, by an index that ends where they end; all mails of an account are many.
            let mut of_state = db.prepare_cached(
                "SELECT seq FROM mails INDEXED BY mails_by_state WHERE account = ? AND state = ? AND raw <> ?
                 ORDER BY seq DESC LIMIT ?",
            )?;
            let mut newest: Vec<i64> = Vec::new();
            for state in MailState::ALL {
                let found = params![account, state.word(), MailRow::LET_GO, each];
                newest.extend(of_state.query_map(found, |row| row.get(0))?.collect::<Result<Vec<i64>, _>>()?);
            }
            newest.sort_unstable_by(|a, b| b.cmp(a));
            newest.truncate(limit);
            let mut whole = db.prepare_cached("SELECT * FROM mails WHERE seq = ?")?;
            let mut mails = Vec::new();
            for seq in newest {
                let mut rows = whole.query([seq])?;
                while let Some(row) = rows.next()? {
                    mails.push(blobs::get(db, &MailRow::read(row)?.raw)?);
                }
            }
            Ok(mails)
        })
    }
}
