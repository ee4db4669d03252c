//! `sayso init`: finds mail and models on this machine, and writes a config for them.
//!
//! Promises: searching changes nothing and is bounded in files, depth and time. A password in another program's file
//! gets no further than its line, and is never copied. The written config loads, is set to observe, is readable only by
//! the user and never overwrites another file.
//! Does not ask the user, reach a mail server, or read more of a mail than its head.

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

/// Everything useful that was found.
#[derive(Clone, Debug, Default)]
pub struct Discovery {
    /// The user's name.
    pub name: Option<String>,
    /// The user's mail address.
    pub address: Option<String>,
    /// Mail accounts, the most certain first.
    pub accounts: Vec<Candidate>,
    /// Providers with a key in the environment, with the variable's name.
    pub keys: Vec<(&'static str, &'static str)>,
    /// Models of an Ollama on this machine.
    pub ollama: Vec<String>,
    /// The URL of that Ollama, if not the usual one.
    pub ollama_url: Option<String>,
}

impl Discovery {
    /// Whether there is a model other than the built-in rules.
    pub fn has_model(&self) -> bool {
        !self.ollama.is_empty() || !self.keys.is_empty()
    }
}

/// An account as other programs know it.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// One short word.
    pub name: String,
    pub address: Option<String>,
    /// Where its mail is read.
    pub source: MailSource,
    /// How its mail is sent, if known.
    pub outgoing: Option<MailOutgoing>,
    /// The programs or folders it was found in: `mbsync`, `aerc`, a path.
    pub found_in: Vec<String>,
    /// What the user has to do before it works.
    pub notes: Vec<String>,
}

/// The environment variables for keys, by provider.
const KEYS: &[(&str, &str)] =
    &[("openai", "OPENAI_API_KEY"), ("anthropic", "ANTHROPIC_API_KEY"), ("gemini", "GEMINI_API_KEY")];

/// Searches a home folder and the environment. Does not look at the values of keys.
pub async fn find(home: &Path, env: &Env) -> Discovery {
    let keys = KEYS.iter().copied().filter(|(_, variable)| env.get(variable).is_some()).collect();
    let ollama = ollama::models(env).await;
    let ollama_url = ollama::custom_url(env);
    let (home, env) = (home.to_owned(), env.clone());
    // Home folders may be on a slow disk.
    let discovery = tokio::task::spawn_blocking(move || merge::discover(&home, &env)).await;
    Discovery { keys, ollama, ollama_url, ..discovery.unwrap_or_default() }
}

/// A Maildir that the user names, with the folders next to it.
pub fn maildir(path: &Path) -> Candidate {
    maildirs::candidate(path)
}
