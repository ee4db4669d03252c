//! `sayso init`: sets sayso up for the user's mail.

use super::{doctor, python};
use crate::app::Check;
use crate::app::init::{
    self, Candidate, Chosen, ChosenModel, Discovery, HOSTED, config_text, make_names_unique, write_config,
};
use crate::app::{FirstLook, Scope, Step, Synced, Until};
use crate::cli::context::{Context, OpenFolder};
use crate::cli::drive::{Signals, drive_until};
use crate::cli::failure::Failure;
use crate::cli::output::{Format, Output};
use crate::cli::pages;
use crate::cli::print::note;
use crate::cli::progress::Bar;
use crate::cli::wizard::{self, say};
use crate::config::{Config, MailSource};
use jiff::Timestamp;
use serde::Serialize;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::Duration;

/// What to do if no model was found.
const NO_MODEL: &str = "No model was found: no Ollama on this machine and no API key in the environment. Rules \
    triage your mail, and you write the answers. To add a model, name it under [model] in the config; `sayso doctor` then tries it.";
/// How many mails are triaged at first, to show what sayso would do.
const NEWEST: usize = 20;
/// How long to wait for that.
const TRIAGE_TIMEOUT: Duration = Duration::from_secs(180);
/// How long another process that drives may take to look at every mailbox.
const SYNC_TIMEOUT: Duration = Duration::from_secs(120);

/// Set sayso up for your own mail
#[derive(Debug, Default, clap::Args)]
#[command(after_help = "It looks for Maildirs, for API keys in the environment \
    (their names) and for an Ollama on this machine; asks; writes a config that observes (nothing is sent or marked); \
    checks it; and triages the newest 20 mails. No password is asked for or copied: the config says where it is kept. \
    A config that is there stays, or with --force is kept beside the new one.\n\nExamples:\n  \
    sayso init\n  \
    sayso init --yes --maildir ~/Mail/inbox --address ada@example.org\n  \
    sayso init --yes --json")]
pub struct Args {
    /// Ask nothing, use what is found or named
    #[arg(long, short)]
    yes: bool,
    /// Write a new config although there is one; that one is kept beside it
    #[arg(long)]
    force: bool,
    /// Read this Maildir
    #[arg(long, value_name = "DIR")]
    maildir: Vec<PathBuf>,
    /// Your address
    #[arg(long, value_name = "ADDRESS")]
    address: Option<String>,
    /// Your name
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Who answers: builtin, ollama, openai, anthropic or gemini
    #[arg(long, value_name = "NAME", value_parser = ["builtin", "ollama", "openai", "anthropic", "gemini"])]
    provider: Option<String>,
    /// Which model of the provider
    #[arg(long, value_name = "NAME", requires = "provider")]
    model_name: Option<String>,
    /// Only write and check the config
    #[arg(long)]
    no_triage: bool,
}

/// What was set up. The field names are a contract.
#[derive(Debug, Serialize)]
struct Report {
    config: PathBuf,
    /// Where the old config is kept.
    kept: Option<PathBuf>,
    accounts: Vec<AccountLine>,
    provider: String,
    /// Whether there was a model other than the built-in rules.
    found_model: bool,
    checks: Vec<Check>,
    triage: Option<Triage>,
}

#[derive(Debug, Serialize)]
struct AccountLine {
    name: String,
    kind: &'static str,
    place: String,
    address: Option<String>,
    found_in: Vec<String>,
    /// Whether the config says how its mail is sent.
    sends: bool,
}

/// The result of triaging the newest mails.
#[derive(Debug, Default, Serialize)]
struct Triage {
    sources: Vec<Synced>,
    respond: usize,
    notify: usize,
    ignore: usize,
    /// Mails that are not triaged yet.
    left: usize,
}

impl Args {
    pub(super) async fn run(self, context: Context) -> Result<Output, Failure> {
        let path = context.new_config_path()?;
        if !self.force && path.exists() {
            return Err(Failure::usage(init::WriteError::AlreadyExists(path).to_string()));
        }
        let inputs = context.inputs().clone();
        let Some(home) = inputs.host.home.clone() else {
            return Err(Failure::usage("there is no home folder to look in; set HOME"));
        };
        let discovery = init::find(&home, &inputs.env).await;
        let mut chosen = if self.yes {
            self.choose_from_flags(&discovery, &context)?
        } else {
            if context.format.is_json() || !std::io::stdin().is_terminal() {
                let text =
                    "`sayso init` asks questions, and nobody is here to answer; --yes takes what it finds";
                return Err(Failure::usage(text));
            }
            wizard::choose(&discovery, &inputs).await?
        };
        make_names_unique(&mut chosen.accounts);
        let text = config_text(&chosen, Some(&home));
        let invalid = |error| Failure::usage(format!("this does not make a valid config: {error}"));
        // Makes sure that the config we write can be loaded.
        let config = Config::of_text(&inputs, &path, &text).map_err(invalid)?;
        let wants_python = !self.yes && wizard::wants_python(&config).await?;
        let over = self.force.then(Timestamp::now);
        let kept = write_config(&path, &text, over).map_err(|error| match error {
            init::WriteError::AlreadyExists(_) => Failure::usage(error.to_string()),
            init::WriteError::Io { .. } => Failure::failed(error.to_string()),
        })?;
        if !self.yes {
            say(&format!("\n{} is written. Checking it …\n", path.display()));
        }
        let context = context.with_config(&path);
        let config = context.config()?;
        if wants_python && let Err(error) = python::make(&config, &context.format).await {
            say(&format!("{error}\n"));
        }
        let provider = config.model.provider.name().to_owned();
        let checks = doctor::report(config, &inputs.env).await;
        let folder = context.open()?;
        let triage = if self.no_triage { None } else { Some(triage(&folder, !self.yes).await?) };
        let accounts = chosen.accounts.iter().map(line).collect();
        let found_model = discovery.has_model();
        let report = Report { config: path, kept, accounts, provider, found_model, checks, triage };
        folder.format.answer(&report, |format| report_text(format, &report))
    }

    /// Uses what was named, else what was found.
    fn choose_from_flags(&self, discovery: &Discovery, context: &Context) -> Result<Chosen, Failure> {
        let mut accounts: Vec<Candidate> = Vec::new();
        for path in &self.maildir {
            accounts.push(init::maildir(&context.path(path)).map_err(Failure::usage)?);
        }
        if accounts.is_empty() {
            accounts.clone_from(&discovery.accounts);
        }
        if accounts.is_empty() {
            return Err(Failure::failed(
                "no Maildir was found; name one with --maildir DIR, or name a server when `sayso init` asks",
            ));
        }
        let account_address = accounts.iter().find_map(|account| account.address.clone());
        let address = self.address.clone().or(account_address).or_else(|| discovery.address.clone());
        let Some(address) = address else {
            return Err(Failure::usage(
                "sayso cannot tell whose mail this is; give the address with --address",
            ));
        };
        for account in &mut accounts {
            account.address.get_or_insert_with(|| address.clone());
        }
        let name = self.name.clone().or_else(|| discovery.name.clone());
        let model = self.model(discovery)?;
        Ok(Chosen { name, address: Some(address), accounts, model, hosted: discovery.hosted.clone() })
    }

    /// Only what was named: a key in the environment does not permit us to send mail to its provider.
    fn model(&self, discovery: &Discovery) -> Result<ChosenModel, Failure> {
        let Some(provider) = self.provider.clone().filter(|provider| provider != "builtin") else {
            return Ok(ChosenModel::Builtin);
        };
        let name = self.model_name.clone();
        if let Some(hosted) = HOSTED.iter().find(|hosted| hosted.service == provider) {
            return Ok(hosted.model(name.as_deref().unwrap_or(hosted.model)));
        }
        let Some(name) = name.or_else(|| discovery.ollama.first().cloned()) else {
            return Err(Failure::usage(
                "no Ollama answered on this machine; name the model with --model-name",
            ));
        };
        Ok(ChosenModel::Named { provider, name, key: None, base_url: discovery.ollama_url.clone() })
    }
}

fn line(account: &Candidate) -> AccountLine {
    let (kind, place) = match &account.source {
        MailSource::Maildir { path, .. } => ("maildir", path.display().to_string()),
        MailSource::Imap { server, .. } => ("imap", format!("{}@{}", server.user, server.host)),
    };
    AccountLine {
        name: account.name.clone(),
        kind,
        place,
        address: account.address.clone(),
        found_in: account.found_in.clone(),
        sends: account.outgoing.is_some(),
    }
}

/// Takes in the newest mails and triages them.
async fn triage(folder: &OpenFolder, aloud: bool) -> Result<Triage, Failure> {
    let Some(intake) = folder.intake() else { return Ok(Triage::default()) };
    let bar = Bar::new(folder.format.is_json());
    let step = |step: Step<'_>| bar.show(step.source, step.done, step.total);
    let looked =
        intake.with_first_look(FirstLook::Newest(NEWEST)).sync_here_or_in_driver(&step, SYNC_TIMEOUT).await;
    bar.clear();
    let sources = looked?.unwrap_or_default();
    if aloud {
        say(&format!("Triaging your newest mails, at most {NEWEST}; Ctrl-C leaves the rest for later …\n"));
    }
    let driving =
        drive_until(folder, &Scope::All, Until::Idle, Some(TRIAGE_TIMEOUT), &mut Signals::listen(), |_| {})
            .await?;
    if driving.ensure_rested("").is_err() {
        note("not every mail was looked at yet; the inbox and `sayso run` go on with them");
    }
    let mut triage = Triage { sources, ..Triage::default() };
    for mail in pages::mails(folder.inbox(), Some(1000)).await? {
        match (mail.class.as_deref(), mail.state.as_str()) {
            (Some("respond"), _) => triage.respond += 1,
            (Some("notify"), _) => triage.notify += 1,
            (Some("ignore"), _) => triage.ignore += 1,
            (_, "thread") => triage.left += 1,
            _ => {}
        }
    }
    Ok(triage)
}

fn report_text(format: &Format, report: &Report) -> String {
    let mut text = format!("Config: {}\n", report.config.display());
    if let Some(kept) = &report.kept {
        text += &format!("The one before is kept as {}\n", kept.display());
    }
    text += "\n";
    for account in &report.accounts {
        let address = account.address.as_deref().unwrap_or("no address");
        text += &format!("Account {}: {} {}, {address}\n", account.name, account.kind, account.place);
    }
    text += "\n";
    text += &doctor::text(format, &report.checks);
    if let Some(triage) = &report.triage {
        let Triage { respond, notify, ignore, left, .. } = triage;
        let left = if *left > 0 { format!("; {left} are not looked at yet") } else { String::new() };
        let would = format!(
            "Of your newest mails it would answer {respond}, show you {notify} and skip {ignore}{left}."
        );
        text += &format!("\n{}Nothing was sent or marked.\n", format.wrapped("", &would));
        for source in triage.sources.iter().filter(|source| source.error.is_some()) {
            let why = source.error.as_deref().unwrap_or_default();
            text += &format.wrapped("", &format!("Account {} could not be read: {why}", source.source));
        }
    }
    if report.provider == "builtin" && !report.found_model {
        text += &format!("\n{}", format.wrapped("", NO_MODEL));
    }
    text += "\n";
    for account in report.accounts.iter().filter(|account| !account.sends) {
        let cannot = format!(
            "Account {} can't send anything, not even with mode = \"act\": the config names no outgoing server for it. \
             Add [mail.outgoing], such as kind = \"smtp\" with host and user.",
            account.name
        );
        text += &format.wrapped("", &cannot);
    }
    text + "`sayso` opens the inbox. When you trust it, set mode = \"act\" in the config.\n"
}
