//! Makes requests: chooses a server, sends, and reads the answer.

use super::cut::cut;
use super::next_page;
use crate::agent::{Records, Services};
use crate::config::Api;
use crate::engine::graph::{BoxFuture, Effect, EffectError, EffectTrace, NodeError};
use crate::text::Visible;
use crate::tools::catalogue::{ApiHosts, ApiRequest, Catalogue, CatalogueStore};
use crate::tools::http::{Call, Http, HttpAnswer, HttpError};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::time::Duration;

/// How many servers are tried for one request and checked for health.
pub(super) const MAX_SERVERS: usize = 4;

/// The longest a server may make us wait.
const MAX_WAIT: Duration = Duration::from_secs(15 * 60);

/// The result of a request.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct ApiResponse {
    pub status: u16,
    pub host: String,
    /// The answer, shortened if it is long.
    pub body: Value,
    /// The digest of the whole answer.
    pub digest: Option<String>,
    /// Says what was left out.
    pub note: Option<String>,
    /// The next page, from the `Link` header.
    pub next_link: Option<String>,
}

impl ApiResponse {
    /// The server's error message, if it gives one.
    pub fn complaint(&self) -> String {
        let message = ["message", "error", "detail", "title", "reason"].iter().find_map(|key| {
            let message = self.body.get(key)?;
            message.as_str().or_else(|| message.get("message")?.as_str())
        });
        let message = message
            .map(|message| format!(": {}", Visible::line(message).chars().take(300).collect::<String>()));
        format!("{} says {}{}", self.host, self.status, message.unwrap_or_default())
    }
}

/// Everything needed to send a request, apart from the request.
#[derive(Clone)]
pub(super) struct ApiClient {
    pub catalogue: Catalogue,
    settings: Api,
    http: Http,
    catalogues: CatalogueStore,
    records: Records,
}

impl ApiClient {
    pub fn new(services: &Services, catalogue: Catalogue) -> Self {
        Self {
            settings: services.apis.settings(&catalogue.name),
            http: services.http.clone(),
            catalogues: services.apis.clone(),
            records: services.records.clone(),
            catalogue,
        }
    }

    pub fn api_hosts(&self) -> ApiHosts<'_> {
        ApiHosts { catalogue: &self.catalogue, settings: self.settings.clone(), http: &self.http }
    }

    async fn key(&self) -> Result<Option<SecretString>, String> {
        if self.settings.key.is_none() {
            return Ok(None);
        }
        let (catalogues, name) = (self.catalogues.clone(), self.catalogue.name.clone());
        // A key may come from a command that asks the person.
        tokio::task::spawn_blocking(move || catalogues.key(&name)).await.map_err(|error| error.to_string())?
    }

    async fn send(&self, filled: &ApiRequest, hosts: &[String]) -> Result<HttpAnswer, HttpError> {
        let refused = |why: String| HttpError::Refused(why);
        let mut call: Call = filled.call().map_err(refused)?;
        let key = self.key().await.map_err(refused)?;
        self.api_hosts().sign(&mut call, key.as_ref().map(ExposeSecret::expose_secret)).map_err(refused)?;
        self.http.send(&call, &self.api_hosts().allowed(hosts)).await
    }

    /// Reads from the first server that answers. `filled` makes the request for a server.
    pub async fn read(
        &self,
        servers: &[String],
        filled: impl Fn(&str) -> Result<ApiRequest, String>,
    ) -> Result<ApiResponse, NodeError> {
        let mut problems = Vec::new();
        for server in servers.iter().take(MAX_SERVERS) {
            let filled = filled(server).map_err(NodeError::failed)?;
            match self.send(&filled, servers).await {
                Ok(answer) if answer.status == 429 => return Err(too_many_requests(server, &answer)),
                Ok(answer) if answer.status >= 500 => {
                    problems.push(HttpError::NoAnswer(format!("{server} says {}", answer.status)));
                }
                Ok(answer) => match self.parse_response(server, &answer).await? {
                    Ok(response) => return Ok(response),
                    Err(why) => problems.push(HttpError::Refused(why)),
                },
                Err(error) => problems.push(error),
            }
        }
        Err(self.unanswered(&problems))
    }

    /// What it means that no server is of use.
    pub fn unanswered(&self, problems: &[HttpError]) -> NodeError {
        if problems.iter().all(|problem| matches!(problem, HttpError::NotFound(_))) {
            // As on a machine without a network.
            let name = &self.catalogue.name;
            return NodeError::transient(format!("{name} cannot be reached; are you online?"));
        }
        let text = problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
        let is_final = problems.iter().all(|problem| matches!(problem, HttpError::Refused(_)));
        if is_final { NodeError::failed(text) } else { NodeError::transient(text) }
    }

    /// The answer as data; the inner error says why it cannot be read.
    async fn parse_response(
        &self,
        server: &str,
        answer: &HttpAnswer,
    ) -> Result<Result<ApiResponse, String>, NodeError> {
        let mut response = ApiResponse {
            status: answer.status,
            host: server.to_owned(),
            next_link: next_page::next_link(&answer.link),
            ..ApiResponse::default()
        };
        let body: Value = match serde_json::from_slice(&answer.body) {
            Ok(body) => body,
            Err(_) if answer.body.iter().all(u8::is_ascii_whitespace) => Value::Null,
            // Errors need not be JSON.
            Err(_) if answer.status >= 400 => Value::Null,
            Err(error) => {
                let kind = Visible::line(&answer.kind);
                return Ok(Err(format!("{server} answers with no JSON that can be read ({kind}: {error})")));
            }
        };
        let body = Visible::json(&body);
        response.digest = Some(self.records.put_blob(body.to_string().into_bytes()).await?);
        (response.body, response.note) = cut(&body, &self.catalogue);
        Ok(Ok(response))
    }
}

fn too_many_requests(server: &str, answer: &HttpAnswer) -> NodeError {
    let retry_after = answer.retry_after.map(Duration::from_secs).map(|wait| wait.min(MAX_WAIT));
    NodeError::Transient { text: format!("{server} has had too many requests (429)"), retry_after }
}

/// A request that a person approved. Its frozen bytes are the request, without the key.
pub(super) struct SendApprovedRequest {
    pub client: ApiClient,
    pub server: String,
    /// Whether it only reads, so that repeating it does no harm.
    pub reads: bool,
}

/// The bytes of a request that are approved and sent.
pub(super) fn frozen(request: &ApiRequest) -> Vec<u8> {
    let mut text = String::new();
    crate::engine::graph::canonical(&serde_json::to_value(request).unwrap_or_default(), &mut text);
    text.into_bytes()
}

impl Effect for SendApprovedRequest {
    fn perform<'a>(&'a self, frozen: &'a [u8]) -> BoxFuture<'a, Result<Value, EffectError>> {
        Box::pin(async move {
            let unreadable = |error: serde_json::Error| EffectError::Refused(error.to_string());
            let filled: ApiRequest = serde_json::from_slice(frozen).map_err(unreadable)?;
            let answer = match self.client.send(&filled, std::slice::from_ref(&self.server)).await {
                Ok(answer) => answer,
                Err(HttpError::Refused(why)) => return Err(EffectError::Refused(why)),
                Err(HttpError::NotFound(why) | HttpError::NotSent(why)) => {
                    return Err(EffectError::NotDone(why));
                }
                Err(HttpError::NoAnswer(why)) => return Err(EffectError::Unknown(why)),
            };
            match answer.status {
                429 => Err(EffectError::NotDone(format!("{} has had too many requests (429)", self.server))),
                500.. => Err(EffectError::Unknown(format!("{} says {}", self.server, answer.status))),
                _ => {
                    let response = self.client.parse_response(&self.server, &answer).await;
                    // The request was made and answered, even if the answer cannot be read.
                    let response = response
                        .map_err(|error| EffectError::Unknown(error.to_string()))?
                        .unwrap_or_else(|why| ApiResponse {
                            status: answer.status,
                            host: self.server.clone(),
                            note: Some(why),
                            ..ApiResponse::default()
                        });
                    serde_json::to_value(response).map_err(|error| EffectError::Unknown(error.to_string()))
                }
            }
        })
    }

    fn find<'a>(&'a self, _: &'a [u8]) -> BoxFuture<'a, EffectTrace> {
        Box::pin(async move {
            if self.reads {
                return EffectTrace::NotDone;
            }
            EffectTrace::Unknown(format!("{} cannot be asked whether it has had this request", self.server))
        })
    }
}
