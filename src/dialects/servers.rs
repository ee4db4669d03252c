//! The MCP servers that an agent's config defines: whose tool a call is, and what is started for it.

use super::{Agent, Home, ServersIn};
use serde_json::Value;
use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};

/// More bytes than any config needs.
const LONGEST: u64 = 32 * 1024 * 1024;

/// More files than a folder of a project's config holds.
const MOST_FILES: usize = 200;

/// A server in a config.
#[derive(Clone, Debug, PartialEq)]
pub struct Server {
    pub name: String,
    /// The file that defines it.
    pub file: PathBuf,
    /// Whether that file is the person's own, and no project's.
    pub is_personal: bool,
    /// How it is started or reached, as the config says it.
    pub entry: Value,
}

impl Home {
    /// An agent's own folder.
    pub fn folder(&self, home: &Path, variable: impl Fn(&str) -> Option<OsString>) -> PathBuf {
        match variable(self.variable) {
            Some(named) => PathBuf::from(named).join(self.below),
            None => home.join(self.usual),
        }
    }
}

/// The person's own files that define servers for an agent.
pub fn personal_files(
    agent: Agent,
    home: &Path,
    variable: impl Fn(&str) -> Option<OsString>,
) -> Vec<PathBuf> {
    let dialect = agent.dialect();
    let is_named = variable(dialect.home.variable).is_some();
    let folder = dialect.home.folder(home, variable);
    let folder = if dialect.servers.beside_folder && !is_named { home.to_owned() } else { folder };
    dialect.servers.person.iter().map(|name| folder.join(name)).collect()
}

/// All servers that are defined for an agent, by the person and for the folder it works in; why, if that cannot be known.
pub fn servers(agent: Agent, person: &[PathBuf], folder: Option<&Path>) -> Result<Vec<Server>, String> {
    let ServersIn { key, project, elsewhere, .. } = agent.dialect().servers;
    let mut found = Vec::new();
    let mut take = |file: &Path, is_personal: bool| {
        let config = read_config(file)?;
        collect(&config, key, &mut |name, entry| {
            let (name, file) = (name.to_owned(), file.to_owned());
            found.push(Server { name, file, is_personal, entry: entry.clone() });
        });
        Ok::<_, String>(())
    };
    for file in person {
        take(file, true)?;
    }
    let known: Vec<PathBuf> = person.iter().filter_map(|file| file.canonicalize().ok()).collect();
    let is_personal = |file: &PathBuf| file.canonicalize().is_ok_and(|file| known.contains(&file));
    for above in folder.into_iter().flat_map(Path::ancestors) {
        for file in project.iter().map(|name| above.join(name)).filter(|file| !is_personal(file)) {
            take(&file, false)?;
        }
        for place in elsewhere.iter().map(|name| above.join(name)) {
            if may_define(&place, key)? {
                return Err(format!("{} may define servers", place.display()));
            }
        }
    }
    Ok(found)
}

/// The server whose tool this is; `None` if there is none, or it may be another's.
pub fn server_of<'a>(agent: Agent, tool: &str, servers: &'a [Server]) -> Option<&'a Server> {
    let names = agent.dialect().server_tools;
    let mut fits = servers.iter().filter(|server| tool.starts_with(&names.prefix(&server.name)));
    let server = fits.next()?;
    fits.next().is_none().then_some(server)
}

/// A config as data; of one that does not exist, nothing.
pub fn read_config(file: &Path) -> Result<Value, String> {
    let Some(text) = read(file)? else { return Ok(Value::Null) };
    let config = if file.extension().is_some_and(|extension| extension == "toml") {
        toml::from_str(&text).ok()
    } else if text.trim().is_empty() {
        Some(Value::Null)
    } else {
        let parsed = jsonc_parser::cst::CstRootNode::parse(&text, &jsonc_parser::ParseOptions::default());
        parsed.ok().and_then(|root| root.to_serde_value())
    };
    config.ok_or_else(|| format!("{} cannot be read", file.display()))
}

fn read(file: &Path) -> Result<Option<String>, String> {
    let failed = || format!("{} cannot be read", file.display());
    let missing = |error: &std::io::Error| {
        matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory)
    };
    match std::fs::metadata(file) {
        Err(error) if missing(&error) => return Ok(None),
        Ok(about) if about.is_file() && about.len() <= LONGEST => {}
        Ok(_) | Err(_) => return Err(failed()),
    }
    let mut text = String::new();
    let open = std::fs::File::open(file).map_err(|_| failed())?;
    open.take(LONGEST).read_to_string(&mut text).map_err(|_| failed())?;
    Ok(Some(text))
}

/// Every server below this key, wherever the key is: some configs have a list for each project.
fn collect(config: &Value, key: &str, found: &mut impl FnMut(&str, &Value)) {
    match config {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::Object(servers) if name == key => {
                        servers.iter().for_each(|(name, entry)| found(name, entry));
                    }
                    _ => collect(value, key, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, key, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Whether a file of this folder has something to do with servers.
fn may_define(folder: &Path, key: &str) -> Result<bool, String> {
    let Ok(files) = std::fs::read_dir(folder) else { return Ok(false) };
    for (count, file) in files.enumerate() {
        let path = file.map_err(|error| error.to_string())?.path();
        if count >= MOST_FILES || path.is_dir() || read(&path)?.is_some_and(|text| text.contains(key)) {
            return Ok(true);
        }
    }
    Ok(false)
}
