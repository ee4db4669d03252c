//! The tables of the database.

use crate::engine::store::StoreError;
use crate::engine::store::rows;
use rusqlite::{Connection, Transaction, TransactionBehavior};

/// Marks the file as ours: `sayl` in ASCII.
pub const APPLICATION_ID: i32 = 0x7361_796c;

/// The mark of files from before sayso was released; they have no log.
pub const BEFORE_THE_LOG: i32 = 0x7361_7973;

/// The newest format this build knows.
pub const VERSION: i64 = 13;

/// The record: everything that happened.
const LOG: &str = "
CREATE TABLE log (
    seq     INTEGER PRIMARY KEY,
    stream  INTEGER NOT NULL,  -- the first entry of its thread, grant, memory or row; 0 for pausing all driving
    kind    TEXT NOT NULL,
    ref     INTEGER,           -- the entry this one is about
    prev    INTEGER,           -- the entry before it in its stream
    at      INTEGER NOT NULL,
    sum     BLOB,              -- SHA-256 of body and steps, once they were pruned
    chain   BLOB NOT NULL,     -- SHA-256 over the previous chain value, the columns above and the SHA-256 of body and steps
    body    ANY,               -- JSON; a blob is packed JSON
    steps   BLOB               -- the steps of a `stepped` entry, packed with the entries they repeat
) STRICT;
CREATE INDEX log_by_stream ON log (stream);
CREATE INDEX log_decided ON log (at) WHERE kind = 'decided';
CREATE INDEX log_actions ON log (at) WHERE kind IN ('corrected', 'snoozed');
CREATE INDEX log_grants ON log (kind) WHERE kind IN ('granted', 'revoked');
";

/// What lists and drivers read, made from the log.
pub const PROJECTIONS: &str = "
CREATE TABLE threads (
    seq          INTEGER PRIMARY KEY,  -- its first entry
    id           TEXT NOT NULL UNIQUE,
    workflow     TEXT NOT NULL,
    fingerprint  TEXT NOT NULL,
    title        TEXT NOT NULL,
    status       TEXT NOT NULL,
    node         TEXT NOT NULL,     -- the next node
    awaits       TEXT NOT NULL,     -- nothing | answers | children: what it takes in before the next node
    steps        INTEGER NOT NULL,  -- how many steps it has, including shared ones
    step         INTEGER NOT NULL,  -- the entry of its last step
    since        INTEGER NOT NULL,  -- the first entry the driver has to read
    last         INTEGER NOT NULL,  -- its last entry
    version      INTEGER NOT NULL,  -- the last entry that a running node must not miss
    steps_since_person INTEGER NOT NULL,
    step_limit   INTEGER NOT NULL,
    allowance    INTEGER NOT NULL,  -- how often its budget was granted
    by_person    INTEGER NOT NULL DEFAULT 0,  -- whether a person is in the model's place
    waiting_events      INTEGER NOT NULL,  -- how many events it has not taken in yet
    parent       INTEGER,
    parent_step  INTEGER,
    child_key    TEXT,
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
    pruned_at    INTEGER            -- when its steps were pruned
) STRICT;
CREATE INDEX threads_by_status ON threads (status, seq);
CREATE INDEX threads_by_workflow ON threads (workflow, seq);
CREATE INDEX threads_by_parent ON threads (parent, seq) WHERE parent IS NOT NULL;
CREATE INDEX threads_by_origin ON threads (origin) WHERE origin IS NOT NULL;
CREATE INDEX threads_unread ON threads (seq) WHERE unread = 1;
CREATE INDEX threads_waiting_events ON threads (seq) WHERE waiting_events > 0;
-- There is one thread per key, even if several callers start it at once.
CREATE UNIQUE INDEX threads_by_key ON threads (workflow, child_key) WHERE parent IS NULL AND child_key IS NOT NULL;

CREATE TABLE interrupts (
    seq            INTEGER PRIMARY KEY,  -- the entry that asked it
    id             TEXT NOT NULL UNIQUE,
    thread         INTEGER NOT NULL,
    step           INTEGER NOT NULL,
    kind           TEXT NOT NULL,
    action         TEXT NOT NULL,
    allow          INTEGER NOT NULL,
    trouble        INTEGER NOT NULL,  -- asked by the engine about the thread itself
    status         TEXT NOT NULL,     -- open | decided | closed
    snoozed_until  INTEGER,
    overdue        INTEGER,           -- when the policy first found it overdue
    batch          TEXT,              -- shared by questions that were decided together
    stamp          INTEGER NOT NULL,  -- the last entry that changed it
    hash           BLOB NOT NULL,     -- what a person approves with it
    irreversible   INTEGER NOT NULL,
    harmless       INTEGER NOT NULL,
    confirms       INTEGER NOT NULL,  -- one of its warnings needs a confirmation
    amended        INTEGER NOT NULL,  -- warnings were added since it was asked
    answer         INTEGER,           -- the entry of its current answer
    acted          INTEGER NOT NULL   -- an effect has begun since it was answered
) STRICT;
-- Each index costs every turn one more page to write, so there is one for all that are not closed.
CREATE INDEX interrupts_live ON interrupts (thread) WHERE status <> 'closed';
CREATE INDEX interrupts_by_batch ON interrupts (batch) WHERE batch IS NOT NULL;

CREATE TABLE effects (
    seq       INTEGER PRIMARY KEY,  -- its first entry
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
    revoked_at  INTEGER,
    used        INTEGER NOT NULL      -- how many questions it answered
) STRICT;
CREATE INDEX grants_in_force ON grants (tool) WHERE revoked_at IS NULL;

-- The entry of each version of a profile.
CREATE TABLE memory (
    seq        INTEGER PRIMARY KEY,
    stream     INTEGER NOT NULL,
    namespace  TEXT NOT NULL,
    version    INTEGER NOT NULL,
    thread     TEXT,                  -- the thread it was learned from
    UNIQUE (namespace, version)
) STRICT;
CREATE INDEX memory_by_thread ON memory (thread) WHERE thread IS NOT NULL;

-- What sayso does with mail by itself.
CREATE TABLE taught (
    seq   INTEGER PRIMARY KEY,   -- its first entry
    key   TEXT NOT NULL UNIQUE,  -- the mail it is about
    last  INTEGER NOT NULL,      -- its last entry
    asks  INTEGER NOT NULL,      -- whether a person is to be asked about it
    row   TEXT NOT NULL          -- JSON
) STRICT;

-- The last entry that paused or resumed all driving.
CREATE TABLE pauses (
    seq   INTEGER PRIMARY KEY CHECK (seq = 1),
    last  INTEGER NOT NULL
) STRICT;
";

/// What is not in the log.
const SIDE: &str = "
CREATE TABLE calls (
    thread  INTEGER NOT NULL,
    step    INTEGER NOT NULL,
    name    TEXT NOT NULL,
    result  TEXT NOT NULL,
    PRIMARY KEY (thread, step, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE snapshots (
    thread  INTEGER PRIMARY KEY,
    step    INTEGER NOT NULL,       -- the entry of the last step folded into it
    steps   INTEGER NOT NULL,       -- how many steps are
    state   BLOB NOT NULL,          -- LZ4 of JSON
    digest  BLOB NOT NULL
) STRICT;

CREATE TABLE blobs (
    seq     INTEGER PRIMARY KEY,
    digest  BLOB NOT NULL UNIQUE,
    bytes   BLOB NOT NULL,
    size    INTEGER            -- the uncompressed size, if compressed
) STRICT;

-- What the arguments of questions must fit.
CREATE TABLE schemas (
    seq   INTEGER PRIMARY KEY,
    text  TEXT NOT NULL UNIQUE
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
    state         TEXT NOT NULL,         -- asked | thread | sent | left | unreadable
    thread        INTEGER,
    class         TEXT,                  -- ignore | notify | respond
    reason        TEXT,
    outcome       TEXT,                  -- how it was handled
    handled_at    INTEGER,
    row           TEXT,                  -- the row of the memory that decided its class
    seen          INTEGER                -- whether its mailbox calls it read; null if that is not known
) STRICT;
CREATE INDEX mails_by_conversation ON mails (account, conversation, seq);
CREATE INDEX mails_by_message ON mails (message_id) WHERE message_id IS NOT NULL;
CREATE INDEX mails_by_thread ON mails (thread) WHERE thread IS NOT NULL;
CREATE INDEX mails_by_sender ON mails (sender);
CREATE INDEX mails_skipped ON mails (seq) WHERE class = 'ignore';
CREATE INDEX mails_by_row ON mails (row, seq) WHERE row IS NOT NULL;
CREATE INDEX mails_by_state ON mails (account, state, seq);

-- The text of mails. It is added with the mail, because the stored bytes can only be read by a parser.
CREATE VIRTUAL TABLE mail_words USING fts5 (text, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2');
-- Merging a little with every mail costs more than merging 64 pieces at once.
INSERT INTO mail_words (mail_words, rank) VALUES ('automerge', 0);
INSERT INTO mail_words (mail_words, rank) VALUES ('crisismerge', 64);

-- Where to continue with each mailbox, and whether it works.
CREATE TABLE sources (
    seq         INTEGER PRIMARY KEY,
    name        TEXT NOT NULL UNIQUE,
    began_at    INTEGER NOT NULL,  -- when it was first checked
    since       INTEGER NOT NULL,  -- mail that arrived before is not ours to handle
    phase       TEXT NOT NULL,     -- collecting | asking | taking | following
    thread      INTEGER,  -- the thread that asks what to take in at first
    checked_at  INTEGER,
    ok_at       INTEGER,
    error       TEXT,
    receiver    TEXT               -- what we know about the server that checks senders for it, as JSON
) STRICT;

-- What was fetched of each mailbox. That of a large Maildir takes a megabyte: too much to read for every mail.
CREATE TABLE cursors (
    source  INTEGER PRIMARY KEY,
    cursor  TEXT NOT NULL
) STRICT;

-- People the user wrote to, accepted mail from, or had mail from before sayso first looked. Everybody else is a first contact.
CREATE TABLE contacts (
    address  TEXT PRIMARY KEY,
    sent_at  INTEGER            -- when they were last written to, if ever
) STRICT, WITHOUT ROWID;
CREATE INDEX contacts_by_sent ON contacts (sent_at) WHERE sent_at IS NOT NULL;

-- Names of people the user knows, so that we notice them at other addresses.
CREATE TABLE names (
    address  TEXT PRIMARY KEY,
    name     TEXT NOT NULL      -- its words in lower case, sorted
) STRICT, WITHOUT ROWID;
CREATE INDEX names_by_name ON names (name);

-- Answers to learn from.
CREATE TABLE lessons (
    seq        INTEGER PRIMARY KEY,
    namespace  TEXT NOT NULL,
    cause      TEXT NOT NULL,       -- what happened, as JSON; empty once a thread has taken it
    thread     INTEGER NOT NULL,
    key        TEXT NOT NULL,       -- the interrupt, or the step; a profile learns from each once
    interrupt  TEXT,
    at         INTEGER NOT NULL,
    learner    INTEGER,  -- the thread that learns it
    UNIQUE (thread, namespace, key)
) STRICT;
CREATE INDEX lessons_open ON lessons (seq) WHERE learner IS NULL;
CREATE INDEX lessons_by_learner ON lessons (learner) WHERE learner IS NOT NULL;
CREATE INDEX mails_by_account ON mails (account, thread) WHERE thread IS NOT NULL;

-- What each model call was sent and answered, for people. Deleted with the call.
CREATE TABLE prompts (
    call    INTEGER PRIMARY KEY REFERENCES spans (seq) ON DELETE CASCADE,
    head    INTEGER NOT NULL REFERENCES blobs (seq),  -- instructions and tools above the conversation; shared
    mail    INTEGER REFERENCES blobs (seq),           -- a mail of the thread, whose text `middle` repeats
    base    INTEGER,           -- an earlier call of the thread whose conversation begins and ends like this one
    begins  INTEGER NOT NULL,  -- how many bytes they share at the beginning
    ends    INTEGER NOT NULL,  -- how many at the end
    middle  BLOB NOT NULL,     -- LZ4 of what is between
    answer  BLOB,              -- LZ4
    digest  BLOB NOT NULL      -- of the whole conversation
) STRICT;
CREATE INDEX prompts_by_head ON prompts (head);
CREATE INDEX prompts_by_mail ON prompts (mail) WHERE mail IS NOT NULL;

-- Blobs a pruned thread referred to. They are deleted unless something else refers to them.
CREATE TABLE letting_go (
    digest  BLOB PRIMARY KEY
) STRICT, WITHOUT ROWID;

CREATE VIRTUAL TABLE words USING fts5 (text, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2');
";

/// The format of an open database.
pub fn version(db: &Connection) -> Result<i64, StoreError> {
    rows::one(db, "PRAGMA user_version", [])
}

/// Creates the tables of a new file.
pub fn create(db: &Connection) -> Result<(), StoreError> {
    if version(db)? == VERSION {
        return Ok(());
    }
    let tx = Transaction::new_unchecked(db, TransactionBehavior::Immediate)?;
    // Checked again under the lock, because another process may have been quicker.
    if version(&tx)? == 0 {
        tx.execute_batch(LOG)?;
        tx.execute_batch(PROJECTIONS)?;
        tx.execute_batch(SIDE)?;
        tx.execute_batch(&format!(
            "PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {VERSION}"
        ))?;
    }
    tx.commit()?;
    // This puts the format into the header of the main file, where another sayso looks first.
    db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    Ok(())
}
