//! IMAP: mail on a server, shared with other clients.
//!
//! Promises: no secret and no mail is sent before the certificate is checked. Mails are identified by the server's
//! numbers; if those become void (another UIDVALIDITY), we fetch everything again instead of losing mail, since
//! duplicates are recognised elsewhere. We ask for sizes first, and a text longer than we asked for ends the connection
//! before it is kept. Fetching marks nothing as read. A broken connection is made again, once per operation.
//!
//! | in the mailbox | here |
//! | --- | --- |
//! | `\Seen`, `\Answered` | seen, answered |
//! | `\Deleted` | gone |
//! | `\Draft`, `\Deleted` | not fetched |
//! | a mail over 64 MiB | its first 64 MiB and a byte, which the parser refuses as too large |
//! | a mail that the server refuses to give | a mail without content, so a single trouble |
//! | a label | a keyword |
//! | drafts, sent | the folders named in the config, or else by the server |
//! | archive | `\Archive`, or `\All` on Gmail, which moves mail out of the inbox |
//!
//! We implement the protocol ourselves: `imap-next`, which leaves the connection and its limits to the program, is still
//! an alpha. Not here: parsing mail, and servers' habits beyond the standard.

mod answer;
mod away;
mod cursor;
mod fetch;
mod folders;
mod login;
mod mark;
mod names;
mod people;
mod session;
mod value;
mod watch;

use super::net::{Login, NetError, Timeouts, crlf};
use super::{
    BoxFuture, Cursor, Destination, Fetched, Handled, MailError, MailPresence, Mailbox, People, UndoToken,
};
use crate::config::{self, AfterHandling, FiledBy, MailServer, MailSource};
use crate::mail::maildir::ids;
use crate::text::count_noun;
use crate::tools::web::safe_excerpt;
use cursor::MailLocation;
use fetch::FetchError;
use folders::FolderPurpose;
use jiff::Timestamp;
use names::Folder;
use session::{ImapError, Session};
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use tokio::sync::Mutex;

/// The longest Message-ID we search for.
const LONGEST_ID: usize = 900;
/// How many unanswered mails we remember.
const MAX_UNANSWERED: usize = 10_000;

/// An account on an IMAP server.
#[derive(Clone)]
pub struct Imap(Arc<Inner>);

struct Inner {
    server: MailServer,
    login: Login,
    patience: Timeouts,
    read: Vec<Folder>,
    drafts: Option<String>,
    sent: Option<String>,
    done: AfterHandling,
    ignored: AfterHandling,
    /// The current session. It is taken out while in use, so that a cancelled call does not leave one behind in the
    /// middle of a command.
    session: Mutex<Option<Session>>,
    /// How far the sent mail was searched without success, by Message-ID.
    unanswered: std::sync::Mutex<HashMap<String, (u64, u64)>>,
    sent_folder: OnceLock<Folder>,
    drafts_folder: OnceLock<Folder>,
    watch: watch::Watch,
}

/// The result of filing a copy in Sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Filed {
    There,
    /// The server files copies itself, but has not yet.
    Later,
    /// There is no folder for it.
    Nowhere,
}

/// Does something in the session, or in a new one if the old one broke.
macro_rules! in_session {
    ($inner:expr, $session:ident => $work:expr) => {{
        let inner: &Inner = $inner;
        let mut current = inner.session.lock().await;
        let mut is_new = false;
        loop {
            let mut $session = match current.take() {
                Some(session) => session,
                None => {
                    is_new = true;
                    Session::begin(&inner.server, &inner.login, &inner.patience)
                        .await
                        .map_err(|error| mail_error(&error))?
                }
            };
            let result: Result<_, FetchError> = $work;
            match result {
                Ok(result) => {
                    *current = Some($session);
                    break Ok(result);
                }
                Err(FetchError::Imap(error)) if error.ends_session() && !is_new => {}
                Err(FetchError::Imap(error)) => {
                    if !error.ends_session() {
                        *current = Some($session);
                    }
                    break Err(mail_error(&error));
                }
                Err(FetchError::Mail(error)) => {
                    *current = Some($session);
                    break Err(error);
                }
            }
        }
    }};
}

impl Imap {
    /// The IMAP account in a config; `None` if it is of another kind. Does not connect yet.
    pub fn open(mail: &config::Mail) -> Option<Self> {
        Self::with_timeouts(mail, Timeouts::default())
    }

    /// The same with other timeouts.
    pub fn with_timeouts(mail: &config::Mail, patience: Timeouts) -> Option<Self> {
        let MailSource::Imap { server, folders, drafts, sent } = &mail.source else { return None };
        Some(Self::new(mail, server, folders, [drafts.as_ref(), sent.as_ref()], patience))
    }

    pub(super) fn new(
        mail: &config::Mail,
        server: &MailServer,
        folders: &[String],
        [drafts, sent]: [Option<&String>; 2],
        patience: Timeouts,
    ) -> Self {
        let mut read: Vec<Folder> = Vec::new();
        for folder in folders.iter().map(|name| Folder::named(name)) {
            if !read.contains(&folder) {
                read.push(folder);
            }
        }
        if read.is_empty() {
            read.push(Folder::named("INBOX"));
        }
        let login = Login::new(server);
        Self(Arc::new(Inner {
            server: server.clone(),
            patience,
            watch: watch::Watch::new(server.clone(), login.clone(), patience, &read),
            login,
            read,
            drafts: drafts.cloned(),
            sent: sent.cloned(),
            done: mail.handled_done.clone(),
            ignored: mail.handled_ignored.clone(),
            session: Mutex::new(None),
            unanswered: std::sync::Mutex::default(),
            sent_folder: OnceLock::new(),
            drafts_folder: OnceLock::new(),
        }))
    }

    /// Whether a mail with this Message-ID is in Sent; `None` if there is no such folder.
    pub(super) async fn has_sent(&self, message_id: &str) -> Result<Option<bool>, MailError> {
        in_session!(&self.0, session => async {
            let Some(folder) = self.0.find(&mut session, FolderPurpose::Sent).await? else { return Ok(None) };
            fetch::open(&mut session, &folder, false).await?;
            Ok(Some(!session.with_id("Message-ID", message_id).await?.is_empty()))
        }.await)
    }

    /// The folder for sent mail, if there is one.
    pub(super) async fn sent_folder(&self) -> Result<Option<String>, MailError> {
        in_session!(&self.0, session => async {
            let Some(folder) = self.0.find(&mut session, FolderPurpose::Sent).await? else { return Ok(None) };
            fetch::open(&mut session, &folder, false).await?;
            Ok(Some(folder.name))
        }.await)
    }

    /// Files a copy of a sent mail, unless one is there.
    pub(super) async fn file_sent(
        &self,
        raw: &[u8],
        message_id: &str,
        by: FiledBy,
    ) -> Result<Filed, MailError> {
        let raw = crlf(raw);
        in_session!(&self.0, session => async {
            let Some(folder) = self.0.find(&mut session, FolderPurpose::Sent).await? else { return Ok(Filed::Nowhere) };
            // Gmail files a copy itself; ours would be a second one.
            let server_files = by == FiledBy::Auto && session.can("X-GM-EXT-1");
            if server_files || by == FiledBy::Server {
                fetch::open(&mut session, &folder, false).await?;
                let is_filed = !session.with_id("Message-ID", message_id).await?.is_empty();
                return Ok(if is_filed { Filed::There } else { Filed::Later });
            }
            append_once(&mut session, &folder, "\\Seen", &raw, Some(message_id)).await?;
            Ok(Filed::There)
        }.await)
    }

    pub(super) fn patience(&self) -> &Timeouts {
        &self.0.patience
    }

    /// Ends the current session, if there is one.
    pub async fn leave(&self) {
        if let Some(session) = self.0.session.lock().await.take() {
            session.end().await;
        }
    }
}

/// Saves a mail in a folder, unless one with its Message-ID is there.
async fn append_once(
    session: &mut Session,
    folder: &Folder,
    flags: &str,
    raw: &[u8],
    message_id: Option<&str>,
) -> Result<(), ImapError> {
    fetch::open(session, folder, false).await?;
    if let Some(id) = message_id.filter(|id| !id.is_empty() && id.len() <= LONGEST_ID)
        && !session.with_id("Message-ID", id).await?.is_empty()
    {
        return Ok(());
    }
    session.append(folder, flags, raw).await
}

/// The error as a sentence for users.
fn mail_error(error: &ImapError) -> MailError {
    let text = error.to_string();
    match error {
        ImapError::Login(_) | ImapError::Net(NetError::Login(_)) => MailError::Login(text),
        _ if error.is_temporary() => MailError::Temporary(text),
        _ => MailError::Permanent(text),
    }
}

impl Inner {
    /// The folder for a purpose. Once found, we do not ask again.
    async fn find(&self, session: &mut Session, purpose: FolderPurpose) -> Result<Option<Folder>, ImapError> {
        let (configured, cached) = match purpose {
            FolderPurpose::Sent => (&self.sent, &self.sent_folder),
            FolderPurpose::Drafts => (&self.drafts, &self.drafts_folder),
            FolderPurpose::Archive | FolderPurpose::Trash | FolderPurpose::Junk => {
                return folders::find_by_purpose(session, None, purpose).await;
            }
        };
        if let Some(folder) = cached.get() {
            return Ok(Some(folder.clone()));
        }
        let folder = folders::find_by_purpose(session, configured.as_deref(), purpose).await?;
        Ok(folder.map(|folder| cached.get_or_init(|| folder).clone()))
    }

    async fn answered(&self, session: &mut Session, id: &str) -> Result<bool, ImapError> {
        let Some(folder) = self.find(session, FolderPurpose::Sent).await? else { return Ok(false) };
        let open = fetch::open(session, &folder, false).await?;
        let reached = (open.validity, open.next.unwrap_or(0));
        let last_search =
            self.unanswered.lock().unwrap_or_else(std::sync::PoisonError::into_inner).get(id).copied();
        // Nothing was sent since the last search.
        if last_search == Some(reached) && reached.1 > 0 {
            return Ok(false);
        }
        let answered = !session.with_id("In-Reply-To", id).await?.is_empty();
        let mut unanswered = self.unanswered.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if answered || unanswered.len() >= MAX_UNANSWERED {
            unanswered.clear();
        }
        if !answered {
            unanswered.insert(id.to_owned(), reached);
        }
        Ok(answered)
    }

    async fn check(&self, session: &mut Session) -> Result<String, ImapError> {
        let mut mails = 0;
        for folder in &self.read {
            mails += fetch::open(session, folder, false).await?.mails;
        }
        for after in [&self.done, &self.ignored] {
            if let AfterHandling::Folder(name) = after {
                fetch::open(session, &Folder::named(name), false).await?;
            }
        }
        for purpose in [FolderPurpose::Sent, FolderPurpose::Drafts] {
            match self.find(session, purpose).await? {
                Some(folder) => drop(fetch::open(session, &folder, false).await?),
                None => return Err(folders::missing(session, purpose)),
            }
        }
        let folders: Vec<String> = self.read.iter().map(|folder| safe_excerpt(&folder.name)).collect();
        let mails = count_noun(mails, "mail");
        Ok(format!("{mails} in {} at {}", folders.join(", "), session.place()))
    }
}

impl Mailbox for Imap {
    fn fetch<'a>(
        &'a self,
        since: Option<&'a Cursor>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Fetched, MailError>> {
        let inner = &self.0;
        Box::pin(async move {
            in_session!(inner, session => fetch::fetch(&mut session, &inner.read, since, limit).await)
        })
    }

    fn start(&self, from: Timestamp) -> BoxFuture<'_, Result<Option<Cursor>, MailError>> {
        let inner = &self.0;
        Box::pin(async move {
            in_session!(inner, session => async {
                Ok(Some(fetch::start(&mut session, &inner.read, from).await?))
            }.await)
        })
    }

    fn people(&self, until: Timestamp) -> BoxFuture<'_, Result<People, MailError>> {
        let inner = &self.0;
        Box::pin(async move {
            in_session!(inner, session => async {
                let sent = inner.find(&mut session, FolderPurpose::Sent).await?;
                Ok(people::people(&mut session, &inner.read, sent.as_ref(), until).await?)
            }.await)
        })
    }

    fn newest(&self, count: usize) -> BoxFuture<'_, Result<Option<Timestamp>, MailError>> {
        let inner = &self.0;
        Box::pin(async move {
            in_session!(inner, session => async {
                Ok(fetch::newest(&mut session, &inner.read, count).await?)
            }.await)
        })
    }

    fn presence<'a>(&'a self, places: &'a [String]) -> BoxFuture<'a, Result<Vec<MailPresence>, MailError>> {
        let inner = &self.0;
        Box::pin(async move {
            in_session!(inner, session => async { Ok(mark::presence(&mut session, places).await?) }.await)
        })
    }

    fn mark<'a>(&'a self, place: &'a str, handled: Handled) -> BoxFuture<'a, Result<(), MailError>> {
        let inner = &self.0;
        Box::pin(async move {
            let (after, flags): (_, &[&str]) = match handled {
                Handled::Answered => (&inner.done, &["\\Answered", "\\Seen"]),
                Handled::Done => (&inner.done, &[]),
                Handled::Ignored => (&inner.ignored, &[]),
            };
            let Some(place) = MailLocation::read(place) else { return Ok(()) };
            if *after == AfterHandling::None {
                return Ok(());
            }
            in_session!(inner, session => async {
                Ok(mark::mark(&mut session, &place, flags, after).await?)
            }.await)
        })
    }

    fn folders(&self) -> BoxFuture<'_, Result<Vec<String>, MailError>> {
        let inner = &self.0;
        Box::pin(async move {
            in_session!(inner, session => async {
                let listed = folders::list(&mut session).await?;
                Ok(listed.into_iter().map(|listed| listed.folder.name).collect::<Vec<_>>())
            }.await)
        })
    }

    fn put_away<'a>(
        &'a self,
        place: &'a str,
        to: &'a Destination,
    ) -> BoxFuture<'a, Result<UndoToken, MailError>> {
        let inner = &self.0;
        Box::pin(async move {
            let Some(place) = MailLocation::read(place) else {
                return Err(MailError::Permanent("where this mail lies cannot be read".to_owned()));
            };
            in_session!(inner, session => async {
                Ok(away::put_away(&mut session, &place, to).await?)
            }.await)
        })
    }

    fn put_back<'a>(&'a self, undo: &'a UndoToken) -> BoxFuture<'a, Result<(), MailError>> {
        let inner = &self.0;
        Box::pin(async move {
            in_session!(inner, session => async { Ok(away::put_back(&mut session, undo).await?) }.await)
        })
    }

    fn save_draft<'a>(&'a self, raw: &'a [u8]) -> BoxFuture<'a, Result<(), MailError>> {
        let inner = &self.0;
        Box::pin(async move {
            let id = ids(raw).message_id;
            let raw = crlf(raw);
            in_session!(inner, session => async {
                let folder = inner.find(&mut session, FolderPurpose::Drafts).await?;
                let Some(folder) = folder else { return Err(folders::missing(&session, FolderPurpose::Drafts).into()) };
                Ok(append_once(&mut session, &folder, "\\Draft \\Seen", &raw, id.as_deref()).await?)
            }.await)
        })
    }

    fn answered_elsewhere<'a>(
        &'a self,
        message_ids: &'a [String],
    ) -> BoxFuture<'a, Result<Vec<bool>, MailError>> {
        let inner = &self.0;
        Box::pin(async move {
            let can_be_searched = |id: &str| !id.is_empty() && id.len() <= LONGEST_ID;
            if !message_ids.iter().any(|id| can_be_searched(id)) {
                return Ok(vec![false; message_ids.len()]);
            }
            in_session!(inner, session => async {
                let mut answered = Vec::with_capacity(message_ids.len());
                for id in message_ids {
                    answered.push(can_be_searched(id) && inner.answered(&mut session, id).await?);
                }
                Ok(answered)
            }.await)
        })
    }

    fn is_sent<'a>(&'a self, message_id: &'a str) -> BoxFuture<'a, Result<bool, MailError>> {
        Box::pin(async move {
            if message_id.is_empty() || message_id.len() > LONGEST_ID {
                return Ok(false);
            }
            Ok(self.has_sent(message_id).await?.unwrap_or(false))
        })
    }

    fn changed(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.0.watch.changed())
    }

    fn check(&self) -> BoxFuture<'_, Result<String, MailError>> {
        let inner = &self.0;
        Box::pin(async move {
            in_session!(inner, session => async { Ok(inner.check(&mut session).await?) }.await)
        })
    }
}
