//! The card of an intake question.

use super::state::{IntakeQuestion, IntakeState};
use crate::engine::graph::AnyState;
use crate::inbox::{Block, Card, Question};

/// Why we ask.
pub(super) fn explain(state: &AnyState, _: Option<&Question>) -> Vec<Block> {
    let Some(asking) = state.get::<IntakeState>() else { return Vec::new() };
    let why = match &asking.asked {
        IntakeQuestion::FirstSync { .. } => {
            "The first look found more mail than sayso takes in without asking, or the cost is unknown ([intake])."
        }
        IntakeQuestion::Unreadable { .. } => "A mail that cannot be read is never skipped: it waits for you.",
        IntakeQuestion::Login { .. } => "This mailbox refused the login, and only you can fix that.",
        IntakeQuestion::Absent { .. } => {
            "Threads need this model, and it was tried several times without an answer."
        }
    };
    vec![Block::text(why)]
}

pub(super) fn draw(state: &AnyState, _: Option<&Question>) -> Card {
    let Some(asking) = state.get::<IntakeState>() else { return Card::default() };
    let blocks = match &asking.asked {
        IntakeQuestion::FirstSync { account, mails, oldest, about_cost } => vec![
            Block::text(
                "This is the first look at this mailbox. Mail that comes later is taken in as it comes; whatever you \
                 leave now stays in the mailbox and is not touched.",
            ),
            Block::fields([
                ("account", account),
                ("mails", &mails.to_string()),
                ("oldest", oldest),
                ("cost", about_cost),
            ]),
        ],
        IntakeQuestion::Unreadable { account, place, bytes, error, .. } => vec![
            Block::text(error),
            Block::text("What came of it is kept. Open the mail in another mail program, or leave it."),
            Block::fields([("account", account), ("place", place), ("bytes", &bytes.to_string())]),
        ],
        IntakeQuestion::Login { account, why } => vec![
            Block::text(why),
            Block::text(
                "Until then no mail comes in for this account, and none is lost. This card goes away by itself once \
                 the login works; accept to try again now, or snooze it.",
            ),
            Block::fields([("account", account)]),
        ],
        IntakeQuestion::Absent { server, why } => vec![
            Block::text(why),
            Block::text(
                "Threads that need it wait, and nothing is lost. sayso retries them at least every two minutes; \
                 this card goes away once one succeeds. Accept to try now, snooze it, or take the model's place in one \
                 of the threads.",
            ),
            Block::fields([("server", server)]),
        ],
    };
    Card { blocks }
}
