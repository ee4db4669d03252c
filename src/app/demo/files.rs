//! The files of the demo; every name in them is made up.

/// Where a mail is placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MailFolder {
    /// Unread in the inbox.
    New,
    /// Read long ago; it makes its sender known.
    Read,
    /// Read and answered.
    Answered,
    /// In the user's sent mail.
    Sent,
}

/// The mails: where each is placed, its name, and its bytes with dates to fill in.
pub(super) const MAILS: &[(MailFolder, &str, &[u8])] = &[
    (MailFolder::New, "01-hub-drawings", include_bytes!("../../../assets/demo/mail/01-hub-drawings.eml")),
    (MailFolder::New, "02-plan-the-fair", include_bytes!("../../../assets/demo/mail/02-plan-the-fair.eml")),
    (
        MailFolder::New,
        "03-harbour-couriers",
        include_bytes!("../../../assets/demo/mail/03-harbour-couriers.eml"),
    ),
    (MailFolder::New, "04-bestellung", include_bytes!("../../../assets/demo/mail/04-bestellung.eml")),
    (MailFolder::New, "05-invitation", include_bytes!("../../../assets/demo/mail/05-invitation.eml")),
    (
        MailFolder::Answered,
        "06-rattling-hub-1",
        include_bytes!("../../../assets/demo/mail/06-rattling-hub-1.eml"),
    ),
    (
        MailFolder::Sent,
        "06-rattling-hub-2",
        include_bytes!("../../../assets/demo/mail/06-rattling-hub-2.eml"),
    ),
    (MailFolder::New, "06-rattling-hub-3", include_bytes!("../../../assets/demo/mail/06-rattling-hub-3.eml")),
    (MailFolder::New, "07-mailbox-full", include_bytes!("../../../assets/demo/mail/07-mailbox-full.eml")),
    (MailFolder::New, "08-bearings", include_bytes!("../../../assets/demo/mail/08-bearings.eml")),
    (MailFolder::New, "09-spokes", include_bytes!("../../../assets/demo/mail/09-spokes.eml")),
    (MailFolder::New, "10-invoice", include_bytes!("../../../assets/demo/mail/10-invoice.eml")),
    (MailFolder::New, "11-build-failed", include_bytes!("../../../assets/demo/mail/11-build-failed.eml")),
    (MailFolder::New, "12-newsletter", include_bytes!("../../../assets/demo/mail/12-newsletter.eml")),
    (MailFolder::New, "13-autumn-sale", include_bytes!("../../../assets/demo/mail/13-autumn-sale.eml")),
    (MailFolder::New, "14-list-torque", include_bytes!("../../../assets/demo/mail/14-list-torque.eml")),
    (MailFolder::New, "15-list-asks-noor", include_bytes!("../../../assets/demo/mail/15-list-asks-noor.eml")),
    (MailFolder::New, "16-receipt", include_bytes!("../../../assets/demo/mail/16-receipt.eml")),
    (MailFolder::New, "17-new-sign-in", include_bytes!("../../../assets/demo/mail/17-new-sign-in.eml")),
    (MailFolder::New, "18-parcel", include_bytes!("../../../assets/demo/mail/18-parcel.eml")),
    (MailFolder::New, "19-piet-is-ill", include_bytes!("../../../assets/demo/mail/19-piet-is-ill.eml")),
    (MailFolder::New, "20-out-of-office", include_bytes!("../../../assets/demo/mail/20-out-of-office.eml")),
    (MailFolder::New, "21-thanks", include_bytes!("../../../assets/demo/mail/21-thanks.eml")),
    (MailFolder::New, "22-accepted", include_bytes!("../../../assets/demo/mail/22-accepted.eml")),
    (MailFolder::New, "23-pitch", include_bytes!("../../../assets/demo/mail/23-pitch.eml")),
    (
        MailFolder::New,
        "24-review-requested",
        include_bytes!("../../../assets/demo/mail/24-review-requested.eml"),
    ),
    (MailFolder::New, "25-bounce", include_bytes!("../../../assets/demo/mail/25-bounce.eml")),
    (MailFolder::New, "26-demo-bike", include_bytes!("../../../assets/demo/mail/26-demo-bike.eml")),
    (MailFolder::New, "27-vat", include_bytes!("../../../assets/demo/mail/27-vat.eml")),
    (MailFolder::New, "28-build-fixed", include_bytes!("../../../assets/demo/mail/28-build-fixed.eml")),
    (MailFolder::Read, "r1-old-review", include_bytes!("../../../assets/demo/mail/r1-old-review.eml")),
    (MailFolder::Read, "r2-old-sign-in", include_bytes!("../../../assets/demo/mail/r2-old-sign-in.eml")),
    (MailFolder::Read, "r3-old-invoice", include_bytes!("../../../assets/demo/mail/r3-old-invoice.eml")),
    (MailFolder::Read, "r4-old-bounce", include_bytes!("../../../assets/demo/mail/r4-old-bounce.eml")),
    (MailFolder::Read, "r5-old-spokes", include_bytes!("../../../assets/demo/mail/r5-old-spokes.eml")),
    (MailFolder::Read, "r6-old-list", include_bytes!("../../../assets/demo/mail/r6-old-list.eml")),
    (MailFolder::Sent, "s1-workshop", include_bytes!("../../../assets/demo/mail/s1-workshop.eml")),
    (MailFolder::Sent, "s2-brochure", include_bytes!("../../../assets/demo/mail/s2-brochure.eml")),
    (MailFolder::Sent, "s3-receipts", include_bytes!("../../../assets/demo/mail/s3-receipts.eml")),
    (MailFolder::Sent, "s4-bestellung", include_bytes!("../../../assets/demo/mail/s4-bestellung.eml")),
    (MailFolder::Sent, "s5-stand", include_bytes!("../../../assets/demo/mail/s5-stand.eml")),
];

/// The folder to ask questions about.
pub(super) const NOTES: &[(&str, &str)] = &[
    ("launch-review.md", include_str!("../../../assets/demo/notes/launch-review.md")),
    ("spring-fair.txt", include_str!("../../../assets/demo/notes/spring-fair.txt")),
    ("suppliers.md", include_str!("../../../assets/demo/notes/suppliers.md")),
    ("support-week.txt", include_str!("../../../assets/demo/notes/support-week.txt")),
];

/// The code base to document.
pub(super) const CODE: &[(&str, &str)] = &[
    ("README.md", include_str!("../../../assets/demo/webshop/README.md")),
    ("pyproject.toml", include_str!("../../../assets/demo/webshop/pyproject.toml")),
    ("shop/__init__.py", include_str!("../../../assets/demo/webshop/shop/__init__.py")),
    ("shop/api.py", include_str!("../../../assets/demo/webshop/shop/api.py")),
    ("shop/cart.py", include_str!("../../../assets/demo/webshop/shop/cart.py")),
    ("shop/orders.py", include_str!("../../../assets/demo/webshop/shop/orders.py")),
    ("shop/shipping.py", include_str!("../../../assets/demo/webshop/shop/shipping.py")),
    ("tests/test_shipping.py", include_str!("../../../assets/demo/webshop/tests/test_shipping.py")),
];

/// The workbook to work on.
pub(super) const WORKBOOK: (&str, &[u8]) =
    ("orders.xlsx", include_bytes!("../../../assets/demo/sheets/orders.xlsx"));

/// The calendar, with dates to fill in.
pub(super) const CALENDAR: &str = include_str!("../../../assets/demo/calendar.ics");

/// What the demo's model answers, with dates to fill in.
pub(super) const SCRIPT: &str = include_str!("../../../assets/demo/script.toml");

pub(super) const CONFIG: &str = include_str!("../../../assets/demo/config.toml");
