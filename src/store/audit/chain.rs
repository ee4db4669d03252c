//! Lines and their chain. Pure: the same judge for rows of a store and for lines of a file.

use crate::text::hex;
use jiff::Timestamp;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeSet;

/// What every line of an export begins with; the digest stands behind it.
const OPENS: &str = "{\"digest\":\"";
/// What stands behind the chained part of a line. Inside a string its quotes would be escaped.
const TEXTS: &str = ",\"texts\":{";
/// What the last line of an export begins with.
pub(super) const ENDS: &str = "{\"end\":";
/// More than this many complaints about one chain say nothing new.
const MOST: usize = 20;
/// As many missing lines are remembered, in case they come later.
const SKIPPED: usize = 10_000;

/// The chained part of a line, as bytes go into its digest.
pub(super) fn text(before: &[u8; 32], n: i64, at: Timestamp, entry: &str) -> String {
    let rest = entry.strip_prefix('{').unwrap_or(entry);
    format!("{{\"before\":\"{}\",\"n\":{n},\"at\":\"{at}\",{rest}", hex(before))
}

pub(super) fn digest(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}

/// A line of the audit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its number, from 1.
    pub n: u64,
    /// The digest it names for the line before it.
    pub before: String,
    /// The digest it carries.
    pub digest: String,
    /// What the digest is over: the line without it, and without the texts that are joined to it.
    pub text: String,
    /// The texts that are joined to it, as JSON.
    pub texts: Option<String>,
}

/// The last line of an export: how far the audit went when it was made.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct End {
    /// The number of its last line.
    pub n: u64,
    /// The digest of that line.
    pub last: String,
    /// When it was made.
    pub at: Timestamp,
    /// The digest of these three.
    digest: String,
}

#[derive(serde::Serialize, serde::Deserialize)]
struct Ends {
    end: End,
}

#[derive(serde::Deserialize)]
struct Numbered {
    n: u64,
    before: String,
}

impl Line {
    pub(super) fn new(n: i64, before: &[u8; 32], digest: &[u8; 32], text: String) -> Self {
        Self { n: n.unsigned_abs(), before: hex(before), digest: hex(digest), text, texts: None }
    }

    /// Reads a line of an export.
    pub fn parse(written: &str) -> Option<Self> {
        let rest = written.strip_prefix(OPENS)?;
        let (digest, rest) = rest.split_at_checked(64)?;
        let rest = rest.strip_prefix("\",")?;
        let (text, texts) = match rest.split_once(TEXTS) {
            Some((text, texts)) => (format!("{{{text}}}"), Some(format!("{{{}", texts.strip_suffix('}')?))),
            None => (format!("{{{rest}"), None),
        };
        let Numbered { n, before } = serde_json::from_str(&text).ok()?;
        Some(Self { n, before, digest: digest.to_owned(), text, texts })
    }

    /// As an export writes it.
    pub fn written(&self) -> String {
        let text = self.text.strip_prefix('{').unwrap_or(&self.text);
        match self.texts.as_deref().and_then(|texts| texts.strip_prefix('{')) {
            None => format!("{OPENS}{}\",{text}", self.digest),
            Some(texts) => {
                let text = text.strip_suffix('}').unwrap_or(text);
                format!("{OPENS}{}\",{text}{TEXTS}{texts}}}", self.digest)
            }
        }
    }

    /// Whether its digest is its own.
    pub fn holds(&self) -> bool {
        hex(&digest(&self.text)) == self.digest
    }
}

impl End {
    /// The end of an export made now.
    pub fn new(n: u64, last: String, at: Timestamp) -> Self {
        let digest = Self::digest(n, &last, at);
        Self { n, last, at, digest }
    }

    fn digest(n: u64, last: &str, at: Timestamp) -> String {
        hex(&digest(&format!("{{\"n\":{n},\"last\":\"{last}\",\"at\":\"{at}\"}}")))
    }

    /// Whether its digest is its own.
    pub fn holds(&self) -> bool {
        Self::digest(self.n, &self.last, self.at) == self.digest
    }

    /// Reads the last line of an export.
    pub fn parse(written: &str) -> Option<Self> {
        written.strip_prefix(ENDS)?;
        Some(serde_json::from_str::<Ends>(written).ok()?.end)
    }

    /// As an export writes it.
    pub fn written(&self) -> String {
        serde_json::to_string(&Ends { end: self.clone() }).unwrap_or_default()
    }
}

/// Judges lines one after another, and names each that is not as it was written.
#[derive(Debug, Default)]
pub struct Chain {
    /// The last line, with its digest where that can be trusted.
    last: Option<(u64, Option<String>)>,
    /// Numbers that were skipped and may still come, in the wrong place.
    missing: BTreeSet<u64>,
    /// How many lines there were.
    pub lines: u64,
    problems: Vec<String>,
    further: usize,
}

impl Chain {
    /// A chain that begins with line 1. Without it, the first line may be any.
    pub fn from_the_first() -> Self {
        Self { last: Some((0, Some(hex(&[0; 32])))), ..Self::default() }
    }

    /// The next line.
    pub fn take(&mut self, line: &Line) {
        self.lines += 1;
        let n = line.n;
        let sound = line.holds();
        if !sound {
            self.say(format!("line {n} was edited: its digest is not its own"));
        }
        if let Some((last, digest)) = self.last.clone() {
            if n == last + 1 {
                if sound && digest.is_some_and(|digest| digest != line.before) {
                    self.say(format!(
                        "line {n} does not rest on the line {last} before it: one of them is forged"
                    ));
                }
            } else if n > last {
                // Bounded: a made-up number must not fill the memory.
                self.missing.extend((last + 1..n).take(SKIPPED));
            } else if self.missing.remove(&n) {
                self.say(format!("line {n} stands behind line {last}: lines were reordered"));
                return;
            } else {
                self.say(format!("a second line {n} stands behind line {last}: it is forged"));
                return;
            }
        }
        // What an edited line claims to be is not what the next one rests on, and that one is not to blame.
        self.last = Some((n, sound.then(|| line.digest.clone())));
    }

    /// A line that cannot be read, as number `at` of its file.
    pub fn unreadable(&mut self, at: u64) {
        self.lines += 1;
        self.say(format!("number {at} of the file is no line of an audit"));
    }

    /// The chain is over, and this is the line it must end with.
    pub fn end(mut self, n: u64, digest: &str) -> Vec<String> {
        let (last, found) = self.last.clone().unwrap_or_default();
        if last < n {
            self.say(match n - last {
                1 => format!("line {n} is cut off the end"),
                _ => format!("lines {} to {n} are cut off the end", last + 1),
            });
        } else if last > n {
            self.say(format!("line {last} stands behind line {n}, which was the last: it is forged"));
        } else if found.is_some_and(|found| found != digest) {
            self.say(format!("line {n} is not the line that was the last: it is forged"));
        }
        self.over()
    }

    /// The chain is over, wherever it may end.
    pub fn over(mut self) -> Vec<String> {
        let mut missing = std::mem::take(&mut self.missing).into_iter().peekable();
        while let Some(first) = missing.next() {
            let mut last = first;
            while missing.next_if(|n| *n == last + 1).is_some() {
                last += 1;
            }
            self.say(match first == last {
                true => format!("line {first} is missing"),
                false => format!("lines {first} to {last} are missing"),
            });
        }
        if self.further > 0 {
            self.problems.push(format!("and {} more", self.further));
        }
        self.problems
    }

    /// Names something that is wrong.
    pub fn say(&mut self, problem: String) {
        if self.problems.len() < MOST {
            self.problems.push(problem);
        } else {
            self.further += 1;
        }
    }
}
