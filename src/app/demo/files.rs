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

/// Mails of the assets by their names, with the folder of each.
macro_rules! mails {
    ($($folder:ident: $($name:literal)+;)+) => {
        &[$($((
            MailFolder::$folder,
            $name,
            include_bytes!(concat!("../../../assets/demo/mail/", $name, ".eml")),
        ),)+)+]
    };
}

/// Files in a folder of the assets by their names.
macro_rules! texts {
    ($folder:literal: $($name:literal)+) => {
        &[$(($name, include_str!(concat!("../../../assets/demo/", $folder, "/", $name))),)+]
    };
}

/// The mails: where each is placed, its name, and its bytes with dates to fill in.
pub(super) const MAILS: &[(MailFolder, &str, &[u8])] = mails! {
    New: "01-hub-drawings" "02-plan-the-fair" "03-harbour-couriers" "04-bestellung" "05-invitation";
    Answered: "06-rattling-hub-1";
    Sent: "06-rattling-hub-2";
    New:
        "06-rattling-hub-3" "07-mailbox-full" "08-bearings" "09-spokes" "10-invoice" "11-build-failed"
        "12-newsletter" "13-autumn-sale" "14-list-torque" "15-list-asks-noor" "16-receipt" "17-new-sign-in"
        "18-parcel" "19-piet-is-ill" "20-out-of-office" "21-thanks" "22-accepted" "23-pitch"
        "24-review-requested" "25-bounce" "26-demo-bike" "27-vat" "28-build-fixed";
    Read: "r1-old-review" "r2-old-sign-in" "r3-old-invoice" "r4-old-bounce" "r5-old-spokes" "r6-old-list";
    Sent: "s1-workshop" "s2-brochure" "s3-receipts" "s4-bestellung" "s5-stand";
};

/// The folder to ask questions about.
pub(super) const NOTES: &[(&str, &str)] = texts! {
    "notes": "launch-review.md" "spring-fair.txt" "suppliers.md" "support-week.txt"
};

/// The code base to document.
pub(super) const CODE: &[(&str, &str)] = texts! {
    "webshop":
        "README.md" "pyproject.toml" "shop/__init__.py" "shop/api.py" "shop/cart.py" "shop/orders.py"
        "shop/shipping.py" "tests/test_shipping.py"
};

/// The workbook to work on.
pub(super) const WORKBOOK: (&str, &str) =
    ("orders.csv", include_str!("../../../assets/demo/sheets/orders.csv"));

/// The calendar, with dates to fill in.
pub(super) const CALENDAR: &str = include_str!("../../../assets/demo/calendar.ics");

/// What the demo's model answers, with dates to fill in.
pub(super) const SCRIPT: &str = include_str!("../../../assets/demo/script.toml");

pub(super) const CONFIG: &str = include_str!("../../../assets/demo/config.toml");
