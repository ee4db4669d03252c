//! `[traces]`: where traces of threads are sent, in the form that tracing tools read (OTLP).

use super::error::Error;
use super::headers::{self, Header};
use super::keys::{default, example};
use super::reader::{FromSection as _, Reader, section};
use super::url::unsafe_url;

section! {
    /// Where to send traces of how long threads took (OTLP over HTTP, as JSON). See docs/traces.md.
    pub(super) struct TracesSection in one("traces") {
        /// The address, up to /v1/traces; nothing is sent unless you set it. Unless it is on this machine, it has to be
        /// https.
        endpoint: Option<String> = example("https://api.smith.langchain.com/otel").or("nothing is sent"),
        /// Headers to send: plain text, the variable $NAME, what $(COMMAND) prints, or $(<FILE) for a file only you can
        /// read.
        headers: Vec<String> = default("").example("x-api-key: $LANGSMITH_API_KEY"),
    }
}

/// Every address for traces ends with this, whether it is written or not.
const PATH: &str = "/v1/traces";

/// Where traces are sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Traces {
    /// The whole address.
    pub url: String,
    /// Headers to send, by name.
    pub headers: Vec<(String, Header)>,
}

impl Traces {
    /// Where traces are sent; `None` if nowhere.
    pub(super) fn read(reader: &Reader<'_>) -> Result<Option<Self>, Error> {
        let traces = TracesSection::read(reader)?;
        let headers = headers::read(reader, "headers", &traces.headers)?;
        let Some(endpoint) = traces.endpoint else {
            if headers.is_empty() {
                return Ok(None);
            }
            return Err(reader.missing("endpoint", "write where traces go, such as http://127.0.0.1:4318"));
        };
        if let Some(why) = unsafe_url(&endpoint) {
            return Err(reader.bad("endpoint", why));
        }
        let base = endpoint.trim_end_matches('/');
        let url = format!("{}{PATH}", base.strip_suffix(PATH).unwrap_or(base));
        Ok(Some(Self { url, headers }))
    }
}
