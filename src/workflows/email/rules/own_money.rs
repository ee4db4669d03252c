//! Finds mail about the reader's own money by what stands in it, in any language: an amount beside a number under which
//! the sender keeps the reader, or an amount and a date in a letter that names them.
//!
//! Prices alone prove nothing: offers have them, too. Phone numbers, register numbers and the numbers of articles in a
//! catalogue are nobody's account.

use super::MAX_TEXT;
use crate::agent::mail_facts::{MailFacts, User};

/// How many lines may lie between an amount and the number it belongs to.
const NEAR: usize = 8;
/// More amounts than this are a price list, unless it names the reader.
const MAX_AMOUNTS: usize = 4;
/// More of both are a catalogue.
const MAX_ARTICLES: usize = 2;
/// Longer numbers that begin with a zero are phones.
const MAX_NUMBER: usize = 9;
/// Longer texts are no letters about one's money, unless they name the reader. In bytes.
const MAX_LETTER: usize = 5_000;

/// What currencies are called beside a number.
const CURRENCIES: [&str; 36] = [
    "eur", "euro", "euros", "usd", "gbp", "chf", "sek", "nok", "dkk", "pln", "czk", "huf", "ron", "bgn",
    "jpy", "cny", "inr", "brl", "cad", "aud", "nzd", "mxn", "try", "uah", "krw", "zar", "r$", "zł", "kr",
    "kč", "ft", "lei", "fr", "sfr", "грн", "руб",
];
/// Signs of currencies, written at a number.
const SIGNS: [char; 9] = ['€', '$', '£', '¥', '₹', '₩', '₽', '₺', '₴'];
/// The same in scripts without blanks.
const WIDE_SIGNS: [char; 3] = ['円', '元', '원'];
/// What hides most of a number.
const MASKS: [char; 6] = ['*', '•', '●', '·', '…', '∙'];

/// What one line holds.
#[derive(Debug, Default)]
struct Line {
    amounts: Vec<String>,
    /// Numbers of contracts, customers, invoices, and of accounts with most of their digits hidden.
    numbers: usize,
    /// Four digits that may be the end of a number.
    ends: usize,
    /// Accounts to pay into; appeals have them, too.
    accounts: usize,
    has_date: bool,
    has_percent: bool,
    is_blank: bool,
}

/// Whether a mail is about its reader's own money. A forged one is not, nor is spam.
pub(in crate::workflows::email) fn is_about_own_money(user: &User, mail: &MailFacts) -> bool {
    let family_name = user.name.split_whitespace().last().unwrap_or_default();
    let text: String = mail.text.chars().take(MAX_TEXT).collect();
    !mail.headers.forged
        && !mail.headers.spam
        && tells_of_own_money(family_name, &mail.subject, &unquoted(&text))
}

/// Whether a mail names a number under which its sender may keep the reader. The last of several paragraphs does not
/// count: there the sender tells about themselves.
pub(in crate::workflows::email) fn names_number(mail: &MailFacts) -> bool {
    let lines: Vec<Line> =
        std::iter::once(mail.subject.as_str()).chain(mail.text.lines()).map(line).collect();
    let footer = footer(&lines);
    let before =
        lines[..footer].split(|line| line.is_blank).filter(|paragraph| !paragraph.is_empty()).count();
    let end = if before > 1 { footer } else { lines.len() };
    lines[..end].iter().any(|line| line.numbers > 0)
}

/// A text without its quotes: those mails were read when they came. Bills are full of lines that look like the start of
/// a signature, so what follows these counts.
fn unquoted(text: &str) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with('>')).collect();
    let own = lines.join("\n");
    // A mail that only quotes is read whole.
    if own.trim().is_empty() { text.to_owned() } else { own }
}

/// Whether a mail with this subject and text is about the money of the reader with this family name.
fn tells_of_own_money(family_name: &str, subject: &str, text: &str) -> bool {
    let lines: Vec<Line> = std::iter::once(subject).chain(text.lines()).map(line).collect();
    let mut amounts: Vec<&str> = lines.iter().flat_map(|line| &line.amounts).map(String::as_str).collect();
    amounts.sort_unstable();
    amounts.dedup();
    if amounts.is_empty() {
        return false;
    }
    let names_reader = names(family_name, text);
    let has_date = lines.iter().any(|line| line.has_date);
    let near = near_amounts(&lines);
    let count = |what: fn(&Line) -> usize| near.iter().map(|line| what(line)).sum::<usize>();
    let (numbers, accounts) = (count(|line| line.numbers), count(|line| line.accounts));
    let is_catalogue = numbers > MAX_ARTICLES && amounts.len() > MAX_ARTICLES;
    let is_long = text.len() > MAX_LETTER || amounts.len() > MAX_AMOUNTS || is_catalogue;
    if numbers > 0 && (!is_long || names_reader) {
        return true;
    }
    let is_offer = lines.iter().any(|line| line.has_percent) || amounts.len() > MAX_ARTICLES;
    let has_end = count(|line| line.ends) > 0;
    names_reader && (has_end || has_date && (accounts > 0 || !is_offer))
        || has_end && has_date && !is_offer && !is_long
}

/// The lines close to an amount, without the last paragraph if it has none: there the sender tells about themselves.
fn near_amounts(lines: &[Line]) -> Vec<&Line> {
    let footer = footer(lines);
    let has_amount = |line: &Line| !line.amounts.is_empty();
    let end = if lines[footer..].iter().any(has_amount) { lines.len() } else { footer };
    let filled: Vec<&Line> = lines[..end].iter().filter(|line| !line.is_blank).collect();
    let is_near = |at: usize| {
        // What the subject says goes for the whole mail.
        let from = at.saturating_sub(NEAR);
        at == 0
            || has_amount(filled[0])
            || filled[from..filled.len().min(at + NEAR + 1)].iter().any(|line| has_amount(line))
    };
    (0..filled.len()).filter(|at| is_near(*at)).map(|at| filled[at]).collect()
}

/// Where the last paragraph begins, unless it is the only one.
fn footer(lines: &[Line]) -> usize {
    let last = lines.iter().rposition(|line| !line.is_blank).unwrap_or(0);
    let begins = lines[..last].iter().rposition(|line| line.is_blank).map_or(last + 1, |blank| blank + 1);
    begins.min(lines.len())
}

/// Whether a text has this name as a word.
fn names(name: &str, text: &str) -> bool {
    let name = name.to_lowercase();
    let is_name = |word: &str| word.to_lowercase() == name;
    name.chars().count() > 2 && text.split(|c: char| !c.is_alphanumeric() && c != '-').any(is_name)
}

/// Reads one line.
fn line(text: &str) -> Line {
    let text = &spaced(text);
    let words: Vec<&str> = text.split_whitespace().map(bare).filter(|word| !word.is_empty()).collect();
    let mut line = Line { is_blank: words.is_empty(), has_percent: text.contains('%'), ..Line::default() };
    let mut at = 0;
    while at < words.len() {
        at += read(&words, at, &mut line);
    }
    line
}

/// The text with blanks around numbers in scripts that have none.
fn spaced(text: &str) -> String {
    let is_wide = |c: char| matches!(c, '\u{3000}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}' | '\u{FF1A}');
    let mut out = String::with_capacity(text.len());
    let mut was_wide = None;
    for c in text.chars() {
        if was_wide.is_some_and(|was| was != is_wide(c)) {
            out.push(' ');
        }
        was_wide = Some(is_wide(c));
        out.push(c);
    }
    out
}

/// Reads what begins at a word, and says how many words it has.
fn read(words: &[&str], at: usize, line: &mut Line) -> usize {
    let word = words[at];
    let next = words.get(at + 1).copied().unwrap_or_default();
    let before = at.checked_sub(1).map_or("", |before| words[before]);
    if word.contains("://") || word.contains('@') || word.starts_with("www.") {
        return 1;
    }
    if let Some(amount) = amount(before, word, next) {
        line.amounts.push(amount);
        return 1;
    }
    let dated = date_length(&words[at..]);
    if dated > 0 {
        line.has_date = true;
        return dated;
    }
    if is_hidden_number(word, next) {
        line.numbers += 1;
        return 1;
    }
    if is_account_start(word) {
        let is_group = |word: &&&str| {
            word.len() <= 4 && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
        };
        let groups = words[at + 1..].iter().take_while(is_group).count();
        let is_long = words[at..=at + groups].iter().map(|word| word.len()).sum::<usize>() >= 15;
        line.accounts += usize::from(is_long);
        return 1 + groups;
    }
    // Groups of digits that belong together.
    let groups = words[at + 1..].iter().take_while(|word| is_digits(word)).count();
    let run = &words[at..=at + groups];
    let digits = run.iter().map(|word| word.len()).sum::<usize>();
    if is_digits(word) && groups > 0 {
        let is_quantity = run[1..].iter().all(|group| group.len() == 3) && word.len() <= 3;
        let is_number = digits >= 6 && !is_quantity && !is_phone(before, run);
        line.numbers += usize::from(is_number);
        return run.len();
    }
    // Shorter numbers are also those of houses, towns and articles.
    let is_short = is_digits(word) && matches!(word.len(), 4 | 5) && !year(word);
    line.ends += usize::from(is_short);
    line.numbers += usize::from(is_number(word) && !is_short && !is_phone(before, &[word]));
    1
}

/// A word without the marks around it. What stands before a colon is its label.
fn bare(word: &str) -> &str {
    let around = |c: char| "()[]{}<>\"'„“”‚‘’«»,;:!?#|".contains(c);
    let word = word.trim_matches(around).trim_end_matches('.');
    match word.rsplit_once([':', '：']) {
        Some((_, value)) if !word.contains("//") => value.trim_matches(around),
        _ => word,
    }
}

fn is_digits(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

fn count_digits(word: &str) -> usize {
    word.bytes().filter(u8::is_ascii_digit).count()
}

/// The digits of an amount of money: a number with a currency at it or beside it.
fn amount(before: &str, word: &str, next: &str) -> Option<String> {
    let is_unit = |word: &str| {
        let sign = word.trim_start_matches(|c: char| c.is_ascii_uppercase());
        let is_sign = !sign.is_empty() && sign.chars().all(|c| SIGNS.contains(&c));
        is_sign || word.starts_with(WIDE_SIGNS) || CURRENCIES.contains(&word.to_lowercase().as_str())
    };
    let plain = word.trim_start_matches(['-', '+', '−', '–']);
    let start = plain.find(|c: char| c.is_ascii_digit())?;
    let rest = &plain[start..];
    let end = rest
        .find(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | ',' | '\'' | '’'))
        .unwrap_or(rest.len());
    let (prefix, number, suffix) =
        (&plain[..start], &rest[..end], rest[end..].trim_start_matches(['-', '–']));
    let is_alone = prefix.is_empty() && suffix.is_empty();
    let has_unit = is_unit(prefix) && suffix.is_empty() || prefix.is_empty() && is_unit(suffix);
    let is_beside = is_alone && (is_unit(before) || is_unit(next));
    let digits: String = number.chars().filter(char::is_ascii_digit).collect();
    ((has_unit || is_beside) && digits.bytes().any(|digit| digit != b'0')).then_some(digits)
}

/// How many words at the start are a date; 0 if none are.
fn date_length(words: &[&str]) -> usize {
    let number = |at: usize| {
        words.get(at).and_then(|word| {
            word.trim_end_matches(|c: char| c == '.' || c.is_alphabetic()).parse::<u32>().ok()
        })
    };
    let is_day = |at: usize| number(at).is_some_and(|day| (1..=31).contains(&day));
    let is_year = |at: usize| words.get(at).is_some_and(|word| year(word));
    let is_word = |at: usize| {
        words.get(at).is_some_and(|word| {
            word.chars().all(|c| c.is_alphabetic() || c == '.') && word.chars().count() > 2
        })
    };
    let is_short = |at: usize| {
        words.get(at).is_some_and(|word| matches!(word.to_lowercase().as_str(), "de" | "of" | "del"))
    };
    if is_numeric_date(words[0]) {
        return 1;
    }
    if is_year(0) && words.get(1).is_some_and(|word| word.starts_with(['年', '년'])) {
        return 2;
    }
    if is_day(0) && is_word(1) && is_year(2) || is_word(0) && is_day(1) && is_year(2) {
        return 3;
    }
    // 3 de marzo de 2027
    let month = 1 + usize::from(is_short(1));
    let year_at = month + 1 + usize::from(is_short(month + 1));
    if is_day(0) && is_word(month) && is_year(year_at) { year_at + 1 } else { 0 }
}

fn year(word: &str) -> bool {
    word.len() == 4 && word.parse().is_ok_and(|year: u32| (1990..2100).contains(&year))
}

/// `03.11.2026`, `3/11/26`, `2026-11-03`, `30.11`.
fn is_numeric_date(word: &str) -> bool {
    let Some(mark) = word.chars().find(|c| !c.is_ascii_digit()) else { return false };
    let parts: Vec<&str> = word.split(mark).collect();
    let small =
        |part: &str, most: u32| part.len() <= 2 && part.parse().is_ok_and(|n: u32| (1..=most).contains(&n));
    matches!(mark, '.' | '/' | '-')
        && match parts[..] {
            [first, second, third] => {
                let is_pair = |a: &str, b: &str| small(a, 31) && small(b, 31);
                year(first) && is_pair(second, third)
                    || is_pair(first, second) && (year(third) || small(third, 99))
            }
            _ => false,
        }
}

/// A number of which only the end is shown: `••••4242`, `DE12****4242`, `**** 4242`.
fn is_hidden_number(word: &str, next: &str) -> bool {
    let has_crosses = word.contains("xx") || word.contains("XX");
    let is_mask = |c: &char| MASKS.contains(c) || has_crosses && matches!(c, 'x' | 'X');
    let masks = |word: &str| word.chars().filter(is_mask).count();
    let shown = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let tail = word.len() - shown.len();
    let is_masked = |word: &str| {
        word.len() <= 24
            && masks(word) >= 2
            && word.chars().all(|c| is_mask(&c) || c.is_ascii_digit() || c.is_ascii_uppercase() || c == '-')
    };
    let ends = shown.ends_with(|c| is_mask(&c) || matches!(c, '-' | 'x'));
    (2..=6).contains(&tail)
        && ends
        && (is_masked(shown) || tail == 4 && matches!(shown, "…" | "*" | "•" | "x"))
        || tail == 0 && is_masked(word) && is_digits(next) && (2..=6).contains(&next.len())
}

/// `DE89`, or a whole account of letters and digits.
fn is_account_start(word: &str) -> bool {
    let bytes = word.as_bytes();
    bytes.len() >= 4
        && bytes[..2].iter().all(u8::is_ascii_uppercase)
        && bytes[2..].iter().all(u8::is_ascii_digit)
        && (bytes.len() == 4 || bytes.len() >= 15)
}

fn is_phone(before: &str, run: &[&str]) -> bool {
    let groups: Vec<&str> = run.iter().flat_map(|word| word.split('-')).collect();
    // 202-333-0008
    let is_american = matches!(groups[..], [.., area, end] if area.len() == 3 && end.len() == 4);
    let is_split = groups.len() > 1 && groups.iter().all(|group| is_digits(group));
    let is_area =
        run[0].starts_with('0') && (is_split || run[0].contains('/') || count_digits(run[0]) > MAX_NUMBER);
    is_area || run[0].starts_with('+') || before.starts_with('+') || is_american && is_split
}

/// Whether a word is the number of a contract, an invoice and the like: groups of digits, or of letters and digits.
fn is_number(word: &str) -> bool {
    if !word.is_ascii() {
        return false;
    }
    let groups: Vec<&str> = word.split(['-', '/', '_']).collect();
    let is_group = |group: &str| {
        let digits = group.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    let has_digits = |group: &str| count_digits(group) > 0 || group.len() == 1;
    let is_code =
        word.len() >= 12 && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    let is_tax_number =
        word.len() > 9 && word.starts_with(|c: char| c.is_ascii_uppercase()) && is_digits(&word[2..]);
    let is_day = word.len() == 8 && year(&word[..4]);
    let is_book = word.starts_with("978") || word.starts_with("979");
    count_digits(word) >= 5
        && (is_code || groups.iter().all(|group| is_group(group)))
        && groups[1..].iter().all(|group| has_digits(group))
        && !groups.iter().all(|group| year(group))
        && !(is_tax_number || is_day || is_book)
}

#[cfg(test)]
mod tests {
    use super::super::signs::Signs;
    use super::*;

    fn is_own(subject: &str, text: &str) -> bool {
        tells_of_own_money("Lovelace", subject, text)
    }

    #[test]
    fn an_amount_beside_a_number_of_the_readers_is_their_money() {
        for (subject, text) in [
            ("Mahnung", "Rechnung Nr. 10023 vom 3.10.2026 über 49,90 EUR ist offen."),
            ("Échéance", "312,50 € seront prélevés le 5 décembre 2026. Contrat n° 00871234-A"),
            ("Bolletta", "89,12 €, scadenza 15/12/2026, codice cliente 00112233"),
            ("Card", "The card ••••4242 was declined for $49.00."),
            ("Card", "The card xxxx-4242 was declined for USD 49."),
            ("Konto", "34,99 € werden von Ihrem Konto DE12 **** **** **** 34 abgebucht."),
            ("Invoice INV-2026-10442", "It comes to £1,204.00."),
            ("Paid", "You paid $20.00. Transaction: 8XY12345AB678901C"),
            ("ご請求", "お客様番号33004182、ご請求額8,412円です"),
            ("Premium", "Dear Ms Lovelace, it will be CHF 1'240.00 from 1 January 2027."),
        ] {
            assert!(is_own(subject, text), "{subject}: {text}");
        }
    }

    #[test]
    fn prices_are_nobodys_money() {
        for (subject, text) in [
            ("Offer", "Only 19,99 € until 30.11.2026, with the code AUTUMN26!"),
            ("Offer", "Lisbon from £39. Call 0117 496 0155 or +44 117 4960156 or 202-333-0008."),
            ("Book", "ISBN 978-88-418-2201-7 for 24,00 €"),
            ("Shop", "19,99 €\n\nShop GmbH, 28195 Bremen, HRB 204417, USt-IdNr. DE204417302"),
            ("Screen", "2560x1440 for 299 €, 12x8x32 for 99 €"),
            ("Markets", "The index closed at 8813.50, gold at $4,102."),
            ("Appeal", "£25 feeds a family. GB29 NWBK 6016 1331 9268 19"),
            ("Premium", "Dear Ms Lovelace, 20% off until 1 January 2027: only £9."),
            ("Your contract 8812-443", "It ends on 31.12.2026."),
        ] {
            assert!(!is_own(subject, text), "{subject}: {text}");
        }
        let articles = "Art. 4410-2281 8,90 €\nArt. 4410-2290 12,40 €\nArt. 4410-3117 21,80 €";
        assert!(!is_own("Catalogue", articles));
    }

    #[test]
    fn a_forged_mail_is_about_nobodys_money() {
        let mut mail = MailFacts { text: "Invoice INV-2026-10442: £12.50".into(), ..MailFacts::default() };
        assert!(is_about_own_money(&User::default(), &mail));
        mail.headers.forged = true;
        assert!(!is_about_own_money(&User::default(), &mail));
    }

    #[test]
    fn no_model_hides_money_by_its_envelope() {
        let text = "Your receipt for the contract 00871234-A: £312.50".to_owned();
        let mut mail = MailFacts { subject: "Your receipt".into(), text, ..MailFacts::default() };
        let by_model = |mail: &MailFacts| is_about_own_money(&User::default(), mail);
        let by_rules = |mail: &MailFacts| Signs::of(&User::default(), mail).own_money;
        assert!(by_model(&mail) && !by_rules(&mail));
        mail.subject = "Your contract".into();
        assert!(by_model(&mail) && !by_rules(&mail), "written to the reader alone");
        mail.list_id = Some("news.shop.example".into());
        assert!(by_rules(&mail));
    }

    #[test]
    fn bills_are_read_to_the_end() {
        let is_own = |text: &str| {
            let mail = MailFacts { text: text.into(), ..MailFacts::default() };
            is_about_own_money(&User::default(), &mail)
        };
        for line in ["________________", "--", "-----Original Message-----"] {
            assert!(is_own(&format!("Your invoice\n{line}\nINV-2026-10442: £12.50")), "{line}");
        }
        assert!(is_own("> INV-2026-10442: £12.50"), "nothing but a quote");
        assert!(!is_own("Thanks!\n> INV-2026-10442: £12.50"), "that was another mail");
    }
}
