//! Every proposal is made here, so that the text shown, hashed and executed is the same.

use crate::engine::graph::{Interrupt, Kind};
use crate::text::Visible;
use serde_json::{Value, json};

/// An interrupt whose action and arguments, wherever they come from, contain nothing invisible.
pub fn proposal(key: &str, kind: Kind, action: &str, args: &Value, title: &str) -> Interrupt {
    let action = Visible::line(action).into_string();
    let mut interrupt = Interrupt::new(key, kind, action, Visible::json(args));
    interrupt.title = Visible::line(title).into_string();
    interrupt
}

/// The schema of an argument that came without one: a value of the same type.
pub fn schema_like(value: &Value) -> Value {
    match value {
        // A missing value may become anything.
        Value::Null => json!({}),
        Value::Bool(_) => json!({"type": "boolean"}),
        Value::Number(number) if number.is_f64() => json!({"type": "number"}),
        Value::Number(_) => json!({"type": "integer"}),
        Value::String(_) => json!({"type": "string"}),
        Value::Array(items) if !items.is_empty() && items.iter().all(Value::is_string) => {
            json!({"type": "array", "items": {"type": "string"}})
        }
        Value::Array(_) => json!({"type": "array"}),
        Value::Object(_) => json!({"type": "object"}),
    }
}
