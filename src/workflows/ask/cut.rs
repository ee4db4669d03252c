//! Makes answers small enough to store and to show, and says what was cut.

use crate::tools::catalogue::Catalogue;
use serde_json::Value;

/// The longest answer a state holds.
const MAX_BYTES: usize = 96 * 1024;

/// Limits tried in turn: items per list, characters per text, depth.
const STEPS: &[(usize, usize, usize)] =
    &[(100, 4_000, 24), (50, 600, 12), (20, 200, 8), (8, 80, 5), (3, 40, 3)];

/// The answer, cut if it is long, and a sentence about that unless it is a list.
pub(super) fn cut(answer: &Value, catalogue: &Catalogue) -> (Value, Option<String>) {
    let mut shortened = Value::Null;
    for (max_items, max_chars, max_depth) in STEPS {
        shortened = trim(answer, *max_items, *max_chars, *max_depth);
        if shortened.to_string().len() <= MAX_BYTES {
            break;
        }
    }
    // For lists, the answer's own text says how much of it is shown.
    let is_list = super::format::entries(catalogue, answer).is_some();
    let note = (shortened != *answer && !is_list)
        .then(|| "The answer is long; texts and lists in it were cut.".to_owned());
    (shortened, note)
}

fn trim(value: &Value, max_items: usize, max_chars: usize, max_depth: usize) -> Value {
    match value {
        Value::String(long) if long.chars().count() > max_chars => {
            Value::String(long.chars().take(max_chars).chain(['…']).collect())
        }
        Value::Array(_) | Value::Object(_) if max_depth == 0 => Value::String("…".to_owned()),
        Value::Array(list) => {
            list.iter().take(max_items).map(|one| trim(one, max_items, max_chars, max_depth - 1)).collect()
        }
        Value::Object(fields) => {
            // An object with hundreds of fields is really a list.
            let max_fields = max_items.max(60);
            let first_fields = fields.iter().take(max_fields);
            first_fields
                .map(|(key, one)| (key.clone(), trim(one, max_items, max_chars, max_depth - 1)))
                .collect()
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_short_stays_and_what_is_long_is_cut_and_said() {
        let catalogue = Catalogue { data: "/data".to_owned(), ..Catalogue::default() };
        let short = json!({"data": [{"title": "a"}]});
        assert_eq!(cut(&short, &catalogue), (short, None));
        let long = json!({"data": vec![json!({"title": "x".repeat(3000)}); 5000]});
        let (shortened, note) = cut(&long, &catalogue);
        assert!(shortened.to_string().len() <= MAX_BYTES, "{}", shortened.to_string().len());
        assert!((1..5000).contains(&shortened["data"].as_array().unwrap().len()));
        assert_eq!(note, None, "the page says how much of it is told");
        let mut deep = json!(1);
        for _ in 0..100 {
            deep = json!({"in": deep});
        }
        assert!(cut(&deep, &catalogue).1.is_some());
    }
}
