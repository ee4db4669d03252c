//! Parses iCalendar text into components and lines, strictly and with limits (RFC 5545, section 3.1).
//!
//! Promises: size, depth and number of components are limited before anything is kept, and a text that ends before its
//! components do is an error. The meaning of the lines is not known here.

/// The maximum size of a text.
pub(super) const LONGEST_TEXT: usize = 32 << 20;
/// The maximum length of an unfolded line. Descriptions and inline attachments can be long.
const LONGEST_LINE: usize = 16 << 20;
const DEEPEST: usize = 8;
const MAX_COMPONENTS: usize = 200_000;

/// `NAME;PARAM=value:value`, unfolded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// In upper case.
    pub name: String,
    /// Names in upper case, values without their quotes.
    pub params: Vec<(String, String)>,
    /// As written, including escapes.
    pub value: String,
}

impl Line {
    pub fn param(&self, name: &str) -> Option<&str> {
        self.params.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The value as text, escapes resolved.
    pub fn text(&self) -> String {
        let mut text = String::with_capacity(self.value.len());
        let mut rest = self.value.chars();
        while let Some(c) = rest.next() {
            match c {
                '\\' => match rest.next() {
                    Some('n' | 'N') => text.push('\n'),
                    Some(other) => text.push(other),
                    None => text.push('\\'),
                },
                other => text.push(other),
            }
        }
        text
    }
}

/// Everything between a `BEGIN` and its `END`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Component {
    /// In upper case.
    pub kind: String,
    pub lines: Vec<Line>,
    pub inside: Vec<Component>,
    /// The offset of its `BEGIN` in the text.
    pub from: usize,
    /// Where its `END` line starts and ends.
    pub end: (usize, usize),
}

impl Component {
    /// The first line with a name.
    pub fn line(&self, name: &str) -> Option<&Line> {
        self.lines.iter().find(|line| line.name == name)
    }

    /// All lines with a name.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Line> {
        self.lines.iter().filter(move |line| line.name == name)
    }

    /// The text of the first line with a name, trimmed; empty if there is none.
    pub fn text(&self, name: &str) -> String {
        self.line(name).map(|line| line.text().trim().to_owned()).unwrap_or_default()
    }
}

/// The calendars of a text, or why it is not iCalendar. Invalid UTF-8 is replaced; that can only damage titles.
pub(super) fn read(bytes: &[u8]) -> Result<Vec<Component>, String> {
    if bytes.len() > LONGEST_TEXT {
        return Err(format!("it is larger than {} MiB", LONGEST_TEXT >> 20));
    }
    let outside = |line: usize| format!("line {line} stands outside of BEGIN:VCALENDAR and END:VCALENDAR");
    let mut open: Vec<Component> = Vec::new();
    let mut calendars = Vec::new();
    let mut count = 0;
    for unfolded in (Unfold { bytes, at: 0, number: 0 }) {
        let Unfolded { line, number, from, until } = unfolded?;
        if line.trim().is_empty() {
            continue;
        }
        let line = parse(&line).ok_or_else(|| format!("line {number} is not iCalendar text (NAME:value)"))?;
        match line.name.as_str() {
            "BEGIN" => {
                count += 1;
                if count > MAX_COMPONENTS {
                    return Err(format!("it has more than {MAX_COMPONENTS} components"));
                }
                if open.len() >= DEEPEST {
                    return Err(format!("line {number} nests too deep"));
                }
                let kind = line.value.trim().to_ascii_uppercase();
                if open.is_empty() && kind != "VCALENDAR" {
                    return Err(outside(number));
                }
                open.push(Component { kind, from, ..Component::default() });
            }
            "END" => {
                let ended = line.value.trim().to_ascii_uppercase();
                let mut done = open.pop().ok_or_else(|| outside(number))?;
                if done.kind != ended {
                    return Err(format!("line {number} ends {ended}, but {} is open", done.kind));
                }
                done.end = (from, until);
                match open.last_mut() {
                    Some(parent) => parent.inside.push(done),
                    None => calendars.push(done),
                }
            }
            _ => open.last_mut().ok_or_else(|| outside(number))?.lines.push(line),
        }
    }
    match (open.pop(), calendars.is_empty()) {
        (Some(open), _) => Err(format!("it ends before {} does; perhaps it was cut off", open.kind)),
        (None, true) => Err("it holds no BEGIN:VCALENDAR".to_owned()),
        (None, false) => Ok(calendars),
    }
}

struct Unfolded {
    line: String,
    number: usize,
    from: usize,
    until: usize,
}

/// Lines joined with their continuations, each with its position.
struct Unfold<'a> {
    bytes: &'a [u8],
    at: usize,
    number: usize,
}

impl Unfold<'_> {
    /// The bytes of the next physical line without its line break, and the start of the one after it.
    fn physical(&self, from: usize) -> (&[u8], usize) {
        let rest = &self.bytes[from..];
        let (line, next) = match rest.iter().position(|byte| *byte == b'\n') {
            Some(at) => (&rest[..at], from + at + 1),
            None => (rest, self.bytes.len()),
        };
        (line.strip_suffix(b"\r").unwrap_or(line), next)
    }
}

impl Iterator for Unfold<'_> {
    type Item = Result<Unfolded, String>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.at >= self.bytes.len() {
            return None;
        }
        let from = self.at;
        self.number += 1;
        let number = self.number;
        let (first, mut next) = self.physical(from);
        // A byte order mark is not part of the text.
        let first = if from == 0 { first.strip_prefix(b"\xef\xbb\xbf").unwrap_or(first) } else { first };
        let mut line = first.to_vec();
        while next < self.bytes.len() && matches!(self.bytes[next], b' ' | b'\t') {
            let (more, after) = self.physical(next);
            line.extend_from_slice(&more[1..]);
            next = after;
            self.number += 1;
            if line.len() > LONGEST_LINE {
                return Some(Err(format!("line {number} is too long")));
            }
        }
        self.at = next;
        let line = String::from_utf8_lossy(&line).into_owned();
        Some(Ok(Unfolded { line, number, from, until: next }))
    }
}

/// Splits a line; colons and semicolons in quotes do not count.
fn parse(line: &str) -> Option<Line> {
    let mut quoted = false;
    let mut pieces = Vec::new();
    let mut from = 0;
    let mut value = None;
    for (at, c) in line.char_indices() {
        match c {
            '"' => quoted = !quoted,
            ';' if !quoted => {
                pieces.push(&line[from..at]);
                from = at + 1;
            }
            ':' if !quoted => {
                pieces.push(&line[from..at]);
                value = Some(&line[at + 1..]);
                break;
            }
            _ => {}
        }
    }
    let value = value?.to_owned();
    let mut pieces = pieces.into_iter();
    let name = pieces.next()?.trim();
    // A group before a dot comes from vCard; some calendars write it, too.
    let name = name.rsplit('.').next()?.to_ascii_uppercase();
    let fine = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    let params = pieces
        .filter_map(|piece| piece.split_once('='))
        .map(|(key, value)| (key.trim().to_ascii_uppercase(), value.trim().trim_matches('"').to_owned()))
        .collect();
    fine.then_some(Line { name, params, value })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calendar(inside: &str) -> String {
        format!("BEGIN:VCALENDAR\r\n{inside}END:VCALENDAR\r\n")
    }

    #[test]
    fn lines_are_unfolded_and_taken_apart() {
        let text = calendar(
            "ATTENDEE;CN=\"Lovelace: Ada; Ms\";ROLE=CHAIR:mailto:\r\n ada@ex\n\tample.org\r\nX-A:b\\n\\,c\n",
        );
        let calendars = read(text.as_bytes()).unwrap();
        let line = &calendars[0].lines[0];
        assert_eq!((line.name.as_str(), line.value.as_str()), ("ATTENDEE", "mailto:ada@example.org"));
        assert_eq!(line.param("CN"), Some("Lovelace: Ada; Ms"));
        assert_eq!(calendars[0].text("X-A"), "b\n,c");
    }

    #[test]
    fn where_a_calendar_ends_is_known_to_the_byte() {
        let text = calendar("X-A:b\r\n");
        let calendars = read(text.as_bytes()).unwrap();
        let (from, until) = calendars[0].end;
        assert_eq!(&text[from..until], "END:VCALENDAR\r\n");
        assert_eq!(until, text.len());
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(read(text.as_bytes()).unwrap_err(), expected);
    }

    #[test]
    fn what_is_no_calendar_is_refused() {
        check("", "it holds no BEGIN:VCALENDAR");
        check("hello", "line 1 is not iCalendar text (NAME:value)");
        check("BEGIN:VEVENT\nEND:VEVENT\n", "line 1 stands outside of BEGIN:VCALENDAR and END:VCALENDAR");
        check("BEGIN:VCALENDAR\nBEGIN:VEVENT\n", "it ends before VEVENT does; perhaps it was cut off");
        check("BEGIN:VCALENDAR\nBEGIN:VEVENT\nEND:VCALENDAR\n", "line 3 ends VCALENDAR, but VEVENT is open");
        check(&"BEGIN:VCALENDAR\n".repeat(20), "line 9 nests too deep");
    }
}
