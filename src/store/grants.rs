//! Grants: given from a card, consulted before asking, looked at again before anything is done, and ended.
//!
//! The store is the judge of what covers what. Whoever asks names a grant; whether it covers the question is
//! decided from the rows when the question is committed, when its answer is taken up, and before the effect.

use super::audit::{self, Because, Fact};
use super::decide::{reopen, restand};
use super::rows::{CommandScope, DecisionRow, GrantRow, InterruptRow, Scope, Stage, ThreadRow, time};
use super::{Store, StoreError};
use crate::graph::{CommandLine, Decision, GrantId, InterruptId, ThreadId};
use crate::inbox::{BUILTIN_GRANTS, BuiltinGrant, By, GrantLine, GrantRequest, GrantScope, POLICY_GRANT};
use rusqlite::Connection;
use std::collections::BTreeSet;
use std::time::Duration;

/// How long a grant lasts that is not a thread's where the person says nothing.
const HOUR: Duration = Duration::from_secs(3600);

/// No grant lasts longer than this.
const LONGEST: Duration = Duration::from_secs(366 * 24 * 3600);

impl Store {
    /// Allows what a card offers to allow.
    pub async fn grant(&self, request: GrantRequest) -> Result<GrantLine, StoreError> {
        let now = self.now_ms();
        self.write(move |db| give(db, &request, now)).await
    }

    /// Built-in grants and those that people gave, oldest first.
    pub fn grants(&self) -> Result<Vec<GrantLine>, StoreError> {
        let now = self.now_ms();
        self.read(|db| {
            let rows = GrantRow::all(db)?;
            let switched = |builtin: &BuiltinGrant| rows.iter().find(|row| row.id == builtin.id);
            let mut lines: Vec<GrantLine> =
                BUILTIN_GRANTS.iter().map(|b| builtin_line(b, switched(b))).collect::<Result<_, _>>()?;
            for row in rows.iter().filter(|row| row.scope != Scope::Builtin) {
                lines.push(line(db, row, now)?);
            }
            Ok(lines)
        })
    }

    /// Ends a grant, or switches a built-in one off.
    pub async fn revoke(&self, id: String) -> Result<GrantLine, StoreError> {
        let now = self.now_ms();
        self.write(move |db| revoke(db, &id, now)).await
    }

    /// Switches a built-in grant on again.
    pub async fn restore(&self, id: String) -> Result<GrantLine, StoreError> {
        let now = self.now_ms();
        self.write(move |db| {
            let Some(builtin) = builtin(&id)? else {
                let text = format!("`{id}` is not built in; allow it again from a card");
                return Err(StoreError::Conflict(text));
            };
            let mut row = GrantRow::named(db, builtin.id)?;
            if let Some(row) = &mut row
                && row.revoked_at.take().is_some()
            {
                row.update(db)?;
                audit::record(db, &Fact::Restored { grant: row.id.clone() }, now)?;
            }
            builtin_line(builtin, row.as_ref())
        })
        .await
    }

    /// The grant that covers a call of `tool` by this thread, or about mail of this sender. `strangers` are those it
    /// would reach whom the person does not know: a sender's grant covers no other of them than that sender.
    pub fn covering(
        &self,
        tool: &str,
        thread: &ThreadId,
        sender: &str,
        strangers: &[&String],
    ) -> Result<Option<String>, StoreError> {
        self.first_grant(tool, |row| match &row.scope {
            Scope::Thread(only) => only == thread,
            Scope::Sender(only) => {
                !sender.is_empty()
                    && only.eq_ignore_ascii_case(sender)
                    && strangers.iter().all(|to| only.eq_ignore_ascii_case(to))
            }
            Scope::Builtin | Scope::Command(_) => false,
        })
    }

    /// The grant that covers this command of a program.
    pub fn covering_command(&self, tool: &str, command: &CommandLine) -> Result<Option<String>, StoreError> {
        self.first_grant(tool, |row| row.covers_command(command))
    }

    /// The first grant for a tool that is in force and covers what is asked for.
    fn first_grant(
        &self,
        tool: &str,
        covers: impl Fn(&GrantRow) -> bool,
    ) -> Result<Option<String>, StoreError> {
        let now = self.now_ms();
        self.read(|db| {
            let mut found =
                db.prepare_cached("SELECT * FROM grants WHERE tool = ? AND revoked_at IS NULL ORDER BY seq")?;
            let mut rows = found.query([tool])?;
            while let Some(row) = rows.next()? {
                let row = GrantRow::read(row)?;
                if covers(&row) && row.lasts(now) {
                    return Ok(Some(row.id));
                }
            }
            Ok(None)
        })
    }

    /// Whether the built-in grant of this name is listed and switched on.
    pub fn builtin_grant(&self, name: &str) -> Result<bool, StoreError> {
        self.read(|db| GrantRow::builtin_on(db, name))
    }

    /// Asks again what grants had answered that no longer cover it.
    pub async fn recall(
        &self,
        thread: ThreadId,
        version: i64,
        interrupts: Vec<InterruptId>,
    ) -> Result<(), StoreError> {
        let now = self.now_ms();
        self.write(move |db| {
            let mut row = ThreadRow::find(db, &thread)?;
            if row.version != version {
                return Err(StoreError::Moved);
            }
            for id in &interrupts {
                reopen(db, &row.id, &mut InterruptRow::find(db, id)?, Because::GrantEnded, now)?;
            }
            restand(db, &mut row, now)
        })
        .await
    }
}

/// Whether `grant` answers this question of this thread now. What the config allows is the caller's to know; here a
/// policy covers its own tool only.
pub(super) fn covers(
    db: &Connection,
    grant: &str,
    interrupt: &InterruptRow,
    thread: &ThreadId,
    now: i64,
) -> Result<bool, StoreError> {
    // A warning suspends a grant: what is unusual is seen by a person.
    if interrupt.warnings.is_some() {
        return Ok(false);
    }
    if let Some(tool) = grant.strip_prefix(POLICY_GRANT) {
        return Ok(tool == interrupt.action);
    }
    GrantRow::named(db, grant)?.map_or(Ok(false), |row| row.covers(interrupt, thread, now))
}

fn give(db: &Connection, request: &GrantRequest, now: i64) -> Result<GrantLine, StoreError> {
    let interrupt = InterruptRow::find(db, &request.interrupt)?;
    interrupt.check_hash()?;
    let thread = ThreadRow::by_seq(db, interrupt.thread)?;
    let refuse = |why: &str| Err(StoreError::Conflict(format!("`{}` {why}", interrupt.id)));
    let accepted = || {
        let decision = DecisionRow::in_force(db, &interrupt)?.decision;
        Ok::<_, StoreError>(matches!(decision, Decision::Accept | Decision::Edit { .. }))
    };
    match interrupt.stage {
        Stage::Open => {}
        Stage::Closed if interrupt.closed_why.is_some() => {
            return Err(super::decide::not_open(db, &interrupt)?);
        }
        Stage::Decided | Stage::Closed if accepted()? => {}
        Stage::Decided | Stage::Closed => return refuse("was not accepted, so nothing is allowed by it"),
    }
    if interrupt.warnings.is_some() {
        return refuse("carries a warning; such a card is decided by itself, and allows nothing further");
    }
    let offered = interrupt.grantable()?;
    let scope = match request.scope {
        GrantScope::Thread if offered.thread => Scope::Thread(thread.id.clone()),
        GrantScope::Sender => match offered.sender {
            Some(sender) => Scope::Sender(sender.to_lowercase()),
            None => return refuse("cannot be allowed for a sender"),
        },
        GrantScope::Thread => return refuse("cannot be allowed for its thread"),
        GrantScope::Command | GrantScope::CommandSort => {
            let more = request.scope == GrantScope::CommandSort;
            match offered.command.and_then(|command| commanded(command, more)) {
                Some(scope) => Scope::Command(scope),
                None => return refuse("is no command that can be allowed so"),
            }
        }
    };
    let lasts = match (&scope, request.lasts) {
        (Scope::Sender(_) | Scope::Command(_), None) => Some(HOUR),
        (_, lasts) => lasts,
    };
    let expires_at = match lasts {
        None => None,
        Some(lasts) if lasts < Duration::from_secs(1) || lasts > LONGEST => {
            return Err(StoreError::Conflict(
                "a grant lasts a second at least, and a year at most".to_owned(),
            ));
        }
        Some(lasts) => Some(now.saturating_add(i64::try_from(lasts.as_millis()).unwrap_or(i64::MAX))),
    };
    let mut row = GrantRow {
        seq: 0,
        id: GrantId::random().to_string(),
        tool: interrupt.action.clone(),
        scope,
        interrupt: Some(interrupt.id.to_string()),
        created_at: now,
        expires_at,
        revoked_at: None,
    };
    row.insert(db)?;
    let granted = Fact::Granted {
        grant: row.id.clone(),
        tool: row.tool.clone(),
        scope: match &row.scope {
            Scope::Thread(thread) => format!("thread:{thread}"),
            Scope::Sender(sender) => format!("sender:{sender}"),
            Scope::Builtin => "builtin".to_owned(),
            Scope::Command(command) => format!("command:{}", commands(command)),
        },
        interrupt: row.interrupt.clone(),
        expires_at: row.expires_at,
    };
    audit::record(db, &granted, now)?;
    line(db, &row, now)
}

/// Which commands are allowed, in words.
fn commands(scope: &CommandScope) -> String {
    let more = if scope.more { " …" } else { "" };
    format!("`{}{more}` in {}, by {}", scope.words.join(" "), scope.folder, scope.by)
}

/// What is allowed with a command: itself alone, or its sort.
fn commanded(command: CommandLine, more: bool) -> Option<CommandScope> {
    let words = if more { command.sort()?.to_vec() } else { command.words };
    Some(CommandScope { by: command.by, folder: command.folder, words, more })
}

fn revoke(db: &Connection, id: &str, now: i64) -> Result<GrantLine, StoreError> {
    if let Some(tool) = id.strip_prefix(POLICY_GRANT) {
        let text = format!("`{id}` is allowed by the config; set mode = \"ask\" in its [policy.{tool}]");
        return Err(StoreError::Conflict(text));
    }
    if let Some(builtin) = builtin(id)? {
        let mut row = match GrantRow::named(db, builtin.id)? {
            Some(row) => row,
            None => {
                let mut row = GrantRow {
                    seq: 0,
                    id: builtin.id.to_owned(),
                    tool: builtin.tool.to_owned(),
                    scope: Scope::Builtin,
                    interrupt: None,
                    created_at: now,
                    expires_at: None,
                    revoked_at: None,
                };
                row.insert(db)?;
                row
            }
        };
        end(db, &mut row, now)?;
        return builtin_line(builtin, Some(&row));
    }
    let parsed = GrantId::parse(id).map_err(|_| StoreError::Unknown("grant", id.to_owned()))?;
    let mut row = GrantRow::find(db, &parsed)?;
    end(db, &mut row, now)?;
    ask_again(db, &row.id, now)?;
    line(db, &row, now)
}

fn end(db: &Connection, row: &mut GrantRow, now: i64) -> Result<(), StoreError> {
    if let Some(at) = row.revoked_at {
        let why = format!("it was revoked at {}", time(at)?);
        return Err(StoreError::NotOpen { id: row.id.clone(), why });
    }
    row.revoked_at = Some(now);
    row.update(db)?;
    audit::record(db, &Fact::Revoked { grant: row.id.clone() }, now)
}

/// What a grant had answered and nobody has acted on is a person's to decide.
fn ask_again(db: &Connection, grant: &str, now: i64) -> Result<(), StoreError> {
    let decided: Vec<i64> = db
        .prepare_cached("SELECT seq FROM interrupts WHERE status = 'decided' ORDER BY seq")?
        .query_map([], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    let mut threads = BTreeSet::new();
    for seq in decided {
        let mut interrupt = InterruptRow::by_seq(db, seq)?;
        let decision = DecisionRow::in_force(db, &interrupt)?;
        if decision.by != By::Grant(grant.to_owned()) {
            continue;
        }
        let thread = ThreadRow::by_seq(db, interrupt.thread)?.id;
        if reopen(db, &thread, &mut interrupt, Because::GrantEnded, now)? {
            threads.insert(interrupt.thread);
        }
    }
    for thread in threads {
        restand(db, &mut ThreadRow::by_seq(db, thread)?, now)?;
    }
    Ok(())
}

/// The built-in grant a person means; any unique beginning of its name.
fn builtin(id: &str) -> Result<Option<&'static BuiltinGrant>, StoreError> {
    if !id.starts_with("builtin:") {
        return Ok(None);
    }
    let meant: Vec<&BuiltinGrant> =
        BUILTIN_GRANTS.iter().filter(|builtin| builtin.id.starts_with(id)).collect();
    match meant.as_slice() {
        [] => Err(StoreError::Unknown("grant", id.to_owned())),
        [one] => Ok(Some(*one)),
        several => {
            let some = several.iter().map(|builtin| builtin.id.to_owned()).collect();
            Err(StoreError::Ambiguous { id: id.to_owned(), some })
        }
    }
}

fn builtin_line(builtin: &BuiltinGrant, row: Option<&GrantRow>) -> Result<GrantLine, StoreError> {
    let revoked_at = row.and_then(|row| row.revoked_at).map(time).transpose()?;
    Ok(GrantLine {
        id: builtin.id.to_owned(),
        tool: builtin.tool.to_owned(),
        scope: builtin.scope.to_owned(),
        thread: None,
        sender: None,
        origin: "builtin".to_owned(),
        builtin: true,
        created_at: None,
        expires_at: None,
        revoked_at,
        in_force: revoked_at.is_none(),
    })
}

fn line(db: &Connection, row: &GrantRow, now: i64) -> Result<GrantLine, StoreError> {
    let (scope, thread, sender, lives) = match &row.scope {
        Scope::Thread(id) => {
            let thread = ThreadRow::find(db, id)?;
            let scope = format!("thread {id}: {}", thread.title);
            (scope, Some(id.clone()), None, !thread.status.ended())
        }
        Scope::Sender(sender) => (format!("mail of {sender}"), None, Some(sender.clone()), true),
        Scope::Builtin => ("built in".to_owned(), None, None, true),
        Scope::Command(command) => (commands(command), None, None, true),
    };
    Ok(GrantLine {
        id: row.id.clone(),
        tool: row.tool.clone(),
        scope,
        thread,
        sender,
        origin: row.interrupt.clone().unwrap_or_default(),
        builtin: false,
        created_at: Some(time(row.created_at)?),
        expires_at: row.expires_at.map(time).transpose()?,
        revoked_at: row.revoked_at.map(time).transpose()?,
        in_force: lives && row.lasts(now),
    })
}
