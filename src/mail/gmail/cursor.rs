//! Where a mailbox was left off.

use crate::mail::{Cursor, MailError};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Where it was left off.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Marks {
    /// What happened up to here was looked at, apart from what the listing below brings.
    pub(super) history: u64,
    /// What arrived earlier was never wanted.
    #[serde(default)]
    pub(super) since: Option<Timestamp>,
    /// A listing of everything, begun when the history was there; the last id that was taken from it, if one was.
    #[serde(default)]
    pub(super) listing: Option<String>,
    /// Mails whose replies made no sense; they are asked for again.
    #[serde(default)]
    pub(super) odd: Vec<String>,
}

impl Marks {
    pub(super) fn read(cursor: &Cursor) -> Result<Self, MailError> {
        serde_json::from_str(&cursor.0).map_err(|_| {
            MailError::Lasting(
                "where this mailbox was left off cannot be read; it belongs to another kind".to_owned(),
            )
        })
    }

    pub(super) fn write(&self) -> Cursor {
        // Numbers and texts always become JSON.
        Cursor(serde_json::to_string(self).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_read_as_written() {
        let marks = Marks {
            history: 7,
            since: Some(Timestamp::UNIX_EPOCH),
            listing: Some("a".to_owned()),
            odd: vec!["b".to_owned()],
        };
        assert_eq!(Marks::read(&marks.write()).unwrap(), marks);
        assert!(Marks::read(&Cursor("{\"folders\":{}}".to_owned())).is_err());
    }
}
