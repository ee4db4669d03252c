//! Mail: taken in once, and recorded from then on.

pub(in crate::engine::store) mod contacts;
pub(in crate::engine::store) mod intake;
pub(in crate::engine::store) mod ledger;
pub(in crate::engine::store) mod skipped;
pub(in crate::engine::store) mod sources;
