//! `[apis.NAME]`: how to reach an API, instead of what its own description says.

use serde::Deserialize;
use serde::de::{Deserializer, Error};

use super::error::quoted;
use super::secret::Secret;
use super::url::Url;
use super::values::section;

section! {
    /// How to reach an API.
    #[derive(Eq)]
    pub struct Api {
        /// Servers to use instead of the ones the API names itself; empty if not set.
        #[serde(deserialize_with = "Url::many")]
        pub hosts: Vec<String>,
        /// URL of a server list to use instead of the API's own.
        #[serde(deserialize_with = "Url::one")]
        pub host_list: Option<String>,
        /// Hosts on this machine or in a private network that may be contacted, each with its port.
        #[serde(deserialize_with = "hosts_and_ports")]
        pub private: Vec<(String, u16)>,
        /// Where its key is kept.
        #[serde(rename = "api_key_*")]
        pub key: Option<Secret>,
        /// The header field that carries the key, instead of what the API's own description says.
        #[serde(rename = "api_key_header", deserialize_with = "header_name")]
        pub key_header: Option<String>,
    }
}

fn hosts_and_ports<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<(String, u16)>, D::Error> {
    let parted = |written: String| {
        let parts = written.rsplit_once(':').and_then(|(host, port)| Some((host, port.parse().ok()?)));
        match parts.filter(|(host, _)| !host.is_empty() && !host.contains('/')) {
            Some((host, port)) => Ok((host.trim_matches(['[', ']']).to_owned(), port)),
            None => Err(D::Error::custom(format!(
                "must be hosts with their port such as 127.0.0.1:8080, not {:?}",
                quoted(&written)
            ))),
        }
    };
    Vec::<String>::deserialize(deserializer)?.into_iter().map(parted).collect()
}

fn header_name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let name = String::deserialize(deserializer)?;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    if !name.is_empty() && name.bytes().all(is_plain) {
        return Ok(Some(name));
    }
    Err(D::Error::custom("must be the name of a header field such as X-Api-Key"))
}
