//! Finds the people the user knows from the envelopes of the newest mails, without fetching any mail.

use super::fetch::{arrived, open_if_there};
use super::names::Folder;
use super::session::{Arg, ImapError, Session};
use super::value::{Value, after};
use crate::mail::People;
use jiff::Timestamp;
use std::collections::BTreeSet;

/// How many mails of a folder are read.
const MOST: u64 = 1_000;
/// How many of them per command.
const AT_ONCE: u64 = 200;

/// The positions of senders and recipients in an envelope.
const FROM: [usize; 1] = [2];
const TO: [usize; 3] = [5, 6, 7];

pub(super) async fn people(
    session: &mut Session,
    folders: &[Folder],
    sent: Option<&Folder>,
    until: Timestamp,
) -> Result<People, ImapError> {
    let (mut wrote_to, mut heard_from) = (BTreeSet::new(), BTreeSet::new());
    if let Some(sent) = sent {
        envelopes(session, sent, |_, envelope| add_addresses(&mut wrote_to, envelope, &TO)).await?;
    }
    for folder in folders {
        let add_earlier_sender = |arrived: Option<Timestamp>, envelope: &[Value]| {
            if arrived.is_some_and(|arrived| arrived < until) {
                add_addresses(&mut heard_from, envelope, &FROM);
            }
        };
        envelopes(session, folder, add_earlier_sender).await?;
    }
    Ok(People { wrote_to: wrote_to.into_iter().collect(), heard_from: heard_from.into_iter().collect() })
}

/// Calls `each` with the envelopes of the newest mails in a folder.
async fn envelopes(
    session: &mut Session,
    folder: &Folder,
    mut each: impl FnMut(Option<Timestamp>, &[Value]),
) -> Result<(), ImapError> {
    let mails = open_if_there(session, folder, false).await?.map_or(0, |open| open.mails);
    let mut last = mails;
    while last > mails.saturating_sub(MOST) {
        let first = last.saturating_sub(AT_ONCE - 1).max(mails.saturating_sub(MOST) + 1);
        let line = format!("FETCH {first}:{last} (UID INTERNALDATE ENVELOPE)");
        let answers = session.command(&[Arg::Raw(&line)]).await?;
        for (_, pairs) in answers.fetched() {
            each(arrived(pairs), after(pairs, "ENVELOPE").map(Value::list).unwrap_or_default());
        }
        last = first - 1;
    }
    Ok(())
}

/// Adds the bare addresses in some fields of an envelope: `((name route mailbox host) …)`.
fn add_addresses(addresses: &mut BTreeSet<String>, envelope: &[Value], fields: &[usize]) {
    for person in fields.iter().filter_map(|at| envelope.get(*at)).flat_map(Value::list) {
        let [_, _, mailbox, host] = person.list() else { continue };
        // A group's name has no host.
        let (Some(mailbox), Some(host)) = (mailbox.text(), host.text()) else { continue };
        if !mailbox.eq_ignore_ascii_case("nil") && !host.eq_ignore_ascii_case("nil") {
            addresses.insert(format!("{mailbox}@{host}").to_lowercase());
        }
    }
}
