//! One session with an SMTP server. Until we write the final dot, a mail has certainly not been sent.

use super::reply::{Reply, line};
use crate::config::{MailLogin, MailServer, MailTls};
use crate::mail::SendError;
use crate::mail::net::{LineError, Login, NetError, Timeouts, Wire, place};
use crate::tools::web::safe_excerpt;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use secrecy::{ExposeSecret, SecretString};

/// The longest line of a reply; the standard says 512.
const LONGEST_LINE: usize = 8 << 10;
/// The most lines of one reply.
const MAX_LINES: usize = 200;
/// How much of a mail is written at once.
const PIECE: usize = 64 << 10;

/// The session failed before the final dot: nothing was sent.
#[derive(Debug, thiserror::Error)]
pub(super) enum SmtpError {
    #[error(transparent)]
    Net(#[from] NetError),
    #[error("{place} answered {words}")]
    Said { place: String, words: String, temporary: bool },
    #[error("{place} does not speak SMTP; check host and port")]
    Odd { place: String },
    #[error("{0}")]
    Refused(String),
}

impl From<SmtpError> for SendError {
    fn from(error: SmtpError) -> Self {
        let text = error.to_string();
        let temporary = match &error {
            // After the user logs in again, the same mail can be sent.
            SmtpError::Net(NetError::Login(_)) => true,
            SmtpError::Net(error) => error.is_temporary(),
            SmtpError::Said { temporary, .. } => *temporary,
            SmtpError::Odd { .. } | SmtpError::Refused(_) => false,
        };
        if temporary { Self::NotSent(text) } else { Self::Refused(text) }
    }
}

impl From<&SmtpError> for crate::mail::MailError {
    fn from(error: &SmtpError) -> Self {
        let text = error.to_string();
        match error {
            SmtpError::Net(NetError::Login(_)) => Self::Login(text),
            SmtpError::Net(error) if error.is_temporary() => Self::Temporary(text),
            SmtpError::Said { temporary: true, .. } => Self::Temporary(text),
            _ => Self::Permanent(text),
        }
    }
}

/// A mail to send, with its sender and recipients.
pub(super) struct OutgoingMail<'a> {
    pub(super) from: &'a str,
    pub(super) to: &'a [String],
    /// The mail as sent over the wire, before its dots are doubled.
    pub(super) mail: &'a [u8],
}

/// A session after login.
pub(super) struct Session {
    wire: Wire,
    server: MailServer,
    abilities: Reply,
}

impl Session {
    /// Connects and logs in.
    pub(super) async fn begin(
        server: &MailServer,
        login: &Login,
        patience: &Timeouts,
    ) -> Result<Self, SmtpError> {
        let wire = match server.tls {
            MailTls::Tls => Wire::safe(server, patience).await?,
            MailTls::Starttls => Wire::clear(server, patience).await?,
        };
        let abilities = Reply { code: 250, text: Vec::new() };
        let mut session = Self { wire, server: server.clone(), abilities };
        let greeting = session.reply().await?;
        session.expect(greeting, 220)?;
        session.hello().await?;
        if server.tls == MailTls::Starttls {
            if session.abilities.ability("STARTTLS").is_none() {
                return Err(NetError::NoStartTls { place: place(server) }.into());
            }
            let ready = session.command("STARTTLS").await?;
            session.expect(ready, 220)?;
            session.wire.secure().await?;
            // Anybody could have sent what came unencrypted.
            session.hello().await?;
        }
        session.log_in(login).await?;
        Ok(session)
    }

    async fn reply(&mut self) -> Result<Reply, SmtpError> {
        let unexpected = SmtpError::Odd { place: place(&self.server) };
        let mut reply: Option<Reply> = None;
        for _ in 0..MAX_LINES {
            let bytes = match self.wire.line(LONGEST_LINE).await {
                Ok(bytes) => bytes,
                Err(LineError::Net(error)) => return Err(error.into()),
                Err(LineError::Long) => return Err(unexpected),
            };
            let Some((code, has_more, text)) = line(&bytes) else { return Err(unexpected) };
            let partial = reply.get_or_insert_with(|| Reply { code, text: Vec::new() });
            if partial.code != code {
                return Err(unexpected);
            }
            partial.text.push(text);
            if !has_more {
                break;
            }
        }
        reply.ok_or(unexpected)
    }

    async fn command(&mut self, line: &str) -> Result<Reply, SmtpError> {
        self.wire.write(format!("{line}\r\n").as_bytes()).await?;
        self.reply().await
    }

    fn expect(&self, reply: Reply, code: u16) -> Result<Reply, SmtpError> {
        if reply.code == code { Ok(reply) } else { Err(self.reply_error(&reply)) }
    }

    fn reply_error(&self, reply: &Reply) -> SmtpError {
        // 421 is the server's goodbye, whatever we asked; an unexpected positive reply is no refusal either.
        let temporary = reply.is_temporary() || reply.is_fine();
        SmtpError::Said { place: place(&self.server), words: reply.words(), temporary }
    }

    async fn hello(&mut self) -> Result<(), SmtpError> {
        // A name that says nothing about this machine.
        let reply = self.command("EHLO [127.0.0.1]").await?;
        self.abilities = self.expect(reply, 250)?;
        Ok(())
    }

    /// Logs in with a password or a token. A token that is refused is renewed once, if it can be.
    async fn log_in(&mut self, login: &Login) -> Result<(), SmtpError> {
        let secret = login.secret().await?;
        let mut reply = self.log_in_with(&secret).await?;
        if !reply.is_fine()
            && !reply.is_temporary()
            && let Some(renewed) = login.renewed(&secret).await?
        {
            reply = self.log_in_with(&renewed).await?;
        }
        if reply.code == 235 {
            return Ok(());
        }
        if reply.is_temporary() {
            // We do not show the server's words: some servers echo what they were sent.
            let words = format!("{} (it cannot check passwords just now)", reply.code);
            return Err(SmtpError::Said { place: place(&self.server), words, temporary: true });
        }
        Err(login.refused().into())
    }

    async fn log_in_with(&mut self, secret: &SecretString) -> Result<Reply, SmtpError> {
        let offered = self.abilities.ability("AUTH").unwrap_or_default().to_ascii_uppercase();
        let offers = |mechanism: &str| offered.split_whitespace().any(|word| word == mechanism);
        let (user, secret) = (self.server.user.clone(), secret.expose_secret());
        match &self.server.login {
            MailLogin::Token(_) | MailLogin::Google(_) => {
                let words = STANDARD.encode(format!("user={user}\x01auth=Bearer {secret}\x01\x01"));
                let reply = self.command(&format!("AUTH XOAUTH2 {words}")).await?;
                // The server refused the token and gave the reason; an empty line ends the exchange.
                if reply.code == 334 { self.command("").await } else { Ok(reply) }
            }
            MailLogin::Password(_) if offers("PLAIN") => {
                let words = STANDARD.encode(format!("\0{user}\0{secret}"));
                self.command(&format!("AUTH PLAIN {words}")).await
            }
            MailLogin::Password(_) if offers("LOGIN") => {
                let mut reply = self.command("AUTH LOGIN").await?;
                for words in [user.as_str(), secret] {
                    if reply.code == 334 {
                        reply = self.command(&STANDARD.encode(words)).await?;
                    }
                }
                Ok(reply)
            }
            MailLogin::Password(_) => {
                let text = format!("{} takes no password", place(&self.server));
                Err(SmtpError::Refused(format!("{text}; check the port, or use a token_command")))
            }
        }
    }

    /// Sends a mail. Returns the recipients the server refused, each with its reason.
    pub(super) async fn send(
        &mut self,
        outgoing: &OutgoingMail<'_>,
    ) -> Result<Vec<(String, String)>, SendError> {
        let options = self.options(outgoing)?;
        let reply = self.command(&format!("MAIL FROM:<{}>{options}", outgoing.from)).await?;
        if !reply.is_fine() {
            return Err(self.reply_error(&reply).into());
        }
        let mut refused: Vec<(String, Reply)> = Vec::new();
        for to in outgoing.to {
            let reply = self.command(&format!("RCPT TO:<{to}>")).await?;
            if reply.code == 421 {
                return Err(self.reply_error(&reply).into());
            }
            if !reply.is_fine() {
                refused.push((to.clone(), reply));
            }
        }
        if refused.len() == outgoing.to.len() {
            let reasons: Vec<String> =
                refused.iter().map(|(to, reply)| format!("{to} ({})", reply.words())).collect();
            let text = format!(
                "{} takes mail for none of the recipients: {}",
                place(&self.server),
                reasons.join("; ")
            );
            let temporary = refused.iter().any(|(_, reply)| reply.is_temporary());
            return Err(if temporary { SendError::NotSent(text) } else { SendError::Refused(text) });
        }
        let reply = self.command("DATA").await?;
        if reply.code != 354 {
            return Err(self.reply_error(&reply).into());
        }
        let body = dotted(outgoing.mail);
        for piece in body.chunks(PIECE) {
            self.wire.write(piece).await.map_err(SmtpError::from)?;
        }
        // A server that answers or hangs up before the end does not have the mail.
        if self.wire.has_news().await {
            let reply = self.reply().await?;
            return Err(self.reply_error(&reply).into());
        }
        self.end_of_mail().await?;
        Ok(refused.into_iter().map(|(to, reply)| (to, reply.words())).collect())
    }

    /// Writes the final dot. From here on, only the server's answer says whether the mail was sent.
    async fn end_of_mail(&mut self) -> Result<(), SendError> {
        let unknown = |why: String| {
            SendError::Unknown(format!("{} was given the whole mail, and then: {why}", place(&self.server)))
        };
        if let Err(error) = self.wire.write(b".\r\n").await {
            return Err(unknown(error.to_string()));
        }
        let at = place(&self.server);
        self.wire.use_delivery_timeout();
        match self.reply().await {
            Ok(reply) if (200..300).contains(&reply.code) => Ok(()),
            Ok(reply) if reply.is_temporary() => {
                Err(SendError::NotSent(format!("{at} did not take the mail: {}", reply.words())))
            }
            Ok(reply) if reply.code >= 500 => {
                Err(SendError::Refused(format!("{at} refused the mail: {}", reply.words())))
            }
            Ok(reply) => {
                Err(SendError::Unknown(format!("{at} answered oddly to the mail: {}", reply.words())))
            }
            Err(error) => {
                Err(SendError::Unknown(format!("{at} was given the whole mail, and then: {error}")))
            }
        }
    }

    /// The options for this mail, or why this server cannot accept it.
    fn options(&self, outgoing: &OutgoingMail<'_>) -> Result<String, SendError> {
        let at = place(&self.server);
        let refused = |why: String| Err(SendError::Refused(format!("{at} {why}")));
        let mut options = String::new();
        if let Some(most) = self.abilities.ability("SIZE") {
            let size = outgoing.mail.len();
            if most.parse::<usize>().is_ok_and(|most| most > 0 && size > most) {
                return refused(format!("takes mail up to {most} bytes, and this one has {size}"));
            }
            options.push_str(&format!(" SIZE={size}"));
        }
        if !outgoing.mail.is_ascii() {
            if self.abilities.ability("8BITMIME").is_none() {
                return refused("takes only mail in plain ASCII".to_owned());
            }
            options.push_str(" BODY=8BITMIME");
        }
        let odd = outgoing.to.iter().map(String::as_str).chain([outgoing.from]).find(|to| !to.is_ascii());
        let header = outgoing.mail.split(|byte| *byte == b'\n').take_while(|line| *line != b"\r");
        let odd_header = header.into_iter().any(|line| !line.is_ascii());
        if odd.is_some() || odd_header {
            if self.abilities.ability("SMTPUTF8").is_none() {
                let fields = odd.map_or("such header fields".to_owned(), safe_excerpt);
                return refused(format!("does not take letters beyond ASCII in {fields}"));
            }
            options.push_str(" SMTPUTF8");
        }
        Ok(options)
    }

    /// Says goodbye without waiting for the answer.
    pub(super) async fn end(mut self) {
        let _ = self.wire.write(b"QUIT\r\n").await;
    }
}

/// The mail with dots at the start of lines doubled.
fn dotted(mail: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(mail.len() + 64);
    for line in mail.split_inclusive(|byte| *byte == b'\n') {
        if line.starts_with(b".") {
            out.push(b'.');
        }
        out.extend_from_slice(line);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_are_doubled_at_the_beginning_of_lines() {
        assert_eq!(dotted(b".\r\na.b\r\n..\r\n"), b"..\r\na.b\r\n...\r\n");
    }
}
