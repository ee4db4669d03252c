//! Blanks the comments and string contents of a program, so that only code is left.
//!
//! The result has the same length and line breaks as the text, so positions match. One pass, no grammar: it only knows
//! how each family of languages writes comments and strings.

use super::language::Family;

/// How deep templates may nest.
const NESTED: usize = 8;

pub(super) fn blank(family: Family, text: &str) -> String {
    let mut scan = Scan { family, text: text.as_bytes(), out: text.as_bytes().to_vec(), at: 0, last: b'\n' };
    while scan.at < scan.text.len() {
        scan.step();
    }
    String::from_utf8(scan.out).unwrap_or_else(|_| text.to_owned())
}

struct Scan<'a> {
    family: Family,
    text: &'a [u8],
    out: Vec<u8>,
    at: usize,
    /// The last byte of code that is not white space.
    last: u8,
}

impl Scan<'_> {
    fn step(&mut self) {
        let hash = matches!(self.family, Family::Python | Family::Shell | Family::Other);
        let slash = !matches!(self.family, Family::Python | Family::Shell);
        let byte = self.text[self.at];
        match byte {
            b'#' if hash => self.skip_to_line_end(),
            b'/' if slash && self.starts("//") => self.skip_to_line_end(),
            b'/' if slash && self.starts("/*") => self.block_comment(),
            b'/' if self.family == Family::Script && self.may_be_regex() => self.regex(),
            b'"' | b'\'' if self.is_triple_quote(byte) => self.until(&[byte; 3], 3, true),
            b'r' | b'b' if self.family == Family::Rust && self.raw_string() => {}
            b'"' => self.quoted(byte, matches!(self.family, Family::Rust)),
            b'\'' if self.family == Family::Rust => self.character(),
            b'\'' => self.quoted(byte, false),
            b'`' if self.family == Family::Script => {
                self.at = self.template(self.at, 0);
            }
            b'`' if self.family == Family::Go => self.until(b"`", 1, false),
            _ => {
                self.at += 1;
                if byte.is_ascii_whitespace() {
                    return;
                }
            }
        }
        self.last = byte;
    }

    fn starts(&self, word: &str) -> bool {
        self.text[self.at..].starts_with(word.as_bytes())
    }

    /// Blanks everything up to `end` except line breaks.
    fn erase(&mut self, end: usize) {
        let end = end.min(self.text.len());
        for byte in self.out[self.at.min(end)..end].iter_mut().filter(|byte| **byte != b'\n') {
            *byte = b' ';
        }
        self.at = end;
    }

    fn skip_to_line_end(&mut self) {
        let end = memchr::memchr(b'\n', &self.text[self.at..]).map_or(self.text.len(), |n| self.at + n);
        self.erase(end);
    }

    fn block_comment(&mut self) {
        let (mut depth, mut at) = (1usize, self.at + 2);
        while at < self.text.len() && depth > 0 {
            if self.text[at..].starts_with(b"*/") {
                (depth, at) = (depth - 1, at + 2);
            } else if self.family == Family::Rust && self.text[at..].starts_with(b"/*") {
                (depth, at) = (depth + 1, at + 2);
            } else {
                at += 1;
            }
        }
        self.erase(at);
    }

    fn is_triple_quote(&self, quote: u8) -> bool {
        let has_triple_quotes = match self.family {
            Family::Python => true,
            Family::Jvm => quote == b'"',
            _ => false,
        };
        has_triple_quotes && self.text[self.at..].starts_with(&[quote; 3])
    }

    /// A string that ends with `close` and may span lines.
    fn until(&mut self, close: &[u8], opening: usize, escapes: bool) {
        self.at += opening;
        let mut at = self.at;
        while at < self.text.len() && !self.text[at..].starts_with(close) {
            at += if escapes && self.text[at] == b'\\' { 2 } else { 1 };
        }
        self.erase(at);
        self.at = (self.at + close.len()).min(self.text.len());
    }

    /// A string in single quotes or double quotes; a line break ends it unless it may span lines.
    fn quoted(&mut self, quote: u8, lines: bool) {
        self.at += 1;
        let mut at = self.at;
        while at < self.text.len() && self.text[at] != quote && (lines || self.text[at] != b'\n') {
            at += if self.text[at] == b'\\' { 2 } else { 1 };
        }
        self.erase(at);
        if self.text.get(self.at) == Some(&quote) {
            self.at += 1;
        }
    }

    /// Skips `r"…"`, `r#"…"#` or `br"…"`; says whether there was one.
    fn raw_string(&mut self) -> bool {
        let before = self.at.checked_sub(1).map(|at| self.text[at]);
        if before.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            return false;
        }
        let rest = &self.text[self.at..];
        let marks = rest.strip_prefix(b"br").or_else(|| rest.strip_prefix(b"r"));
        let Some(marks) = marks else { return false };
        let hashes = marks.iter().take_while(|byte| **byte == b'#').count();
        if marks.get(hashes) != Some(&b'"') {
            return false;
        }
        let close: Vec<u8> = std::iter::once(b'"').chain(std::iter::repeat_n(b'#', hashes)).collect();
        self.until(&close, rest.len() - marks.len() + hashes + 1, false);
        true
    }

    /// A Rust character, or the start of a lifetime.
    fn character(&mut self) {
        let rest = &self.text[self.at + 1..];
        let width = match rest.first() {
            Some(b'\\') => rest.iter().take(12).skip(2).position(|byte| *byte == b'\'').map(|n| n + 2),
            Some(_) => rest.iter().take(5).skip(1).position(|byte| *byte == b'\'').map(|n| n + 1),
            None => None,
        };
        // `'a'` is a character; `'a` is a lifetime, and `<'a, 'b>` has two of them.
        let single = |n: usize| {
            rest[0] == b'\\' || std::str::from_utf8(&rest[..n]).is_ok_and(|s| s.chars().count() == 1)
        };
        self.at += 1;
        if let Some(n) = width.filter(|n| single(*n)) {
            self.erase(self.at + n);
            self.at = (self.at + 1).min(self.text.len());
        }
    }

    /// Blanks the template that starts at `start`, including code in `${}`, and returns where it ends.
    fn template(&mut self, start: usize, depth: usize) -> usize {
        let mut at = start + 1;
        let mut braces = 0usize;
        while at < self.text.len() {
            match self.text[at] {
                b'\\' => at += 1,
                b'`' if braces == 0 => break,
                b'`' if depth < NESTED => at = self.template(at, depth + 1) - 1,
                b'$' if self.text.get(at + 1) == Some(&b'{') => (braces, at) = (braces + 1, at + 1),
                b'{' if braces > 0 => braces += 1,
                b'}' => braces = braces.saturating_sub(1),
                _ => {}
            }
            at += 1;
        }
        self.at = start + 1;
        self.erase(at);
        (at + 1).min(self.text.len())
    }

    /// A slash after a value divides; after anything else it starts a regex.
    fn may_be_regex(&self) -> bool {
        let word_before = || {
            let code = self.out[..self.at].trim_ascii_end();
            ["return", "typeof", "case", "in", "of"].iter().any(|word| code.ends_with(word.as_bytes()))
        };
        matches!(
            self.last,
            b'(' | b','
                | b'='
                | b':'
                | b'['
                | b'!'
                | b'&'
                | b'|'
                | b'?'
                | b'{'
                | b'}'
                | b';'
                | b'\n'
                | b'+'
                | b'>'
        ) || word_before()
    }

    fn regex(&mut self) {
        let (mut at, mut class) = (self.at + 1, false);
        while at < self.text.len() && self.text[at] != b'\n' && (class || self.text[at] != b'/') {
            match self.text[at] {
                b'\\' => at += 1,
                b'[' => class = true,
                b']' => class = false,
                _ => {}
            }
            at += 1;
        }
        if self.text.get(at) == Some(&b'/') {
            self.at += 1;
            self.erase(at);
        }
        self.at = (self.at + 1).min(self.text.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_strings_are_blanked_and_places_stay() {
        for (family, text, expected) in [
            (Family::Python, "a = 'x#y' # z\n\"\"\"d\ne\"\"\"\nb", "a = '   '    \n\"\"\" \n \"\"\"\nb"),
            (Family::Rust, "f('\"', \"{\", r#\"}\"#) // {", "f(' ', \" \", r#\" \"#)     "),
            (
                Family::Rust,
                "fn f<'a>(x: &'a str) /* { /* { */ } */ {",
                "fn f<'a>(x: &'a str)                   {",
            ),
            (Family::Script, "a = /[/{]/g; b = c / d / e", "a = /    /g; b = c / d / e"),
            (Family::Script, "x(`a${b(`{`)}c{`) {", "x(`            `) {"),
            (Family::Go, "s := `{\n`; r := '{'", "s := ` \n`; r := ' '"),
        ] {
            let blanked = blank(family, text);
            assert_eq!(blanked, expected, "{text}");
            assert_eq!(blanked.len(), text.len());
        }
    }

    #[test]
    fn whatever_is_left_open_ends_with_the_text() {
        for family in [Family::Python, Family::Rust, Family::Script, Family::Go, Family::Jvm, Family::C] {
            for text in ["\"", "'", "`${`", "/*", "'''", "r#\"", "'\\", "\"\\", "/[", "é'é", "`\\", "b\"é\\"]
            {
                assert_eq!(blank(family, text).len(), text.len(), "{family:?} {text}");
            }
        }
    }
}
