//! Checks that a catalogue is consistent.

use super::{Catalogue, Operation, Parameter, ParameterLocation};
use crate::tools::http::Method;
use std::collections::BTreeSet;

/// More than any API that a person would choose from.
const MAX_OPERATIONS: usize = 5_000;

const LONGEST_NAME: usize = 40;

impl Catalogue {
    /// The error is a sentence.
    pub(super) fn check(&self) -> Result<(), String> {
        if !is_name(&self.name) {
            return Err(format!(
                "`{}` is no name for an API: letters, digits, - and _, at most 40",
                self.name
            ));
        }
        if self.operations.is_empty() {
            return Err("it has no operations".to_owned());
        }
        if self.operations.len() > MAX_OPERATIONS {
            return Err(format!("it has more than {MAX_OPERATIONS} operations"));
        }
        for host in &self.hosts {
            let url =
                reqwest::Url::parse(host).map_err(|error| format!("`{host}` is no address: {error}"))?;
            if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
                return Err(format!("`{host}` is no http or https address"));
            }
        }
        let mut ids = BTreeSet::new();
        for operation in &self.operations {
            if !ids.insert(operation.id.as_str()) {
                return Err(format!("two operations have the id `{}`", operation.id));
            }
            operation.check(self).map_err(|why| format!("operation `{}`: {why}", operation.id))?;
        }
        for (kind, entity) in &self.entities {
            let Some(search) = &entity.search else { continue };
            let parameter = self.operation(search).and_then(|search| search.parameter(&entity.parameter));
            if parameter.is_none() {
                return Err(format!("`{kind}` is searched by `{search}`, which cannot do that"));
            }
        }
        Ok(())
    }
}

impl Operation {
    pub(super) fn check(&self, catalogue: &Catalogue) -> Result<(), String> {
        if self.id.is_empty() || self.tool_name.is_empty() {
            return Err("it has no name".to_owned());
        }
        if Method::from_word(&self.method).is_none() {
            return Err(format!("`{}` is no method", self.method));
        }
        if !self.api_url.starts_with('/') {
            return Err(format!("`{}` is no path", self.api_url));
        }
        let mut names = BTreeSet::new();
        for parameter in self.parameters() {
            if !names.insert(parameter.name.as_str()) {
                return Err(format!("two parameters are named `{}`", parameter.name));
            }
            parameter.check(catalogue).map_err(|why| format!("parameter `{}`: {why}", parameter.name))?;
        }
        for (at, _) in self.api_url.match_indices('{') {
            let name = self.api_url[at + 1..].split('}').next().unwrap_or_default();
            let is_required = self
                .required_parameters
                .iter()
                .any(|one| one.name == name && one.place == ParameterLocation::Path);
            if !is_required {
                return Err(format!("its path needs `{name}`, which is no required parameter of the path"));
            }
        }
        Ok(())
    }
}

impl Parameter {
    fn check(&self, catalogue: &Catalogue) -> Result<(), String> {
        if self.name.is_empty() {
            return Err("it has no name".to_owned());
        }
        let kinds = ["string", "integer", "number", "boolean", "array", "object", ""];
        if !kinds.contains(&self.kind.as_str()) {
            return Err(format!("`{}` is no type", self.kind));
        }
        if let Some(entity) = &self.entity
            && !catalogue.entities.contains_key(entity)
        {
            return Err(format!("there is no kind `{entity}`"));
        }
        let schema = self.schema();
        let validator =
            jsonschema::validator_for(&schema).map_err(|error| format!("its schema is broken: {error}"))?;
        if !self.default.is_null() && !validator.is_valid(&self.default) {
            return Err("its default does not fit it".to_owned());
        }
        Ok(())
    }
}

fn is_name(name: &str) -> bool {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    !name.is_empty() && name.len() <= LONGEST_NAME && name.chars().all(is_allowed)
}
