//! The functions and types that questions name, as they are written in the code.

use super::prompts::{PART_BYTES, fit};
use crate::tools::library::{Library, Start};
use crate::workflows::docs::facts::{ProjectFacts, Question};
use std::collections::BTreeSet;
use std::fmt::Write;

/// How many names of a question are looked up.
const NAMES: usize = 2;

pub(super) fn named_parts(project: &ProjectFacts, library: &Library, questions: &[Question]) -> String {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':');
    // A plain word is not taken for a name.
    let is_code = |word: &&str| word.contains(['_', '.']) || word.contains("::");
    let (mut text, mut known) = (String::new(), BTreeSet::new());
    for asked in questions {
        let words = asked.question.split(|c| !is_name(c)).map(|word| word.trim_matches(['.', ':']));
        for name in words.filter(is_code).take(NAMES).filter(|name| known.insert(name.to_owned())) {
            let modules = project.modules.iter();
            let declaring = modules.filter(|module| module.names.iter().any(|one| is_same(&one.name, name)));
            // A file that the question names is more likely the one that is meant.
            let path = declaring.map(|module| &module.path).max_by_key(|path| asked.files.contains(path));
            let part = path.and_then(|path| Some((path, library.read(path, Start::Name(name)).ok()?)));
            if let Some((path, part)) = part {
                let _ = write!(text, "\n=== {path}, from `{name}` on ===\n{}\n", fit(&part, PART_BYTES));
            }
        }
    }
    text
}

/// Whether a declared name is the one that is named, in full or without its type.
fn is_same(declared: &str, name: &str) -> bool {
    let name = name.replace("::", ".");
    declared == name || declared.rsplit('.').next() == Some(name.as_str())
}
