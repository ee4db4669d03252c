//! Reads address lines (`From`, `To`, `Reply-To` …) as they occur in practice.
//!
//! Promises: linear time, no errors, and the only reader of addresses in incoming mail. The address in angle brackets
//! wins; text without an address belongs to the name of the next one; encoded, quoted or commented text is never an
//! address if there is one outside. Text in an irregular form is read and reported as unusual.
//!
//! Not here: guessing. An address cannot contain a blank, and no address is assembled from pieces of text.

mod tokens;

use super::words::{self, Letter, MAX_LINE, clip};
use crate::mail::Address;
use crate::text::Visible;
use tokens::{Angle, Token, is_address, tokens};

/// The result of reading a line.
#[derive(Debug, Default)]
pub(super) struct Line {
    /// Without groups. An empty address stands for text that names nobody.
    pub addresses: Vec<Address>,
    /// Whether other programs may read it differently.
    pub unusual: bool,
}

pub(super) fn read(value: &[u8], charset: &str) -> Line {
    let letters = words::letters(value, charset);
    let (tokens, is_damaged) = tokens(&letters);
    let (entries, unusual) = entries(&tokens);
    let has_outside = entries.iter().any(|entry| !entry.addresses.is_empty());
    // Some programs quote or encode the whole line.
    let inside =
        if has_outside { None } else { (0..tokens.len()).find_map(|at| addresses_inside(&tokens, at)) };
    let unusual = is_damaged || unusual || inside.is_some();
    let addresses = inside.unwrap_or_else(|| entries.into_iter().flat_map(Entry::into_addresses).collect());
    Line { addresses, unusual }
}

/// One person on a line, or several if nothing separates them.
#[derive(Debug, Default)]
struct Entry {
    name: String,
    addresses: Vec<String>,
    unusual: bool,
}

impl Entry {
    fn is_empty(&self) -> bool {
        self.name.is_empty() && self.addresses.is_empty()
    }

    fn into_addresses(self) -> Vec<Address> {
        let name = Visible::line(clip(&self.name, MAX_LINE)).into_string();
        let mut addresses: Vec<Address> =
            self.addresses.iter().map(|address| Address::bare(&bare(address))).collect();
        match addresses.first_mut() {
            Some(first) => first.name = name,
            None => addresses.push(Address { name, address: String::new() }),
        }
        addresses
    }
}

/// The people on a line, and whether it is written in an unusual way.
fn entries(tokens: &[Token]) -> (Vec<Entry>, bool) {
    let (pieces, mut unusual) = pieces(tokens);
    let mut entries: Vec<Entry> = Vec::new();
    let mut names: Vec<String> = Vec::new();
    for piece in &pieces {
        let mut entry = entry(piece);
        // A comma at the start or end, or two in a row.
        unusual |= entry.unusual || (entry.is_empty() && pieces.len() > 1);
        let in_name = !names.is_empty();
        if !entry.name.is_empty() {
            names.push(std::mem::take(&mut entry.name));
        }
        if !entry.addresses.is_empty() {
            // An unquoted comma within a name.
            unusual |= in_name;
            entry.name = std::mem::take(&mut names).join(", ");
            entries.push(entry);
        }
    }
    if !names.is_empty() {
        unusual = true;
        entries.push(Entry { name: names.join(", "), ..Entry::default() });
    }
    (entries, unusual)
}

/// The parts between commas, without group names.
fn pieces(tokens: &[Token]) -> (Vec<Vec<&Token>>, bool) {
    let last_semicolon = tokens.iter().rposition(|token| matches!(token, Token::Semicolon));
    let (mut pieces, mut unusual, mut in_group) = (vec![Vec::new()], false, false);
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Comma => pieces.push(Vec::new()),
            Token::Semicolon => {
                unusual = true;
                in_group = false;
                pieces.push(Vec::new());
            }
            // `Name: people;` is a group. Without the semicolon, the colon is part of a name.
            Token::Colon if !in_group && last_semicolon.is_some_and(|last| at < last) => {
                in_group = true;
                pieces.pop();
                pieces.push(Vec::new());
            }
            Token::Word { .. }
            | Token::Quoted(_)
            | Token::Comment(_)
            | Token::Angle(_)
            | Token::Blank
            | Token::Colon => {
                unusual |= matches!(token, Token::Colon);
                if let Some(piece) = pieces.last_mut() {
                    piece.push(token);
                }
            }
        }
    }
    (pieces, unusual)
}

/// Reads the part between two commas.
fn entry(piece: &[&Token]) -> Entry {
    let find_angle = |accepts: fn(&str) -> bool| {
        let fits =
            |token: &&Token| matches!(token, Token::Angle(Angle { address: Some(a), .. }) if accepts(a));
        piece.iter().rposition(fits)
    };
    // Programs put the address after the name they were given, whatever that contains.
    if let Some(at) = find_angle(is_address) {
        return in_brackets(piece, at);
    }
    let find_words = |accepts: fn(&[&Token], usize) -> Option<AddressMatch>| -> Vec<AddressMatch> {
        (0..piece.len()).filter_map(|at| accepts(piece, at)).collect()
    };
    let plain = find_words(plain_word);
    if !plain.is_empty() {
        return without_brackets(piece, plain);
    }
    let trimmed = find_words(trimmed_word);
    if !trimmed.is_empty() {
        return Entry { unusual: true, ..without_brackets(piece, trimmed) };
    }
    if let Some(at) = find_angle(|_| true) {
        return in_brackets(piece, at);
    }
    // Old programs name a local mailbox: `root (Cron Daemon)`.
    let comments: Vec<&Token> = piece.iter().copied().filter(|token| is_comment(&[token])).collect();
    let words: Vec<&Token> = piece.iter().copied().filter(|token| !is_comment(&[token])).collect();
    match words.as_slice() {
        [Token::Word { text, encoded: false }] if is_description(&name(&comments)) => {
            Entry { name: name(&comments), addresses: vec![text.clone()], unusual: true }
        }
        _ => Entry { name: name(piece), ..Entry::default() },
    }
}

/// The address in the brackets at `at`; everything else is its name.
fn in_brackets(piece: &[&Token], at: usize) -> Entry {
    let others = || piece[..at].iter().chain(&piece[at + 1..]).copied();
    let more = others().any(|token| matches!(token, Token::Angle(_)));
    let addresses = match piece[at] {
        Token::Angle(Angle { address, .. }) => address.iter().cloned().collect(),
        _ => Vec::new(),
    };
    let unusual = more || !is_comment(&piece[at + 1..]);
    Entry { name: name(&others().collect::<Vec<_>>()), addresses, unusual }
}

/// Addresses between other words, which form the name.
fn without_brackets(piece: &[&Token], matches: Vec<AddressMatch>) -> Entry {
    let mut rest: Vec<Option<&Token>> = piece.iter().copied().map(Some).collect();
    for at in matches.iter().flat_map(|found| found.tokens.clone()) {
        rest[at] = None;
    }
    let rest: Vec<&Token> = rest.into_iter().flatten().collect();
    let unusual = matches.len() > 1 || !is_comment(&rest);
    let addresses = matches.into_iter().map(|found| found.address).collect();
    Entry { name: name(&rest), addresses, unusual }
}

/// An address without brackets, and the tokens it consists of.
struct AddressMatch {
    address: String,
    tokens: std::ops::RangeInclusive<usize>,
}

fn plain_word(piece: &[&Token], at: usize) -> Option<AddressMatch> {
    let Token::Word { text, encoded: false } = piece[at] else { return None };
    if let Some(Token::Quoted(quoted)) = at.checked_sub(1).map(|before| piece[before]) {
        let address = format!("\"{quoted}\"{text}");
        return (text.starts_with('@') && is_address(&address))
            .then(|| AddressMatch { address, tokens: at - 1..=at });
    }
    is_address(text).then(|| AddressMatch { address: text.clone(), tokens: at..=at })
}

fn trimmed_word(piece: &[&Token], at: usize) -> Option<AddressMatch> {
    let Token::Word { text, encoded: false } = piece[at] else { return None };
    let address = text.trim_matches(tokens::AROUND);
    is_address(address).then(|| AddressMatch { address: address.to_owned(), tokens: at..=at })
}

/// Whether there are only comments.
fn is_comment(tokens: &[&Token]) -> bool {
    tokens.iter().all(|token| matches!(token, Token::Comment(_) | Token::Blank))
}

/// Whether a comment describes an address instead of being one.
fn is_description(comment: &str) -> bool {
    !comment.is_empty() && !comment.contains('@')
}

/// The text of tokens as a name.
fn name(tokens: &[&Token]) -> String {
    let only_comments = is_comment(tokens);
    let mut name = String::new();
    for token in tokens {
        match token {
            Token::Word { text, .. } | Token::Quoted(text) => name.push_str(text),
            Token::Comment(text) if only_comments => name.push_str(text),
            Token::Comment(text) => name.extend(["(", text, ")"]),
            Token::Angle(angle) => name.extend(["<", &angle.text, ">"]),
            Token::Blank => name.push(' '),
            Token::Comma => name.push(','),
            Token::Semicolon => name.push(';'),
            Token::Colon => name.push(':'),
        }
    }
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    if name.eq_ignore_ascii_case("mailto:") { String::new() } else { name }
}

/// The addresses in a quote, a comment or an encoded word that is a whole address line by itself. Text that only
/// mentions an address does not count.
fn addresses_inside(tokens: &[Token], at: usize) -> Option<Vec<Address>> {
    let (Token::Quoted(text) | Token::Comment(text) | Token::Word { text, encoded: true }) = &tokens[at]
    else {
        return None;
    };
    let letters: Vec<Letter> = text.chars().map(|char| Letter { char, encoded: false }).collect();
    let (inner, _) = tokens::tokens(&letters);
    let address =
        |token: &Token| matches!(token, Token::Angle(Angle { address: Some(a), .. }) if is_address(a));
    if !inner.iter().any(address) && !is_address(text.trim()) {
        return None;
    }
    let (mut entries, _) = entries(&inner);
    entries.retain(|entry| !entry.addresses.is_empty());
    let around: Vec<&Token> = tokens[..at].iter().chain(&tokens[at + 1..]).collect();
    let first = entries.first_mut()?;
    first.name = format!("{} {}", name(&around), first.name).trim().to_owned();
    Some(entries.into_iter().flat_map(Entry::into_addresses).collect())
}

/// An address with its domain in ASCII and lower case.
pub(in crate::mail) fn bare(address: &str) -> String {
    let address = clip(address.trim(), MAX_LINE);
    let bare = match address.rsplit_once('@') {
        // The ASCII form drops invisible letters, which would make it another domain.
        Some((local, domain)) if Visible::line(domain) == domain => {
            format!("{local}@{}", ascii_domain(domain))
        }
        _ => address.to_owned(),
    };
    Visible::line(&bare).into_string()
}

/// A domain in ASCII and lower case; if it has no ASCII form, only in lower case.
pub(in crate::mail) fn ascii_domain(domain: &str) -> String {
    if domain.is_ascii() {
        return domain.to_ascii_lowercase();
    }
    idna::domain_to_ascii(domain).unwrap_or_else(|_| domain.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(line: &str) -> Vec<String> {
        read(line.as_bytes(), "").addresses.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn lists_of_recipients() {
        for (line, expected) in [
            ("a@b.example,c@d.example", &["a@b.example", "c@d.example"][..]),
            (
                "Smith, Ann <a@b.example>, Lee, Bob <c@d.example>",
                &["Smith, Ann <a@b.example>", "Lee, Bob <c@d.example>"],
            ),
            (
                "\"Smith, Ann\" <a@b.example>; Bob <c@d.example>",
                &["Smith, Ann <a@b.example>", "Bob <c@d.example>"],
            ),
            ("Team: a@b.example, c@d.example;, e@f.example", &["a@b.example", "c@d.example", "e@f.example"]),
            ("One: a@b.example; Two: c@d.example;", &["a@b.example", "c@d.example"]),
            ("undisclosed-recipients:;", &[]),
            ("Undisclosed recipients", &["Undisclosed recipients"]),
            ("Ann <a@b.example>, Bob", &["Ann <a@b.example>", "Bob"]),
            (
                "<a@[IPv6:2001:db8::1]>, c@[IPv6:2001:db8::2]",
                &["a@[ipv6:2001:db8::1]", "c@[ipv6:2001:db8::2]"],
            ),
            ("<a@b.example (home)>", &["a@b.example"]),
            ("<\"a <b> c\"@d.example>", &["\"a <b> c\"@d.example"]),
            ("Ann <\"a@b.example>, \"Bob\" <c@d.example>", &["Ann <a@b.example>", "Bob <c@d.example>"]),
            ("Ann <a@b.example, Bob <c@d.example>", &["Ann <a@b.example>", "Bob <c@d.example>"]),
            ("", &[]),
            (",;:<>", &[":<>"]),
        ] {
            assert_eq!(shown(line), expected, "{line}");
        }
    }

    proptest! {
        #[test]
        fn no_line_panics_and_no_address_has_a_blank(line in "[ab@. <>\"(),;:\\\\\\[\\]é\u{200b}]{0,40}") {
            for address in read(line.as_bytes(), "").addresses {
                prop_assert!(Visible::line(&address.to_string()) == address.to_string().as_str());
                prop_assert!(address.address.starts_with('"') || !address.address.contains([' ', ',', ';']), "{}", address);
            }
        }
    }
}
