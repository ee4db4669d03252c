//! Makes attachment names safe as file names.
//!
//! Promises: no path, not hidden, nothing that a shell or a file system objects to, bounded, never empty. Making a safe
//! name safe again does not change it.

use crate::text::Visible;

/// The longest name, in bytes; file systems allow 255.
const LONGEST: usize = 120;
/// The longest extension kept when a name is cut.
const ENDING: usize = 16;

/// A safe name, from the name in the mail and the media type.
pub(super) fn safe(name: Option<&str>, kind: &str) -> String {
    let name = name.unwrap_or_default();
    let last = name.rsplit(['/', '\\']).find(|piece| !piece.trim().is_empty()).unwrap_or_default();
    // The extension says what it is, so it stays even if the name is long.
    let long = last.len() > 4 * LONGEST;
    let (start, end) =
        (last.floor_char_boundary(2 * LONGEST), last.ceil_char_boundary(last.len().saturating_sub(LONGEST)));
    let last = if long { format!("{}{}", &last[..start], &last[end..]) } else { last.to_owned() };
    // Blanks go first: otherwise a combining mark on one would lose its base later.
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut safe: String = Visible::line(&words(&last))
        .chars()
        .map(|c| {
            if matches!(c, '<' | '>' | ':' | '"' | '|' | '?' | '*' | '`' | '$' | '\'' | ';' | '&') {
                '_'
            } else {
                c
            }
        })
        .collect();
    safe = words(&safe);
    // Windows drops trailing dots and spaces, which would turn `a.exe.` into a program.
    safe.truncate(safe.trim_end_matches(['.', ' ']).len());
    if safe.starts_with(['.', '-', '~']) {
        safe.replace_range(..1, "_");
    }
    if safe.len() > LONGEST {
        safe = cut(&safe);
    }
    if safe.is_empty() { format!("attachment.{}", ending(kind)) } else { safe }
}

/// Cuts the name in the middle and keeps the extension.
fn cut(name: &str) -> String {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending).filter(|ending| ending.len() <= ENDING);
    let room = LONGEST - ending.map_or(0, |ending| ending.len() + 1) - '…'.len_utf8();
    let start = name[..name.floor_char_boundary(room)].trim_end();
    match ending {
        Some(ending) => format!("{start}….{ending}"),
        None => format!("{start}…"),
    }
}

/// The usual extension for a media type.
fn ending(kind: &str) -> &'static str {
    match kind {
        "text/plain" => "txt",
        "text/html" => "html",
        "text/calendar" => "ics",
        "message/rfc822" | "message/global" => "eml",
        "application/pdf" => "pdf",
        "application/zip" => "zip",
        "application/pgp-signature" => "asc",
        "application/pkcs7-signature" | "application/x-pkcs7-signature" => "p7s",
        "image/png" => "png",
        "image/jpeg" => "jpg",
        "image/gif" => "gif",
        _ => "bin",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names() {
        for (name, expected) in [
            ("report.pdf", "report.pdf"),
            ("../../etc/passwd", "passwd"),
            ("C:\\Windows\\evil.exe", "evil.exe"),
            ("/", "attachment.bin"),
            ("..", "attachment.bin"),
            (".bashrc", "_bashrc"),
            ("-rf", "_rf"),
            ("a\r\nb\0.txt", "a b⟨U+0000⟩.txt"),
            ("ann\u{202E}fdp.exe", "ann⟨U+202E⟩fdp.exe"),
            ("run.exe. ", "run.exe"),
            ("what?.txt", "what_.txt"),
            ("日本語.pdf", "日本語.pdf"),
            ("$(x)`y`.sh", "_(x)_y_.sh"),
        ] {
            assert_eq!(safe(Some(name), "x/y"), expected, "{name:?}");
        }
        assert_eq!(safe(None, "image/png"), "attachment.png");
        let long = safe(Some(&format!("{}.pdf.exe", "é".repeat(500))), "x/y");
        assert!(long.len() <= LONGEST && long.ends_with("….exe"), "{long}");
    }

    proptest! {
        #[test]
        fn a_safe_name_is_safe(name in prop_oneof![any::<String>(), "[ .]?[\u{ce2}\u{301}a. ]{0,4}"]) {
            let once = safe(Some(&name), "x/y");
            prop_assert!(!once.is_empty() && once.len() <= LONGEST + 3 * ENDING);
            prop_assert!(!once.contains(['/', '\\', '\0', '\n']) && !once.starts_with('.'));
            prop_assert!(Visible::line(&once) == once.as_str());
        }
    }
}
