//! The lines of the memory profile, read as rules.
//!
//! ```text
//! line    = ["-"] [always | please | never | do not] verb terms {("except" | "unless" | "but not") terms}
//!         | ["-"] terms (":" | "->" | "=") verb
//!         | heading ":"                  lines below without a verb take the heading's
//! verb    = ignore ignored skip hide mute drop | notify show tell alert inform | respond reply answer
//! terms   = { "from" who | "about" what | "subject" what | "list" which | "to" whom } | what
//! who     = address, "*@domain", a domain, or a name; several parted by "," or "or"
//! what    = a kind of mail ("newsletters", "build failures") and further words, all of which must occur
//! ```
//! A line in another form is kept and ignored here; a language model may still read it. Of the lines that match a mail,
//! the most specific one wins; among equals, the last.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::kinds::{KIND_DEFINITIONS, Kind, KindDefinition};
use super::signs::Signs;
use crate::agent::mail_facts::{Class, MailFacts};
use crate::text::words::{is_stop, stem, stem_set, stems, words};

/// A line we understand.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ProfileRule {
    /// Its line number in the profile.
    pub line: usize,
    /// The text without its dash.
    pub text: String,
    pub class: Class,
    pub terms: Terms,
    /// The rule does not apply to a mail that fits one of these.
    except: Vec<Terms>,
}

/// The conditions on a mail. Within a field, one matching value is enough.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Terms {
    pub from: Vec<String>,
    pub list: Vec<String>,
    pub to: Vec<String>,
    pub subject: Vec<HashSet<String>>,
    pub about: Vec<What>,
}

/// Kinds plus further words.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct What {
    pub kinds: Vec<Kind>,
    pub stems: HashSet<String>,
}

/// All rules of a profile, in line order.
pub(super) fn rules(profile: &str) -> Vec<ProfileRule> {
    let mut heading = None;
    let mut out = Vec::new();
    for (number, raw) in profile.lines().enumerate() {
        let text = strip_bullet(raw);
        if text.is_empty() {
            continue;
        }
        if let Some(title) = text.strip_suffix(':').or_else(|| raw.trim().strip_prefix('#')) {
            heading = heading_class(title);
            continue;
        }
        if let Some((class, terms, except)) = parse(text, heading) {
            out.push(ProfileRule { line: number, text: text.to_owned(), class, terms, except });
        }
    }
    out
}

/// The rule that wins for a mail.
pub(super) fn matching<'r>(
    rules: &'r [ProfileRule],
    mail: &MailFacts,
    signs: &Signs,
) -> Option<&'r ProfileRule> {
    rules
        .iter()
        .filter(|rule| rule.terms.fit(mail, signs))
        .filter(|rule| !rule.except.iter().any(|except| except.fit(mail, signs)))
        .max_by_key(|rule| (rule.terms.weight(), rule.line))
}

/// A line without its dash, bullet or number.
pub(super) fn strip_bullet(line: &str) -> &str {
    let line = line.trim();
    let line = line.trim_start_matches(['-', '*', '•', '–']).trim_start();
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    match line[digits..].strip_prefix(['.', ')']) {
        Some(rest) if digits > 0 => rest.trim_start(),
        _ => line,
    }
}

impl Terms {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether the terms name only kinds and words, no sender, recipient, list or subject.
    pub fn only_kinds(&self) -> bool {
        self.from.is_empty() && self.list.is_empty() && self.to.is_empty() && self.subject.is_empty()
    }

    /// How specific the terms are.
    fn weight(&self) -> usize {
        let from = self.from.iter().map(|who| match (who.contains('*'), who.contains('@')) {
            (false, true) => 16,
            (false, false) => 12,
            (true, _) => 10,
        });
        let about = self.about.iter().map(|what| 2 * what.kinds.len() + what.stems.len());
        from.max().unwrap_or(0)
            + if self.list.is_empty() { 0 } else { 12 }
            + if self.to.is_empty() { 0 } else { 6 }
            + self.subject.iter().map(|stems| 2 + stems.len()).max().unwrap_or(0)
            + about.max().unwrap_or(0)
    }

    pub fn fit(&self, mail: &MailFacts, signs: &Signs) -> bool {
        let any_or_empty = |empty: bool, fits: bool| empty || fits;
        any_or_empty(self.from.is_empty(), self.from.iter().any(|who| is_from(who, mail)))
            && any_or_empty(
                self.list.is_empty(),
                mail.list_id.as_deref().is_some_and(|id| {
                    self.list
                        .iter()
                        .any(|list| glob(list, &id.to_lowercase()) || id.to_lowercase().contains(list))
                }),
            )
            && any_or_empty(
                self.to.is_empty(),
                mail.to.iter().chain(&mail.cc).any(|to| self.to.iter().any(|g| glob(g, &to.to_lowercase()))),
            )
            && any_or_empty(
                self.subject.is_empty(),
                self.subject.iter().any(|all| all.is_subset(&signs.subject_stems)),
            )
            && any_or_empty(
                self.about.is_empty(),
                self.about.iter().any(|what| {
                    what.kinds.iter().all(|kind| signs.is(*kind)) && what.stems.is_subset(&signs.stems)
                }),
            )
    }
}

fn is_from(who: &str, mail: &MailFacts) -> bool {
    let from = mail.from.to_lowercase();
    if who.contains('@') || who.contains('*') {
        return glob(who, &from);
    }
    let domain = from.rsplit('@').next().unwrap_or_default();
    if who.contains('.') && !who.contains(' ') {
        return domain == who || domain.ends_with(&format!(".{who}"));
    }
    let name_words: HashSet<String> =
        words(&mail.from_name).chain(words(from.split('@').next().unwrap_or(""))).collect();
    let who_words: Vec<String> = words(who).collect();
    !who_words.is_empty() && who_words.iter().all(|word| name_words.contains(word))
}

/// `*` matches anything.
fn glob(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|head| text.strip_prefix(head)) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// The class a heading gives to the lines below it.
fn heading_class(title: &str) -> Option<Class> {
    let title = format!(" {} ", words(title).collect::<Vec<_>>().join(" "));
    let has = |list: &[&str]| list.iter().any(|word| title.contains(&format!(" {word} ")));
    if has(&["ignore", "not worth", "skip", "not interested in"]) {
        Some(Class::Ignore)
    } else if has(&["notify", "know", "show", "fyi", "no response", "don't require a response", "informed"]) {
        Some(Class::Notify)
    } else if has(&["respond", "responding", "reply", "answer", "response"]) {
        Some(Class::Respond)
    } else {
        None
    }
}

fn verb(word: &str) -> Option<Class> {
    match word {
        "ignore" | "ignored" | "skip" | "hide" | "mute" | "drop" => Some(Class::Ignore),
        "notify" | "show" | "tell" | "alert" | "inform" => Some(Class::Notify),
        "respond" | "reply" | "answer" => Some(Class::Respond),
        _ => None,
    }
}

/// Finds the verb and the terms of one line.
fn parse(text: &str, heading: Option<Class>) -> Option<(Class, Terms, Vec<Terms>)> {
    for mark in ["->", "→", ":", "="] {
        if let Some((terms, last)) = text.rsplit_once(mark) {
            let mut tail = last.split_whitespace().map(|word| word.trim_matches(['.', ',']).to_lowercase());
            if let (Some(class), None) = (tail.next().and_then(|word| verb(&word)), tail.next()) {
                return with_exceptions(class, terms);
            }
        }
    }
    let tokens: Vec<&str> = text.split_whitespace().collect();
    let mut negated = false;
    for (at, token) in tokens.iter().enumerate().take(5) {
        let word = token.trim_matches(['.', ',', ':', '!']).to_lowercase().replace('’', "'");
        match word.as_str() {
            "never" | "not" | "don't" | "stop" => negated = true,
            "showing" if negated => return with_exceptions(Class::Ignore, &tokens[at + 1..].join(" ")),
            _ => {}
        }
        if let Some(class) = verb(&word) {
            let class = match (class, negated) {
                (class, false) => class,
                (Class::Notify, true) => Class::Ignore,
                (Class::Ignore | Class::Respond, true) => Class::Notify,
            };
            return with_exceptions(class, &tokens[at + 1..].join(" "));
        }
    }
    with_exceptions(heading?, text)
}

/// The words that begin an exception.
const EXCEPTIONS: [&str; 3] = [" except ", " unless ", " but not "];

fn with_exceptions(class: Class, text: &str) -> Option<(Class, Terms, Vec<Terms>)> {
    // A line of a profile has no line break of its own, so one can mark where each exception begins.
    let marked = EXCEPTIONS.iter().fold(text.to_lowercase(), |text, word| text.replace(word, "\n"));
    let mut parts = marked.split('\n').map(terms);
    let terms = parts.next().unwrap_or_default();
    // A line that matches every mail was probably misread.
    (!terms.is_empty()).then(|| (class, terms, parts.filter(|except| !except.is_empty()).collect()))
}

/// The part of a mail a term is compared with.
#[derive(Clone, Copy)]
enum Field {
    From,
    List,
    To,
    Subject,
    About,
}

/// Reads terms from lower-case text.
fn terms(text: &str) -> Terms {
    let mut out = Terms::default();
    for (field, words) in by_field(text) {
        for value in words.split(|word| *word == ",") {
            let value: Vec<&str> = value.iter().copied().filter(|word| !word.is_empty()).collect();
            match field {
                Field::From => out.from.extend(who(&value)),
                Field::To => {
                    out.to.extend(value.first().filter(|word| word.contains('@')).map(|w| (*w).to_owned()))
                }
                Field::List => {
                    let name = value.iter().find(|word| !is_stop(word));
                    out.list.extend(name.map(|word| word.trim_matches(['<', '>']).to_owned()));
                }
                Field::Subject => {
                    let mut stems = stem_set(&value.join(" "));
                    stems.retain(|stem| !matches!(stem.as_str(), "contain" | "line"));
                    out.subject.extend((!stems.is_empty()).then_some(stems));
                }
                Field::About => out.about.extend(what(&value.join(" "))),
            }
        }
    }
    out
}

/// The words of a text, grouped by field. A comma separates two values.
fn by_field(text: &str) -> Vec<(Field, Vec<&str>)> {
    let mut groups = Vec::new();
    let (mut field, mut words) = (Field::About, Vec::new());
    for token in text.split_whitespace() {
        let word = token.trim_matches(['"', '“', '”', ',', ';', '(', ')', '.', '!']);
        let next = match word {
            "from" | "by" | "sender" => Some(Field::From),
            "about" | "regarding" | "concerning" => Some(Field::About),
            "subject" => Some(Field::Subject),
            "list" => Some(Field::List),
            // "to" is usually just grammar; before an address it is a field.
            _ if word.contains('@') && words.last() == Some(&"to") => {
                words.pop();
                groups.push((field, std::mem::take(&mut words)));
                field = Field::To;
                None
            }
            _ => None,
        };
        if let Some(next) = next {
            groups.push((field, std::mem::take(&mut words)));
            field = next;
            continue;
        }
        words.push(if matches!(word, "or" | "and") { "," } else { word });
        if token.ends_with([',', ';']) {
            words.push(",");
        }
    }
    groups.push((field, words));
    groups
}

fn who(value: &[&str]) -> Option<String> {
    let words: Vec<&str> = value
        .iter()
        .copied()
        .filter(|word| !matches!(*word, "the" | "my" | "a" | "anyone" | "at" | "domain"))
        .collect();
    if let Some(address) = words.iter().find(|word| word.contains('@') || word.contains('*')) {
        let address = address.trim_matches(['<', '>']);
        return Some(if address.starts_with('@') { format!("*{address}") } else { address.to_owned() });
    }
    (!words.is_empty()).then(|| words.join(" "))
}

/// Words that carry no meaning in a line.
const FILLER: &[&str] = &[
    "always", "thing", "anyth", "everyth", "note", "type", "kind", "whatever", "com", "new", "request",
    "direct",
];

/// The names of each kind, as stems. Cached, because every line of a profile is compared with all of them.
static NAMES: LazyLock<Vec<(Kind, Vec<Vec<String>>)>> = LazyLock::new(|| {
    let names = |sign: &KindDefinition| {
        std::iter::once(sign.name)
            .chain(sign.also.split(", "))
            .map(|name| name.split_whitespace().map(|word| stem(&word.replace('-', ""))).collect::<Vec<_>>())
            .map(|name| if name.len() == 1 { stems(&name[0]) } else { name })
            .filter(|name| !name.is_empty())
            .collect()
    };
    KIND_DEFINITIONS.iter().map(|sign| (sign.kind, names(sign))).collect()
});

fn what(text: &str) -> Option<What> {
    let all_stems = stems(text);
    let present: HashSet<&String> = all_stems.iter().collect();
    let mut kinds = Vec::new();
    let mut used: HashSet<&String> = HashSet::new();
    for (kind, names) in &*NAMES {
        // The longest matching name uses up its words.
        let matching_names = names.iter().filter(|name| name.iter().all(|stem| present.contains(stem)));
        if let Some(name) = matching_names.max_by_key(|name| name.len()) {
            kinds.push((*kind, name.len()));
            used.extend(name);
        }
    }
    // If overlapping words name two kinds, the longer name wins.
    let longest = kinds.iter().map(|(_, len)| *len).max().unwrap_or(0);
    let kinds: Vec<Kind> =
        kinds.into_iter().filter(|(_, len)| *len == longest).map(|(kind, _)| kind).collect();
    let stems: HashSet<String> = all_stems
        .into_iter()
        .filter(|stem| !used.contains(stem) && !FILLER.contains(&stem.as_str()))
        .collect();
    let kinds: Vec<Kind> = kinds.into_iter().take(1).collect();
    (!kinds.is_empty() || !stems.is_empty()).then_some(What { kinds, stems })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::mail_facts::User;

    fn mail(from: &str, name: &str, subject: &str, text: &str) -> MailFacts {
        MailFacts {
            from: from.into(),
            from_name: name.into(),
            subject: subject.into(),
            text: text.into(),
            ..MailFacts::default()
        }
    }

    fn class(profile: &str, mail: &MailFacts) -> Option<Class> {
        let signs = Signs::of(&User::default(), mail);
        matching(&rules(profile), mail, &signs).map(|rule| rule.class)
    }

    #[test]
    fn lines_in_many_forms_are_read() {
        let news = mail("daily@news.example", "The Daily", "Weekly newsletter", "In this issue: things.");
        let build = mail("ci@x.example", "CI", "Build failed: atlas #12", "exit code 1");
        let bob = mail("bob@x.example", "Bob Stone", "Atlas budget", "Here are the numbers.");
        let rows: &[(&str, &MailFacts, Option<Class>)] = &[
            ("- ignore mail from *@news.example", &news, Some(Class::Ignore)),
            ("- ignore mail from @news.example", &news, Some(Class::Ignore)),
            ("Ignore newsletters", &news, Some(Class::Ignore)),
            ("Ignore newsletters except from The Daily", &news, None),
            ("Ignore newsletters unless from The Daily except about sports", &news, None),
            ("Ignore newsletters but not from The Daily unless about sports", &news, None),
            ("Ignore newsletters except from Carol unless from The Daily", &news, None),
            ("Ignore newsletters unless from Carol except about sports", &news, Some(Class::Ignore)),
            ("Never show me newsletters.", &news, Some(Class::Ignore)),
            ("- Emails from news.example: ignore", &news, Some(Class::Ignore)),
            ("Always notify me about build failures", &build, Some(Class::Notify)),
            ("Notify about build failures of atlas", &build, Some(Class::Notify)),
            ("Notify about build failures of zeus", &build, None),
            ("Don't reply to mail from Bob Stone", &bob, Some(Class::Notify)),
            ("Respond to mail from bob@x.example about the budget", &bob, Some(Class::Respond)),
            ("Do not ignore subject \"Atlas\"", &bob, Some(Class::Notify)),
            ("1. skip mail from Carol, Bob or Dave", &bob, Some(Class::Ignore)),
            ("I like short answers.", &bob, None),
            ("ignore everything", &bob, None),
            ("# Worth responding to\n- mail from bob@x.example", &bob, Some(Class::Respond)),
            ("Things that are not worth my time (ignore):\n- budget", &bob, Some(Class::Ignore)),
        ];
        for (line, mail, want) in rows {
            assert_eq!(class(line, mail), *want, "{line}");
        }
    }

    #[test]
    fn the_more_specific_line_wins_and_of_equals_the_last() {
        let bob = mail("bob@x.example", "Bob", "Atlas budget", "");
        assert_eq!(
            class("respond to mail from bob@x.example\nignore mail from *@x.example", &bob),
            Some(Class::Respond)
        );
        assert_eq!(
            class("respond to bob@x.example mail from bob@x.example\nignore mail from bob@x.example", &bob),
            Some(Class::Ignore)
        );
        assert_eq!(
            class("notify mail from bob@x.example about budget\nignore mail from bob@x.example", &bob),
            Some(Class::Notify)
        );
    }

    #[test]
    fn stars_stand_for_anything() {
        assert!(
            glob("*@x.example", "a@x.example")
                && glob("a*e", "apple")
                && glob("*", "")
                && glob("a*p*e", "apple")
        );
        assert!(!glob("*@x.example", "a@x.example.org") && !glob("ab", "abc") && !glob("a*z", "apple"));
    }
}
