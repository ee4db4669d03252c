//! From what was typed to what is meant: names looked up, values checked together.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

use jiff::civil::Time;
use jiff::tz::TimeZone;
use serde::Deserialize as _;

use super::describe::{Setting, settings};
use super::entries::{Address, Entries};
use super::error::{Error, quoted};
use super::inputs::Inputs;
use super::layers::{self, BUILTIN, Picked};
use super::mail::{Intake, Learning};
use super::origin::Origin;
use super::paths::{Paths, expand};
use super::raw;
use super::secret::Secret;
use super::settings::{
    Approvals, Budget, Config, Engine, Model, NoticeCommand, Notices, Price, Provider, User,
};
use crate::text::Visible;

/// Lays `text`, the environment and the flags over the defaults, and says what all of it means.
pub(super) fn resolve(inputs: &Inputs, paths: Paths, text: Option<&str>) -> Result<Config, Error> {
    let written = paths.config.as_deref().zip(text);
    let (entries, picked) = layers::lay(inputs, written)?;

    let mut file = raw::File::deserialize(entries.to_table()).map_err(|error| Error::Syntax {
        // Cannot happen while the key table and the structs agree, which a test holds.
        message: error.message().to_owned(),
        at: paths.config_origin.clone(),
    })?;
    let base = paths.config.as_deref().and_then(Path::parent).unwrap_or(&inputs.host.working_dir);
    let meaning = Meaning { entries: &entries, inputs, base };
    let expiry = meaning.expiry(&mut file)?;
    let mut models = BTreeMap::new();
    for (name, model) in file.models {
        models.insert(name.clone(), meaning.model("models", &name, model)?);
    }
    meaning.workflow_models(&file.workflow, &models)?;
    // A picked model keeps its name, so that it and `[models.NAME]` share one set of limits.
    let model = match picked.as_ref().and_then(|picked| models.get(&picked.name)) {
        Some(model) => model.clone(),
        None => meaning.model("model", "", file.model)?,
    };
    let user = meaning.user(file.user)?;
    let prices = meaning.prices(file.prices)?;
    let google = meaning.google(file.google, &paths.data)?;
    let mail = meaning.mail(file.mail, &user, &google)?;
    let rules = meaning.rules(file.rule, &mail)?;
    let calendar = meaning.calendar(file.calendar, &user, &mail, &google)?;
    let policies = meaning.policies(file.policy)?;
    let apis = meaning.apis(file.apis)?;
    let notice_command = meaning.notice_command(&file.notices)?;
    let servers = meaning.servers(file.server)?;
    let traces = meaning.traces(file.traces)?;
    let picked_name = picked.as_ref().map(|picked| picked.name.clone());
    let read = text.and(paths.config.clone());
    let settings =
        head(&paths, read.is_some(), picked).into_iter().chain(settings(&entries, &inputs.env)).collect();

    Ok(Config {
        data: paths.data,
        file: read,
        user,
        model,
        models,
        prices,
        approvals: Approvals { hold: Duration::from_secs(file.approvals.hold_seconds), expiry },
        budget: Budget {
            day: file.budget.day,
            thread: file.budget.thread,
            calls_per_thread: file.budget.calls_per_thread,
        },
        engine: Engine {
            concurrency: file.engine.concurrency,
            node_timeout: Duration::from_secs(file.engine.node_timeout_seconds),
            step_limit: file.engine.step_limit,
            retries: file.engine.retries,
        },
        mail,
        rules,
        calendar,
        intake: Intake {
            first_days: file.intake.first_days,
            first_limit: file.intake.first_limit,
            ask_over: file.intake.ask_over,
            every_seconds: file.intake.every_seconds,
            unread_only: file.intake.unread_only == raw::Switch::On,
        },
        learning: Learning { delay: Duration::from_secs(file.learning.delay_seconds) },
        policies,
        apis,
        servers,
        sheet: file.sheet.meant(),
        theme: file.theme.name,
        notice_command,
        notices: Notices { bell: file.notices.bell == raw::Switch::On, desktop: file.notices.desktop },
        traces,
        keys: file.keys,
        log: file.log.level,
        workflows: file.workflow,
        picked: picked_name,
        settings,
    })
}

/// The rows that are not keys of the file: where things are, and which model was picked.
fn head(paths: &Paths, was_read: bool, picked: Option<Picked>) -> Vec<Setting> {
    let row = |key: &str, value: &str, origin: &Origin| Setting {
        key: key.to_owned(),
        value: Visible::line(value),
        origin: origin.clone(),
    };
    let config = match &paths.config {
        Some(path) if was_read => path.display().to_string(),
        Some(path) => format!("(none; {} would be read)", path.display()),
        None => "(none)".to_owned(),
    };
    let mut rows = vec![
        row("data", &paths.data.display().to_string(), &paths.data_origin),
        row("config", &config, &paths.config_origin),
    ];
    rows.extend(picked.map(|picked| row("model", &picked.name, &picked.origin)));
    rows
}

/// Gives single values their meaning, and knows where each was written should it have none.
pub(super) struct Meaning<'a> {
    pub(super) entries: &'a Entries,
    pub(super) inputs: &'a Inputs,
    /// The folder relative paths start at.
    pub(super) base: &'a Path,
}

impl Meaning<'_> {
    pub(super) fn bad(&self, section: &'static str, name: &str, key: &str, why: impl Into<String>) -> Error {
        let at = self.entries.origin(section, name, key);
        Error::BadValue { key: Address::new(section, name, key).to_string(), at, why: why.into() }
    }

    fn notice_command(&self, notices: &raw::Notices) -> Result<Option<NoticeCommand>, Error> {
        const KINDS: [&str; 4] = ["triage", "approval", "question", "trouble"];
        if let Some(odd) = notices.kinds.iter().find(|kind| !KINDS.contains(&kind.as_str())) {
            let why = format!("has no kind {:?}; choose among {}", quoted(odd), KINDS.join(", "));
            return Err(self.bad("notices", "", "kinds", why));
        }
        let hours = |text: &String| {
            let read = text.split_once('-').and_then(|(from, until)| {
                let time = |text: &str| Time::strptime("%H:%M", text.trim()).ok();
                Some((time(from)?, time(until)?))
            });
            let why = format!("must be two times such as 22:00-07:00, not {:?}", quoted(text));
            read.ok_or_else(|| self.bad("notices", "", "quiet", why))
        };
        let quiet = notices.quiet.as_ref().map(hours).transpose()?;
        let mut command = notices.command.clone();
        if let Some(program) = command.first_mut().filter(|program| program.starts_with("~/")) {
            *program = self.path(program).to_string_lossy().into_owned();
        }
        let (kinds, every) = (notices.kinds.clone(), Duration::from_secs(notices.every_seconds));
        let is_there = command.first().is_some_and(|program| !program.is_empty());
        Ok(is_there.then_some(NoticeCommand { command, kinds, quiet, every }))
    }

    fn user(&self, user: raw::User) -> Result<User, Error> {
        let time_zone = match &user.time_zone {
            None => self.inputs.host.time_zone.clone(),
            Some(name) if self.inputs.host.time_zone.iana_name() == Some(name) => {
                self.inputs.host.time_zone.clone()
            }
            Some(name) => TimeZone::get(name).map_err(|_| {
                let why =
                    format!("has no time zone {:?}; write one such as Europe/Paris or UTC", quoted(name));
                self.bad("user", "", "time_zone", why)
            })?,
        };
        for address in user.address.iter() {
            self.mail_address("user", "", "address", address)?;
        }
        for address in &user.aliases {
            self.mail_address("user", "", "aliases", address)?;
        }
        Ok(User {
            name: user.name.unwrap_or_default(),
            background: user.background.unwrap_or_default(),
            time_zone,
            address: user.address.unwrap_or_default(),
            aliases: user.aliases,
            signature: user.signature.unwrap_or_default(),
            quote: user.quote == raw::Switch::On,
            home: self.inputs.host.home.clone(),
            remind_after: self.lasting("user", "", "remind_after", &user.remind_after)?,
        })
    }

    fn model(&self, section: &'static str, name: &str, model: raw::Model) -> Result<Model, Error> {
        let api_key =
            self.api_key(section, name, [&model.api_key_env, &model.api_key_command, &model.api_key_file])?;
        if let Some(why) = model.base_url.as_deref().and_then(wrong_with_url) {
            return Err(self.bad(section, name, "base_url", why));
        }
        let called = model.name.filter(|called| !called.trim().is_empty());
        let called = match (model.provider, called) {
            (Provider::Builtin, _) => BUILTIN.to_owned(),
            (_, Some(called)) => called,
            (provider, None) => {
                return Err(Error::MissingKey {
                    section: Address::new(section, name, "").header(),
                    key: "name",
                    at: self.entries.origin(section, name, "provider"),
                    hint: format!("write what {} calls the model", provider.name()),
                });
            }
        };
        Ok(Model {
            label: if name.is_empty() { section.to_owned() } else { name.to_owned() },
            provider: model.provider,
            name: called,
            base_url: model.base_url.unwrap_or_default().trim_end_matches('/').to_owned(),
            api_key,
            max_concurrent: model.max_concurrent,
            requests_per_minute: model.requests_per_minute,
            idle_timeout: Duration::from_secs(model.timeout_seconds),
            context_tokens: model.context_tokens,
            max_output_tokens: model.max_output_tokens,
            temperature: model.temperature,
        })
    }

    pub(super) fn api_key(
        &self,
        section: &'static str,
        name: &str,
        written: [&Option<String>; 3],
    ) -> Result<Option<Secret>, Error> {
        self.secret(section, name, ["api_key_env", "api_key_command", "api_key_file"], written)
    }

    /// Where a secret is kept: in a variable, in what a command prints, or in a file.
    pub(super) fn secret(
        &self,
        section: &'static str,
        name: &str,
        [env_key, command_key, file_key]: [&'static str; 3],
        [variable, command, file]: [&Option<String>; 3],
    ) -> Result<Option<Secret>, Error> {
        // Whoever pastes the key itself here must not see it again in an error or in `sayso config`.
        if variable.as_deref().is_some_and(|variable| !is_variable(variable)) {
            let why = "must be the name of an environment variable, in capitals, and not the key itself";
            return Err(self.bad(section, name, env_key, why));
        }
        let sources = [
            (env_key, variable.clone().map(Secret::Env)),
            (command_key, command.clone().map(Secret::Command)),
            (
                file_key,
                file.as_ref()
                    .map(|path| Secret::File(expand(OsStr::new(path), self.base, &self.inputs.host))),
            ),
        ];
        let mut found: Option<(&str, Secret)> = None;
        for (key, secret) in sources {
            match (secret, &found) {
                (None, _) => {}
                (Some(secret), None) => found = Some((key, secret)),
                (Some(_), Some((first, _))) => {
                    return Err(self.bad(
                        section,
                        name,
                        key,
                        format!("says the same as {first}; keep one of them"),
                    ));
                }
            }
        }
        Ok(found.map(|(_, secret)| secret))
    }

    fn workflow_models(
        &self,
        workflows: &BTreeMap<String, BTreeMap<String, String>>,
        models: &BTreeMap<String, Model>,
    ) -> Result<(), Error> {
        for (workflow, keys) in workflows {
            for (key, model) in keys {
                if !models.contains_key(model) {
                    return Err(Error::UnknownModel {
                        name: quoted(model),
                        at: self.entries.origin("workflow", workflow, key),
                        known: models.keys().cloned().collect(),
                    });
                }
            }
        }
        Ok(())
    }

    fn prices(&self, prices: BTreeMap<String, raw::Prices>) -> Result<BTreeMap<String, Price>, Error> {
        let mut meant = BTreeMap::new();
        for (name, price) in prices {
            let missing = |key| Error::MissingKey {
                section: Address::new("prices", &name, "").header(),
                key,
                at: self.entries.origin("prices", &name, key),
                hint: "write the dollars for a million tokens".to_owned(),
            };
            let input = price.input.ok_or_else(|| missing("input"))?;
            let output = price.output.ok_or_else(|| missing("output"))?;
            meant.insert(name, Price { input, output, cached: price.cached.unwrap_or(input) });
        }
        Ok(meant)
    }
}

/// What is wrong with a server's address. The address is not quoted, for it may hold a password.
pub(super) fn wrong_with_url(url: &str) -> Option<&'static str> {
    let Some(rest) = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://")) else {
        return Some("must begin with https:// or http://");
    };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if host.is_empty() || url.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return Some("must be an address such as http://127.0.0.1:8080/v1");
    }
    if host.contains('@') {
        return Some("must not hold a user or password; say where the key is kept with api_key_env");
    }
    if rest.contains(['?', '#']) {
        return Some("must end with a path, without ? or #");
    }
    None
}

pub(super) fn is_variable(name: &str) -> bool {
    let is_capital = |c: char| c.is_ascii_uppercase() || c == '_';
    name.starts_with(is_capital) && name.chars().all(|c| is_capital(c) || c.is_ascii_digit())
}
