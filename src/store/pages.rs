//! A page of a list: as many rows as requested, problems with rows that cannot be trusted, and where the page ended.

use crate::store::StoreError;

/// A page while it is being filled.
pub(in crate::store) struct Page<T> {
    limit: usize,
    count: usize,
    /// The rows that could be read.
    pub rows: Vec<T>,
    /// Problems with rows that cannot be trusted.
    pub damaged: Vec<String>,
    /// The number of the last row taken.
    pub last: Option<i64>,
    /// Whether more rows follow.
    pub more: bool,
}

impl<T> Page<T> {
    pub(in crate::store) fn new(limit: usize) -> Self {
        Self { limit, count: 0, rows: Vec::new(), damaged: Vec::new(), last: None, more: false }
    }

    /// Adds the row with this number; returns whether there was room.
    pub(in crate::store) fn take(
        &mut self,
        number: i64,
        read: impl FnOnce() -> Result<T, StoreError>,
    ) -> Result<bool, StoreError> {
        if self.count == self.limit {
            self.more = true;
            return Ok(false);
        }
        self.count += 1;
        self.last = Some(number);
        match read() {
            Ok(row) => self.rows.push(row),
            Err(StoreError::Damaged(what)) => self.damaged.push(what),
            Err(error) => return Err(error),
        }
        Ok(true)
    }

    /// Where the next page begins; `first` is where this one did.
    pub(in crate::store) fn next(&self, first: i64) -> Option<i64> {
        self.more.then(|| self.last.unwrap_or(first))
    }
}
