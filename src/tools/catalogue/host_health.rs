//! Finds the servers of an API, and checks which of them are healthy.

use super::{Auth, Catalogue};
use crate::config::Api;
use crate::tools::http::{Call, Host, Http, HttpError, Method};
use reqwest::Url;
use serde_json::Value;

/// How many servers of a list we consider.
const MAX_HOSTS: usize = 50;

/// An API, and how the config wants it reached.
pub struct ApiHosts<'a> {
    pub catalogue: &'a Catalogue,
    /// What the config says about it.
    pub settings: Api,
    pub http: &'a Http,
}

impl ApiHosts<'_> {
    /// The servers we know without asking anybody.
    pub fn known_hosts(&self) -> Vec<String> {
        let hosts = if self.settings.hosts.is_empty() { &self.catalogue.hosts } else { &self.settings.hosts };
        hosts.iter().map(|host| host.trim_end_matches('/').to_owned()).collect()
    }

    /// The servers to use: those in the config, else in the provider's list, else the known ones.
    pub async fn hosts(&self) -> Vec<String> {
        if self.settings.hosts.is_empty()
            && let Some(listed) = self.listed().await.filter(|listed| !listed.is_empty())
        {
            return listed;
        }
        self.known_hosts()
    }

    async fn listed(&self) -> Option<Vec<String>> {
        let list = self.catalogue.host_list.as_ref()?;
        let url = self.settings.host_list.clone().unwrap_or_else(|| list.url.clone());
        let host = self.host(&url)?;
        let answer = self.http.send(&get(&url), &[host]).await.ok().filter(|answer| answer.status == 200)?;
        let answer: Value = serde_json::from_slice(&answer.body).ok()?;
        let urls = answer.pointer(&list.at)?.as_array()?.iter().filter_map(Value::as_str);
        let usable = urls.filter(|url| self.is_usable(url)).map(|url| url.trim_end_matches('/').to_owned());
        Some(usable.take(MAX_HOSTS).collect())
    }

    /// A list comes from outside: it may name public https servers, and whatever the config allows.
    fn is_usable(&self, url: &str) -> bool {
        let private = self.host(url).is_some_and(|host| host.private);
        Url::parse(url).is_ok_and(|url| url.scheme() == "https" && url.query().is_none()) || private
    }

    /// Asks a server whether it is healthy; the error says what is wrong with it.
    pub async fn health(&self, base: &str) -> Result<(), HttpError> {
        let Some(health) = &self.catalogue.health else { return Ok(()) };
        let unhealthy = |why: String| Err(HttpError::NoAnswer(format!("{base} {why}")));
        let url = format!("{base}{}", health.path);
        let answer = self.http.send(&get(&url), &self.allowed(&[base.to_owned()])).await?;
        if answer.status != 200 {
            return unhealthy(format!("answered its health check with {}", answer.status));
        }
        let Ok(body) = serde_json::from_slice::<Value>(&answer.body) else {
            return unhealthy("did not answer its health check properly".to_owned());
        };
        if !health.at.is_empty() && body.pointer(&health.at) == Some(&Value::Bool(false)) {
            return unhealthy("reports that it is unhealthy".to_owned());
        }
        Ok(())
    }

    /// The hosts that requests to these servers may go to.
    pub fn allowed(&self, bases: &[String]) -> Vec<Host> {
        bases.iter().filter_map(|base| self.host(base)).collect()
    }

    fn host(&self, url: &str) -> Option<Host> {
        let url = Url::parse(url).ok()?;
        let name = url.host_str()?.trim_matches(['[', ']']).to_owned();
        let port = url.port_or_known_default()?;
        let private =
            self.settings.private.iter().any(|(host, at)| host.eq_ignore_ascii_case(&name) && *at == port);
        Some(Host { name, port: url.port(), private })
    }

    /// Adds the key to a request, if the config has one.
    pub fn sign(&self, call: &mut Call, key: Option<&str>) -> Result<(), String> {
        let (Some(auth), Some(key)) = (self.catalogue.auth_with(&self.settings), key) else { return Ok(()) };
        match auth {
            Auth::Header { name } => call.headers.push((name, key.to_owned())),
            Auth::Bearer => call.headers.push(("authorization".to_owned(), format!("Bearer {key}"))),
            Auth::Query { name } => {
                let mut url =
                    Url::parse(&call.url).map_err(|error| format!("that is no address: {error}"))?;
                url.query_pairs_mut().append_pair(&name, key);
                call.url = url.to_string();
            }
        }
        Ok(())
    }
}

fn get(url: &str) -> Call {
    let accept = ("accept".to_owned(), "application/json".to_owned());
    Call { method: Method::Get, url: url.to_owned(), headers: vec![accept], body: None }
}
