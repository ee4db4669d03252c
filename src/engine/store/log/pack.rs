//! Compresses bodies with LZ4, using the entries they repeat as the dictionary.
//!
//! A packed body is the count of entries it repeats, their numbers (6 bytes each), then LZ4 data preceded by its
//! length.

use crate::engine::store::log::{Entry, StoreError};
use crate::engine::store::lz4;

/// Shorter bodies are not worth packing.
const MIN_LEN: usize = 400;
/// LZ4 cannot use more of a dictionary than this.
const WINDOW: usize = 64 * 1024;
/// No body is longer than this, though a tampered row may claim to be.
const MAX_LEN: usize = 512 * 1024 * 1024;

/// The packed body if it is shorter than `body`. The entries it repeats must come before it in the log.
pub fn pack(body: &str, similar: &[&Entry]) -> Option<Vec<u8>> {
    if body.len() < MIN_LEN {
        return None;
    }
    let packed = pack_always(body, similar);
    (packed.len() < body.len()).then_some(packed)
}

/// The packed text, shorter or not.
pub fn pack_always(body: &str, similar: &[&Entry]) -> Vec<u8> {
    let similar: Vec<&&Entry> = similar.iter().filter(|entry| entry.body.is_some()).take(255).collect();
    let texts: Vec<&str> = similar.iter().filter_map(|entry| entry.body.as_deref()).collect();
    let mut packed = vec![similar.len() as u8];
    for entry in &similar {
        packed.extend_from_slice(&entry.seq.to_le_bytes()[..6]);
    }
    packed.extend(lz4::pack(body.as_bytes(), &dictionary(&texts)));
    packed
}

/// The body of entry `seq`; `find` returns the body of an entry it repeats.
pub fn unpack(
    packed: &[u8],
    seq: i64,
    find: &mut dyn FnMut(i64) -> Result<String, StoreError>,
) -> Result<String, StoreError> {
    let broken = || StoreError::Damaged(format!("entry {seq} of the log cannot be unpacked"));
    let (count, rest) = packed.split_first().ok_or_else(broken)?;
    let (numbers, packed) = rest.split_at_checked(usize::from(*count) * 6).ok_or_else(broken)?;
    let mut texts = Vec::new();
    for number in numbers.chunks_exact(6) {
        let mut bytes = [0; 8];
        bytes[..6].copy_from_slice(number);
        let repeated = i64::from_le_bytes(bytes);
        // Only earlier entries, so that no row leads around in a circle.
        if repeated >= seq {
            return Err(broken());
        }
        texts.push(find(repeated)?);
    }
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let max_len = MAX_LEN.min(packed.len().saturating_mul(256));
    let bytes = lz4::unpack(packed, &dictionary(&texts), max_len);
    bytes.and_then(|bytes| String::from_utf8(bytes).ok()).ok_or_else(broken)
}

fn dictionary(texts: &[&str]) -> Vec<u8> {
    let mut all: Vec<u8> = texts.concat().into_bytes();
    if all.len() > WINDOW {
        all.drain(..all.len() - WINDOW);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::super::EntryKind;
    use super::*;
    use proptest::prelude::*;

    fn entry(seq: i64, body: &str) -> Entry {
        let kind = EntryKind::Asked;
        Entry {
            seq,
            stream: 1,
            kind,
            about: None,
            prev: None,
            at: 0,
            body: Some(body.to_owned()),
            steps: None,
            sum: None,
            chain: [0; 32],
        }
    }

    proptest! {
        #[test]
        fn what_was_packed_is_unpacked(parts in prop::collection::vec("[a-d漢é\"]{0,300}", 0..4), more in ".{0,400}") {
            let entries: Vec<Entry> = (1..).zip(&parts).map(|(seq, part)| entry(seq, part)).collect();
            let body = format!("{}{more}{}", parts.concat(), parts.concat());
            let similar: Vec<&Entry> = entries.iter().collect();
            if let Some(packed) = pack(&body, &similar) {
                let mut find = |seq: i64| Ok(parts[usize::try_from(seq).unwrap() - 1].clone());
                prop_assert_eq!(unpack(&packed, 9, &mut find).unwrap(), body);
            }
        }
    }

    #[test]
    fn what_repeats_an_entry_costs_little() {
        let words: String = (0..200).map(|n| format!("word{} ", n * 7919 % 1000)).collect();
        let body = format!("{{\"said\":\"{words}\"}}");
        assert!(pack(&body, &[&entry(1, &words)]).unwrap().len() < 60);
    }

    #[test]
    fn what_cannot_be_unpacked_is_refused() {
        let mut none = |_| Ok(String::new());
        for bytes in [&[][..], &[1], &[0, 255, 255, 255, 255, 0], &[1, 9, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0]] {
            assert!(unpack(bytes, 9, &mut none).is_err(), "{bytes:?}");
        }
    }
}
