//! Digests of rows. SQLite has no page checksums, and its integrity check misses most bit flips.

use rusqlite::ToSql;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef};
use sha2::{Digest as _, Sha256};
use std::fmt;

/// The digest of a row: the first half of a SHA-256, enough to catch accidental damage.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Digest([u8; 16]);

impl Digest {
    /// The bytes as stored.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl ToSql for Digest {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::from(self.bytes()))
    }
}

impl FromSql for Digest {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let bytes = value.as_blob()?;
        let expected_size = size_of::<Self>();
        Ok(Self(
            bytes
                .try_into()
                .map_err(|_| FromSqlError::InvalidBlobSize { expected_size, blob_size: bytes.len() })?,
        ))
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// Hashes a row's columns. Lengths go in before values, so that no two rows hash the same bytes.
pub(in crate::store) struct RowHasher(Sha256);

impl RowHasher {
    /// Starts a row of `table`.
    pub(in crate::store) fn of(table: &str) -> Self {
        RowHasher(Sha256::new()).text(table)
    }

    pub(in crate::store) fn bytes(mut self, value: &[u8]) -> Self {
        self.0.update((value.len() as u64).to_le_bytes());
        self.0.update(value);
        self
    }

    pub(in crate::store) fn text(self, value: &str) -> Self {
        self.bytes(value.as_bytes())
    }

    pub(in crate::store) fn int(mut self, value: i64) -> Self {
        self.0.update(value.to_le_bytes());
        self
    }

    /// Adds a column by its type and value.
    pub(in crate::store) fn column(self, value: &dyn ToSql) -> Result<Self, rusqlite::Error> {
        let value = value.to_sql()?;
        let value = match &value {
            ToSqlOutput::Borrowed(value) => *value,
            ToSqlOutput::Owned(value) => ValueRef::from(value),
            _ => return Err(rusqlite::Error::ToSqlConversionFailure("not a plain value".into())),
        };
        Ok(match value {
            ValueRef::Null => self.int(0),
            ValueRef::Integer(value) => self.int(1).int(value),
            ValueRef::Real(value) => self.int(2).bytes(&value.to_le_bytes()),
            ValueRef::Text(value) => self.int(3).bytes(value),
            ValueRef::Blob(value) => self.int(4).bytes(value),
        })
    }

    pub(in crate::store) fn done(self) -> Digest {
        let full: [u8; 32] = self.0.finalize().into();
        let mut half = [0; 16];
        half.copy_from_slice(&full[..16]);
        Digest(half)
    }
}
