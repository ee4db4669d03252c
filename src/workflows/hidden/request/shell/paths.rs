//! Where a path leads.

use crate::tools::folder::follow_links;
use std::path::{Component, Path, PathBuf};

/// A path resolved against a folder by its text alone, as `cd` does it.
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

/// The file, if it lies in the folder even after links are followed.
pub(in super::super) fn file_inside(path: &str, folder: &str) -> Option<PathBuf> {
    let file = resolve(path, folder);
    let folder = Path::new(folder);
    let real_folder = follow_links(folder).ok()?;
    let leads_inside = |file: &Path| follow_links(file).is_ok_and(|real| real.starts_with(&real_folder));
    // Some programs drop `..` from the text, others follow the link before it.
    let is_inside = file.starts_with(folder) && leads_inside(&file) && leads_inside(&folder.join(path));
    is_inside.then_some(file)
}
