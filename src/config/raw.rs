//! The file as typed: one struct a section, one field a key, defaults filled in by the key table.
//!
//! Fields are plain where the table has a default, and optional where it has none. Says nothing about meaning.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::raw_mail as mail;
use super::settings::{Desktop, Level, Provider, ThemeName};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    pub(super) user: User,
    pub(super) model: Model,
    pub(super) models: BTreeMap<String, Model>,
    pub(super) workflow: BTreeMap<String, BTreeMap<String, String>>,
    pub(super) prices: BTreeMap<String, Prices>,
    pub(super) approvals: Approvals,
    pub(super) budget: Budget,
    pub(super) engine: Engine,
    pub(super) google: Google,
    pub(super) mail: Vec<mail::Mail>,
    pub(super) rule: Vec<mail::Rule>,
    pub(super) calendar: mail::Calendar,
    pub(super) intake: mail::Intake,
    pub(super) learning: mail::Learning,
    pub(super) policy: BTreeMap<String, mail::Policy>,
    pub(super) apis: BTreeMap<String, Api>,
    pub(super) sheet: Sheet,
    pub(super) server: Vec<Server>,
    pub(super) theme: Theme,
    pub(super) notices: Notices,
    pub(super) traces: Traces,
    pub(super) keys: BTreeMap<String, Vec<String>>,
    pub(super) log: Log,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct User {
    pub(super) name: Option<String>,
    pub(super) background: Option<String>,
    pub(super) time_zone: Option<String>,
    pub(super) address: Option<String>,
    pub(super) aliases: Vec<String>,
    pub(super) signature: Option<String>,
    pub(super) quote: Switch,
    pub(super) remind_after: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Model {
    pub(super) provider: Provider,
    pub(super) name: Option<String>,
    pub(super) base_url: Option<String>,
    pub(super) api_key_env: Option<String>,
    pub(super) api_key_command: Option<String>,
    pub(super) api_key_file: Option<String>,
    pub(super) max_concurrent: usize,
    pub(super) requests_per_minute: Option<u32>,
    pub(super) timeout_seconds: u64,
    pub(super) context_tokens: Option<u64>,
    pub(super) max_output_tokens: Option<u64>,
    pub(super) temperature: Option<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Google {
    pub(super) client_id: Option<String>,
    pub(super) client_secret_env: Option<String>,
    pub(super) client_secret_command: Option<String>,
    pub(super) client_secret_file: Option<String>,
    pub(super) auth_url: String,
    pub(super) token_url: String,
    pub(super) gmail_url: String,
    pub(super) calendar_url: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Api {
    pub(super) hosts: Option<Vec<String>>,
    pub(super) host_list: Option<String>,
    pub(super) private: Vec<String>,
    pub(super) api_key_env: Option<String>,
    pub(super) api_key_command: Option<String>,
    pub(super) api_key_file: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Sheet {
    pub(super) max_steps: u32,
    pub(super) with_informer: Switch,
    pub(super) seconds: u64,
    pub(super) memory_mb: u64,
    pub(super) output_kb: usize,
    pub(super) max_rows: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Server {
    pub(super) name: Option<String>,
    pub(super) url: Option<String>,
    pub(super) api_key_env: Option<String>,
    pub(super) api_key_command: Option<String>,
    pub(super) api_key_file: Option<String>,
    pub(super) token_command: Option<String>,
    pub(super) headers: Vec<String>,
    pub(super) graphs: Vec<String>,
    pub(super) assistants: Vec<String>,
    pub(super) metadata: Vec<String>,
    pub(super) every_seconds: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Prices {
    pub(super) input: Option<f64>,
    pub(super) output: Option<f64>,
    pub(super) cached: Option<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Approvals {
    pub(super) hold_seconds: u64,
    pub(super) expire: String,
    pub(super) expire_kinds: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Budget {
    pub(super) day: f64,
    pub(super) thread: f64,
    pub(super) calls_per_thread: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Engine {
    pub(super) concurrency: usize,
    pub(super) node_timeout_seconds: u64,
    pub(super) step_limit: u64,
    pub(super) retries: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Log {
    pub(super) level: Level,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Theme {
    pub(super) name: ThemeName,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Notices {
    pub(super) bell: Switch,
    pub(super) desktop: Desktop,
    pub(super) command: Vec<String>,
    pub(super) kinds: Vec<String>,
    pub(super) quiet: Option<String>,
    pub(super) every_seconds: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Traces {
    pub(super) endpoint: Option<String>,
    pub(super) headers: Vec<String>,
    pub(super) contents: Switch,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Switch {
    On,
    Off,
}
