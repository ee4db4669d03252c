//! Converts values between cells and Python, and makes the errors that code sees.

use crate::tools::workbook::{Value, WorkbookError};
use jiff::civil::DateTime;
use monty_types::{ExcType, MontyDateTime, MontyException, MontyObject};

/// What a cell may be set to.
pub(super) enum Written {
    Value(Value),
    /// A formula, without its `=`.
    Formula(String),
}

/// The longest text in an .xlsx cell.
const LONGEST: usize = 32_767;

/// Converts a cell's value to Python. Whole numbers become ints; dates become datetimes, so that a column compares.
pub(super) fn to_python(value: &Value) -> MontyObject {
    match value {
        Value::Empty => MontyObject::None,
        Value::Bool(yes) => MontyObject::Bool(*yes),
        // Exact up to this limit; beyond it, a float shows that it is not.
        Value::Number(number) if number.fract() == 0.0 && number.abs() < 9.0e15 => {
            MontyObject::Int(*number as i64)
        }
        Value::Number(number) => MontyObject::Float(*number),
        Value::Text(text) | Value::Error(text) => MontyObject::String(text.to_string()),
        Value::Date(date) => MontyObject::DateTime(MontyDateTime {
            year: i32::from(date.year()),
            month: date.month().unsigned_abs(),
            day: date.day().unsigned_abs(),
            hour: date.hour().unsigned_abs(),
            minute: date.minute().unsigned_abs(),
            second: date.second().unsigned_abs(),
            microsecond: date.subsec_nanosecond().unsigned_abs() / 1_000,
            offset_seconds: None,
            timezone_name: None,
        }),
    }
}

/// Converts a Python value for a cell.
pub(super) fn to_cell(value: &MontyObject) -> Result<Written, MontyException> {
    let small = |number: u8| i8::try_from(number).unwrap_or_default();
    let dated = |year: i32, month, day, hour, minute, second, micro: u32| {
        let year = i16::try_from(year).unwrap_or_default();
        let nanosecond = i32::try_from(micro).unwrap_or_default().saturating_mul(1_000);
        let (month, day) = (small(month), small(day));
        let date = DateTime::new(year, month, day, small(hour), small(minute), small(second), nanosecond);
        match date {
            Ok(date) if date.year() >= 1900 => Ok(Written::Value(Value::Date(date))),
            _ => Err(raised(ExcType::ValueError, "a cell holds dates from 1900 on")),
        }
    };
    let number = |number: f64| {
        if number.is_finite() {
            Ok(Written::Value(Value::Number(number)))
        } else {
            Err(raised(ExcType::ValueError, format!("a cell cannot hold {number}; write None or a text")))
        }
    };
    match value {
        MontyObject::None => Ok(Written::Value(Value::Empty)),
        MontyObject::Bool(yes) => Ok(Written::Value(Value::Bool(*yes))),
        MontyObject::Int(whole) => number(*whole as f64),
        MontyObject::Float(float) => number(*float),
        MontyObject::String(text) if text.chars().count() > LONGEST => {
            Err(raised(ExcType::ValueError, format!("a cell holds at most {LONGEST} characters")))
        }
        MontyObject::String(text) => Ok(match text.strip_prefix('=') {
            Some(formula) if !formula.trim().is_empty() => Written::Formula(formula.to_owned()),
            _ if text.is_empty() => Written::Value(Value::Empty),
            _ => Written::Value(Value::Text(text.as_str().into())),
        }),
        MontyObject::Date(d) => dated(d.year, d.month, d.day, 0, 0, 0, 0),
        MontyObject::DateTime(d) => dated(d.year, d.month, d.day, d.hour, d.minute, d.second, d.microsecond),
        other => {
            let text = format!(
                "a cell holds a text, a number, True or False, a date or None, not {}",
                other.type_name()
            );
            Err(raised(ExcType::TypeError, text))
        }
    }
}

pub(super) fn raised(kind: ExcType, text: impl Into<String>) -> MontyException {
    MontyException::new(kind, Some(text.into()))
}

pub(super) fn refused(error: WorkbookError) -> MontyException {
    raised(ExcType::ValueError, error.to_string())
}

/// Cuts a text that is too long.
pub(super) fn clip(mut text: String, most: usize) -> String {
    if text.len() > most {
        text.truncate(text.floor_char_boundary(most));
        text.push('…');
    }
    text
}

pub(super) fn text(value: &MontyObject, name: &str) -> Result<String, MontyException> {
    match value {
        MontyObject::String(text) => Ok(text.clone()),
        other => Err(raised(ExcType::TypeError, format!("{name} is a text, not {}", other.type_name()))),
    }
}
