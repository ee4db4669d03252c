//! Merges what several programs know about the same account.

use super::place::{self, config_home};
use super::{Candidate, Discovery, aerc, git, maildirs, mbsync, msmtp, neomutt};
use crate::config::{Env, MailServer, MailSource};
use std::path::{Path, PathBuf};

/// Everything found in a home folder.
pub(super) fn discover(home: &Path, env: &Env) -> Discovery {
    let config = config_home(home, env);
    let first = |paths: &[PathBuf]| paths.iter().find_map(|path| place::text(path));
    let (mut name, mut address) = (None, None);
    for path in [config.join("git/config"), home.join(".gitconfig")] {
        let (called, reached) = place::text(&path).map(|text| git::parse(&text)).unwrap_or_default();
        name = called.or(name);
        address = reached.or(address);
    }
    let synced = first(&[config.join("isyncrc"), home.join(".mbsyncrc")]).unwrap_or_default();
    let synced = mbsync::parse(&synced, home);
    let mut accounts: Vec<Candidate> = synced.iter().map(|synced| synced.candidate.clone()).collect();
    let aerc = place::text(&config.join("aerc/accounts.conf")).unwrap_or_default();
    let muttrcs = ["neomutt/neomuttrc", "mutt/muttrc"].map(|name| config.join(name));
    let dotted = [".neomuttrc", ".neomutt/neomuttrc", ".muttrc", ".mutt/muttrc"].map(|name| home.join(name));
    let mutt = muttrcs.iter().chain(&dotted).find_map(|path| neomutt::read(path, home));
    let (called, by_mutt) = mutt.unwrap_or_default();
    let others = aerc::parse(&aerc, home).into_iter().chain(by_mutt).chain(maildirs::find(home, env));
    for other in others {
        let server = |path: &MailSource| {
            synced.iter().find(|synced| synced.candidate.source == *path)?.server.as_ref()
        };
        match accounts
            .iter_mut()
            .find(|account| is_same_mailbox(&account.source, server(&account.source), &other.source))
        {
            Some(account) => merge_candidate(account, other),
            None => accounts.push(other),
        }
    }
    let senders = first(&[config.join("msmtp/config"), home.join(".msmtprc")]).unwrap_or_default();
    give_senders(&mut accounts, &msmtp::parse(&senders));
    make_names_unique(&mut accounts);
    let address = accounts.iter().find_map(|account| account.address.clone()).or(address);
    Discovery { name: called.or(name), address, accounts, ..Discovery::default() }
}

/// Whether two sources hold the same mail: the same Maildir, the same login, or a Maildir synced with that login.
fn is_same_mailbox(source: &MailSource, behind: Option<&MailServer>, other: &MailSource) -> bool {
    let login = |one: &MailServer, other: &MailServer| {
        one.host == other.host && one.user.eq_ignore_ascii_case(&other.user)
    };
    match (source, other) {
        (MailSource::Maildir { path, .. }, MailSource::Maildir { path: other, .. }) => {
            path == other
                || path.canonicalize().is_ok_and(|path| other.canonicalize().is_ok_and(|other| path == other))
        }
        (MailSource::Imap { server, .. }, MailSource::Imap { server: other, .. }) => login(server, other),
        (MailSource::Maildir { .. }, MailSource::Imap { server, .. }) => {
            behind.is_some_and(|behind| login(behind, server))
        }
        (MailSource::Imap { .. }, MailSource::Maildir { .. }) => false,
    }
}

/// Adds what another program knows and this one does not. A Maildir has no use for notes about a server's login.
fn merge_candidate(account: &mut Candidate, other: Candidate) {
    let alike = std::mem::discriminant(&account.source) == std::mem::discriminant(&other.source);
    account.address = account.address.take().or(other.address);
    if account.outgoing.is_none() {
        account.outgoing = other.outgoing;
        if alike {
            account.notes.extend(other.notes);
        }
    }
    account.found_in.extend(other.found_in);
}

/// Lets msmtp send for accounts that cannot send, matched by address. If there is only one account and its address is
/// unknown, it gets the first sender.
fn give_senders(accounts: &mut [Candidate], senders: &[msmtp::Sender]) {
    let alone = accounts.len() == 1;
    for account in accounts.iter_mut().filter(|account| account.outgoing.is_none()) {
        let by_address =
            account.address.as_deref().and_then(|own| senders.iter().find(|sender| sender.is_for(own)));
        let only = || senders.first().filter(|_| alone && account.address.is_none());
        let Some(sender) = by_address.or_else(only) else { continue };
        account.address = account.address.take().or_else(|| sender.address().map(str::to_owned));
        account.outgoing = Some(sender.outgoing());
        account.found_in.push("msmtp".to_owned());
    }
}

/// Makes the accounts' names unique.
fn make_names_unique(accounts: &mut [Candidate]) {
    for at in 0..accounts.len() {
        let base_name = accounts[at].name.clone();
        let mut n = 1;
        while accounts[..at].iter().any(|other| other.name == accounts[at].name) {
            n += 1;
            accounts[at].name = format!("{base_name}-{n}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::MailOutgoing;
    use std::fs;

    #[test]
    fn one_account_in_four_programs_is_one() {
        let home = tempfile::tempdir().unwrap();
        let at = |path: &str| home.path().join(path);
        for part in ["cur", "new", "tmp"] {
            fs::create_dir_all(at("Mail/home/INBOX").join(part)).unwrap();
        }
        fs::create_dir_all(at(".config/aerc")).unwrap();
        fs::write(at(".gitconfig"), "[user]\nname = Ada Example\nemail = ada@git.example\n").unwrap();
        let mbsync = "IMAPAccount home\nHost imap.example.org\nUser ada@example.org\nPass hunter2\nTLSType IMAPS\n\n\
            IMAPStore far\nAccount home\n\nMaildirStore near\nInbox ~/Mail/home/INBOX\n\nChannel home\nFar :far:\nNear :near:\n";
        fs::write(at(".mbsyncrc"), mbsync).unwrap();
        let aerc = "[Home]\nsource = imaps://ada%40example.org:hunter2@imap.example.org\nfrom = Ada <ada@example.org>\n";
        fs::write(at(".config/aerc/accounts.conf"), aerc).unwrap();
        fs::write(at(".msmtprc"), "account home\nfrom ada@example.org\npassword hunter2\n").unwrap();
        let discovery = discover(home.path(), &Env::default());
        assert_eq!(
            (discovery.name.as_deref(), discovery.address.as_deref()),
            (Some("Ada Example"), Some("ada@example.org"))
        );
        assert_eq!(discovery.accounts.len(), 1, "{:?}", discovery.accounts);
        let account = &discovery.accounts[0];
        assert!(
            matches!(&account.source, MailSource::Maildir { path, .. } if *path == at("Mail/home/INBOX"))
        );
        assert!(
            matches!(&account.outgoing, Some(MailOutgoing::Command { command, .. }) if command[1] == "--account=home")
        );
        assert!(account.notes.is_empty(), "{:?}", account.notes);
        assert!(!format!("{discovery:?}").contains("hunter2"));
    }

    #[test]
    fn an_empty_home_tells_nothing() {
        let home = tempfile::tempdir().unwrap();
        let discovery = discover(home.path(), &Env::default());
        assert!(discovery.accounts.is_empty() && discovery.name.is_none() && discovery.address.is_none());
    }
}
