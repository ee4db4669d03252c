//! `[traces]`: where what threads took is told, in the form that tools for traces read (OTLP).

use super::error::Error;
use super::google::unsafe_url;
use super::headers::Header;
use super::raw;
use super::resolve::Meaning;

/// What every address for traces ends with, whether it is written or not.
const PATH: &str = "/v1/traces";

/// Where traces go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Traces {
    /// The whole address.
    pub url: String,
    /// What is sent along, by its name.
    pub headers: Vec<(String, Header)>,
    /// Whether what models were told and answered goes too; else names and numbers alone.
    pub contents: bool,
}

impl Meaning<'_> {
    pub(super) fn traces(&self, traces: raw::Traces) -> Result<Option<Traces>, Error> {
        let headers = self.headers("traces", "", &traces.headers)?;
        let Some(endpoint) = traces.endpoint else {
            if headers.is_empty() {
                return Ok(None);
            }
            let hint = "write where traces go, such as http://127.0.0.1:4318";
            return Err(self.missing("traces", "", "endpoint", hint));
        };
        if let Some(why) = unsafe_url(&endpoint) {
            return Err(self.bad("traces", "", "endpoint", why));
        }
        let base = endpoint.trim_end_matches('/');
        let url = format!("{}{PATH}", base.strip_suffix(PATH).unwrap_or(base));
        Ok(Some(Traces { url, headers, contents: traces.contents == raw::Switch::On }))
    }
}
