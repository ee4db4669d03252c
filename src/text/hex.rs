//! Bytes as people and file names show them.

use std::io;

pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        text.push(char::from(DIGITS[usize::from(byte >> 4)]));
        text.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
    text
}

/// Random bytes in hexadecimal: a name that nobody else uses or can guess.
pub fn random_hex<const BYTES: usize>() -> io::Result<String> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(hex(&bytes))
}

/// Parses a SHA-256 from 64 hexadecimal digits.
pub fn digest_from_hex(digits: &str) -> Option<[u8; 32]> {
    let pairs: &[[u8; 2]; 32] = digits.as_bytes().as_chunks().0.try_into().ok()?;
    if digits.len() != 64 {
        return None;
    }
    let value = |digit: u8| char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok());
    let mut digest = [0; 32];
    for (byte, [high, low]) in digest.iter_mut().zip(pairs) {
        *byte = value(*high)? << 4 | value(*low)?;
    }
    Some(digest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_spelled_and_read() {
        let digest: [u8; 32] = std::array::from_fn(|n| u8::try_from(n * 8).unwrap());
        assert_eq!(digest_from_hex(&hex(&digest)), Some(digest));
        assert_eq!(digest_from_hex(&hex(&digest).to_uppercase()), Some(digest));
        for wrong in ["", "0", &"0".repeat(63), &"0".repeat(66), &"+f".repeat(32), &"é".repeat(32)] {
            assert_eq!(digest_from_hex(wrong), None, "{wrong}");
        }
    }
}
