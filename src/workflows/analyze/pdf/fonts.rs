//! What the codes of a font mean: taken from the font's own table if it has one, otherwise read as Western text.

use super::objects::Objects;
use super::values::{Dict, Reader, Value};
use std::collections::HashMap;

/// How many codes a font may name.
const MAX_CODES: usize = 70_000;

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
            font.read_table(&table);
        }
        font
    }

    /// Reads the table: `<01> <0041>` and `<01> <05> <0041>` between its keywords.
    fn read_table(&mut self, table: &[u8]) {
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
                            self.add_code(number(code), utf16(text));
                        }
                    }
                }
                "endbfrange" => operands.chunks_exact(3).for_each(|range| self.add_range(range)),
                _ => {}
            }
            operands.clear();
        }
    }

    fn add_range(&mut self, range: &[Value]) {
        let [Value::Text(low), Value::Text(high), first] = range else { return };
        let (low, high) = (number(low), number(high));
        let codes = (low..=high).take(MAX_CODES);
        match first {
            Value::Text(text) => {
                let mut text = text.clone();
                for code in codes {
                    self.add_code(code, utf16(&text));
                    if let Some(last) = text.last_mut() {
                        *last = last.wrapping_add(1);
                    }
                }
            }
            Value::List(texts) => {
                for (code, text) in codes.zip(texts) {
                    if let Value::Text(text) = text {
                        self.add_code(code, utf16(text));
                    }
                }
            }
            _ => {}
        }
    }

    fn add_code(&mut self, code: u32, text: String) {
        if self.texts.len() < MAX_CODES {
            self.texts.insert(code, text);
        }
    }

    /// Turns codes into text. Codes that a wide font does not name cannot be read.
    pub fn text(&self, codes: &[u8]) -> String {
        if self.is_wide {
            let decode = |pair: &[u8]| self.texts.get(&number(pair)).map_or("", String::as_str);
            return codes.chunks(2).map(decode).collect();
        }
        let decode = |code: &u8| match self.texts.get(&u32::from(*code)) {
            Some(text) => text.clone(),
            None => encoding_rs::WINDOWS_1252.decode_without_bom_handling(&[*code]).0.into_owned(),
        };
        codes.iter().map(decode).collect()
    }
}

fn number(code: &[u8]) -> u32 {
    code.iter().take(4).fold(0, |sum, byte| sum << 8 | u32::from(*byte))
}

fn utf16(text: &[u8]) -> String {
    let units: Vec<u16> = text.chunks(2).map(|pair| number(pair) as u16).collect();
    String::from_utf16_lossy(&units)
}
