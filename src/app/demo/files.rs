//! What the demo is made of; every name in it is made up.

/// Where a mail lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Unread in the inbox.
    New,
    /// Read long ago; it makes its sender known.
    Read,
    /// Read and answered.
    Answered,
    /// Among what the person sent.
    Sent,
}

/// The mails: where each lies, its name, and its bytes with dates to fill in.
pub(super) const MAILS: &[(Place, &str, &[u8])] = &[
    (Place::New, "01-hub-drawings", include_bytes!("../../../assets/demo/mail/01-hub-drawings.eml")),
    (Place::New, "02-plan-the-fair", include_bytes!("../../../assets/demo/mail/02-plan-the-fair.eml")),
    (Place::New, "03-harbour-couriers", include_bytes!("../../../assets/demo/mail/03-harbour-couriers.eml")),
    (Place::New, "04-bestellung", include_bytes!("../../../assets/demo/mail/04-bestellung.eml")),
    (Place::New, "05-invitation", include_bytes!("../../../assets/demo/mail/05-invitation.eml")),
    (Place::Answered, "06-rattling-hub-1", include_bytes!("../../../assets/demo/mail/06-rattling-hub-1.eml")),
    (Place::Sent, "06-rattling-hub-2", include_bytes!("../../../assets/demo/mail/06-rattling-hub-2.eml")),
    (Place::New, "06-rattling-hub-3", include_bytes!("../../../assets/demo/mail/06-rattling-hub-3.eml")),
    (Place::New, "07-mailbox-full", include_bytes!("../../../assets/demo/mail/07-mailbox-full.eml")),
    (Place::New, "08-bearings", include_bytes!("../../../assets/demo/mail/08-bearings.eml")),
    (Place::New, "09-spokes", include_bytes!("../../../assets/demo/mail/09-spokes.eml")),
    (Place::New, "10-invoice", include_bytes!("../../../assets/demo/mail/10-invoice.eml")),
    (Place::New, "11-build-failed", include_bytes!("../../../assets/demo/mail/11-build-failed.eml")),
    (Place::New, "12-newsletter", include_bytes!("../../../assets/demo/mail/12-newsletter.eml")),
    (Place::New, "13-autumn-sale", include_bytes!("../../../assets/demo/mail/13-autumn-sale.eml")),
    (Place::New, "14-list-torque", include_bytes!("../../../assets/demo/mail/14-list-torque.eml")),
    (Place::New, "15-list-asks-noor", include_bytes!("../../../assets/demo/mail/15-list-asks-noor.eml")),
    (Place::New, "16-receipt", include_bytes!("../../../assets/demo/mail/16-receipt.eml")),
    (Place::New, "17-new-sign-in", include_bytes!("../../../assets/demo/mail/17-new-sign-in.eml")),
    (Place::New, "18-parcel", include_bytes!("../../../assets/demo/mail/18-parcel.eml")),
    (Place::New, "19-piet-is-ill", include_bytes!("../../../assets/demo/mail/19-piet-is-ill.eml")),
    (Place::New, "20-out-of-office", include_bytes!("../../../assets/demo/mail/20-out-of-office.eml")),
    (Place::New, "21-thanks", include_bytes!("../../../assets/demo/mail/21-thanks.eml")),
    (Place::New, "22-accepted", include_bytes!("../../../assets/demo/mail/22-accepted.eml")),
    (Place::New, "23-pitch", include_bytes!("../../../assets/demo/mail/23-pitch.eml")),
    (Place::New, "24-review-requested", include_bytes!("../../../assets/demo/mail/24-review-requested.eml")),
    (Place::New, "25-bounce", include_bytes!("../../../assets/demo/mail/25-bounce.eml")),
    (Place::New, "26-demo-bike", include_bytes!("../../../assets/demo/mail/26-demo-bike.eml")),
    (Place::New, "27-vat", include_bytes!("../../../assets/demo/mail/27-vat.eml")),
    (Place::New, "28-build-fixed", include_bytes!("../../../assets/demo/mail/28-build-fixed.eml")),
    (Place::Read, "r1-old-review", include_bytes!("../../../assets/demo/mail/r1-old-review.eml")),
    (Place::Read, "r2-old-sign-in", include_bytes!("../../../assets/demo/mail/r2-old-sign-in.eml")),
    (Place::Read, "r3-old-invoice", include_bytes!("../../../assets/demo/mail/r3-old-invoice.eml")),
    (Place::Read, "r4-old-bounce", include_bytes!("../../../assets/demo/mail/r4-old-bounce.eml")),
    (Place::Read, "r5-old-spokes", include_bytes!("../../../assets/demo/mail/r5-old-spokes.eml")),
    (Place::Read, "r6-old-list", include_bytes!("../../../assets/demo/mail/r6-old-list.eml")),
    (Place::Sent, "s1-workshop", include_bytes!("../../../assets/demo/mail/s1-workshop.eml")),
    (Place::Sent, "s2-brochure", include_bytes!("../../../assets/demo/mail/s2-brochure.eml")),
    (Place::Sent, "s3-receipts", include_bytes!("../../../assets/demo/mail/s3-receipts.eml")),
    (Place::Sent, "s4-bestellung", include_bytes!("../../../assets/demo/mail/s4-bestellung.eml")),
    (Place::Sent, "s5-stand", include_bytes!("../../../assets/demo/mail/s5-stand.eml")),
];

/// The folder to ask about.
pub(super) const NOTES: &[(&str, &str)] = &[
    ("launch-review.md", include_str!("../../../assets/demo/notes/launch-review.md")),
    ("spring-fair.txt", include_str!("../../../assets/demo/notes/spring-fair.txt")),
    ("suppliers.md", include_str!("../../../assets/demo/notes/suppliers.md")),
    ("support-week.txt", include_str!("../../../assets/demo/notes/support-week.txt")),
];

/// The workbook to work on.
pub(super) const WORKBOOK: (&str, &[u8]) =
    ("orders.xlsx", include_bytes!("../../../assets/demo/sheets/orders.xlsx"));

/// The calendar, with dates to fill in.
pub(super) const CALENDAR: &str = include_str!("../../../assets/demo/calendar.ics");

/// The config.
pub(super) const CONFIG: &str = include_str!("../../../assets/demo/config.toml");
