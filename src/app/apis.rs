//! The APIs of a data folder, as users list, add and remove them.

use super::error::AppError;
use crate::config::{Config, Env};
use crate::inbox::ErrorKind;
use crate::tools::catalogue::{
    Auth, Catalogue, CatalogueError, CatalogueStore, Operation, Parameter, Source,
};
use serde::Serialize;
use serde_json::Value;
use std::path::Path;

/// The APIs that can be called: the built-in ones and those added to the data folder.
pub(super) fn catalogue_store(config: &Config, env: Env) -> CatalogueStore {
    CatalogueStore::new(config.data.join("apis"), config.apis.clone(), env)
}

pub struct Apis {
    catalogues: CatalogueStore,
}

/// An API as one line of a list.
#[derive(Clone, Debug, Serialize)]
pub struct ApiLine {
    pub name: String,
    pub title: String,
    /// `builtin` or `added`.
    pub source: &'static str,
    /// How many there are.
    pub operations: usize,
}

/// An API with all its operations.
#[derive(Clone, Debug, Serialize)]
pub struct ApiView {
    pub name: String,
    pub title: String,
    pub about: String,
    /// `builtin` or `added`.
    pub source: &'static str,
    pub hosts: Vec<String>,
    /// URL of the list of its servers.
    pub host_list: Option<String>,
    /// How the key is sent, and where it is kept.
    pub key: Option<String>,
    pub operations: Vec<OperationView>,
}

/// One call an API offers.
#[derive(Clone, Debug, Serialize)]
pub struct OperationView {
    pub id: String,
    /// The name of the tool.
    pub name: String,
    /// GET, POST …
    pub method: String,
    pub path: String,
    pub description: String,
    pub parameters: Vec<ParameterView>,
}

#[derive(Clone, Debug, Serialize)]
pub struct ParameterView {
    pub name: String,
    pub description: String,
    #[serde(rename = "type")]
    pub kind: String,
    pub required: bool,
    /// The allowed values; empty if any value is allowed.
    pub values: Vec<String>,
    pub default: Option<String>,
}

#[derive(Clone, Debug, Serialize)]
pub struct AddedApi {
    pub name: String,
    /// How many there are.
    pub operations: usize,
    /// The parts of the document that cannot be called, each in a sentence.
    pub left_out: Vec<String>,
}

impl Apis {
    pub fn new(config: &Config, env: Env) -> Self {
        Self { catalogues: catalogue_store(config, env) }
    }

    pub fn list(&self) -> Result<Vec<ApiLine>, AppError> {
        Ok(self.catalogues.all()?.iter().map(|(source, catalogue)| line(*source, catalogue)).collect())
    }

    pub fn show(&self, name: &str) -> Result<ApiView, AppError> {
        let (source, catalogue) = self.catalogues.get(name)?;
        let settings = self.catalogues.settings(&catalogue.name);
        let auth = catalogue.auth_with(&settings);
        let hosts = if settings.hosts.is_empty() { catalogue.hosts.clone() } else { settings.hosts };
        let key = auth.map(|auth| {
            let place = match auth {
                Auth::Header { name } => format!("in the header field {name}"),
                Auth::Query { name } => format!("as the parameter {name}"),
                Auth::Bearer => "as a bearer token".to_owned(),
            };
            let key = settings.key.map(|secret| secret.to_string());
            format!(
                "{place}; {}",
                key.unwrap_or_else(|| format!("none is set, see [apis.{}] in the config", catalogue.name))
            )
        });
        Ok(ApiView {
            source: word(source),
            host_list: settings
                .host_list
                .or_else(|| catalogue.host_list.as_ref().map(|list| list.url.clone())),
            operations: catalogue.operations.iter().map(operation).collect(),
            name: catalogue.name,
            title: catalogue.title,
            about: catalogue.about,
            hosts,
            key,
        })
    }

    pub fn operation(&self, name: &str, id: &str) -> Result<OperationView, AppError> {
        let (_, catalogue) = self.catalogues.get(name)?;
        let operation = catalogue.operation(id).map(operation);
        let ids = catalogue.operations.iter().map(|one| one.id.as_str());
        operation.ok_or_else(|| {
            let hint = match crate::text::nearest(id, ids) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("`sayso apis show {name}` lists them"),
            };
            AppError::new(ErrorKind::Gone, format!("{name} has no operation `{id}`; {hint}"))
        })
    }

    /// Adds an API from its document.
    pub fn add(&self, file: &Path, name: Option<&str>) -> Result<AddedApi, AppError> {
        let (catalogue, left_out) = self.catalogues.add(file, name)?;
        Ok(AddedApi { operations: catalogue.operations.len(), name: catalogue.name, left_out })
    }

    /// Checks each API without calling it: its servers are known, and its key, if the config names one, is there. Also
    /// reports every name in the config that is not an API.
    pub fn check(&self) -> Vec<(String, Result<String, String>)> {
        let all = match self.catalogues.all() {
            Ok(all) => all,
            Err(error) => return vec![(String::new(), Err(error.to_string()))],
        };
        let mut checks: Vec<_> =
            all.iter().map(|(_, catalogue)| (catalogue.name.clone(), self.check_one(catalogue))).collect();
        checks.extend(self.catalogues.unknown().into_iter().map(|error| (error.0, Err(error.1.to_string()))));
        checks
    }

    fn check_one(&self, catalogue: &Catalogue) -> Result<String, String> {
        let name = &catalogue.name;
        let settings = self.catalogues.settings(name);
        let hosts = if settings.hosts.is_empty() { &catalogue.hosts } else { &settings.hosts };
        let listed = settings.host_list.is_some() || catalogue.host_list.is_some();
        if hosts.is_empty() && !listed {
            return Err(format!("no server of it is known; name one with hosts in [apis.{name}]"));
        }
        let servers = match (hosts.len(), listed && settings.hosts.is_empty()) {
            (_, true) => "servers from its own list".to_owned(),
            (1, false) => "1 server".to_owned(),
            (several, false) => format!("{several} servers"),
        };
        let key = match (catalogue.auth_with(&settings), &settings.key) {
            (None, _) => "no key needed".to_owned(),
            (Some(_), None) => format!("it may want a key, and [apis.{name}] names none"),
            (Some(_), Some(secret)) => {
                self.catalogues.key(name)?;
                format!("its key is there ({secret})")
            }
        };
        Ok(format!("{} operations, {servers}, {key}", catalogue.operations.len()))
    }

    /// Removes an API that was added.
    pub fn remove(&self, name: &str) -> Result<ApiLine, AppError> {
        let (source, catalogue) = self.catalogues.remove(name)?;
        Ok(line(source, &catalogue))
    }
}

impl From<CatalogueError> for AppError {
    fn from(error: CatalogueError) -> Self {
        let kind = match &error {
            CatalogueError::Unknown { .. } => ErrorKind::Gone,
            CatalogueError::Bad { .. }
            | CatalogueError::Section { .. }
            | CatalogueError::BuiltIn(_)
            | CatalogueError::Taken(_) => ErrorKind::Wrong,
            CatalogueError::Io { error, .. } if error.kind() == std::io::ErrorKind::NotFound => {
                ErrorKind::Gone
            }
            CatalogueError::Io { .. } => ErrorKind::Failed,
        };
        Self::new(kind, error.to_string())
    }
}

fn word(source: Source) -> &'static str {
    match source {
        Source::Builtin => "builtin",
        Source::Added => "added",
    }
}

fn line(source: Source, catalogue: &Catalogue) -> ApiLine {
    ApiLine {
        name: catalogue.name.clone(),
        title: catalogue.title.clone(),
        source: word(source),
        operations: catalogue.operations.len(),
    }
}

fn operation(one: &Operation) -> OperationView {
    let required = one.required_parameters.iter().map(|parameter| view(parameter, true));
    let optional = one.optional_parameters.iter().map(|parameter| view(parameter, false));
    OperationView {
        id: one.id.clone(),
        name: one.tool_name.clone(),
        method: one.method.clone(),
        path: one.api_url.clone(),
        description: one.api_description.clone(),
        parameters: required.chain(optional).collect(),
    }
}

fn view(parameter: &Parameter, required: bool) -> ParameterView {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    ParameterView {
        name: parameter.name.clone(),
        description: parameter.description.clone(),
        kind: parameter.kind.clone(),
        required,
        values: parameter.values.iter().map(text).collect(),
        default: (!parameter.default.is_null()).then(|| text(&parameter.default)),
    }
}
