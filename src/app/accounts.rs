//! The mail accounts of the config, with their mailboxes and senders.

use crate::agent::Accounts;
use crate::calendar;
use crate::config::{self, Config, MailMode};
use crate::mail::{self, Account, BoxFuture};
use futures_util::future::join_all;
use std::fmt::Display;
use std::time::Duration;

/// How long a check may take.
const CHECK_TIMEOUT: Duration = Duration::from_secs(20);

/// Every account of the config, in order. Nothing is touched or reached yet.
pub(super) fn accounts(config: &Config) -> Vec<Account> {
    config.mail.iter().map(|mail| account(config, mail)).collect()
}

fn account(config: &Config, mail: &config::Mail) -> Account {
    let mail_addresses = [mail.address.as_str()].into_iter().chain(mail.aliases.iter().map(String::as_str));
    let mut addresses: Vec<String> = Vec::new();
    for address in mail_addresses.chain(config.user.addresses()) {
        if !addresses.iter().any(|known| known.eq_ignore_ascii_case(address)) {
            addresses.push(address.to_owned());
        }
    }
    Account {
        name: mail.name.clone(),
        address: mail.address.clone(),
        addresses,
        mode: mail.mode,
        model: mail.model.clone(),
        handled_done: mail.handled_done.clone(),
        handled_ignored: mail.handled_ignored.clone(),
        mailbox: mail::open_mailbox(mail),
        outgoing: mail::open_outgoing(mail),
    }
}

/// The accounts of the config, in order.
pub(super) struct ConfiguredAccounts(pub(super) Vec<Account>);

impl Accounts for ConfiguredAccounts {
    fn all(&self) -> Vec<Account> {
        self.0.clone()
    }
}

/// Checks whether each account can be read and sent from: its name, and a sentence either way.
pub async fn check_accounts(config: &Config) -> Vec<(String, Result<String, String>)> {
    join_all(accounts(config).into_iter().map(check_account)).await
}

async fn check_account(account: Account) -> (String, Result<String, String>) {
    let mut results = vec![with_timeout(account.mailbox.check()).await];
    match &account.outgoing {
        Some(outgoing) => results.push(with_timeout(outgoing.check()).await),
        None => results.push(Ok(match account.mode {
            MailMode::Act => {
                "its mode is \"act\", but nothing can be sent: write how under [mail.outgoing], or set \
                 mode = \"observe\""
                    .to_owned()
            }
            MailMode::Observe => "it can't send, as there is no [mail.outgoing]".to_owned(),
        })),
    }
    let (passed, failed): (Vec<_>, Vec<_>) = results.into_iter().partition(Result::is_ok);
    let joined = |results: Vec<Result<String, String>>| {
        results.into_iter().map(|results| results.unwrap_or_else(|why| why)).collect::<Vec<_>>().join("; ")
    };
    (account.name, if failed.is_empty() { Ok(joined(passed)) } else { Err(joined(failed)) })
}

/// Checks whether the calendar can be read and written, in a sentence either way; `None` if the config names none.
pub async fn check_calendar(config: &Config) -> Option<Result<String, String>> {
    let calendar = calendar::open(config.calendar.as_ref()?, config.user.time_zone.clone());
    Some(with_timeout(calendar.check()).await)
}

/// A server that does not answer in time counts as failed.
async fn with_timeout<E: Display>(check: BoxFuture<'_, Result<String, E>>) -> Result<String, String> {
    match tokio::time::timeout(CHECK_TIMEOUT, check).await {
        Ok(result) => result.map_err(|error| error.to_string()),
        Err(_) => Err(format!("it did not answer within {} seconds", CHECK_TIMEOUT.as_secs())),
    }
}

/// Reads a mail, and returns it with its identity.
pub(super) fn read_mail(account: &str, raw: &[u8]) -> Result<(mail::Mail, String), String> {
    let mail = mail::parse(raw).map_err(|error| error.to_string())?;
    let identity = mail::identity(account, &mail);
    Ok((mail, identity))
}
