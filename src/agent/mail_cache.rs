//! Recently parsed mails, by the digest of their bytes. The nodes and cards of a thread read the same mails again and
//! again, and a digest always names the same bytes.

use crate::mail::Mail;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// How many mails are kept.
const CAPACITY: usize = 64;

/// Parsed mails, newest last.
#[derive(Default)]
pub struct MailCache(Mutex<VecDeque<(String, Arc<Mail>)>>);

impl MailCache {
    /// The mail with this digest. `parse` runs only if the mail is not in the cache.
    pub fn get<E>(&self, digest: &str, parse: impl FnOnce() -> Result<Mail, E>) -> Result<Arc<Mail>, E> {
        let cached = |(key, mail): &(String, Arc<Mail>)| (key == digest).then(|| mail.clone());
        if let Some(mail) = self.lock().iter().find_map(cached) {
            return Ok(mail);
        }
        let mail = Arc::new(parse()?);
        let mut mails = self.lock();
        if mails.len() >= CAPACITY {
            mails.pop_front();
        }
        mails.push_back((digest.to_owned(), mail.clone()));
        Ok(mail)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, VecDeque<(String, Arc<Mail>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mail_is_parsed_once_while_it_is_kept() {
        let cache = MailCache::default();
        let parse = |cache: &MailCache, digest: &str| {
            let mut parsed = false;
            let mail = cache.get(digest, || {
                parsed = true;
                Ok::<_, ()>(Mail { subject: digest.to_owned(), ..Mail::default() })
            });
            assert_eq!(mail.unwrap().subject, digest);
            parsed
        };
        assert!(parse(&cache, "a") && !parse(&cache, "a") && parse(&cache, "b"));
        assert_eq!(cache.get("c", || Err("unreadable")), Err("unreadable"));
        assert!(parse(&cache, "c"), "what failed is not kept");
        for n in 0..CAPACITY {
            parse(&cache, &format!("m{n}"));
        }
        assert!(parse(&cache, "a"), "the oldest goes first");
    }
}
