//! Digests of rows. SQLite has no page checksums, and its integrity check misses most bit flips.

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

    /// Reads stored bytes; `None` if the length is wrong.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        Some(Self(bytes.try_into().ok()?))
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

    pub(in crate::store) fn maybe_text(self, value: Option<&str>) -> Self {
        match value {
            Some(value) => self.int(1).text(value),
            None => self.int(0),
        }
    }

    pub(in crate::store) fn maybe_bytes(self, value: Option<&[u8]>) -> Self {
        match value {
            Some(value) => self.int(1).bytes(value),
            None => self.int(0),
        }
    }

    pub(in crate::store) fn maybe_int(self, value: Option<i64>) -> Self {
        match value {
            Some(value) => self.int(1).int(value),
            None => self.int(0),
        }
    }

    pub(in crate::store) fn done(self) -> Digest {
        let full: [u8; 32] = self.0.finalize().into();
        let mut half = [0; 16];
        half.copy_from_slice(&full[..16]);
        Digest(half)
    }
}
