//! The position up to which a mailbox was read.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// The position in a mailbox.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Marks {
    /// The history up to here has been read, except for the mails that the listing below still brings.
    pub(super) history: u64,
    /// Mail that arrived earlier was never wanted.
    #[serde(default)]
    pub(super) since: Option<Timestamp>,
    /// A listing of all mail, started when the history was at this point: the last id taken from it, or empty.
    #[serde(default)]
    pub(super) listing: Option<String>,
    /// Mails for which Gmail sent an invalid reply; we ask for them again.
    #[serde(default)]
    pub(super) odd: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mail::Cursor;

    #[test]
    fn marks_are_read_as_written() {
        let marks = Marks {
            history: 7,
            since: Some(Timestamp::UNIX_EPOCH),
            listing: Some("a".to_owned()),
            odd: vec!["b".to_owned()],
        };
        assert_eq!(Cursor::of(&marks).position::<Marks>().unwrap(), marks);
        assert!(Cursor("{\"folders\":{}}".to_owned()).position::<Marks>().is_err());
    }
}
