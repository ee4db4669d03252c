//! What a mail says that can be checked: the company in its sender's name, an account or a wallet to pay into, a file that
//! should be there.

use super::organisation;
use crate::mail::Mail;
use crate::mail::quotes::{pieces, without_repeated};
use crate::text::phrases::normalize_text;
use sha2::{Digest, Sha256};

/// Companies that strangers like to impersonate.
const BRANDS: &str = "microsoft, microsoft 365, office 365, outlook, onedrive, sharepoint, google, gmail, apple, icloud, paypal, \
    amazon, netflix, spotify, dhl, ups, fedex, usps, hermes, meta, facebook, instagram, whatsapp, linkedin, docusign, adobe, \
    dropbox, coinbase, binance, ledger, metamask, trezor, revolut, mastercard, klarna, norton, mcafee, sparkasse, n26";

/// Brands that send from another company's domain.
const PARENT_BRANDS: &[(&str, &str)] = &[
    ("microsoft 365", "microsoft"),
    ("office 365", "microsoft"),
    ("outlook", "microsoft"),
    ("onedrive", "microsoft"),
    ("sharepoint", "microsoft"),
    ("microsoft", "sharepointonline"),
    ("gmail", "google"),
    ("icloud", "apple"),
    ("meta", "facebook"),
    ("instagram", "facebook"),
    ("whatsapp", "facebook"),
];

/// The company in the display name, if the sender does not belong to it.
pub(super) fn foreign_brand(mail: &Mail) -> Option<&'static str> {
    let (name, domain) = (normalize_text(&mail.from.name), normalize_text(organisation(mail.from.domain())));
    let is_of_house =
        |brand: &str| PARENT_BRANDS.iter().any(|(one, house)| *one == brand && domain.contains(house));
    BRANDS.split(", ").find(|&brand| name.has(brand) && !domain.contains(brand) && !is_of_house(brand))
}

/// Whether the sender's own text contains the address of a wallet, and not only as it repeats an `earlier` mail of
/// the conversation.
pub(super) fn names_wallet(mail: &Mail, earlier: &[&Mail]) -> bool {
    without_repeated(&mail.text, earlier).split_whitespace().any(is_wallet)
}

/// Whether a word is a wallet address.
fn is_wallet(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    let bech = word.strip_prefix("bc1").is_some_and(|rest| rest.len() >= 30);
    let hex = word.strip_prefix("0x").is_some_and(|rest| rest.len() == 40);
    (bech || hex) && word.bytes().all(|byte| byte.is_ascii_alphanumeric()) || is_base58_wallet(word)
}

/// Whether a word is an older Bitcoin address (`1…` or `3…`): its last four bytes are a checksum of the others.
fn is_base58_wallet(word: &str) -> bool {
    const LETTERS: &[u8] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
    if !(26..=35).contains(&word.len()) || !word.starts_with(['1', '3']) {
        return false;
    }
    let mut bytes = [0_u8; 25];
    for byte in word.bytes() {
        let Some(digit) = LETTERS.iter().position(|letter| *letter == byte) else { return false };
        let mut carry = digit;
        for place in bytes.iter_mut().rev() {
            carry += usize::from(*place) * LETTERS.len();
            *place = (carry % 256) as u8;
            carry /= 256;
        }
        if carry > 0 {
            return false;
        }
    }
    let (payload, checksum) = bytes.split_at(21);
    matches!(payload[0], 0 | 5) && Sha256::digest(Sha256::digest(payload)).starts_with(checksum)
}

const BANK: &str = "new bank details, new bank account, bank details have changed, bank details changed, changed our bank, \
    changed banks, our new account, my new account, new account details, updated bank, updated banking, change of bank \
    details, change in our bank, update my direct deposit, change my direct deposit, salary to my new, payroll to my new, \
    neue bankverbindung, geänderte bankverbindung, bankverbindung hat sich, neue kontoverbindung, neues konto, nouvelles \
    coordonnées bancaires, nouveau rib, nouveau compte bancaire, nuevos datos bancarios, nueva cuenta bancaria";

/// Whether a text says that payments go to a new account.
pub fn names_new_bank_details(text: &str) -> bool {
    normalize_text(text).has(BANK)
}

/// Whether the sender says so, and does not only repeat an `earlier` mail of the conversation.
pub(super) fn changes_bank(mail: &Mail, earlier: &[&Mail]) -> bool {
    names_new_bank_details(&format!("{}\n{}", mail.subject, without_repeated(&mail.text, earlier)))
}

/// Whether a mail contains an account to pay into, in its text or attached.
pub(super) fn brings_account(mail: &Mail) -> bool {
    let number = |line: &str| line.chars().filter(char::is_ascii_digit).count() >= 10;
    !mail.attachments.is_empty() || mail.text.lines().any(number)
}

/// The stems of the words for what is attached.
const ATTACHED: [&str; 9] =
    ["attach", "enclos", "anhang", "anlage", "joint", "adjunt", "allegat", "bijlage", "添付"];

/// Whether the newest text of a mail has a word for an attachment in it, whatever it says of one.
pub fn speaks_of_attachment(text: &str) -> bool {
    let new = pieces(text).into_iter().filter(|piece| !piece.quoted);
    let new = new.map(|piece| piece.text).collect::<String>().to_lowercase();
    ATTACHED.iter().any(|stem| new.contains(stem))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mail::parse;

    fn from(sender: &str, text: &str) -> Mail {
        parse(format!("From: {sender}\r\nSubject: x\r\n\r\n{text}\r\n").as_bytes()).unwrap()
    }

    #[test]
    fn a_company_writes_from_its_own_domain() {
        for (sender, brand) in [
            ("Microsoft Teams <a@service.example>", Some("microsoft")),
            ("DHL Paket <a@service.example>", Some("dhl")),
            ("Microsoft <a@mail.microsoft.com>", None),
            ("Outlook <a@microsoft.com>", None),
            ("Instagram <a@facebookmail.com>", None),
            ("Amazonia Travel <a@service.example>", None),
            ("Ann Lee <a@service.example>", None),
        ] {
            assert_eq!(foreign_brand(&from(sender, "Hi")), brand, "{sender}");
        }
    }

    #[test]
    fn a_word_for_an_attachment_is_found_in_new_text() {
        for (text, speaks) in [
            ("See the attachment.", true),
            ("Details in the attached quote.", true),
            ("In the attached file you find it.", true),
            ("I enclose the plan.", true),
            ("Der Plan ist im Anhang.", true),
            ("Die Rechnung liegt als Anlage bei.", true),
            ("Vous trouverez le plan ci-joint.", true),
            ("Adjunto el plano.", true),
            ("In allegato il piano.", true),
            ("Zie de bijlage.", true),
            ("図面を添付します。", true),
            ("The plan follows on Friday.", false),
            ("I can't open it.\n\n> See the attached plan.", false),
        ] {
            assert_eq!(speaks_of_attachment(text), speaks, "{text}");
        }
    }

    #[test]
    fn a_wallet_is_named_by_the_sender_and_not_by_a_quote() {
        let wallet = "bc1qxy2kgdygjrsqtzq2n0yrf2493p83kkfjhx0wlh";
        assert!(names_wallet(&from("a@b.example", &format!("Pay to {wallet}.")), &[]));
        assert!(!names_wallet(
            &from("a@b.example", &format!("What is that?\r\n\r\n> Pay to {wallet}.")),
            &[]
        ));
        assert!(!names_wallet(&from("a@b.example", "commit 0x1f2e3d, bc1 for short"), &[]));
        for wallet in ["1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy"] {
            assert!(names_wallet(&from("a@b.example", &format!("Pay to ({wallet}),")), &[]), "{wallet}");
        }
        for number in [
            "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb",
            "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLz",
            "1Z999AA10123456784999AA101234567",
            "11111111111111111111111111111111111",
        ] {
            assert!(!names_wallet(&from("a@b.example", number), &[]), "{number}");
        }
    }
}
