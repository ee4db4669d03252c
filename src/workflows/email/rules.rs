//! `[[rule]]`s: what a person decided once, so that no model is asked.

use crate::config::{Rule, RuleClass};
use crate::llm::facts::email::Class;
use crate::mail::Mail;

/// What the first rule that matches makes of a mail, and why in words.
pub fn decide(rules: &[Rule], mail: &Mail, account: &str) -> Option<(Class, String)> {
    let rule = rules.iter().find(|rule| matches(rule, mail, account))?;
    let class = match rule.class {
        RuleClass::Ignore => Class::Ignore,
        RuleClass::Notify => Class::Notify,
        RuleClass::Respond => Class::Respond,
    };
    Some((class, format!("Your rule for mail {} says {}.", words(rule), class.as_str())))
}

fn matches(rule: &Rule, mail: &Mail, account: &str) -> bool {
    let given = |pattern: &Option<String>, found: &dyn Fn(&str) -> bool| {
        pattern.as_deref().is_none_or(found)
    };
    let list = mail.list.as_ref().and_then(|list| list.id.as_deref());
    let to = |pattern: &str| {
        mail.recipients().any(|to| fits(pattern, &to.address))
            || mail.delivered_to.iter().any(|to| fits(pattern, to))
    };
    let says_something =
        [&rule.from, &rule.to, &rule.subject, &rule.list, &rule.account].iter().any(|given| given.is_some());
    says_something
        && given(&rule.from, &|pattern| fits(pattern, &mail.from.address))
        && given(&rule.to, &to)
        && given(&rule.subject, &|pattern| fits(pattern, &mail.subject))
        && given(&rule.list, &|pattern| list.is_some_and(|list| fits(pattern, list)))
        && given(&rule.account, &|pattern| pattern.eq_ignore_ascii_case(account))
}

/// Whether `text` is what `pattern` says: any case, `*` stands for any letters.
fn fits(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.to_lowercase(), text.to_lowercase());
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

fn words(rule: &Rule) -> String {
    let parts = [
        ("from", &rule.from),
        ("to", &rule.to),
        ("with the subject", &rule.subject),
        ("of the list", &rule.list),
        ("of the account", &rule.account),
    ];
    let said: Vec<String> =
        parts.iter().filter_map(|(word, value)| Some(format!("{word} {}", value.as_deref()?))).collect();
    said.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mail::{Address, ListInfo};

    #[test]
    fn patterns_fit_whole_texts() {
        for (pattern, text) in [
            ("*@example.org", "Bob@Example.org"),
            ("bob@*", "bob@example.org"),
            ("*", ""),
            ("a*c*e", "abcde"),
            ("exact", "EXACT"),
        ] {
            assert!(fits(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in
            [("*@example.org", "bob@example.org.evil"), ("a*a", "a"), ("bob", "bobby"), ("a*c*e", "ace of")]
        {
            assert!(!fits(pattern, text), "{pattern} {text}");
        }
    }

    #[test]
    fn the_first_rule_whose_every_pattern_fits_decides() {
        let mail = Mail {
            from: Address::bare("ci@builds.example"),
            to: vec![Address::bare("me@example.org")],
            subject: "Build 12 failed".to_owned(),
            list: Some(ListInfo { id: Some("dev.example.org".to_owned()), ..ListInfo::default() }),
            ..Mail::default()
        };
        let some = |text: &str| Some(text.to_owned());
        let rules = [
            Rule::default(),
            Rule { from: some("*@builds.example"), subject: some("*passed"), ..Rule::default() },
            Rule { list: some("dev.*"), account: some("home"), ..Rule::default() },
            Rule { from: some("ci@*"), to: some("me@*"), class: RuleClass::Notify, ..Rule::default() },
        ];
        let (class, why) = decide(&rules, &mail, "work").unwrap();
        assert_eq!(class, Class::Notify);
        assert_eq!(why, "Your rule for mail from ci@* to me@* says notify.");
        assert_eq!(decide(&rules, &mail, "home").unwrap().0, Class::Ignore);
        assert_eq!(decide(&rules[..2], &mail, "work"), None, "a rule that says nothing matches nothing");
    }
}
