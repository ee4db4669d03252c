//! The position up to which each folder was read, and the location of a mail.

use super::session::Open;
use crate::mail::{Cursor, MailError};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The position in each folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Marks {
    /// Mail that arrived earlier was never wanted.
    #[serde(default)]
    pub(super) since: Option<Timestamp>,
    #[serde(default)]
    folders: BTreeMap<String, Mark>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Mark {
    /// The UIDVALIDITY of the numbers; if it changes, all numbers are void.
    validity: u64,
    /// The first number not fetched yet.
    next: u64,
}

impl Marks {
    /// Marks for a user who wants no earlier mail.
    pub(super) fn since(since: Timestamp) -> Self {
        Self { since: Some(since), ..Self::default() }
    }

    pub(super) fn read(cursor: Option<&Cursor>) -> Result<Self, MailError> {
        cursor.map_or_else(|| Ok(Self::default()), Cursor::position)
    }

    /// The first number to fetch from a folder; `None` if the numbers are void and everything counts as new.
    pub(super) fn next(&self, folder: &Open) -> Option<u64> {
        self.folders
            .get(&folder.name)
            .filter(|mark| mark.validity == folder.validity)
            .map(|mark| mark.next.max(1))
    }

    pub(super) fn set(&mut self, folder: &Open, next: u64) {
        self.folders.insert(folder.name.clone(), Mark { validity: folder.validity, next });
    }

    /// Forgets folders that are no longer read.
    pub(super) fn retain_folders(&mut self, names: &[&str]) {
        self.folders.retain(|name, _| names.contains(&name.as_str()));
    }
}

/// Where a mail is: `VALIDITY/UID/MESSAGE-ID FOLDER`. If the numbers are void, the Message-ID finds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MailLocation {
    pub(super) validity: u64,
    pub(super) uid: u64,
    /// Empty if it has none that we can search for.
    pub(super) message_id: String,
    pub(super) folder: String,
}

impl MailLocation {
    pub(super) fn new(folder: &Open, uid: u64, message_id: Option<&str>) -> Self {
        let is_plain = |id: &&str| id.len() < 500 && id.bytes().all(|byte| byte.is_ascii_graphic());
        let message_id = message_id.filter(is_plain).unwrap_or_default().to_owned();
        Self { validity: folder.validity, uid, message_id, folder: folder.name.clone() }
    }

    pub(super) fn write(&self) -> String {
        format!("{}/{}/{} {}", self.validity, self.uid, self.message_id, self.folder)
    }

    pub(super) fn read(text: &str) -> Option<Self> {
        let (numbers, folder) = text.split_once(' ')?;
        let mut numbers = numbers.splitn(3, '/');
        let validity = numbers.next()?.parse().ok()?;
        let uid = numbers.next()?.parse().ok()?;
        Some(Self { validity, uid, message_id: numbers.next()?.to_owned(), folder: folder.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_marks_are_read_as_written() {
        let open = Open { name: "A b/c".to_owned(), validity: 7, next: Some(12), mails: 3 };
        let place = MailLocation::new(&open, 9, Some("a/b@x"));
        assert_eq!(MailLocation::read(&place.write()), Some(place));
        assert_eq!(MailLocation::new(&open, 9, Some("a b")).message_id, "");
        assert_eq!(MailLocation::read("INBOX/x"), None);
        let mut marks = Marks::default();
        assert_eq!(marks.next(&open), None);
        marks.set(&open, 12);
        let marks = Marks::read(Some(&Cursor::of(&marks))).unwrap();
        assert_eq!(marks.next(&open), Some(12));
        assert_eq!(marks.next(&Open { validity: 8, ..open }), None);
        assert!(Marks::read(Some(&Cursor("1 x".to_owned()))).is_err());
    }
}
