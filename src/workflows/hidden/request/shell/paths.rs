//! Where a path leads, judged by its text alone.

use std::path::{Component, Path, PathBuf};

/// A path resolved against a folder.
pub(in super::super) fn resolve(path: &str, folder: &str) -> PathBuf {
    let mut resolved = PathBuf::new();
    for part in Path::new(folder).join(path).components() {
        match part {
            Component::ParentDir => {
                resolved.pop();
            }
            Component::CurDir => {}
            other => resolved.push(other),
        }
    }
    resolved
}

/// Whether a path stays inside a folder.
pub(super) fn is_inside(path: &str, folder: &str) -> bool {
    resolve(path, folder).starts_with(folder)
}
