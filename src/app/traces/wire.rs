//! Spans as OTLP/HTTP writes them in JSON: ids in hexadecimal, times in nanoseconds and whole numbers as strings.

use serde_json::{Value, json};

#[derive(Clone, Debug)]
pub(super) struct Span {
    pub trace: String,
    pub id: String,
    pub parent: Option<String>,
    pub name: String,
    pub kind: Kind,
    /// Milliseconds since 1970.
    pub began: i64,
    pub ended: i64,
    pub attributes: Vec<(&'static str, Attribute)>,
    /// Why it failed, as a fixed word.
    pub error: Option<String>,
}

/// Where the work happened: in sayso, or at a server that it called.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Internal,
    Client,
}

#[derive(Clone, Debug)]
pub(super) enum Attribute {
    Text(String),
    Count(u64),
    Amount(f64),
}

impl From<&str> for Attribute {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Attribute {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<u64> for Attribute {
    fn from(count: u64) -> Self {
        Self::Count(count)
    }
}

impl Attribute {
    fn json(&self) -> Value {
        match self {
            Self::Text(text) => json!({ "stringValue": text }),
            Self::Count(count) => json!({ "intValue": count.to_string() }),
            Self::Amount(amount) => json!({ "doubleValue": amount }),
        }
    }
}

impl Span {
    pub(super) fn json(&self) -> Value {
        let mut span = json!({
            "traceId": self.trace,
            "spanId": self.id,
            "name": self.name,
            "kind": match self.kind { Kind::Internal => 1, Kind::Client => 3 },
            "startTimeUnixNano": nanos(self.began),
            "endTimeUnixNano": nanos(self.ended.max(self.began)),
            "attributes": pairs(self.attributes.iter().map(|(key, value)| (*key, value.json()))),
            "status": match &self.error {
                Some(why) => json!({ "code": 2, "message": why }),
                None => json!({ "code": 1 }),
            },
        });
        if let Some(parent) = &self.parent {
            span["parentSpanId"] = parent.as_str().into();
        }
        span
    }
}

/// The body of a request with these spans.
pub(super) fn request(spans: Vec<Value>) -> Vec<u8> {
    let version = env!("CARGO_PKG_VERSION");
    let attribute = |text: &str| json!({ "stringValue": text });
    let resource = pairs([("service.name", attribute("sayso")), ("service.version", attribute(version))]);
    let scope = json!({ "name": "sayso", "version": version });
    let all = match spans.is_empty() {
        true => json!([]),
        false => json!([{
            "resource": { "attributes": resource },
            "scopeSpans": [{ "scope": scope, "spans": spans }],
        }]),
    };
    json!({ "resourceSpans": all }).to_string().into_bytes()
}

/// How many spans the server left out, and why; `None` if it took all.
pub(super) fn left_out(reply: &[u8]) -> Option<(u64, String)> {
    let reply: Value = serde_json::from_slice(reply).ok()?;
    let partial = reply.get("partialSuccess")?;
    let count = &partial["rejectedSpans"];
    let count = count.as_u64().or_else(|| count.as_str()?.parse().ok()).unwrap_or_default();
    let why = partial["errorMessage"].as_str().unwrap_or_default().to_owned();
    (count > 0 || !why.is_empty()).then_some((count, why))
}

fn pairs<'a>(pairs: impl IntoIterator<Item = (&'a str, Value)>) -> Value {
    pairs.into_iter().map(|(key, value)| json!({ "key": key, "value": value })).collect()
}

fn nanos(ms: i64) -> String {
    format!("{}", i128::from(ms.max(0)) * 1_000_000)
}
