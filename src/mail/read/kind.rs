//! Header fields, and what they say a part is.

use super::params::Params;
use std::ops::Range;

/// A header field: the ranges of its name and its value, including folding.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub name: Range<usize>,
    pub value: Range<usize>,
}

/// What a part says it is.
#[derive(Clone, Debug, Default)]
pub(super) struct PartKind {
    /// `type/subtype` in lower case.
    pub kind: String,
    pub charset: String,
    pub boundary: Option<Vec<u8>>,
    pub method: Option<String>,
    pub flowed: bool,
    pub del_sp: bool,
    /// The transfer encoding, in lower case.
    pub encoding: String,
    /// Whether the content is not encoded.
    pub plain_encoding: bool,
    /// The file name the part gives.
    pub name: Option<String>,
    pub attached: bool,
}

impl PartKind {
    pub fn is(&self, kind: &str) -> bool {
        self.kind == kind
    }

    pub fn is_mail(&self) -> bool {
        matches!(self.kind.as_str(), "message/rfc822" | "message/global")
    }

    pub fn is_multipart(&self) -> bool {
        self.boundary.is_some()
    }
}

/// Reads what a part is. Parts of a digest are mails unless they say otherwise.
pub(super) fn kind(raw: &[u8], fields: &[Field], in_digest: bool) -> PartKind {
    let value = |name: &str| {
        let field =
            fields.iter().find(|field| raw[field.name.clone()].eq_ignore_ascii_case(name.as_bytes()))?;
        Some(&raw[field.value.clone()])
    };
    let mut kind = PartKind {
        kind: if in_digest { "message/rfc822" } else { "text/plain" }.to_owned(),
        encoding: value("content-transfer-encoding")
            .map(|value| Params::read(value).value)
            .unwrap_or_default(),
        ..PartKind::default()
    };
    kind.plain_encoding = !matches!(kind.encoding.as_str(), "base64" | "quoted-printable");
    if let Some(content) = value("content-type").map(Params::read) {
        match content.value.as_str() {
            "" => {}
            "text" => kind.kind = "text/plain".to_owned(),
            value => kind.kind = value.replace(' ', ""),
        }
        kind.charset = content.get("charset").unwrap_or_default();
        if kind.kind.starts_with("multipart/") {
            kind.boundary = content.get("boundary").map(|boundary| boundary.trim_end().as_bytes().to_vec());
        }
        kind.method = content.get("method");
        kind.flowed = content.get("format").is_some_and(|format| format.eq_ignore_ascii_case("flowed"));
        kind.del_sp = content.get("delsp").is_some_and(|yes| yes.eq_ignore_ascii_case("yes"));
        kind.name = content.get("name");
    }
    if let Some(disposition) = value("content-disposition").map(Params::read) {
        kind.attached = disposition.value == "attachment";
        kind.name = disposition.get("filename").or(kind.name);
    }
    kind
}
