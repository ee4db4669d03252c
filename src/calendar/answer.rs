//! Answers to invitations (RFC 5546): the text for the organizer, and the event that the calendar then keeps.

use super::entry::MAX_TITLE;
use super::invited::{InvitationError, bare, events, has_event, with_uid};
use super::lines::{self, Component, Line};
use super::write::{Lines, Person, mailto, name_parameter, utc};
use crate::text::truncate;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::slice::from_ref;

/// How an invitation is answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Attendance {
    #[default]
    Accept,
    Tentative,
    Decline,
}

impl Attendance {
    fn partstat(self) -> &'static str {
        match self {
            Self::Accept => "ACCEPTED",
            Self::Tentative => "TENTATIVE",
            Self::Decline => "DECLINED",
        }
    }

    /// The word in the subject of an answer.
    pub fn word(self) -> &'static str {
        match self {
            Self::Accept => "Accepted",
            Self::Tentative => "Tentative",
            Self::Decline => "Declined",
        }
    }
}

/// The lines of the event that an answer repeats, so the organizer finds it.
const REPEATED: [&str; 8] =
    ["UID", "SEQUENCE", "ORGANIZER", "DTSTART", "DTEND", "DURATION", "RECURRENCE-ID", "SUMMARY"];

/// The lines that a calendar keeps of a cancelled occurrence.
const NAMED: [&str; 9] =
    ["UID", "SEQUENCE", "DTSTAMP", "ORGANIZER", "DTSTART", "DTEND", "DURATION", "RECURRENCE-ID", "SUMMARY"];

/// The answer for a mail's calendar part: a VCALENDAR with the method REPLY.
pub fn answer(
    invitation: &str,
    me: &Person,
    how: Attendance,
    stamp: Timestamp,
) -> Result<Vec<u8>, InvitationError> {
    let (calendar, event) = chosen(invitation)?;
    let mut out = begin(&calendar, Some("REPLY"));
    out.line("BEGIN", "VEVENT");
    out.line("DTSTAMP", &utc(stamp));
    for line in event.lines.iter().filter(|line| REPEATED.contains(&line.name.as_str())) {
        copy(&mut out, line);
    }
    attendee(&mut out, me, how);
    out.line("END", "VEVENT");
    Ok(out.end_calendar())
}

/// The event that a calendar keeps: everything in the invitation, including changed occurrences, plus the person's
/// answer. Tells servers that answer invitations themselves not to.
pub fn attended(invitation: &str, me: &Person, how: Attendance) -> Result<Vec<u8>, InvitationError> {
    let (calendar, chosen) = chosen(invitation)?;
    let mut out = begin(&calendar, None);
    for event in with_uid(from_ref(&calendar), &chosen.text("UID")) {
        out.line("BEGIN", "VEVENT");
        for line in &event.lines {
            let mine = line.name == "ATTENDEE" && bare(&line.value).eq_ignore_ascii_case(&me.address);
            if line.name == "ORGANIZER" {
                organizer(&mut out, line);
            } else if !mine && line.name != "ATTACH" {
                // Attachments belong to the mail.
                copy(&mut out, line);
            }
        }
        attendee(&mut out, me, how);
        out.line("END", "VEVENT");
    }
    Ok(out.end_calendar())
}

/// The organizer. Tells servers that answer invitations themselves not to.
fn organizer(out: &mut Lines, line: &Line) {
    let mut line = line.clone();
    line.params.retain(|(name, _)| name != "SCHEDULE-AGENT");
    line.params.push(("SCHEDULE-AGENT".to_owned(), "CLIENT".to_owned()));
    copy(out, &line);
}

/// The event to take out of a calendar: the named occurrences, each marked as cancelled, or the event as a whole.
pub fn cancelled(cancellation: &str) -> Result<Vec<u8>, InvitationError> {
    let (calendar, chosen) = chosen(cancellation)?;
    let mut out = begin(&calendar, None);
    for event in with_uid(from_ref(&calendar), &chosen.text("UID")) {
        out.line("BEGIN", "VEVENT");
        for line in event.lines.iter().filter(|line| NAMED.contains(&line.name.as_str())) {
            if line.name == "ORGANIZER" { organizer(&mut out, line) } else { copy(&mut out, line) }
        }
        let begins = event.line("RECURRENCE-ID").filter(|_| event.line("DTSTART").is_none());
        if let Some(occurrence) = begins {
            copy(&mut out, &Line { name: "DTSTART".to_owned(), ..occurrence.clone() });
        }
        out.line("STATUS", "CANCELLED");
        out.line("END", "VEVENT");
    }
    Ok(out.end_calendar())
}

/// What whoever sends a reply answers; `None` if it names several people, or no answer.
pub fn answered(reply: &str) -> Option<Attendance> {
    let (_, event) = chosen(reply).ok()?;
    let mut attendees = event.all("ATTENDEE");
    let (one, None) = (attendees.next()?, attendees.next()) else { return None };
    let all = [Attendance::Accept, Attendance::Tentative, Attendance::Decline];
    all.into_iter()
        .find(|answer| one.param("PARTSTAT").is_some_and(|it| it.eq_ignore_ascii_case(answer.partstat())))
}

/// The title of an invitation's event as it was written, on one line.
pub fn written_title(invitation: &str) -> Result<String, InvitationError> {
    let (_, event) = chosen(invitation)?;
    Ok(truncate(&event.text("SUMMARY").replace(['\n', '\t'], " "), MAX_TITLE).into_owned())
}

/// The calendar and its event, preferring the event itself to a changed occurrence.
fn chosen(invitation: &str) -> Result<(Component, Component), InvitationError> {
    let calendars = lines::read(invitation.as_bytes()).map_err(InvitationError::Damaged)?;
    let calendar = calendars.into_iter().find(has_event).ok_or(InvitationError::NoEvent)?;
    let first = events(from_ref(&calendar)).next().ok_or(InvitationError::NoEvent)?;
    let uid = first.text("UID");
    let series = with_uid(from_ref(&calendar), &uid).find(|event| event.line("RECURRENCE-ID").is_none());
    let event = series.unwrap_or(first).clone();
    Ok((calendar, event))
}

fn begin(calendar: &Component, method: Option<&str>) -> Lines {
    let mut out = Lines::begin_calendar(method);
    for zone in calendar.inside.iter().filter(|part| part.kind == "VTIMEZONE") {
        component(&mut out, zone);
    }
    out
}

/// The depth was limited when it was read, so recursion is safe.
fn component(out: &mut Lines, part: &Component) {
    out.line("BEGIN", &part.kind);
    part.lines.iter().for_each(|line| copy(out, line));
    part.inside.iter().for_each(|inner| component(out, inner));
    out.line("END", &part.kind);
}

fn attendee(out: &mut Lines, me: &Person, how: Attendance) {
    out.line(&format!("ATTENDEE;PARTSTAT={}{}", how.partstat(), name_parameter(me)), &mailto(me));
}

/// Copies a line. Values that need quotes get them back.
fn copy(out: &mut Lines, line: &Line) {
    let mut name = line.name.clone();
    for (key, value) in &line.params {
        let quoted = value.contains([':', ';', ',']);
        name.push_str(&if quoted { format!(";{key}=\"{value}\"") } else { format!(";{key}={value}") });
    }
    out.line(&name, &line.value);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calendar::read_invitation;
    use jiff::tz::TimeZone;

    const INVITATION: &str = "BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nBEGIN:VTIMEZONE\r\nTZID:Home\r\nBEGIN:STANDARD\r\n\
        DTSTART:19700101T000000\r\nTZOFFSETFROM:+0100\r\nTZOFFSETTO:+0100\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\n\
        BEGIN:VEVENT\r\nUID:kick@lumen\r\nSEQUENCE:3\r\nDTSTAMP:20261101T080000Z\r\nDTSTART;TZID=Home:20261117T100000\r\n\
        DTEND;TZID=Home:20261117T110000\r\nSUMMARY:Kickoff\\, part 1\r\nLOCATION:Online\r\n\
        ORGANIZER;CN=\"Ines: Lumen\":mailto:ines@lumen.example\r\n\
        ATTENDEE;PARTSTAT=NEEDS-ACTION;RSVP=TRUE:mailto:ADA@example.org\r\n\
        ATTENDEE;PARTSTAT=ACCEPTED:mailto:bob@lumen.example\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";

    fn me() -> Person {
        Person { name: "Ada".to_owned(), address: "ada@example.org".to_owned() }
    }

    fn unfolded(bytes: Vec<u8>) -> String {
        String::from_utf8(bytes).unwrap().replace("\r\n ", "")
    }

    #[test]
    fn an_answer_names_the_event_and_one_person() {
        let stamp = "2026-11-11T09:00:00Z".parse().unwrap();
        for (how, partstat) in [
            (Attendance::Accept, "ACCEPTED"),
            (Attendance::Tentative, "TENTATIVE"),
            (Attendance::Decline, "DECLINED"),
        ] {
            let text = unfolded(answer(INVITATION, &me(), how, stamp).unwrap());
            for line in [
                "METHOD:REPLY",
                "UID:kick@lumen",
                "SEQUENCE:3",
                "DTSTAMP:20261111T090000Z",
                "DTSTART;TZID=Home:20261117T100000",
                "ORGANIZER;CN=\"Ines: Lumen\":mailto:ines@lumen.example",
                "TZOFFSETTO:+0100",
                &format!("ATTENDEE;PARTSTAT={partstat};CN=\"Ada\":mailto:ada@example.org"),
            ] {
                assert!(text.lines().any(|known| known == line), "{line}\n{text}");
            }
            assert_eq!(text.matches("ATTENDEE").count(), 1, "{text}");
            assert!(!text.contains("bob@lumen.example") && !text.contains("LOCATION"), "{text}");
        }
    }

    #[test]
    fn the_calendar_keeps_the_whole_event_with_the_answer() {
        let event = attended(INVITATION, &me(), Attendance::Accept).unwrap();
        let read = read_invitation(std::str::from_utf8(&event).unwrap(), &TimeZone::UTC).unwrap();
        assert_eq!((read.uid.as_str(), read.title.as_str()), ("kick@lumen", "Kickoff, part 1"));
        assert_eq!(read.start.to_string(), "2026-11-17T09:00:00Z");
        let text = unfolded(event);
        assert!(!text.contains("METHOD") && text.contains("LOCATION:Online"), "{text}");
        assert_eq!(text.matches("ATTENDEE").count(), 2, "{text}");
        assert!(!text.contains("NEEDS-ACTION"), "{text}");
    }

    #[test]
    fn what_is_no_invitation_is_refused() {
        let stamp = Timestamp::UNIX_EPOCH;
        assert!(answer("hello", &me(), Attendance::Accept, stamp).is_err());
        let empty = "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n";
        assert_eq!(answer(empty, &me(), Attendance::Accept, stamp), Err(InvitationError::NoEvent));
    }
}
