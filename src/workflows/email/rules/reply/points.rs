//! The points that a mail asks about.

use jiff::civil::Date;

use super::super::asks::request_sentences;
use super::super::signs::own_text;
use super::when::{Day, Mention, mentions};
use crate::text::phrases::normalize_text;
use crate::workflows::mail_facts::{MailFacts, User};

const MAX_POINTS: usize = 8;

/// One question or request.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Point {
    /// The sentence, on one line.
    pub text: String,
    /// The date it is wanted by, if the mail says so.
    pub deadline: Option<Date>,
    /// Whether it is about meeting.
    pub meeting: bool,
}

const MEET: &str = "meet, meeting, call, lunch, coffee, catch up, sit together, appointment, time for, free on, are you free, are you \
    available, availab*, join us, join me, does that work, work for you, works for you, suit you, suits you, slot, \
    schedule, treffen, termin, telefonieren, zeit für, hast du zeit, haben sie zeit, passt es dir, passt es ihnen, \
    passt dir, passt ihnen, zusammensetzen, mittagessen, hättest du zeit, hätten sie zeit";

/// Together with a day, these mean a meeting, too.
const DAY: &str =
    "work, works, suit, suits, how about, what about, ok for you, okay for you, passt, ginge, geht bei";

/// In a mail about meeting, these are about the meeting, too.
const TOGETHER: &str = "shall we, should we, could we, can we, sollen wir, wollen wir, können wir, let s";

/// A request for work is not a meeting, even if it names a day.
const WORK: &str = "send, review, sign, confirm the, check, read, fill, pay, approve, comment*, share, forward, update, schick*, \
    send*, prüf*, unterschreib*, bezahl*, freigeb*, call stack, call the, prepare, bring";

const DUE: &str =
    "by, before, until, no later than, deadline, due, at the latest, bis, spätestens, frist, end of";

/// What the new text of `mail` asks of the person.
pub(super) fn points(user: &User, mail: &MailFacts, base: Date) -> Vec<Point> {
    let own_text = own_text(&mail.text);
    let asked = request_sentences(user, &own_text);
    let mut out: Vec<Point> = asked
        .iter()
        .filter(|asked| asked.of_reader)
        .map(|asked| {
            let text = asked.sentence.split_whitespace().collect::<Vec<_>>().join(" ");
            let words = normalize_text(&text);
            let has_deadline = words.has(DUE) && !words.has(MEET);
            let deadline = mentions(&text, base).into_iter().find_map(|mention| match mention {
                Mention { day: Day::On(date), .. } if has_deadline => Some(date),
                _ => None,
            });
            let names_day = !mentions(&text, base).is_empty();
            let meeting =
                deadline.is_none() && !words.has(WORK) && (words.has(MEET) || names_day && words.has(DAY));
            Point { text: text.trim_start_matches(['-', '*', '•', ' ']).to_owned(), deadline, meeting }
        })
        .collect();
    // "We need it by Thursday. Could you send it?": the day is in its own sentence.
    if let Some(point) = out.iter_mut().rev().find(|point| !point.meeting && point.deadline.is_none()) {
        point.deadline = deadline_elsewhere(&own_text, base);
    }
    if out.iter().any(|point| point.meeting) {
        for point in &mut out {
            point.meeting |= normalize_text(&point.text).has(TOGETHER);
        }
    }
    // "Please let me know" only repeats what was asked before.
    if out.len() > 1 {
        out.retain(|point| {
            let words = normalize_text(&point.text);
            words.split_whitespace().count() > 8
                || !words.has("let me know, let us know, bescheid, get back to me")
        });
    }
    out.truncate(MAX_POINTS);
    out
}

fn deadline_elsewhere(own_text: &str, base: Date) -> Option<Date> {
    let need = "need*, deadline, due, latest, spätestens, brauch*, benötig*, frist";
    crate::text::words::sentences(own_text).into_iter().find_map(|sentence| {
        let words = normalize_text(sentence);
        let is_due = words.has(DUE) && words.has(need);
        mentions(sentence, base).into_iter().find_map(|mention| match mention.day {
            Day::On(date) if is_due => Some(date),
            _ => None,
        })
    })
}

/// Whether a mail wants to meet: one of its points does, or it is an invitation.
pub(super) fn wants_meeting(mail: &MailFacts, points: &[Point]) -> bool {
    invites(mail) || points.iter().any(|point| point.meeting)
}

/// Whether it contains an invitation.
pub(super) fn invites(mail: &MailFacts) -> bool {
    mail.headers.calendar.as_deref().is_some_and(|method| method.eq_ignore_ascii_case("request"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    fn read(text: &str) -> Vec<Point> {
        let user = User { name: "Ada Lovelace".into(), ..User::default() };
        let mail = MailFacts { text: text.into(), ..MailFacts::default() };
        points(&user, &mail, date(2026, 11, 11))
    }

    #[test]
    fn points_deadlines_and_meetings_are_found() {
        let points = read(
            "Hi Ada,\n\nCould you send me the figures by Friday? Also, who is the delivery lead?\n\n\
            Can we meet next Tuesday at 3?\n\nBob, please water the plants.\n\n> Could you sing?\n",
        );
        let texts: Vec<&str> = points.iter().map(|point| point.text.as_str()).collect();
        assert_eq!(
            texts,
            [
                "Could you send me the figures by Friday?",
                "Also, who is the delivery lead?",
                "Can we meet next Tuesday at 3?"
            ]
        );
        assert_eq!(points[0].deadline, Some(date(2026, 11, 13)));
        assert_eq!(points.iter().map(|point| point.meeting).collect::<Vec<_>>(), [false, false, true]);
        let german = read(
            "Hallo Ada,\n\nwir brauchen die Zahlen spätestens am Freitag. Kannst du sie mir schicken?\n",
        );
        assert_eq!(german[0].deadline, Some(date(2026, 11, 13)));
    }
}
