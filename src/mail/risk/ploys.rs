//! Finds tricks that make people act before they think: a deadline with a loss, a false name, a login on the sender's
//! page, a call or a messenger where nobody else sees it.
//!
//! A ploy is two or three signs together, never one phrase. English, German, French, Spanish, Italian. Linear time.

use super::domains;
use super::wants::{Want, leads_elsewhere, links, own_words};
use super::{RiskContext, files, organisation};
use crate::mail::Mail;
use crate::text::phrases::{NormalizedText, is_listed, normalize_text};
use crate::text::words::sentences;

/// All ploys in a mail whose sender the user has no reason to trust.
pub(super) fn ploys(mail: &Mail, known: &RiskContext<'_>) -> Vec<Want> {
    let text = own_words(mail);
    let all = normalize_text(&format!("{}\n{text}", mail.subject));
    let leads = links(mail).next().is_some();
    let acts = leads || !mail.attachments.is_empty() || has_telephone(&text);
    let signs = [
        (Want::Pressure, acts && mail.list.is_none() && has_deadline(&all) && has_loss(&all)),
        (Want::Brand, acts && claims_brand(mail, &text, known)),
        (Want::Login, mail.list.is_none() && asks_to_log_in(mail, &text)),
        (Want::Login, leads && passes_a_code_on(mail, &all)),
        (
            Want::CallBack,
            has_telephone(&text)
                && all.has(MONEY)
                && any_sentence(&text, |one| one.has(CALL) && one.has(UNDO)),
        ),
        (
            Want::Secrecy,
            all.has(MONEY)
                && (normalize_text(&mail.subject).has(SECRECY)
                    || any_sentence(&text, |one| one.has(SECRECY) && !one.has(DISCLAIMERS))),
        ),
        (Want::Messenger, !leads && all.has(MESSENGERS) && all.has(JOIN) && mail.list.is_none()),
        (Want::Command, all.has(SHELLS) && all.has(PASTE)),
        (Want::Coins, text.split_whitespace().any(is_wallet)),
    ];
    let mut wants: Vec<Want> = Vec::new();
    for (want, is_there) in signs {
        if is_there && !wants.contains(&want) {
            wants.push(want);
        }
    }
    wants
}

/// Whether a single sentence matches.
fn any_sentence(text: &str, is_meant: impl Fn(&NormalizedText) -> bool) -> bool {
    sentences(text).into_iter().any(|sentence| is_meant(&normalize_text(sentence)))
}

/// Whether somebody the user knows wants a login on a foreign page: their mailbox may have been taken over.
pub(super) fn is_taken_over_account(mail: &Mail) -> bool {
    mail.list.is_none()
        && links(mail).any(|link| leads_elsewhere(mail, link))
        && sentences(&own_words(mail)).into_iter().any(|sentence| hands_in(&normalize_text(sentence)))
}

const HOURS: &str = "hour, hours, stunde, stunden, heure, heures, hora, horas, ora, ore, minutes, minuten";
const DAYS: &str = "day, days, tag, tage, tagen, jour, jours, día, días, giorno, giorni";
const NOW: &str = "today, immediately, right away, without delay, final notice, last notice, last reminder, heute, sofort, \
    umgehend, aujourd hui, immédiatement, sans délai, hoy, inmediatamente, oggi, subito, immediatamente";

/// Whether something must happen within hours or a few days.
fn has_deadline(flat: &NormalizedText) -> bool {
    let words: Vec<&str> = flat.split_whitespace().collect();
    let soon = words.windows(2).any(|two| match two[0].parse::<u32>() {
        Ok(many) => many <= 96 && is_listed(two[1], HOURS) || many <= 3 && is_listed(two[1], DAYS),
        Err(_) => false,
    });
    let by = words.windows(2).any(|two| is_listed(two[0], BEFORE) && is_listed(two[1], WEEKDAYS));
    soon || by || flat.has(NOW)
}

const BEFORE: &str = "by, on, until, before, bis, am, avant, el, entro";
const WEEKDAYS: &str = "monday, tuesday, wednesday, thursday, friday, saturday, sunday, montag, dienstag, mittwoch, donnerstag, \
    freitag, samstag, sonntag, lundi, mardi, mercredi, jeudi, vendredi, samedi, dimanche, lunes, martes, miércoles, jueves, \
    viernes, sábado, domingo, lunedì, martedì, mercoledì, giovedì, venerdì, sabato, domenica";

const HELPERS: &str = "be, been, is, are, was, were, stays, gets, wird, werden, wurde, bleibt, sera, seront, est, será, serán, \
    verrà, verranno, sarà";
const LOST: &str = "deleted, suspended, restricted, removed, deactivated, disabled, blocked, lost, locked, \
    terminated, returned, sold, interrupted, gelöscht, gesperrt, deaktiviert, eingeschränkt, zurückgeschickt, \
    zurückgesendet, suspendu, suspendue, bloqué, bloquée, supprimé, supprimée, désactivé, désactivée, retourné, \
    suspendida, suspendido, bloqueada, bloqueado, eliminada, devuelto, desactivada, disattivata, disattivato, \
    sospesa, sospeso, bloccata, bloccato, eliminata";
const LOSSES: &str = "account will be closed, account is closed, access will be closed, account has been limited, access has \
    been limited, konto wird geschlossen, compte sera fermé, cuenta será cerrada, a fine, penalty, enforcement, stop working, goes back to the sender, go back to the sender, on hold, \
    bußgeld, zwangsvollstreckung, zurück an den absender, une amende, pénalité, retour à l expéditeur, una multa, multa de, \
    una sanzione";

/// Whether the user would otherwise lose something or pay a fine.
fn has_loss(flat: &NormalizedText) -> bool {
    let mut near = 0;
    for word in flat.split_whitespace() {
        if near > 0 && is_listed(word, LOST) {
            return true;
        }
        near = if is_listed(word, HELPERS) { 5 } else { usize::saturating_sub(near, 1) };
    }
    flat.has(LOSSES)
}

/// Companies that strangers like to impersonate.
const BRANDS: &str = "microsoft, microsoft 365, office 365, outlook, onedrive, sharepoint, google, gmail, apple, icloud, paypal, \
    amazon, netflix, spotify, dhl, ups, fedex, usps, hermes, meta, facebook, instagram, whatsapp, linkedin, docusign, adobe, \
    dropbox, coinbase, binance, ledger, metamask, trezor, revolut, mastercard, klarna, norton, mcafee, sparkasse, n26";

/// Last lines that name a company without speaking for it.
const FOOTERS: &str = "get outlook, outlook for, outlook für, outlook pour, outlook para, outlook per, sent from, sent via, \
    gesendet, envoyé, enviado, inviato, follow us, find us, facebook, instagram, linkedin, whatsapp";

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

/// Whether the display name or the last line names a company that the sender does not belong to.
fn claims_brand(mail: &Mail, text: &str, known: &RiskContext<'_>) -> bool {
    let domain = normalize_text(organisation(mail.from.domain()));
    let ends = text.lines().rev().map(str::trim).filter(|line| !line.is_empty()).take(1);
    let short = |line: &&str| {
        let signs =
            !line.contains("://") && !line.contains(['|', '@', '<']) && !normalize_text(line).has(FOOTERS);
        signs && line.split_whitespace().count() <= 5
    };
    let texts = ends.filter(short).chain([mail.from.name.as_str()]).map(normalize_text);
    let own_domains = known.own.iter().map(|own| own.rsplit_once('@').map_or("", |(_, domain)| domain));
    let own_domains = own_domains.filter(|domain| !domains::is_provider(domain));
    let own_labels: Vec<String> = own_domains
        .filter_map(|domain| {
            organisation(domain).split('.').next().map(|label| normalize_text(label).trim().to_owned())
        })
        .filter(|label| label.len() > 3)
        .collect();
    let is_of_house =
        |brand: &str| PARENT_BRANDS.iter().any(|(one, house)| *one == brand && domain.contains(house));
    let is_sender_brand = |brand: &str| domain.contains(brand) || is_of_house(brand);
    texts.into_iter().any(|texts| {
        BRANDS
            .split(", ")
            .chain(own_labels.iter().map(String::as_str))
            .any(|brand| texts.has(brand) && !is_sender_brand(brand))
    })
}

const CREDENTIALS: &str = "password, passwords, user name, username, recovery phrase, seed phrase, secret phrase, private key, \
    work account, company account, microsoft 365, microsoft account, google account, mail account, email account, card \
    details, credentials, login details, your identity, e mail provider, email provider, passwort, kennwort, zugangsdaten, anmeldedaten, kartendaten, mot de \
    passe, identifiants, carte bancaire, contraseña, nombre de usuario, datos de su tarjeta, nome utente, credenziali";
const HAND_IN: &str = "sign in with, log in with, use your, enter your, type your, type in your, fill in, be asked for, need to \
    sign in, confirm your, validate your, verify your, update your, re enter, provide your, submit your, with your, to verify \
    that, confirm, melden sie sich mit, geben sie, eingeben, bestätigen sie, aktualisieren sie, saisissez, entrez, confirmez, \
    remplir, remplissez, mettez à jour, introduzca, ingrese, confirme, actualice, inserendo, inserisci, conferma";
const NEVER: &str = "never, not share, don t share, not give, not disclose, forgot your, forgotten your, nicht weiter, no \
    comparta, not ask, won t ask, will not ask, if you didn t, if it wasn t, wasn t you, niemals, nie, jamais, \
    nunca, mai";

/// Data typed into a page to pay or to log in, in addition to [`CREDENTIALS`].
const TYPED: &str = "card number, expiry date, cvc, cvv, pin, tan, iban, kartennummer, prüfziffer, numéro de carte, número de \
    tarjeta, numero della carta";

fn hands_in(flat: &NormalizedText) -> bool {
    let named = |list: &str| list.split(", ").filter(|one| flat.has(one)).count();
    let wants = flat.has(CREDENTIALS) && flat.has(HAND_IN);
    // Nobody honest lists several of them.
    (wants || named(TYPED) > 0 && named(CREDENTIALS) + named(TYPED) > 1) && !flat.has(NEVER)
}

/// Whether a linked or attached page asks for data that nobody types into a stranger's page.
fn asks_to_log_in(mail: &Mail, text: &str) -> bool {
    let page = links(mail).next().is_some() || mail.attachments.iter().any(|file| files::is_page(&file.name));
    page && sentences(text).into_iter().any(|sentence| hands_in(&normalize_text(sentence)))
}

const THIS_CODE: &str =
    "this code, the code, following code, diesen code, folgenden code, ce code, este código, questo codice";

/// Whether the mail brings a code to type in elsewhere: that would let its sender in.
fn passes_a_code_on(mail: &Mail, flat: &NormalizedText) -> bool {
    flat.has(THIS_CODE)
        && flat.has("type, enter, use, geben sie, eingeben, saisissez, entrez, introduzca, inserisci")
        && flat.has("sign in, log in, login, devicelogin, anmelden, connectez, inicie sesión, accedi")
        && links(mail).any(|link| leads_elsewhere(mail, link))
}

const CALL: &str = "call, phone, dial, ring, rufen sie, anrufen, appelez, llame, chiami, chiamare";
const MONEY: &str = "charged, debited, payment, order, subscription, renewal, renewed, invoice, transfer, wire, refund, favour, \
    favor, mobile number, abgebucht, zahlung, überweisung, abonnement, abo, prélevé, virement, paiement, cargado, \
    transferencia, pago, addebito, bonifico";
const UNDO: &str = "did not make, did not authorize, did not authorise, didn t make, didn t authorize, did not place, to cancel, \
    cancellation, stop the payment, full refund, get a refund, dispute, nicht bestellt, nicht veranlasst, stornieren, \
    kündigen, annuler, remboursement, cancelar, reembolso, annullare";
const SECRECY: &str = "strictly confidential, strictly private, keep this confidential, keep it confidential, discreet, \
    discreetly, don t speak to, do not speak to, don t tell, do not tell, don t discuss, do not discuss, between \
    us, streng vertraulich, unter uns, diskret, strictement confidentiel, entre nous, estrictamente confidencial, \
    entre nosotros, strettamente riservato";
const DISCLAIMERS: &str = "this message, this e mail, this email, this communication, intended, recipient, addressee, \
    diese nachricht, diese e mail, ce message, ce courriel, destinataire, este mensaje, destinatario, questo messaggio";
const MESSENGERS: &str = "whatsapp, telegram, wechat, signal, line id";
const JOIN: &str = "add me, text you, your mobile number, write to, write me, text me, message me, contact me, contact our, reach me, schreib mir, schreiben \
    sie mir, melde dich, écrivez moi, contactez moi, escríbame, escríbeme, agrégame, scrivimi";
const SHELLS: &str = "windows r, win r, windows key, run dialog, powershell, command prompt, terminal";
const PASTE: &str = "paste, ctrl v, cmd v, einfügen, collez, pegue, incolla";

/// Whether a text contains a telephone number.
fn has_telephone(text: &str) -> bool {
    text.lines().any(|line| {
        let starts = line.match_indices(['+', '(', '0']).map(|(at, _)| at);
        starts.take(20).any(|at| {
            let number = line[at..].chars().take_while(|c| c.is_ascii_digit() || " +()-/.".contains(*c));
            number.take(24).filter(char::is_ascii_digit).count() >= 8
        })
    })
}

/// Whether a word is a wallet address.
fn is_wallet(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    let bech = word.strip_prefix("bc1").is_some_and(|rest| rest.len() >= 30);
    let hex = word.strip_prefix("0x").is_some_and(|rest| rest.len() == 40);
    (bech || hex) && word.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mail::parse;

    #[track_caller]
    fn check(from: &str, text: &str, expected: &[Want]) {
        let mail = parse(format!("From: {from}\r\nSubject: x\r\n\r\n{text}\r\n").as_bytes()).unwrap();
        let own = ["ada@brightwater.example".to_owned()];
        assert_eq!(ploys(&mail, &RiskContext { own: &own, ..RiskContext::default() }), expected, "{text}");
    }

    #[test]
    fn a_ploy_is_several_signs_together() {
        let from = "Service <info@service.example>";
        let link = "https://service.example/x";
        for (text, expected) in [
            (format!("Your files will be deleted within 24 hours. {link}"), Want::Pressure),
            (format!("Ihr Zugang wird am Freitag gesperrt. {link}"), Want::Pressure),
            (format!("La tua casella verrà disattivata oggi. {link}"), Want::Pressure),
            (format!("See your message. {link}\n\nMicrosoft Teams"), Want::Brand),
            (format!("You can sign in with your company account. {link}"), Want::Login),
            (format!("Keep card number, expiry date and CVC at hand. {link}"), Want::Login),
            (
                "Open https://other.example/devicelogin, type this code: F7K and sign in.".to_owned(),
                Want::Login,
            ),
            ("499 USD will be charged. Call +1 (808) 555-0143 to cancel.".to_owned(), Want::CallBack),
            ("Prepare a transfer and do not tell anybody.".to_owned(), Want::Secrecy),
            ("Add me on WhatsApp, please.".to_owned(), Want::Messenger),
            ("Press Windows + R and paste the text.".to_owned(), Want::Command),
            ("bc1qxy2kgdygjrsqtzq2n0yrf2493p83kkfjhx0wlh".to_owned(), Want::Coins),
        ] {
            check(from, &text, &[expected]);
        }
        for quiet in [
            "Your files will be deleted within 24 hours.".to_owned(),
            format!("Reports are deleted after 14 days. {link}"),
            format!("Your parcel arrives today. {link}"),
            format!("Reset your password here within an hour. {link}"),
            format!("We will never ask you to enter your password. {link}"),
            "Your invoice is attached. Questions? Call +49 421 555 0190.".to_owned(),
            "The site stands still. Call me today: 0170 555 0123.".to_owned(),
            "This message is confidential. The payment arrived.".to_owned(),
            "Open a terminal and run make.".to_owned(),
        ] {
            check(from, &quiet, &[]);
        }
        check("Microsoft <a@mail.microsoft.com>", &format!("News. {link}"), &[]);
        check("Brightwater IT <a@else.example>", &format!("News. {link}"), &[Want::Brand]);
    }

    #[test]
    fn a_mailbox_in_other_hands_lends_a_login() {
        let lends = |text: &str| {
            is_taken_over_account(
                &parse(format!("From: tom@steel.example\r\n\r\n{text}\r\n").as_bytes()).unwrap(),
            )
        };
        assert!(lends("You need to sign in with your e-mail and password: https://docs.example/login"));
        assert!(!lends("You need to sign in with your password: https://portal.steel.example/login"));
        assert!(!lends("The drafts are here: https://docs.example/f/2231"));
    }
}
