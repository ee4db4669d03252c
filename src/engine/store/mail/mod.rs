//! Mail: taken in once, and recorded from then on.

pub mod contacts;
pub mod conversation;
pub mod intake;
pub mod ledger;
pub mod skipped;
pub mod sources;
