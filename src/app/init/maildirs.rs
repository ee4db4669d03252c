//! Finds Maildirs in their usual places, and the folders next to them.

use super::Candidate;
use super::place;
use crate::config::{Env, MailSource};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

/// How many entries of a folder are looked at.
const MAX_ENTRIES: usize = 500;
/// How many Maildirs are offered.
const MAX_MAILDIRS: usize = 8;
/// How many mails are read to find the mailbox's address, and how many bytes of each.
const MAX_SAMPLED_MAILS: usize = 40;
const HEAD: u64 = 16 * 1024;

/// Where people keep their mail, inside the home folder.
const USUAL_FOLDERS: [&str; 6] = ["Mail", "mail", "Maildir", ".mail", ".maildir", ".local/share/mail"];
const INBOXES: [&str; 2] = ["inbox", "new mail"];
/// Folders that are not an inbox.
const NOT_INBOXES: [&str; 14] = [
    "sent",
    "sent items",
    "sent mail",
    "drafts",
    "draft",
    "trash",
    "spam",
    "junk",
    "archive",
    "archives",
    "outbox",
    "deleted items",
    "templates",
    "all mail",
];

/// Whether a folder is a Maildir.
pub(super) fn is_maildir(path: &Path) -> bool {
    ["cur", "new", "tmp"].iter().all(|part| path.join(part).is_dir())
}

/// Every Maildir that looks like an inbox.
pub(super) fn find(home: &Path, env: &Env) -> Vec<Candidate> {
    let data = env.get("XDG_DATA_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let from_env = env.get("MAILDIR").map(PathBuf::from).filter(|path| path.is_absolute());
    let roots = from_env
        .into_iter()
        .chain(USUAL_FOLDERS.iter().map(|name| home.join(name)))
        .chain(data.map(|data| data.join("mail")));
    let mut seen = Vec::new();
    let mut candidates = Vec::new();
    for root in roots {
        // One folder may have two names, for example if the file system ignores case.
        let Ok(real) = root.canonicalize() else { continue };
        if seen.contains(&real) {
            continue;
        }
        seen.push(real);
        let inboxes = if is_maildir(&root) {
            vec![root]
        } else {
            let beneath = folders(&root);
            let mut inboxes = inboxes(&beneath);
            for account in beneath.iter().filter(|path| !is_maildir(path)) {
                inboxes.extend(self::inboxes(&folders(account)));
            }
            inboxes
        };
        candidates.extend(inboxes.iter().map(|path| candidate(path)));
    }
    candidates.truncate(MAX_MAILDIRS);
    candidates
}

/// The inboxes among Maildirs in one folder. If none is named inbox, all that are not named something else.
fn inboxes(beside: &[PathBuf]) -> Vec<PathBuf> {
    let is_called =
        |path: &Path, names: &[&str]| names.iter().any(|name| plain_name(path).eq_ignore_ascii_case(name));
    let maildirs: Vec<&PathBuf> = beside.iter().filter(|path| is_maildir(path)).collect();
    let inboxes: Vec<PathBuf> =
        maildirs.iter().filter(|path| is_called(path, &INBOXES)).map(|path| path.to_path_buf()).collect();
    if !inboxes.is_empty() {
        return inboxes;
    }
    maildirs.into_iter().filter(|path| !is_called(path, &NOT_INBOXES)).cloned().collect()
}

/// The folders in a folder, sorted.
fn folders(path: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(path).into_iter().flatten().take(MAX_ENTRIES).flatten();
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

fn plain_name(path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    name.trim_start_matches('.').to_owned()
}

/// A Maildir as an account, with the address its mails were delivered to.
pub(super) fn candidate(path: &Path) -> Candidate {
    let generic = |path: &Path| {
        let name = plain_name(path).to_lowercase();
        ["inbox", "mail", "maildir"].contains(&name.as_str())
    };
    let named_folder = path.ancestors().take(2).find(|path| !generic(path) && path.parent().is_some());
    let name = if generic(path) {
        named_folder.filter(|parent| !is_home_like(parent)).map(plain_name)
    } else {
        Some(plain_name(path))
    };
    Candidate {
        name: place::short_name(&name.unwrap_or_else(|| "mail".to_owned())),
        address: delivered_to(path),
        source: source(path),
        outgoing: None,
        found_in: vec![path.display().to_string()],
    }
}

/// Whether a folder looks like a home folder rather than an account's.
fn is_home_like(path: &Path) -> bool {
    USUAL_FOLDERS.iter().any(|name| path.join(name).is_dir())
}

/// A Maildir, with the folders for sent mail and drafts inside or next to it.
fn source(inbox: &Path) -> MailSource {
    let find = |names: &[&str]| {
        let roots = [Some(inbox), inbox.parent()].into_iter().flatten();
        let paths = roots.flat_map(|root| names.iter().map(move |name| root.join(name)));
        paths.into_iter().find(|path| is_maildir(path))
    };
    let sent =
        find(&[".Sent", "Sent", "sent", "Sent Items", "Sent Mail", "[Gmail]/Sent Mail", ".Sent Items"]);
    let drafts = find(&[".Drafts", "Drafts", "drafts", "[Gmail]/Drafts"]);
    MailSource::Maildir { path: inbox.to_owned(), folders: Vec::new(), drafts, sent }
}

/// The address that more than half of the newest mails were delivered to. Anybody can write such a header, so this is
/// only a suggestion.
fn delivered_to(path: &Path) -> Option<String> {
    let mut names: Vec<PathBuf> = ["new", "cur"]
        .iter()
        .flat_map(|part| {
            fs::read_dir(path.join(part)).into_iter().flatten().flatten().map(|entry| entry.path())
        })
        .collect();
    // Names begin with the time of delivery.
    names.sort_by(|a, b| b.file_name().cmp(&a.file_name()));
    let heads: Vec<String> = names.iter().take(MAX_SAMPLED_MAILS).filter_map(|path| head(path)).collect();
    ["delivered-to", "x-original-to", "envelope-to", "to"].iter().find_map(|field| most(&heads, field))
}

fn most(heads: &[String], field: &str) -> Option<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for head in heads {
        let line = head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case(field).then(|| value.trim())
        });
        if let Some(address) = line.and_then(place::address) {
            *counts.entry(address).or_default() += 1;
        }
    }
    let (address, count) = counts.into_iter().max_by_key(|(_, count)| *count)?;
    (count * 2 > heads.len()).then_some(address)
}

fn head(path: &Path) -> Option<String> {
    if !fs::symlink_metadata(path).ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(HEAD).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes).replace("\r\n", "\n");
    Some(text.split("\n\n").next().unwrap_or_default().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn maildir(path: &Path) {
        for part in ["cur", "new", "tmp"] {
            fs::create_dir_all(path.join(part)).unwrap();
        }
    }

    fn paths(home: &Path, env: &Env) -> Vec<String> {
        let path = |found: Candidate| match found.source {
            MailSource::Maildir { path, .. } => path.strip_prefix(home).unwrap().display().to_string(),
            MailSource::Imap { .. } => String::new(),
        };
        find(home, env).into_iter().map(path).collect()
    }

    #[test]
    fn inboxes_are_found_in_the_usual_places_and_one_level_below() {
        let home = tempfile::tempdir().unwrap();
        let at = |path: &str| home.path().join(path);
        assert!(paths(home.path(), &Env::default()).is_empty());
        for path in
            ["Mail/work/INBOX", "Mail/work/Sent", "Mail/work/Lists", "Mail/home", "Mail/Sent", ".maildir"]
        {
            maildir(&at(path));
        }
        fs::create_dir_all(at("Mail/too/deep/to/find")).unwrap();
        maildir(&at("Mail/too/deep/INBOX"));
        assert_eq!(paths(home.path(), &Env::default()), ["Mail/home", "Mail/work/INBOX", ".maildir"]);
        maildir(&at("elsewhere"));
        let env = Env::from_iter([("MAILDIR", at("elsewhere"))]);
        assert_eq!(paths(home.path(), &env)[0], "elsewhere");
    }

    #[test]
    fn an_account_is_called_by_its_folder_and_owned_by_whom_its_mail_came_to() {
        let home = tempfile::tempdir().unwrap();
        let inbox = home.path().join("Mail/work/INBOX");
        maildir(&inbox);
        maildir(&home.path().join("Mail/work/Sent"));
        for (n, to) in ["ada@work.example", "Ada@Work.example", "other@work.example"].iter().enumerate() {
            let raw =
                format!("Delivered-To: {to}\r\nTo: list@b.example\r\n\r\nDelivered-To: body@b.example\r\n");
            fs::write(inbox.join("new").join(format!("{n}.host")), raw).unwrap();
        }
        let work = candidate(&inbox);
        assert_eq!((work.name.as_str(), work.address.as_deref()), ("work", Some("ada@work.example")));
        let MailSource::Maildir { sent, drafts, .. } = &work.source else { panic!() };
        assert_eq!((sent.as_deref(), drafts), (Some(home.path().join("Mail/work/Sent").as_path()), &None));
        let plain = home.path().join("Maildir");
        maildir(&plain);
        assert_eq!(candidate(&plain).name, "mail");
    }
}
