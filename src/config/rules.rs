//! `[[rule]]`: rules that decide on mail before any model is asked, and whether one matches a mail.

use std::fmt;

use serde::Deserialize;

use super::document::Section;
use super::error::{Error, hint};
use super::mail::Mail;
use super::values::section;

section! {
    /// A rule that decides before any model is asked. `*` stands for any characters.
    #[derive(Eq)]
    pub struct Rule {
        /// The sender's address.
        pub from: Option<String>,
        /// Any recipient's address.
        pub to: Option<String>,
        pub subject: Option<String>,
        /// The list's id.
        pub list: Option<String>,
        /// The account the mail came to.
        pub account: Option<String>,
        pub class: RuleClass,
    }
}

/// What a rule does with mail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase", expecting = "a string")]
pub enum RuleClass {
    /// Not shown.
    #[default]
    Ignore,
    /// Shown.
    Notify,
    /// Answered.
    Respond,
}

/// What rules look at in a mail.
#[derive(Clone, Debug, Default)]
pub struct RuleInput<'a> {
    /// The account the mail came to; empty for mail a person handed in.
    pub account: &'a str,
    /// The sender's bare address.
    pub from: &'a str,
    /// Every recipient's bare address, and those it was delivered to.
    pub to: &'a [&'a str],
    pub subject: &'a str,
    /// The mailing list's id; empty if there is none.
    pub list: &'a str,
}

impl Rule {
    /// Refuses an unfinished rule.
    pub(super) fn check(self, section: &Section<'_>, accounts: &[Mail]) -> Result<Self, Error> {
        if !section.has("class") {
            return Err(section.missing("class", "write ignore, notify or respond"));
        }
        // A rule for all mail is more likely an unfinished rule.
        if (Self { class: RuleClass::default(), ..self.clone() }) == Self::default() {
            let hint = "write what mail it is for: from, to, subject, list or account";
            return Err(section.missing("from", hint));
        }
        if let Some(account) = &self.account
            && !accounts.iter().any(|known| known.name == *account)
        {
            let names = accounts.iter().map(|account| account.name.as_str());
            let hint = hint(account, names, "the accounts are");
            return Err(section.bad("account", format!("names no account; {hint}")));
        }
        Ok(self)
    }

    /// Whether every pattern of the rule matches. Case does not matter, and `*` matches any characters, or none.
    pub fn matches(&self, mail: &RuleInput<'_>) -> bool {
        let is = |pattern: &Option<String>, text: &str| {
            pattern.as_ref().is_none_or(|pattern| matches(pattern, text))
        };
        is(&self.from, mail.from)
            && self.to.as_ref().is_none_or(|pattern| mail.to.iter().any(|to| matches(pattern, to)))
            && is(&self.subject, mail.subject)
            // Mail without a list matches no list pattern, not even `*`.
            && self.list.as_ref().is_none_or(|list| !mail.list.is_empty() && matches(list, mail.list))
            && self.account.as_ref().is_none_or(|account| account == mail.account)
    }
}

/// The rule as a reason: `from = *@shop.example, list = *`.
impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let patterns = [
            ("from", &self.from),
            ("to", &self.to),
            ("subject", &self.subject),
            ("list", &self.list),
            ("account", &self.account),
        ];
        let written = patterns.into_iter().filter_map(|(key, pattern)| Some((key, pattern.as_ref()?)));
        for (n, (key, pattern)) in written.enumerate() {
            let comma = if n == 0 { "" } else { ", " };
            write!(f, "{comma}{key} = {pattern}")?;
        }
        Ok(())
    }
}

/// Greedy, and steps back only to the last `*`, so that no pattern takes longer than its length times the text's.
fn matches(pattern: &str, text: &str) -> bool {
    let fold = |text: &str| text.chars().flat_map(char::to_lowercase).collect::<Vec<_>>();
    let (pattern, text) = (fold(pattern), fold(text));
    let (mut p, mut t) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    while t < text.len() {
        match pattern.get(p) {
            Some('*') => {
                back = Some((p, t));
                p += 1;
            }
            Some(c) if *c == text[t] => {
                p += 1;
                t += 1;
            }
            _ => match back {
                None => return false,
                Some((star, begun)) => {
                    back = Some((star, begun + 1));
                    p = star + 1;
                    t = begun + 1;
                }
            },
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_any_letters() {
        for (pattern, text, expected) in [
            ("*", "", true),
            ("", "", true),
            ("", "a", false),
            ("a", "A", true),
            ("*@shop.example", "news@shop.example", true),
            ("*@shop.example", "news@shop.example.evil.test", false),
            ("*.newsletter.test", "weekly.newsletter.test", true),
            ("*.newsletter.test", "newsletter.test", false),
            ("invoice*2024*", "Invoice no. 7 of 2024", true),
            ("a*b*c", "aXbXbXc", true),
            ("a*b*c", "aXcXb", false),
            ("*ab", "aab", true),
            ("**", "x", true),
            ("ÜBER*", "über uns", true),
            ("a?c", "abc", false),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern:?} on {text:?}");
        }
    }

    #[test]
    fn a_hostile_pattern_ends() {
        assert!(!matches(&"a*".repeat(200), &"a".repeat(199)));
        assert!(!matches(&format!("{}b", "a*".repeat(100)), &"a".repeat(5_000)));
    }

    #[test]
    fn every_pattern_of_a_rule_has_to_match() {
        let rule = |from: &str, to: &str, list: &str| {
            let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
            Rule { from: some(from), to: some(to), list: some(list), ..Rule::default() }
        };
        let mail = RuleInput {
            account: "home",
            from: "news@shop.example",
            to: &["ada@example.org", "ada+shop@example.org"],
            subject: "Sale",
            list: "",
        };
        assert!(rule("*@shop.example", "", "").matches(&mail));
        assert!(rule("*@shop.example", "ada+shop@*", "").matches(&mail));
        assert!(!rule("*@shop.example", "bob@*", "").matches(&mail));
        assert!(!rule("", "", "*").matches(&mail), "it came by no list");
        assert!(
            rule("", "", "*.shop.example").matches(&RuleInput { list: "all.shop.example", ..mail.clone() })
        );
        let of = |account: &str| Rule { account: Some(account.into()), ..Rule::default() };
        assert!(of("home").matches(&mail) && !of("hom*").matches(&mail));
        assert_eq!(rule("*@shop.example", "", "*").to_string(), "from = *@shop.example, list = *");
    }
}
