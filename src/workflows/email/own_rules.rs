//! `[[rule]]`s: classes the person chose in the config, so no model is asked.

use crate::agent::mail_facts::Class;
use crate::config::{Rule, RuleClass, RuleInput};
use crate::mail::Mail;

/// The class from the first matching rule, and the reason in words.
pub(super) fn decide(rules: &[Rule], mail: &Mail, account: &str) -> Option<(Class, String)> {
    let to = mail.recipients().map(|to| to.address.as_str());
    let to: Vec<&str> = to.chain(mail.delivered_to.iter().map(String::as_str)).collect();
    let rule_input = RuleInput {
        account,
        from: &mail.from.address,
        to: &to,
        subject: &mail.subject,
        list: mail.list.as_ref().and_then(|list| list.id.as_deref()).unwrap_or_default(),
    };
    let rule = rules.iter().find(|rule| rule.matches(&rule_input))?;
    let class = match rule.class {
        RuleClass::Ignore => Class::Ignore,
        RuleClass::Notify => Class::Notify,
        RuleClass::Respond => Class::Respond,
    };
    Some((class, format!("Your rule ({rule}) says {}.", class.as_str())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mail::Address;

    #[test]
    fn the_first_rule_that_matches_decides_and_is_named() {
        let mail = Mail {
            from: Address::bare("ci@builds.example"),
            to: vec![Address::bare("me@example.org")],
            subject: "Build 12 failed".to_owned(),
            ..Mail::default()
        };
        let some = |text: &str| Some(text.to_owned());
        let rules = [
            Rule { from: some("*@builds.example"), subject: some("*passed"), ..Rule::default() },
            Rule { from: some("ci@*"), to: some("me@*"), class: RuleClass::Notify, ..Rule::default() },
        ];
        let (class, why) = decide(&rules, &mail, "work").unwrap();
        assert_eq!((class, why.as_str()), (Class::Notify, "Your rule (from = ci@*, to = me@*) says notify."));
        assert_eq!(decide(&rules[..1], &mail, "work"), None);
    }
}
