//! From what was typed of mail to what is meant; the rest stands in `resolve.rs`.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::PathBuf;

use super::entries::{Address, ordinal};
use super::error::{Error, hint, quoted};
use super::google::{Google, GoogleApp};
use super::mail::{AfterHandling, Mail, MailOutgoing, MailServer, MailSource, Policy, Reach, Rule};
use super::paths::expand;
use super::raw_mail::{self as raw, MailKind, OutgoingKind};
use super::resolve::Meaning;
use super::resolve_server::Server;
use super::settings::User;

/// Longer than any name that is easy to type.
const LONGEST_NAME: usize = 40;

impl Meaning<'_> {
    /// What is written as a path.
    pub(super) fn path(&self, text: &str) -> PathBuf {
        expand(OsStr::new(text), self.base, &self.inputs.host)
    }

    pub(super) fn missing(&self, section: &'static str, name: &str, key: &'static str, hint: &str) -> Error {
        Error::MissingKey {
            section: Address::new(section, name, "").header(),
            key,
            at: self.entries.origin(section, name, key),
            hint: hint.to_owned(),
        }
    }

    /// Refuses what is surely no address: it would make every mail of the person's look like another's.
    pub(super) fn mail_address(
        &self,
        section: &'static str,
        name: &str,
        key: &str,
        address: &str,
    ) -> Result<(), Error> {
        let is_odd = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '<' | '>' | ',' | ';');
        let whole = address.rsplit_once('@').is_some_and(|(user, domain)| {
            !user.is_empty() && !domain.is_empty() && !address.contains(is_odd)
        });
        if whole {
            return Ok(());
        }
        let why = format!("must be a bare address such as ada@example.org, not {:?}", quoted(address));
        Err(self.bad(section, name, key, why))
    }

    pub(super) fn mail(
        &self,
        accounts: Vec<raw::Mail>,
        user: &User,
        google: &GoogleApp,
    ) -> Result<Vec<Mail>, Error> {
        let mut meant: Vec<Mail> = Vec::new();
        for (index, account) in accounts.into_iter().enumerate() {
            let account = self.account(&ordinal(index + 1), account, user, google)?;
            if meant.iter().any(|other| other.name == account.name) {
                let why = format!("is taken already; give this account a name other than {:?}", account.name);
                return Err(self.bad("mail", &ordinal(index + 1), "name", why));
            }
            meant.push(account);
        }
        Ok(meant)
    }

    fn account(&self, at: &str, mail: raw::Mail, user: &User, google: &GoogleApp) -> Result<Mail, Error> {
        let server = Server::of_mail(&mail);
        let name =
            mail.name.ok_or_else(|| self.missing("mail", at, "name", "write what to call the account"))?;
        let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '@' | '+');
        if name.is_empty() || name.chars().count() > LONGEST_NAME || !name.chars().all(is_plain) {
            let why = format!("must be one short word, such as home, not {:?}", quoted(&name));
            return Err(self.bad("mail", at, "name", why));
        }
        let address = match mail.address {
            Some(address) => address,
            None if !user.address.is_empty() => user.address.clone(),
            None => {
                let hint = "write the address mail is sent from, here or in [user]";
                return Err(self.missing("mail", at, "address", hint));
            }
        };
        self.mail_address("mail", at, "address", &address)?;
        for alias in &mail.aliases {
            self.mail_address("mail", at, "aliases", alias)?;
        }
        let source = match mail.kind {
            MailKind::Imap => {
                if mail.path.is_some() {
                    let why = "means nothing for kind \"imap\"; leave it out";
                    return Err(self.bad("mail", at, "path", why));
                }
                MailSource::Imap {
                    server: self.server(at, &server, &address, None)?,
                    folders: mail.folders,
                    drafts: mail.drafts,
                    sent: mail.sent,
                }
            }
            MailKind::Gmail => {
                let written = [
                    ("path", mail.path.is_some()),
                    ("drafts", mail.drafts.is_some()),
                    ("sent", mail.sent.is_some()),
                    (server.is_begun().unwrap_or_default(), server.is_begun().is_some()),
                ];
                if let Some((key, _)) = written.into_iter().find(|(_, is_written)| *is_written) {
                    let why = "means nothing for kind \"gmail\"; leave it out, or write kind = \"imap\"";
                    return Err(self.bad("mail", at, key, why));
                }
                MailSource::Gmail { google: self.google_login(google, &name)?, labels: mail.folders }
            }
            MailKind::Maildir if server.is_begun().is_some() => {
                let key = server.is_begun().unwrap_or_default();
                let why = "means nothing for kind \"maildir\"; leave it out, or write kind = \"imap\"";
                return Err(self.bad("mail", at, key, why));
            }
            MailKind::Maildir => MailSource::Maildir {
                path: self.path(&mail.path.ok_or_else(|| {
                    self.missing("mail", at, "path", "write the folder that has cur, new and tmp")
                })?),
                folders: mail.folders.into_iter().map(|folder| self.folder(folder)).collect(),
                drafts: mail.drafts.map(|path| self.path(&path)),
                sent: mail.sent.map(|path| self.path(&path)),
            },
        };
        let imap = match &source {
            MailSource::Imap { server, .. } => Some(server),
            MailSource::Maildir { .. } | MailSource::Gmail { .. } => None,
        };
        let login = || self.google_login(google, &name);
        let outgoing = self.outgoing(at, mail.outgoing, &address, imap, login)?;
        Ok(Mail {
            name,
            source,
            address,
            aliases: mail.aliases,
            mode: mail.mode,
            handled_done: self.handled(at, "handled.done", &mail.handled.done)?,
            handled_ignored: self.handled(at, "handled.ignored", &mail.handled.ignored)?,
            outgoing,
        })
    }

    /// A name beneath the mailbox stays one; a path is expanded.
    fn folder(&self, folder: String) -> String {
        if folder == "~" || folder.starts_with("~/") {
            return self.path(&folder).to_string_lossy().into_owned();
        }
        folder
    }

    fn handled(&self, at: &str, key: &'static str, text: &str) -> Result<AfterHandling, Error> {
        let named = |rest: &str| (!rest.trim().is_empty()).then(|| rest.trim().to_owned());
        let meant = match (text, text.split_once(':')) {
            ("none", _) => Some(AfterHandling::None),
            ("seen", _) => Some(AfterHandling::Seen),
            (_, Some(("label", label))) => named(label).map(AfterHandling::Label),
            (_, Some(("folder", folder))) => named(folder).map(AfterHandling::Folder),
            _ => None,
        };
        meant.ok_or_else(|| {
            let why =
                format!("has no choice {:?}; choose seen, label:NAME, folder:NAME or none", quoted(text));
            self.bad("mail", at, key, why)
        })
    }

    fn outgoing(
        &self,
        at: &str,
        outgoing: raw::Outgoing,
        address: &str,
        imap: Option<&MailServer>,
        google: impl FnOnce() -> Result<Google, Error>,
    ) -> Result<Option<MailOutgoing>, Error> {
        let server = Server::of_outgoing(&outgoing);
        let superfluous = |key: &'static str, kind: &str| {
            self.bad("mail", at, key, format!("means nothing for outgoing.kind {kind:?}; leave it out"))
        };
        match outgoing.kind {
            None => {
                let is_begun =
                    outgoing.path.is_some() || outgoing.command.is_some() || outgoing.sent.is_some();
                if is_begun || server.is_begun().is_some() {
                    return Err(self.missing(
                        "mail",
                        at,
                        "outgoing.kind",
                        "write maildir, command, smtp or gmail",
                    ));
                }
                Ok(None)
            }
            Some(kind @ (OutgoingKind::Smtp | OutgoingKind::Gmail)) => {
                let word = if kind == OutgoingKind::Smtp { "smtp" } else { "gmail" };
                for (key, is_written) in [
                    ("outgoing.path", outgoing.path.is_some()),
                    ("outgoing.command", outgoing.command.is_some()),
                    ("outgoing.sent", outgoing.sent.is_some()),
                ] {
                    if is_written {
                        return Err(superfluous(key, word));
                    }
                }
                match (kind, server.is_begun()) {
                    (OutgoingKind::Gmail, Some(key)) => Err(superfluous(key, word)),
                    (OutgoingKind::Gmail, None) => Ok(Some(MailOutgoing::Gmail { google: google()? })),
                    _ => Ok(Some(MailOutgoing::Smtp {
                        server: self.server(at, &server, address, imap)?,
                        filed_by: outgoing.filed_by.unwrap_or_default(),
                    })),
                }
            }
            Some(OutgoingKind::Maildir | OutgoingKind::Command) if outgoing.filed_by.is_some() => {
                Err(superfluous("outgoing.filed_by", "maildir or command"))
            }
            Some(OutgoingKind::Maildir | OutgoingKind::Command) if server.is_begun().is_some() => {
                Err(superfluous(server.is_begun().unwrap_or_default(), "maildir or command"))
            }
            Some(OutgoingKind::Maildir) => {
                if outgoing.command.is_some() {
                    return Err(superfluous("outgoing.command", "maildir"));
                }
                if outgoing.sent.is_some() {
                    return Err(superfluous("outgoing.sent", "maildir"));
                }
                let path = outgoing.path.ok_or_else(|| {
                    self.missing("mail", at, "outgoing.path", "write the folder that mail to be sent goes to")
                })?;
                Ok(Some(MailOutgoing::Maildir { path: self.path(&path) }))
            }
            Some(OutgoingKind::Command) => {
                if outgoing.path.is_some() {
                    return Err(superfluous("outgoing.path", "command"));
                }
                let command = outgoing.command.filter(|words| words.iter().any(|word| !word.is_empty()));
                let mut command = command.ok_or_else(|| {
                    self.missing("mail", at, "outgoing.command", "write it such as [\"msmtp\"]")
                })?;
                if let Some(program) = command.first_mut().filter(|program| program.starts_with("~/")) {
                    *program = self.path(program).to_string_lossy().into_owned();
                }
                let sent = outgoing.sent.map(|path| self.path(&path));
                Ok(Some(MailOutgoing::Command { command, sent }))
            }
        }
    }

    pub(super) fn rules(&self, rules: Vec<raw::Rule>, accounts: &[Mail]) -> Result<Vec<Rule>, Error> {
        let mut meant = Vec::new();
        for (index, rule) in rules.into_iter().enumerate() {
            let at = ordinal(index + 1);
            let class = rule
                .class
                .ok_or_else(|| self.missing("rule", &at, "class", "write ignore, notify or respond"))?;
            let patterns = [&rule.from, &rule.to, &rule.subject, &rule.list, &rule.account];
            // A rule for all mail is more likely an unfinished one.
            if patterns.iter().all(|pattern| pattern.is_none()) {
                let hint = "write what mail it is for: from, to, subject, list or account";
                return Err(self.missing("rule", &at, "from", hint));
            }
            if let Some(account) = &rule.account
                && !accounts.iter().any(|known| known.name == *account)
            {
                let known = accounts.iter().map(|account| account.name.as_str());
                let hint = hint(account, known, "the accounts are");
                return Err(self.bad("rule", &at, "account", format!("names no account; {hint}")));
            }
            meant.push(Rule {
                from: rule.from,
                to: rule.to,
                subject: rule.subject,
                list: rule.list,
                account: rule.account,
                class,
            });
        }
        Ok(meant)
    }

    pub(super) fn policies(
        &self,
        policies: BTreeMap<String, raw::Policy>,
    ) -> Result<BTreeMap<String, Policy>, Error> {
        let mut meant = BTreeMap::new();
        for (tool, policy) in policies {
            let mut recipients = Vec::new();
            for reach in policy.recipients {
                recipients.push(match reach.as_str() {
                    "thread" => Reach::Thread,
                    "own_domain" => Reach::OwnDomain,
                    other => {
                        let hint = hint(other, ["thread", "own_domain"].into_iter(), "choose among");
                        let why = format!("has no choice {:?}; {hint}", quoted(other));
                        return Err(self.bad("policy", &tool, "recipients", why));
                    }
                });
            }
            meant.insert(tool, Policy { mode: policy.mode, recipients });
        }
        Ok(meant)
    }
}
