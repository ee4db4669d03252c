//! The words people read for what code and JSON have names for: tools, effects, permissions, profiles.

use crate::agent::output_file;
use crate::inbox::{BUILTIN_GRANTS, PROGRAM_ACTIONS, Words};
use crate::workflows::hidden::{intake, memory, put_away, row};
use crate::workflows::{ask, docs, email, sheet};

/// What each workflow declares next to its names.
const WORDS: &[Words] = &[
    ask::WORDS,
    docs::WORDS,
    email::WORDS,
    intake::WORDS,
    memory::WORDS,
    output_file::WORDS,
    put_away::WORDS,
    row::WORDS,
    sheet::WORDS,
];

/// What people read for what a question of this workflow is about. A server's tool keeps the name it has there.
pub fn action_words(workflow: &str, action: &str) -> String {
    if workflow.contains('/') { action.to_owned() } else { name_words(action) }
}

/// What people read for a name. A program's tool keeps the name its program gave it.
pub fn name_words(name: &str) -> String {
    if let Some(tool) = name.strip_prefix(PROGRAM_ACTIONS) {
        return tool.to_owned();
    }
    // Effects have a number of their own after a colon.
    let bare = name.split_once(':').map_or(name, |(bare, _)| bare);
    let builtin = BUILTIN_GRANTS.iter().map(|grant| (grant.tool, grant.words));
    let mut declared = WORDS.iter().copied().flatten().copied().chain(builtin);
    let found = declared.find(|(declared, _)| *declared == bare);
    found.map_or_else(|| name.replace('_', " "), |(_, words)| words.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_read_words() {
        for (name, expected) in [
            ("write_email", "sending mail"),
            ("put_away", "putting mail away"),
            ("put_away:3", "putting mail away"),
            ("output_files", "saving files"),
            ("request/mcp__x__y", "mcp__x__y"),
            ("step_limit", "step limit"),
        ] {
            assert_eq!(name_words(name), expected);
        }
        assert_eq!(action_words("work/agent", "send"), "send");
    }

    #[test]
    fn no_name_is_declared_twice() {
        let mut names: Vec<_> = WORDS.iter().copied().flatten().map(|(name, _)| name).collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
