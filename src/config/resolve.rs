//! From what was written to what it means: each section may look at what others say.

use std::collections::BTreeMap;
use std::path::Path;

use super::apis::Api;
use super::approvals::Approvals;
use super::calendar::CalendarSection;
use super::commands::OwnCommand;
use super::document::{Document, Section};
use super::error::Error;
use super::google::GoogleSection;
use super::inputs::Inputs;
use super::mail::MailSection;
use super::models::{BUILTIN, ME, Model, Price, Provider, Workflow};
use super::notices::NoticesSection;
use super::paths::{FILE_NAME, Paths};
use super::plain::{Budget, Engine, Intake, Learning, Log, Policy, Sheet, Theme};
use super::rules::Rule;
use super::servers::ServerSection;
use super::settings::Config;
use super::traces::TracesSection;
use super::user::User;
use super::values::section;

section! {
    /// Every section of the file.
    pub(super) struct File {
        user: User,
        model: Model,
        models: BTreeMap<String, Model>,
        workflow: BTreeMap<String, BTreeMap<String, String>>,
        prices: BTreeMap<String, Price>,
        approvals: Approvals,
        budget: Budget,
        engine: Engine,
        google: GoogleSection,
        mail: Vec<MailSection>,
        rule: Vec<Rule>,
        calendar: CalendarSection,
        intake: Intake,
        learning: Learning,
        policy: BTreeMap<String, Policy>,
        apis: BTreeMap<String, Api>,
        server: Vec<ServerSection>,
        sheet: Sheet,
        theme: Theme,
        notices: NoticesSection,
        traces: TracesSection,
        /// By the names of actions, which only the screen knows; it refuses unknown ones.
        keys: BTreeMap<String, Vec<String>>,
        command: Vec<OwnCommand>,
        log: Log,
    }
}

/// Reads `text`, and resolves it together with the flags and the environment.
pub(super) fn resolve(inputs: &Inputs, paths: &Paths, text: Option<&str>) -> Result<Config, Error> {
    let host = &inputs.host;
    let path = paths.config.as_deref().unwrap_or(Path::new(FILE_NAME));
    let base = paths.config.as_deref().and_then(Path::parent).unwrap_or(&host.working_dir);
    let document = Document::parse(path, text.unwrap_or_default(), host, base)?;
    let section = |name: &str| document.section(name);
    let file: File = document.read()?;

    let mut models = by_name(&section("models"), file.models, |model, name, section| match name {
        BUILTIN => Err(section.wrong("names the built-in rules; choose another name")),
        ME => Err(section.wrong("names you in the model's place; choose another name")),
        // `[model]` is known by the name of its section, so no other model may use that name.
        "model" => Err(section.wrong("would be taken for [model]; choose another name")),
        name => model.resolve(name, section),
    })?;
    // Models like any other, so that they can be named wherever a model is named.
    for provider in [Provider::Builtin, Provider::Me] {
        models.insert(provider.name().to_owned(), Model::without_server(provider));
    }
    let picked = picked_model(inputs, &models)?;
    // A picked model keeps its name, so that it and `[models.NAME]` share one set of limits.
    let model = match picked.as_ref().and_then(|name| models.get(name)) {
        Some(model) => model.clone(),
        None => file.model.resolve("model", &section("model"))?,
    };
    let workflows = by_name(&section("workflow"), file.workflow, |keys, _, section| {
        Workflow::resolve(keys, section, &models)
    })?;
    let expiring = |(name, workflow): (&String, &Workflow)| Some((name.clone(), workflow.expire?));
    let expiring_workflows = workflows.iter().filter_map(expiring).collect();
    let expiring = |(name, policy): (&String, &Policy)| Some((name.clone(), policy.expire?.0));
    let expiring_tools = file.policy.iter().filter_map(expiring).collect();
    let user = file.user.resolve(&section("user"), host);
    let google = file.google.resolve(section("google"), &paths.data);
    let mail =
        in_list(&section("mail"), file.mail, |mail, section| mail.resolve(section, &user, &google, &models))?;
    refuse_twins(&section("mail"), "account", mail.iter().map(|mail| &mail.name))?;
    let servers = in_list(&section("server"), file.server, ServerSection::resolve)?;
    refuse_twins(&section("server"), "server", servers.iter().map(|server| &server.name))?;
    let (notices, notice_command) = file.notices.resolve(&section("notices"))?;

    Ok(Config {
        data: paths.data.clone(),
        file: text.and(paths.config.clone()),
        prices: by_name(&section("prices"), file.prices, |price, _, section| price.resolve(section))?,
        approvals: file.approvals.resolve(&section("approvals"), expiring_workflows, expiring_tools)?,
        budget: file.budget,
        engine: file.engine,
        rules: in_list(&section("rule"), file.rule, |rule, section| rule.check(section, &mail))?,
        calendar: file.calendar.resolve(&section("calendar"), &user, &mail, &google)?,
        intake: file.intake,
        learning: file.learning,
        policies: file.policy,
        apis: file.apis,
        servers,
        sheet: file.sheet,
        theme: file.theme.name,
        notices,
        notice_command,
        traces: file.traces.resolve(&section("traces"))?,
        keys: file.keys,
        commands: in_list(&section("command"), file.command, OwnCommand::check)?,
        log: file.log.level,
        workflows: workflows.into_iter().map(|(name, workflow)| (name, workflow.models)).collect(),
        user,
        model,
        models,
        mail,
        picked,
    })
}

/// The model that `--model` or `SAYSO_MODEL` picks for everything.
fn picked_model(inputs: &Inputs, models: &BTreeMap<String, Model>) -> Result<Option<String>, Error> {
    let (name, place) = match (&inputs.flags.model, inputs.env.get("SAYSO_MODEL")) {
        (Some(name), _) => (name.clone(), "in --model"),
        (None, Some(name)) => (name.to_string_lossy().into_owned(), "in SAYSO_MODEL"),
        (None, None) => return Ok(None),
    };
    if !models.contains_key(&name) {
        return Err(Error::no_model(&name, place, models.keys()));
    }
    Ok(Some(name))
}

/// Resolves the sections that have names.
fn by_name<T, U>(
    section: &Section<'_>,
    written: BTreeMap<String, T>,
    resolve: impl Fn(T, &str, &Section<'_>) -> Result<U, Error>,
) -> Result<BTreeMap<String, U>, Error> {
    let resolve = |(name, value): (String, T)| {
        let resolved = resolve(value, &name, &section.key(&name))?;
        Ok((name, resolved))
    };
    written.into_iter().map(resolve).collect()
}

/// Resolves the sections of a list.
fn in_list<T, U>(
    section: &Section<'_>,
    written: Vec<T>,
    resolve: impl Fn(T, &Section<'_>) -> Result<U, Error>,
) -> Result<Vec<U>, Error> {
    written.into_iter().enumerate().map(|(n, value)| resolve(value, &section.item(n))).collect()
}

/// Refuses a name that was given twice.
fn refuse_twins<'n>(
    section: &Section<'_>,
    what: &str,
    names: impl Iterator<Item = &'n String>,
) -> Result<(), Error> {
    let mut seen = Vec::new();
    for (n, name) in names.enumerate() {
        if seen.contains(&name) {
            let why = format!("is taken already; give this {what} a name other than {name:?}");
            return Err(section.item(n).bad("name", why));
        }
        seen.push(name);
    }
    Ok(())
}
