//! Reads msmtp's settings: the address each account sends as. msmtp sends for sayso too, so it keeps its passwords.

use super::place;
use crate::config::{FiledBy, MailOutgoing};

/// An msmtp account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sender {
    /// Its name in msmtp.
    account: String,
    /// The address it sends as.
    pub(super) from: Option<String>,
    /// The user it logs in as, if that is an address.
    pub(super) user: Option<String>,
}

impl Sender {
    /// Whether it sends mail for this address.
    pub(super) fn is_for(&self, address: &str) -> bool {
        let is = |known: &Option<String>| {
            known.as_deref().is_some_and(|known| known.eq_ignore_ascii_case(address))
        };
        is(&self.from) || (self.from.is_none() && is(&self.user))
    }

    /// How the config names this sender.
    pub(super) fn outgoing(&self) -> MailOutgoing {
        let command = vec!["msmtp".to_owned(), format!("--account={}", self.account)];
        MailOutgoing::Command { command, sent: None, filed_by: FiledBy::Auto }
    }

    pub(super) fn address(&self) -> Option<&str> {
        self.from.as_deref().or(self.user.as_deref())
    }
}

/// The accounts of an msmtprc, the default one first.
pub(super) fn parse(text: &str) -> Vec<Sender> {
    let mut defaults = Sender { account: String::new(), from: None, user: None };
    let mut senders: Vec<Sender> = Vec::new();
    let mut default = None;
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with('#')) {
        let (key, value) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let value = place::words(value).join(" ");
        match (key.to_lowercase().as_str(), senders.last_mut()) {
            ("account", _) => {
                let (name, parent) = value.split_once(':').unwrap_or((&value, ""));
                let (name, parent) = (name.trim(), parent.split(',').next().unwrap_or_default().trim());
                if name == "default" && !parent.is_empty() {
                    default = Some(parent.to_owned());
                }
                let template =
                    senders.iter().find(|sender| sender.account == parent).unwrap_or(&defaults).clone();
                senders.push(Sender { account: name.to_owned(), ..template });
            }
            ("from", Some(sender)) => sender.from = place::address(&value),
            ("from", None) => defaults.from = place::address(&value),
            ("user", Some(sender)) => sender.user = place::address(&value),
            ("user", None) => defaults.user = place::address(&value),
            // We ignore everything else, including passwords.
            _ => {}
        }
    }
    // `account default : work` is another name for an account already listed.
    senders.retain(|sender| !(sender.account == "default" && default.is_some()));
    senders.sort_by_key(|sender| default.as_deref() != Some(sender.account.as_str()));
    senders
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accounts_are_known_by_whom_they_send_as() {
        let text = "defaults\nauth on\ntls on\n\naccount home\nhost smtp.example.org\nfrom ada@example.org\nuser ada\n\
            password hunter2\n\naccount work : home\nfrom \"Ada@Work.example\"\npasswordeval \"pass show work\"\n\n\
            account default : work\n";
        let senders = parse(text);
        let names: Vec<&str> = senders.iter().map(|sender| sender.account.as_str()).collect();
        assert_eq!(names, ["work", "home"]);
        assert!(senders[0].is_for("ada@work.example") && !senders[0].is_for("ada@example.org"));
        let MailOutgoing::Command { command, .. } = senders[1].outgoing() else { panic!() };
        assert_eq!(command, ["msmtp", "--account=home"]);
        assert!(!format!("{senders:?}").contains("hunter2"));
        assert!(parse("").is_empty() && parse("host x\nport 25\n").is_empty());
    }
}
