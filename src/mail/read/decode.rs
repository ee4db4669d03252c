//! Decodes bytes to text: transfer encodings and character sets, even damaged ones.
//!
//! Promises: linear time, no errors; unreadable bytes become U+FFFD. We trust labels unless the bytes show that they
//! are wrong.

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use mail_parser::decoders::charsets::map::charset_decoder;

/// The character sets that careless senders put on everything.
const CARELESS: &[&str] = &[
    "",
    "ascii",
    "us-ascii",
    "ansi_x3.4-1968",
    "utf-8",
    "utf8",
    "iso-8859-1",
    "iso8859-1",
    "latin1",
    "latin-1",
    "windows-1252",
    "cp1252",
    "iso-8859-15",
    "unknown-8bit",
    "x-unknown",
    "8bit",
    "default",
    "none",
    "binary",
];

/// Decodes a transfer encoding.
pub(super) fn transfer(encoding: &str, bytes: &[u8]) -> Vec<u8> {
    match encoding {
        "base64" => base64(bytes),
        "quoted-printable" => quoted_printable(bytes),
        _ => bytes.to_vec(),
    }
}

/// Decodes bytes in a character set, or in another one if the label cannot be right.
pub(super) fn text(charset: &str, bytes: &[u8]) -> String {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let escapes =
        memchr::memmem::find(bytes, b"\x1b$").is_some() || memchr::memmem::find(bytes, b"\x1b(J").is_some();
    if escapes && let Some(decode) = charset_decoder(b"iso-2022-jp") {
        return decode(bytes);
    }
    let charset = charset.trim().to_ascii_lowercase();
    let is_careless = CARELESS.contains(&charset.as_str());
    let utf8 = std::str::from_utf8(bytes);
    match utf8 {
        // Plain ASCII is the same under every label, except for sets that encode other letters in it.
        Ok(text)
            if is_careless || (text.is_ascii() && !charset.starts_with("utf-7") && !text.contains('\0')) =>
        {
            return text.to_owned();
        }
        _ => {}
    }
    let decoder =
        if is_careless && charset.starts_with("utf") { None } else { charset_decoder(charset.as_bytes()) };
    match (decoder, utf8) {
        (Some(decode), Ok(text)) => {
            let decoded = decode(bytes);
            let wrong = decoded.contains(char::REPLACEMENT_CHARACTER) || single_byte_noise(&charset);
            if wrong && !charset.starts_with("utf-16") { text.to_owned() } else { decoded }
        }
        (Some(decode), Err(_)) => decode(bytes),
        (None, Ok(text)) => text.to_owned(),
        (None, Err(wrong)) => mostly_utf8(bytes, wrong.valid_up_to()),
    }
}

/// Character sets in which valid UTF-8 with non-ASCII letters would be nonsense.
fn single_byte_noise(charset: &str) -> bool {
    ["iso-8859", "iso8859", "windows-125", "cp125", "koi8", "latin", "macintosh", "x-mac"]
        .iter()
        .any(|set| charset.starts_with(set))
}

/// Unlabelled text that is not UTF-8: a few bad bytes in UTF-8 are damage, many mean Western European.
fn mostly_utf8(bytes: &[u8], valid: usize) -> String {
    let lossy = String::from_utf8_lossy(bytes);
    let bad = lossy.matches(char::REPLACEMENT_CHARACTER).count();
    let good = lossy.chars().filter(|c| !c.is_ascii() && *c != char::REPLACEMENT_CHARACTER).count();
    let cut_at_end = valid + 4 > bytes.len() && good > 0;
    if cut_at_end || good > bad * 4 {
        return lossy.into_owned();
    }
    charset_decoder(b"windows-1252").map_or_else(|| lossy.into_owned(), |decode| decode(bytes))
}

/// Decodes base64, standard or URL-safe, ignoring all other characters.
pub(in crate::mail) fn base64(bytes: &[u8]) -> Vec<u8> {
    const LENIENT: GeneralPurpose = GeneralPurpose::new(
        &STANDARD,
        GeneralPurposeConfig::new()
            .with_decode_allow_trailing_bits(true)
            .with_decode_padding_mode(DecodePaddingMode::Indifferent),
    );
    let letter = |byte: &u8| match byte {
        b'-' => Some(b'+'),
        b'_' => Some(b'/'),
        b'+' | b'/' => Some(*byte),
        byte => byte.is_ascii_alphanumeric().then_some(*byte),
    };
    let mut out = Vec::with_capacity(bytes.len() / 4 * 3 + 3);
    // Padding ends a block; more may follow if somebody joined two encodings.
    for block in bytes.split(|byte| *byte == b'=') {
        let mut letters: Vec<u8> = block.iter().filter_map(letter).collect();
        // A last letter alone makes no byte.
        if letters.len() % 4 == 1 {
            letters.pop();
        }
        // Any such letters can be decoded.
        let _ = LENIENT.decode_vec(letters, &mut out);
    }
    out
}

/// Decodes quoted-printable; an `=` that encodes nothing stays.
pub(super) fn quoted_printable(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(at) = memchr::memchr(b'=', rest) {
        out.extend_from_slice(&rest[..at]);
        let after = &rest[at + 1..];
        let spaces = after.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).count();
        rest = if let [high, low, rest @ ..] = after
            && let (Some(high), Some(low)) = (hex(*high), hex(*low))
        {
            out.push(high << 4 | low);
            rest
        } else if after.get(spaces) == Some(&b'\n') {
            &after[spaces + 1..]
        } else if after.len() == spaces {
            &[]
        } else {
            out.push(b'=');
            after
        };
    }
    out.extend_from_slice(rest);
    out
}

/// The value of a hexadecimal digit.
fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_base64_gives_what_is_left() {
        for (encoded, plain) in [
            ("aGVsbG8=", "hello"),
            ("aGVs\r\nbG8", "hello"),
            ("aGV*sbG8==\n", "hello"),
            ("aGVsbG8=aGVsbG8=", "hellohello"),
            ("", ""),
            ("=", ""),
            ("YQ", "a"),
            ("Y", ""),
        ] {
            assert_eq!(base64(encoded.as_bytes()), plain.as_bytes(), "{encoded}");
        }
        assert_eq!(base64(b"__-_"), base64(b"//+/"));
    }

    #[test]
    fn damaged_quoted_printable_gives_what_is_left() {
        for (encoded, plain) in [
            ("a=3Db", "a=b"),
            ("a=3db", "a=b"),
            ("a=\r\nb", "ab"),
            ("a= \nb", "ab"),
            ("a=", "a"),
            ("a=zz", "a=zz"),
            ("1 = 2", "1 = 2"),
            ("=C3=A9", "é"),
        ] {
            assert_eq!(String::from_utf8_lossy(&quoted_printable(encoded.as_bytes())), plain, "{encoded}");
        }
    }

    #[test]
    fn labels_are_believed_unless_they_cannot_be_true() {
        for (label, bytes, expected) in [
            ("utf-8", "é".as_bytes(), "é"),
            ("iso-8859-1", b"caf\xe9", "café"),
            ("utf-8", b"caf\xe9", "café"),
            ("us-ascii", "naïve".as_bytes(), "naïve"),
            ("iso-8859-1", "naïve".as_bytes(), "naïve"),
            ("koi8-r", "Привет".as_bytes(), "Привет"),
            ("koi8-r", b"\xf0\xd2\xc9\xd7\xc5\xd4", "Привет"),
            ("windows-1251", b"\xcf\xf0\xe8\xe2\xe5\xf2", "Привет"),
            ("shift_jis", b"\x83n\x83\x8D\x81[", "ハロー"),
            ("gb18030", b"\xc4\xe3\xba\xc3", "你好"),
            ("gb2312", "你好吗".as_bytes(), "你好吗"),
            ("big5", b"\xa7A\xa6n", "你好"),
            ("euc-kr", b"\xbe\xc8\xb3\xe7", "안녕"),
            ("iso-2022-jp", b"\x1b$B%O%m!<\x1b(B", "ハロー"),
            ("us-ascii", b"\x1b$B%O%m!<\x1b(B", "ハロー"),
            ("utf-7", b"+ZYeB9FH6ckh5Pg-, 1980.", "文致出版社, 1980."),
            ("utf-16le", b"h\0i\0", "hi"),
            ("utf-16", b"plain", "plain"),
            ("no-such-set", b"caf\xe9", "café"),
            ("", b"\x93quoted\x94", "“quoted”"),
            ("utf-8", b"\xEF\xBB\xBFbom", "bom"),
        ] {
            assert_eq!(text(label, bytes), expected, "{label} {bytes:?}");
        }
    }
}
