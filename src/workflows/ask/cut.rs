//! Answers made small enough to keep and to show, and what was left out said.

use serde_json::Value;

/// The longest answer a state holds.
const LONGEST: usize = 96 * 1024;

/// What is tried in turn: the most items of a list, the longest text, how deep.
const STEPS: &[(usize, usize, usize)] =
    &[(100, 4_000, 24), (50, 600, 12), (20, 200, 8), (8, 80, 5), (3, 40, 3)];

/// The answer, cut where it is long, and a sentence about that. `data` is where its list is.
pub(super) fn cut(answer: &Value, data: &str) -> (Value, Option<String>) {
    let mut small = Value::Null;
    for (items, text, deep) in STEPS {
        small = trim(answer, *items, *text, *deep);
        if small.to_string().len() <= LONGEST {
            break;
        }
    }
    let count = |value: &Value| value.pointer(data).and_then(Value::as_array).map(Vec::len);
    let note = match (count(answer), count(&small)) {
        (Some(all), Some(kept)) if kept < all => {
            Some(format!("The answer is long: {kept} of {all} entries are kept here."))
        }
        _ if small != *answer => Some("The answer is long; texts and lists in it were cut.".to_owned()),
        _ => None,
    };
    (small, note)
}

fn trim(value: &Value, items: usize, text: usize, deep: usize) -> Value {
    match value {
        Value::String(long) if long.chars().count() > text => {
            Value::String(long.chars().take(text).chain(['…']).collect())
        }
        Value::Array(_) | Value::Object(_) if deep == 0 => Value::String("…".to_owned()),
        Value::Array(list) => list.iter().take(items).map(|one| trim(one, items, text, deep - 1)).collect(),
        Value::Object(fields) => {
            // An object with hundreds of fields is a list in disguise.
            let most = items.max(60);
            let kept = fields.iter().take(most);
            kept.map(|(key, one)| (key.clone(), trim(one, items, text, deep - 1))).collect()
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
        let short = json!({"data": [{"title": "a"}]});
        assert_eq!(cut(&short, "/data"), (short, None));
        let long = json!({"data": vec![json!({"title": "x".repeat(3000)}); 5000]});
        let (small, note) = cut(&long, "/data");
        assert!(small.to_string().len() <= LONGEST, "{}", small.to_string().len());
        let kept = small["data"].as_array().unwrap().len();
        assert_eq!(note.unwrap(), format!("The answer is long: {kept} of 5000 entries are kept here."));
        let mut deep = json!(1);
        for _ in 0..100 {
            deep = json!([deep]);
        }
        assert!(cut(&deep, "").1.is_some());
    }
}
