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
    Kind: |kind| kind.into(), |word| word.parse().ok();
    EffectState: |state| state.into(), |word| word.parse().ok();
    super::Awaits: |awaits| awaits.into(), |word| word.parse().ok();
    super::MailState: |state| state.into(), |word| word.parse().ok();
    super::Phase: |phase| phase.into(), |word| word.parse().ok();
    super::Stage: |stage| stage.into(), |word| word.parse().ok();
}
