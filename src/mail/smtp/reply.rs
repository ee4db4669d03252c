//! An SMTP server's replies: three digits and a text (RFC 5321, section 4.2).

use crate::tools::web::safe_excerpt;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reply {
    pub(super) code: u16,
    pub(super) text: Vec<String>,
}

impl Reply {
    /// Done, or continue.
    pub(super) fn is_fine(&self) -> bool {
        (200..400).contains(&self.code)
    }

    /// A temporary failure.
    pub(super) fn is_temporary(&self) -> bool {
        (400..500).contains(&self.code)
    }

    /// On one line, safe to show.
    pub(super) fn words(&self) -> String {
        safe_excerpt(&format!("{} {}", self.code, self.text.join(" ")))
    }

    /// The parameters of a capability in an EHLO reply, if the server has it.
    pub(super) fn ability(&self, name: &str) -> Option<&str> {
        self.text.iter().skip(1).find_map(|line| {
            let (word, rest) = line.split_once([' ', '=']).unwrap_or((line, ""));
            word.eq_ignore_ascii_case(name).then_some(rest)
        })
    }
}

/// Parses a line of a reply: its code, whether more lines follow, and its text.
pub(super) fn line(bytes: &[u8]) -> Option<(u16, bool, String)> {
    let text = String::from_utf8_lossy(bytes);
    let code = text.get(..3).filter(|code| code.bytes().all(|byte| byte.is_ascii_digit()))?.parse().ok()?;
    let has_more = match text.as_bytes().get(3) {
        None | Some(b' ') => false,
        Some(b'-') => true,
        Some(_) => return None,
    };
    (200..600).contains(&code).then(|| (code, has_more, text.get(4..).unwrap_or_default().trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read() {
        assert_eq!(line(b"250-SIZE 100"), Some((250, true, "SIZE 100".to_owned())));
        assert_eq!(line(b"250"), Some((250, false, String::new())));
        for odd in ["", "25", "250x", "abc d", "999 no", "100 no", "é50 x"] {
            assert_eq!(line(odd.as_bytes()), None, "{odd}");
        }
        let reply =
            Reply { code: 250, text: vec!["host".into(), "AUTH PLAIN LOGIN".into(), "size 10".into()] };
        assert_eq!(reply.ability("auth"), Some("PLAIN LOGIN"));
        assert_eq!(reply.ability("SIZE"), Some("10"));
        assert_eq!(reply.ability("STARTTLS"), None);
    }
}
