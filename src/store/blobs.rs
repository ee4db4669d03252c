//! Bytes by their own SHA-256: written once, checked whenever read.

use crate::store::StoreError;
use crate::store::rows::damaged;
use crate::text::hex;
use rusqlite::{Connection, OptionalExtension, params};
use sha2::{Digest, Sha256};

/// Keeps bytes, unless they are kept already.
pub(in crate::store) fn put(db: &Connection, bytes: &[u8]) -> Result<[u8; 32], StoreError> {
    let digest: [u8; 32] = Sha256::digest(bytes).into();
    db.prepare_cached("INSERT INTO blobs (digest, bytes) VALUES (?, ?) ON CONFLICT DO NOTHING")?
        .execute(params![digest, bytes])?;
    hold_on(db, &digest)?;
    Ok(digest)
}

/// The bytes of a digest.
pub(in crate::store) fn get(db: &Connection, digest: &[u8; 32]) -> Result<Vec<u8>, StoreError> {
    let found: Option<Vec<u8>> = db
        .prepare_cached("SELECT bytes FROM blobs WHERE digest = ?")?
        .query_row([digest], |row| row.get(0))
        .optional()?;
    match found {
        None => damaged(format!("the content {} is missing", name(digest))),
        Some(bytes) => checked(bytes, digest),
    }
}

fn checked(bytes: Vec<u8>, digest: &[u8; 32]) -> Result<Vec<u8>, StoreError> {
    if Sha256::digest(&bytes)[..] == digest[..] {
        Ok(bytes)
    } else {
        damaged(format!("the content {} is not as it was written", name(digest)))
    }
}

fn name(digest: &[u8; 32]) -> String {
    hex(&digest[..6])
}

/// Keeps bytes that many rows point at, and gives their number, which is shorter than their digest.
pub(in crate::store) fn put_shared(db: &Connection, bytes: &[u8]) -> Result<i64, StoreError> {
    let digest: [u8; 32] = Sha256::digest(bytes).into();
    let known = "SELECT seq FROM blobs WHERE digest = ?";
    if let Some(seq) = db.prepare_cached(known)?.query_row([digest], |row| row.get(0)).optional()? {
        hold_on(db, &digest)?;
        return Ok(seq);
    }
    put(db, bytes)?;
    Ok(db.last_insert_rowid())
}

/// The bytes of a number.
pub(in crate::store) fn get_shared(db: &Connection, seq: i64) -> Result<Vec<u8>, StoreError> {
    let found: Option<([u8; 32], Vec<u8>)> = db
        .prepare_cached("SELECT digest, bytes FROM blobs WHERE seq = ?")?
        .query_row([seq], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    match found {
        Some((digest, bytes)) => checked(bytes, &digest),
        None => damaged(format!("content number {seq} is missing")),
    }
}

impl super::Store {
    /// Keeps bytes and gives their digest.
    pub async fn put_blob(&self, bytes: Vec<u8>) -> Result<[u8; 32], StoreError> {
        self.write(move |db| put(db, &bytes)).await
    }

    /// The bytes of a digest.
    pub fn blob(&self, digest: &[u8; 32]) -> Result<Vec<u8>, StoreError> {
        self.read(|db| get(db, digest))
    }
}

/// Takes a digest off the list.
pub(in crate::store) fn hold_on(db: &Connection, digest: &[u8; 32]) -> Result<(), StoreError> {
    db.prepare_cached("DELETE FROM letting_go WHERE digest = ?")?.execute([digest])?;
    Ok(())
}
