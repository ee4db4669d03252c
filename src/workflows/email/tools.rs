//! The tools a model may propose, and the schemas of their arguments. A call is only ever a proposal.
//!
//! Schemas are strict on purpose: unknown fields are refused before a person sees anything, and again after a person
//! edits. Only the person can add attachments and reminders, so the model's schema does not have them.

use crate::agent::llm::ToolSpec;
use crate::calendar::{self, Attendance, InvitedEvent};
pub use crate::inbox::ANSWER_INVITATION;
use crate::inbox::Words;
use crate::mail::risk::{Receiver, one_click};
use crate::mail::{Mail, Unsubscribe};
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Writes and sends a mail.
pub const WRITE_EMAIL: &str = "write_email";
/// Puts a meeting into the calendar and sends invitations.
pub const SCHEDULE_MEETING: &str = "schedule_meeting";
/// Takes a cancelled event out of the calendar.
pub const REMOVE_EVENT: &str = "remove_event";
/// Looks up when the person is busy.
pub const CHECK_CALENDAR: &str = "check_calendar_availability";
/// Asks the person.
pub const QUESTION: &str = "question";
/// Says that nothing is left to do.
pub const DONE: &str = "done";
/// Leaves a mailing list, by mail or by one HTTP request.
pub const UNSUBSCRIBE: &str = "unsubscribe";

/// The names that nobody writes by chance: a mail that has one is meant for the model.
pub(super) const UNMISTAKABLE: [&str; 5] =
    [WRITE_EMAIL, SCHEDULE_MEETING, ANSWER_INVITATION, REMOVE_EVENT, CHECK_CALENDAR];

/// The tools, and the effects they and the triage have.
pub const WORDS: Words = &[
    (WRITE_EMAIL, "sending mail"),
    ("send", "sending mail"),
    ("draft", "saving a draft"),
    (SCHEDULE_MEETING, "booking meetings"),
    (ANSWER_INVITATION, "answering invitations"),
    (REMOVE_EVENT, "removing events"),
    ("event", "changing the calendar"),
    (CHECK_CALENDAR, "looking at the calendar"),
    (UNSUBSCRIBE, "unsubscribing"),
    ("notify", "new mail"),
    ("remind", "a reminder"),
    ("mark", "marking mail"),
];

/// What people read for a tool.
pub fn words(tool: &str) -> &str {
    WORDS.iter().find(|(name, _)| *name == tool).map_or(tool, |(_, words)| words)
}

/// An address, with or without a name before it.
const ADDRESS_PATTERN: &str = r"^([^<>]*<)?[^\s@<>,;]+@[^\s@<>,;]+>?$";
/// RFC 3339 with an offset.
const START_PATTERN: &str = r"^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?([Zz]|[+-]\d{2}:\d{2})$";
const DAY_PATTERN: &str = r"^\d{4}-\d{2}-\d{2}$";
/// How many recipients each of To, Cc and Bcc may have.
const MAX_PEOPLE: usize = 100;

/// The arguments of [`WRITE_EMAIL`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WriteEmailArgs {
    pub to: Vec<String>,
    #[serde(default)]
    pub cc: Vec<String>,
    #[serde(default)]
    pub bcc: Vec<String>,
    pub subject: String,
    pub content: String,
    /// The person's files.
    #[serde(default)]
    pub attachments: Vec<String>,
    /// When to remind the person that nobody answered; if missing, the config decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remind_after: Option<String>,
}

/// The arguments of [`SCHEDULE_MEETING`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScheduleMeetingArgs {
    pub attendees: Vec<String>,
    pub subject: String,
    /// RFC 3339 with an offset.
    pub start: String,
    pub duration_minutes: i64,
    #[serde(default)]
    pub location: Option<String>,
    /// The text of the invitation mail, including its greeting.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
}

/// The arguments a person sees for [`ANSWER_INVITATION`]. The model chooses the answer; the rest comes from the
/// invitation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnswerInvitationArgs {
    /// The organizer.
    pub to: String,
    /// The event's title.
    pub event: String,
    /// RFC 3339.
    pub start: String,
    /// RFC 3339.
    pub end: String,
    pub answer: Attendance,
    /// Text that is sent with the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// What changes in the calendar, if the event is already there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<String>,
}

/// The arguments a person sees for [`REMOVE_EVENT`]. All come from the cancellation and the calendar.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RemoveEventArgs {
    pub event: String,
    /// RFC 3339.
    pub start: String,
    /// RFC 3339.
    pub end: String,
    /// The bare address of whoever cancelled it.
    pub by: String,
    /// What changes in the calendar.
    pub change: String,
}

/// What a model says about an invitation.
#[derive(Debug, Deserialize)]
struct ProposedAnswer {
    answer: Attendance,
    #[serde(default)]
    comment: Option<String>,
}

/// The arguments of [`CHECK_CALENDAR`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckCalendarArgs {
    pub days: Vec<String>,
}

/// The arguments a person sees for [`UNSUBSCRIBE`]; they come from the mail's headers, never from a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum UnsubscribeArgs {
    /// One request that the list's signature covers.
    OneClick { url: String },
    Mail {
        /// The list's address for leaving.
        to: String,
        /// The subject the list asks for.
        subject: String,
        /// The text the list asks for.
        content: String,
    },
}

/// The tools a model is offered for this mail.
pub fn offered(mail: &Mail, receiver: Option<&Receiver>, zone: &TimeZone) -> Vec<ToolSpec> {
    let is_offered = |tool: &ToolSpec| match tool.name.as_str() {
        ANSWER_INVITATION => answerable_invitation(mail, zone).is_some(),
        REMOVE_EVENT => mail.invitation.as_ref().is_some_and(|part| part.method == "CANCEL"),
        UNSUBSCRIBE => unsubscribe_args(mail, receiver).is_some(),
        _ => true,
    };
    specs().into_iter().filter(is_offered).collect()
}

/// All tools.
pub fn specs() -> Vec<ToolSpec> {
    let nothing = || object(&json!({}), &[]);
    let all = [
        (
            WRITE_EMAIL,
            "Proposes a mail. The person reads it before it leaves, and may change it.",
            write_email(false),
        ),
        (
            SCHEDULE_MEETING,
            "Proposes a meeting: an event in the person's calendar and an invitation to everybody named. Look at the \
             calendar first.",
            schedule_meeting(),
        ),
        (CHECK_CALENDAR, "Tells when the person is busy on these days.", check_calendar()),
        (
            QUESTION,
            "Asks the person something that only they know and that the answer depends on.",
            question(),
        ),
        (DONE, "Says that nothing is left to do about this mail.", done()),
        (
            ANSWER_INVITATION,
            "Proposes the answer to the invitation in this mail; it goes to who invites, and the event into the \
             person's calendar.",
            answer_invitation(),
        ),
        (REMOVE_EVENT, "Proposes to take the event that this mail cancels out of the calendar.", nothing()),
        (UNSUBSCRIBE, "Proposes to leave the mailing list this mail came by.", nothing()),
    ];
    let spec = |(name, about, schema): (&str, &str, Value)| ToolSpec {
        name: name.to_owned(),
        description: about.to_owned(),
        schema,
    };
    all.into_iter().map(spec).collect()
}

/// The schema for a person's edit of a call; of those they cannot edit, nothing.
pub fn edit_schema(tool: &str) -> Value {
    match tool {
        WRITE_EMAIL => write_email(true),
        SCHEDULE_MEETING => {
            let mut schema = schedule_meeting();
            let start = &mut schema["properties"]["start"];
            start["format"] = json!("date-time");
            start["description"] = json!("When it begins.");
            schema
        }
        ANSWER_INVITATION => {
            let text = json!({"type": "string"});
            let mut fields = answer_invitation()["properties"].clone();
            for key in ["event", "start", "end", "change"] {
                fields[key] = text.clone();
            }
            fields["to"] = json!({"type": "string", "pattern": ADDRESS_PATTERN});
            fields["answer"]["description"] = json!("Whether you come.");
            fields["comment"]["description"] = json!("A line or two to the organizer, if you like.");
            object(&fields, &["to", "event", "start", "end", "answer"])
        }
        _ => object(&json!({}), &[]),
    }
}

/// The schema of a mail that forwards another: it may have no words of its own.
pub fn forward_schema() -> Value {
    let mut schema = edit_schema(WRITE_EMAIL);
    schema["properties"]["content"]["minLength"] = json!(0);
    schema
}

/// Whether the person cannot edit a call. Its card lets them write their own mail instead.
pub fn has_no_edit(tool: &str) -> bool {
    matches!(tool, QUESTION | UNSUBSCRIBE | REMOVE_EVENT)
}

/// The invitation in a mail, if a mail can answer it. Days and times without a zone are those of the person's `zone`.
fn answerable_invitation(mail: &Mail, zone: &TimeZone) -> Option<InvitedEvent> {
    let part = mail.invitation.as_ref().filter(|part| part.method == "REQUEST")?;
    let event = calendar::read_invitation(&part.text, zone).ok()?;
    let organizer = event.organizer.as_ref()?;
    can_receive(&organizer.address).then_some(event)
}

/// Whether we can send mail to an address.
fn can_receive(address: &str) -> bool {
    address.split_once('@').is_some_and(|(local, domain)| !local.is_empty() && domain.contains('.'))
        && !address.contains(|c: char| c.is_whitespace() || "<>,;\"".contains(c))
}

/// The complete answer to a mail's invitation; `None` if it has none.
pub fn invitation_args(mail: &Mail, proposed: &Value, zone: &TimeZone) -> Option<AnswerInvitationArgs> {
    let event = answerable_invitation(mail, zone)?;
    let proposed: ProposedAnswer = serde_json::from_value(proposed.clone()).ok()?;
    Some(AnswerInvitationArgs {
        to: event.organizer?.address,
        event: event.title,
        start: event.start.to_string(),
        end: event.end.to_string(),
        answer: proposed.answer,
        comment: proposed.comment.filter(|comment| !comment.trim().is_empty()),
        change: None,
    })
}

/// How to leave the mail's list: by one request if we can trust it, else by mail.
pub fn unsubscribe_args(mail: &Mail, receiver: Option<&Receiver>) -> Option<UnsubscribeArgs> {
    if let Some(url) = one_click(mail, receiver) {
        return Some(UnsubscribeArgs::OneClick { url: url.to_owned() });
    }
    mail.list.as_ref()?.unsubscribe.iter().find_map(|way| match way {
        Unsubscribe::Mail { to, subject, body } => {
            let subject = if subject.trim().is_empty() { "unsubscribe" } else { subject };
            let content = if body.trim().is_empty() { "unsubscribe" } else { body };
            let (subject, content) = (subject.to_owned(), content.to_owned());
            Some(UnsubscribeArgs::Mail { to: to.clone(), subject, content })
        }
        Unsubscribe::OneClick { .. } | Unsubscribe::Page { .. } => None,
    })
}

fn object(properties: &Value, required: &[&str]) -> Value {
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

fn address_list(min_items: usize, description: &str) -> Value {
    json!({
        "type": "array",
        "items": {"type": "string", "pattern": ADDRESS_PATTERN},
        "minItems": min_items,
        "maxItems": MAX_PEOPLE,
        "description": description,
    })
}

fn write_email(by_person: bool) -> Value {
    let mut properties = json!({
        "to": address_list(1, "Addresses it goes to."),
        "cc": address_list(0, "Addresses in copy."),
        "bcc": address_list(0, "Addresses in blind copy."),
        "subject": {"type": "string", "description": "The subject."},
        "content": {
            "type": "string",
            "minLength": 1,
            "description": "The text, plain, without a signature and without quoting the mail.",
        },
    });
    if by_person {
        properties["content"]["description"] = json!("The text, plain.");
        properties["attachments"] = json!({
            "type": "array",
            "items": {"type": "string", "minLength": 1},
            "maxItems": 20,
            "description": "Files to attach, by their paths.",
        });
        properties["remind_after"] = json!({
            "type": "string",
            "pattern": "^(never|[1-9][0-9]{0,2}[hdw])$",
            "description": "Be reminded if nobody has answered by then: 3d, 2w, or never.",
        });
    }
    object(&properties, &["to", "subject", "content"])
}

fn schedule_meeting() -> Value {
    let properties = json!({
        "attendees": address_list(1, "Addresses of everybody invited, without the person's own."),
        "subject": {"type": "string", "minLength": 1, "description": "What it is about."},
        "start": {
            "type": "string",
            "pattern": START_PATTERN,
            "description": "When it begins: RFC 3339 with the offset, as in 2026-05-04T14:00:00+02:00.",
        },
        "duration_minutes": {"type": "integer", "minimum": 5, "maximum": 1440, "description": "How long."},
        "location": {"type": "string", "description": "Where, if that is known."},
        "content": {
            "type": "string",
            "description": "What the mail with the invitation says: a greeting, a line or two in answer to theirs, and the \
                            person's name. Time and place are added.",
        },
    });
    object(&properties, &["attendees", "subject", "start", "duration_minutes"])
}

fn answer_invitation() -> Value {
    let properties = json!({
        "answer": {"enum": ["accept", "tentative", "decline"], "description": "Whether the person comes."},
        "comment": {"type": "string", "description": "A line or two to who invites, if there is something to say."},
    });
    object(&properties, &["answer"])
}

fn check_calendar() -> Value {
    let days = json!({
        "type": "array",
        "items": {"type": "string", "pattern": DAY_PATTERN},
        "minItems": 1,
        "maxItems": 31,
        "description": "Days, as in 2026-05-04.",
    });
    object(&json!({ "days": days }), &["days"])
}

fn done() -> Value {
    let reason = json!({"type": "string", "description": "Why, where the mail was not answered."});
    object(&json!({ "reason": reason }), &[])
}

fn question() -> Value {
    let content = json!({"type": "string", "minLength": 1, "description": "The question."});
    object(&json!({ "content": content }), &["content"])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inbox::check_args;
    use crate::mail::ListInfo;

    #[test]
    fn edits_that_do_not_fit_are_refused_with_their_field() {
        let refused = |tool: &str, args: Value| check_args(&edit_schema(tool), &args).unwrap_err();
        let mail = json!({"to": ["bob@example.org"], "subject": "Hi", "content": "Hello"});
        assert_eq!(check_args(&edit_schema(WRITE_EMAIL), &mail), Ok(()));
        let with = |key: &str, value: Value| {
            let mut mail = mail.clone();
            mail[key] = value;
            mail
        };
        for (key, value) in [
            ("to", json!([])),
            ("to", json!(["nobody"])),
            ("to", json!("bob@example.org")),
            ("cc", json!(["a@b, c@d"])),
            ("subject", json!(3)),
            ("content", json!("")),
            ("attachments", json!([""])),
            ("remind_after", json!("soon")),
            ("remind_after", json!("0d")),
        ] {
            let text = refused(WRITE_EMAIL, with(key, value));
            assert!(text.starts_with(&format!("`{key}")), "{key}: {text}");
        }
        assert!(refused(WRITE_EMAIL, with("html", json!("x"))).contains("html"));
        assert!(refused(WRITE_EMAIL, json!({"to": ["a@b"], "subject": "x"})).contains("content"));
        let named = with("to", json!(["Bob Ray <bob@example.org>"]));
        assert_eq!(check_args(&edit_schema(WRITE_EMAIL), &named), Ok(()));

        let meeting = |start: &str, minutes: i64| json!({"attendees": ["a@b.c"], "subject": "x", "start": start, "duration_minutes": minutes});
        assert_eq!(
            check_args(&edit_schema(SCHEDULE_MEETING), &meeting("2026-05-04T14:00:00+02:00", 30)),
            Ok(())
        );
        assert!(
            refused(SCHEDULE_MEETING, meeting("2026-05-04T14:00:00", 30)).starts_with("`start`"),
            "an offset"
        );
        assert!(refused(SCHEDULE_MEETING, meeting("2026-05-04T14:00Z", 0)).starts_with("`duration_minutes`"));
    }

    #[test]
    fn a_model_is_never_offered_attachments_and_leaves_only_lists() {
        let mut mail = Mail::default();
        let tools = offered(&mail, None, &TimeZone::UTC);
        let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!(names, [WRITE_EMAIL, SCHEDULE_MEETING, CHECK_CALENDAR, QUESTION, DONE]);
        for tool in &tools {
            assert_eq!(tool.schema["additionalProperties"], false, "{}", tool.name);
            assert!(tool.schema["properties"].get("attachments").is_none());
            assert!(tool.schema["properties"].get("remind_after").is_none());
        }
        let one_click = Unsubscribe::OneClick { url: "https://example.org/u".into() };
        mail.list = Some(ListInfo { unsubscribe: vec![one_click.clone()], ..ListInfo::default() });
        assert_eq!(offered(&mail, None, &TimeZone::UTC).len(), 5, "nobody vouches for the one click");
        let by_mail =
            Unsubscribe::Mail { to: "leave@example.org".into(), subject: String::new(), body: String::new() };
        mail.list = Some(ListInfo { unsubscribe: vec![one_click, by_mail], ..ListInfo::default() });
        assert_eq!(
            offered(&mail, None, &TimeZone::UTC).last().map(|tool| tool.name.clone()),
            Some(UNSUBSCRIBE.to_owned())
        );
        let (to, word) = ("leave@example.org".to_owned(), || "unsubscribe".to_owned());
        assert_eq!(
            unsubscribe_args(&mail, None),
            Some(UnsubscribeArgs::Mail { to, subject: word(), content: word() })
        );
    }
}
