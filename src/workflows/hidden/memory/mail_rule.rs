//! Lines about how to treat mail, parsed strictly.
//!
//! ```text
//! line = ["always" | "please"] verb mail | mail (":" | "->" | "=") verb
//! mail = ["all" …] (kind | "mail") ["about" kind] "from" sender ["on the list" list] ["about" topic]
//! ```
//! The sender, list, kind and topic must be those of the answered mail. Words of its subject may only come after its
//! sender: the author of the mail chose them, and "everything except" must not come before "from".

use crate::agent::lesson::{Cause, CauseKind};
use crate::agent::mail_facts::{Class, MailFacts, User};
use crate::workflows::email::rules::{kinds_of_mail, line_fits, must_be_seen};

/// Words for mail of any kind.
const MAIL: &[&str] = &["mail", "mails", "email", "emails", "message", "messages"];

/// How many words of a subject may form a topic.
const MAX_TOPIC_WORDS: usize = 3;

/// Words that widen or reverse what is next to them. They cannot be a topic, even if the subject contains them.
const SCOPE: &str = "about after alle allen alles also altri andere anderen another anybody anyone anything apart aside \
    autres außer ausser before besides between beyond both else elsewhere even every everybody everyone everything except \
    excepting excepto excluding from including instead into like many more most much never nobody none ohne only other \
    others otherwise otros outside over plus same sauf save several some such than that their them then these they this \
    those though todos tous toutes tranne tutti unless until what whatever when where whether which while whoever whom \
    with within without your";

/// Whether a line only says what the answer shows about this mail's sender and topic.
pub(super) fn follows(text: &str, user: &User, cause: &Cause) -> bool {
    let (Some(implied), Some(rule)) = (implied_class(cause.kind), parse(text, user, cause)) else {
        return false;
    };
    let Some(mail) = &cause.mail else { return false };
    // Showing a sender's mail costs little. Hiding is only for the topic, and never for mail that must be seen.
    let may_hide = rule.names_topic && !must_be_seen(user, mail);
    rule.class == implied && (may_hide || implied != Class::Ignore) && line_fits(text, user, mail)
}

/// Whether a line only says the opposite of what the answer shows about this sender and topic.
pub(super) fn contradicts(text: &str, user: &User, cause: &Cause) -> bool {
    let (Some(implied), Some(rule)) = (implied_class(cause.kind), parse(text, user, cause)) else {
        return false;
    };
    rule.class != implied && rule.names_topic
}

/// The class that an answer implies for its mail.
fn implied_class(kind: CauseKind) -> Option<Class> {
    match kind {
        CauseKind::NotifyIgnored => Some(Class::Ignore),
        CauseKind::NotifyResponded => Some(Class::Respond),
        CauseKind::ProposalIgnored => Some(Class::Notify),
        CauseKind::Reclassified(class) => Some(class),
        CauseKind::ProposalEdited | CauseKind::ProposalAnswered | CauseKind::Told => None,
    }
}

struct Rule {
    class: Class,
    /// Whether it names what the mail is about.
    names_topic: bool,
}

fn parse(text: &str, user: &User, cause: &Cause) -> Option<Rule> {
    let mail = cause.mail.as_ref()?;
    let text = text.trim().trim_end_matches('.').to_lowercase().replace('’', "'");
    let text = text.replace("->", ":").replace(['→', '='], ":").replace(':', " : ");
    let words: Vec<&str> = text.split_whitespace().map(|word| word.trim_matches(['"', '“', '”'])).collect();
    let terms = MailTerms::of(user, mail)?;
    if let [described @ .., ":", verb] = words.as_slice() {
        let class = Reader { words: &[verb], terms: &terms }.take_plain_verb()?;
        let names_topic = Reader { words: described, terms: &terms }.take_mail()?;
        return Some(Rule { class, names_topic });
    }
    let mut reader = Reader { words: &words, terms: &terms };
    reader.take(&["always", "please"]);
    let class = reader.take_verb()?;
    let names_topic = reader.take_mail()?;
    Some(Rule { class, names_topic })
}

/// What a line may name of a mail, in lower case.
struct MailTerms {
    sender: String,
    list: Option<String>,
    kinds: Vec<Vec<String>>,
    subject: Vec<String>,
}

impl MailTerms {
    /// `None` if the sender's address cannot be told apart from other words.
    fn of(user: &User, mail: &MailFacts) -> Option<Self> {
        let sender = plain_address(&mail.from)?;
        let list = mail.list_id.as_deref().map(|id| id.trim_matches(['<', '>']).to_lowercase());
        let split = |name: &str| name.split(' ').map(str::to_owned).collect();
        let kinds = kinds_of_mail(user, mail).map(split).collect();
        let subject = mail.subject.to_lowercase();
        let subject = subject.split(|c: char| !c.is_alphanumeric()).filter(|word| is_topic(word));
        Some(Self {
            list: list.filter(|id| id.contains('.') && is_plain(id)),
            sender,
            kinds,
            subject: subject.map(str::to_owned).collect(),
        })
    }
}

/// An address in lower case, if it has only letters, digits and the usual punctuation.
pub(super) fn plain_address(address: &str) -> Option<String> {
    let address = address.trim().to_lowercase();
    let parts = address.split_once('@').filter(|(local, domain)| !local.is_empty() && domain.contains('.'));
    let is_plain_address = parts.is_some_and(|(local, domain)| is_plain(local) && is_plain(domain));
    is_plain_address.then_some(address)
}

fn is_plain(text: &str) -> bool {
    text.len() <= 120 && text.chars().all(|c| c.is_ascii_alphanumeric() || "._%+-".contains(c))
}

fn is_topic(word: &str) -> bool {
    let is_long = word.chars().count() >= 4 && word.chars().all(char::is_alphabetic);
    let is_coded = word.len() >= 2 && word.chars().any(|c| c.is_ascii_digit());
    (is_long || is_coded) && !SCOPE.split(' ').any(|scope| scope == word)
}

/// The same word, or its plural.
fn is_same_word(one: &str, other: &str) -> bool {
    one == other || one.strip_suffix('s') == Some(other) || other.strip_suffix('s') == Some(one)
}

/// Parses a line from its beginning and takes only words it knows.
struct Reader<'a> {
    words: &'a [&'a str],
    terms: &'a MailTerms,
}

impl Reader<'_> {
    fn take(&mut self, options: &[&str]) -> bool {
        let is_next = self.words.first().is_some_and(|word| options.contains(word));
        if is_next {
            self.words = &self.words[1..];
        }
        is_next
    }

    fn take_plain_verb(&mut self) -> Option<Class> {
        if self.take(&["ignore", "skip", "hide", "mute"]) {
            Some(Class::Ignore)
        } else if self.take(&["notify", "show", "tell", "alert", "inform"]) {
            Some(Class::Notify)
        } else if self.take(&["respond", "reply", "answer"]) {
            Some(Class::Respond)
        } else {
            None
        }
    }

    fn take_verb(&mut self) -> Option<Class> {
        let negated = if self.take(&["do"]) {
            if !self.take(&["not"]) {
                return None;
            }
            true
        } else {
            self.take(&["don't", "never", "stop"])
        };
        let class =
            if negated && self.take(&["showing"]) { Some(Class::Notify) } else { self.take_plain_verb() }?;
        match class {
            Class::Notify => {
                self.take(&["me"]);
                self.take(&["about", "of"]);
            }
            Class::Respond => {
                self.take(&["to"]);
            }
            Class::Ignore => {}
        }
        Some(match (class, negated) {
            (class, false) => class,
            (Class::Notify, true) => Class::Ignore,
            (Class::Ignore | Class::Respond, true) => Class::Notify,
        })
    }

    /// The mail that a line is about, up to the end of the line. Returns whether it names a topic.
    fn take_mail(&mut self) -> Option<bool> {
        self.take(&["all", "any", "every", "the", "such"]);
        let mut names_topic = self.take_kind();
        if !self.take(MAIL) && !names_topic {
            return None;
        }
        if self.take(&["about"]) {
            names_topic = self.take_kind();
            if !names_topic {
                return None;
            }
        }
        let terms = self.terms;
        if !self.take(&["from"]) || !self.take(&[terms.sender.as_str()]) {
            return None;
        }
        if self.take(&["on"]) {
            self.take(&["the"]);
            let list = terms.list.as_deref()?;
            if !self.take(&["list"]) || !self.take(&[list]) {
                return None;
            }
        }
        if self.take(&["about"]) {
            self.take(&["the"]);
            if !self.take_kind() && !self.take_subject() {
                return None;
            }
            names_topic = true;
        }
        self.words.is_empty().then_some(names_topic)
    }

    /// One of the names of the mail's kinds.
    fn take_kind(&mut self) -> bool {
        let fits = |name: &&Vec<String>| {
            name.len() <= self.words.len()
                && name.iter().zip(self.words).all(|(one, other)| is_same_word(one, other))
        };
        let longest = self.terms.kinds.iter().filter(fits).map(Vec::len).max().unwrap_or(0);
        self.words = &self.words[longest..];
        longest > 0
    }

    /// A few words of the subject, with nothing after them.
    fn take_subject(&mut self) -> bool {
        let is_subject_word =
            |word: &&str| self.terms.subject.iter().any(|subject_word| is_same_word(subject_word, word));
        let is_subject =
            (1..=MAX_TOPIC_WORDS).contains(&self.words.len()) && self.words.iter().all(is_subject_word);
        if is_subject {
            self.words = &[];
        }
        is_subject
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cause(from: &str, subject: &str) -> Cause {
        let mail = MailFacts {
            from: from.to_owned(),
            subject: subject.to_owned(),
            list_id: Some("<dev.atlas.example>".to_owned()),
            ..MailFacts::default()
        };
        Cause { mail: Some(mail), ..Cause::new(CauseKind::NotifyIgnored) }
    }

    fn passes(line: &str, cause: &Cause) -> bool {
        follows(line, &User::default(), cause)
    }

    #[test]
    fn a_rule_for_the_sender_and_topic_passes_in_many_forms() {
        let build = cause("CI@builds.example", "Build failed: atlas #12");
        for line in [
            "ignore mail from ci@builds.example about build failures",
            "mails from ci@builds.example about builds: ignore",
            "Ignore build failures from ci@builds.example",
            "Ignore mail about failed builds from ci@builds.example",
            "Please skip all emails from ci@builds.example about atlas.",
            "Never show me messages from ci@builds.example about “atlas”",
            "ignore mail from ci@builds.example about “atlas” “12”",
            "ignore mail from ci@builds.example on the list dev.atlas.example about atlas",
        ] {
            assert!(passes(line, &build), "{line}");
        }
        for line in [
            "ignore mail from ci@builds.example",
            "ignore mail on the list dev.atlas.example",
            "ignore mail from ci@builds.example on the list dev.atlas.example",
            "ignore mail from ci@builds.example on the list security.example",
            "ignore mail from ci@builds.example about security alerts",
            "ignore newsletters from ci@builds.example",
            "notify about mail from ci@builds.example about atlas",
            "ignore mail from ci@builds.example about atlas, ignore mail",
            "ignore mail; mail from ci@builds.example about atlas",
            "ignore mail from ci@builds.example ci@builds.example about atlas",
            "show mail from ci@builds.example about atlas: ignore",
        ] {
            assert!(!passes(line, &build), "{line}");
        }
    }

    #[test]
    fn whoever_wrote_the_mail_cannot_widen_the_rule_by_its_words() {
        let subject = "everything except mail from boss@x.example and always Report";
        let evil = cause("evil@x.example", subject);
        assert!(passes("ignore mail from evil@x.example about report", &evil));
        for line in [
            "ignore everything except mail from evil@x.example",
            "ignore mail about everything except from evil@x.example",
            "ignore mail from evil@x.example about everything",
            "ignore mail from evil@x.example about report and boss@x.example",
            "ignore mail from boss@x.example about report",
            "ignore mail about report from evil@x.example",
        ] {
            assert!(!passes(line, &evil), "{line}");
        }
        for from in ["x y@z.example", "x", "bоb@x.example", "\"a\"@x.example", "a@b@x.example", "a@localhost"]
        {
            let line = format!("ignore mail from {from} about report");
            assert!(!passes(&line, &cause(from, "Report")), "{line}");
        }
    }

    #[test]
    fn only_what_the_answer_says_otherwise_may_be_dropped() {
        let mail = cause("bob@x.example", "Atlas budget");
        let may_drop = |line: &str| contradicts(line, &User::default(), &mail);
        assert!(may_drop("respond to mail from bob@x.example about atlas"));
        assert!(may_drop("notify about mail from bob@x.example on the list dev.atlas.example about budget"));
        assert!(!may_drop("respond to mail from bob@x.example"), "it is about more than this topic");
        assert!(!may_drop("ignore mail from bob@x.example about atlas"), "the answer says so too");
        assert!(!may_drop("respond to mail from eve@x.example about atlas"));
        assert!(!may_drop("Notify about security alerts"));
    }
}
