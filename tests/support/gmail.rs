//! Gmail's mail servers on loopback, in a thread of their own so that real processes can talk to them: IMAP and SMTP
//! that take the tokens of the fake Google. Everything is also in `\All`, and what is sent files itself.

use super::google::{Google, Moment, kill};
use super::mail_script::{Heard, Talk, account, play, server};
use super::mail_server::{Fake, Folder};
use sayso::config::{self, Mail, MailLogin, MailServer, MailSource, MailTls};
use std::sync::{Arc, Mutex};

pub const ADA: &str = "ada@gmail.example";
pub const ALL: &str = "[Gmail]/Alle Nachrichten";
pub const SENT: &str = "[Gmail]/Gesendet";

/// What goes wrong with the next mail that is sent.
#[derive(Clone, Copy, Debug)]
pub enum Fault {
    /// The connection breaks once the mail is taken.
    CutAfter,
    /// The client is killed, before the mail is taken or after.
    Kill(Moment),
}

#[derive(Clone)]
pub struct Gmail {
    google: Google,
    pub mailbox: Fake,
    pub imap: (u16, Heard),
    pub smtp: (u16, Heard),
    fault: Arc<Mutex<Option<Fault>>>,
}

impl Gmail {
    pub fn start(google: &Google) -> Self {
        let mailbox = Fake::new();
        {
            let mut state = mailbox.state();
            let names = [
                ("INBOX", ""),
                ("Archive", ""),
                (ALL, "\\All"),
                (SENT, "\\Sent"),
                ("[Gmail]/Entw&APw-rfe", "\\Drafts"),
            ];
            let folder = |special| Folder { validity: 7, next: 1, special, letters: Vec::new() };
            state.folders = names.map(|(name, special)| (name.to_owned(), folder(special))).into();
            state.capabilities =
                "IMAP4rev1 AUTH=PLAIN AUTH=XOAUTH2 SASL-IR IDLE MOVE UIDPLUS SPECIAL-USE X-GM-EXT-1"
                    .to_owned();
            state.arrived = jiff::Timestamp::now().strftime("%d-%b-%Y %H:%M:%S +0000").to_string();
            let google = google.clone();
            state.tokens = Some(Box::new(move |token| google.world().access.contains(token)));
        }
        let fault: Arc<Mutex<Option<Fault>>> = Arc::default();
        let (tell, told) = std::sync::mpsc::channel();
        let sender = Sender { google: google.clone(), mailbox: mailbox.clone(), fault: fault.clone() };
        let reading = mailbox.clone();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async move {
                let smtp = play(MailTls::Tls, "localhost", move |talk| sender.clone().serve(talk)).await;
                tell.send((reading.start().await, smtp)).unwrap();
                std::future::pending::<()>().await;
            });
        });
        let (imap, smtp) = told.recv().unwrap();
        Self { google: google.clone(), mailbox, imap, smtp, fault }
    }

    pub fn deliver(&self, raw: &str) {
        for folder in ["INBOX", ALL] {
            self.mailbox.put(folder, &raw.replace('\n', "\r\n"), &[]);
        }
    }

    /// The mails that were sent.
    pub fn sent(&self) -> Vec<String> {
        self.mailbox.letters(SENT).into_iter().map(|letter| letter.raw).collect()
    }

    pub fn fault(&self, fault: Fault) {
        *self.fault.lock().unwrap() = Some(fault);
    }

    /// Numbers the inbox anew.
    pub fn renumber(&self) {
        let mut state = self.mailbox.state();
        let inbox = state.folders.get_mut("INBOX").unwrap();
        inbox.validity += 1;
        for letter in &mut inbox.letters {
            letter.uid += 1000;
        }
        inbox.next += 1000;
    }

    fn server(&self, port: u16, login: &config::Google) -> MailServer {
        MailServer { user: ADA.to_owned(), login: MailLogin::Google(Box::new(login.clone())), ..server(port) }
    }

    pub fn smtp_server(&self, login: &config::Google) -> MailServer {
        self.server(self.smtp.0, login)
    }

    /// The account as in a config.
    pub fn account(&self, login: &config::Google) -> Mail {
        let mail = account(self.server(self.imap.0, login));
        assert!(matches!(mail.source, MailSource::Imap { .. }));
        mail
    }

    /// The same as text.
    pub fn config(&self) -> String {
        let ca = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/tls/ca.pem");
        let (imap, smtp) = (self.imap.0, self.smtp.0);
        format!(
            "[[mail]]\nname = \"home\"\nkind = \"imap\"\nhost = \"localhost\"\nport = {imap}\nca_file = \"{ca}\"\n\
             login = \"google\"\n[mail.outgoing]\nkind = \"smtp\"\nhost = \"localhost\"\nport = {smtp}\nca_file = \"{ca}\"\n"
        )
    }
}

/// The server that sends.
#[derive(Clone)]
struct Sender {
    google: Google,
    mailbox: Fake,
    fault: Arc<Mutex<Option<Fault>>>,
}

impl Sender {
    async fn serve(self, mut talk: Talk) {
        talk.say("220 ready\r\n").await;
        while let Some(line) = talk.hear().await {
            let answer = match line.split(' ').next().unwrap() {
                "EHLO" => "250-hello\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n250 AUTH XOAUTH2\r\n",
                "AUTH" if !self.mailbox.takes(&line) => {
                    talk.say("334 eyJzdGF0dXMiOiI0MDEifQ==\r\n").await;
                    talk.hear().await;
                    "535 5.7.8 Username and Password not accepted\r\n"
                }
                "AUTH" => "235 welcome\r\n",
                "DATA" => {
                    talk.say("354 go on\r\n").await;
                    if !self.take(&mut talk).await {
                        return;
                    }
                    "250 taken\r\n"
                }
                "QUIT" => return,
                _ => "250 fine\r\n",
            };
            talk.say(answer).await;
        }
    }

    /// Takes a mail and files it. Returns whether it says so.
    async fn take(&self, talk: &mut Talk) -> bool {
        let mut mail = String::new();
        loop {
            match talk.hear().await.as_deref() {
                None => return false,
                Some(".") => break,
                Some(line) => mail += &format!("{}\r\n", line.strip_prefix('.').unwrap_or(line)),
            }
        }
        let fault = self.fault.lock().unwrap().take();
        if !matches!(fault, Some(Fault::Kill(Moment::Before))) {
            self.mailbox.put(SENT, &mail, &["\\Seen"]);
        }
        if let Some(Fault::Kill(_)) = fault {
            kill(|| self.google.world().victim).await;
        }
        fault.is_none()
    }
}
