//! Whom the person knows: whoever they wrote to, and whoever wrote to them.

use crate::store::{Mail, StoreError};
use rusqlite::params;

impl Mail<'_> {
    /// Whether the person wrote to this address, or had mail from it besides the mail of this Message-ID.
    pub fn knows(self, address: &str, besides: Option<&str>) -> Result<bool, StoreError> {
        let address = address.to_lowercase();
        self.0.read(|db| {
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
    pub fn contacts(self, limit: usize) -> Result<Vec<String>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.0.read(|db| {
            let mut found = db.prepare_cached(
                "SELECT address FROM contacts WHERE sent_at IS NOT NULL ORDER BY sent_at DESC LIMIT ?",
            )?;
            Ok(found.query_map([limit], |row| row.get(0))?.collect::<Result<_, _>>()?)
        })
    }

    /// Remembers who wrote to the person before sayso looked.
    pub async fn heard_from(self, addresses: Vec<String>) -> Result<(), StoreError> {
        self.0
            .write(move |db| {
                let mut keep = db.prepare_cached("INSERT OR IGNORE INTO contacts (address) VALUES (?)")?;
                for address in addresses {
                    keep.execute([address.to_lowercase()])?;
                }
                Ok(())
            })
            .await
    }

    /// Remembers whom the person wrote to.
    pub async fn wrote_to(self, addresses: Vec<String>) -> Result<(), StoreError> {
        let now = self.0.now_ms();
        self.0
            .write(move |db| {
                let mut keep =
                    db.prepare_cached("INSERT OR REPLACE INTO contacts (address, sent_at) VALUES (?, ?)")?;
                for address in addresses {
                    keep.execute(params![address.to_lowercase(), now])?;
                }
                Ok(())
            })
            .await
    }
}
