//! What coding agents report about their sessions, one row each in the settings. This file only stores texts; their
//! meaning is known elsewhere.

use crate::engine::store::rows;
use crate::engine::store::{Statistics, StoreError, settings};
use rusqlite::Connection;

const PREFIX: &str = "session:";

/// A change to a session's row: its new text, or `None` to delete it.
pub type SessionChange = (String, Option<String>);

impl Statistics<'_> {
    /// The name and text of each session.
    pub fn sessions(self) -> Result<Vec<(String, String)>, StoreError> {
        self.0.read(rows)
    }

    /// Changes the rows: `change` sees all of them and returns the changes.
    pub async fn change_sessions(
        self,
        change: impl Fn(&[(String, String)]) -> Vec<SessionChange> + Send + 'static,
    ) -> Result<(), StoreError> {
        // Most reports change nothing, and then nothing is written.
        if change(&self.sessions()?).is_empty() {
            return Ok(());
        }
        self.0
            .write(move |tx| {
                for (name, text) in change(&rows(tx)?) {
                    let name = format!("{PREFIX}{name}");
                    match text {
                        Some(text) => settings::set_text(tx, &name, &text)?,
                        None => settings::delete(tx, &name)?,
                    }
                }
                Ok(())
            })
            .await
    }
}

fn rows(db: &Connection) -> Result<Vec<(String, String)>, StoreError> {
    // `;` is the character after the colon, so it ends the range.
    let named = "SELECT substr(name, 9), value FROM settings WHERE name >= ? AND name < 'session;'";
    rows::query(db, named, [PREFIX], |row| Ok((row.get(0)?, row.get(1)?)))
}
