//! A command that a program wants to run, and which words may follow when commands of its sort are allowed.

use serde::{Deserialize, Serialize};

/// A command that a program wants to run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandLine {
    pub folder: String,
    /// The words, with quotes removed.
    pub words: Vec<String>,
    /// How many leading words tell what sort of command it is; 0 if that is unclear.
    pub lead: usize,
}

impl CommandLine {
    /// The first words, which say what kind of command it is; `None` if that is unclear. They reach as far as the last
    /// word that is not plain, so that allowing this kind allows the command itself.
    pub fn prefix(&self) -> Option<&[String]> {
        let sort = self.words.get(..self.lead).filter(|words| !words.is_empty())?;
        let rest = &self.words[self.lead..];
        let named = rest.iter().rposition(|word| !may_follow(sort, word)).map_or(0, |last| last + 1);
        self.words.get(..self.lead + named)
    }

    /// What may follow the prefix, in words.
    pub fn may_be_followed_by(&self) -> &'static str {
        if names_what_is_elsewhere(&self.words) {
            "flags without a value"
        } else {
            "any plain arguments that stay in the folder"
        }
    }
}

/// Whether a word is a plain argument of a command that begins like this: nothing it names lies elsewhere.
pub fn may_follow(beginning: &[String], word: &str) -> bool {
    if names_what_is_elsewhere(beginning) { is_bare_flag(word) } else { stays_inside(word) }
}

/// Git's commands whose arguments are files, texts and names in this repository.
const LOCAL_GIT: &[&str] = &[
    "add", "blame", "branch", "commit", "diff", "log", "mv", "restore", "rm", "show", "stash", "status",
    "switch", "tag",
];

/// Whether a command's arguments may name what lies outside the folder although they look like any word: a git command
/// takes a remote, a refspec, or the program at the other end, unless it is known to stay in its repository.
fn names_what_is_elsewhere(words: &[String]) -> bool {
    let [program, command, ..] = words else { return false };
    program == "git" && !LOCAL_GIT.contains(&command.as_str())
}

/// `-q`, `--tags`; not `-Ofile`, `--repo=x`, in which a flag carries a value.
fn is_bare_flag(word: &str) -> bool {
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
    };
    match word.strip_prefix("--") {
        Some(name) => is_name(name),
        None => word.strip_prefix('-').is_some_and(|letter| letter.len() == 1 && is_name(letter)),
    }
}

/// Whether a word stays inside the folder: no path that leads out, no address.
fn stays_inside(word: &str) -> bool {
    let value = word.rsplit('=').next().unwrap_or_default();
    let leads_out = |path: &str| {
        path.starts_with(['/', '~', '@']) || path.split(['/', ':', ',']).any(|part| part == "..")
    };
    // `-C/etc`: an option may carry a path.
    let carries_path = word.starts_with('-') && !word.contains('=') && word.contains('/');
    // `host:path`, `https://…`, `main:main`. In `module::test`, the colons join two names.
    let is_address = word.replace("::", "").contains(':');
    let is_text = word.chars().all(|c| !c.is_control() && !c.is_whitespace());
    is_text && !leads_out(value) && !leads_out(word) && !carries_path && !is_address
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn what_lies_elsewhere_is_no_plain_argument() {
        for (beginning, plain, other) in [
            (
                "cargo test",
                &["--lib", "parser", "parser::tests", "src/a.rs", "-p=x"][..],
                &["../x", "/etc/x", "-C/etc", "https://x.test", "host:x", "main:main", "a::b:c", "two words"]
                    [..],
            ),
            (
                "git push",
                &["--tags", "-q", "--no-verify"],
                &[
                    "evil",
                    "origin",
                    "main:main",
                    "+main",
                    "evil.test:x",
                    "ext::sh",
                    "./x",
                    "--repo=evil",
                    "--receive-pack=x",
                    "-oevil",
                    "--",
                    "-",
                ],
            ),
            ("git fetch", &["--all"], &["evil", "--upload-pack=x"]),
            // It may be anybody's alias.
            ("git publish", &["-v"], &["evil"]),
            ("git add", &["src/a.rs", "-A", "."], &["../x", "/etc/x"]),
            ("git diff", &["HEAD~1", "--stat"], &["main:x"]),
        ] {
            for word in plain {
                assert!(may_follow(&words(beginning), word), "{beginning} {word}");
            }
            for word in other {
                assert!(!may_follow(&words(beginning), word), "{beginning} {word}");
            }
        }
    }

    #[test]
    fn a_prefix_reaches_as_far_as_what_is_not_plain() {
        for (line, expected) in [
            ("cargo test --lib parser", "cargo test"),
            ("cargo test ../x --lib", "cargo test ../x"),
            ("git push", "git push"),
            ("git push -q origin main --tags", "git push -q origin main"),
            ("git add src/a.rs", "git add"),
        ] {
            let command = CommandLine { folder: String::new(), words: words(line), lead: 2 };
            assert_eq!(command.prefix().map(|words| words.join(" ")).as_deref(), Some(expected), "{line}");
        }
        assert_eq!(CommandLine { folder: String::new(), words: words("ls x"), lead: 0 }.prefix(), None);
    }
}
