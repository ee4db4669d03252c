//! Addresses as people and models type them, and as mail needs them.

use super::ComposeError;
use crate::mail::Address;
use std::str::FromStr;

/// The longest address SMTP carries.
const LONGEST: usize = 254;

/// An address somebody typed: `ann@example.org` or `Ann Lee <ann@example.org>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipient(pub Address);

impl FromStr for Recipient {
    type Err = ComposeError;

    fn from_str(typed: &str) -> Result<Self, ComposeError> {
        let typed = typed.trim();
        let (name, bare) = match typed.strip_suffix('>').and_then(|rest| rest.rsplit_once('<')) {
            Some((name, bare)) => (unquoted(name.trim()), bare.trim()),
            None => (String::new(), typed),
        };
        Ok(Self(Address { name, address: ascii_address(bare)? }))
    }
}

/// A display name without the quotes it may have been written in.
fn unquoted(name: &str) -> String {
    let Some(inside) = name.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else {
        return name.to_owned();
    };
    let mut plain = String::with_capacity(inside.len());
    let mut escaped = false;
    for c in inside.chars() {
        if c == '\\' && !escaped {
            escaped = true;
        } else {
            plain.push(c);
            escaped = false;
        }
    }
    plain
}

/// The address as sent over the wire: the domain in ASCII and lower case.
pub fn ascii_address(bare: &str) -> Result<String, ComposeError> {
    let refuse = |why| Err(ComposeError::Address { address: bare.to_owned(), why });
    let Some((local, domain)) = bare.rsplit_once('@') else {
        return refuse("there is no @ in it");
    };
    if !local.is_ascii() {
        return refuse("letters before the @ must be plain ones (a to z)");
    }
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~".contains(&byte);
    let atom = |atom: &str| !atom.is_empty() && atom.bytes().all(is_plain);
    if local.len() > 64 || !local.split('.').all(atom) {
        return refuse("what stands before the @ cannot be read");
    }
    let domain = match ascii_domain(domain) {
        Ok(domain) => domain,
        Err(why) => return refuse(why),
    };
    let address = format!("{local}@{domain}");
    if address.len() > LONGEST { refuse("it is too long") } else { Ok(address) }
}

/// A domain in its ASCII form.
pub(super) fn ascii_domain(domain: &str) -> Result<String, &'static str> {
    const WHY: &str = "what stands after the @ is not a domain";
    if let Some(literal) = domain.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        let fine = literal.bytes().all(|b| b.is_ascii_alphanumeric() || b".:-".contains(&b));
        return if fine && !literal.is_empty() { Ok(domain.to_owned()) } else { Err(WHY) };
    }
    let ascii = idna::domain_to_ascii(domain).map_err(|_| WHY)?;
    let label = |label: &str| {
        !label.is_empty() && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
    };
    if ascii.split('.').all(label) { Ok(ascii) } else { Err(WHY) }
}
