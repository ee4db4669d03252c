//! Types that are stored as a word.

use crate::engine::graph::{EffectState, InterruptId, Kind, ThreadId};
use crate::inbox::Status;
use rusqlite::ToSql;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef};

macro_rules! words {
    ($($type:ty: $word:expr, $read:expr;)*) => {
        $(impl ToSql for $type {
            fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
                let word: fn(&$type) -> &str = $word;
                Ok(ToSqlOutput::from(word(self)))
            }
        }

        impl FromSql for $type {
            fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
                let read: fn(&str) -> Option<$type> = $read;
                let word = value.as_str()?;
                read(word).ok_or_else(|| FromSqlError::Other(format!("`{}` is not a valid word", word.escape_debug()).into()))
            }
        })*
    };
}

words! {
    ThreadId: |id| id.as_str(), |word| ThreadId::parse(word).ok();
    InterruptId: |id| id.as_str(), |word| InterruptId::parse(word).ok();
    Status: |status| status.word(), Status::from_word;
    Kind: |kind| kind.word(), Kind::from_word;
    EffectState: |state| state.word(), EffectState::from_word;
    super::Awaits: |awaits| awaits.word(), super::Awaits::from_word;
    super::MailState: |state| state.word(), super::MailState::from_word;
    super::Phase: |phase| phase.word(), super::Phase::from_word;
    super::Stage: |stage| stage.word(), super::Stage::from_word;
}
