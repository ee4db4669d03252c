//! Fills pages of lists with as many rows as requested.

use crate::engine::store::StoreError;
use crate::inbox::Page;

/// A page while it is being filled.
pub struct PageBuilder<T> {
    limit: usize,
    count: usize,
    /// What it has so far; `next` is set at the end.
    pub page: Page<T>,
    /// Whether more rows follow.
    pub more: bool,
}

impl<T> PageBuilder<T> {
    pub fn new(limit: usize) -> Self {
        Self { limit, count: 0, page: Page::default(), more: false }
    }

    /// Adds the row with this number; returns whether there was room.
    pub fn take(
        &mut self,
        number: i64,
        read: impl FnOnce() -> Result<T, StoreError>,
    ) -> Result<bool, StoreError> {
        if self.count == self.limit {
            self.more = true;
            return Ok(false);
        }
        self.count += 1;
        self.page.last = Some(number);
        match read() {
            Ok(row) => self.page.rows.push(row),
            Err(StoreError::Damaged(what)) => self.page.damaged.push(what),
            Err(error) => return Err(error),
        }
        Ok(true)
    }

    /// The page, which began at `first`.
    pub fn finish(self, first: i64) -> Page<T> {
        Page { next: self.more.then_some(self.page.last.unwrap_or(first)), ..self.page }
    }
}
