//! Finds the Maildirs that mbsync fills, and those in their usual places.

use super::place::{self, config_home};
use super::{Candidate, Discovery, git, maildirs};
use crate::config::{Env, MailSource};
use crate::text::shell_words;
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
    let mut accounts: Vec<Candidate> = Vec::new();
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_maildir_that_is_found_twice_is_one_account() {
        let home = tempfile::tempdir().unwrap();
        let at = |path: &str| home.path().join(path);
        for part in ["cur", "new", "tmp"] {
            fs::create_dir_all(at("Mail/home/INBOX").join(part)).unwrap();
        }
        fs::write(at(".gitconfig"), "[user]\nname = Ada Example\nemail = ada@git.example\n").unwrap();
        fs::write(at(".mbsyncrc"), "MaildirStore near\nInbox ~/Mail/home/INBOX\nPass hunter2\n").unwrap();
        let discovery = discover(home.path(), &Env::default());
        assert_eq!(
            (discovery.name.as_deref(), discovery.address.as_deref()),
            (Some("Ada Example"), Some("ada@git.example"))
        );
        assert_eq!(discovery.accounts.len(), 1, "{:?}", discovery.accounts);
        assert!(!format!("{discovery:?}").contains("hunter2"));
        assert_eq!(discovery.accounts[0].found_in, ["mbsync"]);
    }

    #[test]
    fn an_empty_home_tells_nothing() {
        let home = tempfile::tempdir().unwrap();
        let discovery = discover(home.path(), &Env::default());
        assert!(discovery.accounts.is_empty() && discovery.name.is_none() && discovery.address.is_none());
    }
}
