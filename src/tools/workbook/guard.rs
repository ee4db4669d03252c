//! Checks a packed workbook before it is parsed: how much it claims to hold, and whether it brings a DTD.

use super::WorkbookError;
use std::io::{Cursor, Read};
use zip::ZipArchive;

/// How many parts a package may have.
const MAX_PARTS: usize = 4_000;
/// How many bytes its parts may hold unpacked.
const MAX_BYTES: u64 = 768 << 20;
/// A part that unpacks to more than this many times its size counts as a bomb.
const MAX_RATIO: u64 = 400;
/// Smaller parts may have any ratio.
const SMALL: u64 = 16 << 20;
/// How many bytes of a part we search for a DTD, which comes before the first element.
const HEAD: u64 = 64 << 10;

/// Refuses a file that is too large, or not a package.
pub(super) fn check(bytes: &[u8]) -> Result<(), WorkbookError> {
    let other = "it is not an Excel (.xlsx) or OpenDocument (.ods) file inside, or not a whole one";
    let mut archive =
        ZipArchive::new(Cursor::new(bytes)).map_err(|_| WorkbookError::Broken(other.to_owned()))?;
    if archive.len() > MAX_PARTS {
        let text = format!("{} parts, at most {MAX_PARTS} are read", archive.len());
        return Err(WorkbookError::TooLarge(text));
    }
    let mut total = 0u64;
    for index in 0..archive.len() {
        let mut part = archive.by_index(index).map_err(|e| WorkbookError::Broken(e.to_string()))?;
        if part.encrypted() {
            return Err(WorkbookError::Refused(
                "it is protected by a password; save it without one".to_owned(),
            ));
        }
        let (size, packed) = (part.size(), part.compressed_size().max(1));
        total = total.saturating_add(size);
        if total > MAX_BYTES {
            let text = format!("unpacked it would be over {} MB", MAX_BYTES >> 20);
            return Err(WorkbookError::TooLarge(text));
        }
        if size > SMALL && size / packed > MAX_RATIO {
            let text = format!("a part of it unpacks to {} times its size, like a zip bomb", size / packed);
            return Err(WorkbookError::Refused(text));
        }
        let name = part.name().map_err(|e| WorkbookError::Broken(e.to_string()))?.to_lowercase();
        if name.ends_with(".xml") || name.ends_with(".rels") || name.ends_with(".vml") {
            let mut head = Vec::new();
            (&mut part)
                .take(HEAD)
                .read_to_end(&mut head)
                .map_err(|e| WorkbookError::Broken(e.to_string()))?;
            // UTF-16 has a zero next to every letter.
            head.retain(|byte| *byte != 0);
            let head = head.to_ascii_uppercase();
            let dtd = [&b"<!DOCTYPE"[..], b"<!ENTITY"];
            if dtd.iter().any(|mark| memchr::memmem::find(&head, mark).is_some()) {
                let text = "it declares entities, which no spreadsheet program writes".to_owned();
                return Err(WorkbookError::Refused(text));
            }
        }
    }
    Ok(())
}
