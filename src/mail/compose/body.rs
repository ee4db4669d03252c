//! Body parts, each with the transfer encoding that suits its content.

use super::File;
use super::param::file_name;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// The longest line of text sent unencoded.
const WIDTH: usize = 78;
/// The longest line of encoded text.
const ENCODED: usize = 76;

pub(super) fn text(kind: &str, text: &str) -> Vec<u8> {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let lines: Vec<&str> = text.strip_suffix('\n').unwrap_or(&text).split('\n').collect();
    let (encoding, content) = if lines.iter().all(|line| as_it_stands(line)) {
        ("7bit", lines.join("\r\n") + "\r\n")
    } else {
        let letters = quoted_printable(&lines);
        let block = base64(format!("{}\r\n", lines.join("\r\n")).as_bytes());
        if letters.len() <= block.len() { ("quoted-printable", letters) } else { ("base64", block) }
    };
    let head = format!("Content-Type: {kind}\r\nContent-Transfer-Encoding: {encoding}\r\n\r\n");
    (head + &content).into_bytes()
}

/// A part with a file. Always base64: mail must not alter a file's content.
pub(super) fn file(file: &File) -> Vec<u8> {
    let kind = media_type(&file.kind).unwrap_or("application/octet-stream");
    let head = format!(
        "Content-Type: {kind}\r\nContent-Transfer-Encoding: base64\r\nContent-Disposition: attachment{}\r\n\r\n",
        file_name(&file.name)
    );
    (head + &base64(&file.bytes)).into_bytes()
}

/// Joins parts. The boundary begins with `=_`, which encoded text cannot contain.
pub(super) fn multipart(kind: &str, boundary: &str, parts: &[Vec<u8>]) -> Vec<u8> {
    let boundary = format!("=_{boundary}");
    let mut bytes =
        format!("Content-Type: multipart/{kind};\r\n boundary=\"{boundary}\"\r\n\r\n").into_bytes();
    for part in parts {
        bytes.extend(format!("--{boundary}\r\n").into_bytes());
        bytes.extend(part);
    }
    bytes.extend(format!("--{boundary}--\r\n").into_bytes());
    bytes
}

/// Whether no server on the way would change this line or mistake it for something else.
fn as_it_stands(line: &str) -> bool {
    line.len() <= WIDTH
        && line.bytes().all(|b| b == b'\t' || b == b' ' || b.is_ascii_graphic())
        && !line.starts_with("From ")
        && line != "."
        && !line.starts_with("--=_")
}

/// Returns the media type if it is safe in a header and may be sent as base64.
fn media_type(kind: &str) -> Option<&str> {
    let token = |word: &str| {
        !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&b))
    };
    let (family, member) = kind.split_once('/')?;
    let composite = ["message", "multipart"].iter().any(|composite| family.eq_ignore_ascii_case(composite));
    (kind.len() <= 100 && token(family) && token(member) && !composite).then_some(kind)
}

fn base64(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() * 3 / 2 + 2);
    // 57 bytes make 76 letters.
    for line in bytes.chunks(57) {
        STANDARD.encode_string(line, &mut out);
        out.push_str("\r\n");
    }
    // Even an empty part needs a line break: the boundary after it takes one away.
    if out.is_empty() { "\r\n".to_owned() } else { out }
}

fn quoted_printable(lines: &[&str]) -> String {
    let mut out = String::new();
    for line in lines {
        let mut column = 0;
        let mut letters = line.char_indices().peekable();
        while let Some((at, c)) = letters.next() {
            let last = letters.peek().is_none();
            let plain = match c {
                ' ' | '\t' => !last,
                // Mailboxes and SMTP would take these for their own markers.
                'F' if at == 0 && line.starts_with("From ") => false,
                '.' if at == 0 => false,
                '=' => false,
                c => c.is_ascii_graphic(),
            };
            let piece = if plain {
                c.to_string()
            } else {
                c.encode_utf8(&mut [0; 4]).bytes().map(|byte| format!("={byte:02X}")).collect()
            };
            // One column is reserved for the soft break, unless the line ends here.
            if column + piece.len() > ENCODED - usize::from(!last) {
                out.push_str("=\r\n");
                column = 0;
            }
            column += piece.len();
            out.push_str(&piece);
        }
        out.push_str("\r\n");
    }
    out
}
