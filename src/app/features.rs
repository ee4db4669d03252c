//! The parts of sayso other than its workflows: how `sayso doctor` checks each, and what each does in the background
//! while a process drives.

use super::accounts::{check_accounts, check_calendar};
use super::apis::Apis;
use super::background::Background;
use super::demo_script::is_demo;
use super::intake::Intake;
use super::models::check_models;
use super::node_services::{check_python, check_reader};
use super::notices::Notices;
use super::setup::Setup;
use super::traces::{Traces, check_traces};
use crate::config::{Config, Env, MailMode};
use crate::connect::codex::AppServer;
use crate::connect::langgraph::{Servers, check_servers};
use crate::connect::setup::check_agents;
use crate::engine::graph::BoxFuture;
use crate::inbox::door::Inbox;
use serde::Serialize;
use std::sync::Arc;

pub struct Feature {
    /// Checks it with this config, without changing anything.
    pub check: for<'a> fn(&'a Config, &'a Env) -> BoxFuture<'a, Vec<Check>>,
    /// Its background work; `None` if the config does not ask for it.
    pub background: fn(&Parts<'_>) -> Option<Arc<dyn Background>>,
}

pub struct Parts<'a> {
    pub setup: &'a Setup,
    pub inbox: &'a Inbox,
    pub intake: Option<&'a Intake>,
}

impl Feature {
    /// No check and no background work.
    const NOTHING: Self = Self { check: |_, _| Box::pin(async { Vec::new() }), background: |_| None };
}

/// All features, in the order in which `sayso doctor` reports them.
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
        background: |Parts { setup, inbox, .. }| Traces::task(inbox, &setup.config, &setup.env),
    },
    Feature { check: |config, _| Box::pin(sheet(config)), ..Feature::NOTHING },
    Feature { background: |parts| Notices::task(parts.inbox, &parts.setup.config), ..Feature::NOTHING },
    Feature { background: |parts| Some(Arc::new(Expiry(parts.inbox.clone()))), ..Feature::NOTHING },
];

#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    pub check: &'static str,
    pub ok: bool,
    pub text: String,
    /// Whether it works, but hardly as it was meant.
    #[serde(skip)]
    pub warns: bool,
}

impl Check {
    pub fn good(check: &'static str, text: impl Into<String>) -> Self {
        Self { check, ok: true, text: text.into(), warns: false }
    }

    pub fn bad(check: &'static str, text: impl Into<String>) -> Self {
        Self { check, ok: false, text: text.into(), warns: false }
    }

    fn new(check: &'static str, result: Result<String, String>) -> Self {
        match result {
            Ok(result) => Self::good(check, result),
            Err(why) => Self::bad(check, why),
        }
    }

    /// A check of one of several things, prefixed with its name.
    fn named(check: &'static str, (name, result): (String, Result<String, String>)) -> Self {
        let check = Self::new(check, result);
        if name.is_empty() { check } else { Self { text: format!("{name}: {}", check.text), ..check } }
    }
}

/// Calls every configured model a few times, with a handful of tokens.
async fn models(config: &Config, env: &Env) -> Vec<Check> {
    let checked = check_models(&Arc::new(config.clone()), env).await;
    let check = |(label, result): (String, Result<String, String>)| match result {
        // The default model needs no label.
        Ok(result) if label == "model" => Check::good("model", result),
        Ok(result) => Check::good("model", format!("{label}: {result}")),
        Err(why) => Check::bad("model", why),
    };
    checked.into_iter().map(check).collect()
}

/// Reaches every account and the calendar, and changes nothing in them.
async fn mail(config: &Config) -> Vec<Check> {
    let accounts =
        check_accounts(config).await.into_iter().zip(&config.mail).map(|((name, result), mail)| {
            let warns = mail.mode == MailMode::Act && mail.outgoing.is_none();
            Check { warns, ..Check::named("mail", (format!("account {name}"), result)) }
        });
    let calendar = check_calendar(config).await.map(|result| Check::new("calendar", result));
    accounts.chain(calendar).collect()
}

/// Asks every server what it is and what waits there.
async fn servers(config: &Config, env: &Env) -> Vec<Check> {
    check_servers(config, env).await.into_iter().map(|server| Check::named("server", server)).collect()
}

/// Asks every coding agent on this machine for its version, and its hook for an answer.
async fn agents(env: &Env) -> Vec<Check> {
    check_agents(env).await.into_iter().map(|agent| Check::named("agent", agent)).collect()
}

/// Checks every API without calling it.
async fn apis(config: &Config, env: &Env) -> Vec<Check> {
    let apis = Apis::new(config, env.clone());
    apis.check().into_iter().map(|api| Check::named("api", api)).collect()
}

/// Sends an empty request to the trace server.
async fn traces(config: &Config, env: &Env) -> Vec<Check> {
    let checked = check_traces(config, env).await;
    checked.map(|result| Check::new("traces", result)).into_iter().collect()
}

async fn sheet(config: &Config) -> Vec<Check> {
    let python = match check_python(config).await {
        // Nobody has asked for one.
        Err(why) if config.sheet.python == "auto" => Check { warns: true, ..Check::good("python", why) },
        checked => Check::new("python", checked),
    };
    vec![Check::new("reader", check_reader().await), python]
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
