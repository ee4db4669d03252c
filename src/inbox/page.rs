//! A page of a list.

/// As many rows of a list as were asked for, and where it goes on.
#[derive(Clone, Debug)]
pub struct Page<T> {
    pub rows: Vec<T>,
    /// Rows that could not be trusted, with a sentence about each.
    pub damaged: Vec<String>,
    /// Where the next page starts; `None` on the last page.
    pub next: Option<i64>,
    /// The place of the last row in the store, damaged or not.
    pub last: Option<i64>,
    /// What the person may have meant, if nothing matches the words.
    pub suggestion: Option<String>,
}

impl<T> Page<T> {
    /// The same page with other rows.
    pub fn map<U>(self, change: impl FnMut(T) -> U) -> Page<U> {
        let Self { rows, damaged, next, last, suggestion } = self;
        Page { rows: rows.into_iter().map(change).collect(), damaged, next, last, suggestion }
    }
}

// Derived, it would ask for rows that have a default.
impl<T> Default for Page<T> {
    fn default() -> Self {
        Self { rows: Vec::new(), damaged: Vec::new(), next: None, last: None, suggestion: None }
    }
}
