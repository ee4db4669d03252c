//! `[apis.NAME]`: how an API is reached, where that is not as its own description says.

use std::collections::BTreeMap;

use super::error::{Error, quoted};
use super::raw;
use super::resolve::{Meaning, wrong_with_url};
use super::secret::Secret;

/// How an API is reached.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Api {
    /// Its servers, in place of those it names itself; empty where it is not said.
    pub hosts: Vec<String>,
    /// Where its list of servers is, in place of where it says itself.
    pub host_list: Option<String>,
    /// Hosts that may be on this machine or in a private network, each with its port.
    pub private: Vec<(String, u16)>,
    /// Where its key is kept.
    pub key: Option<Secret>,
}

impl Meaning<'_> {
    pub(super) fn apis(&self, apis: BTreeMap<String, raw::Api>) -> Result<BTreeMap<String, Api>, Error> {
        let mut meant = BTreeMap::new();
        for (name, api) in apis {
            let api = self.api(&name, api)?;
            meant.insert(name, api);
        }
        Ok(meant)
    }

    fn api(&self, name: &str, api: raw::Api) -> Result<Api, Error> {
        let bad = |key: &str, why: &str| self.bad("apis", name, key, why);
        let hosts = api.hosts.clone().unwrap_or_default();
        if let Some(why) = hosts.iter().find_map(|url| wrong_with_url(url)) {
            return Err(bad("hosts", why));
        }
        if let Some(why) = api.host_list.as_deref().and_then(wrong_with_url) {
            return Err(bad("host_list", why));
        }
        let mut private = Vec::new();
        for written in &api.private {
            let parted = written.rsplit_once(':').and_then(|(host, port)| Some((host, port.parse().ok()?)));
            let Some((host, port)) = parted.filter(|(host, _)| !host.is_empty() && !host.contains('/'))
            else {
                let why = format!(
                    "must be hosts with their port such as 127.0.0.1:8080, not {:?}",
                    quoted(written)
                );
                return Err(bad("private", &why));
            };
            private.push((host.trim_matches(['[', ']']).to_owned(), port));
        }
        let keys = [&api.api_key_env, &api.api_key_command, &api.api_key_file];
        let key = self.api_key("apis", name, keys)?;
        Ok(Api { hosts, host_list: api.host_list, private, key })
    }
}
