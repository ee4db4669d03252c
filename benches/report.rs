//! One table for all benches: what was measured, the reference in the same run, their ratio, the goal.

use serde::Serialize;

#[derive(Serialize)]
pub struct Row {
    id: &'static str,
    what: &'static str,
    value: f64,
    reference: &'static str,
    reference_value: f64,
    ratio: f64,
    goal: &'static str,
}

impl Row {
    pub fn new(
        id: &'static str,
        what: &'static str,
        value: f64,
        reference: &'static str,
        reference_value: f64,
        ratio: f64,
        goal: &'static str,
    ) -> Self {
        Self { id, what, value, reference, reference_value, ratio, goal }
    }
}

pub fn flag(name: &str) -> bool {
    std::env::args().any(|arg| arg == name)
}

pub fn print(bench: &str, rows: &[Row]) {
    if flag("--json") {
        println!("{}", serde_json::json!({ "bench": bench, "rows": rows }));
        return;
    }
    println!("{:3} {:40} {:>10}   {:28} {:>10} {:>7}  goal", "id", "what", "", "reference", "", "ratio");
    for row in rows {
        println!(
            "{:3} {:40} {:>10.1}   {:28} {:>10.1} {:>7.2}  {}",
            row.id, row.what, row.value, row.reference, row.reference_value, row.ratio, row.goal
        );
    }
}
