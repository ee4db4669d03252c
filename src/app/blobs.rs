//! Bytes for nodes, over the store.

use crate::graph::{BoxFuture, NodeError};
use crate::store::Store;
use crate::text::hex;
use crate::workflows::Blobs;

pub(super) struct StoreBlobs(pub(super) Store);

impl Blobs for StoreBlobs {
    fn put(&self, bytes: Vec<u8>) -> BoxFuture<'_, Result<String, NodeError>> {
        Box::pin(async move {
            let digest = self.0.put_blob(bytes).await.map_err(NodeError::failed)?;
            Ok(hex(&digest))
        })
    }

    fn get(&self, digest: &str) -> Result<Vec<u8>, NodeError> {
        self.0.blob(&digest_from_hex(digest)?).map_err(NodeError::failed)
    }
}

/// The digest that nodes know in hexadecimal.
pub(super) fn digest_from_hex(digest: &str) -> Result<[u8; 32], NodeError> {
    let byte = |at: usize| digest.get(at..at + 2).and_then(|hex| u8::from_str_radix(hex, 16).ok());
    let bytes: Option<Vec<u8>> = (0..digest.len()).step_by(2).map(byte).collect();
    let digest = bytes.and_then(|bytes| <[u8; 32]>::try_from(bytes).ok());
    digest.ok_or_else(|| NodeError::failed("a file's digest is unreadable"))
}
