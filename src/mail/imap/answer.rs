//! An IMAP server's answers: how a command ended, and the data it returned.

use super::value::{Value, after};

/// How a command ended, or how the session began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StatusKind {
    Ok,
    No,
    Bad,
    Bye,
    PreAuth,
}

#[derive(Debug)]
pub(super) enum Response {
    Status { tag: Option<String>, kind: StatusKind, code: String, text: String },
    Data(Vec<Value>),
    Continue,
}

/// All answers to one command.
#[derive(Debug, Default)]
pub(super) struct Responses {
    pub(super) data: Vec<Vec<Value>>,
    /// The codes in brackets: names in upper case, arguments unchanged.
    pub(super) codes: Vec<String>,
}

impl Responses {
    /// The argument of a code, for example of `UIDVALIDITY 3`.
    pub(super) fn code(&self, name: &str) -> Option<&str> {
        let argument = |code: &'_ String| -> Option<usize> {
            let (word, _) = code.split_once(' ')?;
            word.eq_ignore_ascii_case(name).then_some(word.len() + 1)
        };
        self.codes.iter().find_map(|code| argument(code).map(|at| code[at..].trim()))
    }

    /// The numbers found by `SEARCH`.
    pub(super) fn search_results(&self) -> Vec<u64> {
        let searches = self.data.iter().filter(|data| data.first().is_some_and(|word| word.is("SEARCH")));
        let mut numbers: Vec<u64> =
            searches.flat_map(|data| data.iter().skip(1).filter_map(Value::number)).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }

    /// The pairs of each `FETCH` answer that has a UID.
    pub(super) fn fetched(&self) -> impl Iterator<Item = (u64, &[Value])> {
        self.data.iter().filter_map(|data| match data.as_slice() {
            [_, word, pairs] if word.is("FETCH") => {
                let pairs = pairs.list();
                Some((after(pairs, "UID")?.number()?, pairs))
            }
            _ => None,
        })
    }
}

/// Whether an answer reports a change in the open folder.
pub(super) fn is_news(data: &[Value]) -> bool {
    matches!(data, [_, word, ..] if ["EXISTS", "EXPUNGE", "FETCH"].iter().any(|news| word.is(news)))
        || data.first().is_some_and(|word| word.is("VANISHED"))
}

/// Reads `TAG OK [CODE] text`; `None` for other lines.
pub(super) fn status(line: &[u8]) -> Option<Response> {
    let line = String::from_utf8_lossy(line);
    let (tag, rest) = line.split_once(' ')?;
    let (word, text) = rest.split_once(' ').unwrap_or((rest, ""));
    let kind = match word.to_ascii_uppercase().as_str() {
        "OK" => StatusKind::Ok,
        "NO" => StatusKind::No,
        "BAD" => StatusKind::Bad,
        "BYE" => StatusKind::Bye,
        "PREAUTH" => StatusKind::PreAuth,
        _ => return None,
    };
    let (code, text) = match text.strip_prefix('[').and_then(|inside| inside.split_once(']')) {
        Some((code, text)) => (code.to_owned(), text.trim().to_owned()),
        None => (String::new(), text.trim().to_owned()),
    };
    let tag = (tag != "*").then(|| tag.to_owned());
    Some(Response::Status { tag, kind, code, text })
}
