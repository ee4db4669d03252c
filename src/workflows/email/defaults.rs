//! The memory profiles, and their text before anybody was asked anything.
//!
//! Profiles are plain text: people can read and change them, and language models follow them.

/// Decides what is shown.
pub const TRIAGE: &str = "email_assistant/triage_preferences";
/// Says how to write.
pub const RESPONSE: &str = "email_assistant/response_preferences";
/// Says how to plan meetings.
pub const CALENDAR: &str = "email_assistant/cal_preferences";

/// Every profile with its first version.
pub const PROFILES: [(&str, &str); 3] =
    [(TRIAGE, TRIAGE_PRESET), (RESPONSE, RESPONSE_PRESET), (CALENDAR, CALENDAR_PRESET)];

/// Separates a profile's name from the account it belongs to.
const ACCOUNT_SEPARATOR: char = '@';

/// The profile of an account that has its own model, so its lessons reach no other model.
pub fn account_namespace(namespace: &str, account: &str) -> String {
    format!("{namespace}{ACCOUNT_SEPARATOR}{account}")
}

/// The shared profile behind an account's profile; a shared profile is returned as is.
pub fn shared(namespace: &str) -> &str {
    namespace.split_once(ACCOUNT_SEPARATOR).map_or(namespace, |(shared, _)| shared)
}

/// A profile's name in words.
pub fn describe(namespace: &str) -> String {
    let (shared, account) = namespace.split_once(ACCOUNT_SEPARATOR).unwrap_or((namespace, ""));
    let name = match shared {
        CALENDAR => "meeting preferences".to_owned(),
        other => other.rsplit('/').next().unwrap_or_default().replace('_', " "),
    };
    if account.is_empty() { name } else { format!("{name} for {account}") }
}

/// The first version of a profile; empty if the profile is unknown.
pub fn preset(namespace: &str) -> &'static str {
    PROFILES.iter().find(|(name, _)| *name == namespace).map_or("", |(_, text)| text)
}

const TRIAGE_PRESET: &str = "\
# What deserves an answer
- Respond to direct questions and requests from people
- A request for a meeting deserves an answer
- Respond to mail that waits for my decision

# What I want to know
- Notify about build failures
- Notify about security alerts
- Notify about deadlines and changes of plan
- Notify about invoices that are due

# What can be left out
- Ignore newsletters
- Offers and advertising can be left out
- Ignore social notifications
- Ignore routine receipts

# In particular
";

const RESPONSE_PRESET: &str = "\
# Tone
- Friendly, plain and brief; write as the sender writes
- Answer in the language of the mail

# Content
- Answer every question that was asked, in its order
- Say what happens next, and by when
- Where a deadline is named, name it in the answer
- Promise nothing that was not decided; where something is not known, say when it will be

# Requests for a meeting
- Look at the calendar first; propose two or three times that are free
";

const CALENDAR_PRESET: &str = "\
- Meetings of 30 minutes are preferred; 15 are fine
- Between 9:00 and 17:00 on working days, not over lunch
- Leave 15 minutes between two meetings where that is possible
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_profile_begins_with_something() {
        for (namespace, text) in PROFILES {
            assert!(namespace.starts_with("email_assistant/") && text.lines().count() >= 3);
            assert_eq!(preset(namespace), text);
        }
        assert_eq!(preset("other"), "");
        let private = account_namespace(TRIAGE, "private");
        assert_eq!((preset(&private), shared(&private), shared(TRIAGE)), ("", TRIAGE, TRIAGE));
        assert_eq!(describe(&private), "triage preferences for private");
        assert_eq!(describe(RESPONSE), "response preferences");
    }
}
