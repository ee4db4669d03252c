//! Grants.
use crate::graph::{NodeError, Place};
use crate::store::Store;
use crate::workflows::{Grants, Wish};

pub(super) struct StoreGrants(Store);

impl StoreGrants {
    pub(super) fn new(store: Store) -> Self {
        Self(store)
    }
}

impl Grants for StoreGrants {
    fn covers(&self, _: &Place, _: &Wish<'_>) -> Result<Option<String>, NodeError> {
        Ok(None)
    }
    fn builtin(&self, _: &str) -> Result<bool, NodeError> {
        Ok(true)
    }
}
