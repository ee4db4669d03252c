//! The envelope of a mail: sender and recipients.

use crate::mail::SendError;
use crate::mail::compose::ascii_address;
use crate::mail::maildir::head;
use mail_parser::MessageParser;

#[derive(Debug, PartialEq, Eq)]
pub(in crate::mail) struct Envelope {
    pub(in crate::mail) message_id: String,
    pub(in crate::mail) from: String,
    pub(in crate::mail) to: Vec<String>,
}

impl Envelope {
    /// Reads the envelope from the mail's header.
    pub(in crate::mail) fn of(raw: &[u8]) -> Result<Self, SendError> {
        let refused = |text: &str| SendError::Refused(text.to_owned());
        let mail = MessageParser::new().parse_headers(head(raw));
        let mail = mail.ok_or_else(|| refused("this is not a mail: it has no header"))?;
        let bare =
            |address: &str| ascii_address(address).map_err(|error| SendError::Refused(error.to_string()));
        let mut to: Vec<String> = Vec::new();
        for list in [mail.to(), mail.cc(), mail.bcc()].into_iter().flatten() {
            for one in list.iter() {
                let address = bare(one.address().unwrap_or_default())?;
                if !to.iter().any(|known| known.eq_ignore_ascii_case(&address)) {
                    to.push(address);
                }
            }
        }
        if to.is_empty() {
            return Err(refused("the mail names nobody it goes to; add a recipient"));
        }
        let from = mail.from().and_then(|from| from.first()).and_then(|from| from.address());
        let from = bare(from.ok_or_else(|| refused("the mail does not say from whom it comes"))?)?;
        let message_id = mail.message_id().unwrap_or_default().to_owned();
        Ok(Self { message_id, from, to })
    }
}

/// The mail without its `Bcc` field.
pub(in crate::mail) fn without_bcc(raw: &[u8]) -> Vec<u8> {
    let head = head(raw);
    let mut out = Vec::with_capacity(raw.len());
    let mut dropping = false;
    for line in head.split_inclusive(|byte| *byte == b'\n') {
        if !line.starts_with(b" ") && !line.starts_with(b"\t") {
            let name = line.split(|byte| *byte == b':').next().unwrap_or_default().trim_ascii_end();
            dropping = name.eq_ignore_ascii_case(b"Bcc") || name.eq_ignore_ascii_case(b"Resent-Bcc");
        }
        if !dropping {
            out.extend(line);
        }
    }
    out.extend(&raw[head.len()..]);
    out
}
