//! Reads the settings of neomutt and mutt: variables, of which the last value counts, and the files they source.

use super::place::{self, Password, ServerUrl};
use super::{Candidate, aerc};
use crate::config::{FiledBy, MailOutgoing, MailSource, MailTls};
use std::collections::BTreeMap;
use std::path::Path;

/// How many files are read, sourced ones included.
const MAX_FILES: usize = 20;

/// Reads a muttrc: the user's name, and the account it describes.
pub(super) fn read(path: &Path, home: &Path) -> Option<(Option<String>, Option<Candidate>)> {
    let mut variables = BTreeMap::new();
    let mut files_left = MAX_FILES;
    gather(path, home, &mut variables, &mut files_left)?;
    Some((
        variables.get("real_name").or_else(|| variables.get("realname")).cloned(),
        account(&variables, home),
    ))
}

fn gather(
    path: &Path,
    home: &Path,
    variables: &mut BTreeMap<String, String>,
    files_left: &mut usize,
) -> Option<()> {
    *files_left = files_left.checked_sub(1)?;
    let text = place::text(path)?;
    // Backticks quote a command; it is kept as text and never run here.
    let text = text.replace("\\\n", " ");
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with('#')) {
        match line.split_once(char::is_whitespace) {
            Some(("set", rest)) => set(rest, variables),
            Some(("source", sourced)) if !sourced.trim_end().ends_with('|') => {
                let sourced = place::words(sourced).into_iter().next().unwrap_or_default();
                let folder = path.parent().unwrap_or(home);
                let sourced = if sourced.starts_with(['~', '/', '$']) {
                    place::path(&sourced, home)
                } else {
                    folder.join(sourced)
                };
                let _ = gather(&sourced, home, variables, files_left);
            }
            _ => {}
        }
    }
    Some(())
}

/// The assignments of one `set` line.
fn set(line: &str, variables: &mut BTreeMap<String, String>) {
    let mut rest = line.trim();
    while let Some((name, after)) = rest.split_once('=') {
        let name = name.split_whitespace().last().unwrap_or_default();
        let after = after.trim_start();
        let (value, more) = value(after);
        if name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && !name.is_empty() {
            // A password is noticed, and its value is dropped.
            let secret = name.ends_with("_pass") && !value.starts_with('`');
            variables.insert(name.to_lowercase(), if secret { String::new() } else { value });
        }
        rest = more.trim_start();
        if rest.starts_with('#') {
            break;
        }
    }
}

/// One value, and the text after it.
fn value(text: &str) -> (String, &str) {
    let Some(quote) = text.chars().next().filter(|c| matches!(c, '"' | '\'' | '`')) else {
        let end = text.find(char::is_whitespace).unwrap_or(text.len());
        return (text[..end].to_owned(), &text[end..]);
    };
    let inside = &text[1..];
    let end = inside.char_indices().scan(false, |escaped, (at, c)| {
        let ends = c == quote && !*escaped;
        *escaped = c == '\\' && !*escaped;
        Some((at, ends))
    });
    let end = end.into_iter().find(|(_, ends)| *ends).map_or(inside.len(), |(at, _)| at);
    let value = inside[..end].replace("\\\"", "\"");
    let value = if quote == '`' { format!("`{value}`") } else { value };
    (value, inside.get(end + 1..).unwrap_or_default())
}

fn account(variables: &BTreeMap<String, String>, home: &Path) -> Option<Candidate> {
    let get = |names: &[&str]| names.iter().find_map(|name| variables.get(*name)).map(String::as_str);
    let expand = |text: &str| get(&["my_home"]).map_or(text.to_owned(), |own| text.replace("$my_home", own));
    let folder = get(&["folder"]).map(expand).unwrap_or_else(|| "~/Mail".to_owned());
    let spool = get(&["spool_file", "spoolfile"]).map(expand);
    let from = get(&["from"]).and_then(place::address);
    let imap_user = get(&["imap_user", "imap_login"]).map(str::to_owned);
    let address = from.or_else(|| imap_user.as_deref().and_then(place::address));
    let mut notes = Vec::new();
    let on_server = [spool.as_deref(), Some(folder.as_str())].into_iter().flatten().find_map(ServerUrl::read);
    let name = address.as_deref().and_then(|a| a.rsplit_once('@')).map_or("mutt", |(_, domain)| domain);
    let name = place::short_name(name.split('.').next().unwrap_or(name));
    let source = match on_server.filter(|url| url.scheme.starts_with("imap")) {
        Some(url) => {
            let tls = if url.scheme == "imaps" { MailTls::Tls } else { MailTls::Starttls };
            let user = url.user.clone().or(imap_user)?;
            let token = get(&["imap_oauth_refresh_command"])
                .map(|command| Password::Command(strip_backticks(command)));
            let is_token = token.is_some();
            let password = token.unwrap_or_else(|| password(variables.get("imap_pass"), url.written));
            let (login, note) = password.login(&name, "neomutt", is_token);
            notes.extend(note);
            MailSource::Imap {
                server: place::server(&url.host, url.port, tls, place::IMAP, &user, login),
                folders: Vec::new(),
                drafts: None,
                sent: None,
            }
        }
        None => {
            let root = place::path(&folder, home);
            let spool = spool.unwrap_or_else(|| "+INBOX".to_owned());
            let inbox = match spool.strip_prefix(['+', '=']) {
                Some(beneath) => root.join(beneath.trim_start_matches('/')),
                None => place::path(&spool, home),
            };
            let inbox = Some(inbox).filter(|path| super::maildirs::is_maildir(path));
            super::maildirs::source(
                &inbox.or_else(|| Some(root.clone()).filter(|path| super::maildirs::is_maildir(path)))?,
                Some(&root),
            )
        }
    };
    let outgoing = match get(&["smtp_url"]).and_then(ServerUrl::read) {
        Some(url) => {
            let tls = if url.scheme == "smtps" { MailTls::Tls } else { MailTls::Starttls };
            let user = url.user.clone().or_else(|| address.clone());
            let password =
                password(variables.get("smtp_pass").or_else(|| variables.get("imap_pass")), url.written);
            let (login, note) = password.login(&name, "neomutt", false);
            notes.extend(note.filter(|note| !notes.contains(note)));
            user.map(|user| MailOutgoing::Smtp {
                server: place::server(&url.host, url.port, tls, place::SMTP, &user, login),
                filed_by: FiledBy::Auto,
            })
        }
        None => get(&["sendmail"]).and_then(aerc::command),
    };
    Some(Candidate { name, address, source, outgoing, found_in: vec!["neomutt".to_owned()], notes })
}

fn password(value: Option<&String>, in_url: bool) -> Password {
    match value {
        Some(command) if command.starts_with('`') => Password::Command(strip_backticks(command)),
        Some(_) => Password::Written,
        None if in_url => Password::Written,
        None => Password::Unknown,
    }
}

/// A command without its backticks.
fn strip_backticks(command: &str) -> String {
    command.trim().trim_matches('`').trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{MailLogin, Secret};
    use std::fs;

    fn read_all(files: &[(&str, &str)]) -> (Option<String>, Option<Candidate>) {
        let home = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(home.path().join(name), text).unwrap();
        }
        for part in ["cur", "new", "tmp"] {
            fs::create_dir_all(home.path().join("Mail/inbox").join(part)).unwrap();
        }
        let (name, mut candidate) = read(&home.path().join("muttrc"), home.path()).unwrap();
        if let Some(Candidate { source: MailSource::Maildir { path, .. }, .. }) = &mut candidate {
            *path = path.strip_prefix(home.path()).unwrap().to_owned();
        }
        (name, candidate)
    }

    #[test]
    fn an_account_on_a_server_is_read_with_the_files_it_names() {
        let main = "set realname = \"Ada Example\"\nsource account # the rest\nset sort=threads\n";
        let account = "set from='ada@example.org' imap_user=ada@example.org\nset imap_pass=\"`pass show mail`\"\n\
            set folder = imaps://imap.example.org/\nset spoolfile = +INBOX\nset smtp_url = \"smtps://ada@example.org@smtp.example.org\"\n\
            set smtp_pass=$imap_pass\n";
        let (name, candidate) = read_all(&[("muttrc", main), ("account", account)]);
        let candidate = candidate.unwrap();
        assert_eq!(
            (name.as_deref(), candidate.address.as_deref()),
            (Some("Ada Example"), Some("ada@example.org"))
        );
        let MailSource::Imap { server, .. } = &candidate.source else { panic!() };
        assert_eq!(
            (server.host.as_str(), server.port, server.user.as_str()),
            ("imap.example.org", 993, "ada@example.org")
        );
        assert_eq!(server.login, MailLogin::Password(Secret::Command("pass show mail".into())));
        let Some(MailOutgoing::Smtp { server, .. }) = &candidate.outgoing else { panic!() };
        assert_eq!((server.host.as_str(), server.port), ("smtp.example.org", 465));
    }

    #[test]
    fn a_written_password_stays_where_it_is() {
        let text = "set folder=imaps://ada@imap.example.org/ imap_pass=\"hunter2\" from=ada@example.org\n";
        let (_, candidate) = read_all(&[("muttrc", text)]);
        let candidate = candidate.unwrap();
        assert!(!format!("{candidate:?}").contains("hunter2"));
        assert!(candidate.notes[0].contains("SAYSO_PASSWORD_EXAMPLE"), "{:?}", candidate.notes);
    }

    #[test]
    fn a_local_one_is_read_where_it_lies_and_sent_by_its_program() {
        let text = "set mbox_type=Maildir\nset folder=~/Mail\nset spoolfile=+inbox\nset from=ada@example.org\n\
            set sendmail=\"/usr/bin/msmtp -a home\"\n";
        let (_, candidate) = read_all(&[("muttrc", text)]);
        let candidate = candidate.unwrap();
        assert!(
            matches!(&candidate.source, MailSource::Maildir { path, .. } if path == Path::new("Mail/inbox"))
        );
        let Some(MailOutgoing::Command { command, .. }) = &candidate.outgoing else { panic!() };
        assert_eq!(command, &["/usr/bin/msmtp", "-a", "home"]);
    }

    #[test]
    fn files_that_name_each_other_end() {
        let (name, candidate) =
            read_all(&[("muttrc", "source muttrc\nset realname=Ada\nset folder=/nowhere\n")]);
        assert_eq!((name.as_deref(), candidate.is_none()), (Some("Ada"), true));
    }
}
