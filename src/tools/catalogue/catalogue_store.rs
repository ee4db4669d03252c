//! Stores catalogues: some are built in, the others are files in the data folder.

use super::{Catalogue, openapi};
use crate::config::{Api, Env};
use crate::text::atomic_write::replace_private;
use crate::text::{io_error_text, nearest, suggest};
use secrecy::SecretString;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// The built-in catalogues, parsed once: every node that asks an API uses them.
static BUILT_IN: LazyLock<Vec<Result<Catalogue, String>>> = LazyLock::new(|| {
    let texts = [
        include_str!("../../../assets/apis/audius.json"),
        include_str!("../../../assets/apis/frankfurter.json"),
        include_str!("../../../assets/apis/wikipedia.json"),
    ];
    texts.iter().map(|text| read(text.as_bytes())).collect()
});

/// The longest file we read, in bytes.
const LONGEST: u64 = 16 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    Builtin,
    /// A person added it.
    Added,
}

/// Why a catalogue cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CatalogueError {
    #[error("there is no API `{name}`; {hint}")]
    Unknown {
        name: String,
        /// The nearest name, or all names.
        hint: String,
    },
    /// The config has a section for an unknown API.
    #[error("the config has a section [apis.{name}], and there is no such API; {hint}")]
    Section {
        name: String,
        /// The nearest name, or how to add the API.
        hint: String,
    },
    /// The file is not a valid API.
    #[error("{file} is no API that can be used: {why}")]
    Bad {
        file: String,
        /// What is wrong with it, in a sentence.
        why: String,
    },
    /// A built-in API has this name.
    #[error("the API `{0}` is built in; choose another --name for yours, and leave that one where it is")]
    BuiltIn(String),
    /// An added API has this name.
    #[error(
        "there is an API `{0}` already; remove it first with `sayso apis remove {0}`, or choose another --name"
    )]
    Taken(String),
    #[error("{file}: {}", io_error_text(error))]
    Io {
        /// The file or folder we could not reach.
        file: String,
        error: io::Error,
    },
}

/// All catalogues of a data folder.
#[derive(Clone)]
pub struct CatalogueStore {
    folder: PathBuf,
    settings: BTreeMap<String, Api>,
    env: Env,
}

impl CatalogueStore {
    /// `settings` is what the config says about each API.
    pub fn new(folder: PathBuf, settings: BTreeMap<String, Api>, env: Env) -> Self {
        Self { folder, settings, env }
    }

    /// All catalogues, the built-in ones first.
    pub fn all(&self) -> Result<Vec<(Source, Catalogue)>, CatalogueError> {
        let mut all = Vec::new();
        for built_in in BUILT_IN.iter().cloned() {
            let catalogue =
                built_in.map_err(|why| CatalogueError::Bad { file: "what is built in".to_owned(), why })?;
            all.push((Source::Builtin, catalogue));
        }
        for path in self.files()? {
            let file = path.display().to_string();
            let bytes =
                std::fs::read(&path).map_err(|error| CatalogueError::Io { file: file.clone(), error })?;
            let catalogue = read(&bytes).map_err(|why| CatalogueError::Bad { file, why })?;
            if !all.iter().any(|(_, other): &(Source, Catalogue)| other.name == catalogue.name) {
                all.push((Source::Added, catalogue));
            }
        }
        Ok(all)
    }

    pub fn get(&self, name: &str) -> Result<(Source, Catalogue), CatalogueError> {
        let all = self.all()?;
        let names: Vec<String> = all.iter().map(|(_, catalogue)| catalogue.name.clone()).collect();
        let entry = all.into_iter().find(|(_, catalogue)| catalogue.name == name);
        entry.ok_or_else(|| {
            let hint = suggest(name, &names, "there are none");
            CatalogueError::Unknown { name: name.to_owned(), hint }
        })
    }

    /// Sections of the config that match no API, each with advice.
    pub fn unknown(&self) -> Vec<(String, CatalogueError)> {
        // Reading and checking catalogues takes time, and every start of the program comes through here.
        if self.settings.is_empty() {
            return Vec::new();
        }
        // An unreadable file is reported where it is used; do not complain about its section here.
        let Ok(all) = self.all() else { return Vec::new() };
        let names: Vec<&str> = all.iter().map(|(_, catalogue)| catalogue.name.as_str()).collect();
        let unknown = self.settings.keys().filter(|name| !names.contains(&name.as_str()));
        let problems = unknown.map(|name| {
            let hint = match nearest(name, names.iter().copied()) {
                Some(near) => format!("did you mean [apis.{near}]?"),
                None => format!("add it with `sayso apis add FILE --name {name}`, or take the section out"),
            };
            (name.clone(), CatalogueError::Section { name: name.clone(), hint })
        });
        problems.collect()
    }

    /// What the config says about an API.
    pub fn settings(&self, name: &str) -> Api {
        self.settings.get(name).cloned().unwrap_or_default()
    }

    /// The key of an API, if the config names one. It may run a command, so do not call it where nobody may wait.
    pub fn key(&self, name: &str) -> Result<Option<SecretString>, String> {
        match self.settings.get(name).and_then(|api| api.key.as_ref()) {
            None => Ok(None),
            Some(secret) => secret.read(&self.env).map(Some).map_err(|error| error.to_string()),
        }
    }

    /// Adds the API of an OpenAPI document, under its own name or `name`, and returns what was left out.
    pub fn add(&self, file: &Path, name: Option<&str>) -> Result<(Catalogue, Vec<String>), CatalogueError> {
        let shown = file.display().to_string();
        let bad = |why: String| CatalogueError::Bad { file: shown.clone(), why };
        let at = |error| CatalogueError::Io { file: shown.clone(), error };
        let metadata = std::fs::metadata(file).map_err(at)?;
        if !metadata.is_file() || metadata.len() > LONGEST {
            return Err(bad("it is no file, or longer than 16 MiB".to_owned()));
        }
        let bytes = std::fs::read(file).map_err(at)?;
        let document = document(&bytes).map_err(bad)?;
        let (catalogue, left_out) = openapi::read(&document, name).map_err(bad)?;
        catalogue.check().map_err(bad)?;
        for (source, other) in self.all()? {
            match source {
                _ if other.name != catalogue.name => {}
                Source::Builtin => return Err(CatalogueError::BuiltIn(catalogue.name)),
                Source::Added => return Err(CatalogueError::Taken(catalogue.name)),
            }
        }
        let text = serde_json::to_vec(&catalogue).map_err(|error| bad(error.to_string()))?;
        let path = self.folder.join(format!("{}.json", catalogue.name));
        replace_private(&path, &text)
            .map_err(|error| CatalogueError::Io { file: path.display().to_string(), error })?;
        Ok((catalogue, left_out))
    }

    /// Removes an API that was added.
    pub fn remove(&self, name: &str) -> Result<(Source, Catalogue), CatalogueError> {
        let (source, catalogue) = self.get(name)?;
        if source == Source::Builtin {
            return Err(CatalogueError::BuiltIn(catalogue.name));
        }
        let file = self.folder.join(format!("{name}.json"));
        std::fs::remove_file(&file)
            .map_err(|error| CatalogueError::Io { file: file.display().to_string(), error })?;
        Ok((source, catalogue))
    }

    fn files(&self) -> Result<Vec<PathBuf>, CatalogueError> {
        let at = |error| CatalogueError::Io { file: self.folder.display().to_string(), error };
        let entries = match std::fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(at(error)),
        };
        let mut files = Vec::new();
        for entry in entries {
            let path = entry.map_err(at)?.path();
            if path.extension().is_some_and(|ext| ext == "json") && path.is_file() {
                files.push(path);
            }
        }
        files.sort();
        Ok(files)
    }
}

/// Parses a document as JSON, or else as YAML.
fn document(bytes: &[u8]) -> Result<Value, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_owned())?;
    let text = text.trim_start_matches('\u{feff}');
    if text.trim_start().starts_with('{') {
        return serde_json::from_str(text).map_err(|error| format!("it is not JSON: {error}"));
    }
    // The parser itself bounds aliases, nesting and size.
    serde_saphyr::from_str(text).map_err(|error| {
        let text = error.to_string();
        format!("it is neither JSON nor YAML: {}", text.lines().next().unwrap_or_default())
    })
}

/// Parses a catalogue.
fn read(bytes: &[u8]) -> Result<Catalogue, String> {
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let mut catalogue: Catalogue = serde_path_to_error::deserialize(&mut reader)
        .map_err(|error| format!("at {}: {}", error.path(), error.inner()))?;
    for operation in &mut catalogue.operations {
        operation.catalogue = catalogue.name.clone();
    }
    Ok(catalogue)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_built_in_holds_together() {
        let store = CatalogueStore::new(PathBuf::from("nowhere"), BTreeMap::new(), Env::default());
        let (source, audius) = store.get("audius").unwrap();
        assert_eq!(source, Source::Builtin);
        assert!(audius.operations.len() >= 20, "{}", audius.operations.len());
        for (_, catalogue) in store.all().unwrap() {
            catalogue.check().unwrap();
            let mut ids: Vec<&String> = catalogue.operations.iter().map(|one| &one.id).collect();
            ids.sort();
            ids.dedup();
            assert_eq!(ids.len(), catalogue.operations.len(), "{}", catalogue.name);
            for operation in &catalogue.operations {
                operation.check().unwrap();
                assert!(operation.reads() && !operation.asks.is_empty(), "{}", operation.id);
                let kinds = operation.parameters().filter_map(|one| one.entity.as_ref());
                assert!(
                    kinds.into_iter().all(|kind| catalogue.entities.contains_key(kind)),
                    "{}",
                    operation.id
                );
            }
            for (kind, entity) in catalogue.entities.iter().filter(|(_, entity)| entity.search.is_some()) {
                let search = catalogue.operation(entity.search.as_ref().unwrap());
                assert!(search.is_some_and(|one| one.parameter(&entity.parameter).is_some()), "{kind}");
            }
        }
        let returned = audius.operations.iter().map(|one| &one.returns).filter(|kind| !kind.is_empty());
        assert!(returned.into_iter().all(|kind| audius.entities.contains_key(kind)));
        let trending = audius.operation("trending_tracks").unwrap();
        assert_eq!(trending.parameter("time").unwrap().default, "week");
        assert_eq!(trending.parameter("time").unwrap().values.len(), 4);
        assert!(trending.parameter("genre").unwrap().values.contains(&"Hip-Hop/Rap".into()));
        let why = store.get("audios").unwrap_err().to_string();
        assert_eq!(why, "there is no API `audios`; did you mean `audius`?");
    }
}
