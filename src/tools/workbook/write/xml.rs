//! XML as raw pieces, so that unchanged pieces stay exactly the same.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TagKind {
    /// `<a …>`
    Start,
    /// `<a …/>`
    Empty,
    /// `</a>`
    End,
    /// Text, comments, declarations.
    Other,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Piece<'a> {
    pub(super) kind: TagKind,
    pub(super) raw: &'a str,
    /// Its position in the text.
    pub(super) at: usize,
}

impl<'a> Piece<'a> {
    /// The name with its prefix; empty for text.
    pub(super) fn full_name(&self) -> &'a str {
        if self.kind == TagKind::Other {
            return "";
        }
        let inner = self.raw.trim_start_matches('<').trim_start_matches('/');
        let end = inner.find(|c: char| c.is_whitespace() || c == '>' || c == '/').unwrap_or(inner.len());
        inner.get(..end).unwrap_or_default()
    }

    /// The name without its prefix.
    pub(super) fn name(&self) -> &'a str {
        let full = self.full_name();
        full.rsplit_once(':').map_or(full, |(_, name)| name)
    }

    /// The prefix with its colon.
    pub(super) fn prefix(&self) -> &'a str {
        let full = self.full_name();
        full.find(':').map_or("", |colon| full.get(..=colon).unwrap_or_default())
    }

    /// Whether it starts an element of this name.
    pub(super) fn opens(&self, name: &str) -> bool {
        matches!(self.kind, TagKind::Start | TagKind::Empty) && self.name() == name
    }

    /// Whether it ends an element of this name.
    pub(super) fn closes(&self, name: &str) -> bool {
        self.kind == TagKind::End && self.name() == name
    }

    /// Where the value of an attribute is in the piece.
    pub(super) fn attribute_at(&self, name: &str) -> Option<(usize, usize)> {
        let raw = self.raw;
        let mut at = 1 + self.full_name().len();
        loop {
            let rest = raw.get(at..)?;
            let name_at = at + rest.find(|c: char| !c.is_whitespace())?;
            let rest = raw.get(name_at..)?;
            let equals = rest.find('=')?;
            let current = rest.get(..equals)?.trim();
            let quoted = rest.get(equals + 1..)?;
            let open = quoted.find(['"', '\''])?;
            let quote = quoted.get(open..)?.chars().next()?;
            let start = name_at + equals + 1 + open + 1;
            let length = raw.get(start..)?.find(quote)?;
            if current == name {
                return Some((start, start + length));
            }
            at = start + length + 1;
        }
    }

    /// The value of an attribute, as written.
    pub(super) fn attribute(&self, name: &str) -> Option<&'a str> {
        let (from, to) = self.attribute_at(name)?;
        self.raw.get(from..to)
    }

    /// The piece with an attribute set to a value that needs no escaping.
    pub(super) fn with(&self, name: &str, value: &str) -> String {
        if let Some((from, to)) = self.attribute_at(name) {
            let (before, after) =
                (self.raw.get(..from).unwrap_or_default(), self.raw.get(to..).unwrap_or_default());
            return format!("{before}{value}{after}");
        }
        let end = if self.kind == TagKind::Empty { "/>" } else { ">" };
        let body = self.raw.strip_suffix(end).unwrap_or(self.raw).trim_end();
        format!("{body} {name}=\"{value}\"{end}")
    }
}

/// The pieces of a text. Malformed text comes as one last piece of text.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
        let (kind, length) = next(rest);
        let piece = Piece { kind, raw: rest.get(..length).unwrap_or(rest), at };
        at += piece.raw.len();
        Some(piece)
    })
}

fn next(rest: &str) -> (TagKind, usize) {
    let until = |mark: &str| rest.find(mark).map_or(rest.len(), |at| at + mark.len());
    if !rest.starts_with('<') {
        return (TagKind::Other, rest.find('<').unwrap_or(rest.len()));
    }
    if rest.starts_with("<!--") {
        return (TagKind::Other, until("-->"));
    }
    if rest.starts_with("<![CDATA[") {
        return (TagKind::Other, until("]]>"));
    }
    if rest.starts_with("<?") {
        return (TagKind::Other, until("?>"));
    }
    let mut quote = None;
    for (at, byte) in rest.bytes().enumerate() {
        match (quote, byte) {
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), _) if open == byte => quote = None,
            (None, b'>') => {
                let kind = match rest.as_bytes() {
                    [b'<', b'!', ..] => TagKind::Other,
                    [b'<', b'/', ..] => TagKind::End,
                    _ if rest.as_bytes().get(at.wrapping_sub(1)) == Some(&b'/') => TagKind::Empty,
                    _ => TagKind::Start,
                };
                return (kind, at + 1);
            }
            _ => {}
        }
    }
    (TagKind::Other, rest.len())
}

/// Escapes text for XML; drops characters that XML cannot hold.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(c),
            '\r' => out.push_str("&#13;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
            c => out.push(c),
        }
    }
    out
}
