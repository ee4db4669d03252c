//! Parses IMAP answers into values (RFC 9051, section 9), and writes sets of numbers. Does no I/O.

/// How deep lists may nest.
const DEEPEST: usize = 32;

/// A piece of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// An unquoted word: an atom, a number, a flag, `BODY[]`, `NIL`.
    Word(String),
    /// A string, quoted or as a literal.
    Text(Vec<u8>),
    /// The values in parentheses.
    List(Vec<Value>),
}

impl Value {
    /// The text of a word or a string.
    pub(super) fn text(&self) -> Option<String> {
        match self {
            Self::Word(word) => Some(word.clone()),
            Self::Text(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
            Self::List(_) => None,
        }
    }

    /// Whether it is this word, ignoring case.
    pub(super) fn is(&self, expected: &str) -> bool {
        matches!(self, Self::Word(word) if word.eq_ignore_ascii_case(expected))
    }

    pub(super) fn number(&self) -> Option<u64> {
        match self {
            Self::Word(word) => word.parse().ok(),
            Self::Text(_) | Self::List(_) => None,
        }
    }

    pub(super) fn list(&self) -> &[Value] {
        match self {
            Self::List(values) => values,
            Self::Word(_) | Self::Text(_) => &[],
        }
    }
}

/// The value after a word in a list of pairs, as in `FETCH`.
pub(super) fn after<'a>(pairs: &'a [Value], word: &str) -> Option<&'a Value> {
    pairs.iter().position(|value| value.is(word)).and_then(|at| pairs.get(at + 1))
}

/// Whether a mail in a `FETCH` has a flag.
pub(super) fn has_flag(pairs: &[Value], flag: &str) -> bool {
    after(pairs, "FLAGS").map(Value::list).unwrap_or_default().iter().any(|own| own.is(flag))
}

/// Builds values from the lines and literals of an answer.
#[derive(Debug)]
pub(super) struct Builder {
    open: Vec<Vec<Value>>,
}

/// The answer is not IMAP.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NotImap;

impl Default for Builder {
    fn default() -> Self {
        Self { open: vec![Vec::new()] }
    }
}

impl Builder {
    fn put(&mut self, value: Value) {
        if let Some(list) = self.open.last_mut() {
            list.push(value);
        }
    }

    /// Adds a literal.
    pub(super) fn text(&mut self, bytes: Vec<u8>) {
        self.put(Value::Text(bytes));
    }

    /// Adds a line, or the part of it before a literal.
    pub(super) fn line(&mut self, line: &[u8]) -> Result<(), NotImap> {
        let mut at = 0;
        while let Some(byte) = line.get(at) {
            match byte {
                b' ' => at += 1,
                b'(' => {
                    if self.open.len() >= DEEPEST {
                        return Err(NotImap);
                    }
                    self.open.push(Vec::new());
                    at += 1;
                }
                b')' => {
                    let list = self.open.pop().ok_or(NotImap)?;
                    if self.open.is_empty() {
                        return Err(NotImap);
                    }
                    self.put(Value::List(list));
                    at += 1;
                }
                b'"' => at = self.quoted(line, at + 1)?,
                _ => at = self.word(line, at),
            }
        }
        Ok(())
    }

    fn quoted(&mut self, line: &[u8], from: usize) -> Result<usize, NotImap> {
        let mut text = Vec::new();
        let mut at = from;
        loop {
            match line.get(at).ok_or(NotImap)? {
                b'"' => break,
                b'\\' => {
                    text.push(*line.get(at + 1).ok_or(NotImap)?);
                    at += 2;
                }
                byte => {
                    text.push(*byte);
                    at += 1;
                }
            }
        }
        self.put(Value::Text(text));
        Ok(at + 1)
    }

    /// Brackets belong to their word: `BODY[HEADER.FIELDS (TO)]`.
    fn word(&mut self, line: &[u8], from: usize) -> usize {
        let mut at = from;
        let mut brackets = 0;
        while let Some(byte) = line.get(at) {
            match byte {
                b'[' => brackets += 1,
                b']' if brackets > 0 => brackets -= 1,
                b' ' | b'(' | b')' | b'"' if brackets == 0 => break,
                _ => {}
            }
            at += 1;
        }
        self.put(Value::Word(String::from_utf8_lossy(&line[from..at]).into_owned()));
        at
    }

    /// All values added.
    pub(super) fn done(mut self) -> Result<Vec<Value>, NotImap> {
        match (self.open.pop(), self.open.is_empty()) {
            (Some(values), true) => Ok(values),
            _ => Err(NotImap),
        }
    }
}

/// Where a literal announced at the end of a line starts, and how long it is: `{12}`, `{12+}`, `~{12}`.
pub(super) fn literal_at_end(line: &[u8]) -> Option<(usize, u64)> {
    let inside = line.strip_suffix(b"}")?;
    let from = inside.iter().rposition(|byte| *byte == b'{')?;
    let number = inside[from + 1..].strip_suffix(b"+").unwrap_or(&inside[from + 1..]);
    let number =
        std::str::from_utf8(number).ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()))?;
    // A number too large to parse exceeds every limit.
    let many = if number.is_empty() { return None } else { number.parse().unwrap_or(u64::MAX) };
    let before = if inside[..from].ends_with(b"~") { from - 1 } else { from };
    Some((before, many))
}

/// Formats numbers as a set: `1:3,7`.
pub(super) fn set(uids: &[u64]) -> String {
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    for uid in uids {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == *uid => *last = *uid,
            _ => ranges.push((*uid, *uid)),
        }
    }
    let text = |(first, last): &(u64, u64)| {
        if first == last { first.to_string() } else { format!("{first}:{last}") }
    };
    ranges.iter().map(text).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_ranges() {
        assert_eq!(set(&[1, 2, 3, 7, 9, 10]), "1:3,7,9:10");
        assert_eq!(set(&[]), "");
    }

    fn built(lines: &[&str]) -> Result<Vec<Value>, NotImap> {
        let mut builder = Builder::default();
        for line in lines {
            builder.line(line.as_bytes())?;
        }
        builder.done()
    }

    #[test]
    fn answers_become_values() {
        let values =
            built(&["12 FETCH (FLAGS (\\Seen $x) BODY[HEADER.FIELDS (TO)] \"a \\\"b\\\"\" UID 7)"]).unwrap();
        assert_eq!(values[0].number(), Some(12));
        let pairs = values[2].list();
        assert_eq!(after(pairs, "uid").and_then(Value::number), Some(7));
        assert_eq!(after(pairs, "FLAGS").unwrap().list().len(), 2);
        assert_eq!(after(pairs, "BODY[HEADER.FIELDS (TO)]").unwrap().text().unwrap(), "a \"b\"");
        for odd in [")", "(", "\"", "(()", "\"\\"] {
            assert_eq!(built(&[odd]), Err(NotImap), "{odd}");
        }
        assert_eq!(built(&["(".repeat(1000).as_str()]), Err(NotImap));
    }

    #[test]
    fn counted_texts_are_seen_coming() {
        assert_eq!(literal_at_end(b"BODY[] {12}"), Some((7, 12)));
        assert_eq!(literal_at_end(b"BODY[] ~{12+}"), Some((7, 12)));
        assert_eq!(literal_at_end(b"{99999999999999999999999}"), Some((0, u64::MAX)));
        for none in ["", "}", "{}", "{x}", "a {1} b", "{-1}"] {
            assert_eq!(literal_at_end(none.as_bytes()), None, "{none}");
        }
    }
}
