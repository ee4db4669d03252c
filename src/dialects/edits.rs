//! Which files a call of an agent's editing tool changes, all of them.

use super::{Arg, Does, Tool};
use serde_json::{Map, Value};

/// A file that a call changes, as the call names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edited {
    /// It is created, or its text is replaced.
    Written(String),
    /// It is deleted, moved away, or takes the place of another.
    Moved(String),
}

impl Edited {
    pub fn path(&self) -> &str {
        match self {
            Edited::Written(path) | Edited::Moved(path) => path,
        }
    }
}

/// The files that a call of this tool changes; `None` if it changes none, or not only those that can be read from its
/// arguments.
pub fn edited(tool: &Tool, args: &Map<String, Value>) -> Option<Vec<Edited>> {
    if tool.does != Does::Edit {
        return None;
    }
    let mut found = Vec::new();
    let mut deletes = false;
    for (name, value) in args {
        match tool.arg(name) {
            Some(Arg::Path) if name == "moved_to" => found.push(Edited::Moved(text(value)?)),
            Some(Arg::Path) => found.push(Edited::Written(text(value)?)),
            Some(Arg::Patch) => found.extend(patched(value.as_str()?)?),
            Some(Arg::Several) => {
                for change in value.as_array()? {
                    found.extend(edited(tool, change.as_object()?)?);
                }
            }
            Some(Arg::Contents | Arg::Words | Arg::Limit | Arg::Plain) => {}
            // As we put it for Codex's app-server.
            None if name == "delete" => deletes = true,
            Some(Arg::Command | Arg::Folder | Arg::Sandbox) | None => return None,
        }
    }
    // A move changes both ends of it.
    if deletes || found.iter().any(|file| matches!(file, Edited::Moved(_))) {
        found = found.into_iter().map(|file| Edited::Moved(file.path().to_owned())).collect();
    }
    (!found.is_empty()).then_some(found)
}

fn text(value: &Value) -> Option<String> {
    value.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

/// The files of a patch between `*** Begin Patch` and `*** End Patch`.
fn patched(patch: &str) -> Option<Vec<Edited>> {
    let mut lines = patch.trim().lines().map(str::trim_end);
    let is_whole = lines.next() == Some("*** Begin Patch") && lines.next_back() == Some("*** End Patch");
    let mut found = Vec::new();
    for line in lines {
        // Lines of a file begin with `+`, `-`, a space or `@`; the parsers also take blanks before `***`.
        let Some(head) = line.trim_start().strip_prefix("*** ") else { continue };
        let (what, path) = head.split_once(':').unwrap_or((head, ""));
        match (what, text(&Value::from(path.trim()))) {
            ("Add File" | "Update File", Some(path)) => found.push(Edited::Written(path)),
            ("Delete File", Some(path)) => found.push(Edited::Moved(path)),
            ("Move to", Some(path)) => {
                // It belongs to the file above it.
                let above = found.pop()?;
                found.extend([Edited::Moved(above.path().to_owned()), Edited::Moved(path)]);
            }
            ("End of File", None) => {}
            _ => return None,
        }
    }
    is_whole.then_some(found)
}
