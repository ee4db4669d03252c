//! From nothing to one's own mail: what this machine has, and a config written from it.
//!
//! Promises: looking changes nothing and is bounded in files, depth and time; a password that stands in another
//! program's file is never read further than its line, let alone copied; what is written loads as a config, observes,
//! is readable by the person alone and never takes the place of another file.
//! Does not ask anybody, reach a mail server or read a mail further than its head.

mod aerc;
mod git;
mod maildirs;
mod mbsync;
mod merge;
mod msmtp;
mod neomutt;
mod ollama;
mod place;
mod write;

pub use write::{Chosen, ChosenModel, WriteError, config_text, write_config};

use crate::config::{Env, MailOutgoing, MailSource};
use std::path::Path;

/// Everything of use that was found.
#[derive(Clone, Debug, Default)]
pub struct Finds {
    /// What the person is called.
    pub name: Option<String>,
    /// Where they are reached.
    pub address: Option<String>,
    /// Mail that could be read, the surest first.
    pub accounts: Vec<Candidate>,
    /// Providers a key in the environment is for, with the variable's name.
    pub keys: Vec<(&'static str, &'static str)>,
    /// Models of an Ollama on this machine.
    pub ollama: Vec<String>,
    /// Where that is, where it is not in its usual place.
    pub ollama_url: Option<String>,
}

impl Finds {
    /// Whether there is a model besides the built-in rules.
    pub fn has_model(&self) -> bool {
        !self.ollama.is_empty() || !self.keys.is_empty()
    }
}

/// An account as other programs know it.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// What to call it: one short word.
    pub name: String,
    /// Its address, where that is known.
    pub address: Option<String>,
    /// Where it is read.
    pub source: MailSource,
    /// Where its mail is sent, where that is known.
    pub outgoing: Option<MailOutgoing>,
    /// Who knows of it: `mbsync`, `aerc`, a folder.
    pub found_in: Vec<String>,
    /// What the person has to do before it works.
    pub notes: Vec<String>,
}

/// The keys that are looked for, by provider.
const KEYS: &[(&str, &str)] =
    &[("openai", "OPENAI_API_KEY"), ("anthropic", "ANTHROPIC_API_KEY"), ("gemini", "GEMINI_API_KEY")];

/// Looks around in a home folder and the environment. A key's value is not looked at.
pub async fn find(home: &Path, env: &Env) -> Finds {
    let keys = KEYS.iter().copied().filter(|(_, variable)| env.get(variable).is_some()).collect();
    let ollama = ollama::models(env).await;
    let ollama_url = ollama::unusual(env);
    let (home, env) = (home.to_owned(), env.clone());
    // Home folders may be on a slow disk.
    let found = tokio::task::spawn_blocking(move || merge::everything(&home, &env)).await;
    Finds { keys, ollama, ollama_url, ..found.unwrap_or_default() }
}

/// A Maildir the person names, with what lies beside it.
pub fn maildir(path: &Path) -> Candidate {
    maildirs::candidate(path)
}
