//! Sets a thread aside when its mail goes away, and reopens it when the mail is back.
//!
//! Its state is not touched: it ends without a step, and the log keeps its questions. So it comes back as it was.

use crate::engine::graph::{EffectState, ThreadId};
use crate::engine::store::log::{EntryKind, Reopened, Resolved, Tx, UndoReason};
use crate::engine::store::record::answers::reopen_all;
use crate::engine::store::record::append::append;
use crate::engine::store::record::since_step::{AskedQuestion, SinceStep};
use crate::engine::store::rows::{MailRow, ThreadRow};
use crate::engine::store::threads::trouble::end;
use crate::engine::store::{StoreError, Threads};
use crate::inbox::{SetAside, Status};

impl Threads<'_> {
    /// Ends a thread until it is reopened. Leaves one alone that has ended, is running, or does not know whether
    /// something has left.
    pub async fn set_aside(self, thread: ThreadId, why: SetAside) -> Result<(), StoreError> {
        self.0.write(move |tx| set_aside(tx, &thread, why)).await
    }

    /// The same once these mails have moved. Leaves a thread alone that has newer mail: nobody has said what becomes of that.
    pub async fn set_aside_moved(
        self,
        thread: ThreadId,
        why: SetAside,
        moved: Vec<String>,
    ) -> Result<(), StoreError> {
        self.0
            .write(move |tx| {
                let newest = MailRow::received(tx, ThreadRow::seq_of(tx, &thread)?)?.pop();
                let is_moved = |mail: MailRow| moved.is_empty() || moved.contains(&mail.identity);
                if newest.is_none_or(is_moved) { set_aside(tx, &thread, why) } else { Ok(()) }
            })
            .await
    }

    /// Reopens a thread that was set aside, with its questions; others are left alone.
    pub async fn reopen(self, thread: ThreadId) -> Result<(), StoreError> {
        self.0.write(move |tx| reopen(tx, &thread)).await
    }

    pub fn is_set_aside(self, thread: &ThreadId) -> Result<bool, StoreError> {
        self.0.read(|db| {
            let row = ThreadRow::find(db, thread)?;
            Ok(row.pruned_at.is_none() && SinceStep::read(db, &row)?.set_aside.is_some())
        })
    }
}

fn set_aside(tx: &Tx<'_>, thread: &ThreadId, why: SetAside) -> Result<(), StoreError> {
    let mut row = ThreadRow::find(tx, thread)?;
    if !matches!(row.status, Status::Waiting | Status::Held | Status::Ready | Status::Trouble) {
        return Ok(());
    }
    let recent = SinceStep::read(tx, &row)?;
    let is_unclear = |state| matches!(state, EffectState::Begun | EffectState::InDoubt);
    if recent.effects.iter().any(|effect| is_unclear(effect.state)) {
        return Ok(());
    }
    reopen_all(tx, &mut row, &recent, UndoReason::SetAside)?;
    let resolved = Resolved { ends: Some(Status::Done), set_aside: Some(why), ..Resolved::default() };
    end(tx, &mut row, &recent, resolved)
}

fn reopen(tx: &Tx<'_>, thread: &ThreadId) -> Result<(), StoreError> {
    let mut row = ThreadRow::find(tx, thread)?;
    row.refuse_pruned()?;
    let Some((why, questions)) = SinceStep::read(tx, &row)?.set_aside else { return Ok(()) };
    let (open, decided): (Vec<AskedQuestion>, Vec<AskedQuestion>) =
        questions.into_iter().partition(AskedQuestion::is_open);
    let seqs = |questions: Vec<AskedQuestion>| questions.iter().map(|question| question.seq).collect();
    let reopened = Reopened { open: seqs(open), decided: seqs(decided), from: tx.opened()? };
    append(tx, &mut row, EntryKind::Reopened, None, &reopened)?;
    MailRow::thread_reopened(tx, row.seq, why.word())
}
