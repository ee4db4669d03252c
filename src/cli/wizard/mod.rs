//! The questions of the setup, one per line, each with a default that Enter takes.
//!
//! Promises: nothing is written here, so leaving at any question (Ctrl-C, Ctrl-D) leaves nothing behind. It never asks
//! for a password, only where it is kept. A server is tried as soon as it is named, and its answer is shown.

mod ask;
mod by_hand;

pub(super) use ask::{Prompt, say, show};

use super::failure::Failure;
use crate::app::init::{self, Candidate, Chosen, ChosenModel, Discovery};
use crate::app::{PythonEnvironment, check_python};
use crate::config::{Config, Inputs, MailSource};
use crate::dialects::Agent;
use std::path::Path;

/// What a new user wants to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FirstChoice {
    Connect,
    Init,
    Demo,
    Inbox,
    Leave,
}

/// Offers the first steps to a user without config and data.
pub(super) async fn welcome() -> Result<FirstChoice, Failure> {
    say("Welcome to sayso. There is no config and no data yet.\n");
    let choices = [
        "connect a coding agent: Claude Code, Codex, opencode, Gemini CLI (sayso connect)",
        "set up my own mail (sayso init); nothing is sent or marked",
        "look at the demo (sayso demo)",
        "open the empty inbox",
        "leave",
    ];
    Ok(match Prompt.choose_one("What would you like?", &choices.map(str::to_owned)).await? {
        0 => FirstChoice::Connect,
        1 => FirstChoice::Init,
        2 => FirstChoice::Demo,
        3 => FirstChoice::Inbox,
        _ => FirstChoice::Leave,
    })
}

pub(super) async fn which_agent() -> Result<Agent, Failure> {
    let names = Agent::ALL.map(|agent| agent.name().to_owned());
    let chosen = Prompt.choose_one("Which one?", &names).await?;
    Ok(Agent::ALL.into_iter().nth(chosen).unwrap_or(Agent::Claude))
}

/// Asks everything the config needs.
pub(super) async fn choose(discovery: &Discovery, inputs: &Inputs) -> Result<Chosen, Failure> {
    let prompt = Prompt;
    say("This sets sayso up for your own mail. It begins in observe mode: nothing is sent or marked.\n");
    let mut accounts = Vec::new();
    while accounts.is_empty() {
        accounts = mail(&prompt, discovery, inputs).await?;
    }
    let suggested =
        accounts.iter().find_map(|account| account.address.clone()).or_else(|| discovery.address.clone());
    let name = prompt.text("Your name", discovery.name.as_deref()).await?;
    let address = prompt.address("Your address", suggested.as_deref()).await?;
    for account in &mut accounts {
        account.address.get_or_insert_with(|| address.clone());
    }
    let model = model(&prompt, discovery).await?;
    let hosted = discovery.hosted.clone();
    Ok(Chosen {
        name: Some(name).filter(|name| !name.is_empty()),
        address: Some(address),
        accounts,
        model,
        hosted,
    })
}

/// Whether to make a Python for `sheet`; asks where there is none and something could make it.
pub(super) async fn wants_python(config: &Config) -> Result<bool, Failure> {
    if check_python(config).await.is_ok() || !PythonEnvironment::can_be_made().await {
        return Ok(false);
    }
    say("Work on spreadsheets needs a Python with openpyxl, and there is none.\n");
    Prompt.confirm("Make one in the data folder? It fetches some hundred megabytes").await
}

/// An account in one line.
fn describe(account: &Candidate) -> String {
    let place = match &account.source {
        MailSource::Maildir { path, .. } => format!("Maildir {}", path.display()),
        MailSource::Imap { server, .. } => format!("{} at {}", server.user, server.host),
    };
    let out = account.outgoing.as_ref();
    let out = out.map(|server| format!(", sends via {}", server.host)).unwrap_or_default();
    let sources = account
        .found_in
        .iter()
        .filter(|source| !source.contains('/'))
        .cloned()
        .collect::<Vec<_>>()
        .join(", ");
    let sources = if sources.is_empty() { sources } else { format!("  ({sources})") };
    format!("{place}{out}{sources}")
}

async fn mail(prompt: &Prompt, discovery: &Discovery, inputs: &Inputs) -> Result<Vec<Candidate>, Failure> {
    let mut choices: Vec<String> = discovery.accounts.iter().map(describe).collect();
    if choices.is_empty() {
        say("No Maildir was found in the usual places.\n");
    }
    choices.push("a mail server, by hand (IMAP)".to_owned());
    choices.push("a Maildir, by its path".to_owned());
    let several = discovery.accounts.len() > 1;
    let title = if several { "Which mail? Several with commas" } else { "Which mail?" };
    let picked = prompt.choose_some(title, &choices).await?;
    let mut accounts = Vec::new();
    for at in picked {
        match discovery.accounts.get(at) {
            Some(account) => accounts.push(account.clone()),
            None if at == discovery.accounts.len() => {
                accounts.extend(by_hand::server(prompt, discovery, inputs).await?)
            }
            None => accounts.extend(maildir(prompt, inputs).await?),
        }
    }
    Ok(accounts)
}

async fn maildir(prompt: &Prompt, inputs: &Inputs) -> Result<Option<Candidate>, Failure> {
    let typed = prompt.text("Its folder, the one that has cur, new and tmp in it", None).await?;
    let path = inputs.host.expand(Path::new(typed.trim()));
    Ok(init::maildir(&path).map_err(|why| say(&format!("{why}.\n"))).ok())
}

async fn model(prompt: &Prompt, discovery: &Discovery) -> Result<ChosenModel, Failure> {
    let mut models =
        vec![(ChosenModel::Builtin, "no model: rules triage the mail, and you write the answers".to_owned())];
    for name in &discovery.ollama {
        let (provider, base_url) = ("ollama".to_owned(), discovery.ollama_url.clone());
        let model = ChosenModel::Named { provider, name: name.clone(), key: None, base_url };
        models.push((model, format!("{name} of the Ollama on this machine: no cost, nothing leaves it")));
    }
    for hosted in &discovery.hosted {
        let (service, key) = (hosted.service, hosted.key);
        let text = format!("{service}, with the key in {key}: your mail is sent there, and it costs money");
        models.push((hosted.model(hosted.model), text));
    }
    if !discovery.has_model() {
        return Ok(ChosenModel::Builtin);
    }
    let choices: Vec<String> = models.iter().map(|(_, text)| text.clone()).collect();
    let at = prompt.choose_one("What should read and answer your mail?", &choices).await?;
    let mut model = models.swap_remove(at).0;
    if let ChosenModel::Named { name, key: Some(_), .. } = &mut model {
        *name = prompt.text("Which model", Some(name.as_str())).await?;
    }
    Ok(model)
}
