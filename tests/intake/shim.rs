use sayso::mail::{Address, Mail};
use sha2::{Digest, Sha256};
pub fn parse(raw: &[u8]) -> Result<Mail, String> {
    let text = std::str::from_utf8(raw).map_err(|e| e.to_string())?;
    let (head, body) = text.split_once("\r\n\r\n").ok_or("no head")?;
    let mut mail = Mail { text: body.to_owned(), ..Mail::default() };
    mail.raw = Sha256::digest(raw).iter().map(|b| format!("{b:02x}")).collect();
    for line in head.lines() {
        let (name, value) = line.split_once(": ").unwrap();
        let id = || value.trim_matches(['<', '>']).to_owned();
        match name {
            "Message-ID" => mail.message_id = Some(id()),
            "In-Reply-To" => mail.in_reply_to = vec![id()],
            "References" => mail.references = vec![id()],
            "Subject" => mail.subject = value.to_owned(),
            "From" => mail.from = Address::bare(value.rsplit('<').next().unwrap().trim_end_matches('>')),
            "To" => mail.to = vec![Address::bare(value)],
            _ => {}
        }
    }
    Ok(mail)
}
pub fn identity(account: &str, mail: &Mail) -> String {
    format!("{account} {} {}", mail.message_id.clone().unwrap_or_default(), mail.from.address)
}
