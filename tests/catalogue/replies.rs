//! M08 comes next.
