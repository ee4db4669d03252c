//! The services that nodes use, built from the config and the store.

use super::apis::catalogue_store;
use super::demo_script::demo_web;
use super::models::{ConfiguredModels, plays_demo_script};
use crate::agent::{Accounts, MailCache, Records, Services};
use crate::calendar;
use crate::config::{Config, Env};
use crate::engine::store::Store;
use crate::tools::cage::PythonFinder;
use crate::tools::http::Http;
use crate::tools::sandbox::Sandbox;
use std::sync::Arc;

pub(super) fn services(
    config: &Arc<Config>,
    env: Env,
    store: &Store,
    accounts: Arc<dyn Accounts>,
) -> Services {
    let clock = store.clone();
    Services {
        models: Arc::new(ConfiguredModels::new(config.clone(), env.clone())),
        records: Records::new(config.clone(), store.clone()),
        accounts,
        mails: MailCache::default(),
        calendar: config.calendar.as_ref().map(|c| calendar::open(c, config.user.time_zone.clone())),
        sandbox: Sandbox::of_this_program(),
        pythons: PythonFinder::new(&config.sheet.python, Sandbox::of_this_program()),
        sheet: config.sheet.clone(),
        rules: config.rules.clone(),
        apis: catalogue_store(config, env),
        http: if plays_demo_script(config) { demo_web(&config.data) } else { Http::default() },
        user: config.user.clone(),
        clock: Arc::new(move || clock.now()),
    }
}

/// Which Python `sheet` uses, and what it can do; an error if the config names one that is not available.
pub async fn check_python(config: &Config) -> Result<String, String> {
    let configured = &config.sheet.python;
    match PythonFinder::new(configured, Sandbox::of_this_program()).get().await {
        Ok(cage) => {
            let interpreter = cage.interpreter();
            Ok(format!(
                "sheet uses {}, {}, caged by {}",
                interpreter.text(),
                interpreter.program.display(),
                cage.walls()
            ))
        }
        Err(None) => Ok("sheet uses the embedded Python, as the config says".to_owned()),
        Err(Some(why)) if configured == "auto" => Ok(format!("sheet uses the embedded Python: {why}")),
        Err(Some(why)) => {
            Err(format!("sheet.python is {configured}, and the embedded Python is used: {why}"))
        }
    }
}

/// Whether model-written code can run here, and what confines it. Starts a child that runs a line and tries what must
/// be impossible.
pub async fn check_sandbox() -> Result<String, String> {
    match Sandbox::of_this_program().check().await {
        Ok(layers) => {
            Ok(format!("code runs in a child without files, network or programs: {}", layers.text()))
        }
        Err(error) => Err(error.to_string()),
    }
}
