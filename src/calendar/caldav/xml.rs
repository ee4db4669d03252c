//! Parses the XML of WebDAV servers: elements, their namespaces and their text, with limits.
//!
//! Promises: a document type is refused, so nothing can be defined, expanded or fetched. Depth and number of elements
//! are limited. A truncated document is an error.

use crate::text::xml_entity;

const DEEPEST: usize = 32;
const MAX_NODES: usize = 500_000;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Node {
    pub namespace: String,
    /// Its name without a prefix.
    pub name: String,
    /// Its attribute `name`; empty if it has none.
    pub called: String,
    /// Its own text, with entities resolved.
    pub text: String,
    /// The child elements.
    pub inside: Vec<Node>,
}

/// The WebDAV namespace.
pub(super) const DAV: &str = "DAV:";
/// The CalDAV namespace.
pub(super) const CALDAV: &str = "urn:ietf:params:xml:ns:caldav";

impl Node {
    /// The child elements with a name.
    pub fn all<'a>(&'a self, namespace: &'a str, name: &'a str) -> impl Iterator<Item = &'a Node> {
        self.inside.iter().filter(move |node| node.namespace == namespace && node.name == name)
    }

    /// The first child element with a name.
    pub fn get(&self, namespace: &str, name: &str) -> Option<&Node> {
        self.inside.iter().find(|node| node.namespace == namespace && node.name == name)
    }
}

/// Reads a document; `None` if it is not XML or exceeds the limits.
pub(super) fn read(bytes: &[u8]) -> Option<Node> {
    let mut rest = str::from_utf8(bytes).ok()?.trim_start_matches('\u{feff}');
    let mut reading = Reading::default();
    loop {
        let (text, tag) = rest.split_at(rest.find('<')?);
        reading.text(text)?;
        if let Some(after) = tag.strip_prefix("<!--") {
            rest = after.split_once("-->")?.1;
        } else if let Some(after) = tag.strip_prefix("<![CDATA[") {
            let (text, after) = after.split_once("]]>")?;
            reading.open.last_mut()?.node.text.push_str(text);
            rest = after;
        } else if let Some(after) = tag.strip_prefix("<?") {
            rest = after.split_once("?>")?.1;
        } else if tag.starts_with("<!") {
            return None;
        } else if let Some(after) = tag.strip_prefix("</") {
            let (name, after) = after.split_once('>')?;
            rest = after;
            if let Some(document) = reading.end(name.trim_end())? {
                return Some(document);
            }
        } else {
            let (name, attributes, end) = begun(&tag[1..])?;
            reading.begin(&name, attributes)?;
            rest = match end {
                End::Open(after) => after,
                End::Closed(after) => {
                    if let Some(document) = reading.end(&name)? {
                        return Some(document);
                    }
                    after
                }
            };
        }
    }
}

/// A partially read document.
#[derive(Default)]
struct Reading {
    /// The elements that have not ended, outermost first.
    open: Vec<Open>,
    /// Prefixes and their namespaces, as declared so far.
    spaces: Vec<(String, String)>,
    count: usize,
}

struct Open {
    node: Node,
    /// Its name as written, with the prefix.
    written: String,
    /// How many namespaces are declared outside it.
    around: usize,
}

impl Reading {
    fn text(&mut self, text: &str) -> Option<()> {
        match self.open.last_mut() {
            Some(open) => open.node.text.push_str(&resolved(text)?),
            None if text.trim().is_empty() => {}
            None => return None,
        }
        Some(())
    }

    /// Begins an element; `None` if a limit is exceeded.
    fn begin(&mut self, written: &str, attributes: Attributes) -> Option<()> {
        self.count += 1;
        if self.open.len() >= DEEPEST || self.count > MAX_NODES {
            return None;
        }
        let around = self.spaces.len();
        let mut called = String::new();
        for (name, value) in attributes {
            if name == "name" {
                called = value;
            } else if name == "xmlns" {
                self.spaces.push((String::new(), value));
            } else if let Some(prefix) = name.strip_prefix("xmlns:") {
                self.spaces.push((prefix.to_owned(), value));
            }
        }
        let (prefix, name) = written.split_once(':').unwrap_or(("", written));
        let declared = self.spaces.iter().rev().find(|(known, _)| known == prefix);
        let namespace = declared.map(|(_, namespace)| namespace.clone()).unwrap_or_default();
        let node = Node { namespace, name: name.to_owned(), called, ..Node::default() };
        self.open.push(Open { node, written: written.to_owned(), around });
        Some(())
    }

    /// Ends the innermost element. Returns the outermost one once it has ended; `None` if another element is open.
    fn end(&mut self, written: &str) -> Option<Option<Node>> {
        let ended = self.open.pop().filter(|open| open.written == written)?;
        self.spaces.truncate(ended.around);
        match self.open.last_mut() {
            Some(parent) => {
                parent.node.inside.push(ended.node);
                Some(None)
            }
            None => Some(Some(ended.node)),
        }
    }
}

/// How a tag ends, and the text after it.
enum End<'a> {
    Open(&'a str),
    Closed(&'a str),
}

type Attributes = Vec<(String, String)>;

/// A start tag: its name, its attributes, and the rest.
fn begun(tag: &str) -> Option<(String, Attributes, End<'_>)> {
    let ends = |c: char| c.is_whitespace() || matches!(c, '/' | '>' | '=');
    let (name, mut rest) = tag.split_at(tag.find(ends)?);
    if name.is_empty() {
        return None;
    }
    let mut attributes = Vec::new();
    loop {
        rest = rest.trim_start();
        if let Some(after) = rest.strip_prefix("/>") {
            return Some((name.to_owned(), attributes, End::Closed(after)));
        }
        if let Some(after) = rest.strip_prefix('>') {
            return Some((name.to_owned(), attributes, End::Open(after)));
        }
        let (key, after) = rest.split_at(rest.find(ends)?);
        let after = after.trim_start().strip_prefix('=')?.trim_start();
        let quote = after.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let (value, after) = after[1..].split_once(quote)?;
        if key.is_empty() || attributes.len() >= 100 {
            return None;
        }
        attributes.push((key.to_owned(), resolved(value)?));
        rest = after;
    }
}

/// Text with its entities resolved; `None` if one is unknown.
fn resolved(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        out.push_str(before);
        let (name, after) = after.split_once(';')?;
        out.push(xml_entity(name)?);
        rest = after;
    }
    out.push_str(rest);
    Some(out)
}

/// Escapes text for a document.
pub(super) fn escaped(text: &str) -> String {
    let text: String = text.chars().filter(|c| !c.is_control()).collect();
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_servers_write() {
        let text = "<?xml version=\"1.0\"?>\n<D:multistatus xmlns:D='DAV:' xmlns:C=\"urn:ietf:params:xml:ns:caldav\">\
            <D:response><D:href>/a%20b/</D:href><!-- x --><C:calendar-data>A &amp; B&#10;<![CDATA[<C>]]></C:calendar-data>\
            <resourcetype xmlns='DAV:'><collection/><C:calendar /></resourcetype></D:response></D:multistatus>";
        let node = read(text.as_bytes()).unwrap();
        let response = node.get(DAV, "response").unwrap();
        assert_eq!(response.get(DAV, "href").unwrap().text, "/a%20b/");
        assert_eq!(response.get(CALDAV, "calendar-data").unwrap().text, "A & B\n<C>");
        let kinds = response.get(DAV, "resourcetype").unwrap();
        assert!(kinds.get(DAV, "collection").is_some() && kinds.get(CALDAV, "calendar").is_some());
        assert!(kinds.get(DAV, "calendar").is_none());
    }

    #[test]
    fn what_is_none_is_none() {
        let deep = format!("{}{}", "<a>".repeat(100), "</a>".repeat(100));
        for odd in [
            "",
            "text",
            "<a>",
            "<a></b>",
            "<a><b></a></b>",
            "<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>",
            "<a>&b;</a>",
            "<a>&#xD800;</a>",
            "<a b=c/>",
            "<a b='c>",
            "< a/>",
            "<a",
            &deep,
        ] {
            assert_eq!(read(odd.as_bytes()), None, "{odd}");
        }
        assert_eq!(read(b"\xff<a/>"), None);
    }
}
