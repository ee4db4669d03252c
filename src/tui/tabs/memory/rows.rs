//! What is done with a row in the Memory tab.

use super::list::change;
use crate::inbox::door::Inbox;
use crate::inbox::{RowAnswer, RowChange, RowKey, RowState};
use crate::tui::card::Doc;
use crate::tui::layers::{Choice, Confirm, Menu, Prompt};
use crate::tui::model::{Model, Wanted};
use crate::tui::words;
use strum::VariantArray;

/// Changes a row, and goes to it.
fn set(model: &mut Model, key: RowKey, answer: RowAnswer) {
    model.memory.wanted = Some(Wanted::Row(key.clone()));
    change(model, async move |inbox: Inbox| {
        inbox.memory().change_row(key.clone(), RowChange::Set { answer }).await?;
        Ok(format!("From now on: {}", answer.sentence(&key)))
    });
}

fn answers(key: &RowKey) -> impl Iterator<Item = Choice> {
    RowAnswer::VARIANTS.iter().map(move |&answer| {
        let key = key.clone();
        Choice::new(words::line(&answer.sentence(&key)), move |model| set(model, key, answer))
    })
}

/// Asks what the selected row should say.
pub fn ask_answer(model: &mut Model) {
    let Some(key) = model.memory.row().map(|line| line.row.key.clone()) else { return };
    model.push(Menu::new("What sayso does with it", answers(&key).collect()));
}

/// Asks what mail a new row is about.
pub fn ask_key(model: &mut Model) {
    let what = ("+", "an address, @domain, list:ID or kind:newsletters", "choose what to do with it");
    model.push(Prompt::new(what, "", |model, prompt| {
        let key: RowKey = prompt.text().parse()?;
        model.push(Menu::new("What sayso does with it", answers(&key).collect()));
        Ok(())
    }));
}

/// Offers to act on what a written line names.
pub fn offer(model: &mut Model, key: RowKey) {
    let title = format!("What should sayso do with {}?", words::line(&key.words()));
    let only_told = Choice::new("nothing by itself: only the model reads the line", |_| {});
    model.push(Menu::new(title, std::iter::once(only_told).chain(answers(&key)).collect()));
}

pub fn pause(model: &mut Model) {
    let Some(row) = model.memory.row().map(|line| line.row.clone()) else { return };
    change(model, async move |inbox: Inbox| {
        let what = match row.state {
            RowState::Paused => RowChange::Resumed,
            RowState::Given | RowState::Noticed => RowChange::Paused,
        };
        let now = inbox.memory().change_row(row.key.clone(), what).await?;
        let word = match now.map(|line| line.row.state) {
            Some(RowState::Paused) => "Paused",
            Some(RowState::Given) => "On again",
            Some(RowState::Noticed) | None => "No longer in force, so there is nothing to pause",
        };
        Ok(format!("{word}: {}", row.sentence()))
    });
}

pub fn ask_delete(model: &mut Model) {
    let Some(row) = model.memory.row().map(|line| line.row.clone()) else { return };
    let title = format!("Delete the row “{}”?", row.sentence());
    let why = model.spell("It can't be taken back; <pause_row> only pauses it.");
    model.push(Confirm::new(title, why, Doc::default(), move |model| {
        change(model, async move |inbox: Inbox| {
            inbox.memory().change_row(row.key.clone(), RowChange::Deleted).await?;
            Ok(format!("Deleted: {}", row.sentence()))
        });
    }));
}
