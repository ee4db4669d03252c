//! Mail: taken in once, and recorded from then on.

pub(in crate::store) mod contacts;
pub(in crate::store) mod intake;
pub(in crate::store) mod ledger;
pub(in crate::store) mod skipped;
pub(in crate::store) mod sources;
