//! Reads .csv files: detects the encoding, the delimiter and the decimal sign, and reports them.

use super::{Book, CellPos, Dialect, MAX_CELLS, MAX_COLUMNS, MAX_ROWS, Sheet, Value, WorkbookError};
use jiff::civil::{Date, DateTime};

/// How many bytes we sample to detect the format.
const SAMPLE: usize = 256 << 10;

pub(super) fn read(name: &str, bytes: &[u8]) -> Result<Book, WorkbookError> {
    let (text, encoding) = decode(bytes)?;
    let sample = text.get(..text.floor_char_boundary(SAMPLE)).unwrap_or_default();
    let delimiter = delimiter(sample);
    let comma = delimiter != b',' && decimal_comma(sample, delimiter);
    let mut sheet = Sheet { name: sheet_name(name), ..Sheet::default() };
    let mut remaining_cells = MAX_CELLS;
    let mut rows = rows(&text, delimiter);
    let mut record = csv::StringRecord::new();
    let mut row = 0;
    while rows.read_record(&mut record).map_err(|e| WorkbookError::Broken(e.to_string()))? {
        if row >= MAX_ROWS || record.len() > MAX_COLUMNS as usize {
            let text = format!("over {MAX_ROWS} rows or {MAX_COLUMNS} columns, which .xlsx has not");
            return Err(WorkbookError::TooLarge(text));
        }
        for (column, field) in (0..).zip(&record) {
            sheet.put_read(CellPos::new(row, column), value(field, comma), &mut remaining_cells)?;
        }
        row += 1;
    }
    let word = match delimiter {
        b'\t' => "tab",
        b';' => "semicolon",
        b'|' => "bar",
        _ => "comma",
    };
    let decimal = if comma { "comma" } else { "point" };
    let note = format!("read as {encoding}, fields parted by {word}, decimal {decimal}");
    let python = match encoding {
        "UTF-8" if bytes.starts_with(b"\xef\xbb\xbf") => "utf-8-sig",
        "UTF-8" => "utf-8",
        "windows-1252" => "cp1252",
        // The mark at the beginning says in which order its bytes are.
        _ => "utf-16",
    };
    let decimal = if comma { ',' } else { '.' };
    let dialect = Dialect { encoding: python.to_owned(), delimiter: char::from(delimiter), decimal };
    Ok(Book { sheets: vec![sheet], notes: vec![note], dialect: Some(dialect) })
}

fn rows(text: &str, delimiter: u8) -> csv::Reader<&[u8]> {
    let mut reader = csv::ReaderBuilder::new();
    reader.has_headers(false).flexible(true).delimiter(delimiter).from_reader(text.as_bytes())
}

fn sheet_name(name: &str) -> String {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let fine = |c: char| !matches!(c, '[' | ']' | ':' | '*' | '?' | '\'') && !c.is_control();
    let stem: String = stem.chars().filter(|c| fine(*c)).take(31).collect();
    if stem.trim().is_empty() { "Sheet1".to_owned() } else { stem }
}

fn decode(bytes: &[u8]) -> Result<(String, &'static str), WorkbookError> {
    if let Some((encoding, skip)) = encoding_rs::Encoding::for_bom(bytes) {
        let (text, bad) = encoding.decode_without_bom_handling(bytes.get(skip..).unwrap_or_default());
        if bad {
            let text = format!("it begins like {} but does not continue that way", encoding.name());
            return Err(WorkbookError::Broken(text));
        }
        return Ok((text.into_owned(), encoding.name()));
    }
    if bytes.contains(&0) {
        return Err(WorkbookError::Broken("it holds zero bytes, so it is no text".to_owned()));
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok((text.to_owned(), "UTF-8")),
        Err(_) => Ok((encoding_rs::WINDOWS_1252.decode(bytes).0.into_owned(), "windows-1252")),
    }
}

/// The delimiter that splits the most lines into the same number of fields, preferring more fields.
fn delimiter(sample: &str) -> u8 {
    let mut best = (0usize, b',');
    for sign in [b',', b';', b'\t', b'|'] {
        let counts: Vec<usize> =
            rows(sample, sign).records().flatten().take(50).map(|row| row.len()).collect();
        let first = counts.first().copied().unwrap_or(1);
        let same = counts.iter().filter(|count| **count == first).count();
        let score = if first < 2 { 0 } else { same * 100 + first.min(99) };
        if score > best.0 {
            best = (score, sign);
        }
    }
    best.1
}

/// Whether numbers look like `1.234,50` rather than `1,234.50`. What reads either way, such as `1.234`, says nothing.
fn decimal_comma(sample: &str, delimiter: u8) -> bool {
    let (mut comma, mut point) = (0, 0);
    for row in rows(sample, delimiter).records().flatten() {
        for field in &row {
            match (number(field.trim(), true), number(field.trim(), false)) {
                (Some(_), None) => comma += 1,
                (None, Some(_)) => point += 1,
                (Some(_), Some(_)) | (None, None) => {}
            }
        }
    }
    comma > point
}

fn value(field: &str, comma: bool) -> Value {
    let trimmed = field.trim();
    if trimmed.is_empty() {
        return Value::Empty;
    }
    if let Some(number) = number(trimmed, comma) {
        return Value::Number(number);
    }
    match trimmed {
        "TRUE" | "true" | "True" => return Value::Bool(true),
        "FALSE" | "false" | "False" => return Value::Bool(false),
        _ => {}
    }
    // Only the one date format that is unambiguous; others stay text, for people who know their order.
    if trimmed.len() == 10
        && let Ok(day) = trimmed.parse::<Date>()
    {
        return Value::Date(day.into());
    }
    if trimmed.len() >= 16
        && let Ok(moment) = trimmed.replacen(' ', "T", 1).parse::<DateTime>()
    {
        return Value::Date(moment);
    }
    Value::Text(field.into())
}

/// A number as people write it. Digits with a leading zero are a code, not a number.
fn number(text: &str, comma: bool) -> Option<f64> {
    let (thousands, decimal) = if comma { ('.', ',') } else { (',', '.') };
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (integer, part) = digits.split_once(decimal).map_or((digits, None), |(a, b)| (a, Some(b)));
    let groups: Vec<&str> = integer.split(thousands).collect();
    let first = groups.first().copied().unwrap_or_default();
    let digit = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let grouped = groups.len() == 1 || (first.len() <= 3 && groups.iter().skip(1).all(|g| g.len() == 3));
    if !grouped || !groups.iter().all(|group| digit(group)) || (first.len() > 1 && first.starts_with('0')) {
        return None;
    }
    if let Some(part) = part
        && !part.split(['e', 'E']).next().is_some_and(digit)
    {
        return None;
    }
    // More digits than a number holds exactly: an account or card number, not an amount.
    if part.is_none() && first.len() > 15 {
        return None;
    }
    let sign = if text.starts_with('-') { "-" } else { "" };
    let plain = format!("{sign}{}.{}", groups.concat(), part.unwrap_or("0"));
    plain.parse().ok().filter(|number: &f64| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(text: &[u8]) -> (Vec<Vec<String>>, String) {
        let book = read("x.csv", text).unwrap();
        let rows = book.sheets[0].rows.iter();
        (rows.map(|row| row.iter().map(Value::shown).collect()).collect(), book.notes[0].clone())
    }

    #[test]
    fn how_it_is_written_is_found_out_and_said() {
        let (rows, note) =
            cells("Stadt;Umsatz;Tag\nKöln;1.234,50;2026-01-05\nJena;7,25;2026-01-06\n".as_bytes());
        assert_eq!(rows[1], ["Köln", "1234.5", "2026-01-05"]);
        assert_eq!(note, "read as UTF-8, fields parted by semicolon, decimal comma");
        let (rows, note) = cells(b"Stadt;Menge\nK;1.234\nL; 2,5\nM;1.500\n");
        assert_eq!(rows[1..], [["K", "1234"], ["L", "2.5"], ["M", "1500"]]);
        assert!(note.contains("decimal comma"), "{note}");
        let (rows, note) = cells(b"name,amount\n\"A, B\",\"1,234.50\"\nC,007\nD,-3\n");
        assert_eq!(rows[1..], [["A, B", "1234.5"], ["C", "007"], ["D", "-3"]]);
        assert!(note.contains("comma, decimal point"), "{note}");
        let (rows, note) = cells(b"stra\xdfe\tn\nx\t1\n");
        assert_eq!((rows[0][0].as_str(), note.contains("windows-1252")), ("straße", true));
        let mut wide = vec![0xff, 0xfe];
        wide.extend("a,b\n1,2\n".encode_utf16().flat_map(u16::to_le_bytes));
        assert_eq!(cells(&wide).0[1], ["1", "2"]);
        assert!(read("x.csv", b"PK\x03\x04\0\0").is_err());
    }
}
