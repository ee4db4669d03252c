//! What each model call was sent and what it answered, byte for byte. For people; no thread depends on it.
//!
//! A growing conversation is sent whole at every turn, so storing each prompt whole would take space quadratic in the
//! thread's length. For each prompt we store only the difference from the previous one in its thread, compressed. A
//! whole one is stored again only once the differences add up to as many bytes as the last whole one. What stands above
//! the conversation (instructions, tools) is a blob that many calls share, and text that repeats a mail of the thread
//! is stored as a reference to it. Anything longer than [`MAX_LEN`] is not stored at all, and that is on record.

use crate::engine::graph::ThreadId;
use crate::engine::store::rows::{self, ThreadRow, damaged};
use crate::engine::store::{Statistics, StoreError, blobs, lz4};
use rusqlite::{Connection, OptionalExtension, params};
use sha2::{Digest, Sha256};

/// Prompts and answers longer than this are not stored.
pub const MAX_LEN: usize = 1024 * 1024;

/// What a call was sent and what it answered, as text in the caller's format.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prompt {
    /// Instructions and tools, above the conversation.
    pub head: String,
    pub messages: String,
    /// The answer, if one came back.
    pub answer: Option<String>,
}

/// A recorded call with its prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredPrompt {
    /// What the call was for.
    pub task: String,
    pub model: String,
    /// Why it failed, as an error code.
    pub error: Option<String>,
    /// `None` if it was not stored.
    pub prompt: Option<Prompt>,
}

impl Statistics<'_> {
    /// The call with this number, which must belong to this thread.
    pub fn prompt(self, thread: &ThreadId, call: u64) -> Result<StoredPrompt, StoreError> {
        self.0.read(|db| {
            let row = ThreadRow::find(db, thread)?;
            let call = call.cast_signed();
            let call_row = db
                .prepare_cached("SELECT task, model, error FROM spans WHERE seq = ? AND thread = ?")?
                .query_row([call, row.seq], |cells| Ok((cells.get(0)?, cells.get(1)?, cells.get(2)?)))
                .optional()?;
            let Some((task, model, error)) = call_row else {
                return Err(StoreError::unknown("model call", call.to_string()));
            };
            Ok(StoredPrompt { task, model, error, prompt: read(db, call)? })
        })
    }
}

/// Stores the prompt of the call that was recorded last.
pub fn insert(db: &Connection, thread: i64, call: i64, prompt: &Prompt) -> Result<(), StoreError> {
    let answer = prompt.answer.as_deref().unwrap_or_default();
    if prompt.head.len().max(prompt.messages.len()).max(answer.len()) > MAX_LEN {
        return Ok(());
    }
    let head = blobs::put_shared(db, prompt.head.as_bytes())?;
    let last = "SELECT p.call FROM spans s JOIN prompts p ON p.call = s.seq
                WHERE s.thread = ?2 AND s.seq < ?1 ORDER BY s.seq DESC LIMIT 1";
    let before: Option<i64> = rows::first(db, last, [call, thread])?;
    let delta = match before.map(|before| chain(db, before)).transpose()? {
        Some(links) => Delta::from(&links, &prompt.messages),
        None => Delta::whole(&prompt.messages),
    };
    let mut middle = lz4::pack(delta.middle.as_bytes(), &[]);
    let mut mail = if delta.shares() { None } else { newest_mail(db, thread)? };
    if let Some(blob) = mail {
        let repeated = lz4::pack(delta.middle.as_bytes(), &mail_text(db, blob)?);
        if repeated.len() < middle.len() {
            middle = repeated;
        } else {
            mail = None;
        }
    }
    db.prepare_cached(
        "INSERT INTO prompts (call, head, mail, base, begins, ends, middle, answer, digest)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )?
    .execute(params![
        call,
        head,
        mail,
        before.filter(|_| delta.shares()),
        delta.begins as i64,
        delta.ends as i64,
        middle,
        prompt.answer.as_deref().map(|answer| lz4::pack(answer.as_bytes(), &[])),
        digest(&prompt.messages),
    ])?;
    Ok(())
}

fn read(db: &Connection, call: i64) -> Result<Option<Prompt>, StoreError> {
    let stored: Option<(i64, Option<Vec<u8>>, Vec<u8>)> = db
        .prepare_cached("SELECT head, answer, digest FROM prompts WHERE call = ?")?
        .query_row([call], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .optional()?;
    let Some((head, answer, written)) = stored else { return Ok(None) };
    let messages = rebuilt(&chain(db, call)?);
    match messages {
        Some(messages) if digest(&messages)[..] == written[..] => Ok(Some(Prompt {
            head: as_text(blobs::get_shared(db, head)?)?,
            messages,
            answer: answer.map(|answer| unpack(&answer, &[])).transpose()?,
        })),
        _ => damaged(format!("the prompt of call {call} is not as it was written")),
    }
}

/// The blob number of the thread's newest mail. A large mail is not worth reading for this.
fn newest_mail(db: &Connection, thread: i64) -> Result<Option<i64>, StoreError> {
    let newest = "SELECT b.seq FROM mails m JOIN blobs b ON b.digest = m.raw
                  WHERE m.thread = ? AND octet_length(b.bytes) < 262144 ORDER BY m.seq DESC LIMIT 1";
    rows::first(db, newest, [thread])
}

/// As much of a mail as LZ4 can refer back to.
fn mail_text(db: &Connection, blob: i64) -> Result<Vec<u8>, StoreError> {
    let mut bytes = blobs::get_shared(db, blob)?;
    bytes.truncate(64 * 1024);
    Ok(bytes)
}

/// One link: how many bytes it shares with the previous text at the beginning and at the end, and what is between.
#[derive(Clone, Debug, Default)]
struct Delta {
    begins: usize,
    ends: usize,
    middle: String,
}

impl Delta {
    fn whole(text: &str) -> Self {
        Self { middle: text.to_owned(), ..Self::default() }
    }

    /// What `text` adds to the text the links produce. It is stored whole once the later links are longer than the
    /// first.
    fn from(links: &[Delta], text: &str) -> Self {
        let first = links.first().map_or(0, |link| link.middle.len());
        let since: usize = links.iter().skip(1).map(|link| link.middle.len()).sum();
        let Some(before) = rebuilt(links).filter(|_| since <= first) else { return Self::whole(text) };
        let begins = shared(before.bytes().zip(text.bytes()), before.len().min(text.len()));
        let begins = boundary(text, begins);
        let most = before.len().min(text.len()) - begins;
        let ends = shared(before.bytes().rev().zip(text.bytes().rev()), most);
        let ends = text.len()
            - (text.len() - ends..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
        let middle = &text[begins..text.len() - ends];
        // If the texts share too little, store it whole.
        if middle.len() * 2 > text.len() {
            Self::whole(text)
        } else {
            Self { begins, ends, middle: middle.to_owned() }
        }
    }

    fn shares(&self) -> bool {
        self.begins + self.ends > 0
    }
}

fn shared(pairs: impl Iterator<Item = (u8, u8)>, most: usize) -> usize {
    pairs.take(most).take_while(|(a, b)| a == b).count()
}

fn boundary(text: &str, at: usize) -> usize {
    (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// The links that lead to a call, starting with the whole text.
fn chain(db: &Connection, call: i64) -> Result<Vec<Delta>, StoreError> {
    let mut links = Vec::new();
    let mut at = Some(call);
    let mut statement =
        db.prepare_cached("SELECT base, begins, ends, middle, mail FROM prompts WHERE call = ?")?;
    while let Some(call) = at {
        let row = statement
            .query_row([call], |row| {
                Ok((
                    row.get::<_, Option<i64>>(0)?,
                    row.get::<_, i64>(1)?,
                    row.get::<_, i64>(2)?,
                    row.get::<_, Vec<u8>>(3)?,
                    row.get::<_, Option<i64>>(4)?,
                ))
            })
            .optional()?;
        let Some((base, begins, ends, middle, mail)) = row else {
            return damaged(format!("the prompt of call {call} is missing"));
        };
        let size = |n: i64| usize::try_from(n).unwrap_or(usize::MAX);
        let repeats = mail.map_or(Ok(Vec::new()), |mail| mail_text(db, mail))?;
        links.push(Delta { begins: size(begins), ends: size(ends), middle: unpack(&middle, &repeats)? });
        // A base must be older, so that no row leads around in a circle.
        at = base.filter(|base| *base < call);
    }
    links.reverse();
    Ok(links)
}

/// The text the links produce; `None` if they do not fit together.
fn rebuilt(links: &[Delta]) -> Option<String> {
    // We collect slices of the links, so each link costs time per piece, not per byte.
    let mut pieces: Vec<&str> = Vec::new();
    for link in links {
        let mut next = first(&pieces, link.begins)?;
        next.push(&link.middle);
        next.extend(last(&pieces, link.ends)?);
        next.retain(|piece| !piece.is_empty());
        pieces = next;
    }
    Some(pieces.concat())
}

fn first<'a>(pieces: &[&'a str], mut bytes: usize) -> Option<Vec<&'a str>> {
    let mut parts = Vec::new();
    for piece in pieces {
        if bytes == 0 {
            break;
        }
        let some = bytes.min(piece.len());
        parts.push(piece.get(..some)?);
        bytes -= some;
    }
    (bytes == 0).then_some(parts)
}

fn last<'a>(pieces: &[&'a str], mut bytes: usize) -> Option<Vec<&'a str>> {
    let mut parts = Vec::new();
    for piece in pieces.iter().rev() {
        if bytes == 0 {
            break;
        }
        let some = bytes.min(piece.len());
        parts.push(piece.get(piece.len() - some..)?);
        bytes -= some;
    }
    parts.reverse();
    (bytes == 0).then_some(parts)
}

fn unpack(packed: &[u8], repeats: &[u8]) -> Result<String, StoreError> {
    let bytes = lz4::unpack(packed, repeats, MAX_LEN);
    bytes.map_or_else(|| damaged("the words of a model call cannot be unpacked"), as_text)
}

fn as_text(bytes: Vec<u8>) -> Result<String, StoreError> {
    String::from_utf8(bytes).or_else(|_| damaged("the words of a model call are no text"))
}

/// Enough of SHA-256 to notice that a text has changed.
fn digest(text: &str) -> [u8; 16] {
    let full: [u8; 32] = Sha256::digest(text.as_bytes()).into();
    let mut half = [0; 16];
    half.copy_from_slice(&full[..16]);
    half
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn chains_of(texts: &[String]) -> Vec<Vec<Delta>> {
        let mut chains: Vec<Vec<Delta>> = Vec::new();
        for text in texts {
            let delta = match chains.last() {
                Some(links) => Delta::from(links, text),
                None => Delta::whole(text),
            };
            let before = if delta.shares() { chains.last().cloned().unwrap_or_default() } else { Vec::new() };
            chains.push(before.into_iter().chain([delta]).collect());
        }
        chains
    }

    proptest! {
        /// Every prompt comes back byte for byte.
        #[test]
        fn every_prompt_is_rebuilt_exactly(texts in prop::collection::vec("[ab漢é]{0,40}", 1..12)) {
            for (text, links) in texts.iter().zip(chains_of(&texts)) {
                let rebuilt_text = rebuilt(&links);
                prop_assert_eq!(rebuilt_text.as_ref(), Some(text));
            }
        }
    }

    /// A conversation that grows at every turn takes a small multiple of its own size.
    #[test]
    fn a_thousand_turns_cost_a_multiple_of_what_was_said() {
        let turn =
            |n: usize| format!("{{\"role\":\"user\",\"text\":\"turn {n} says something of its own\"}},");
        let conversation = |turns: usize| format!("[{}]", (0..turns).map(turn).collect::<String>());
        let mut links: Vec<Delta> = Vec::new();
        let mut bytes = 0;
        for turns in 1..=1000 {
            let delta = Delta::from(&links, &conversation(turns));
            bytes += delta.middle.len();
            if !delta.shares() {
                links.clear();
            }
            links.push(delta);
        }
        assert_eq!(rebuilt(&links), Some(conversation(1000)));
        assert!(bytes < conversation(1000).len() * 4, "{bytes} bytes for {}", conversation(1000).len());
    }

    #[test]
    fn links_that_do_not_fit_are_noticed() {
        let links = [Delta::whole("abc"), Delta { begins: 9, ends: 0, middle: "x".to_owned() }];
        assert_eq!(rebuilt(&links), None);
        assert!(unpack(&[255, 255, 255, 255, 0], &[]).is_err());
        assert!(unpack(&[], &[]).is_err());
    }
}
