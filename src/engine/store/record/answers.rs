//! Takes answers back, and warns about questions.

use crate::engine::graph::Warning;
use crate::engine::store::StoreError;
use crate::engine::store::log::{Amended, EntryKind, Tx, UndoReason, Undone};
use crate::engine::store::record::append::append;
use crate::engine::store::record::calls;
use crate::engine::store::record::since_step::{AskedQuestion, SinceStep};
use crate::engine::store::rows::ThreadRow;

/// Takes back the current answer to a question, and deletes the results of calls made with it.
pub fn take_back(
    tx: &Tx<'_>,
    row: &mut ThreadRow,
    question: i64,
    because: UndoReason,
) -> Result<(), StoreError> {
    let from = tx.opened()?;
    append(tx, row, EntryKind::Undone, Some(question), &Undone { because, from })?;
    calls::forget(tx, row)
}

/// Adds a warning to a question. `bind` makes a card drawn earlier stale.
pub fn amend(
    tx: &Tx<'_>,
    row: &mut ThreadRow,
    question: &AskedQuestion,
    warning: &Warning,
    bind: &str,
) -> Result<(), StoreError> {
    let mut asked = question.asked.clone();
    asked.warn(warning, bind);
    let amended = Amended { warning: warning.clone(), bind: bind.to_owned(), hash: asked.hash() };
    append(tx, row, EntryKind::Amended, Some(question.seq), &amended)?;
    Ok(())
}

/// Takes back the decisions a thread has not acted on.
pub fn reopen_all(
    tx: &Tx<'_>,
    row: &mut ThreadRow,
    recent: &SinceStep,
    because: UndoReason,
) -> Result<(), StoreError> {
    for question in &recent.questions {
        if question.current_answer().is_some_and(|answer| !answer.acted) {
            take_back(tx, row, question.seq, because)?;
        }
    }
    Ok(())
}
