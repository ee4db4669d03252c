//! What coding agents tell of their sessions, a row each among the settings. Rows and texts: what they mean is known
//! elsewhere.

use crate::store::{Figures, StoreError};
use rusqlite::{Connection, params};

/// How the names of their rows begin.
const PREFIX: &str = "session:";

/// What becomes of a session's row: its new text, or nothing.
pub type SessionChange = (String, Option<String>);

impl Figures<'_> {
    /// What is kept of each session, by its name.
    pub fn sessions(self) -> Result<Vec<(String, String)>, StoreError> {
        self.0.read(rows)
    }

    /// Changes what is kept: `change` sees everything and says what is to stand there instead.
    pub async fn change_sessions(
        self,
        change: impl Fn(&[(String, String)]) -> Vec<SessionChange> + Send + 'static,
    ) -> Result<(), StoreError> {
        // Most of what agents tell changes nothing, and then nothing is written.
        if change(&self.sessions()?).is_empty() {
            return Ok(());
        }
        self.0
            .write(move |tx| {
                for (name, text) in change(&rows(tx)?) {
                    let name = format!("{PREFIX}{name}");
                    match text {
                        Some(text) => tx
                            .prepare_cached("INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)")?
                            .execute(params![name, text])?,
                        None => tx.prepare_cached("DELETE FROM settings WHERE name = ?")?.execute([name])?,
                    };
                }
                Ok(())
            })
            .await
    }
}

fn rows(db: &Connection) -> Result<Vec<(String, String)>, StoreError> {
    // The character after the colon ends the range.
    let mut found = db.prepare_cached(
        "SELECT substr(name, 9), value FROM settings WHERE name >= ? AND name < 'session;'",
    )?;
    Ok(found.query_map([PREFIX], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?)
}
