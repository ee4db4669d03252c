//! An interrupt's row.

use super::super::seal::{Digest, Seal};
use super::super::{StoreError, blobs};
use super::{Cells, damaged, json, time};
use crate::graph::{Allow, Grantable, Hash, Interrupt, InterruptId, Kind, Labels, ThreadId, Warning};
use crate::inbox::{Item, ItemKind, QuestionView};
use jiff::Timestamp;
use rusqlite::{Connection, Row, ToSql};
use serde::Serialize;
use serde_json::Value;

/// How far an interrupt has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::store) enum Stage {
    Open,
    Decided,
    Closed,
}

impl Stage {
    fn word(self) -> &'static str {
        match self {
            Stage::Open => "open",
            Stage::Decided => "decided",
            Stage::Closed => "closed",
        }
    }

    fn from_word(word: &str) -> Option<Self> {
        [Stage::Open, Stage::Decided, Stage::Closed].into_iter().find(|stage| stage.word() == word)
    }
}

/// An interrupt.
#[derive(Clone, Debug)]
pub(in crate::store) struct InterruptRow {
    pub seq: i64,
    pub id: InterruptId,
    pub thread: i64,
    pub step: i64,
    pub key: String,
    pub kind: Kind,
    pub action: String,
    pub args: String,
    pub schema: Option<i64>,
    pub allow: i64,
    pub labels: Option<String>,
    pub title: String,
    pub gist: String,
    pub warnings: Option<String>,
    pub source: Option<String>,
    pub irreversible: bool,
    pub binds: Option<String>,
    pub grantable: Option<String>,
    pub hash: Hash,
    pub engine: bool,
    pub stage: Stage,
    pub closed_why: Option<String>,
    pub created_at: i64,
    pub snoozed_until: Option<i64>,
    /// How far the policy's clock was when its time began to run; nothing where no policy looks at it.
    pub waits: Option<i64>,
}

impl InterruptRow {
    /// A new, open interrupt; its schema becomes a blob.
    pub(in crate::store) fn new(
        db: &Connection,
        thread: i64,
        step: i64,
        engine: bool,
        now: i64,
        asked: &Interrupt,
    ) -> Result<Self, StoreError> {
        let schema = match &asked.schema {
            Value::Bool(true) => None,
            schema => Some(blobs::put_shared(db, schema.to_string().as_bytes())?),
        };

        Ok(Self {
            seq: 0,
            id: InterruptId::random(),
            thread,
            step,
            key: asked.key.clone(),
            kind: asked.kind,
            action: asked.action.clone(),
            args: asked.args.to_string(),
            schema,
            allow: allow_bits(asked.allow) | if asked.yields { YIELDS } else { 0 },
            labels: text(&asked.labels, asked.labels == Labels::default()),
            title: asked.title.clone(),
            gist: asked.gist.clone(),
            warnings: text(&asked.warnings, asked.warnings.is_empty()),
            source: asked.source.clone(),
            irreversible: asked.irreversible,
            binds: text(&asked.binds, asked.binds.is_empty()),
            grantable: text(&asked.grantable, !asked.grantable.is_something()),
            hash: asked.hash(),
            engine,
            stage: Stage::Open,
            closed_why: None,
            created_at: now,
            snoozed_until: asked.snoozed_until.map(Timestamp::as_millisecond),
            waits: None,
        })
    }

    /// The digest it is kept with.
    pub(in crate::store) fn seal(&self) -> Digest {
        Seal::of("interrupts")
            .int(self.seq)
            .text(self.id.as_str())
            .int(self.thread)
            .int(self.step)
            .text(&self.key)
            .text(self.kind.word())
            .text(&self.action)
            .text(&self.args)
            .maybe_int(self.schema)
            .int(self.allow)
            .maybe_text(self.labels.as_deref())
            .text(&self.title)
            .text(&self.gist)
            .maybe_text(self.warnings.as_deref())
            .maybe_text(self.source.as_deref())
            .int(i64::from(self.irreversible))
            .maybe_text(self.binds.as_deref())
            .bytes(self.hash.bytes())
            .int(i64::from(self.engine))
            .text(self.stage.word())
            .maybe_text(self.closed_why.as_deref())
            .int(self.created_at)
            .maybe_int(self.snoozed_until)
            .later_text(self.grantable.as_deref())
            .later_int(self.waits)
            .done()
    }

    pub(in crate::store) fn read(row: &Row<'_>) -> Result<Self, StoreError> {
        let mut cells = Cells::of(row);
        let mut interrupt = Self {
            seq: cells.next()?,
            id: cells.word("interrupt id", |word| InterruptId::parse(word).ok())?,
            thread: cells.next()?,
            step: cells.next()?,
            key: cells.next()?,
            kind: cells.word("kind", Kind::from_word)?,
            action: cells.next()?,
            args: cells.next()?,
            schema: cells.next()?,
            allow: cells.next()?,
            labels: cells.next()?,
            title: cells.next()?,
            gist: cells.next()?,
            warnings: cells.next()?,
            source: cells.next()?,
            irreversible: cells.next()?,
            binds: cells.next()?,
            grantable: None,
            hash: cells.hash()?,
            engine: cells.next()?,
            stage: cells.word("status", Stage::from_word)?,
            closed_why: cells.next()?,
            created_at: cells.next()?,
            snoozed_until: cells.next()?,
            waits: None,
        };
        let digest = cells.digest()?;
        interrupt.grantable = cells.next()?;
        interrupt.waits = cells.next()?;
        if digest != interrupt.seal() {
            return damaged(format!("interrupt {} is not as it was written", interrupt.id));
        }
        Ok(interrupt)
    }

    pub(in crate::store) fn by_seq(db: &Connection, seq: i64) -> Result<Self, StoreError> {
        let mut found = db.prepare_cached("SELECT * FROM interrupts WHERE seq = ?")?;
        let mut rows = found.query([seq])?;
        match rows.next()? {
            Some(row) => Self::read(row),
            None => damaged(format!("interrupt number {seq} is missing")),
        }
    }

    pub(in crate::store) fn find(db: &Connection, id: &InterruptId) -> Result<Self, StoreError> {
        super::find(db, "interrupt", "interrupts", id.as_str(), id.is_whole(), Self::read, |found| {
            found.id.as_str()
        })
    }

    /// What a thread still has on its mind: open interrupts, and decided ones it has not acted on.
    pub(in crate::store) fn pending(db: &Connection, thread: i64) -> Result<Vec<Self>, StoreError> {
        let mut found = db.prepare_cached(
            "SELECT * FROM interrupts INDEXED BY interrupts_pending WHERE thread = ? AND status <> 'closed' ORDER BY seq",
        )?;
        let mut rows = found.query([thread])?;
        let mut pending = Vec::new();
        while let Some(row) = rows.next()? {
            pending.push(Self::read(row)?);
        }
        Ok(pending)
    }

    pub(in crate::store) fn insert(&mut self, db: &Connection) -> Result<(), StoreError> {
        self.seq = db
            .prepare_cached("SELECT coalesce(max(seq), 0) + 1 FROM interrupts")?
            .query_row([], |r| r.get(0))?;
        self.store(
            db,
            "INSERT INTO interrupts (seq, id, thread, step, key, kind, action, args, schema, allow, labels, title,
                gist, warnings, source, irreversible, binds, grantable, hash, engine, status, closed_why, created_at,
                snoozed_until, digest)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21,
                ?22, ?23, ?24, ?25)",
            &[
                &self.id.as_str() as &dyn ToSql,
                &self.thread,
                &self.step,
                &self.key,
                &self.kind.word(),
                &self.action,
                &self.args,
                &self.schema,
                &self.allow,
                &self.labels,
                &self.title,
                &self.gist,
                &self.warnings,
                &self.source,
                &self.irreversible,
                &self.binds,
                &self.grantable,
                &self.hash.bytes(),
                &self.engine,
                &self.stage.word(),
                &self.closed_why,
                &self.created_at,
                &self.snoozed_until,
            ],
        )
    }

    /// Writes what can change: what was found unusual, what it is bound to, and how far it has come.
    pub(in crate::store) fn update(&self, db: &Connection) -> Result<(), StoreError> {
        self.store(
            db,
            "UPDATE interrupts SET warnings = ?2, binds = ?3, hash = ?4, status = ?5, closed_why = ?6,
                snoozed_until = ?7, waits = ?8, digest = ?9
             WHERE seq = ?1",
            &[
                &self.warnings as &dyn ToSql,
                &self.binds,
                &self.hash.bytes(),
                &self.stage.word(),
                &self.closed_why,
                &self.snoozed_until,
                &self.waits,
            ],
        )
    }

    /// Runs `sql` with the number first and the digest last.
    fn store(&self, db: &Connection, sql: &str, columns: &[&dyn ToSql]) -> Result<(), StoreError> {
        let digest = self.seal();
        let digest = digest.bytes();
        let mut all: Vec<&dyn ToSql> = vec![&self.seq];
        all.extend_from_slice(columns);
        all.push(&digest);
        db.prepare_cached(sql)?.execute(all.as_slice())?;
        Ok(())
    }

    pub(in crate::store) fn close(&mut self, db: &Connection, why: Option<&str>) -> Result<(), StoreError> {
        self.stage = Stage::Closed;
        self.closed_why = why.map(str::to_owned);
        self.update(db)
    }

    /// Adds a warning and binds the hash to its cause, so that a card drawn before is stale.
    pub(in crate::store) fn warn(&mut self, warning: &Warning, bind: &str) -> Result<(), StoreError> {
        let (mut warnings, mut binds) = (self.warnings()?, self.binds()?);
        if !warnings.contains(warning) {
            warnings.push(warning.clone());
        }
        binds.push(bind.to_owned());
        self.hash = Hash::of(&self.action, &self.args()?, &binds);
        self.warnings = text(&warnings, false);
        self.binds = text(&binds, false);
        // Nobody has been asked this yet.
        self.waits = None;
        Ok(())
    }

    pub(in crate::store) fn args(&self) -> Result<Value, StoreError> {
        json(&format!("the arguments of interrupt {}", self.id), &self.args)
    }

    pub(in crate::store) fn binds(&self) -> Result<Vec<String>, StoreError> {
        self.binds.as_deref().map_or(Ok(Vec::new()), |text| json("what an interrupt is bound to", text))
    }

    pub(in crate::store) fn grantable(&self) -> Result<Grantable, StoreError> {
        self.grantable.as_deref().map_or(Ok(Grantable::default()), |text| json("what may be allowed", text))
    }

    pub(in crate::store) fn warnings(&self) -> Result<Vec<Warning>, StoreError> {
        self.warnings.as_deref().map_or(Ok(Vec::new()), |text| json("an interrupt's warnings", text))
    }

    pub(in crate::store) fn allow(&self) -> Allow {
        let bit = |n: i64| self.allow & (1 << n) != 0;
        Allow { accept: bit(0), edit: bit(1), respond: bit(2), ignore: bit(3), draft: bit(4) }
    }

    /// Whether news ends it.
    pub(in crate::store) fn yields(&self) -> bool {
        self.allow & YIELDS != 0
    }

    pub(in crate::store) fn schema(&self, db: &Connection) -> Result<Value, StoreError> {
        match self.schema {
            None => Ok(Value::Bool(true)),
            Some(seq) => json("a schema", &String::from_utf8_lossy(&blobs::get_shared(db, seq)?)),
        }
    }

    /// Whether the hash still is that of the row; a forged row with a fresh digest is noticed here.
    pub(in crate::store) fn check_hash(&self) -> Result<(), StoreError> {
        if Hash::of(&self.action, &self.args()?, &self.binds()?) == self.hash {
            Ok(())
        } else {
            damaged(format!("interrupt {} no longer has the arguments that were shown", self.id))
        }
    }

    /// What a review of its thread shows of it.
    pub(in crate::store) fn question(&self) -> Result<QuestionView, StoreError> {
        Ok(QuestionView {
            id: self.id.clone(),
            step: self.step.unsigned_abs(),
            kind: self.kind,
            action: self.action.clone(),
            title: self.title.clone(),
            gist: self.gist.clone(),
            source: self.source.clone(),
            args: self.args()?,
            args_hash: self.hash,
            labels: self.labels()?,
            warnings: self.warnings()?,
            state: self.stage.word(),
            closed: self.closed_why.clone(),
            at: time(self.created_at)?,
        })
    }

    fn labels(&self) -> Result<Labels, StoreError> {
        self.labels.as_deref().map_or(Ok(Labels::default()), |text| json("labels", text))
    }

    /// The item the inbox shows; its text comes with its card.
    pub(in crate::store) fn item(
        &self,
        db: &Connection,
        thread: &ThreadId,
        workflow: &str,
    ) -> Result<Item, StoreError> {
        Ok(Item {
            id: self.id.to_string(),
            key: self.key.clone(),
            thread: thread.clone(),
            workflow: workflow.to_owned(),
            kind: ItemKind::Interrupt(self.kind),
            title: self.title.clone(),
            gist: self.gist.clone(),
            action: self.action.clone(),
            args: self.args()?,
            schema: self.schema(db)?,
            allow: self.allow(),
            labels: self.labels()?,
            warnings: self.warnings()?,
            source: self.source.clone(),
            text: String::new(),
            created_at: time(self.created_at)?,
            snoozed_until: self.snoozed_until.map(time).transpose()?,
            args_hash: Some(self.hash),
            irreversible: self.irreversible,
            grantable: self.grantable()?,
            closed: None,
        })
    }
}

/// Beside the answers it takes: whether news ends it.
const YIELDS: i64 = 1 << 5;

fn allow_bits(allow: Allow) -> i64 {
    i64::from(allow.accept)
        | i64::from(allow.edit) << 1
        | i64::from(allow.respond) << 2
        | i64::from(allow.ignore) << 3
        | i64::from(allow.draft) << 4
}

/// JSON of what cannot fail to be JSON (strings and lists of strings); nothing where there is nothing.
fn text(value: &impl Serialize, empty: bool) -> Option<String> {
    if empty { None } else { serde_json::to_string(value).ok() }
}
