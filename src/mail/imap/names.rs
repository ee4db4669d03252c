//! Folders, and their names as IMAP writes them: non-ASCII letters in a special base64 (RFC 3501, section 5.1.3).

use base64::Engine;
use base64::alphabet::IMAP_MUTF7;
use base64::engine::general_purpose::NO_PAD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

const ENGINE: GeneralPurpose = GeneralPurpose::new(&IMAP_MUTF7, NO_PAD);
/// Some servers set bits that have no meaning.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &IMAP_MUTF7,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// A name as written on the wire.
pub(super) fn encode(name: &str) -> String {
    let mut out = String::new();
    let mut odd: Vec<u16> = Vec::new();
    let flush = |odd: &mut Vec<u16>, out: &mut String| {
        if !odd.is_empty() {
            let bytes: Vec<u8> = odd.drain(..).flat_map(u16::to_be_bytes).collect();
            out.push('&');
            out.push_str(&ENGINE.encode(bytes));
            out.push('-');
        }
    };
    for c in name.chars() {
        match c {
            '&' => {
                flush(&mut odd, &mut out);
                out.push_str("&-");
            }
            ' '..='~' => {
                flush(&mut odd, &mut out);
                out.push(c);
            }
            other => odd.extend(other.encode_utf16(&mut [0; 2]).iter()),
        }
    }
    flush(&mut odd, &mut out);
    out
}

/// The readable name; a name that is not valid on the wire is returned unchanged.
pub(super) fn decode(wire: &str) -> String {
    let mut out = String::new();
    let mut rest = wire;
    while let Some((before, after)) = rest.split_once('&') {
        out.push_str(before);
        let Some((code, tail)) = after.split_once('-') else { return wire.to_owned() };
        match code {
            "" => out.push('&'),
            code => {
                let Ok(bytes) = LENIENT.decode(code) else { return wire.to_owned() };
                let units = bytes.as_chunks::<2>().0.iter().map(|two| u16::from_be_bytes(*two));
                out.extend(char::decode_utf16(units).map(|c| c.unwrap_or('\u{fffd}')));
            }
        }
        rest = tail;
    }
    out.push_str(rest);
    out
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Folder {
    /// The readable name.
    pub(super) name: String,
    /// The name as the server writes it.
    pub(super) wire: String,
}

impl Folder {
    pub(super) fn named(name: &str) -> Self {
        // The only name that servers match in any case.
        let name = if name.eq_ignore_ascii_case("INBOX") { "INBOX" } else { name };
        Self { name: name.to_owned(), wire: encode(name) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_there_and_back() {
        for (name, wire) in [
            ("INBOX", "INBOX"),
            ("Entwürfe", "Entw&APw-rfe"),
            ("A & B", "A &- B"),
            ("~peter/mail/台北/日本語", "~peter/mail/&U,BTFw-/&ZeVnLIqe-"),
            ("😀", "&2D3eAA-"),
        ] {
            assert_eq!(encode(name), wire);
            assert_eq!(decode(wire), name);
        }
        assert_eq!(decode("broken &"), "broken &");
        assert_eq!(decode("broken &!!-"), "broken &!!-");
    }
}
