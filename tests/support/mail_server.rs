//! A small fake IMAP server with faults on demand.

use super::mail_script::{Heard, Talk, account, patience, play, server};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use sayso::config::{Mail, MailSource, MailTls};
use sayso::mail::imap::Imap;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

#[derive(Clone)]
pub struct Letter {
    pub uid: u64,
    pub flags: Vec<String>,
    pub raw: String,
}

pub struct Folder {
    pub validity: u64,
    pub next: u64,
    pub special: &'static str,
    pub letters: Vec<Letter>,
}

/// What goes wrong, and when: at the first command that holds these words.
#[derive(Clone)]
pub enum Fault {
    /// The connection is cut before an answer.
    Cut,
    /// The command is carried out, and the connection cut before that is said.
    CutAfter,
    /// Something is said before the answer.
    Say(String),
    /// The command is refused.
    No(String),
    /// No answer ever comes.
    Hang,
    /// A letter is removed by somebody else before the answer.
    Remove(u64),
}

/// Whether a token lets its bearer in.
pub type TokenCheck = Box<dyn Fn(&str) -> bool + Send>;

pub struct State {
    pub folders: BTreeMap<String, Folder>,
    pub capabilities: String,
    pub faults: Vec<(String, Fault)>,
    /// How long each letter claims to be.
    pub claims: u64,
    /// Letters whose text is refused.
    pub refused: Vec<u64>,
    /// Letters that are given without their text.
    pub textless: Vec<u64>,
    /// What to say while somebody listens.
    pub news: Arc<tokio::sync::Notify>,
    /// When each letter arrived.
    pub arrived: String,
    /// Whether a token is valid; every login is, unless this is set.
    pub tokens: Option<TokenCheck>,
}

#[derive(Clone)]
pub struct Fake(Arc<Mutex<State>>);

pub fn letter(n: u64) -> String {
    format!(
        "Message-ID: <{n}@x>\r\nFrom: bob@example.com\r\nTo: ada@example.org\r\nSubject: {n}\r\n\r\nHello {n}\r\n"
    )
}

impl Fake {
    pub fn new() -> Self {
        let folder = |special| Folder { validity: 7, next: 1, special, letters: Vec::new() };
        let folders =
            [("INBOX", ""), ("Archive", ""), ("Entw&APw-rfe", "\\Drafts"), ("Sent Things", "\\Sent")];
        let folders = folders.map(|(name, special)| (name.to_owned(), folder(special))).into();
        let capabilities =
            "IMAP4rev1 AUTH=PLAIN SASL-IR IDLE MOVE UIDPLUS SPECIAL-USE LIST-EXTENDED".to_owned();
        Self(Arc::new(Mutex::new(State {
            folders,
            capabilities,
            faults: Vec::new(),
            claims: 0,
            refused: Vec::new(),
            textless: Vec::new(),
            news: Arc::default(),
            arrived: "17-Nov-2026 09:00:00 +0100".to_owned(),
            tokens: None,
        })))
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    pub fn put(&self, folder: &str, raw: &str, flags: &[&str]) -> u64 {
        let mut state = self.state();
        let folder = state.folders.get_mut(folder).unwrap();
        let uid = folder.next;
        folder.next += 1;
        let flags = flags.iter().map(|flag| (*flag).to_owned()).collect();
        folder.letters.push(Letter { uid, flags, raw: raw.to_owned() });
        uid
    }

    pub fn letters(&self, folder: &str) -> Vec<Letter> {
        self.state().folders[folder].letters.clone()
    }

    pub fn fault(&self, at: &str, fault: Fault) {
        self.state().faults.push((at.to_owned(), fault));
    }

    pub async fn start(&self) -> (u16, Heard) {
        let fake = self.clone();
        play(MailTls::Tls, "localhost", move |talk| fake.clone().serve(talk)).await
    }

    /// The server, and an account on it.
    pub async fn open(&self) -> (Imap, Heard) {
        self.open_as(|_| ()).await
    }

    pub async fn open_as(&self, change: impl FnOnce(&mut Mail)) -> (Imap, Heard) {
        let (port, heard) = self.start().await;
        let mut mail = account(server(port));
        change(&mut mail);
        assert!(matches!(mail.source, MailSource::Imap { .. }));
        (Imap::with_timeouts(&mail, patience()).unwrap(), heard)
    }

    pub async fn serve(self, mut talk: Talk) {
        let greeting = format!("* OK [CAPABILITY {}] ready\r\n", self.state().capabilities);
        talk.say(greeting).await;
        self.serve_on(talk).await;
    }

    /// Serves without a greeting.
    pub async fn serve_on(self, mut talk: Talk) {
        let mut selected = String::new();
        while let Some(command) = talk.command().await {
            let fault = {
                let mut state = self.state();
                let at = state.faults.iter().position(|(at, _)| command.contains(at.as_str()));
                at.map(|at| state.faults.remove(at).1)
            };
            match fault {
                Some(Fault::Cut) => return,
                Some(Fault::Hang) => talk.hang().await,
                Some(Fault::Say(text)) => talk.say(text).await,
                Some(Fault::No(text)) => {
                    let line = format!("{} NO {text}\r\n", talk.tag);
                    talk.say(line).await;
                    continue;
                }
                Some(Fault::Remove(uid)) => {
                    self.remove("INBOX", uid);
                    talk.say("* 1 EXPUNGE\r\n").await;
                }
                Some(Fault::CutAfter) => {
                    self.answer(&mut talk, &command, &mut selected, true).await;
                    return;
                }
                None => {}
            }
            if !self.answer(&mut talk, &command, &mut selected, false).await {
                return;
            }
        }
    }

    async fn answer(&self, talk: &mut Talk, command: &str, selected: &mut String, mute: bool) -> bool {
        let reply = match command.split(' ').next().unwrap() {
            "LOGOUT" => return false,
            "APPEND" => {
                let (head, many) = command.rsplit_once('{').unwrap();
                let many: usize = many.trim_end_matches('}').parse().unwrap();
                talk.say("+ go on\r\n").await;
                let raw = String::from_utf8(talk.bytes(many).await).unwrap();
                talk.bytes(2).await;
                if raw.len() < many {
                    return false;
                }
                let name = unquoted(head.trim_start_matches("APPEND ").split(" (").next().unwrap());
                let flags = head.split('(').nth(1).unwrap().trim_end_matches([' ', ')']);
                self.put(&name, &raw, &flags.split(' ').collect::<Vec<_>>());
                Ok(String::new())
            }
            "AUTHENTICATE" if !self.takes(command) => {
                // The reason, and then the end.
                talk.say("+ eyJzdGF0dXMiOiI0MDEifQ==\r\n").await;
                talk.hear().await;
                Err("[AUTHENTICATIONFAILED] Invalid credentials (Failure)")
            }
            "IDLE" => {
                let news = self.state().news.clone();
                talk.say("+ idling\r\n").await;
                tokio::select! {
                    () = news.notified() => talk.say("* OK still here\r\n* 9 EXISTS\r\n").await,
                    done = talk.hear() => {
                        if done.as_deref() != Some("DONE") {
                            return false;
                        }
                        talk.ok("done").await;
                        return true;
                    }
                }
                if talk.hear().await.as_deref() != Some("DONE") {
                    return false;
                }
                Ok(String::new())
            }
            _ => self.reply(command, selected),
        };
        if mute {
            return true;
        }
        match reply {
            Ok(reply) => {
                talk.say(reply).await;
                talk.ok("done").await;
            }
            Err(no) => {
                let line = format!("{} NO {no}\r\n", talk.tag);
                talk.say(line).await;
            }
        }
        true
    }

    /// Whether the token in a login is valid.
    pub fn takes(&self, login: &str) -> bool {
        let state = self.state();
        let Some(is_valid) = &state.tokens else { return true };
        let words =
            login.rsplit(' ').next().and_then(|words| BASE64_STANDARD.decode(words).ok()).unwrap_or_default();
        let words = String::from_utf8_lossy(&words);
        let token = words.split('\x01').find_map(|word| word.strip_prefix("auth=Bearer "));
        token.is_some_and(is_valid)
    }

    fn reply(&self, command: &str, selected: &mut String) -> Result<String, &'static str> {
        let words: Vec<&str> = command.split(' ').collect();
        Ok(match words.as_slice() {
            ["CAPABILITY"] => format!("* CAPABILITY {}\r\n", self.state().capabilities),
            ["AUTHENTICATE", ..] | ["LOGIN", ..] | ["NOOP"] => String::new(),
            ["EXAMINE" | "SELECT", ..] => {
                *selected = unquoted(command.split_once(' ').unwrap().1);
                let state = self.state();
                let folder = state.folders.get(selected.as_str()).ok_or("[NONEXISTENT] no such folder")?;
                format!(
                    "* {} EXISTS\r\n* OK [UIDVALIDITY {}] ok\r\n* OK [UIDNEXT {}] ok\r\n",
                    folder.letters.len(),
                    folder.validity,
                    folder.next
                )
            }
            ["LIST", ..] => {
                let state = self.state();
                let line = |(name, folder): (&String, &Folder)| {
                    format!("* LIST (\\HasNoChildren {}) \"/\" \"{name}\"\r\n", folder.special)
                };
                state.folders.iter().map(line).collect()
            }
            ["UID", "SEARCH", ..] => {
                let found = self.search(selected, command);
                format!("* SEARCH {}\r\n", found.iter().map(u64::to_string).collect::<Vec<_>>().join(" "))
            }
            ["UID", "FETCH", set, ..] => {
                if command.contains("BODY") && self.state().refused.iter().any(|uid| is_in(*uid, set)) {
                    return Err("[SERVERBUG] Internal error occurred");
                }
                self.fetched(selected, set, command)
            }
            ["FETCH", set, ..] => self.listed(selected, set, command),
            ["UID", "STORE", uid, _, ..] => {
                let flags = command.split_once('(').unwrap().1.trim_end_matches(')');
                let mut state = self.state();
                let letters = &mut state.folders.get_mut(selected.as_str()).unwrap().letters;
                for letter in letters.iter_mut().filter(|letter| letter.uid.to_string() == *uid) {
                    letter.flags.extend(flags.split(' ').map(str::to_owned));
                }
                String::new()
            }
            ["UID", verb @ ("MOVE" | "COPY"), uid, ..] => {
                let target = unquoted(command.splitn(4, ' ').nth(3).unwrap());
                if !self.state().folders.contains_key(&target) {
                    return Err("[TRYCREATE] no such folder");
                }
                let found = self.letters(selected).into_iter().find(|letter| letter.uid.to_string() == *uid);
                let mut response = String::new();
                let is_all = |folder: &str| self.state().folders[folder].special == "\\All";
                if let Some(letter) = found {
                    // Everything is in `\All` already, and stays there.
                    let there =
                        self.letters(&target).into_iter().find(|it| is_all(&target) && it.raw == letter.raw);
                    let new = there.map_or_else(|| self.put(&target, &letter.raw, &[]), |it| it.uid);
                    if *verb == "MOVE" && !is_all(selected) {
                        self.remove(selected, letter.uid);
                    }
                    let validity = self.state().folders[&target].validity;
                    if self.state().capabilities.contains("UIDPLUS") {
                        response = format!("* OK [COPYUID {validity} {uid} {new}] there\r\n");
                    }
                }
                response
            }
            ["CREATE", ..] => {
                let name = unquoted(command.split_once(' ').unwrap().1);
                let folder = Folder { validity: 7, next: 1, special: "", letters: Vec::new() };
                self.state().folders.insert(name, folder);
                String::new()
            }
            ["UID", "EXPUNGE", uid] => {
                self.remove(selected, uid.parse().unwrap());
                String::new()
            }
            _ => panic!("{command}"),
        })
    }

    fn remove(&self, folder: &str, uid: u64) {
        self.state().folders.get_mut(folder).unwrap().letters.retain(|letter| letter.uid != uid);
    }

    fn search(&self, folder: &str, command: &str) -> Vec<u64> {
        let letters = self.letters(folder);
        let has = |letter: &Letter, flag: &str| letter.flags.iter().any(|known| known == flag);
        let from: u64 = match command.split_once(" UID ").and_then(|(_, rest)| rest.split_once(":*")) {
            Some((from, _)) => from.parse().unwrap(),
            None => 0,
        };
        let header = command.split_once("HEADER ").map(|(_, rest)| {
            let (field, text) = rest.split_once(' ').unwrap();
            (field.to_owned(), unquoted(text))
        });
        let last = letters.iter().map(|letter| letter.uid).max();
        let wanted = |letter: &&Letter| {
            let field = header.as_ref().is_none_or(|(field, text)| {
                letter.raw.lines().any(|line| line.starts_with(&format!("{field}:")) && line.contains(text))
            });
            // As servers do, `*` is the last one even where that is less than asked for.
            (letter.uid >= from || Some(letter.uid) == last)
                && field
                && !(command.contains("UNDELETED") && has(letter, "\\Deleted"))
                && !(command.contains("UNDRAFT") && has(letter, "\\Draft"))
        };
        letters.iter().filter(wanted).map(|letter| letter.uid).collect()
    }

    /// Dates and envelopes by the order in the folder.
    fn listed(&self, folder: &str, set: &str, command: &str) -> String {
        let (first, last) = set.split_once(':').unwrap();
        let range = first.parse::<usize>().unwrap()..=last.parse().unwrap();
        let field = |letter: &Letter, name: &str| {
            let line = letter.raw.lines().find_map(|line| line.strip_prefix(name));
            match line.and_then(|line| line.trim().split_once('@')) {
                Some((user, host)) => format!("((NIL NIL \"{user}\" \"{host}\"))"),
                None => "NIL".to_owned(),
            }
        };
        let arrived = self.state().arrived.clone();
        let line = |(at, letter): (usize, &Letter)| {
            let mut parts = format!("* {} FETCH (UID {} INTERNALDATE \"{arrived}\"", at + 1, letter.uid);
            if command.contains("ENVELOPE") {
                let (from, to) = (field(letter, "From:"), field(letter, "To:"));
                parts += &format!(" ENVELOPE (NIL \"s (x)\" {from} {from} {from} {to} NIL NIL NIL NIL)");
            }
            format!("{parts})\r\n")
        };
        let letters = self.letters(folder);
        let wanted = letters.iter().enumerate().filter(|(at, _)| range.contains(&(at + 1)));
        wanted.map(line).collect()
    }

    fn fetched(&self, folder: &str, set: &str, command: &str) -> String {
        let claims = self.state().claims;
        let textless = self.state().textless.clone();
        let arrived = self.state().arrived.clone();
        let line = |(at, letter): (usize, &Letter)| {
            let mut parts = format!("* {} FETCH (UID {}", at + 1, letter.uid);
            if command.contains("RFC822.SIZE") {
                parts += &format!(" RFC822.SIZE {}", claims.max(letter.raw.len() as u64));
            }
            if command.contains("FLAGS") {
                parts += &format!(" FLAGS ({})", letter.flags.join(" "));
            }
            if let Some((_, field)) = command.split_once("HEADER.FIELDS (") {
                let field = field.split(')').next().unwrap();
                let is_field = |line: &&str| line.starts_with(&format!("{field}:"));
                let header = letter.raw.lines().find(is_field).unwrap_or_default();
                let header = format!("{header}\r\n\r\n");
                parts += &format!(" BODY[HEADER.FIELDS ({field})] {{{}}}\r\n{header}", header.len());
            } else if command.contains("INTERNALDATE") {
                parts += &format!(" INTERNALDATE \"{arrived}\"");
            }
            if command.contains("BODY.PEEK[]") && textless.contains(&letter.uid) {
                parts += " BODY[] NIL";
            } else if command.contains("BODY.PEEK[]") {
                let part = if command.contains("<0.") { "BODY[]<0>" } else { "BODY[]" };
                parts += &format!(" {part} {{{}}}\r\n{}", letter.raw.len(), letter.raw);
            }
            format!("{parts})\r\n")
        };
        self.letters(folder)
            .iter()
            .enumerate()
            .filter(|(_, letter)| is_in(letter.uid, set))
            .map(line)
            .collect()
    }
}

/// Whether a set of numbers has this one.
fn is_in(uid: u64, set: &str) -> bool {
    set.split(',').any(|range| {
        let (a, b) = range.split_once(':').unwrap_or((range, range));
        (a.parse::<u64>().unwrap()..=b.parse().unwrap()).contains(&uid)
    })
}

fn unquoted(text: &str) -> String {
    text.trim().trim_matches('"').replace("\\\"", "\"")
}

impl Fake {
    /// A server with letters 1 to `count` in the inbox.
    pub fn with_letters(count: u64) -> Self {
        let fake = Self::new();
        for n in 1..=count {
            fake.put("INBOX", &letter(n), &[]);
        }
        fake
    }

    /// The same, able to do this.
    pub fn able_to(self, capabilities: &str) -> Self {
        self.state().capabilities = capabilities.to_owned();
        self
    }
}

/// A client of the server at this port, as patient as it has to be.
pub fn client(port: u16) -> Imap {
    Imap::with_timeouts(&account(server(port)), patience()).unwrap()
}

/// Where the first mail is.
pub async fn first_place(imap: &impl sayso::mail::Mailbox) -> String {
    imap.fetch(None, 1).await.unwrap().mails[0].place.clone()
}
