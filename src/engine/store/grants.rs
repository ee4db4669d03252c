//! Grants: given from a card, consulted before asking, checked again before each effect, and revoked.
//!
//! The store decides what a grant covers. The asker names a grant; whether it covers the question is decided from the
//! log when the question is committed, when its answer is taken in, and before the effect.

use crate::engine::graph::{AgentCall, Decision, GrantId, InterruptId, Texts, ThreadId, Warning};
use crate::engine::store::grant_scope::{self, DEFAULT_DURATION, covering, fits};
use crate::engine::store::grant_trial::{Trial, reaches, wished};
use crate::engine::store::log::{
    self, AgentScope, Asked, EntryKind, Granted, NewEntry, Revoked, Scope, Tx, UndoReason,
};
use crate::engine::store::record::answers::take_back;
use crate::engine::store::record::project::apply;
use crate::engine::store::record::questions::{not_open, question_of};
use crate::engine::store::record::since_step::{AskedQuestion, SinceStep};
use crate::engine::store::rows::{
    self, GrantRow, InterruptRow, Stage, ThreadRow, complete_grant_id, damaged, time,
};
use crate::engine::store::{Grants, StoreError};
use crate::inbox::{
    BUILTIN_GRANTS, BuiltinGrant, DecidedBy, GrantLine, GrantRequest, OWN_MAIL, POLICY_GRANT,
};
use rusqlite::Connection;
use std::time::Duration;

/// No grant lasts longer than this.
const MAX_DURATION: Duration = Duration::from_secs(366 * 24 * 3600);

impl Grants<'_> {
    /// Gives a grant that a card offers.
    pub async fn give(self, request: GrantRequest) -> Result<GrantLine, StoreError> {
        self.0.write(move |tx| give(tx, &request)).await
    }

    /// Built-in grants and those that people gave, oldest first.
    pub fn list(self) -> Result<Vec<GrantLine>, StoreError> {
        let now = self.0.now_ms();
        self.0.read(|db| {
            let rows = all(db)?;
            let switched = |builtin: &BuiltinGrant| rows.iter().find(|row| row.id == builtin.id);
            let mut lines: Vec<GrantLine> =
                BUILTIN_GRANTS.iter().map(|b| builtin_line(b, switched(b))).collect::<Result<_, _>>()?;
            for row in rows.iter().filter(|row| row.scope != Scope::Builtin) {
                lines.push(line(db, row, now)?);
            }
            Ok(lines)
        })
    }

    /// Revokes a grant, or switches a built-in one off.
    pub async fn revoke(self, id: String) -> Result<GrantLine, StoreError> {
        self.0.write(move |tx| revoke(tx, &id)).await
    }

    /// Switches a built-in grant on again.
    pub async fn restore(self, id: String) -> Result<GrantLine, StoreError> {
        self.0
            .write(move |db| {
                let Some(builtin) = builtin(&id)? else {
                    let text = format!("`{id}` is not built in; allow it again from a card");
                    return Err(StoreError::Conflict(text));
                };
                let mut grant = find_grant(db, builtin.id)?;
                if let Some(grant) = &mut grant
                    && grant.revoked_at.take().is_some()
                {
                    let body = Revoked { builtin: Some(grant.id.clone()), from: db.opened()? };
                    let new = NewEntry::new(Some(grant.seq), EntryKind::Restored, Some(grant.last), &body)?;
                    let entry = db.append(new)?;
                    apply(db, &entry)?;
                }
                builtin_line(builtin, grant.as_ref())
            })
            .await
    }

    /// The grant that covers a call of `tool` by this thread, or about mail from this sender. `strangers` are
    /// recipients the person does not know; a grant for a sender covers no stranger but that sender.
    pub fn covering(
        self,
        tool: &str,
        thread: &ThreadId,
        sender: &str,
        strangers: &[&String],
    ) -> Result<Option<String>, StoreError> {
        let covers = |grant: &Grant| match &grant.scope {
            Scope::Thread(only) => only == thread,
            Scope::Sender(only) => {
                !sender.is_empty()
                    && only.eq_ignore_ascii_case(sender)
                    && strangers.iter().all(|to| only.eq_ignore_ascii_case(to))
            }
            Scope::Builtin | Scope::Agent(_) => false,
        };
        let now = self.0.now_ms();
        self.0.read(|db| {
            let rest = "WHERE tool = ? AND revoked_at IS NULL ORDER BY seq";
            for row in GrantRow::select(db, rest, [tool])? {
                let grant = Grant::read(db, row.seq)?;
                if grant.tool == tool && covers(&grant) && grant.is_active(now) {
                    return Ok(Some(grant.id));
                }
            }
            Ok(None)
        })
    }

    /// The grant that covers this program's call, or the index of the first act that none covers, with what its files
    /// contained if one covered it then.
    pub fn covering_call(
        self,
        tool: &str,
        call: &AgentCall,
    ) -> Result<Result<String, (usize, Texts)>, StoreError> {
        let now = self.0.now_ms();
        self.0.read(|db| {
            let grants = agent_grants(db, now)?;
            let scopes = || grants.iter().filter_map(Grant::agent);
            Ok(covering(scopes(), tool, call).map_err(|at| {
                let allowed = scopes()
                    .filter(|(_, of, scope)| fits(of, scope, tool, call))
                    .flat_map(|(.., scope)| &scope.acts);
                let was = call
                    .acts
                    .get(at)
                    .and_then(|act| allowed.filter_map(|allowed| allowed.was(act)).next_back());
                (at, was.unwrap_or_default())
            }))
        })
    }

    /// What is allowed already that adds up with this one: one may write files, the other runs a command beside them.
    pub fn adding_up(self, request: &GrantRequest) -> Result<Vec<String>, StoreError> {
        let now = self.0.now_ms();
        self.0.read(|db| {
            let trial = Trial::of(db, request)?;
            let grants = agent_grants(db, now)?;
            let scopes = grants.iter().filter_map(Grant::agent).map(|(.., scope)| scope);
            Ok(scopes.filter(|scope| trial.adds_up(scope)).map(grant_scope::describe).collect())
        })
    }

    /// Whether there is a built-in grant with this name that is switched on.
    pub fn is_builtin_on(self, name: &str) -> Result<bool, StoreError> {
        self.0.read(|db| builtin_on(db, name))
    }

    /// Reopens questions answered by grants that no longer cover them.
    pub async fn reopen(
        self,
        thread: ThreadId,
        version: i64,
        interrupts: Vec<InterruptId>,
    ) -> Result<(), StoreError> {
        self.0
            .write(move |db| {
                let mut row = ThreadRow::find(db, &thread)?;
                if row.version != version {
                    return Err(StoreError::Moved);
                }
                let recent = SinceStep::read(db, &row)?;
                for question in recent.questions.iter().filter(|q| interrupts.contains(&q.asked.id)) {
                    if question.current_answer().is_some_and(|answer| !answer.acted) {
                        take_back(db, &mut row, question.seq, UndoReason::GrantEnded)?;
                    }
                }
                Ok(())
            })
            .await
    }
}

/// Whether `grant` covers this question of this thread now. A policy only has to name the right tool.
pub fn covers(
    db: &Connection,
    grant: &str,
    asked: &Asked,
    thread: &ThreadId,
    now: i64,
) -> Result<bool, StoreError> {
    // A caution suspends grants: a person has to see what is unusual.
    if Warning::need_confirmation(&asked.interrupt.warnings) {
        return Ok(false);
    }
    if grant == OWN_MAIL {
        return Ok(asked.interrupt.grantable.own && builtin_on(db, grant)?);
    } else if let Some(tool) = grant.strip_prefix(POLICY_GRANT) {
        return Ok(tool == asked.interrupt.action);
    }
    let Some(grant) = find_grant(db, grant)?.filter(|grant| grant.is_active(now)) else { return Ok(false) };
    match (&grant.scope, &asked.interrupt.grantable.call) {
        (Scope::Agent(_), Some(call)) => {
            // The named grant has to contribute; the others only cover what it does not.
            let mut grants = agent_grants(db, now)?;
            grants.sort_by_key(|other| other.id != grant.id);
            let by = covering(grants.iter().filter_map(Grant::agent), &asked.interrupt.action, call);
            Ok(by == Ok(grant.id))
        }
        (Scope::Agent(_), None) => Ok(false),
        (Scope::Thread(_) | Scope::Sender(_) | Scope::Builtin, _) => {
            Ok(reaches(&grant.scope, &grant.tool, asked, thread))
        }
    }
}

/// The grants in force for programs' calls.
fn agent_grants(db: &Connection, now: i64) -> Result<Vec<Grant>, StoreError> {
    let rows = GrantRow::select(db, "WHERE revoked_at IS NULL AND tool LIKE 'request/%' ORDER BY seq", [])?;
    let mut grants = Vec::new();
    for row in rows {
        let grant = Grant::read(db, row.seq)?;
        if matches!(grant.scope, Scope::Agent(_)) && grant.is_active(now) {
            grants.push(grant);
        }
    }
    Ok(grants)
}

/// A grant, read from the log.
#[derive(Clone, Debug)]
struct Grant {
    seq: i64,
    last: i64,
    id: String,
    tool: String,
    scope: Scope,
    interrupt: Option<String>,
    created_at: i64,
    expires_at: Option<i64>,
    revoked_at: Option<i64>,
}

impl Grant {
    /// Checked each time: what it covers leaves without anybody being asked.
    fn read(db: &Connection, seq: i64) -> Result<Self, StoreError> {
        let entries = log::verified_stream(db, seq, seq)?;
        let Some(first) = entries.first().filter(|first| first.seq == seq) else {
            return damaged(format!("entry {seq} of the log is missing"));
        };
        let mut grant = match first.kind {
            EntryKind::Granted => {
                let Granted { id, tool, scope, interrupt, expires_at, .. } = first.parse_body()?;
                let (created_at, last) = (first.at, seq);
                Self { seq, last, id, tool, scope, interrupt, created_at, expires_at, revoked_at: None }
            }
            EntryKind::Revoked => {
                let id = first.parse_body::<Revoked>()?.builtin.unwrap_or_default();
                let tool = BUILTIN_GRANTS.iter().find(|builtin| builtin.id == id).map(|builtin| builtin.tool);
                Self {
                    seq,
                    last: seq,
                    id,
                    tool: tool.unwrap_or_default().to_owned(),
                    scope: Scope::Builtin,
                    interrupt: None,
                    created_at: first.at,
                    expires_at: None,
                    revoked_at: None,
                }
            }
            _ => return damaged(format!("entry {seq} of the log gives no grant")),
        };
        for entry in &entries {
            grant.last = entry.seq;
            match entry.kind {
                EntryKind::Revoked => grant.revoked_at = Some(entry.at),
                EntryKind::Restored => grant.revoked_at = None,
                _ => {}
            }
        }
        Ok(grant)
    }

    /// Whether it is neither revoked nor expired.
    fn is_active(&self, now: i64) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|end| now < end)
    }

    /// Its id, tool and scope, if it is for a program's calls.
    fn agent(&self) -> Option<(&str, &str, &AgentScope)> {
        match &self.scope {
            Scope::Agent(scope) => Some((&self.id, &self.tool, scope)),
            Scope::Thread(_) | Scope::Sender(_) | Scope::Builtin => None,
        }
    }
}

/// All grants in the log, oldest first.
fn all(db: &Connection) -> Result<Vec<Grant>, StoreError> {
    streams(db, "true")?.into_iter().map(|seq| Grant::read(db, seq)).collect()
}

/// The streams of grants whose first entry matches the SQL condition `begins`, oldest first.
fn streams(db: &Connection, begins: &str) -> Result<Vec<i64>, StoreError> {
    let sql = format!(
        "SELECT seq FROM log INDEXED BY log_grants
         WHERE kind IN ('granted', 'revoked') AND {begins} AND seq = stream ORDER BY seq"
    );
    rows::column(db, &sql, [])
}

/// The grant with exactly this id.
fn find_grant(db: &Connection, id: &str) -> Result<Option<Grant>, StoreError> {
    let Some(row) = GrantRow::select(db, "WHERE id = ?", [id])?.pop() else { return Ok(None) };
    let grant = Grant::read(db, row.seq)?;
    if grant.revoked_at != row.revoked_at {
        return damaged(format!("whether grant {id} is revoked is not on record as it is listed"));
    }
    if grant.id == id {
        Ok(Some(grant))
    } else {
        damaged(format!("grant {id} is not on record under that id"))
    }
}

/// Whether there is a built-in grant with this name that is switched on. It is on by default.
pub fn builtin_on(db: &Connection, name: &str) -> Result<bool, StoreError> {
    if !BUILTIN_GRANTS.iter().any(|builtin| builtin.id == name) {
        return Ok(false);
    }
    if let Some(switched) = find_grant(db, name)? {
        return Ok(switched.revoked_at.is_none());
    }
    // Deleting its row would switch it on again, so we ask the log too. Only streams of built-in grants begin with
    // `revoked`.
    for seq in streams(db, "kind = 'revoked'")? {
        if Grant::read(db, seq)?.id == name {
            return damaged(format!("grant {name} is not listed as the log has it"));
        }
    }
    Ok(true)
}

pub fn give(tx: &Tx<'_>, request: &GrantRequest) -> Result<GrantLine, StoreError> {
    let interrupt = InterruptRow::find(tx, &request.interrupt)?;
    let question = question_of(tx, &interrupt)?;
    let thread = ThreadRow::by_seq(tx, interrupt.thread)?;
    let refuse = |why: &str| Err(StoreError::Conflict(format!("`{}` {why}", interrupt.id)));
    if question.closed.is_some() {
        return Err(not_open(tx, &interrupt)?);
    }
    let accepts = |decision: &Decision| matches!(decision, Decision::Accept | Decision::Edit { .. });
    match question.current_answer() {
        Some(answer) if accepts(&answer.body.decision) => {}
        None if interrupt.status == Stage::Open => {}
        _ => return refuse("was not accepted, so nothing is allowed by it"),
    }
    let (tool, scope) = match wished(&question.asked, &thread.id, request) {
        Ok(wished) => wished,
        Err(why) => return refuse(why),
    };
    let after =
        |lasts: Duration| tx.now().saturating_add(i64::try_from(lasts.as_millis()).unwrap_or(i64::MAX));
    let expires_at = match (&scope, request.ends_at) {
        (Scope::Agent(_) | Scope::Sender(_), None) => Some(after(DEFAULT_DURATION)),
        (_, ends_at) => ends_at.map(|at| at.as_millisecond()),
    };
    let wrong = match expires_at {
        Some(at) if at <= tx.now() => Some("the grant would have ended already"),
        Some(at) if at > after(MAX_DURATION) => Some("a grant lasts a year at most"),
        Some(_) | None => None,
    };
    if let Some(wrong) = wrong {
        return Err(StoreError::Conflict(wrong.to_owned()));
    }
    let granted = Granted {
        id: GrantId::random().to_string(),
        tool,
        scope,
        interrupt: Some(interrupt.id.to_string()),
        expires_at,
        from: tx.opened()?,
    };
    let entry = tx.append(NewEntry::new(None, EntryKind::Granted, None, &granted)?)?;
    apply(tx, &entry)?;
    line(tx, &Grant::read(tx, entry.seq)?, tx.now())
}

fn revoke(tx: &Tx<'_>, id: &str) -> Result<GrantLine, StoreError> {
    if let Some(tool) = id.strip_prefix(POLICY_GRANT) {
        let text = format!("`{id}` is allowed by the config; set mode = \"ask\" in its [policy.{tool}]");
        return Err(StoreError::Conflict(text));
    }
    if let Some(builtin) = builtin(id)? {
        let before = find_grant(tx, builtin.id)?;
        let seq = end(tx, before.as_ref(), Some(builtin.id.to_owned()))?;
        return builtin_line(builtin, Some(&Grant::read(tx, seq)?));
    }
    let parsed = GrantId::parse(id).map_err(|_| StoreError::unknown("grant", id.to_owned()))?;
    let full_id =
        if parsed.is_whole() { parsed.to_string() } else { complete_grant_id(tx, parsed.as_str())? };
    let grant = find_grant(tx, &full_id)?.ok_or_else(|| StoreError::unknown("grant", full_id))?;
    end(tx, Some(&grant), None)?;
    ask_again(tx, &grant.id)?;
    line(tx, &Grant::read(tx, grant.seq)?, tx.now())
}

/// Revokes a grant and returns its number.
fn end(tx: &Tx<'_>, grant: Option<&Grant>, builtin: Option<String>) -> Result<i64, StoreError> {
    if let Some(grant) = grant
        && let Some(at) = grant.revoked_at
    {
        let why = format!("it was revoked at {}", time(at)?);
        return Err(StoreError::NotOpen { id: grant.id.clone(), why });
    }
    let (stream, last) = (grant.map(|grant| grant.seq), grant.map(|grant| grant.last));
    let revoked = Revoked { builtin, from: tx.opened()? };
    let entry = tx.append(NewEntry::new(stream, EntryKind::Revoked, last, &revoked)?)?;
    apply(tx, &entry)?;
    Ok(entry.stream)
}

/// Reopens what the grant had answered and nobody has acted on; a person decides it now.
fn ask_again(tx: &Tx<'_>, grant: &str) -> Result<(), StoreError> {
    let decided = "INDEXED BY interrupts_live WHERE status <> 'closed' AND status = 'decided' AND acted = 0 ORDER BY seq";
    for interrupt in InterruptRow::select(tx, decided, [])? {
        let mut row = ThreadRow::by_seq(tx, interrupt.thread)?;
        let recent = SinceStep::read(tx, &row)?;
        let question = recent.questions.iter().find(|question| question.seq == interrupt.seq);
        let by = DecidedBy::Grant(grant.to_owned());
        let answer = question.and_then(AskedQuestion::current_answer);
        if answer.is_some_and(|answer| answer.body.by == by && !answer.acted) {
            take_back(tx, &mut row, interrupt.seq, UndoReason::GrantEnded)?;
        }
    }
    Ok(())
}

/// The built-in grant a person means, by any unique beginning of its name.
fn builtin(id: &str) -> Result<Option<&'static BuiltinGrant>, StoreError> {
    if !id.starts_with("builtin:") {
        return Ok(None);
    }
    let matching: Vec<&BuiltinGrant> =
        BUILTIN_GRANTS.iter().filter(|builtin| builtin.id.starts_with(id)).collect();
    match matching.as_slice() {
        [] => Err(StoreError::unknown("grant", id.to_owned())),
        [one] => Ok(Some(*one)),
        several => {
            let some = several.iter().map(|builtin| builtin.id.to_owned()).collect();
            Err(StoreError::Ambiguous { id: id.to_owned(), some })
        }
    }
}

fn builtin_line(builtin: &BuiltinGrant, row: Option<&Grant>) -> Result<GrantLine, StoreError> {
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
        used: 0,
    })
}

/// How many questions a grant has answered.
fn used(db: &Connection, id: &str) -> Result<i64, StoreError> {
    Ok(GrantRow::select(db, "WHERE id = ?", [id])?.pop().map_or(0, |row| row.used))
}

fn line(db: &Connection, row: &Grant, now: i64) -> Result<GrantLine, StoreError> {
    let (scope, thread, sender, lives) = match &row.scope {
        Scope::Thread(id) => {
            let thread = ThreadRow::find(db, id)?;
            let scope = format!("thread {id}: {}", thread.title);
            (scope, Some(id.clone()), None, !thread.status.ended())
        }
        Scope::Sender(sender) => (format!("mail from {sender}"), None, Some(sender.clone()), true),
        Scope::Builtin => ("built in".to_owned(), None, None, true),
        Scope::Agent(scope) => (grant_scope::describe(scope), None, None, true),
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
        in_force: lives && row.is_active(now),
        used: used(db, &row.id)?,
    })
}
