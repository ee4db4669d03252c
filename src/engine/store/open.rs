//! Opening the file, and the two ways in: reading and writing.

use crate::engine::store::StoreError;
use crate::engine::store::log::Tx;
use crate::engine::store::rows::Moved;
use crate::engine::store::schema::{self, APPLICATION_ID, BEFORE_THE_LOG, VERSION};
use crate::engine::store::writer::{Watcher, Writer};
use crate::text::{io_error_text, read_error_text};
use jiff::Timestamp;
use rusqlite::config::DbConfig;
use rusqlite::trace::{TraceEvent, TraceEventCodes};
use rusqlite::{Connection, OpenFlags};
use std::fs;
use std::io::{ErrorKind, Read};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{broadcast, watch};
use tracing::Level;

/// The name of the database file in a data folder.
pub const FILE: &str = "sayso.db";

/// How long a write waits for other processes that have the database locked: each may hold the lock during its fsync,
/// and many may queue for it.
pub const LOCK_WAIT: Duration = Duration::from_secs(30);

/// The longest wait for a lock in one attempt, and of a read.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// How many transactions the driver may fall behind.
const MOVED: usize = 256;

/// The wall clock. It labels rows and wakes snoozed items; it never orders anything.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// Whether the store can be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mode {
    ReadWrite,
    /// Not writable, for this reason.
    ViewOnly(String),
}

/// An open database. Cloning it is cheap, and all clones share one writer.
#[derive(Clone)]
pub struct Store(Arc<Inner>);

struct Inner {
    folder: PathBuf,
    uri: String,
    readers: Mutex<Vec<Connection>>,
    /// Where nothing can be written, it only notices what others write.
    writer: Writer,
    view_only: Option<String>,
    changed: watch::Sender<u64>,
    moved: broadcast::Sender<Moved>,
    clock: Clock,
    lock_wait: Duration,
}

impl Store {
    /// Opens the database in `folder`, creating both if they are missing.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        Self::open_with(folder, Arc::new(Timestamp::now))
    }

    /// The same with another clock.
    pub fn open_with(folder: &Path, clock: Clock) -> Result<Self, StoreError> {
        Self::open_in(folder, clock, LOCK_WAIT)
    }

    /// Like `open`, waiting at most so long for another process that has the database locked.
    pub fn open_waiting(folder: &Path, lock_wait: Duration) -> Result<Self, StoreError> {
        Self::open_in(folder, Arc::new(Timestamp::now), lock_wait)
    }

    fn open_in(folder: &Path, clock: Clock, lock_wait: Duration) -> Result<Self, StoreError> {
        let path = folder.join(FILE);
        if folder.is_file() {
            return Err(StoreError::NotAFolder(folder.to_owned()));
        }
        match make_private(folder, &path) {
            Ok(()) => {}
            Err(error) if path.exists() => {
                return Self::open_view_only(folder, &path, clock, lock_wait, io_error_text(&error));
            }
            Err(error) => {
                return Err(StoreError::ViewOnly(format!(
                    "{} cannot be made: {}",
                    path.display(),
                    io_error_text(&error)
                )));
            }
        }
        check_header(&path)?;
        let db = match open_writer(&path, lock_wait) {
            Ok(db) => db,
            // SQLite needs room beside the file even to read it as a writer does.
            Err(StoreError::Full) => {
                let why = "the disk is full".to_owned();
                return Self::open_view_only(folder, &path, clock, lock_wait, why);
            }
            Err(error) => return Err(error),
        };
        let (changed, _) = watch::channel(0);
        let (moved, _) = broadcast::channel(MOVED);
        let writer = Writer::start(db, changed.clone(), moved.clone(), lock_wait)?;
        Ok(Self(Arc::new(Inner {
            folder: folder.to_owned(),
            uri: uri(&path, "mode=ro"),
            readers: Mutex::default(),
            writer,
            view_only: None,
            changed,
            moved,
            clock,
            lock_wait,
        })))
    }

    fn open_view_only(
        folder: &Path,
        path: &Path,
        clock: Clock,
        lock_wait: Duration,
        why: String,
    ) -> Result<Self, StoreError> {
        check_header(path)?;
        // Without a write-ahead log, the file is complete and cannot change. With one, SQLite needs its neighbouring
        // files and may still be able to read them.
        let log = fs::metadata(path.with_extension("db-wal")).map(|meta| meta.len()).unwrap_or(0);
        let uri = uri(path, if log == 0 { "mode=ro&immutable=1" } else { "mode=ro" });
        let (changed, moved) = (watch::channel(0).0, broadcast::channel(MOVED).0);
        let db = connect(&uri, lock_wait)?;
        let inner = Inner {
            folder: folder.to_owned(),
            uri,
            readers: Mutex::default(),
            writer: Writer::start(db, changed.clone(), moved.clone(), lock_wait)?,
            view_only: Some(format!("{} cannot be written: {why}", folder.display())),
            changed,
            moved,
            clock,
            lock_wait,
        };
        let store = Self(Arc::new(inner));
        match (store.read(schema::version)?, store.mode()) {
            (0, Mode::ViewOnly(why)) => Err(StoreError::ViewOnly(why)),
            _ => Ok(store),
        }
    }

    /// The data folder.
    pub fn folder(&self) -> &Path {
        &self.0.folder
    }

    /// The database file.
    pub(in crate::engine::store) fn path(&self) -> PathBuf {
        self.0.folder.join(FILE)
    }

    /// Whether the store can be written, and if not, why.
    pub fn mode(&self) -> Mode {
        match self.0.view_only.clone().or(self.0.writer.stopped()) {
            Some(why) => Mode::ViewOnly(why),
            None => Mode::ReadWrite,
        }
    }

    /// The current time by the store's clock.
    pub fn now(&self) -> Timestamp {
        (self.0.clock)()
    }

    pub(in crate::engine::store) fn now_ms(&self) -> i64 {
        self.now().as_millisecond()
    }

    /// Changes whenever this process has written; a [`Watcher`] adds writes by other processes.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.0.changed.subscribe()
    }

    /// The threads that change from now on, for the driver. Whoever falls behind has to look at all of them.
    pub fn moved_threads(&self) -> broadcast::Receiver<Moved> {
        self.0.moved.subscribe()
    }

    /// Watches for writes by other processes until the watcher is dropped.
    pub fn watch_others(&self) -> Watcher {
        self.0.writer.watch()
    }

    /// Reads a consistent snapshot on a separate connection.
    pub(in crate::engine::store) fn read<T>(
        &self,
        job: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let pooled = self.0.readers.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let db = match pooled {
            Some(db) => db,
            None => connect(&self.0.uri, self.0.lock_wait)?,
        };
        db.prepare_cached("BEGIN")?.execute([])?;
        let result = job(&db);
        db.prepare_cached("COMMIT")?.execute([])?;
        self.0.readers.lock().unwrap_or_else(PoisonError::into_inner).push(db);
        result
    }

    /// Writes: `job` runs in the next transaction, alone or with others, and the result is returned after its COMMIT.
    pub(in crate::engine::store) async fn write<T: Send + 'static>(
        &self,
        job: impl FnOnce(&Tx<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        match self.mode() {
            Mode::ReadWrite => self.0.writer.write(self.now_ms(), job).await,
            Mode::ViewOnly(why) => Err(StoreError::ViewOnly(why)),
        }
    }

    /// Waits until everything written so far, waited for or not, is on the disk.
    pub async fn flush(&self) -> Result<(), StoreError> {
        self.write(|_| Ok(())).await
    }

    /// Writes without waiting. The result is not reported.
    pub(in crate::engine::store) fn write_later(
        &self,
        job: impl FnOnce(&Tx<'_>) -> Result<(), StoreError> + Send + 'static,
    ) {
        if self.0.view_only.is_none() {
            self.0.writer.write_later(self.now_ms(), job);
        }
    }
}

/// A connection that only reads.
fn connect(uri: &str, lock_wait: Duration) -> Result<Connection, StoreError> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut db = Connection::open_with_flags(uri, flags)?;
    tune(&mut db)?;
    db.busy_timeout(lock_wait.min(BUSY_TIMEOUT))?;
    // Several connections are open at once, so caches are small; the OS caches the rest.
    db.execute_batch("PRAGMA query_only = 1; PRAGMA cache_size = -512")?;
    Ok(db)
}

/// Statements are prepared once; without the stability guarantee, SQLite would plan them again for every new value.
fn tune(db: &mut Connection) -> Result<(), StoreError> {
    db.set_prepared_statement_cache_capacity(128);
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    if tracing::enabled!(Level::TRACE) {
        // Values are left out, so that nobody's mail ends up in a log.
        let log_statement = |event: TraceEvent<'_>| {
            if let TraceEvent::Stmt(_, sql) = event {
                tracing::trace!(sql);
            }
        };
        db.trace_v2(TraceEventCodes::SQLITE_TRACE_STMT, Some(log_statement))?;
    }
    Ok(())
}

/// A connection that writes, to a file with all tables.
fn open_writer(path: &Path, lock_wait: Duration) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut db = Connection::open_with_flags(path, flags)?;
    let busy_timeout = lock_wait.min(BUSY_TIMEOUT);
    db.busy_timeout(busy_timeout)?;
    // A newer format may so far exist only in the write-ahead log. Refusing it must not write it into the file.
    let version = schema::version(&db)?;
    if version > VERSION {
        db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        return Err(StoreError::Newer { path: path.to_owned(), found: version, known: VERSION });
    }
    tune(&mut db)?;
    enable_wal(&db, busy_timeout)?;
    db.execute_batch(
        "PRAGMA synchronous = FULL;
         PRAGMA foreign_keys = ON;
         PRAGMA wal_autocheckpoint = 0;
         PRAGMA temp_store = MEMORY;",
    )?;
    schema::create(&db)?;
    Ok(db)
}

/// Switches the file to a write-ahead log. SQLite does not wait if another process does the same at this moment, as may
/// happen in a new folder, so we retry for as long as the busy timeout elsewhere.
fn enable_wal(db: &Connection, busy_timeout: Duration) -> Result<(), StoreError> {
    let deadline = Instant::now() + busy_timeout;
    loop {
        match db.execute_batch("PRAGMA journal_mode = WAL").map_err(StoreError::from) {
            Err(StoreError::Busy) if Instant::now() < deadline => {
                std::thread::sleep(Duration::from_millis(5));
            }
            done => return done,
        }
    }
}

/// Creates the folder with mode 0700 and the file with 0600; existing ones keep their modes.
fn make_private(folder: &Path, path: &Path) -> std::io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let mut options = fs::OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false).mode(0o600);
    options.open(path)?;
    // SQLite writes its log next to the file, so the folder must accept new files too.
    let probe = folder.join(format!(".probe-{}", std::process::id()));
    options.open(&probe)?;
    match fs::remove_file(probe) {
        // Somebody else in this process opens the folder, too.
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

const NEVER_RELEASED: &str = "it was made by a sayso that was never released";

/// Refuses files that are not ours or are newer, before SQLite touches a byte.
fn check_header(path: &Path) -> Result<(), StoreError> {
    let not_ours = |why: &str| StoreError::NotOurs { path: path.to_owned(), why: why.to_owned() };
    let mut header = Vec::new();
    let file = fs::File::open(path)
        .map_err(|e| StoreError::ViewOnly(format!("{}: {}", path.display(), read_error_text(&e))))?;
    file.take(100).read_to_end(&mut header).map_err(|e| StoreError::Disk(e.to_string()))?;
    if header.is_empty() {
        return Ok(());
    }
    let word = |at: usize| header.get(at..at + 4).map(|b| i32::from_be_bytes([b[0], b[1], b[2], b[3]]));
    if !header.starts_with(b"SQLite format 3\0") {
        return Err(not_ours("it does not begin like an SQLite file"));
    }
    match (word(68), word(60)) {
        (Some(APPLICATION_ID), Some(found)) if i64::from(found) > VERSION => {
            Err(StoreError::Newer { path: path.to_owned(), found: i64::from(found), known: VERSION })
        }
        (Some(APPLICATION_ID), Some(found)) if found > 0 && i64::from(found) < VERSION => {
            Err(not_ours(NEVER_RELEASED))
        }
        (Some(BEFORE_THE_LOG), Some(_)) => Err(not_ours(NEVER_RELEASED)),
        // 0, 0 means that the tables have not reached the main file yet.
        (Some(APPLICATION_ID), Some(_)) | (Some(0), Some(0)) => Ok(()),
        (Some(_), Some(_)) => Err(not_ours("it belongs to another program")),
        _ => Err(not_ours("its header is cut short")),
    }
}

fn uri(path: &Path, query: &str) -> String {
    let mut out = String::from("file:");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'?' | b'#' | b'%' => out.push_str(&format!("%{byte:02x}")),
            other if other.is_ascii() => out.push(char::from(*other)),
            other => out.push_str(&format!("%{other:02x}")),
        }
    }
    out.push('?');
    out.push_str(query);
    out
}
