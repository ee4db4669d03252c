//! A page of a list: as many rows as were asked for, what cannot be trusted beside them, and where it ended.

use crate::store::StoreError;

/// A page as it fills.
pub(in crate::store) struct Page<T> {
    limit: usize,
    taken: usize,
    /// What its rows give.
    pub found: Vec<T>,
    /// What is wrong with rows that cannot be trusted.
    pub damaged: Vec<String>,
    /// The number of the last row taken.
    pub last: Option<i64>,
    /// Whether there are further rows.
    pub more: bool,
}

impl<T> Page<T> {
    pub(in crate::store) fn new(limit: usize) -> Self {
        Self { limit, taken: 0, found: Vec::new(), damaged: Vec::new(), last: None, more: false }
    }

    /// Takes the row of this number; says whether there was room for it.
    pub(in crate::store) fn take(
        &mut self,
        number: i64,
        read: impl FnOnce() -> Result<T, StoreError>,
    ) -> Result<bool, StoreError> {
        if self.taken == self.limit {
            self.more = true;
            return Ok(false);
        }
        self.taken += 1;
        self.last = Some(number);
        match read() {
            Ok(row) => self.found.push(row),
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
