//! File names in headers (RFC 2231).

use super::field::quoted;

/// The longest piece of a name on one line.
const PIECE: usize = 54;

/// `; filename=…`, folded. The name may contain any letters.
pub(super) fn file_name(name: &str) -> String {
    let name = safe(name);
    if quoted(&name).len() <= PIECE + 2 && name.bytes().all(|b| b == b' ' || b.is_ascii_graphic()) {
        return format!(";\r\n filename={}", quoted(&name));
    }
    let pieces = pieces(&name);
    let [piece] = pieces.as_slice() else {
        let numbered = pieces.iter().enumerate().map(|(n, piece)| {
            let charset = if n == 0 { "utf-8''" } else { "" };
            format!(";\r\n filename*{n}*={charset}{piece}")
        });
        return numbered.collect();
    };
    format!(";\r\n filename*=utf-8''{piece}")
}

/// A name that contains no path.
fn safe(name: &str) -> String {
    let unsafe_ = |c: char| c.is_control() || c == '/' || c == '\\';
    let name: String = name.chars().map(|c| if unsafe_(c) { '_' } else { c }).collect();
    let name = name.trim();
    if name.is_empty() { "file".to_owned() } else { name.to_owned() }
}

/// The name, percent-encoded, in pieces that do not split a character.
fn pieces(name: &str) -> Vec<String> {
    let mut pieces = vec![String::new()];
    for c in name.chars() {
        let mut letters = String::new();
        for byte in c.encode_utf8(&mut [0; 4]).bytes() {
            if byte.is_ascii_alphanumeric() || b"!#$&+-.^_`|~".contains(&byte) {
                letters.push(char::from(byte));
            } else {
                letters.push_str(&format!("%{byte:02X}"));
            }
        }
        if pieces.last().is_none_or(|piece| piece.len() + letters.len() > PIECE) {
            pieces.push(String::new());
        }
        if let Some(piece) = pieces.last_mut() {
            piece.push_str(&letters);
        }
    }
    pieces
}
