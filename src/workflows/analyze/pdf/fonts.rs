//! What the codes of a font mean: taken from the font's own table if it has one, otherwise read as Western text.

use super::objects::Objects;
use super::values::{Dict, Reader, Value};
use std::collections::HashMap;

/// How many codes a font may name, and how many bytes of text a code may stand for.
const MAX_CODES: usize = 70_000;
const MAX_CODE_TEXT: usize = 64;

#[derive(Debug, Default)]
pub(super) struct Font {
    /// Whether a code takes two bytes.
    is_wide: bool,
    texts: HashMap<u32, String>,
}

impl Font {
    pub fn read(objects: &Objects<'_>, fields: Option<&Dict>) -> Self {
        let mut font = Self::default();
        let Some(fields) = fields else { return font };
        font.is_wide = fields.get("Subtype").and_then(Value::name) == Some("Type0");
        if let Some(table) = fields.get("ToUnicode").and_then(|table| objects.stream(table)) {
            font.read_table(objects, &table);
        }
        font
    }

    /// Reads the table: `<01> <0041>` and `<01> <05> <0041>` between its keywords.
    fn read_table(&mut self, objects: &Objects<'_>, table: &[u8]) {
        let mut reader = Reader::new(table, 0);
        let mut operands: Vec<Value> = Vec::new();
        while let Some(value) = reader.value() {
            let Value::Word(word) = &value else {
                operands.push(value);
                continue;
            };
            match word.as_str() {
                "endcodespacerange" => {
                    self.is_wide |=
                        operands.iter().any(|one| matches!(one, Value::Text(code) if code.len() == 2));
                }
                "endbfchar" => {
                    for pair in operands.chunks_exact(2) {
                        if let [Value::Text(code), Value::Text(text)] = pair {
                            self.add_code(objects, number(code), text);
                        }
                    }
                }
                "endbfrange" => operands.chunks_exact(3).for_each(|range| self.add_range(objects, range)),
                _ => {}
            }
            operands.clear();
        }
    }

    fn add_range(&mut self, objects: &Objects<'_>, range: &[Value]) {
        let [Value::Text(low), Value::Text(high), first] = range else { return };
        let (low, high) = (number(low), number(high));
        let codes = (low..=high).take(MAX_CODES);
        match first {
            Value::Text(text) => {
                let mut text = text.clone();
                text.truncate(MAX_CODE_TEXT);
                for code in codes {
                    self.add_code(objects, code, &text);
                    if let Some(last) = text.last_mut() {
                        *last = last.wrapping_add(1);
                    }
                }
            }
            Value::List(texts) => {
                for (code, text) in codes.zip(texts) {
                    if let Value::Text(text) = text {
                        self.add_code(objects, code, text);
                    }
                }
            }
            _ => {}
        }
    }

    fn add_code(&mut self, objects: &Objects<'_>, code: u32, text: &[u8]) {
        let text = text.get(..MAX_CODE_TEXT).unwrap_or(text);
        // A few bytes of a table can name every code.
        if self.texts.len() < MAX_CODES && objects.spend(text.len() + 8) {
            self.texts.insert(code, utf16(text));
        }
    }

    /// Turns codes into text, up to about `max` bytes. Codes that a wide font does not name cannot be read.
    pub fn text(&self, codes: &[u8], max: usize) -> String {
        let mut out = String::new();
        for code in codes.chunks(if self.is_wide { 2 } else { 1 }) {
            match self.texts.get(&number(code)) {
                Some(text) => out.push_str(text),
                None if self.is_wide => {}
                None => out.push_str(&encoding_rs::WINDOWS_1252.decode_without_bom_handling(code).0),
            }
            if out.len() > max {
                break;
            }
        }
        out
    }
}

fn number(code: &[u8]) -> u32 {
    code.iter().take(4).fold(0, |sum, byte| sum << 8 | u32::from(*byte))
}

fn utf16(text: &[u8]) -> String {
    let units: Vec<u16> = text.chunks(2).map(|pair| number(pair) as u16).collect();
    String::from_utf16_lossy(&units)
}
