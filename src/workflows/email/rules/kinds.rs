//! The kinds of mail that the rules know, with their typical phrases.
//!
//! Phrases are separated by commas. They match whole lower-case words; a phrase that ends in `*` matches the beginning
//! of a word. Subject phrases are broader than body phrases, because any word may appear in a body by chance.

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Newsletter,
    Promotion,
    Survey,
    Receipt,
    Delivery,
    DeliveryProblem,
    Payment,
    Security,
    Code,
    BuildFailure,
    BuildSuccess,
    Outage,
    Recovery,
    Deadline,
    Announcement,
}

/// How a kind is recognised.
pub(super) struct KindDefinition {
    pub kind: Kind,
    pub subject: &'static str,
    pub body: &'static str,
}

pub(super) const KIND_DEFINITIONS: &[KindDefinition] = &[
    KindDefinition {
        kind: Kind::Newsletter,
        subject: "newsletter*, weekly, monthly update, roundup, this week in, issue, edition, what s new, whats \
            new, release notes, product update*",
        body: "view in browser, view this email in your browser, in this issue, read more, read the full, you \
            are receiving this because you subscribed, you re receiving this because you subscribed",
    },
    KindDefinition {
        kind: Kind::Promotion,
        subject: "sale, off, deal*, offer*, discount*, save, free shipping, last chance, coupon*, black friday, \
            webinar, seats, your seat, early bird, call for papers, submit your paper, gratuit*, webinaire, seminario, kostenlos*, upgrade to, limited time, exclusive, don t miss, win",
        body: "shop now, limited time, use code, promo code, discount code, free shipping, buy now, terms \
            apply, register now, register anyway, seats are limited, save my seat, save your seat, submit a paper, opted in, upgrade now, start your free trial, unlock",
    },
    KindDefinition {
        kind: Kind::Survey,
        subject: "survey, your feedback, how did we do, rate your, tell us what you think, share your \
            experience, how was your, review your recent",
        body: "take our survey, take the survey, rate your experience, short survey, brief survey, customer \
            satisfaction, how likely are you to recommend, don t want surveys, umfrage, enquête de satisfaction, encuesta",
    },
    KindDefinition {
        kind: Kind::Receipt,
        subject: "receipt, order confirmation, your order, order confirmed, payment received, thanks for your \
            order, thank you for your order, thanks for your purchase, thank you for your purchase, \
            booking confirmation, payment confirmation",
        body: "order number, order total, total charged, payment method, thank you for your purchase, amount \
            paid, we received your payment",
    },
    KindDefinition {
        kind: Kind::Delivery,
        subject: "shipped, has shipped, on its way, out for delivery, delivered, tracking number, dispatched",
        body: "track your package, track your parcel, tracking number, estimated delivery",
    },
    KindDefinition {
        kind: Kind::DeliveryProblem,
        subject: "delivery attempt, missed delivery, could not deliver, could not be delivered, couldn t deliver, delivery failed, \
            delivery delayed, ready for pickup, ready for collection, held at",
        body: "we missed you, unable to deliver your, pick up your parcel, collect your parcel, customs fee",
    },
    KindDefinition {
        kind: Kind::Payment,
        subject: "payment failed, payment declined, card declined, payment unsuccessful, overdue, past due, \
            payment reminder, final notice, zahlungserinnerung, mahnung, überfällig, will renew, renewal, renews, subscription expires, expiring \
            card, card expires, price increase, price change, direct debit, invoice due, outstanding, refund, \
            chargeback, trial ends, trial is ending",
        body: "payment was declined, payment failed, could not charge, couldn t charge, unable to process \
            your payment, unable to charge, is overdue, ist überfällig, mahngebühr*, will renew on, will be charged on, update your \
            payment method, card on file expires, price will change, price of your plan",
    },
    KindDefinition {
        kind: Kind::Security,
        subject: "security alert, new sign in, new login, sign in from, login from, password changed, password \
            was changed, password reset, reset your password, suspicious, unusual activity, unauthorised, \
            unauthorized, vulnerabilit*, data breach, account locked, recovery email, two factor, 2fa, new \
            device, api key, access token, certificate expir*, critical update",
        body: "if this wasn t you, if this was not you, if you did not make this change, if you didn t make \
            this change, if you did not request, if you didn t request, new sign in to your account, your \
            password was changed, we detected, severity critical, severity high",
    },
    KindDefinition {
        kind: Kind::Code,
        subject: "verification code, security code, login code, sign in code, one time code, one time password, \
            confirm your email, verify your email, your code",
        body: "verification code is, your code is, one time code, enter this code, enter the following code",
    },
    KindDefinition {
        kind: Kind::BuildFailure,
        subject: "build failed, build failure, failed build, build broken, run failed, pipeline failed, failed \
            pipeline, deploy failed, deployment failed, tests failed, job failed, backup failed, cron \
            failed, workflow failed, build is failing, failed",
        body: "build failed, pipeline failed, some jobs were not successful, tests failed, exit code 1, \
            deployment failed, job failed, backup did not complete",
    },
    KindDefinition {
        kind: Kind::BuildSuccess,
        subject: "build passed, build succeeded, build successful, run succeeded, pipeline passed, pipeline \
            succeeded, deploy succeeded, deployment succeeded, deployed successfully, build fixed, backup \
            completed, backup succeeded, all checks passed, succeeded, completed successfully",
        body: "all checks have passed, all jobs were successful, completed successfully, no errors",
    },
    KindDefinition {
        kind: Kind::Outage,
        subject: "outage, incident, is down, down alert, firing, alert, critical, disk full, disk space, high \
            cpu, unreachable, service degradation, degraded, maintenance, p1, sev1, sev 1",
        body: "is down, is unreachable, we are investigating, service disruption, service will be \
            unavailable, planned maintenance, error rate, production is down, site is down",
    },
    KindDefinition {
        kind: Kind::Recovery,
        subject: "resolved, recovered, is up, back up, back online, restored",
        body: "has been resolved, this incident has been resolved, has recovered, is back online",
    },
    KindDefinition {
        kind: Kind::Deadline,
        subject: "",
        body: "deadline, is due, are due, due by, due on, due date, no later than, by end of day, by eod, by \
            the end of, must be submitted, will expire, expires on, expires in, will be deleted, \
            enrollment ends, enrolment ends, closes on",
    },
    KindDefinition {
        kind: Kind::Announcement,
        subject: "announcement, announcing, all hands, policy, reorganisation, reorganization, office closed, \
            office will be closed, welcome, org change, new process, open enrollment, open enrolment, \
            benefits, schedule change, cancelled, canceled, postponed, moved to, update on, status update, \
            status",
        body: "all hands, new policy, effective immediately, with effect from, starting monday, office will \
            be closed, please be advised, we are pleased to announce, i m happy to announce, will be \
            closed, has been cancelled, has been canceled, has been postponed, has moved to",
    },
];

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn each_kind_has_one_sign() {
        let kinds: HashSet<Kind> = KIND_DEFINITIONS.iter().map(|sign| sign.kind).collect();
        assert_eq!(kinds.len(), KIND_DEFINITIONS.len());
    }

    #[test]
    fn phrases_are_written_as_they_are_compared() {
        for phrase in
            KIND_DEFINITIONS.iter().flat_map(|sign| sign.subject.split(", ").chain(sign.body.split(", ")))
        {
            assert!(
                phrase.chars().all(|c| c.is_alphanumeric() && !c.is_uppercase() || c == ' ' || c == '*'),
                "{phrase}"
            );
        }
    }
}
