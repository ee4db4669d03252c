//! The people the user knows: those they wrote to or accepted mail from, and those who wrote to them before sayso first
//! looked.

use crate::engine::store::rows;
use crate::engine::store::{Mail, StoreError};
use crate::text::words::alphanumeric_words;
use rusqlite::params;

impl Mail<'_> {
    /// Whether the user wrote to this address, accepted its mail, or had mail from it before sayso first looked. Mail
    /// that came later and was not dealt with makes nobody known.
    pub fn knows(self, address: &str) -> Result<bool, StoreError> {
        let address = address.to_lowercase();
        self.0.read(|db| rows::exists(db, "SELECT 1 FROM contacts WHERE address = ?", [&address]))
    }

    /// Addresses the user wrote to, at most `limit`, newest first.
    pub fn contacts(self, limit: usize) -> Result<Vec<String>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let newest = "SELECT address FROM contacts WHERE sent_at IS NOT NULL ORDER BY sent_at DESC LIMIT ?";
        self.0.read(|db| rows::column(db, newest, [limit]))
    }

    /// The addresses of people the user knows, at most `limit`, those they wrote to last first.
    pub fn people(self, limit: usize) -> Result<Vec<String>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let all = "SELECT address FROM contacts ORDER BY sent_at DESC NULLS LAST, address LIMIT ?";
        self.0.read(|db| rows::column(db, all, [limit]))
    }

    /// Remembers people who wrote to the user before sayso first looked, or whose mail was accepted.
    pub async fn remember_senders(self, addresses: Vec<String>) -> Result<(), StoreError> {
        self.0
            .write(move |db| {
                let mut insert = db.prepare_cached("INSERT OR IGNORE INTO contacts (address) VALUES (?)")?;
                for address in addresses {
                    insert.execute([address.to_lowercase()])?;
                }
                Ok(())
            })
            .await
    }

    /// Remembers people's display names, as pairs of address and name. Single-word names are skipped, because too many
    /// people share them.
    pub async fn remember_names(self, people: Vec<(String, String)>) -> Result<(), StoreError> {
        self.0
            .write(move |db| {
                let mut insert =
                    db.prepare_cached("INSERT OR REPLACE INTO names (address, name) VALUES (?, ?)")?;
                for (address, name) in people {
                    if let Some(name) = name_key(&name) {
                        insert.execute(params![address.to_lowercase(), name])?;
                    }
                }
                Ok(())
            })
            .await
    }

    /// The address of somebody the user knows by this name.
    pub fn address_by_name(self, name: &str) -> Result<Option<String>, StoreError> {
        let Some(name) = name_key(name) else { return Ok(None) };
        let named = "SELECT address FROM names WHERE name = ? ORDER BY address LIMIT 1";
        self.0.read(|db| rows::first(db, named, [name]))
    }

    /// Remembers whom the user wrote to.
    pub async fn remember_recipients(self, addresses: Vec<String>) -> Result<(), StoreError> {
        self.0
            .write(move |db| {
                let mut insert =
                    db.prepare_cached("INSERT OR REPLACE INTO contacts (address, sent_at) VALUES (?, ?)")?;
                for address in addresses {
                    insert.execute(params![address.to_lowercase(), db.now()])?;
                }
                Ok(())
            })
            .await
    }
}

/// A key for a name that ignores word order and case.
fn name_key(name: &str) -> Option<String> {
    let mut words = alphanumeric_words(name);
    words.sort();
    (words.len() >= 2).then(|| words.join(" "))
}
