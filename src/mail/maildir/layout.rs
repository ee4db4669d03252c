//! Where an account's folders lie: within the main folder, or beside it if the folder for sent mail lies there.

use super::folder::Folder;
use std::path::{Path, PathBuf};

/// How many folders may lie within each other: within the main one, and beside it, where all sorts of folders may be.
const LEVELS: [usize; 2] = [5, 2];

pub(super) struct Layout {
    main: PathBuf,
    /// The folder that contains the main one and others.
    around: Option<PathBuf>,
}

impl Layout {
    pub(super) fn new(main: &Path, sent: Option<&PathBuf>) -> Self {
        let around = sent.and_then(|sent| sent.parent()).filter(|around| main.parent() == Some(around));
        Self { main: main.to_owned(), around: around.map(Path::to_owned) }
    }

    /// The folder of a name or a path. Within the main folder, folders may be hidden (`.Work`); a missing one is thought
    /// of where the others are.
    pub(super) fn folder(&self, name: &str) -> Folder {
        let direct = self.main.join(name);
        let hidden = self.main.join(format!(".{name}"));
        let is_name = !name.contains('/') && !name.starts_with('.');
        let inside = if is_name && !direct.join("cur").is_dir() { hidden } else { direct };
        let path = match &self.around {
            Some(around) if !inside.join("cur").is_dir() => around.join(name),
            _ => inside,
        };
        Folder::new(name, path)
    }

    /// The folders other than the main one, by the names that mail can be moved to.
    pub(super) fn names(&self) -> Vec<String> {
        let mut names = Vec::new();
        for (root, levels) in std::iter::once(&self.main).chain(&self.around).zip(LEVELS) {
            self.collect(root, "", levels, &mut names);
        }
        names.sort();
        names.dedup();
        names
    }

    fn collect(&self, path: &Path, above: &str, levels: usize, names: &mut Vec<String>) {
        for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
            let (path, file) = (entry.path(), entry.file_name());
            let Some(file) = file.to_str().filter(|file| !["cur", "new", "tmp"].contains(file)) else {
                continue;
            };
            if !path.is_dir() || path == self.main {
                continue;
            }
            let is_folder = path.join("cur").is_dir();
            // Other accounts may lie beside the main folder, and all that is in a home.
            if !is_folder && !path.starts_with(&self.main) {
                continue;
            }
            let name = if above.is_empty() { file.to_owned() } else { format!("{above}/{file}") };
            if is_folder {
                // Only the first part may be hidden and named without its dot.
                names.push(if above.is_empty() {
                    file.trim_start_matches('.').to_owned()
                } else {
                    name.clone()
                });
            }
            if levels > 1 {
                self.collect(&path, &name, levels - 1, names);
            }
        }
    }
}
