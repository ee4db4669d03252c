//! Bytes stored under their SHA-256: written once, compressed if that saves space, checked on every read.

use crate::engine::store::StoreError;
use crate::engine::store::rows::damaged;
use crate::text::hex;
use rusqlite::{Connection, OptionalExtension, Row, ToSql, params};
use sha2::{Digest, Sha256};

/// Bytes as they are stored. Make it before a transaction if there are many: all other writers wait for the one at
/// work.
pub struct Blob {
    digest: [u8; 32],
    bytes: Vec<u8>,
    /// The uncompressed size, if compressed.
    size: Option<i64>,
}

impl Blob {
    pub fn new(bytes: &[u8]) -> Self {
        let digest = Sha256::digest(bytes).into();
        let packed = lz4_flex::block::compress(bytes);
        if packed.len() < bytes.len() {
            Self { digest, bytes: packed, size: i64::try_from(bytes.len()).ok() }
        } else {
            Self { digest, bytes: bytes.to_vec(), size: None }
        }
    }

    fn insert(&self, db: &Connection) -> Result<i64, StoreError> {
        db.prepare_cached("INSERT INTO blobs (digest, bytes, size) VALUES (?, ?, ?)")?.execute(params![
            self.digest,
            self.bytes,
            self.size
        ])?;
        Ok(db.last_insert_rowid())
    }

    /// The bytes, checked against their digest.
    fn unpack(self) -> Result<Vec<u8>, StoreError> {
        let bytes = match self.size {
            None => Some(self.bytes),
            // A tampered row may name any size; LZ4 expands each byte to at most about this many.
            Some(size) => usize::try_from(size)
                .ok()
                .filter(|size| *size <= self.bytes.len().saturating_mul(256))
                .and_then(|size| {
                    lz4_flex::block::decompress(&self.bytes, size).ok().filter(|bytes| bytes.len() == size)
                }),
        };
        match bytes {
            Some(bytes) if Sha256::digest(&bytes)[..] == self.digest[..] => Ok(bytes),
            _ => damaged(format!("the content {} is not as it was written", name(&self.digest))),
        }
    }
}

/// Stores bytes, unless they are stored already. Returns their digest.
pub fn put(db: &Connection, blob: &Blob) -> Result<[u8; 32], StoreError> {
    if keep(db, &blob.digest)?.is_none() {
        blob.insert(db)?;
    }
    Ok(blob.digest)
}

/// The number of the bytes with this digest, if they are stored. They are not deleted from now on.
fn keep(db: &Connection, digest: &[u8; 32]) -> Result<Option<i64>, StoreError> {
    let sql = "SELECT seq, EXISTS (SELECT 1 FROM letting_go WHERE digest = ?1) FROM blobs WHERE digest = ?1";
    let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
    let Some((seq, to_delete)) = db.prepare_cached(sql)?.query_row([digest], read).optional()? else {
        return Ok(None);
    };
    if to_delete {
        cancel_deletion(db, digest)?;
    }
    Ok(Some(seq))
}

/// Returns the bytes with this digest.
pub fn get(db: &Connection, digest: &[u8; 32]) -> Result<Vec<u8>, StoreError> {
    match find(db, "digest = ?", digest)? {
        Some(blob) => blob.unpack(),
        None => damaged(format!("the content {} is missing", name(digest))),
    }
}

/// Stores bytes that many rows refer to. Returns their number, which is shorter than the digest.
pub fn put_shared(db: &Connection, bytes: &[u8]) -> Result<i64, StoreError> {
    match keep(db, &Sha256::digest(bytes).into())? {
        Some(seq) => Ok(seq),
        None => Blob::new(bytes).insert(db),
    }
}

/// Returns the bytes with this number.
pub fn get_shared(db: &Connection, seq: i64) -> Result<Vec<u8>, StoreError> {
    match find(db, "seq = ?", seq)? {
        Some(blob) => blob.unpack(),
        None => damaged(format!("content number {seq} is missing")),
    }
}

fn find(db: &Connection, which: &str, key: impl ToSql) -> Result<Option<Blob>, StoreError> {
    let sql = format!("SELECT digest, bytes, size FROM blobs WHERE {which}");
    let read = |row: &Row<'_>| Ok(Blob { digest: row.get(0)?, bytes: row.get(1)?, size: row.get(2)? });
    Ok(db.prepare_cached(&sql)?.query_row([key], read).optional()?)
}

fn name(digest: &[u8; 32]) -> String {
    hex(&digest[..6])
}

impl super::Store {
    /// Stores bytes and returns their digest.
    pub async fn put_blob(&self, bytes: Vec<u8>) -> Result<[u8; 32], StoreError> {
        let blob = Blob::new(&bytes);
        self.write(move |db| put(db, &blob)).await
    }

    /// Returns the bytes with this digest.
    pub fn blob(&self, digest: &[u8; 32]) -> Result<Vec<u8>, StoreError> {
        self.read(|db| get(db, digest))
    }
}

/// Takes a digest off the list of blobs to delete.
pub fn cancel_deletion(db: &Connection, digest: &[u8; 32]) -> Result<(), StoreError> {
    db.prepare_cached("DELETE FROM letting_go WHERE digest = ?")?.execute([digest])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::store::Store;

    #[test]
    fn bytes_come_back_as_they_were_and_changed_ones_are_named() {
        let folder = tempfile::tempdir().unwrap();
        drop(Store::open(folder.path()).unwrap());
        let db = Connection::open(folder.path().join(crate::engine::store::FILE)).unwrap();
        let noise: Vec<u8> = (0..2_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        let text = "the same words again ".repeat(200).into_bytes();
        for bytes in [text.as_slice(), &noise, b"", b"x"] {
            let digest = put(&db, &Blob::new(bytes)).unwrap();
            assert_eq!(get(&db, &digest).unwrap(), bytes);
            let number = put_shared(&db, bytes).unwrap();
            assert_eq!(get_shared(&db, number).unwrap(), bytes);
        }
        let digest = put(&db, &Blob::new(&text)).unwrap();
        let sizes = "SELECT octet_length(bytes), size FROM blobs WHERE digest = ?";
        let (packed_size, size): (i64, i64) =
            db.query_row(sizes, [digest], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        assert!(packed_size * 10 < size, "{packed_size} of {size}");
        for forged in ["size + 1", "1", "-1", "9223372036854775807", "NULL"] {
            db.execute(&format!("UPDATE blobs SET size = {forged} WHERE digest = ?"), [digest]).unwrap();
            assert!(matches!(get(&db, &digest), Err(StoreError::Damaged(_))), "{forged}");
        }
    }
}
