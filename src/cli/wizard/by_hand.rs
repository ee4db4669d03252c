//! A mail server that the user names, tried before it is accepted.

use super::ask::{Prompt, say};
use crate::app::check_accounts;
use crate::app::init::{Candidate, Chosen, Discovery, config_text, short_name};
use crate::cli::failure::Failure;
use crate::config::{Config, Inputs, MailLogin, MailServer, MailSource, MailTls, Secret};
use std::path::{Path, PathBuf};

/// Asks for a server until the login works, or the user keeps it anyway or gives up.
pub(super) async fn server(
    prompt: &Prompt,
    discovery: &Discovery,
    inputs: &Inputs,
) -> Result<Option<Candidate>, Failure> {
    let mut answers = ServerAnswers::default();
    loop {
        answers = ask_server(prompt, discovery, &answers).await?;
        let account = answers.account();
        say("Trying to log in …\n");
        match try_login(&account, inputs).await {
            Ok(text) => {
                say(&format!("  ok: {text}\n"));
                return Ok(Some(account));
            }
            Err(why) => say(&format!("  FAILED: {why}\n")),
        }
        let choices = ["other answers", "keep it as it is and fix it later", "leave this account out"];
        match prompt.choose_one("What now?", &choices.map(str::to_owned)).await? {
            0 => {}
            1 => return Ok(Some(account)),
            _ => return Ok(None),
        }
    }
}

/// What was typed; the defaults if it is asked again.
#[derive(Clone, Debug, Default)]
struct ServerAnswers {
    address: String,
    host: String,
    starttls: bool,
    user: String,
    secret: Option<Secret>,
    smtp: String,
}

async fn ask_server(
    prompt: &Prompt,
    discovery: &Discovery,
    before: &ServerAnswers,
) -> Result<ServerAnswers, Failure> {
    let or = |text: &str, other: Option<String>| if text.is_empty() { other } else { Some(text.to_owned()) };
    let address =
        prompt.address("Address", or(&before.address, discovery.address.clone()).as_deref()).await?;
    let domain = address.rsplit_once('@').map(|(_, domain)| domain.to_owned()).unwrap_or_default();
    let default = or(&before.host, Some(format!("imap.{domain}")));
    let host = prompt.required("IMAP server, with :port if it is unusual", default.as_deref()).await?;
    let choices = ["TLS (usual)", "STARTTLS"];
    let starttls =
        prompt.choose_one("How is the connection secured?", &choices.map(str::to_owned)).await? == 1;
    let user = prompt.required("User name there", or(&before.user, Some(address.clone())).as_deref()).await?;
    let secret = secret(prompt, &address).await?;
    let default = or(&before.smtp, Some(host.replacen("imap.", "smtp.", 1)));
    let smtp = prompt.text("SMTP server for sending, - for none", default.as_deref()).await?;
    Ok(ServerAnswers { address, host, starttls, user, secret: Some(secret), smtp })
}

async fn secret(prompt: &Prompt, address: &str) -> Result<Secret, Failure> {
    let choices = [
        "a command prints it (such as pass, op, secret-tool)",
        "it is in an environment variable",
        "it is in a file that only I can read (chmod 600)",
    ];
    say("sayso never writes your password down. ");
    match prompt.choose_one("Where is it kept?", &choices.map(str::to_owned)).await? {
        0 => {
            let default = format!("pass show mail/{address}");
            Ok(Secret::Command(prompt.required("The command", Some(default.as_str())).await?))
        }
        1 => Ok(Secret::Env(prompt.required("The variable", Some("SAYSO_PASSWORD")).await?)),
        _ => Ok(Secret::File(PathBuf::from(prompt.required("The file, its whole path", None).await?))),
    }
}

/// A host with an optional port.
fn host_and_port(text: &str, default: u16) -> (String, u16) {
    match text.trim().rsplit_once(':') {
        Some((host, port)) => match port.parse() {
            Ok(port) => (host.to_owned(), port),
            Err(_) => (text.trim().to_owned(), default),
        },
        None => (text.trim().to_owned(), default),
    }
}

impl ServerAnswers {
    fn account(&self) -> Candidate {
        let tls = if self.starttls { MailTls::Starttls } else { MailTls::Tls };
        let secret = self.secret.clone().unwrap_or(Secret::Env("SAYSO_PASSWORD".to_owned()));
        let server = |text: &str, by_tls: u16, by_starttls: u16| {
            let (host, port) = host_and_port(text, if self.starttls { by_starttls } else { by_tls });
            let (user, login) = (self.user.clone(), MailLogin::Password(secret.clone()));
            MailServer { host, port, tls, user, login, ca_file: None, tls_pin: None }
        };
        let imap = server(&self.host, 993, 143);
        let smtp = Some(self.smtp.trim()).filter(|smtp| !smtp.is_empty() && *smtp != "-");
        let domain = self.address.rsplit_once('@').map_or(self.host.as_str(), |(_, domain)| domain);
        Candidate {
            name: short_name(domain.split('.').next().unwrap_or_default()),
            address: Some(self.address.clone()),
            source: MailSource::Imap { server: imap, folders: Vec::new(), drafts: None, sent: None },
            outgoing: smtp.map(|smtp| server(smtp, 465, 587)),
            found_in: vec!["named by you".to_owned()],
        }
    }
}

/// Whether the login works, in a sentence either way.
async fn try_login(account: &Candidate, inputs: &Inputs) -> Result<String, String> {
    let chosen =
        Chosen { address: account.address.clone(), accounts: vec![account.clone()], ..Chosen::default() };
    let text = config_text(&chosen, inputs.host.home.as_deref());
    let config =
        Config::of_text(inputs, Path::new("/config.toml"), &text).map_err(|error| error.to_string())?;
    match check_accounts(&config).await.pop() {
        Some((_, result)) => result,
        None => Err("there is no account".to_owned()),
    }
}
