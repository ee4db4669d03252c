//! How much disk space the file takes, and giving back what it does not need.

use crate::engine::store::rows;
use crate::engine::store::{Statistics, StoreError};
use crate::inbox::{Storage, TableSize};
use rusqlite::{Connection, OpenFlags};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The result of a vacuum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Vacuum {
    Done,
    /// A copy of the file has to fit on the disk first, and does not.
    NoRoom {
        place: PathBuf,
        /// How many bytes the copy takes.
        needs: u64,
        /// How many bytes are free.
        free: u64,
    },
}

impl Statistics<'_> {
    /// Storage by table. It reads the whole file, so call it only on request.
    pub fn storage(self) -> Result<Storage, StoreError> {
        let mut storage = self.0.read(|db| {
            let (_, page, free) = pages(db)?;
            Ok(Storage { file: 0, free: free * page, tables: tables(db)? })
        })?;
        storage.file = self.file_bytes();
        Ok(storage)
    }

    /// The size of the file with its write-ahead log.
    pub fn file_bytes(self) -> u64 {
        let path = self.0.path();
        let size = |path: &Path| std::fs::metadata(path).map(|meta| meta.len()).unwrap_or(0);
        size(&path) + size(&path.with_extension("db-wal"))
    }

    /// Rewrites the file without its gaps. Others can read meanwhile; writers wait.
    pub async fn vacuum(self) -> Result<Vacuum, StoreError> {
        // Pending writes go first, and a view-only store returns its error here.
        self.0.flush().await?;
        let (path, folder) = (self.0.path(), self.0.folder().to_owned());
        match tokio::task::spawn_blocking(move || vacuum(&path, &folder)).await {
            Ok(done) => done,
            Err(_) => Err(StoreError::Sql("the vacuum broke off; the file is as it was".to_owned())),
        }
    }
}

/// The number of pages, the size of one, and how many are free.
fn pages(db: &Connection) -> Result<(u64, u64, u64), StoreError> {
    let pragma = |name: &str| -> Result<u64, StoreError> {
        Ok(rows::one::<i64>(db, &format!("PRAGMA {name}"), [])?.unsigned_abs())
    };
    Ok((pragma("page_count")?, pragma("page_size")?, pragma("freelist_count")?))
}

fn tables(db: &Connection) -> Result<Vec<TableSize>, StoreError> {
    let mut owner: HashMap<String, String> = HashMap::new();
    let mut statement =
        db.prepare("SELECT name, tbl_name, sql FROM sqlite_schema WHERE type IN ('table', 'index')")?;
    let mut rows = statement.query([])?;
    let mut sizes: Vec<TableSize> = Vec::new();
    let mut virtuals: Vec<String> = Vec::new();
    while let Some(row) = rows.next()? {
        let (name, table, sql): (String, String, Option<String>) = (row.get(0)?, row.get(1)?, row.get(2)?);
        if name == table && sql.is_some_and(|sql| sql.starts_with("CREATE VIRTUAL")) {
            virtuals.push(name.clone());
        }
        owner.insert(name, table);
    }
    // A full-text index keeps its data in tables named after it.
    let of = |table: &str| -> String {
        let index = virtuals
            .iter()
            .find(|name| table.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with('_')));
        index.cloned().unwrap_or_else(|| table.to_owned())
    };
    let mut statement = db.prepare("SELECT name, pgsize FROM dbstat WHERE aggregate = TRUE")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (name, bytes): (String, i64) = (row.get(0)?, row.get(1)?);
        let table = of(owner.get(&name).map_or(name.as_str(), String::as_str));
        match sizes.iter_mut().find(|size| size.table == table) {
            Some(size) => size.bytes += bytes.unsigned_abs(),
            None => sizes.push(TableSize { table, rows: 0, bytes: bytes.unsigned_abs() }),
        }
    }
    for size in &mut sizes {
        // A full-text index has no rows to count, so we count its documents.
        let counted = if virtuals.contains(&size.table) {
            format!("{}_docsize", size.table)
        } else {
            size.table.clone()
        };
        let sql = format!("SELECT count(*) FROM \"{}\"", counted.replace('"', ""));
        size.rows = rows::one::<i64>(db, &sql, [])?.unsigned_abs();
    }
    sizes.sort_by(|a, b| b.bytes.cmp(&a.bytes).then_with(|| a.table.cmp(&b.table)));
    Ok(sizes)
}

fn vacuum(path: &Path, folder: &Path) -> Result<Vacuum, StoreError> {
    let db = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    db.busy_timeout(Duration::from_secs(10))?;
    db.execute_batch("PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0; PRAGMA temp_store = FILE")?;
    // Deleted words leave the index only when its parts are merged.
    db.execute_batch(
        "INSERT INTO words (words) VALUES ('optimize'); INSERT INTO mail_words (mail_words) VALUES ('optimize')",
    )?;
    let (count, size, free) = pages(&db)?;
    let live = count.saturating_sub(free) * size;
    // The copy is made with SQLite's other temporary files, then goes through the write-ahead log.
    for (place, needs) in [(folder.to_owned(), live * 2), (temporary(), live)] {
        if let Some(free) = room(&place)
            && free < needs
        {
            return Ok(Vacuum::NoRoom { place, needs, free });
        }
    }
    db.execute_batch("VACUUM")?;
    db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    Ok(Vacuum::Done)
}

/// Where SQLite puts temporary files: the first of these that exists.
fn temporary() -> PathBuf {
    let named = ["SQLITE_TMPDIR", "TMPDIR"].into_iter().filter_map(std::env::var_os).map(PathBuf::from);
    let usual = ["/var/tmp", "/usr/tmp", "/tmp"].map(PathBuf::from);
    named.chain(usual).find(|place| place.is_dir()).unwrap_or_else(std::env::temp_dir)
}

fn room(place: &Path) -> Option<u64> {
    let stats = rustix::fs::statvfs(place).ok()?;
    Some(stats.f_bavail.saturating_mul(stats.f_frsize))
}
