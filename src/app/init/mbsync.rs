//! Reads mbsync's settings. The mail it syncs is read from its Maildirs.

use super::Candidate;
use super::place::{self, Password};
use crate::config::{MailServer, MailSource, MailTls};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// One mbsync account: the server, and the Maildir that holds its inbox.
#[derive(Clone, Debug)]
pub(super) struct Synced {
    pub(super) candidate: Candidate,
    /// The server behind it, to recognise the same account in other programs.
    pub(super) server: Option<MailServer>,
}

/// A block of the file, with its lines by lower-case keyword.
struct Block {
    kind: String,
    name: String,
    keys: BTreeMap<String, String>,
}

/// The accounts of an mbsyncrc.
pub(super) fn parse(text: &str, home: &Path) -> Vec<Synced> {
    let blocks = blocks(text);
    let find = |kind: &str, name: &str| blocks.iter().find(|block| block.kind == kind && block.name == name);
    let mut accounts = Vec::new();
    for channel in blocks.iter().filter(|block| block.kind == "channel") {
        let side = |keys: [&str; 2]| {
            let text = keys.iter().find_map(|key| channel.keys.get(*key))?;
            Some(text.trim_start_matches(':').split(':').next().unwrap_or_default().to_owned())
        };
        let stores = [side(["far", "master"]), side(["near", "slave"])];
        let [Some(one), Some(other)] = stores else { continue };
        let maildir = [&one, &other].into_iter().find_map(|name| find("maildirstore", name));
        let imap = [&one, &other].into_iter().find_map(|name| find("imapstore", name));
        let (Some(maildir), Some(imap)) = (maildir, imap) else { continue };
        let imap_account = imap.keys.get("account").and_then(|name| find("imapaccount", name));
        let Some(inbox) = inbox(maildir, home) else { continue };
        let server = server(imap_account.unwrap_or(imap));
        let user = server.as_ref().map(|server| server.user.clone()).unwrap_or_default();
        let is_listed = |account: &Synced| matches!(&account.candidate.source, MailSource::Maildir { path, .. } if *path == inbox);
        if accounts.iter().any(is_listed) {
            continue;
        }
        let beside = maildir.keys.get("path").map(|path| place::path(path, home));
        accounts.push(Synced {
            candidate: Candidate {
                name: place::short_name(&imap_account.unwrap_or(imap).name),
                address: place::address(&user),
                source: super::maildirs::source(&inbox, beside.as_deref()),
                outgoing: None,
                found_in: vec!["mbsync".to_owned()],
                notes: Vec::new(),
            },
            server,
        });
    }
    accounts
}

/// Where a store keeps its inbox.
fn inbox(store: &Block, home: &Path) -> Option<PathBuf> {
    if let Some(inbox) = store.keys.get("inbox") {
        return Some(place::path(inbox, home));
    }
    // mbsync's default is ~/Maildir, but people often have an INBOX in the store's path.
    let beneath = store.keys.get("path").map(|path| place::path(path, home).join("INBOX"));
    beneath.filter(|path| path.is_dir()).or_else(|| Some(home.join("Maildir")))
}

fn server(account: &Block) -> Option<MailServer> {
    let host = account.keys.get("host")?.to_lowercase();
    let user = account.keys.get("user").cloned().unwrap_or_default();
    let kind = account.keys.get("tlstype").or_else(|| account.keys.get("ssltype"));
    let tls = match kind.map(|kind| kind.to_lowercase()).as_deref() {
        Some("imaps") => MailTls::Tls,
        _ if account.keys.get("port").is_some_and(|port| port == "993") => MailTls::Tls,
        _ => MailTls::Starttls,
    };
    let password = match (account.keys.get("passcmd"), account.keys.contains_key("pass")) {
        (Some(command), _) => Password::Command(command.trim_start_matches('+').to_owned()),
        (None, true) => Password::Written,
        (None, false) => Password::Unknown,
    };
    let token = account.keys.get("authmechs").is_some_and(|ways| ways.to_uppercase().contains("XOAUTH2"));
    let (login, _) = password.login(&account.name, "mbsync", token);
    let port = account.keys.get("port").and_then(|port| port.parse().ok());
    Some(place::server(&host, port, tls, place::IMAP, &user, login))
}

fn blocks(text: &str) -> Vec<Block> {
    const KINDS: [&str; 5] = ["imapaccount", "imapstore", "maildirstore", "channel", "group"];
    let mut blocks: Vec<Block> = Vec::new();
    let mut open = false;
    for line in text.lines().map(str::trim) {
        if line.is_empty() || line.starts_with('#') {
            // An empty line ends a block.
            open &= !line.is_empty();
            continue;
        }
        let mut words = place::words(line);
        if words.len() < 2 {
            continue;
        }
        let key = words.remove(0).to_lowercase();
        if KINDS.contains(&key.as_str()) {
            blocks.push(Block { kind: key, name: words.swap_remove(0), keys: BTreeMap::new() });
            open = true;
        } else if let Some(block) = blocks.last_mut().filter(|_| open) {
            // A password gets no further than this line.
            let value = if key == "pass" { String::new() } else { words.join(" ") };
            block.keys.entry(key).or_insert(value);
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{MailLogin, Secret};

    const FILE: &str = r#"
# a usual one
IMAPAccount work
Host imap.Work.example
User ada@work.example
PassCmd "+pass show mail/work"
TLSType IMAPS
CertificateFile /etc/ssl/certs/ca-certificates.crt

IMAPStore work-remote
Account work

MaildirStore work-local
Subfolders Verbatim
Path ~/Mail/work/
Inbox ~/Mail/work/INBOX

Channel work
Far :work-remote:
Near :work-local:
Patterns *
Create Both

IMAPAccount old
Host mail.old.example
Port 143
User ada
Pass "hunter2 with spaces"
SSLType STARTTLS

IMAPStore old-remote
Account old

MaildirStore old-local
Inbox ~/Maildir

Channel old
Master :old-remote:
Slave :old-local:
"#;

    #[test]
    fn accounts_are_read_where_they_are_kept_in_step() {
        let accounts = parse(FILE, Path::new("/home/ada"));
        assert_eq!(accounts.len(), 2);
        let [work, old] = accounts.as_slice() else { panic!() };
        assert_eq!(
            (work.candidate.name.as_str(), work.candidate.address.as_deref()),
            ("work", Some("ada@work.example"))
        );
        let MailSource::Maildir { path, .. } = &work.candidate.source else { panic!() };
        assert_eq!(path, Path::new("/home/ada/Mail/work/INBOX"));
        let server = work.server.as_ref().unwrap();
        assert_eq!((server.host.as_str(), server.port, server.tls), ("imap.work.example", 993, MailTls::Tls));
        assert_eq!(server.login, MailLogin::Password(Secret::Command("pass show mail/work".into())));
        let server = old.server.as_ref().unwrap();
        assert_eq!((server.port, server.tls), (143, MailTls::Starttls));
        assert_eq!(server.login, MailLogin::Password(Secret::Env("SAYSO_PASSWORD_OLD".into())));
        assert!(!format!("{accounts:?}").contains("hunter2"));
    }

    #[test]
    fn what_cannot_be_made_sense_of_is_left_out() {
        for text in ["", "Channel x\nFar :a:\nNear :b:\n", "IMAPAccount\nHost\n", "\0\0 \u{fffd}"] {
            assert!(parse(text, Path::new("/home/ada")).is_empty(), "{text:?}");
        }
    }
}
