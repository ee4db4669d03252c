//! Formats of cells, as code names them.

use super::values::{clip, raised};
use crate::tools::workbook::{CellFormat, CellPos, Sheet};
use monty_types::{ExcType, MontyException, MontyObject};

/// Fill colours by name; any other is given as six hexadecimal digits.
const COLOURS: [(&str, &str); 7] = [
    ("yellow", "FFFF00"),
    ("red", "FF9999"),
    ("green", "99DD99"),
    ("blue", "99CCFF"),
    ("orange", "FFCC66"),
    ("grey", "D9D9D9"),
    ("gray", "D9D9D9"),
];

pub(super) fn read_format(key: &str, value: &MontyObject) -> Result<CellFormat, MontyException> {
    let mut look = CellFormat::default();
    match (key, value) {
        ("fill", MontyObject::String(name)) => look.fill = Some(colour(name)?),
        ("colour", MontyObject::String(name)) => look.colour = Some(colour(name)?),
        ("bold", MontyObject::Bool(yes)) => look.bold = Some(*yes),
        ("italic", MontyObject::Bool(yes)) => look.italic = Some(*yes),
        ("number_format", MontyObject::String(code)) if !code.is_empty() && code.len() < 256 => {
            look.number_format = Some(code.clone());
        }
        _ => {
            let text = "a look is fill or colour (a colour), bold or italic (True or False) or number_format (a text)";
            return Err(raised(ExcType::ValueError, text));
        }
    }
    Ok(look)
}

fn colour(name: &str) -> Result<String, MontyException> {
    let named = COLOURS.iter().find(|(word, _)| *word == name.to_lowercase()).map(|(_, hex)| *hex);
    let hex = named.unwrap_or(name.trim_start_matches('#')).to_uppercase();
    // With eight digits the first two are the opacity, which every program ignores.
    let hex = if hex.len() == 8 { hex.get(2..).unwrap_or_default().to_owned() } else { hex };
    if hex.len() == 6 && hex.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Ok(hex);
    }
    let names: Vec<&str> = COLOURS.iter().map(|(name, _)| *name).collect();
    let text = format!("`{name}` is no colour: {} or six hexadecimal digits", names.join(", "));
    Err(raised(ExcType::ValueError, text))
}

/// Describes a cell: its formula or value, and its format.
pub(super) fn describe_cell(sheet: &Sheet, at: CellPos) -> String {
    let mut parts = vec![clip(sheet.shown(at), 200)];
    if let Some(look) = sheet.looks.get(&at) {
        let name = |hex: &String| {
            let named = COLOURS.iter().find(|(_, digits)| digits == hex);
            named.map_or_else(|| format!("#{hex}"), |(name, _)| (*name).to_owned())
        };
        parts.extend(look.fill.as_ref().map(|hex| format!("(marked {})", name(hex))));
        parts.extend(look.number_format.as_ref().map(|code| format!("(as {code})")));
        parts.extend(look.bold.map(|yes| if yes { "(bold)" } else { "(not bold)" }.to_owned()));
        parts.extend(look.italic.map(|yes| if yes { "(italic)" } else { "(upright)" }.to_owned()));
        parts.extend(look.colour.as_ref().map(|hex| format!("(text {})", name(hex))));
    }
    parts.retain(|part| !part.is_empty());
    parts.join(" ")
}
