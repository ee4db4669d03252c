//! Ids of threads, interrupts, grants and batches: a letter and eight random characters of Crockford's base 32.
//!
//! They are random, not based on time: a prefix says nothing and two machines never pick the same one by accident.
//! Order comes from the store's sequence numbers, never from an id.

use serde::{Deserialize, Serialize};
use std::fmt;

const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
const LENGTH: usize = 8;

/// A string that cannot be an id.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("`{0}` is not an id: ids are a letter and 8 characters, and any unique beginning of one will do")]
pub struct BadId(String);

fn random(first: char) -> String {
    let mut bytes = [0u8; LENGTH];
    // Without a source of randomness two threads could get the same id, so we fall back on the clock: the store's
    // UNIQUE constraint still keeps ids unique, which makes a clash an error and never a mix-up.
    if getrandom::fill(&mut bytes).is_err() {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        bytes = (now.as_nanos() as u64).to_le_bytes();
    }
    let mut id = String::with_capacity(1 + LENGTH);
    id.push(first);
    id.extend(bytes.iter().map(|byte| char::from(ALPHABET[usize::from(byte & 31)])));
    id
}

/// Lowercases an id and turns letters that people misread (`o`, `i`, `l`) into the digits they look like.
fn normalize(first: char, word: &str) -> Result<String, BadId> {
    let bad = || BadId(word.chars().take(40).collect());
    let mut letters = word.trim().chars();
    if !letters.next().is_some_and(|c| c.eq_ignore_ascii_case(&first)) {
        return Err(bad());
    }
    let mut id = String::from(first);
    for letter in letters {
        id.push(match letter.to_ascii_lowercase() {
            'o' => '0',
            'i' | 'l' => '1',
            other if other.is_ascii() && ALPHABET.contains(&(other as u8)) => other,
            _ => return Err(bad()),
        });
    }
    if id.len() > 1 + LENGTH { Err(bad()) } else { Ok(id) }
}

macro_rules! id {
    ($name:ident, $letter:literal, $doc:literal) => {
        #[doc = $doc]
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// A new, random id.
            pub fn random() -> Self {
                Self(random($letter))
            }

            /// Parses a full id or a prefix, as typed by a person.
            pub fn parse(word: &str) -> Result<Self, BadId> {
                normalize($letter, word).map(Self)
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }

            /// Whether this is a full id and not only a prefix.
            pub fn is_whole(&self) -> bool {
                self.0.len() == 1 + LENGTH
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

id!(ThreadId, 't', "The name of a thread.");
id!(InterruptId, 'i', "The name of an interrupt; unlike a thread's place it never means two questions.");
id!(GrantId, 'g', "The name of a grant that a person gave.");
id!(BatchId, 'b', "The name of decisions that were taken together.");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_nine_characters_and_differ() {
        let (a, b) = (ThreadId::random(), ThreadId::random());
        assert_ne!(a, b);
        assert!(a.is_whole());
        assert_eq!(ThreadId::parse(a.as_str()), Ok(a));
    }

    #[test]
    fn typed_ids_are_forgiven_their_looks() {
        assert_eq!(ThreadId::parse(" TOIL ").unwrap().as_str(), "t011");
        assert!(ThreadId::parse("i1234").is_err());
        assert!(ThreadId::parse("t12345678x").is_err());
        assert!(InterruptId::parse("iü").is_err());
        assert!(InterruptId::parse("").is_err());
    }
}
