//! One session with an IMAP server: commands and their answers, within limits.

use super::answer::{Response, Responses, StatusKind, is_news, status};
use super::names::Folder;
use super::value::{Builder, Value, literal_at_end, set};
use crate::config::{MailServer, MailTls};
use crate::mail::net::{LineError, Login, NetError, Timeouts, Wire, place};
use crate::tools::web::safe_excerpt;
use std::collections::HashSet;
use std::time::Duration;

/// The longest line. The result of a search over a million mails is one line.
const LONGEST_LINE: usize = 16 << 20;
/// The longest literal: a mail of the largest size we read, plus the byte that shows there is more.
pub(super) const LONGEST_TEXT: u64 = (64 << 20) + 1;
/// The most bytes in answer to one command.
const MAX_BYTES: usize = 160 << 20;
/// The most answers to one command.
const MAX_ANSWERS: usize = 500_000;

/// How many candidate mails we check for an id, newest first.
const MOST_LIKELY: usize = 200;

/// Why a server did not carry out a command.
#[derive(Debug, thiserror::Error)]
pub(super) enum ImapError {
    #[error(transparent)]
    Net(#[from] NetError),
    #[error("{place} refused ({text})")]
    No { place: String, code: String, text: String },
    #[error("{place} ended the connection ({text})")]
    Bye { place: String, text: String },
    #[error("{place} does not speak IMAP; check host and port")]
    NotImap { place: String },
    #[error("{place} sends more than was asked for, so the connection was ended")]
    TooMuch { place: String },
    #[error("{0}")]
    Login(String),
    #[error("{0}")]
    Permanent(String),
}

impl ImapError {
    /// Whether the connection can no longer be used.
    pub(super) fn ends_session(&self) -> bool {
        !matches!(self, Self::No { .. } | Self::Permanent(_))
    }

    /// Whether trying again may help.
    pub(super) fn is_temporary(&self) -> bool {
        match self {
            Self::Net(error) => error.is_temporary(),
            Self::No { code, .. } => !code.starts_with("NONEXISTENT") && !code.starts_with("TRYCREATE"),
            Self::Bye { .. } | Self::TooMuch { .. } => true,
            Self::NotImap { .. } | Self::Login(_) | Self::Permanent(_) => false,
        }
    }
}

/// A piece of a command.
pub(super) enum Arg<'a> {
    /// Sent unchanged.
    Raw(&'a str),
    /// A string, sent quoted or as a literal, as needed.
    Text(&'a [u8]),
}

/// The folder that is open.
#[derive(Clone, Debug)]
pub(super) struct Open {
    /// The readable name.
    pub(super) name: String,
    pub(super) validity: u64,
    pub(super) next: Option<u64>,
    pub(super) mails: u64,
}

/// A session after login.
pub(super) struct Session {
    pub(super) wire: Wire,
    pub(super) server: MailServer,
    capabilities: HashSet<String>,
    tag: u32,
    /// Whether the server has told us its capabilities.
    knows_capabilities: bool,
}

impl Session {
    /// Connects and logs in.
    pub(super) async fn begin(
        server: &MailServer,
        login: &Login,
        patience: &Timeouts,
    ) -> Result<Self, ImapError> {
        let wire = match server.tls {
            MailTls::Tls => Wire::safe(server, patience).await?,
            MailTls::Starttls => Wire::clear(server, patience).await?,
        };
        let mut session = Self {
            wire,
            server: server.clone(),
            capabilities: HashSet::new(),
            tag: 0,
            knows_capabilities: false,
        };
        let is_logged_in = session.greeting().await?;
        if server.tls == MailTls::Starttls {
            if !session.can_after_asking("STARTTLS").await? {
                return Err(NetError::NoStartTls { place: place(server) }.into());
            }
            session.command(&[Arg::Raw("STARTTLS")]).await?;
            session.wire.secure().await?;
            // Anybody could have sent what came unencrypted.
            session.knows_capabilities = false;
            session.capabilities.clear();
        }
        if !is_logged_in || server.tls == MailTls::Starttls {
            session.log_in(login).await?;
        }
        session.ask_capabilities().await?;
        Ok(session)
    }

    /// Reads the greeting. Returns true if the server already knows the user.
    async fn greeting(&mut self) -> Result<bool, ImapError> {
        match self.answer().await? {
            Response::Status { tag: None, kind: StatusKind::Ok, code, .. } => {
                self.note_code(&code);
                Ok(false)
            }
            Response::Status { tag: None, kind: StatusKind::PreAuth, code, .. } => {
                self.note_code(&code);
                Ok(true)
            }
            Response::Status { kind: StatusKind::Bye, text, .. } => Err(self.bye(&text)),
            _ => Err(self.unexpected()),
        }
    }

    pub(super) fn unexpected(&self) -> ImapError {
        ImapError::NotImap { place: place(&self.server) }
    }

    pub(super) fn bye(&self, text: &str) -> ImapError {
        ImapError::Bye { place: place(&self.server), text: safe_excerpt(text) }
    }

    pub(super) fn no(&self, code: String, text: &str) -> ImapError {
        ImapError::No {
            place: place(&self.server),
            code: code.to_ascii_uppercase(),
            text: safe_excerpt(text),
        }
    }

    fn note_code(&mut self, code: &str) {
        if let Some(list) =
            code.get(..11).filter(|word| word.eq_ignore_ascii_case("CAPABILITY ")).map(|_| &code[11..])
        {
            self.capabilities = list.split_whitespace().map(str::to_ascii_uppercase).collect();
            self.knows_capabilities = true;
        }
    }

    async fn ask_capabilities(&mut self) -> Result<(), ImapError> {
        self.knows_capabilities = false;
        self.command(&[Arg::Raw("CAPABILITY")]).await.map(drop)
    }

    pub(super) async fn can_after_asking(&mut self, capability: &str) -> Result<bool, ImapError> {
        if !self.knows_capabilities {
            self.ask_capabilities().await?;
        }
        Ok(self.can(capability))
    }

    /// Whether the server has a capability.
    pub(super) fn can(&self, capability: &str) -> bool {
        self.capabilities.contains(capability)
    }

    pub(super) async fn send(&mut self, line: &str) -> Result<(), ImapError> {
        self.tag += 1;
        Ok(self.wire.write(format!("S{} {line}\r\n", self.tag).as_bytes()).await?)
    }

    /// Sends a command and waits until it is done.
    pub(super) async fn command(&mut self, args: &[Arg<'_>]) -> Result<Responses, ImapError> {
        self.tag += 1;
        let mut out = format!("S{} ", self.tag).into_bytes();
        for arg in args {
            match arg {
                Arg::Raw(text) => out.extend_from_slice(text.as_bytes()),
                Arg::Text(text) if is_quotable(text) => {
                    out.push(b'"');
                    for byte in *text {
                        if matches!(byte, b'"' | b'\\') {
                            out.push(b'\\');
                        }
                        out.push(*byte);
                    }
                    out.push(b'"');
                }
                Arg::Text(text) => {
                    out.extend_from_slice(format!("{{{}}}\r\n", text.len()).as_bytes());
                    self.wire.write(&out).await?;
                    self.wait_for_continue().await?;
                    out = text.to_vec();
                }
            }
        }
        out.extend_from_slice(b"\r\n");
        self.wire.write(&out).await?;
        self.finish(false).await
    }

    /// Waits until the server wants the rest. Returns whether something changed in the open folder meanwhile.
    async fn wait_for_continue(&mut self) -> Result<bool, ImapError> {
        let mut has_news = false;
        for _ in 0..MAX_ANSWERS {
            match self.answer().await? {
                Response::Continue => return Ok(has_news),
                Response::Status { tag: Some(_), code, text, .. } => return Err(self.no(code, &text)),
                Response::Status { kind: StatusKind::Bye, text, .. } => return Err(self.bye(&text)),
                Response::Status { code, .. } => self.note_code(&code),
                Response::Data(data) => has_news |= is_news(&data),
            }
        }
        Err(self.unexpected())
    }

    /// Reads until the command is done.
    pub(super) async fn finish(&mut self, authenticating: bool) -> Result<Responses, ImapError> {
        let mut answers = Responses::default();
        let mut bytes = 0;
        for _ in 0..MAX_ANSWERS {
            match self.answer_counted(&mut bytes).await? {
                Response::Data(data) => {
                    if data.first().is_some_and(|word| word.is("CAPABILITY")) {
                        self.capabilities = data
                            .iter()
                            .skip(1)
                            .filter_map(Value::text)
                            .map(|word| word.to_ascii_uppercase())
                            .collect();
                        self.knows_capabilities = true;
                    }
                    answers.data.push(data);
                }
                Response::Status { tag: None, kind: StatusKind::Bye, text, .. } => {
                    return Err(self.bye(&text));
                }
                Response::Status { tag: None, code, .. } => {
                    self.note_code(&code);
                    answers.codes.push(code);
                }
                Response::Status { tag: Some(tag), kind, code, text } => {
                    if tag != format!("S{}", self.tag) {
                        return Err(self.unexpected());
                    }
                    self.note_code(&code);
                    if kind != StatusKind::Ok {
                        return Err(self.no(code, &text));
                    }
                    answers.codes.push(code);
                    return Ok(answers);
                }
                // The server refused a token and gave the reason; an empty line ends the exchange.
                Response::Continue if authenticating => self.wire.write(b"\r\n").await?,
                Response::Continue => return Err(self.unexpected()),
            }
        }
        Err(ImapError::TooMuch { place: place(&self.server) })
    }

    pub(super) async fn answer(&mut self) -> Result<Response, ImapError> {
        self.answer_counted(&mut 0).await
    }

    /// Reads one answer; `bytes` adds up over all answers to a command.
    async fn answer_counted(&mut self, bytes: &mut usize) -> Result<Response, ImapError> {
        let place = place(&self.server);
        let too_much = || ImapError::TooMuch { place: place.clone() };
        let unexpected = || ImapError::NotImap { place: place.clone() };
        let line_error = |error: LineError| match error {
            LineError::Net(error) => ImapError::Net(error),
            LineError::Long => too_much(),
        };
        let mut line = self.wire.line(LONGEST_LINE).await.map_err(line_error)?;
        *bytes += line.len();
        if line.starts_with(b"+") {
            return Ok(Response::Continue);
        }
        if let Some(status) = status(&line) {
            return Ok(status);
        }
        let mut builder = Builder::default();
        if !line.starts_with(b"* ") {
            return Err(unexpected());
        }
        line.drain(..2);
        loop {
            let Some((before, length)) = literal_at_end(&line) else {
                builder.line(&line).map_err(|_| unexpected())?;
                return Ok(Response::Data(builder.done().map_err(|_| unexpected())?));
            };
            builder.line(&line[..before]).map_err(|_| unexpected())?;
            // Refused before any of it is kept.
            let length = usize::try_from(length)
                .ok()
                .filter(|length| *length as u64 <= LONGEST_TEXT)
                .ok_or_else(too_much)?;
            *bytes = bytes.saturating_add(length);
            if *bytes > MAX_BYTES {
                return Err(too_much());
            }
            builder.text(self.wire.bytes(length).await.map_err(line_error)?);
            line = self.wire.line(LONGEST_LINE).await.map_err(line_error)?;
            *bytes += line.len();
        }
    }

    /// Opens a folder read-only (`false`) or for changes (`true`).
    pub(super) async fn open(&mut self, folder: &Folder, writable: bool) -> Result<Open, ImapError> {
        let verb = if writable { "SELECT " } else { "EXAMINE " };
        let answers = self.command(&[Arg::Raw(verb), Arg::Text(folder.wire.as_bytes())]).await?;
        let number = |name| answers.code(name).and_then(|text| text.parse::<u64>().ok());
        let mails = answers.data.iter().find_map(|data| match data.as_slice() {
            [count, word] if word.is("EXISTS") => count.number(),
            _ => None,
        });
        let validity = number("UIDVALIDITY").ok_or_else(|| {
            let text = format!(
                "{} does not number the mails of {}",
                place(&self.server),
                safe_excerpt(&folder.name)
            );
            ImapError::Permanent(format!("{text}, so they cannot be told apart"))
        })?;
        let name = folder.name.clone();
        Ok(Open { name, validity, next: number("UIDNEXT"), mails: mails.unwrap_or(0) })
    }

    /// Checks that the server is still there.
    pub(super) async fn noop(&mut self) -> Result<(), ImapError> {
        self.command(&[Arg::Raw("NOOP")]).await.map(drop)
    }

    /// Listens until something changes in the open folder or `patience` ends. Returns whether something changed.
    pub(super) async fn idle(&mut self, patience: Duration) -> Result<bool, ImapError> {
        self.send("IDLE").await?;
        let mut has_news = self.wait_for_continue().await?;
        let deadline = tokio::time::Instant::now() + patience;
        while !has_news {
            let time_left = deadline.saturating_duration_since(tokio::time::Instant::now());
            // The timeout applies only to the first byte of a line; a line that has begun is read to its end.
            match tokio::time::timeout(time_left, self.wire.readable()).await {
                Err(_) => break,
                Ok(readable) => readable?,
            }
            match self.answer().await? {
                Response::Data(data) => has_news = is_news(&data),
                Response::Status { kind: StatusKind::Bye, text, .. } => return Err(self.bye(&text)),
                // Some servers send keepalives.
                Response::Status { tag: None, .. } | Response::Continue => {}
                Response::Status { .. } => return Err(self.unexpected()),
            }
        }
        self.wire.write(b"DONE\r\n").await?;
        let answers = self.finish(false).await?;
        Ok(has_news || answers.data.iter().any(|data| is_news(data)))
    }

    /// Saves a mail in a folder.
    pub(super) async fn append(&mut self, folder: &Folder, flags: &str, raw: &[u8]) -> Result<(), ImapError> {
        let flags = format!(" ({flags}) ");
        let name = Arg::Text(folder.wire.as_bytes());
        // Never quoted: a mail has line breaks.
        self.command(&[Arg::Raw("APPEND "), name, Arg::Raw(&flags), Arg::Text(raw)]).await.map(drop)
    }

    /// Logs out without waiting for the answer.
    pub(super) async fn end(mut self) {
        let _ = self.send("LOGOUT").await;
    }

    /// The mails in the open folder whose header field contains an id. Servers match substrings, and one mail's id may
    /// be part of another's, so we check what they find.
    pub(super) async fn with_id(&mut self, field: &str, id: &str) -> Result<Vec<u64>, ImapError> {
        let line = format!("UID SEARCH UNDELETED HEADER {field} ");
        let mut results = self.command(&[Arg::Raw(&line), Arg::Text(id.as_bytes())]).await?.search_results();
        let newest = results.split_off(results.len().saturating_sub(MOST_LIKELY));
        if newest.is_empty() {
            return Ok(newest);
        }
        let line = format!("UID FETCH {} (UID BODY.PEEK[HEADER.FIELDS ({field})])", set(&newest));
        let answers = self.command(&[Arg::Raw(&line)]).await?;
        let mut same: Vec<u64> = answers
            .fetched()
            .filter(|(_, pairs)| {
                let fields = pairs.iter().filter_map(|value| match value {
                    Value::Text(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
                    Value::Word(_) | Value::List(_) => None,
                });
                fields.into_iter().any(|field| {
                    field
                        .split(|c: char| c.is_whitespace() || matches!(c, '<' | '>' | ','))
                        .any(|word| word == id)
                })
            })
            .map(|(uid, _)| uid)
            .collect();
        same.sort_unstable();
        Ok(same)
    }

    /// The server's name for errors.
    pub(super) fn place(&self) -> String {
        place(&self.server)
    }
}

/// Whether a string may be sent in quotes.
fn is_quotable(text: &[u8]) -> bool {
    text.len() <= 1000 && text.iter().all(|byte| matches!(byte, b' '..=b'~'))
}
