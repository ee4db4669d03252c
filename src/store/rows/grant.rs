//! A grant's row.

use super::super::StoreError;
use super::super::seal::{Digest, Seal};
use super::super::verify::{tallied, tally};
use super::{Cells, InterruptRow, damaged, json};
use crate::graph::{CommandLine, GrantId, ThreadId};
use crate::inbox::BUILTIN_GRANTS;
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::{Deserialize, Serialize};

/// How far a grant goes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::store) enum Scope {
    /// One thread. A fork of it is another one.
    Thread(ThreadId),
    /// Mail of one sender, bare and in lower case.
    Sender(String),
    /// Whatever the built-in grant of that name covers.
    Builtin,
    /// A command in a folder.
    Command(CommandScope),
}

/// Commands that a program may run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::store) struct CommandScope {
    /// Which program, as it calls itself.
    pub by: String,
    /// In which folder, exactly.
    pub folder: String,
    /// The words they begin with.
    pub words: Vec<String>,
    /// Whether more words may follow.
    pub more: bool,
}

impl CommandScope {
    /// Whether it covers a command. What leads out of the folder by its words is never covered beside the first words.
    fn covers(&self, command: &CommandLine) -> bool {
        let inside = |word: &String| {
            let path = word.rsplit('=').next().unwrap_or_default();
            !path.starts_with('/') && !word.split(['/', '=', ':']).any(|part| part == "..")
        };
        let rest = command.words.get(self.words.len()..).unwrap_or_default();
        self.by == command.by
            && self.folder == command.folder
            && command.words.starts_with(&self.words)
            && (rest.is_empty() || self.more && rest.iter().all(inside))
    }
}

/// A grant.
#[derive(Clone, Debug)]
pub(in crate::store) struct GrantRow {
    pub seq: i64,
    pub id: String,
    pub tool: String,
    pub scope: Scope,
    /// The card it was given from.
    pub interrupt: Option<String>,
    pub created_at: i64,
    pub expires_at: Option<i64>,
    pub revoked_at: Option<i64>,
}

impl GrantRow {
    fn scope_text(&self) -> Result<String, StoreError> {
        serde_json::to_string(&self.scope).map_err(|e| StoreError::Sql(e.to_string()))
    }

    fn seal(&self, scope: &str) -> Digest {
        Seal::of("grants")
            .int(self.seq)
            .text(&self.id)
            .text(&self.tool)
            .text(scope)
            .maybe_text(self.interrupt.as_deref())
            .int(self.created_at)
            .maybe_int(self.expires_at)
            .maybe_int(self.revoked_at)
            .done()
    }

    pub(in crate::store) fn read(row: &Row<'_>) -> Result<Self, StoreError> {
        let mut cells = Cells::of(row);
        let (seq, id, tool): (i64, String, String) = (cells.next()?, cells.next()?, cells.next()?);
        let scope: String = cells.next()?;
        let wrong = || damaged(format!("grant {} is not as it was written", id.escape_debug()));
        let Ok(parsed) = json("a grant's scope", &scope) else { return wrong() };
        let read = Self {
            seq,
            id: id.clone(),
            tool,
            scope: parsed,
            interrupt: cells.next()?,
            created_at: cells.next()?,
            expires_at: cells.next()?,
            revoked_at: cells.next()?,
        };
        if cells.digest()? != read.seal(&scope) { wrong() } else { Ok(read) }
    }

    /// All of them, oldest first; one that was taken away is missed.
    pub(in crate::store) fn all(db: &Connection) -> Result<Vec<Self>, StoreError> {
        let mut found = db.prepare_cached("SELECT * FROM grants ORDER BY seq")?;
        let mut rows = found.query([])?;
        let mut grants = Vec::new();
        while let Some(row) = rows.next()? {
            grants.push(Self::read(row)?);
        }
        check_count(db)?;
        Ok(grants)
    }

    /// The grant of this whole name, if there is a row of it.
    pub(in crate::store) fn named(db: &Connection, id: &str) -> Result<Option<Self>, StoreError> {
        let mut found = db.prepare_cached("SELECT * FROM grants WHERE id = ?")?;
        let mut rows = found.query([id])?;
        rows.next()?.map(Self::read).transpose()
    }

    /// The grant a person means; any unique beginning of its id.
    pub(in crate::store) fn find(db: &Connection, id: &GrantId) -> Result<Self, StoreError> {
        super::find(db, "grant", "grants", id.as_str(), id.is_whole(), Self::read, |found| found.id.as_str())
    }

    /// Whether it is neither revoked nor over.
    pub(in crate::store) fn lasts(&self, now: i64) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|end| now < end)
    }

    /// Whether it answers this question of this thread.
    pub(in crate::store) fn covers(
        &self,
        interrupt: &InterruptRow,
        thread: &ThreadId,
        now: i64,
    ) -> Result<bool, StoreError> {
        let reaches = match &self.scope {
            Scope::Thread(only) => only == thread,
            Scope::Sender(only) => {
                interrupt.grantable()?.sender.is_some_and(|sender| sender.eq_ignore_ascii_case(only))
            }
            Scope::Builtin => false,
            Scope::Command(_) => {
                interrupt.grantable()?.command.is_some_and(|command| self.covers_command(&command))
            }
        };
        Ok(reaches && self.tool == interrupt.action && self.lasts(now))
    }

    /// Whether it reaches as far as this command.
    pub(in crate::store) fn covers_command(&self, command: &CommandLine) -> bool {
        matches!(&self.scope, Scope::Command(scope) if scope.covers(command))
    }

    pub(in crate::store) fn insert(&mut self, db: &Connection) -> Result<(), StoreError> {
        self.seq = db
            .prepare_cached("SELECT coalesce(max(seq), 0) + 1 FROM grants")?
            .query_row([], |row| row.get(0))?;
        let scope = self.scope_text()?;
        db.prepare_cached(
            "INSERT INTO grants (seq, id, tool, scope, interrupt, created_at, expires_at, revoked_at, digest)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            self.seq,
            self.id,
            self.tool,
            scope,
            self.interrupt,
            self.created_at,
            self.expires_at,
            self.revoked_at,
            self.seal(&scope).bytes(),
        ])?;
        tally(db, "grants", 1)
    }

    /// Writes what can change: whether it is revoked.
    pub(in crate::store) fn update(&self, db: &Connection) -> Result<(), StoreError> {
        let digest = self.seal(&self.scope_text()?);
        db.prepare_cached("UPDATE grants SET revoked_at = ?, digest = ? WHERE seq = ?")?.execute(params![
            self.revoked_at,
            digest.bytes(),
            self.seq
        ])?;
        Ok(())
    }

    /// Whether the built-in grant of this name is listed and switched on. It is on until somebody switches it.
    pub(in crate::store) fn builtin_on(db: &Connection, name: &str) -> Result<bool, StoreError> {
        if !BUILTIN_GRANTS.iter().any(|builtin| builtin.id == name) {
            return Ok(false);
        }
        // A row taken away would switch it on again.
        check_count(db)?;
        Ok(Self::named(db, name)?.is_none_or(|row| row.revoked_at.is_none()))
    }
}

fn check_count(db: &Connection) -> Result<(), StoreError> {
    let count: Option<i64> =
        db.prepare_cached("SELECT count(*) FROM grants")?.query_row([], |row| row.get(0)).optional()?;
    if tallied(db, "grants")? == count.unwrap_or(0) { Ok(()) } else { damaged("grants are missing") }
}
