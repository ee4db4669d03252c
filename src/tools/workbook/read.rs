//! Reads workbooks: calamine for packages, with cells counted as they come and never allocated by the declared size.

use super::{Book, CellPos, MAX_CELLS, MAX_SHEETS, Sheet, Value, WorkbookError, delimited, guard, odf};
use calamine::{Data, ExcelDateTime, Ods, Reader, Xls, Xlsx};
use jiff::civil::DateTime;
use std::fmt::Display;
use std::io::Cursor;

/// Opens a workbook; the extension of its name gives the format.
pub fn open(name: &str, bytes: &[u8]) -> Result<Book, WorkbookError> {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_lowercase()).unwrap_or_default();
    match ending.as_str() {
        "xlsx" => xlsx(bytes),
        "ods" => {
            guard::check(bytes)?;
            let mut book = Ods::new(Cursor::new(bytes)).map_err(broken)?;
            read_sheets(&mut book, odf::formula)
        }
        "xls" => {
            let mut book = Xls::new(Cursor::new(bytes)).map_err(broken)?;
            read_sheets(&mut book, old_formula)
        }
        "csv" | "tsv" | "txt" => delimited::read(name, bytes),
        _ => Err(WorkbookError::Kind(name.to_owned())),
    }
}

fn broken(error: impl Display) -> WorkbookError {
    WorkbookError::Broken(error.to_string())
}

fn xlsx(bytes: &[u8]) -> Result<Book, WorkbookError> {
    guard::check(bytes)?;
    let mut file = Xlsx::new(Cursor::new(bytes)).map_err(broken)?;
    let mut book = Book::default();
    let names = file.sheet_names();
    countable(names.len())?;
    let mut remaining_cells = MAX_CELLS;
    for name in names {
        let mut sheet = Sheet { name: name.clone(), ..Sheet::default() };
        let Ok(mut cells) = file.worksheet_cells_reader(&name) else {
            book.notes.push(format!("`{name}` holds no cells (a chart, perhaps) and is left as it is"));
            continue;
        };
        while let Some(cell) = cells.next_cell_with_formula().map_err(broken)? {
            let at = CellPos::new(cell.pos.0, cell.pos.1);
            sheet.put_read(at, value(Data::from(cell.value)), &mut remaining_cells)?;
            if let Some(formula) = cell.formula.filter(|formula| !formula.is_empty()) {
                sheet.formulas.insert(at, formula);
            }
        }
        book.sheets.push(sheet);
    }
    Ok(book)
}

/// A formula of the old format. If the parser does not understand one, it returns an error text instead of a formula.
fn old_formula(written: &str) -> Option<String> {
    let text = written.strip_prefix('=').unwrap_or(written);
    (!text.contains("Unrecognised formula")).then(|| text.to_owned())
}

/// Reads the other formats. Their readers load a sheet whole, so the caller must bound memory. `formula` translates a
/// formula to .xlsx.
fn read_sheets<'a, R>(file: &mut R, formula: impl Fn(&str) -> Option<String>) -> Result<Book, WorkbookError>
where
    R: Reader<Cursor<&'a [u8]>>,
    R::Error: Display,
{
    let mut book = Book::default();
    let names = file.sheet_names();
    countable(names.len())?;
    let (mut remaining_cells, mut lost) = (MAX_CELLS, 0);
    for name in names {
        let mut sheet = Sheet { name: name.clone(), ..Sheet::default() };
        let range = file.worksheet_range(&name).map_err(broken)?;
        let (row, column) = range.start().unwrap_or_default();
        for (r, c, data) in range.used_cells() {
            let at = CellPos::new(row + small(r), column + small(c));
            sheet.put_read(at, value(data.clone()), &mut remaining_cells)?;
        }
        let formulas = file.worksheet_formula(&name).map_err(broken)?;
        let (row, column) = formulas.start().unwrap_or_default();
        for (r, c, text) in formulas.used_cells() {
            if text.is_empty() {
                continue;
            }
            match formula(text) {
                Some(text) => {
                    sheet.formulas.insert(CellPos::new(row + small(r), column + small(c)), text);
                }
                None => lost += 1,
            }
        }
        book.sheets.push(sheet);
    }
    if lost > 0 {
        book.notes
            .push(format!("{lost} formulas have no words in .xlsx; their cells keep the values they have"));
    }
    let note = "only values and formulas are read from this format: a result has no formats, widths, charts or notes";
    book.notes.push(note.to_owned());
    Ok(book)
}

fn small(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn countable(sheets: usize) -> Result<(), WorkbookError> {
    if sheets > MAX_SHEETS {
        return Err(WorkbookError::TooLarge(format!("{sheets} sheets, at most {MAX_SHEETS} are read")));
    }
    Ok(())
}

fn value(data: Data) -> Value {
    match data {
        Data::Int(number) => Value::Number(number as f64),
        Data::Float(number) => Value::Number(number),
        Data::String(text) => words(&text),
        Data::Bool(yes) => Value::Bool(yes),
        Data::DateTime(moment) => date(&moment),
        Data::DateTimeIso(text) => {
            let text = text.trim_end_matches('Z');
            let day = || text.parse::<jiff::civil::Date>().map(DateTime::from);
            text.parse::<DateTime>().or_else(|_| day()).map_or_else(|_| words(text), Value::Date)
        }
        Data::DurationIso(text) => words(&text),
        Data::Error(error) => Value::Error(error.to_string().into()),
        Data::Empty => Value::Empty,
    }
}

fn words(text: &str) -> Value {
    if text.is_empty() { Value::Empty } else { Value::Text(text.into()) }
}

fn date(moment: &ExcelDateTime) -> Value {
    if !moment.is_datetime() || moment.as_f64() < 1.0 {
        return Value::Number(moment.as_f64());
    }
    let (year, month, day, hour, minute, second, milli) = moment.to_ymd_hms_milli();
    let part = |number: u8| i8::try_from(number).unwrap_or_default();
    let year = i16::try_from(year).unwrap_or(i16::MAX);
    let date = DateTime::new(
        year,
        part(month),
        part(day),
        part(hour),
        part(minute),
        part(second),
        i32::from(milli) * 1_000_000,
    );
    date.map_or(Value::Number(moment.as_f64()), Value::Date)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_other_formats_are_read_with_dates_and_formulas() {
        for (name, bytes, twice) in [
            ("sales.xls", &include_bytes!("../../../tests/fixtures/workbooks/sales.xls")[..], Value::Empty),
            ("sales.ods", include_bytes!("../../../tests/fixtures/workbooks/sales.ods"), Value::Number(21.0)),
        ] {
            let book = open(name, bytes).unwrap();
            let names: Vec<&str> = book.sheets.iter().map(|sheet| sheet.name.as_str()).collect();
            assert_eq!(names, ["Sales", "Notes"], "{name}");
            let sales = &book.sheets[0];
            let at = |place: &str| CellPos::read(place).unwrap();
            assert_eq!((sales.rows.len(), sales.width()), (6, 5), "{name}");
            assert_eq!(sales.value(at("A4")), &Value::Text("K\u{f6}ln".into()), "{name}");
            assert_eq!(sales.value(at("A6")), &Value::Text("\u{6771}\u{4eac}".into()), "{name}");
            assert_eq!(sales.value(at("B2")), &Value::Number(10.5), "{name}");
            let day = jiff::civil::date(2026, 3, 1).at(0, 0, 0, 0);
            assert_eq!(sales.value(at("C2")), &Value::Date(day), "{name}");
            assert_eq!(sales.value(at("D2")), &Value::Bool(true), "{name}");
            assert_eq!(sales.value(at("E2")), &twice, "{name}");
            assert_eq!(sales.formulas.get(&at("E2")).map(String::as_str), Some("B2*2"), "{name}");
            assert!(book.notes.iter().any(|note| note.contains("only values and formulas")), "{name}");
            // A file cut anywhere gives an error, never silently half a workbook.
            for length in [0, 10, bytes.len() / 2, bytes.len() - 1] {
                let cut = open(name, &bytes[..length]);
                assert!(cut.is_err() || length == bytes.len() - 1, "{name} at {length}");
            }
        }
    }
}
