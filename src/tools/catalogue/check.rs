//! Checks what a document says before it becomes a catalogue. What is built in is checked by a test, and what was
//! stored is not checked again.

use super::{Catalogue, Operation, Parameter, ParameterLocation};
use crate::text::schema::Schema;
use crate::tools::http::Method;
use std::collections::BTreeSet;

/// More than any API that a person would choose from.
const MAX_OPERATIONS: usize = 5_000;

const LONGEST_NAME: usize = 40;

impl Catalogue {
    /// The error is a sentence.
    pub(super) fn check(&self) -> Result<(), String> {
        let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        let Self { name, hosts, operations, .. } = self;
        if name.is_empty() || name.len() > LONGEST_NAME || !name.chars().all(is_allowed) {
            return Err(format!("`{name}` is no name for an API: letters, digits, - and _, at most 40"));
        }
        if operations.len() > MAX_OPERATIONS {
            return Err(format!("it has more than {MAX_OPERATIONS} operations"));
        }
        for host in hosts {
            reqwest::Url::parse(host).map_err(|error| format!("`{host}` is no address: {error}"))?;
        }
        Ok(())
    }
}

impl Operation {
    pub(super) fn check(&self) -> Result<(), String> {
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
            parameter.check().map_err(|why| format!("parameter `{}`: {why}", parameter.name))?;
        }
        for (at, _) in self.api_url.match_indices('{') {
            let name = self.api_url[at + 1..].split('}').next().unwrap_or_default();
            let mut required = self.required_parameters.iter();
            if !required.any(|one| one.name == name && one.place == ParameterLocation::Path) {
                return Err(format!("its path needs `{name}`, which is no required parameter of the path"));
            }
        }
        Ok(())
    }
}

impl Parameter {
    fn check(&self) -> Result<(), String> {
        if self.name.is_empty() {
            return Err("it has no name".to_owned());
        }
        let kinds = ["string", "integer", "number", "boolean", "array", "object", ""];
        if !kinds.contains(&self.kind.as_str()) {
            return Err(format!("`{}` is no type", self.kind));
        }
        let schema = self.schema();
        let schema = Schema::new(&schema).map_err(|why| format!("its schema is broken: {why}"))?;
        if !self.default.is_null() && !schema.fits(&self.default) {
            return Err("its default does not fit it".to_owned());
        }
        Ok(())
    }
}
