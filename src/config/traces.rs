//! `[traces]`: where traces of threads are sent, in the form that tracing tools read (OTLP).

use super::document::Section;
use super::error::Error;
use super::headers::{Header, HeaderLine};
use super::url::SafeUrl;
use super::values::section;

section! {
    pub(super) struct TracesSection {
        endpoint: Option<SafeUrl>,
        headers: Vec<HeaderLine>,
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

impl TracesSection {
    /// Where traces are sent; `None` if nowhere.
    pub(super) fn resolve(self, section: &Section<'_>) -> Result<Option<Traces>, Error> {
        let Some(SafeUrl(endpoint)) = self.endpoint else {
            if self.headers.is_empty() {
                return Ok(None);
            }
            return Err(section.missing("endpoint", "write where traces go, such as http://127.0.0.1:4318"));
        };
        let base = endpoint.trim_end_matches('/');
        let url = format!("{}{PATH}", base.strip_suffix(PATH).unwrap_or(base));
        Ok(Some(Traces { url, headers: section.headers(self.headers) }))
    }
}
