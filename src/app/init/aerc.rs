//! Reads aerc's accounts: one section each, with servers and folders as URLs.

use super::Candidate;
use super::place::{self, Password, ServerUrl};
use crate::config::{FiledBy, MailOutgoing, MailSource, MailTls};
use std::collections::BTreeMap;
use std::path::Path;

/// The accounts of an accounts.conf.
pub(super) fn parse(text: &str, home: &Path) -> Vec<Candidate> {
    let account = |(name, keys): (String, BTreeMap<String, String>)| account(&name, &keys, home);
    sections(text).into_iter().filter_map(account).collect()
}

fn account(name: &str, keys: &BTreeMap<String, String>, home: &Path) -> Option<Candidate> {
    let from = keys.get("from").and_then(|from| place::address(from));
    let mut notes = Vec::new();
    let source = keys.get("source")?;
    let local = ["maildir://", "maildirpp://"].iter().find_map(|scheme| source.strip_prefix(scheme));
    let source = match local {
        Some(folder) => {
            let root = place::path(folder, home);
            let usual = keys.get("default").map_or("INBOX", String::as_str);
            let inbox = Some(root.join(usual)).filter(|path| path.is_dir()).unwrap_or_else(|| root.clone());
            super::maildirs::source(&inbox, Some(&root))
        }
        None => {
            let url = ServerUrl::read(source)?;
            let (tls, token) = parse_scheme(&url.scheme, "imap")?;
            let user = url.user.clone().or_else(|| from.clone())?;
            let password = password(&url, keys.get("source-cred-cmd"));
            let (login, note) = password.login(name, "aerc", token);
            notes.extend(note);
            MailSource::Imap {
                server: place::server(&url.host, url.port, tls, place::IMAP, &user, login),
                folders: Vec::new(),
                drafts: keys.get("postpone").cloned(),
                sent: keys.get("copy-to").cloned(),
            }
        }
    };
    let outgoing = keys.get("outgoing").and_then(|to| {
        let Some(url) = ServerUrl::read(to) else { return command(to) };
        let (tls, token) = parse_scheme(&url.scheme, "smtp")?;
        let user = url.user.clone().or_else(|| from.clone())?;
        let password = password(&url, keys.get("outgoing-cred-cmd"));
        let (login, note) = password.login(name, "aerc", token);
        notes.extend(note.filter(|note| !notes.contains(note)));
        let server = place::server(&url.host, url.port, tls, place::SMTP, &user, login);
        Some(MailOutgoing::Smtp { server, filed_by: FiledBy::Auto })
    });
    let user = match &source {
        MailSource::Imap { server, .. } => place::address(&server.user),
        MailSource::Maildir { .. } => None,
    };
    Some(Candidate {
        name: place::short_name(name),
        address: from.or(user),
        source,
        outgoing,
        found_in: vec!["aerc".to_owned()],
        notes,
    })
}

/// The encryption a scheme means, and whether the login is a token. Unencrypted schemes are `None`.
fn parse_scheme(scheme: &str, protocol: &str) -> Option<(MailTls, bool)> {
    let (first, more) = scheme.split_once('+').unwrap_or((scheme, ""));
    let tls = match first.strip_prefix(protocol)? {
        "s" => MailTls::Tls,
        "" if more != "insecure" => MailTls::Starttls,
        _ => return None,
    };
    Some((tls, matches!(more, "oauthbearer" | "xoauth2")))
}

fn password(url: &ServerUrl, command: Option<&String>) -> Password {
    match command {
        Some(command) if !command.is_empty() => Password::Command(command.clone()),
        _ if url.written => Password::Written,
        _ => Password::Unknown,
    }
}

/// A program that sends mail.
pub(super) fn command(text: &str) -> Option<MailOutgoing> {
    let mut command = place::words(text);
    // These options read the recipients from the mail; sayso passes them itself.
    command.retain(|word| !matches!(word.as_str(), "-t" | "--read-recipients" | "-oi" | "-oem"));
    let is_known = command.first().is_some_and(|program| {
        let name = program.rsplit('/').next().unwrap_or_default();
        ["msmtp", "sendmail", "esmtp", "msmtpq", "msmtp-enqueue.sh"].contains(&name)
    });
    is_known.then_some(MailOutgoing::Command { command, sent: None, filed_by: FiledBy::Auto })
}

fn sections(text: &str) -> Vec<(String, BTreeMap<String, String>)> {
    let mut sections: Vec<(String, BTreeMap<String, String>)> = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with(['#', ';'])) {
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            sections.push((name.trim().to_owned(), BTreeMap::new()));
        } else if let (Some((key, value)), Some((_, keys))) = (line.split_once('='), sections.last_mut()) {
            let value = value.trim();
            let bare = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(value);
            keys.insert(key.trim().to_lowercase(), bare.to_owned());
        }
    }
    sections
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{MailLogin, Secret};

    const FILE: &str = r"
[Work]
source            = imaps://ada%40work.example@imap.work.example:993
source-cred-cmd   = pass show mail/work
outgoing          = smtp://ada%40work.example@smtp.work.example:587
outgoing-cred-cmd = pass show mail/work
default           = INBOX
from              = Ada Example <ada@work.example>
copy-to           = Sent

[Local]
source   = maildir://~/Maildir
outgoing = /usr/bin/msmtp -a local -t
from     = ada@example.org

[Clear]
source = imap+insecure://ada:hunter2@mail.example.org

[Literal]
source = imaps://ada:hunter2@mail.example.org
outgoing = smtps://ada:hunter2@mail.example.org
";

    #[test]
    fn accounts_are_read_with_their_ways_in_and_out() {
        let accounts = parse(FILE, Path::new("/home/ada"));
        let names: Vec<&str> = accounts.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["work", "local", "literal"], "nothing is said in the clear");
        let MailSource::Imap { server, sent, .. } = &accounts[0].source else { panic!() };
        assert_eq!(
            (server.host.as_str(), server.port, server.user.as_str()),
            ("imap.work.example", 993, "ada@work.example")
        );
        assert_eq!((sent.as_deref(), accounts[0].notes.len()), (Some("Sent"), 0));
        assert_eq!(server.login, MailLogin::Password(Secret::Command("pass show mail/work".into())));
        let Some(MailOutgoing::Smtp { server, .. }) = &accounts[0].outgoing else { panic!() };
        assert_eq!((server.port, server.tls), (587, MailTls::Starttls));
        let Some(MailOutgoing::Command { command, .. }) = &accounts[1].outgoing else { panic!() };
        assert_eq!(command, &["/usr/bin/msmtp", "-a", "local"]);
        assert!(
            matches!(&accounts[1].source, MailSource::Maildir { path, .. } if path == Path::new("/home/ada/Maildir"))
        );
        assert_eq!(accounts[2].notes.len(), 1, "{:?}", accounts[2].notes);
        assert!(accounts[2].notes[0].contains("SAYSO_PASSWORD_LITERAL"));
        assert!(!format!("{accounts:?}").contains("hunter2"));
    }
}
