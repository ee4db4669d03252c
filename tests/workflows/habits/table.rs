//! The page about models lists every habit, and what sayso does about it.

use sayso::llm::Habit;
use strum::IntoEnumIterator;

#[test]
fn the_page_about_models_holds_the_table() {
    let mut table = String::from("| habit | the model | sayso | costs |\n| --- | --- | --- | --- |\n");
    for habit in Habit::iter() {
        let costs = match habit.costs() {
            0 => "nothing".to_owned(),
            1 => "one call".to_owned(),
            many => format!("{many} calls"),
        };
        table += &format!("| {} | {} | {} | {costs} |\n", habit.name(), habit.shows(), habit.taken_as());
    }
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/models.md")).unwrap();
    assert!(page.contains(&table), "docs/models.md should hold:\n\n{table}");
}
