//! The one thread that writes.
//!
//! Jobs come through a queue. Those that arrive during one fsync share the next transaction, each in its own savepoint,
//! so that one lost compare-and-set does not hurt its neighbours. Callers get their results after COMMIT. A full disk
//! rolls back, and the caller may try again. A failed fsync stops the writer for good, because we cannot know what the
//! kernel dropped.
//!
//! It also notices what other processes write: that something changed, never what. Its connection is the only one in
//! this process that writes, so whatever SQLite tells it of others is theirs.

use crate::engine::store::StoreError;
use crate::engine::store::log::{Head, Memory, Tx};
use crate::engine::store::rows::{self, Moved};
use rusqlite::Connection;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant, SystemTime};
use tokio::sync::{broadcast, oneshot, watch};

/// At most this many jobs share a transaction, so that the first one does not wait long.
const MAX_GROUP: usize = 512;

/// The write-ahead log is merged into the main file when it exceeds this many pages.
const LOG_PAGES: i32 = 1000;

/// How often we look for what others have written; people do not notice shorter delays.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// Two writes this close together may look like one in the time of the file.
const COARSEST_TIME: Duration = Duration::from_secs(3);

/// Runs inside the transaction, or without one if it could not begin. Returns the result and whom to tell.
type Job = Box<dyn FnOnce(Option<&Tx<'_>>) -> (Result<(), StoreError>, OnCommit) + Send>;
/// Called once it is known whether the transaction was committed.
type OnCommit = Box<dyn FnOnce(Result<(), StoreError>) + Send>;

pub struct Writer {
    /// Jobs; nothing is a reason to look for what others have written.
    queue: Option<Sender<Option<Job>>>,
    watchers: Arc<AtomicUsize>,
    stopped: Arc<OnceLock<String>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

/// While one lives, we look for what other processes write.
#[derive(Debug)]
pub struct Watcher(Arc<AtomicUsize>);

impl Drop for Watcher {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Writer {
    pub fn start(
        mut db: Connection,
        changed: watch::Sender<u64>,
        moved: broadcast::Sender<Moved>,
        lock_wait: Duration,
    ) -> Result<Self, StoreError> {
        let (queue, jobs) = channel();
        let stopped = Arc::new(OnceLock::new());
        let log_pages = Arc::new(AtomicI32::new(0));
        let count = log_pages.clone();
        db.wal_hook(Some(move |_: &mut rusqlite::hooks::Wal, pages| {
            count.store(pages, Ordering::Relaxed);
            Ok(())
        }))?;
        let stopped_by = stopped.clone();
        let version = Cell::new(data_version(&db)?);
        let (head, memory) = (Cell::default(), Memory::default());
        let watchers = Arc::<AtomicUsize>::default();
        let log_file = LogFile::of(&db);
        let run = WriterLoop {
            db,
            log_file,
            log_pages,
            changed,
            moved,
            watchers: watchers.clone(),
            stopped: stopped_by,
            head,
            version,
            memory,
            lock_wait,
        };
        let thread = std::thread::Builder::new()
            .name("sayso-writer".to_owned())
            .spawn(move || run.run(&jobs))
            .map_err(|e| StoreError::Sql(format!("the writer could not be started: {e}")))?;
        Ok(Self { queue: Some(queue), watchers, stopped, thread: Some(thread) })
    }

    /// Looks for what other processes write until the watcher is dropped.
    pub fn watch(&self) -> Watcher {
        self.watchers.fetch_add(1, Ordering::SeqCst);
        if let Some(queue) = &self.queue {
            let _ = queue.send(None);
        }
        Watcher(self.watchers.clone())
    }

    /// Why the writer has stopped for good, if it has.
    pub fn stopped(&self) -> Option<String> {
        self.stopped.get().cloned()
    }

    /// Runs a job as of `now`, in milliseconds, and returns its result once it is on the disk.
    pub async fn write<T: Send + 'static>(
        &self,
        now: i64,
        job: impl FnOnce(&Tx<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (sender, reply) = oneshot::channel();
        self.send(now, job, move |result| {
            let _ = sender.send(result);
        });
        reply.await.unwrap_or_else(|_| Err(StoreError::Disk("the writer has ended".to_owned())))
    }

    pub fn write_later(
        &self,
        now: i64,
        job: impl FnOnce(&Tx<'_>) -> Result<(), StoreError> + Send + 'static,
    ) {
        self.send(now, job, |result| {
            if let Err(error) = result {
                tracing::debug!(%error, "a write nobody waits for was not made");
            }
        });
    }

    fn send<T: Send + 'static>(
        &self,
        now: i64,
        job: impl FnOnce(&Tx<'_>) -> Result<T, StoreError> + Send + 'static,
        tell: impl FnOnce(Result<T, StoreError>) + Send + 'static,
    ) {
        let job: Job = Box::new(move |tx| {
            let result = match tx {
                Some(tx) => {
                    tx.set_now(now);
                    catch_panic(tx, job)
                }
                None => Err(StoreError::Busy),
            };
            let outcome = result.as_ref().map(|_| ()).map_err(Clone::clone);
            let tell: OnCommit = Box::new(move |committed| tell(committed.and(result)));
            (outcome, tell)
        });
        if let Some(queue) = &self.queue {
            // If the writer has ended, the job is dropped and its caller notices the closed channel.
            let _ = queue.send(Some(job));
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.queue = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn catch_panic<T>(db: &Tx<'_>, job: impl FnOnce(&Tx<'_>) -> Result<T, StoreError>) -> Result<T, StoreError> {
    catch_unwind(AssertUnwindSafe(|| job(db)))
        .unwrap_or_else(|_| Err(StoreError::Sql("a write broke off; nothing was written".to_owned())))
}

struct WriterLoop {
    db: Connection,
    log_pages: Arc<AtomicI32>,
    changed: watch::Sender<u64>,
    moved: broadcast::Sender<Moved>,
    watchers: Arc<AtomicUsize>,
    stopped: Arc<OnceLock<String>>,
    /// Where the log ended after our last transaction, and SQLite's number for what others have written.
    head: Cell<Head>,
    version: Cell<i64>,
    log_file: LogFile,
    memory: Memory,
    lock_wait: Duration,
}

/// The file of the write-ahead log, which every writer changes. To look at it costs much less than to ask SQLite.
struct LogFile {
    path: PathBuf,
    /// Its size and time when we last looked, and since when they are these.
    seen: Cell<Option<(u64, SystemTime)>>,
    since: Cell<Instant>,
}

impl LogFile {
    fn of(db: &Connection) -> Self {
        let path = PathBuf::from(format!("{}-wal", db.path().unwrap_or_default()));
        Self { path, seen: Cell::default(), since: Cell::new(Instant::now()) }
    }

    /// Whether somebody may have written since the last look. A file that cannot be looked at says nothing.
    fn may_have_changed(&self) -> bool {
        let file = std::fs::metadata(&self.path).and_then(|file| Ok((file.len(), file.modified()?))).ok();
        if self.seen.replace(file) != file {
            self.since.set(Instant::now());
        }
        file.is_none() || self.since.get().elapsed() <= COARSEST_TIME
    }
}

impl WriterLoop {
    fn run(self, jobs: &Receiver<Option<Job>>) {
        loop {
            let next = match self.watchers.load(Ordering::SeqCst) {
                0 => jobs.recv().map_err(|_| RecvTimeoutError::Disconnected),
                _ => jobs.recv_timeout(LOOK_EVERY),
            };
            let first = match next {
                Ok(Some(first)) => first,
                Ok(None) | Err(RecvTimeoutError::Timeout) => {
                    // If it cannot be read now, we try again next time.
                    if self.log_file.may_have_changed() {
                        let _ = self.notice_others();
                    }
                    continue;
                }
                Err(RecvTimeoutError::Disconnected) => return,
            };
            let mut tell = Vec::new();
            let result = self.transaction(first, jobs, &mut tell);
            if let Err(StoreError::Disk(why)) = &result {
                let _ = self.stopped.set(why.clone());
            }
            let committed = result.is_ok();
            for tell in tell {
                tell(result.clone());
            }
            if committed {
                self.changed.send_modify(|count| *count += 1);
                self.checkpoint_wal();
            }
        }
    }

    fn transaction(
        &self,
        first: Job,
        jobs: &Receiver<Option<Job>>,
        tell: &mut Vec<OnCommit>,
    ) -> Result<(), StoreError> {
        let head = match self.begin() {
            Ok(head) => head,
            Err(error) => {
                if !self.db.is_autocommit() {
                    let _ = self.db.execute_batch("ROLLBACK");
                }
                tell.push(first(None).1);
                return Err(error);
            }
        };
        let tx = Tx::begin(&self.db, head, &self.memory);
        let done = self.group(&tx, first, jobs, tell).and_then(|()| {
            let head = tx.finish()?;
            self.execute("COMMIT")?;
            self.head.set(head);
            // Whoever waits for its job must find that the driver was told.
            let _ = self.moved.send(tx.what_moved());
            Ok(())
        });
        if done.is_err() {
            self.memory.forget();
            if !self.db.is_autocommit() {
                let _ = self.db.execute_batch("ROLLBACK");
            }
        }
        done
    }

    /// Runs the first job and all that have arrived meanwhile.
    fn group(
        &self,
        tx: &Tx<'_>,
        first: Job,
        jobs: &Receiver<Option<Job>>,
        tell: &mut Vec<OnCommit>,
    ) -> Result<(), StoreError> {
        let mut next = Some(first);
        let mut alone = true;
        while let Some(job) = next {
            // While the transaction is empty, we can roll back all of it and need no savepoint.
            if !alone {
                self.execute("SAVEPOINT job")?;
            }
            let before = tx.mark();
            let (outcome, notify) = job(Some(tx));
            tell.push(notify);
            match outcome {
                Ok(()) if alone => alone = false,
                Ok(()) => self.execute("RELEASE job")?,
                // After such an error, nothing before or after it in the transaction can be trusted.
                Err(error @ (StoreError::Disk(_) | StoreError::Full)) => return Err(error),
                Err(error) if self.db.is_autocommit() => return Err(error),
                Err(_) if alone => {
                    self.execute("ROLLBACK")?;
                    tx.go_back(before);
                    tx.set_head(self.begin()?);
                }
                Err(_) => {
                    self.execute("ROLLBACK TO job")?;
                    self.execute("RELEASE job")?;
                    tx.go_back(before);
                }
            }
            next = if tell.len() < MAX_GROUP { jobs.try_iter().flatten().next() } else { None };
        }
        Ok(())
    }

    /// Begins a transaction and returns where the log ends, if nobody else has written since we did.
    fn begin(&self) -> Result<Head, StoreError> {
        if let Some(why) = self.stopped.get() {
            return Err(StoreError::Disk(why.clone()));
        }
        let deadline = Instant::now() + self.lock_wait;
        loop {
            match self.execute("BEGIN IMMEDIATE") {
                Err(StoreError::Busy) if Instant::now() < deadline => {}
                Ok(()) => break,
                Err(error) => return Err(error),
            }
        }
        self.notice_others()?;
        Ok(self.head.get())
    }

    /// Forgets what we remember, and tells everybody, if another process has written since we last looked.
    fn notice_others(&self) -> Result<(), StoreError> {
        let version = data_version(&self.db)?;
        if self.version.replace(version) != version {
            self.head.set(Head { end: None, ..self.head.get() });
            self.memory.forget();
            let _ = self.moved.send(Moved::Any);
            self.changed.send_modify(|count| *count += 1);
        }
        Ok(())
    }

    fn execute(&self, sql: &str) -> Result<(), StoreError> {
        self.db.prepare_cached(sql)?.execute([])?;
        Ok(())
    }

    /// Merges the write-ahead log into the main file. SQLite's automatic checkpoint swallows a failed fsync; this one
    /// does not.
    fn checkpoint_wal(&self) {
        if self.log_pages.load(Ordering::Relaxed) < LOG_PAGES {
            return;
        }
        let folded = self.db.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
        if let Err(StoreError::Disk(why)) = folded.map_err(StoreError::from) {
            let _ = self.stopped.set(why);
        }
    }
}

/// SQLite's number for what other connections have written.
fn data_version(db: &Connection) -> Result<i64, StoreError> {
    rows::one(db, "PRAGMA data_version", [])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_file_that_nobody_writes_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x-wal");
        let log = LogFile { path: path.clone(), seen: Cell::default(), since: Cell::new(Instant::now()) };
        assert!(log.may_have_changed(), "it cannot be looked at");
        for text in ["one", "another"] {
            std::fs::write(&path, text).unwrap();
            assert!(log.may_have_changed(), "{text}");
            // A second write may have the same time.
            assert!(log.may_have_changed(), "{text}");
            let long_ago = Instant::now().checked_sub(2 * COARSEST_TIME);
            log.since.set(long_ago.unwrap());
            assert!(!log.may_have_changed(), "{text}");
        }
    }
}
