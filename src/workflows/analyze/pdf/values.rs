//! The values a PDF is made of, read one by one. Anything else ends the reading; nesting is bounded.

use std::collections::BTreeMap;

/// How deep lists and dictionaries may nest, and how many entries each may have.
const MAX_DEPTH: usize = 32;
const MAX_ENTRIES: usize = 100_000;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Number(f64),
    Name(String),
    Text(Vec<u8>),
    List(Vec<Value>),
    Dict(Dict),
    /// Another object, by its number.
    Ref(u32),
    /// A bare word: `true`, `null`, `obj`, an operator.
    Word(String),
}

pub(super) type Dict = BTreeMap<String, Value>;

impl Value {
    pub fn number(&self) -> Option<f64> {
        if let Self::Number(number) = self { Some(*number) } else { None }
    }

    pub fn name(&self) -> Option<&str> {
        if let Self::Name(name) = self { Some(name) } else { None }
    }
}

pub(super) struct Reader<'a> {
    bytes: &'a [u8],
    pub at: usize,
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b'\0' | b'\t' | b'\n' | b'\x0c' | b'\r' | b' ')
}

fn ends_word(byte: u8) -> bool {
    is_space(byte) || matches!(byte, b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'/' | b'%')
}

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    fn skip_space(&mut self) {
        while let Some(byte) = self.peek() {
            if byte == b'%' {
                while self.next().is_some_and(|byte| byte != b'\n' && byte != b'\r') {}
            } else if is_space(byte) {
                self.at += 1;
            } else {
                break;
            }
        }
    }

    /// The next value; `None` at the end, or if there is something else.
    pub fn value(&mut self) -> Option<Value> {
        self.value_at_depth(0)
    }

    fn value_at_depth(&mut self, depth: usize) -> Option<Value> {
        self.skip_space();
        match self.peek()? {
            b'/' => {
                self.at += 1;
                Some(Value::Name(self.word()))
            }
            b'(' => Some(Value::Text(self.text())),
            b'<' if self.bytes.get(self.at + 1) == Some(&b'<') => {
                self.at += 2;
                self.dict(depth)
            }
            b'<' => Some(Value::Text(self.hex())),
            b'[' => {
                self.at += 1;
                self.list(depth)
            }
            b'+' | b'-' | b'.' | b'0'..=b'9' => self.number(),
            byte if ends_word(byte) => {
                self.at += 1;
                Some(Value::Word(char::from(byte).to_string()))
            }
            _ => Some(Value::Word(self.word())),
        }
    }

    fn word(&mut self) -> String {
        let mut word = String::new();
        while let Some(byte) = self.peek().filter(|byte| !ends_word(*byte)) {
            self.at += 1;
            word.push(char::from(byte));
            if word.len() >= 256 {
                break;
            }
        }
        word
    }

    /// A number, or a reference if two whole numbers and an `R` follow each other.
    fn number(&mut self) -> Option<Value> {
        let start = self.at;
        let word = self.word();
        let Ok(number) = word.parse::<f64>() else {
            // A stray sign is skipped.
            self.at = self.at.max(start + 1);
            return Some(Value::Word(word));
        };
        let after = self.at;
        if let Ok(object) = word.parse::<u32>() {
            self.skip_space();
            let generation = self.word();
            self.skip_space();
            if generation.parse::<u32>().is_ok() && self.word() == "R" {
                return Some(Value::Ref(object));
            }
            self.at = after;
        }
        Some(Value::Number(number))
    }

    fn list(&mut self, depth: usize) -> Option<Value> {
        let mut items = Vec::new();
        while depth < MAX_DEPTH && items.len() < MAX_ENTRIES {
            self.skip_space();
            if self.peek()? == b']' {
                self.at += 1;
                return Some(Value::List(items));
            }
            items.push(self.value_at_depth(depth + 1)?);
        }
        None
    }

    fn dict(&mut self, depth: usize) -> Option<Value> {
        let mut fields = Dict::new();
        while depth < MAX_DEPTH && fields.len() < MAX_ENTRIES {
            self.skip_space();
            if self.bytes.get(self.at..self.at + 2) == Some(b">>") {
                self.at += 2;
                return Some(Value::Dict(fields));
            }
            let Value::Name(name) = self.value_at_depth(depth + 1)? else { return None };
            fields.insert(name, self.value_at_depth(depth + 1)?);
        }
        None
    }

    fn text(&mut self) -> Vec<u8> {
        self.at += 1;
        let (mut out, mut open_parens) = (Vec::new(), 1usize);
        while let Some(byte) = self.next() {
            match byte {
                b'(' => open_parens += 1,
                b')' => {
                    open_parens -= 1;
                    if open_parens == 0 {
                        break;
                    }
                }
                b'\\' => {
                    self.read_escape(&mut out);
                    continue;
                }
                _ => {}
            }
            out.push(byte);
        }
        out
    }

    fn read_escape(&mut self, out: &mut Vec<u8>) {
        let Some(byte) = self.next() else { return };
        out.push(match byte {
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'b' => 8,
            b'f' => 12,
            b'\r' => {
                self.at += usize::from(self.peek() == Some(b'\n'));
                return;
            }
            b'\n' => return,
            b'0'..=b'7' => {
                let mut code = u32::from(byte - b'0');
                for _ in 0..2 {
                    let Some(digit) = self.peek().filter(|byte| (b'0'..=b'7').contains(byte)) else { break };
                    self.at += 1;
                    code = code * 8 + u32::from(digit - b'0');
                }
                (code & 0xff) as u8
            }
            other => other,
        });
    }

    fn hex(&mut self) -> Vec<u8> {
        self.at += 1;
        let (mut out, mut half) = (Vec::new(), None);
        while let Some(byte) = self.next().filter(|byte| *byte != b'>') {
            let Some(digit) = char::from(byte).to_digit(16) else { continue };
            match half.take() {
                None => half = Some(digit),
                Some(high) => out.push((high * 16 + digit) as u8),
            }
        }
        out.extend(half.map(|high| (high * 16) as u8));
        out
    }
}
