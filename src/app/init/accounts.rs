//! Finds the accounts that aerc and mbsync know, next to the Maildirs in their usual places.

use super::place::{self, config_home};
use super::{Candidate, Discovery, git, maildirs};
use crate::config::{Env, MailLogin, MailServer, MailSource, MailTls, Secret};
use crate::text::shell_words;
use reqwest::Url;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Everything found in a home folder.
pub(super) fn discover(home: &Path, env: &Env) -> Discovery {
    let config = config_home(home, env);
    let (mut name, mut address) = (None, None);
    for path in [config.join("git/config"), home.join(".gitconfig")] {
        let (called, reached) = place::text(&path).map(|text| git::parse(&text)).unwrap_or_default();
        name = called.or(name);
        address = reached.or(address);
    }
    let mut accounts = aerc(&place::text(&config.join("aerc/accounts.conf")).unwrap_or_default(), home);
    let mbsync = [config.join("isyncrc"), home.join(".mbsyncrc")].iter().find_map(|path| place::text(path));
    let synced = mbsync_inboxes(&mbsync.unwrap_or_default(), home)
        .into_iter()
        .map(|path| Candidate { found_in: vec!["mbsync".to_owned()], ..maildirs::candidate(&path) });
    for maildir in synced.chain(maildirs::find(home, env)) {
        if !accounts.iter().any(|known| is_same_maildir(&known.source, &maildir.source)) {
            accounts.push(maildir);
        }
    }
    let address = accounts.iter().find_map(|account| account.address.clone()).or(address);
    Discovery { name, address, accounts, ..Discovery::default() }
}

fn is_same_maildir(one: &MailSource, other: &MailSource) -> bool {
    match (one, other) {
        (MailSource::Maildir { path: one, .. }, MailSource::Maildir { path: other, .. }) => {
            one == other || one.canonicalize().is_ok_and(|one| other.canonicalize().is_ok_and(|o| one == o))
        }
        _ => false,
    }
}

/// Numbers accounts of the same name.
pub fn make_names_unique(accounts: &mut [Candidate]) {
    for at in 0..accounts.len() {
        let base_name = accounts[at].name.clone();
        let mut n = 1;
        while accounts[..at].iter().any(|other| other.name == accounts[at].name) {
            n += 1;
            accounts[at].name = format!("{base_name}-{n}");
        }
    }
}

/// The Maildirs that mbsync fills.
fn mbsync_inboxes(text: &str, home: &Path) -> Vec<PathBuf> {
    let inbox = |line: &str| {
        let words = shell_words(line, Some('\\'));
        let [key, path] = words.as_slice() else { return None };
        key.eq_ignore_ascii_case("inbox").then(|| place::path(path, home))
    };
    text.lines().filter_map(inbox).filter(|path| maildirs::is_maildir(path)).collect()
}

/// aerc's accounts: a section each, with servers and folders as URLs.
fn aerc(text: &str, home: &Path) -> Vec<Candidate> {
    let mut sections: Vec<(&str, BTreeMap<&str, &str>)> = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with(['#', ';'])) {
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            sections.push((name.trim(), BTreeMap::new()));
        } else if let (Some((key, value)), Some((_, keys))) = (line.split_once('='), sections.last_mut()) {
            keys.insert(key.trim(), value.trim().trim_matches('"'));
        }
    }
    sections.iter().filter_map(|(name, keys)| aerc_account(name, keys, home)).collect()
}

fn aerc_account(name: &str, keys: &BTreeMap<&str, &str>, home: &Path) -> Option<Candidate> {
    let from = keys.get("from").and_then(|from| place::address(from));
    let place = keys.get("source")?;
    let (source, user) = match place.strip_prefix("maildir://") {
        Some(folder) => {
            let root = place::path(folder, home);
            let inbox = root.join(keys.get("default").unwrap_or(&"INBOX"));
            let inbox = if inbox.is_dir() { inbox } else { root.clone() };
            (maildirs::source(&inbox, Some(&root)), None)
        }
        None => {
            let server = server(place, "imap", [993, 143], keys.get("source-cred-cmd"), name)?;
            let user = place::address(&server.user);
            (MailSource::Imap { server, folders: Vec::new(), drafts: None, sent: None }, user)
        }
    };
    let outgoing = keys.get("outgoing");
    let outgoing =
        outgoing.and_then(|to| server(to, "smtp", [465, 587], keys.get("outgoing-cred-cmd"), name));
    let needs_password = |server: &MailServer| matches!(server.login, MailLogin::Password(Secret::Env(_)));
    let unknown = matches!(&source, MailSource::Imap { server, .. } if needs_password(server))
        || outgoing.as_ref().is_some_and(needs_password);
    let note = format!(
        "no password of {name} was copied from aerc; set {} to it, or write a password_command or a password_file into \
         the config",
        place::variable(name)
    );
    Some(Candidate {
        name: place::short_name(name),
        address: from.or(user),
        source,
        outgoing,
        found_in: vec!["aerc".to_owned()],
        notes: unknown.then_some(note).into_iter().collect(),
    })
}

/// A server from a URL like `imaps://user@host:port`. A password in it is not kept, and without encryption the server
/// is left out.
fn server(
    text: &str,
    protocol: &str,
    [by_tls, by_starttls]: [u16; 2],
    command: Option<&&str>,
    account: &str,
) -> Option<MailServer> {
    let url = Url::parse(text).ok()?;
    let (tls, default_port) = match url.scheme().strip_prefix(protocol)? {
        "s" => (MailTls::Tls, by_tls),
        "" => (MailTls::Starttls, by_starttls),
        _ => return None,
    };
    let login = match command {
        Some(command) => Secret::Command((*command).to_owned()),
        None => Secret::Env(place::variable(account)),
    };
    Some(MailServer {
        host: url.host_str()?.to_lowercase(),
        port: url.port().unwrap_or(default_port),
        tls,
        user: url.username().replace("%40", "@"),
        login: MailLogin::Password(login),
        ca_file: None,
        tls_pin: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const AERC: &str = r"
[Work]
source            = imaps://ada%40work.example@imap.Work.example:993
source-cred-cmd   = pass show mail/work
outgoing          = smtp://ada%40work.example@smtp.work.example:587
outgoing-cred-cmd = pass show mail/work
from              = Ada Example <ada@work.example>

[Local]
source   = maildir://~/Maildir
from     = ada@example.org

[Clear]
source = imap+insecure://ada:hunter2@mail.example.org

[Literal]
source = imaps://ada:hunter2@mail.example.org
outgoing = smtps://ada:hunter2@mail.example.org
";

    #[test]
    fn accounts_of_aerc_are_read_with_their_ways_in_and_out() {
        let accounts = aerc(AERC, Path::new("/home/ada"));
        let names: Vec<&str> = accounts.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["work", "local", "literal"], "an unencrypted server is left out");
        let MailSource::Imap { server, .. } = &accounts[0].source else { panic!() };
        assert_eq!(
            (server.host.as_str(), server.port, server.user.as_str()),
            ("imap.work.example", 993, "ada@work.example")
        );
        assert_eq!(server.login, MailLogin::Password(Secret::Command("pass show mail/work".into())));
        let server = accounts[0].outgoing.as_ref().unwrap();
        assert_eq!((server.port, server.tls, accounts[0].notes.len()), (587, MailTls::Starttls, 0));
        assert!(
            matches!(&accounts[1].source, MailSource::Maildir { path, .. } if path == Path::new("/home/ada/Maildir"))
        );
        assert!(accounts[2].notes[0].contains("SAYSO_PASSWORD_LITERAL"), "{:?}", accounts[2].notes);
        assert!(!format!("{accounts:?}").contains("hunter2"));
    }

    #[test]
    fn a_maildir_that_several_programs_know_is_one_account() {
        let home = tempfile::tempdir().unwrap();
        let at = |path: &str| home.path().join(path);
        for part in ["cur", "new", "tmp"] {
            fs::create_dir_all(at("Mail/home/INBOX").join(part)).unwrap();
        }
        fs::create_dir_all(at(".config/aerc")).unwrap();
        fs::write(at(".gitconfig"), "[user]\nname = Ada Example\nemail = ada@git.example\n").unwrap();
        fs::write(at(".mbsyncrc"), "MaildirStore near\nInbox ~/Mail/home/INBOX\nPass hunter2\n").unwrap();
        let aerc = "[Home]\nsource = maildir://~/Mail/home\nfrom = Ada <ada@example.org>\n";
        fs::write(at(".config/aerc/accounts.conf"), aerc).unwrap();
        let discovery = discover(home.path(), &Env::default());
        assert_eq!(
            (discovery.name.as_deref(), discovery.address.as_deref()),
            (Some("Ada Example"), Some("ada@example.org"))
        );
        assert_eq!(discovery.accounts.len(), 1, "{:?}", discovery.accounts);
        assert!(!format!("{discovery:?}").contains("hunter2"));
        fs::remove_file(at(".config/aerc/accounts.conf")).unwrap();
        let discovery = discover(home.path(), &Env::default());
        assert_eq!(discovery.accounts[0].found_in, ["mbsync"]);
    }

    #[test]
    fn an_empty_home_tells_nothing() {
        let home = tempfile::tempdir().unwrap();
        let discovery = discover(home.path(), &Env::default());
        assert!(discovery.accounts.is_empty() && discovery.name.is_none() && discovery.address.is_none());
    }
}
