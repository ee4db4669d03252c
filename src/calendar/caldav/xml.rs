//! Parses the XML of WebDAV servers: elements, their namespaces and their text, with limits.
//!
//! Promises: a document type is refused, so nothing can be defined, expanded or fetched. Depth and number of elements
//! are limited. A truncated document is an error.

use quick_xml::XmlVersion;
use quick_xml::escape::{escape, resolve_predefined_entity};
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::name::{Namespace, ResolveResult};
use quick_xml::reader::NsReader;

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
    let text = str::from_utf8(bytes).ok()?.trim_start_matches('\u{feff}');
    let mut reader = NsReader::from_str(text);
    reader.config_mut().expand_empty_elements = true;
    // The elements that have not ended, outermost first.
    let mut open: Vec<Node> = Vec::new();
    let mut count = 0;
    loop {
        let (namespace, event) = reader.read_resolved_event().ok()?;
        match event {
            Event::Start(tag) => {
                count += 1;
                if open.len() >= DEEPEST || count > MAX_NODES {
                    return None;
                }
                open.push(begun(namespace, &tag)?);
            }
            Event::End(_) => {
                let ended = open.pop()?;
                match open.last_mut() {
                    Some(parent) => parent.inside.push(ended),
                    None => return Some(ended),
                }
            }
            Event::Text(text) => match open.last_mut() {
                Some(node) => node.text.push_str(&text),
                None if text.trim().is_empty() => {}
                None => return None,
            },
            Event::CData(text) => open.last_mut()?.text.push_str(&text),
            Event::GeneralRef(entity) => open.last_mut()?.text.push_str(&resolved(&entity)?),
            Event::Comment(_) | Event::PI(_) | Event::Decl(_) => {}
            Event::DocType(_) | Event::Empty(_) | Event::Eof => return None,
        }
    }
}

/// An element that begins; `None` if its tag is malformed.
fn begun(namespace: ResolveResult<'_>, tag: &BytesStart<'_>) -> Option<Node> {
    let name = tag.local_name();
    if name.as_ref().is_empty() {
        return None;
    }
    let mut called = String::new();
    for attribute in tag.attributes() {
        let attribute = attribute.ok()?;
        if attribute.key.as_ref() == "name" {
            called = attribute.normalized_value(XmlVersion::Implicit1_0).ok()?.into_owned();
        }
    }
    let namespace = match namespace {
        ResolveResult::Bound(Namespace(namespace)) => namespace.to_owned(),
        ResolveResult::Unbound | ResolveResult::Unknown(_) => String::new(),
    };
    Some(Node { namespace, name: name.as_ref().to_owned(), called, ..Node::default() })
}

/// What an entity stands for; `None` if it is unknown.
fn resolved(entity: &BytesRef<'_>) -> Option<String> {
    match entity.resolve_char_ref().ok()? {
        Some(c) => Some(c.to_string()),
        None => resolve_predefined_entity(entity).map(str::to_owned),
    }
}

/// Escapes text for a document.
pub(super) fn escaped(text: &str) -> String {
    let text: String = text.chars().filter(|c| !c.is_control()).collect();
    escape(text).into_owned()
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
