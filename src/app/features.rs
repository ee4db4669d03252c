//! The parts that sayso is put together from beside its workflows: how each is checked by `sayso doctor`, and what it
//! does in the background while a process drives.

use super::accounts::{check_accounts, check_calendar};
use super::apis::Apis;
use super::background::Background;
use super::intake::Intake;
use super::models::check_models;
use super::node_services::{check_python, check_sandbox};
use super::notices::Notices;
use super::setup::{Setup, is_demo};
use super::traces::{Traces, check_traces};
use crate::agents::codex::AppServer;
use crate::agents::connect::check_agents;
use crate::agents::langgraph::{Servers, check_servers};
use crate::config::{Config, Env};
use crate::graph::BoxFuture;
use crate::service::Inbox;
use serde::Serialize;
use std::sync::Arc;

/// One part of sayso.
pub struct Feature {
    /// How it stands by this config; nothing in it is changed.
    pub check: for<'a> fn(&'a Config, &'a Env) -> BoxFuture<'a, Vec<Check>>,
    /// What it does in the background; `None` if the config does not want it.
    pub background: fn(&Parts<'_>) -> Option<Arc<dyn Background>>,
}

/// What background work is made from.
pub struct Parts<'a> {
    pub setup: &'a Setup,
    pub inbox: &'a Inbox,
    pub intake: Option<&'a Intake>,
}

impl Feature {
    /// Nothing to check, and nothing to do.
    const NOTHING: Self = Self { check: |_, _| Box::pin(async { Vec::new() }), background: |_| None };
}

/// All of them, in the order in which `sayso doctor` names them.
pub const FEATURES: &[Feature] = &[
    Feature { check: |config, env| Box::pin(models(config, env)), ..Feature::NOTHING },
    Feature {
        check: |config, _| Box::pin(mail(config)),
        background: |parts| Some(Arc::new(parts.intake?.clone())),
    },
    Feature {
        check: |config, env| Box::pin(servers(config, env)),
        background: |parts| Some(Arc::new(parts.setup.servers(parts.inbox.engine())?)),
    },
    Feature {
        check: |_, env| Box::pin(agents(env)),
        background: |Parts { setup, inbox, .. }| {
            let server = AppServer::new(inbox, &setup.env).filter(|_| !is_demo(&setup.config.data))?;
            Some(Arc::new(server))
        },
    },
    Feature { check: |config, env| Box::pin(apis(config, env)), ..Feature::NOTHING },
    Feature {
        check: |config, env| Box::pin(traces(config, env)),
        background: |Parts { setup, inbox, .. }| {
            Some(Traces::task(inbox.engine(), &setup.config, &setup.env, Traces::WAIT))
        },
    },
    Feature { check: |config, _| Box::pin(sandbox(config)), ..Feature::NOTHING },
    Feature { background: |parts| Notices::task(parts.inbox, &parts.setup.config), ..Feature::NOTHING },
    Feature { background: |parts| Some(Arc::new(Expiry(parts.inbox.clone()))), ..Feature::NOTHING },
];

/// One thing that was looked at.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    pub check: &'static str,
    pub ok: bool,
    pub text: String,
}

impl Check {
    pub fn good(check: &'static str, text: impl Into<String>) -> Self {
        Self { check, ok: true, text: text.into() }
    }

    pub fn bad(check: &'static str, text: impl Into<String>) -> Self {
        Self { check, ok: false, text: text.into() }
    }

    fn new(check: &'static str, said: Result<String, String>) -> Self {
        Self { check, ok: said.is_ok(), text: said.unwrap_or_else(|why| why) }
    }

    /// The same about one of several, by its name.
    fn named(check: &'static str, (name, said): (String, Result<String, String>)) -> Self {
        let check = Self::new(check, said);
        if name.is_empty() { check } else { Self { text: format!("{name}: {}", check.text), ..check } }
    }
}

/// Every configured model is called a few times, with a handful of tokens.
async fn models(config: &Config, env: &Env) -> Vec<Check> {
    let checked = check_models(&Arc::new(config.clone()), env).await;
    let check = |(label, said): (String, Result<String, String>)| match said {
        // The key that all else falls back to needs no name.
        Ok(said) if label == "model" => Check::good("model", said),
        Ok(said) => Check::good("model", format!("{label}: {said}")),
        Err(why) => Check::bad("model", why),
    };
    checked.into_iter().map(check).collect()
}

/// Every account and the calendar are reached, and nothing in them is changed.
async fn mail(config: &Config) -> Vec<Check> {
    let accounts = check_accounts(config).await.into_iter().map(|account| Check::named("mail", account));
    let calendar = check_calendar(config).await.map(|said| Check::new("calendar", said));
    accounts.chain(calendar).collect()
}

/// Every server is asked what it is and what waits there.
async fn servers(config: &Config, env: &Env) -> Vec<Check> {
    check_servers(config, env).await.into_iter().map(|server| Check::named("server", server)).collect()
}

/// Every coding agent on this machine is asked for its version, and its hook for an answer.
async fn agents(env: &Env) -> Vec<Check> {
    check_agents(env).await.into_iter().map(|agent| Check::named("agent", agent)).collect()
}

/// Every API is looked at, and none is asked anything.
async fn apis(config: &Config, env: &Env) -> Vec<Check> {
    let apis = Apis::new(config, env.clone());
    apis.check().into_iter().map(|api| Check::named("api", api)).collect()
}

/// The server that takes traces is sent none.
async fn traces(config: &Config, env: &Env) -> Vec<Check> {
    let checked = check_traces(&Arc::new(config.clone()), env).await;
    checked.map(|said| Check::new("traces", said)).into_iter().collect()
}

async fn sandbox(config: &Config) -> Vec<Check> {
    vec![Check::new("sandbox", check_sandbox().await), Check::new("python", check_python(config).await)]
}

impl Background for Intake {
    fn run(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.follow_all())
    }
}

impl Background for Servers {
    fn run(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.follow_all())
    }
}

impl Background for AppServer {
    fn run(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.follow())
    }
}

/// Closes requests and questions as their time runs out.
struct Expiry(Inbox);

impl Background for Expiry {
    fn run(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.0.requests().close_expiring())
    }
}
