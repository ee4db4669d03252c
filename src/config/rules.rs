//! Whether a `[[rule]]` is for a mail.

use std::fmt;

use super::mail::Rule;

/// What rules look at.
#[derive(Clone, Debug, Default)]
pub struct Matched<'a> {
    /// The account it came to; empty for mail a person handed in.
    pub account: &'a str,
    /// The sender's bare address.
    pub from: &'a str,
    /// Every recipient's bare address, and those it was delivered to.
    pub to: &'a [&'a str],
    pub subject: &'a str,
    /// The list's id; empty where it came by none.
    pub list: &'a str,
}

impl Rule {
    /// Whether every pattern of the rule matches. Case does not count, and `*` stands for any letters, also none.
    pub fn matches(&self, mail: &Matched<'_>) -> bool {
        let is = |pattern: &Option<String>, text: &str| {
            pattern.as_ref().is_none_or(|pattern| matches(pattern, text))
        };
        is(&self.from, mail.from)
            && self.to.as_ref().is_none_or(|pattern| mail.to.iter().any(|to| matches(pattern, to)))
            && is(&self.subject, mail.subject)
            // Mail that came by no list is no list's mail, not even that of `*`.
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

/// Greedy with one step back to the last `*`, so that no pattern takes longer than its length times the text's.
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
        let mail = Matched {
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
            rule("", "", "*.shop.example").matches(&Matched { list: "all.shop.example", ..mail.clone() })
        );
        let of = |account: &str| Rule { account: Some(account.into()), ..Rule::default() };
        assert!(of("home").matches(&mail) && !of("hom*").matches(&mail));
        assert_eq!(rule("*@shop.example", "", "*").to_string(), "from = *@shop.example, list = *");
    }
}
