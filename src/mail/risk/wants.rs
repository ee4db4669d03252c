//! Finds requests that nobody honest makes by mail: secrets, money in odd ways, a login somewhere else.
//!
//! A phrase counts within its sentence. English, German, French and Spanish. Linear time.

use super::Risk;
use super::domains::{self, Domains};
use crate::mail::{Link, Mail};
use crate::text::phrases::normalize_text;
use crate::text::words::sentences;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Want {
    /// A password, a code or a PIN, by reply.
    Secret,
    GiftCards,
    /// Payments to a new account.
    BankChange,
    /// Cryptocurrency, which nobody can get back.
    Coins,
    /// A login, a fee or personal data on a page that is not the sender's.
    Login,
    /// An archive sent together with its password, which no scanner can open.
    LockedArchive,
    /// Act now, or lose something.
    Pressure,
    /// To pass for a company that the sender does not belong to.
    Brand,
    /// A call about money that was or will be taken.
    CallBack,
    /// Money, and secrecy about it.
    Secrecy,
    /// To continue in a messaging app.
    Messenger,
    /// To paste and run a command.
    Command,
}

const SECRETS: &str = "password, passwords, passcode, verification code, security code, confirmation code, login code, 6 digit \
    code, six digit code, 4 digit code, the code, your code, pin, pin code, tan, passwort, kennwort, den code, der code, \
    sicherheitscode, bestätigungscode, mot de passe, le code, code de vérification, contraseña, clave, el código";

const HAND_OVER: &str = "send me, send us, send it to, reply with, reply to this mail with, reply to this email with, tell me, tell us, forward me, forward it, give me, give us, \
    read me, text me, share it with me, let me have, answer with, pass me, confirm your, verify your, validate your, schick \
    mir, schicken sie, sende mir, senden sie, antworten sie mit, antworte mit, nenne mir, nennen sie, gib mir, bestätigen \
    sie ihr, envoie moi, envoyez moi, envoyez nous, donne moi, donnez nous, répondez avec, envíame, envíenos, mándame, \
    pásame, dime, responda con";

const NEVER: &str = "never, not ask, won t ask, will not ask, do not share, don t share, niemals, nie, nicht weiter, jamais, \
    nunca, ne partagez, no comparta";

const CARDS: &str = "gift card, gift cards, gutscheinkarten, geschenkkarten, guthabenkarten, carte cadeau, cartes cadeaux, \
    tarjetas de regalo, tarjeta regalo, steam cards, google play cards";

const BANK: &str = "new bank details, new bank account, bank details have changed, bank details changed, changed our bank, \
    changed banks, our new account, my new account, new account details, updated bank, updated banking, change of bank \
    details, change in our bank, update my direct deposit, change my direct deposit, salary to my new, payroll to my new, \
    neue bankverbindung, geänderte bankverbindung, bankverbindung hat sich, neue kontoverbindung, neues konto, nouvelles \
    coordonnées bancaires, nouveau rib, nouveau compte bancaire, nuevos datos bancarios, nueva cuenta bancaria";

const COINS: &str = "bitcoin, bitcoins, btc, monero, usdt, crypto wallet, wallet address";
const PAYS: &str =
    "pay, send, transfer, deposit, within 48 hours, hours to pay, überweisen, zahlen, payez, pague, envíe";

/// Threats and baits that lead to a page.
const URGES: &str = "will be suspended, will be deactivated, will be disabled, will be closed, will be deleted, will be \
    locked, will be blocked, has been suspended, has been limited, avoid suspension, avoid deactivation, are on hold, is on \
    hold, held messages, messages are held, messages were held, pending messages, quarantine, mailbox is full, mailbox is \
    almost full, storage is full, password expires, password will expire, password has expired, keep your password, keep \
    the same password, verify your account, confirm your account, validate your account, verify your identity, confirm \
    your identity, verify your details, confirm your details, unusual sign in, unusual activity, re authenticate, enrol \
    again, re enrol, restore access, voice message, voicemail, customs fee, redelivery fee, delivery fee, shipping fee, \
    handling fee, release your parcel, release the parcel, could not be delivered, tax refund, claim your refund, refund \
    form, scan the qr code, scan the code, wird gesperrt, wurde gesperrt, konto bestätigen, konto verifizieren, zollgebühr, \
    zollgebühren, zustellgebühr, steuererstattung, steuerrückerstattung, bestätigen sie ihre, sera suspendu, sera bloqué, \
    frais de douane, frais de livraison, remboursement d impôt, confirmez vos, será suspendida, será bloqueada, gastos de \
    aduana, tasas de aduana, confirme sus datos, su paquete";

/// Phrases that say that something is attached to this mail.
const ATTACHED: &str = "i attach, i ve attached, i have attached, i m attaching, i am attaching, we attach, we have attached, \
    is attached, are attached, attached is, attached are, attached you ll find, attached you will find, please find \
    attached, find attached, see attached, see the attached, in the attachment, im anhang, anbei, habe ich angehängt, \
    hänge ich an, füge ich bei, ci joint, ci jointe, ci joints, en pièce jointe, adjunto, adjunta, in allegato, allego, in \
    de bijlage, bijgevoegd, w załączniku, em anexo";

/// Whether a text says that something is attached to its mail.
pub fn speaks_of_attachment(text: &str) -> bool {
    normalize_text(text).has(ATTACHED)
}

/// Whether a text says that payments go to a new account.
pub fn names_new_bank_details(text: &str) -> bool {
    normalize_text(text).has(BANK)
}

/// Whether a mail contains an account to pay into, in its text or attached.
pub(super) fn brings_account(mail: &Mail) -> bool {
    let number = |line: &str| line.chars().filter(char::is_ascii_digit).count() >= 10;
    !mail.attachments.is_empty() || mail.text.lines().any(number)
}

const KEYS_AND_PASSWORDS: &str = "password, passwords, passcode, pin, pin code, tan, verification code, security code, login code, one \
    time code, api key, secret key, private key, passwort, kennwort, zugangsdaten, credentials, mot de passe, contraseña";

/// Whether a question asks for a secret.
pub fn asks_for_secret(question: &str) -> bool {
    normalize_text(question).has(KEYS_AND_PASSWORDS)
}

/// All requests of this kind in a mail.
pub(super) fn wants(mail: &Mail) -> Vec<Want> {
    let text = own_words(mail);
    let all = normalize_text(&format!("{}\n{text}", mail.subject));
    let mut wants = Vec::new();
    let demands_secret = |sentence: &str| {
        let flat = normalize_text(sentence);
        flat.has(SECRETS) && flat.has(HAND_OVER) && !flat.has(NEVER)
    };
    if sentences(&text).into_iter().any(demands_secret) {
        wants.push(Want::Secret);
    }
    if all.has(CARDS)
        && all.has("buy, get, purchase, codes, send me, kaufen, besorgen, acheter, comprar, scratch")
    {
        wants.push(Want::GiftCards);
    }
    if names_new_bank_details(&all) {
        wants.push(Want::BankChange);
    }
    if all.has(COINS) && all.has(PAYS) {
        wants.push(Want::Coins);
    }
    let is_archive = |name: &str| {
        let name = name.to_lowercase();
        [".zip", ".rar", ".7z", ".ace", ".gz", ".iso"].iter().any(|ending| name.ends_with(ending))
    };
    let names_password =
        all.has("password, passwort, kennwort, mot de passe, contraseña, archive code, archive password");
    if names_password && mail.attachments.iter().any(|file| is_archive(&file.name)) {
        wants.push(Want::LockedArchive);
    }
    if all.has(URGES) && (links(mail).any(|link| leads_elsewhere(mail, link)) || all.has("qr code, qr-code"))
    {
        wants.push(Want::Login);
    }
    wants
}

/// Whether a mail has a link that says it leads to a login.
pub(super) fn has_login_link(mail: &Mail) -> bool {
    let words = "login, log in, logon, sign in, signin, verify, password, passwort, anmelden, account, mailbox, webmail, \
        connexion, iniciar sesión, acceder";
    links(mail).any(|link| normalize_text(&format!("{} {}", link.text, link.target)).has(words))
}

/// The sender's own text, without quotes.
pub(super) fn own_words(mail: &Mail) -> String {
    let pieces = crate::mail::pieces(&mail.text);
    pieces.into_iter().filter(|piece| !piece.quoted).map(|piece| piece.text).collect::<Vec<_>>().join("\n")
}

pub(super) fn links(mail: &Mail) -> impl Iterator<Item = &Link> {
    mail.links.iter().filter(|link| domains::host(&link.target.to_ascii_lowercase()).is_some())
}

/// Whether a link leads to another organisation than the sender's. Mail from lists does not count.
pub(super) fn leads_elsewhere(mail: &Mail, link: &Link) -> bool {
    let Some(host) = domains::host(&link.target.to_ascii_lowercase()) else { return false };
    !domains::same_organisation(&host, mail.from.domain()) && mail.list.is_none()
}

/// Hosts of link shorteners, which hide the target.
const SHORT: &[&str] = &[
    "bit.ly",
    "t.co",
    "tinyurl.com",
    "goo.gl",
    "ow.ly",
    "is.gd",
    "buff.ly",
    "rebrand.ly",
    "cutt.ly",
    "shorturl.at",
    "rb.gy",
    "t.ly",
    "tiny.cc",
    "s.id",
    "v.gd",
    "lnkd.in",
    "qrco.de",
    "bl.ink",
    "shorte.st",
    "adf.ly",
    "trib.al",
    "dlvr.it",
];

/// The host of a link that hides its target.
pub(super) fn short_link(mail: &Mail) -> Option<String> {
    links(mail)
        .filter_map(|link| domains::host(&link.target.to_ascii_lowercase()))
        .find(|host| SHORT.contains(&host.as_str()))
}

/// A link designed to be misread: an IP address, a name before an `@`, or a look-alike.
pub(super) fn odd_link(mail: &Mail, known: &Domains<'_>) -> Option<(String, bool)> {
    links(mail).find_map(|link| {
        let target = link.target.to_ascii_lowercase();
        let host = domains::host(&target)?;
        let authority = target.split_once("://")?.1.split(['/', '?', '#']).next().unwrap_or_default();
        let number = host.parse::<std::net::IpAddr>().is_ok() || host.starts_with('[');
        let named = authority.split_once('@').is_some_and(|(name, _)| name.contains('.'));
        match known.risk(&host) {
            Some(Risk::LookAlike { .. }) => Some((link.target.clone(), true)),
            other => (number || named || other.is_some()).then(|| (link.target.clone(), false)),
        }
    })
}
