//! From what was typed to what it means: each feature reads its section, and may look at what was read before.

use std::collections::BTreeMap;
use std::path::Path;

use super::apis::{Api, ApiSection};
use super::approvals::Approvals;
use super::calendar::{Calendar, CalendarSection};
use super::commands::{CommandSection, OwnCommand};
use super::describe::{Setting, settings};
use super::engine::{Budget, Engine, Log};
use super::error::Error;
use super::google::{GoogleApp, GoogleSection};
use super::inputs::Inputs;
use super::intake::{Intake, Learning};
use super::keys::Section;
use super::layers::{self, Picked};
use super::mail::{Mail, MailSection};
use super::models::{MODELS, Model, ModelSection, Price, PriceSection, read_workflows};
use super::notices::{self, NoticesSection};
use super::origin::Origin;
use super::paths::Paths;
use super::policy::{Policy, PolicySection};
use super::reader::{FromSection, Reader, Sources};
use super::rules::Rule;
use super::screen::{KEYS, Theme};
use super::servers::{Server, ServerSection};
use super::settings::Config;
use super::sheet::Sheet;
use super::traces::{Traces, TracesSection};
use super::user::{User, UserSection};
use crate::text::Visible;

/// Layers `text`, the environment and the flags over the defaults, and resolves the result.
pub(super) fn resolve(inputs: &Inputs, paths: Paths, text: Option<&str>) -> Result<Config, Error> {
    let written = paths.config.as_deref().zip(text);
    let (entries, picked) = layers::lay(inputs, written)?;
    let base = paths.config.as_deref().and_then(Path::parent).unwrap_or(&inputs.host.working_dir);
    let sources = Sources { entries: &entries, inputs, base };
    let one = |section: &'static Section| sources.one(section);

    // Mistakes are reported in this order.
    let approvals = Approvals::read(sources)?;
    let models = by_name(sources, MODELS, Model::read)?;
    let workflows = read_workflows(sources, &models)?;
    // A picked model keeps its name, so that it and `[models.NAME]` share one set of limits.
    let model = match picked.as_ref().and_then(|picked| models.get(&picked.name)) {
        Some(model) => model.clone(),
        None => Model::read(&one(ModelSection::SECTION))?,
    };
    let user = User::read(&one(UserSection::SECTION))?;
    let prices = by_name(sources, PriceSection::SECTION, Price::read)?;
    let google = GoogleApp::read(one(GoogleSection::SECTION), &paths.data)?;
    let mail = Mail::read_all(sources.each(MailSection::SECTION), &user, &google, &models)?;
    let rules = sources.each(Rule::SECTION).map(|reader| Rule::read_checked(&reader, &mail));
    let rules = rules.collect::<Result<_, _>>()?;
    let calendar = Calendar::read(&one(CalendarSection::SECTION), &user, &mail, &google)?;
    let policies = by_name(sources, PolicySection::SECTION, Policy::read)?;
    let apis = by_name(sources, ApiSection::SECTION, Api::read)?;
    let (notices, notice_command) = notices::read(&one(NoticesSection::SECTION))?;
    let servers = Server::read_all(sources.each(ServerSection::SECTION))?;
    let commands = sources.each(CommandSection::SECTION).map(|reader| OwnCommand::read(&reader));
    let commands = commands.collect::<Result<_, _>>()?;
    let traces = Traces::read(&one(TracesSection::SECTION))?;

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
        approvals,
        budget: Budget::read(&one(Budget::SECTION))?,
        engine: Engine::read(&one(Engine::SECTION))?,
        mail,
        rules,
        calendar,
        intake: Intake::read(&one(Intake::SECTION))?,
        learning: Learning::read(&one(Learning::SECTION))?,
        policies,
        apis,
        servers,
        sheet: Sheet::read(&one(Sheet::SECTION))?,
        theme: Theme::read(&one(Theme::SECTION))?.name,
        notice_command,
        notices,
        traces,
        keys: one(KEYS).all()?,
        commands,
        log: Log::read(&one(Log::SECTION))?.level,
        workflows,
        picked: picked_name,
        settings,
    })
}

/// Reads every section of one kind, by name.
fn by_name<T>(
    sources: Sources<'_>,
    section: &'static Section,
    read: impl Fn(&Reader<'_>) -> Result<T, Error>,
) -> Result<BTreeMap<String, T>, Error> {
    sources.each(section).map(|reader| Ok((reader.name.clone(), read(&reader)?))).collect()
}

/// The rows that are not keys of the file: where the data and the file are, and which model was picked.
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
