//! The tables, as a list of migrations that only ever grows.

use super::{StoreError, audit};
use rusqlite::Connection;

/// Marks the file as ours: `says` in ASCII.
pub(super) const APPLICATION_ID: i32 = 0x7361_7973;

/// The newest format this build knows.
pub const VERSION: i64 = MIGRATIONS.len() as i64;

/// Migration N takes a file from format N to N + 1. Never edit one that has been released; append.
const MIGRATIONS: &[&str] = &[FIRST, MAIL, LAPS, TIMED, KEYS, AUDIT, PROMPTS, PRUNE, WAITS, NARROW];

const FIRST: &str = "
CREATE TABLE threads (
    seq          INTEGER PRIMARY KEY,
    id           TEXT NOT NULL UNIQUE,
    workflow     TEXT NOT NULL,
    fingerprint  TEXT NOT NULL,
    title        TEXT NOT NULL,
    status       TEXT NOT NULL,
    node         TEXT NOT NULL,     -- where it goes on
    awaits       TEXT NOT NULL,     -- nothing | answers | children: what becomes an update before it does
    steps        INTEGER NOT NULL,  -- how many there are, shared ones included
    head         BLOB NOT NULL,     -- digest of the last of them
    version      INTEGER NOT NULL,  -- raised by everything a running node must not overlook
    alone        INTEGER NOT NULL,  -- steps since a person last said something
    step_limit   INTEGER NOT NULL,
    allowance    INTEGER NOT NULL,  -- how often its budget was granted
    effects      INTEGER NOT NULL,  -- how many it has begun, so that a missing row is noticed
    interrupts   INTEGER NOT NULL,  -- how many were ever asked, for the same reason
    decisions    INTEGER NOT NULL,  -- how many were ever taken on them
    parent       INTEGER REFERENCES threads (seq),
    parent_step  INTEGER,
    child_key    TEXT,
    joined       INTEGER NOT NULL,  -- whether the parent waits for it
    origin       INTEGER REFERENCES threads (seq),
    origin_step  INTEGER,           -- the last step it shares with the thread it was forked from
    output       TEXT,
    error_code   TEXT,
    error_text   TEXT,
    unread       INTEGER NOT NULL,
    hold_ms      INTEGER NOT NULL,
    held_at      INTEGER,
    created_at   INTEGER NOT NULL,
    updated_at   INTEGER NOT NULL,
    digest       BLOB NOT NULL
) STRICT;
CREATE INDEX threads_by_status ON threads (status, seq);
CREATE INDEX threads_by_parent ON threads (parent, seq) WHERE parent IS NOT NULL;
CREATE INDEX threads_unread ON threads (seq) WHERE unread = 1;

CREATE TABLE steps (
    seq      INTEGER PRIMARY KEY,
    thread   INTEGER NOT NULL REFERENCES threads (seq),
    n        INTEGER NOT NULL,
    node     TEXT NOT NULL,
    updates  TEXT NOT NULL,
    next     TEXT NOT NULL,
    at       INTEGER NOT NULL,
    digest   BLOB NOT NULL,         -- over this row and the digest of the step before it
    UNIQUE (thread, n)
) STRICT;

CREATE TABLE interrupts (
    seq           INTEGER PRIMARY KEY,
    id            TEXT NOT NULL UNIQUE,
    thread        INTEGER NOT NULL REFERENCES threads (seq),
    step          INTEGER NOT NULL,
    key           TEXT NOT NULL,
    kind          TEXT NOT NULL,
    action        TEXT NOT NULL,
    args          TEXT NOT NULL,
    schema        INTEGER REFERENCES blobs (seq),  -- schemas repeat
    allow         INTEGER NOT NULL,
    labels        TEXT,
    title         TEXT NOT NULL,
    gist          TEXT NOT NULL,
    warnings      TEXT,
    source        TEXT,
    irreversible  INTEGER NOT NULL,
    binds         TEXT,
    hash          BLOB NOT NULL,
    engine        INTEGER NOT NULL, -- asked by the engine (trouble), not by a node
    status        TEXT NOT NULL,    -- open | decided | closed
    closed_why    TEXT,
    created_at    INTEGER NOT NULL,
    snoozed_until INTEGER,
    digest        BLOB NOT NULL
) STRICT;
CREATE INDEX interrupts_open ON interrupts (seq) WHERE status = 'open';
CREATE INDEX interrupts_pending ON interrupts (thread) WHERE status <> 'closed';
CREATE INDEX interrupts_by_thread ON interrupts (thread);

CREATE TABLE decisions (
    seq        INTEGER PRIMARY KEY,
    interrupt  INTEGER NOT NULL REFERENCES interrupts (seq),
    type       TEXT NOT NULL,
    args       TEXT,
    learn      INTEGER NOT NULL,
    by         TEXT NOT NULL,
    hash       BLOB NOT NULL,       -- what was shown: the first half of the interrupt's hash
    at         INTEGER NOT NULL,
    undone_at  INTEGER,
    consumed   INTEGER NOT NULL,    -- the thread has acted on it; it cannot be undone any more
    executed   TEXT,
    digest     BLOB NOT NULL
) STRICT;
CREATE INDEX decisions_by_interrupt ON decisions (interrupt);

CREATE TABLE effects (
    seq       INTEGER PRIMARY KEY,
    thread    INTEGER NOT NULL REFERENCES threads (seq),
    step      INTEGER NOT NULL,
    name      TEXT NOT NULL,
    basis     TEXT NOT NULL,
    state     TEXT NOT NULL,
    frozen    BLOB NOT NULL,        -- digest of a blob
    outcome   TEXT NOT NULL,
    begun_at  INTEGER NOT NULL,
    ended_at  INTEGER,
    digest    BLOB NOT NULL,
    UNIQUE (thread, step, name)
) STRICT;

CREATE TABLE calls (
    thread  INTEGER NOT NULL REFERENCES threads (seq),
    step    INTEGER NOT NULL,
    name    TEXT NOT NULL,
    result  TEXT NOT NULL,
    digest  BLOB NOT NULL,
    PRIMARY KEY (thread, step, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE events (
    seq     INTEGER PRIMARY KEY,
    thread  INTEGER NOT NULL REFERENCES threads (seq),
    event   TEXT NOT NULL,
    at      INTEGER NOT NULL,
    digest  BLOB NOT NULL
) STRICT;
CREATE INDEX events_by_thread ON events (thread, seq);

CREATE TABLE snapshots (
    thread  INTEGER PRIMARY KEY REFERENCES threads (seq),
    steps   INTEGER NOT NULL,       -- how many are folded into it
    head    BLOB NOT NULL,          -- digest of the last of them
    state   BLOB NOT NULL,          -- LZ4 of JSON
    digest  BLOB NOT NULL
) STRICT;

CREATE TABLE blobs (
    seq     INTEGER PRIMARY KEY,
    digest  BLOB NOT NULL UNIQUE,
    bytes   BLOB NOT NULL
) STRICT;

CREATE TABLE memory (
    seq        INTEGER PRIMARY KEY,
    namespace  TEXT NOT NULL,
    version    INTEGER NOT NULL,
    profile    TEXT NOT NULL,
    cause      TEXT NOT NULL,
    at         INTEGER NOT NULL,
    digest     BLOB NOT NULL,       -- over this row and the digest of the version before it
    UNIQUE (namespace, version)
) STRICT;

-- What a screen needs: words begun and not sent, and what is decided but not acted on.
CREATE TABLE drafts (
    key   TEXT PRIMARY KEY,
    text  TEXT NOT NULL,
    at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX interrupts_decided ON interrupts (seq) WHERE status = 'decided';

-- What model calls took; for people and for budgets.
CREATE TABLE spans (
    seq     INTEGER PRIMARY KEY,
    thread  INTEGER NOT NULL REFERENCES threads (seq),
    step    INTEGER NOT NULL,
    task    TEXT NOT NULL,
    model   TEXT NOT NULL,
    at      INTEGER NOT NULL,
    ms      INTEGER NOT NULL,
    input   INTEGER NOT NULL,
    output  INTEGER NOT NULL,
    cached  INTEGER NOT NULL,
    cost    REAL,
    error   TEXT,
    counts  INTEGER NOT NULL
) STRICT;
CREATE INDEX spans_by_thread ON spans (thread);
CREATE INDEX spans_by_time ON spans (at);

-- How many of something there must be, so that rows that were taken away are missed.
CREATE TABLE tallies (
    name    TEXT PRIMARY KEY,
    count   INTEGER NOT NULL,
    digest  BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE settings (
    name   TEXT PRIMARY KEY,
    value  TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE VIRTUAL TABLE words USING fts5 (text, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2');
";

/// Mail, what is learned from answers, and grants.
const MAIL: &str = "
CREATE TABLE mails (
    seq           INTEGER PRIMARY KEY,
    identity      TEXT NOT NULL UNIQUE,  -- digest over account, Message-ID, From, Date and body
    account       TEXT NOT NULL,         -- empty for mail a person handed in
    message_id    TEXT,
    conversation  TEXT NOT NULL,
    sender        TEXT NOT NULL,
    subject       TEXT NOT NULL,
    sent_at       INTEGER,
    came_at       INTEGER NOT NULL,
    raw           BLOB NOT NULL,         -- digest of a blob
    place         TEXT NOT NULL,         -- where the mailbox keeps it
    state         TEXT NOT NULL,         -- asked | thread | left | unreadable
    thread        INTEGER REFERENCES threads (seq),
    class         TEXT,                  -- ignore | notify | respond
    reason        TEXT,
    outcome       TEXT,                  -- what became of it, once handled
    handled_at    INTEGER,
    digest        BLOB NOT NULL
) STRICT;
CREATE INDEX mails_by_conversation ON mails (account, conversation, seq);
CREATE INDEX mails_by_message ON mails (message_id) WHERE message_id IS NOT NULL;
CREATE INDEX mails_by_thread ON mails (thread) WHERE thread IS NOT NULL;
CREATE INDEX mails_by_sender ON mails (sender);
CREATE INDEX mails_skipped ON mails (seq) WHERE class = 'ignore';
CREATE INDEX mails_by_state ON mails (account, state, seq);

-- What mails say; it is put in with the mail, because what is kept of a mail are bytes that only a parser reads.
CREATE VIRTUAL TABLE mail_words USING fts5 (text, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2');

-- Where each mailbox was left off, and how it does.
CREATE TABLE sources (
    seq         INTEGER PRIMARY KEY,
    name        TEXT NOT NULL UNIQUE,
    since       INTEGER NOT NULL,  -- mail that arrived before is none of ours
    phase       TEXT NOT NULL,     -- collecting | asking | taking | following
    thread      INTEGER REFERENCES threads (seq),  -- the one that asks what to take at first
    cursor      TEXT,
    checked_at  INTEGER,
    ok_at       INTEGER,
    error       TEXT,
    digest      BLOB NOT NULL
) STRICT;

-- Whom the person knows; a sender who is in neither this nor `mails` is a first contact.
CREATE TABLE contacts (
    address  TEXT PRIMARY KEY,
    sent_at  INTEGER            -- when they were last written to, if ever
) STRICT, WITHOUT ROWID;

-- Answers that something is to be learned from.
CREATE TABLE lessons (
    seq        INTEGER PRIMARY KEY,
    namespace  TEXT NOT NULL,
    cause      TEXT NOT NULL,
    thread     INTEGER NOT NULL REFERENCES threads (seq),
    key        TEXT NOT NULL,       -- the interrupt, or the step: what a profile learns from once
    interrupt  TEXT,
    at         INTEGER NOT NULL,
    learner    INTEGER REFERENCES threads (seq),  -- the thread that learns it
    digest     BLOB NOT NULL,
    UNIQUE (thread, namespace, key)
) STRICT;
CREATE INDEX lessons_open ON lessons (seq) WHERE learner IS NULL;

-- Lines of a memory that no update may drop.
CREATE TABLE pins (
    namespace  TEXT NOT NULL,
    line       TEXT NOT NULL,
    at         INTEGER NOT NULL,
    digest     BLOB NOT NULL,
    PRIMARY KEY (namespace, line)
) STRICT, WITHOUT ROWID;

-- Permissions to act without asking. Built-in ones have a row once they were switched.
CREATE TABLE grants (
    seq         INTEGER PRIMARY KEY,
    id          TEXT NOT NULL UNIQUE,
    tool        TEXT NOT NULL,
    scope       TEXT NOT NULL,      -- JSON: a thread, a sender, or built in
    interrupt   TEXT,               -- the card it was given from
    created_at  INTEGER NOT NULL,
    expires_at  INTEGER,
    revoked_at  INTEGER,
    digest      BLOB NOT NULL
) STRICT;
CREATE INDEX grants_in_force ON grants (tool) WHERE revoked_at IS NULL;
-- What may be allowed from a card besides this once.
ALTER TABLE interrupts ADD COLUMN grantable TEXT;
-- What was decided together goes by one name.
ALTER TABLE decisions ADD COLUMN batch TEXT;
CREATE INDEX decisions_by_batch ON decisions (batch) WHERE batch IS NOT NULL;
";

/// What steps took.
const LAPS: &str = "
-- How long each step's node worked, for people.
CREATE TABLE laps (
    thread  INTEGER NOT NULL REFERENCES threads (seq),
    step    INTEGER NOT NULL,
    ms      INTEGER NOT NULL,
    PRIMARY KEY (thread, step)
) STRICT, WITHOUT ROWID;
";

/// What a step took stands in its own row, under its digest.
const TIMED: &str = "
DROP TABLE laps;
ALTER TABLE steps ADD COLUMN ms INTEGER;
";

/// Askers that name their question by a key of their own.
const KEYS: &str = "
-- However often it is asked, and by however many at once, there is one thread of a key.
CREATE UNIQUE INDEX threads_by_key ON threads (workflow, child_key) WHERE parent IS NULL AND child_key IS NOT NULL;
";

/// What was decided and done, chained.
const AUDIT: &str = "
CREATE TABLE audit (
    seq     INTEGER PRIMARY KEY,
    at      INTEGER NOT NULL,
    entry   TEXT NOT NULL,      -- JSON
    digest  BLOB NOT NULL       -- SHA-256 over this line and the digest of the line before it
) STRICT;
-- The last line, so that a cut end is noticed.
CREATE TABLE audit_head (
    one     INTEGER PRIMARY KEY CHECK (one = 1),
    n       INTEGER NOT NULL,
    last    BLOB NOT NULL,
    digest  BLOB NOT NULL
) STRICT;
";

/// What models were told and answered.
const PROMPTS: &str = "
-- The words of a model call, for people. They go with the call.
CREATE TABLE prompts (
    call    INTEGER PRIMARY KEY REFERENCES spans (seq) ON DELETE CASCADE,
    head    INTEGER NOT NULL REFERENCES blobs (seq),  -- what stands above the conversation, LZ4; shared
    base    INTEGER,           -- an earlier call of the same thread, whose conversation begins and ends this one
    begins  INTEGER NOT NULL,  -- how many bytes of it at the beginning
    ends    INTEGER NOT NULL,  -- how many at the end
    middle  BLOB NOT NULL,     -- LZ4 of what is between
    answer  BLOB,              -- LZ4
    digest  BLOB NOT NULL      -- of the whole conversation
) STRICT;
";

/// What pruning needs to know, and to find.
const PRUNE: &str = "
-- When its steps were let go of; what was asked, decided and done stays.
ALTER TABLE threads ADD COLUMN pruned_at INTEGER;
CREATE INDEX threads_by_origin ON threads (origin) WHERE origin IS NOT NULL;
CREATE INDEX lessons_by_learner ON lessons (learner) WHERE learner IS NOT NULL;
CREATE INDEX interrupts_by_schema ON interrupts (schema) WHERE schema IS NOT NULL;
CREATE INDEX memory_by_thread ON memory (json_extract(cause, '$.thread'));
CREATE INDEX prompts_by_head ON prompts (head);
CREATE INDEX decisions_by_time ON decisions (at);

-- Bytes that a pruned thread named: they go, unless somebody else refers to them.
CREATE TABLE letting_go (
    digest  BLOB PRIMARY KEY
) STRICT, WITHOUT ROWID;
";

/// What a policy for expiry needs to know.
const WAITS: &str = "
-- How far the policy's clock was when a question's time began to run.
ALTER TABLE interrupts ADD COLUMN waits INTEGER;
";

/// By which threads are narrowed.
const NARROW: &str = "
CREATE INDEX threads_by_workflow ON threads (workflow, seq);
CREATE INDEX mails_by_account ON mails (account, thread) WHERE thread IS NOT NULL;
";

/// The format of an open database.
pub(super) fn version(db: &Connection) -> Result<i64, StoreError> {
    Ok(db.query_row("PRAGMA user_version", [], |row| row.get(0))?)
}

/// Brings the file to the newest format, one migration a transaction.
pub(super) fn migrate(db: &Connection, now: i64) -> Result<(), StoreError> {
    if version(db)? == VERSION {
        return Ok(());
    }
    db.execute_batch("BEGIN IMMEDIATE")?;
    let migrated = (|| {
        // Looked at again under the lock: another process may have been quicker.
        let from = usize::try_from(version(db)?).unwrap_or(0);
        for sql in MIGRATIONS.iter().skip(from) {
            db.execute_batch(sql)?;
            if *sql == AUDIT {
                audit::begin(db, now)?;
            }
        }
        db.execute_batch(&format!(
            "PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {VERSION}"
        ))?;
        Ok::<_, StoreError>(())
    })();
    match migrated {
        Ok(()) => db.execute_batch("COMMIT")?,
        Err(error) => {
            let _ = db.execute_batch("ROLLBACK");
            return Err(error);
        }
    }
    // The format stands in the header of the main file from now on, where an older sayso looks first.
    db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    Ok(())
}
