//! The tables of the database.

use crate::store::StoreError;
use rusqlite::Connection;

/// Marks the file as ours: `sayl` in ASCII.
pub(in crate::store) const APPLICATION_ID: i32 = 0x7361_796c;

/// The mark of files from before sayso was released; they have no log.
pub(in crate::store) const BEFORE_THE_LOG: i32 = 0x7361_7973;

/// The newest format this build knows.
pub const VERSION: i64 = 3;

/// The record: everything that happened, and where the log ends.
const LOG: &str = "
CREATE TABLE log (
    seq     INTEGER PRIMARY KEY,
    stream  INTEGER NOT NULL,  -- the entry its thread, grant or memory began with; 0 for whether all driving is paused
    kind    TEXT NOT NULL,
    ref     INTEGER,           -- the entry this one is about
    prev    INTEGER,           -- the stream's entry before it
    at      INTEGER NOT NULL,
    sum     BLOB,              -- SHA-256 of what follows, once that is gone
    chain   BLOB NOT NULL,     -- SHA-256 over the chain value before it, the columns above and the SHA-256 of what follows
    body    ANY,               -- JSON; packed where it is a blob
    steps   BLOB               -- the steps of a `stepped` entry, packed with the entries they repeat
) STRICT;
CREATE INDEX log_by_stream ON log (stream);
CREATE INDEX log_decided ON log (at) WHERE kind = 'decided';
CREATE INDEX log_grants ON log (kind) WHERE kind IN ('granted', 'revoked');

CREATE TABLE head (
    one    INTEGER PRIMARY KEY CHECK (one = 1),
    seq    INTEGER NOT NULL,
    chain  BLOB NOT NULL
) STRICT;
INSERT INTO head (one, seq, chain) VALUES (1, 0, zeroblob(32));
";

/// What lists and drivers read, made from the log.
pub(in crate::store) const PROJECTIONS: &str = "
CREATE TABLE threads (
    seq          INTEGER PRIMARY KEY,  -- the entry it began with
    id           TEXT NOT NULL UNIQUE,
    workflow     TEXT NOT NULL,
    fingerprint  TEXT NOT NULL,
    title        TEXT NOT NULL,
    status       TEXT NOT NULL,
    node         TEXT NOT NULL,     -- where it goes on
    awaits       TEXT NOT NULL,     -- nothing | answers | children: what becomes an update before it does
    steps        INTEGER NOT NULL,  -- how many there are, shared ones included
    step         INTEGER NOT NULL,  -- the entry of the last of them
    since        INTEGER NOT NULL,  -- the first entry whoever drives it has to read
    last         INTEGER NOT NULL,  -- its last entry
    version      INTEGER NOT NULL,  -- the last entry that a running node must not overlook
    steps_since_person INTEGER NOT NULL,
    step_limit   INTEGER NOT NULL,
    allowance    INTEGER NOT NULL,  -- how often its budget was granted
    unheard      INTEGER NOT NULL,  -- how much has reached it that it has not taken in
    parent       INTEGER,
    parent_step  INTEGER,
    child_key    TEXT,
    joined       INTEGER NOT NULL,  -- whether the parent waits for it
    origin       INTEGER,
    origin_step  INTEGER,           -- the last step it shares with the thread it was forked from
    output       TEXT,
    error_code   TEXT,
    error_text   TEXT,
    unread       INTEGER NOT NULL,
    hold_ms      INTEGER NOT NULL,
    held_at      INTEGER,
    created_at   INTEGER NOT NULL,
    updated_at   INTEGER NOT NULL,
    pruned_at    INTEGER            -- when its steps were let go of
) STRICT;
CREATE INDEX threads_by_status ON threads (status, seq);
CREATE INDEX threads_by_workflow ON threads (workflow, seq);
CREATE INDEX threads_by_parent ON threads (parent, seq) WHERE parent IS NOT NULL;
CREATE INDEX threads_by_origin ON threads (origin) WHERE origin IS NOT NULL;
CREATE INDEX threads_unread ON threads (seq) WHERE unread = 1;
CREATE INDEX threads_unheard ON threads (seq) WHERE unheard > 0;
-- However often it is asked, and by however many at once, there is one thread of a key.
CREATE UNIQUE INDEX threads_by_key ON threads (workflow, child_key) WHERE parent IS NULL AND child_key IS NOT NULL;

CREATE TABLE interrupts (
    seq            INTEGER PRIMARY KEY,  -- the entry that asked it
    id             TEXT NOT NULL UNIQUE,
    thread         INTEGER NOT NULL,
    step           INTEGER NOT NULL,
    kind           TEXT NOT NULL,
    action         TEXT NOT NULL,
    schema         INTEGER,           -- a blob, which many share
    allow          INTEGER NOT NULL,
    trouble        INTEGER NOT NULL,  -- asked by the engine about the thread itself
    status         TEXT NOT NULL,     -- open | decided | closed
    snoozed_until  INTEGER,
    waits          INTEGER,           -- how far the policy's clock was when its time began to run
    batch          TEXT,              -- what was decided together goes by one name
    stamp          INTEGER NOT NULL   -- the last entry that changed it
) STRICT;
-- Each index is one more page a turn has to write, so open and decided ones share theirs.
CREATE INDEX interrupts_live ON interrupts (seq) WHERE status <> 'closed';
CREATE INDEX interrupts_pending ON interrupts (thread) WHERE status <> 'closed';
CREATE INDEX interrupts_by_schema ON interrupts (schema) WHERE schema IS NOT NULL;
CREATE INDEX interrupts_by_batch ON interrupts (batch) WHERE batch IS NOT NULL;

CREATE TABLE effects (
    seq       INTEGER PRIMARY KEY,  -- the entry it began with
    thread    INTEGER NOT NULL,
    step      INTEGER NOT NULL,
    name      TEXT NOT NULL,
    state     TEXT NOT NULL,
    frozen    BLOB NOT NULL,        -- digest of a blob
    outcome   TEXT NOT NULL,
    begun_at  INTEGER NOT NULL,
    ended_at  INTEGER,
    UNIQUE (thread, step, name)
) STRICT;

CREATE TABLE grants (
    seq         INTEGER PRIMARY KEY,  -- the entry that gave it
    id          TEXT NOT NULL UNIQUE,
    tool        TEXT NOT NULL,
    scope       TEXT NOT NULL,        -- JSON: a thread, a sender, what a program does, or built in
    interrupt   TEXT,                 -- the card it was given from
    created_at  INTEGER NOT NULL,
    expires_at  INTEGER,
    revoked_at  INTEGER,
    used        INTEGER NOT NULL      -- how many questions it answered
) STRICT;
CREATE INDEX grants_in_force ON grants (tool) WHERE revoked_at IS NULL;

-- Which entry holds which version of a profile.
CREATE TABLE memory (
    seq        INTEGER PRIMARY KEY,
    stream     INTEGER NOT NULL,
    namespace  TEXT NOT NULL,
    version    INTEGER NOT NULL,
    thread     TEXT,                  -- the thread that taught it
    UNIQUE (namespace, version)
) STRICT;
CREATE INDEX memory_by_thread ON memory (thread) WHERE thread IS NOT NULL;

-- The last entry that paused all driving, or let it go on.
CREATE TABLE pauses (
    seq   INTEGER PRIMARY KEY CHECK (seq = 1),
    last  INTEGER NOT NULL
) STRICT;

-- Lines of a memory that no update may drop.
CREATE TABLE pins (
    seq        INTEGER PRIMARY KEY,
    namespace  TEXT NOT NULL,
    line       TEXT NOT NULL,
    UNIQUE (namespace, line)
) STRICT;
";

/// What is not in the log: rows with their own digests, and figures.
const SIDE: &str = "
CREATE TABLE calls (
    thread  INTEGER NOT NULL,
    step    INTEGER NOT NULL,
    name    TEXT NOT NULL,
    result  TEXT NOT NULL,
    digest  BLOB NOT NULL,
    PRIMARY KEY (thread, step, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE snapshots (
    thread  INTEGER PRIMARY KEY,
    step    INTEGER NOT NULL,       -- the entry of the last step folded into it
    chain   BLOB NOT NULL,          -- the chain value of that
    state   BLOB NOT NULL,          -- LZ4 of JSON
    digest  BLOB NOT NULL
) STRICT;

CREATE TABLE blobs (
    seq     INTEGER PRIMARY KEY,
    digest  BLOB NOT NULL UNIQUE,
    bytes   BLOB NOT NULL,
    size    INTEGER            -- how many bytes there are, where LZ4 made fewer of them
) STRICT;

CREATE TABLE drafts (
    key   TEXT PRIMARY KEY,
    text  TEXT NOT NULL,
    at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE spans (
    seq     INTEGER PRIMARY KEY,
    thread  INTEGER NOT NULL,
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

CREATE TABLE tallies (
    name    TEXT PRIMARY KEY,
    count   INTEGER NOT NULL,
    digest  BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE settings (
    name   TEXT PRIMARY KEY,
    value  TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX spans_by_thread ON spans (thread);
CREATE INDEX spans_by_time ON spans (at);

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
    thread        INTEGER,
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
    began_at    INTEGER NOT NULL,  -- when it was first looked at
    since       INTEGER NOT NULL,  -- mail that arrived before is none of ours
    phase       TEXT NOT NULL,     -- collecting | asking | taking | following
    thread      INTEGER,  -- the one that asks what to take at first
    cursor      TEXT,
    checked_at  INTEGER,
    ok_at       INTEGER,
    error       TEXT,
    receiver    TEXT,              -- what is known of the server that checks senders for it, as JSON
    digest      BLOB NOT NULL
) STRICT;

-- Whom the person knows: wrote to, noted, or had mail from before sayso looked. Others are first contacts.
CREATE TABLE contacts (
    address  TEXT PRIMARY KEY,
    sent_at  INTEGER            -- when they were last written to, if ever
) STRICT, WITHOUT ROWID;

-- What people the person knows are called, so that their names at other addresses are noticed.
CREATE TABLE names (
    address  TEXT PRIMARY KEY,
    name     TEXT NOT NULL      -- its words in lower case, sorted
) STRICT, WITHOUT ROWID;
CREATE INDEX names_by_name ON names (name);

-- Answers that something is to be learned from.
CREATE TABLE lessons (
    seq        INTEGER PRIMARY KEY,
    namespace  TEXT NOT NULL,
    cause      TEXT NOT NULL,
    thread     INTEGER NOT NULL,
    key        TEXT NOT NULL,       -- the interrupt, or the step: what a profile learns from once
    interrupt  TEXT,
    at         INTEGER NOT NULL,
    learner    INTEGER,  -- the thread that learns it
    digest     BLOB NOT NULL,
    UNIQUE (thread, namespace, key)
) STRICT;
CREATE INDEX lessons_open ON lessons (seq) WHERE learner IS NULL;
CREATE INDEX lessons_by_learner ON lessons (learner) WHERE learner IS NOT NULL;
CREATE INDEX mails_by_account ON mails (account, thread) WHERE thread IS NOT NULL;

-- The words of a model call, for people. They go with the call.
CREATE TABLE prompts (
    call    INTEGER PRIMARY KEY REFERENCES spans (seq) ON DELETE CASCADE,
    head    INTEGER NOT NULL REFERENCES blobs (seq),  -- what stands above the conversation; shared
    mail    INTEGER REFERENCES blobs (seq),           -- a mail of the thread, whose text `middle` repeats
    base    INTEGER,           -- an earlier call of the same thread, whose conversation begins and ends this one
    begins  INTEGER NOT NULL,  -- how many bytes of it at the beginning
    ends    INTEGER NOT NULL,  -- how many at the end
    middle  BLOB NOT NULL,     -- LZ4 of what is between
    answer  BLOB,              -- LZ4
    digest  BLOB NOT NULL      -- of the whole conversation
) STRICT;
CREATE INDEX prompts_by_head ON prompts (head);
CREATE INDEX prompts_by_mail ON prompts (mail) WHERE mail IS NOT NULL;

-- Bytes that a pruned thread named: they go, unless somebody else refers to them.
CREATE TABLE letting_go (
    digest  BLOB PRIMARY KEY
) STRICT, WITHOUT ROWID;

CREATE VIRTUAL TABLE words USING fts5 (text, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2');
";

/// The format of an open database.
pub(in crate::store) fn version(db: &Connection) -> Result<i64, StoreError> {
    Ok(db.query_row("PRAGMA user_version", [], |row| row.get(0))?)
}

/// Creates the tables of a new file.
pub(in crate::store) fn create(db: &Connection) -> Result<(), StoreError> {
    if version(db)? == VERSION {
        return Ok(());
    }
    db.execute_batch("BEGIN IMMEDIATE")?;
    let created = (|| {
        // Checked again under the lock, because another process may have been quicker.
        if version(db)? == 0 {
            db.execute_batch(LOG)?;
            db.execute_batch(PROJECTIONS)?;
            db.execute_batch(SIDE)?;
            db.execute_batch(&format!(
                "PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {VERSION}"
            ))?;
        }
        Ok::<_, StoreError>(())
    })();
    match created {
        Ok(()) => db.execute_batch("COMMIT")?,
        Err(error) => {
            let _ = db.execute_batch("ROLLBACK");
            return Err(error);
        }
    }
    // This puts the format into the header of the main file, where another sayso looks first.
    db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    Ok(())
}
