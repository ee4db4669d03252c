//! Splits HTML into tags, text and comments.
//!
//! Promises: linear time, no allocation, no errors: if a browser could not read it, the page ends there. Does not know
//! which tags may contain which.

/// A tag's name in lower case, cut if longer than any known tag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Name([u8; 12], u8);

impl Name {
    fn new(raw: &str) -> Self {
        let mut name = Self::default();
        for (to, from) in name.0.iter_mut().zip(raw.bytes()) {
            *to = if from.is_ascii() { from.to_ascii_lowercase() } else { b'?' };
            name.1 += 1;
        }
        name
    }

    pub fn as_str(&self) -> &str {
        // It holds only ASCII.
        std::str::from_utf8(&self.0[..usize::from(self.1)]).unwrap_or_default()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    Text(&'a str),
    Start {
        name: Name,
        attributes: &'a str,
    },
    End(Name),
    Comment(&'a str),
    /// The content between `<style>` and `</style>`.
    Style(&'a str),
}

pub(super) struct Tokens<'a> {
    rest: &'a str,
    /// The element just opened whose content is not HTML.
    raw: Option<Name>,
}

pub(super) fn tokens(html: &str) -> Tokens<'_> {
    Tokens { rest: html, raw: None }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            if let Some(name) = self.raw.take() {
                let content = self.raw_content(name);
                if name.as_str() == "style" {
                    return Some(Token::Style(content));
                }
                continue;
            }
            let rest = self.rest;
            let after = match rest.as_bytes() {
                [] => return None,
                [b'<', b'!' | b'?', ..] => {
                    if let Some(comment) = self.comment() {
                        return Some(Token::Comment(comment));
                    }
                    continue;
                }
                [b'<', b'/', letter, ..] if letter.is_ascii_alphabetic() => 2,
                [b'<', letter, ..] if letter.is_ascii_alphabetic() => 1,
                [b'<', b'/', ..] => {
                    self.skip_past(2, ">");
                    continue;
                }
                [first, ..] => {
                    let from = usize::from(*first == b'<');
                    let end = rest[from..].find('<').map_or(rest.len(), |found| from + found);
                    self.rest = &rest[end..];
                    return Some(Token::Text(&rest[..end]));
                }
            };
            return Some(self.tag(after));
        }
    }
}

impl<'a> Tokens<'a> {
    /// Reads a tag whose name begins after `after` bytes.
    fn tag(&mut self, after: usize) -> Token<'a> {
        let rest = &self.rest[after..];
        let end =
            rest.find(|c: char| c.is_ascii_whitespace() || matches!(c, '>' | '/')).unwrap_or(rest.len());
        let name = Name::new(&rest[..end]);
        let length = attributes_end(&rest[end..]);
        let attributes = &rest[end..end + length];
        self.rest = rest[end + length..].strip_prefix('>').unwrap_or_default();
        if after == 2 {
            return Token::End(name);
        }
        if matches!(
            name.as_str(),
            "style" | "script" | "title" | "iframe" | "noframes" | "noembed" | "textarea" | "xml"
        ) {
            self.raw = Some(name);
        }
        Token::Start { name, attributes }
    }

    /// The content of an element that has no tags in it. The end tag is left to be read next.
    fn raw_content(&mut self, name: Name) -> &'a str {
        let rest = self.rest;
        let mut at = 0;
        while let Some(found) = rest[at..].find("</") {
            let start = at + found;
            let tag = &rest.as_bytes()[start + 2..];
            let expected = name.as_str().as_bytes();
            if tag.len() >= expected.len() && tag[..expected.len()].eq_ignore_ascii_case(expected) {
                self.rest = &rest[start..];
                return &rest[..start];
            }
            at = start + 2;
        }
        self.rest = "";
        rest
    }

    /// A comment; `None` for a declaration, which is skipped.
    fn comment(&mut self) -> Option<&'a str> {
        let rest = self.rest;
        let Some(inner) = rest.strip_prefix("<!--") else {
            self.skip_past(1, ">");
            return None;
        };
        if let Some(after) = inner.strip_prefix('>').or(inner.strip_prefix("->")) {
            self.rest = after;
            return Some("");
        }
        let end = inner.find("-->");
        self.rest = end.map_or("", |end| &inner[end + 3..]);
        Some(&inner[..end.unwrap_or(inner.len())])
    }

    fn skip_past(&mut self, from: usize, end: &str) {
        self.rest = self.rest[from..].find(end).map_or("", |at| &self.rest[from + at + end.len()..]);
    }
}

/// Where the attributes of a tag end: at a `>` outside quoted values.
fn attributes_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut value = false;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'>' => return at,
            b'=' => value = true,
            b'"' | b'\'' if value => {
                let Some(length) = memchr::memchr(*byte, &bytes[at + 1..]) else { return bytes.len() };
                at += length + 1;
                value = false;
            }
            byte if byte.is_ascii_whitespace() => {}
            _ => value = false,
        }
        at += 1;
    }
    at
}

/// The attributes of a tag, entities not yet decoded.
pub(super) fn attributes(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '/');
        if rest.is_empty() {
            return None;
        }
        // A name may begin with `=` and is never empty, so that every turn makes progress.
        let first = rest.chars().next().map_or(0, char::len_utf8);
        let end = rest[first..]
            .find(|c: char| c.is_ascii_whitespace() || matches!(c, '=' | '/'))
            .map_or(rest.len(), |end| first + end);
        let (name, after) = rest.split_at(end);
        let Some(value) = after.trim_ascii_start().strip_prefix('=') else {
            rest = after;
            return Some((name, ""));
        };
        let value = value.trim_ascii_start();
        let (value, after) = match value.chars().next() {
            Some(quote @ ('"' | '\'')) => value[1..].split_once(quote).unwrap_or((&value[1..], "")),
            _ => value.split_at(value.find(|c: char| c.is_ascii_whitespace()).unwrap_or(value.len())),
        };
        rest = after;
        Some((name, value))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags() {
        let shown: Vec<String> = tokens(
            "a<b x='>'>c</B ><!--d-->e<br/><style>f<g></style>h<!doctype x>i < j<script>k</script>l<m",
        )
        .map(|token| match token {
            Token::Text(text) => format!("t:{text}"),
            Token::Start { name, attributes } => format!("s:{}:{}", name.as_str(), attributes.trim()),
            Token::End(name) => format!("e:{}", name.as_str()),
            Token::Comment(text) => format!("c:{text}"),
            Token::Style(text) => format!("y:{text}"),
        })
        .collect();
        let expected = "t:a|s:b:x='>'|t:c|e:b|c:d|t:e|s:br:/|s:style:|y:f<g>|e:style|t:h|t:i |t:< j|s:script:|e:script|t:l|s:m:";
        assert_eq!(shown.join("|"), expected);
    }

    #[test]
    fn attributes_of_all_kinds() {
        let parsed: Vec<_> = attributes(" a=1 b = \"two words\" c='3' d hidden =x e=/f /").collect();
        let expected = [("a", "1"), ("b", "two words"), ("c", "3"), ("d", ""), ("hidden", "x"), ("e", "/f")];
        assert_eq!(parsed, expected);
        assert_eq!(attributes("=a ==b é=\"x").collect::<Vec<_>>(), [("=a", "=b"), ("é", "x")]);
    }
}
