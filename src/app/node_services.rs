//! The services that nodes use, built from the config and the store.

use super::apis::catalogue_store;
use super::demo_script::demo_web;
use super::models::{ConfiguredModels, plays_demo_script};
use crate::agent::{Accounts, MailCache, Records, Services};
use crate::calendar;
use crate::config::{Config, Env};
use crate::engine::store::Store;
use crate::tools::cage::{Cage, Environment, Needs, PythonFinder, Reader};
use crate::tools::http::Http;
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
        reader: Reader::of_this_program(),
        python: Arc::new(python_finder(config)),
        sheet: config.sheet.clone(),
        rules: config.rules.clone(),
        apis: catalogue_store(config, env),
        http: if plays_demo_script(config) { demo_web(&config.data) } else { Http::default() },
        user: config.user.clone(),
        clock: Arc::new(move || clock.now()),
    }
}

fn python_finder(config: &Config) -> PythonFinder {
    let environment = Environment::of(&config.data);
    PythonFinder::new(&config.sheet.python, Reader::of_this_program()).or_own(environment)
}

/// Which Python `sheet` uses, and what it can do; an error if there is none.
pub async fn check_python(config: &Config) -> Result<String, String> {
    let finder = python_finder(config);
    let told = |cage: Cage| {
        let (text, program) = (cage.interpreter().text(), cage.interpreter().program.display().to_string());
        format!("{text}, {program}, caged by {}", cage.walls())
    };
    match finder.get(Needs::Openpyxl).await {
        Ok(cage) => Ok(format!("sheet uses {}", told(cage))),
        Err(why) => match finder.get(Needs::Nothing).await {
            Ok(cage) => Err(format!("sheet can work on .csv alone, with {}: {why}", told(cage))),
            Err(why) => Err(format!("sheet has no Python to run code in: {why}")),
        },
    }
}

/// Whether workbooks can be read here, and what confines that. Starts a child that tries what must be impossible.
pub async fn check_reader() -> Result<String, String> {
    match Reader::of_this_program().check().await {
        Ok(layers) => {
            Ok(format!("workbooks are read in a child without files, network or programs: {}", layers.text()))
        }
        Err(error) => Err(error.to_string()),
    }
}
