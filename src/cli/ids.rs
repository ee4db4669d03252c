//! Ids as people type them: any prefix, of the right kind.

use super::failure::Failure;
use crate::engine::graph::{InterruptId, ThreadId};
use crate::text::Visible;

/// What a decision can be made about.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Target {
    Interrupt(InterruptId),
    /// A thread with a result.
    Result(ThreadId),
}

/// The interrupt or result that `word` means.
pub(super) fn target(word: &str) -> Result<Target, Failure> {
    match (InterruptId::parse(word), ThreadId::parse(word)) {
        (Ok(id), _) => Ok(Target::Interrupt(id)),
        (_, Ok(id)) => Ok(Target::Result(id)),
        (Err(_), Err(_)) => {
            Err(not_an_id(word, "an interrupt or a thread", "`sayso list` shows what is open"))
        }
    }
}

/// The interrupt that `word` means.
pub(super) fn interrupt(word: &str) -> Result<InterruptId, Failure> {
    match target(word)? {
        Target::Interrupt(id) => Ok(id),
        Target::Result(id) => Err(Failure::gone(format!(
            "`{id}` names a thread, and this needs an interrupt; `sayso show {id}` tells what the thread asks"
        ))),
    }
}

/// The thread that `word` means.
pub(super) fn thread(word: &str) -> Result<ThreadId, Failure> {
    match (ThreadId::parse(word), InterruptId::parse(word)) {
        (Ok(id), _) => Ok(id),
        (Err(_), Ok(id)) => Err(Failure::gone(format!(
            "`{id}` names an interrupt, and this needs a thread; `sayso show {id}` tells which asked it"
        ))),
        (Err(_), Err(_)) => Err(not_an_id(word, "a thread", "`sayso threads` shows them all")),
    }
}

fn not_an_id(word: &str, sort: &str, hint: &str) -> Failure {
    let word: String = word.chars().take(40).collect();
    Failure::gone(format!("`{}` cannot be the id of {sort}; {hint}", Visible::line(&word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_told_apart_by_their_first_letter() {
        assert!(matches!(target("i1"), Ok(Target::Interrupt(_))));
        assert!(matches!(target("T1"), Ok(Target::Result(_))));
        assert!(target("x1").unwrap_err().text().contains("`sayso list`"));
        assert!(interrupt("t1").unwrap_err().text().contains("`sayso show t1`"));
        assert!(thread("i1").unwrap_err().text().contains("`sayso show i1`"));
        assert!(thread("").is_err());
    }
}
