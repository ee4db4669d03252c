//! Links in plain text.

use super::Link;
use crate::text::Visible;

/// The longest target that is kept, in bytes.
const LONGEST: usize = 2_048;

/// A link's target, visible and bounded.
pub(super) fn target(raw: &str) -> String {
    let raw = raw.trim();
    // Browsers drop line breaks and tabs in URLs, so they must not disguise a link.
    let plain: String = raw[..raw.floor_char_boundary(LONGEST)]
        .chars()
        .filter(|c| !matches!(c, '\n' | '\r' | '\t'))
        .collect();
    Visible::line(&plain).into_string()
}

/// The web addresses in a text.
pub(super) fn bare_links(text: &str, most: usize) -> Vec<Link> {
    let mut links: Vec<Link> = Vec::new();
    let mut rest = text;
    while links.len() < most
        && let Some(at) = rest.find("://")
    {
        let scheme = ["https", "http", "ftp"].into_iter().find(|scheme| {
            at >= scheme.len()
                && rest.is_char_boundary(at - scheme.len())
                && rest[at - scheme.len()..at].eq_ignore_ascii_case(scheme)
        });
        let after = &rest[at + 3..];
        let Some(scheme) = scheme else {
            rest = after;
            continue;
        };
        let length = after
            .find(|c: char| c.is_whitespace() || matches!(c, '<' | '>' | '"' | '`' | '|'))
            .unwrap_or(after.len());
        let start = at - scheme.len();
        let mut url = rest[start..at + 3 + length]
            .trim_end_matches(['.', ',', ';', ':', '!', '?', '\'', '*', '_', ']', '}']);
        if url.ends_with(')') && !url.contains('(') {
            url = url.trim_end_matches([')', '.', ',']);
        }
        if url.len() > scheme.len() + 3 {
            links.push(Link { text: String::new(), target: target(url) });
        }
        rest = &after[length..];
    }
    links
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_end_where_people_think_they_do() {
        let targets =
            |text: &str| bare_links(text, 10).into_iter().map(|link| link.target).collect::<Vec<_>>();
        assert_eq!(
            targets("see https://example.com/a, or <http://b.example/x>."),
            ["https://example.com/a", "http://b.example/x"]
        );
        assert_eq!(targets("(https://example.com/a(b))"), ["https://example.com/a(b))"]);
        assert_eq!(targets("(https://example.com/a)."), ["https://example.com/a"]);
        assert_eq!(targets("HTTPS://Example.com"), ["HTTPS://Example.com"]);
        assert!(targets("git+ssh://x http:// ://").is_empty());
        assert_eq!(bare_links(&"http://a.example/ ".repeat(50), 10).len(), 10);
    }
}
