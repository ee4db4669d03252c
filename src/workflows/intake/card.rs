//! What the person sees.

use super::state::{Asked, Asking};
use crate::graph::Folded;
use crate::inbox::{Block, Card, Item};
use crate::text::Visible;

/// Why the mailbox is asked about.
pub(super) fn explain(state: &Folded, _: &Item) -> Vec<Block> {
    let Some(asking) = state.get::<Asking>() else { return Vec::new() };
    let why = match &asking.asked {
        Asked::FirstSync { .. } => {
            "A first look found more mail than is taken in unasked, or nobody knows what handling it costs ([intake])."
        }
        Asked::Unreadable { .. } => "A mail that cannot be read is never passed over: it waits for you.",
        Asked::Login { .. } => {
            "A look at this mailbox was refused for its login, and only you can mend that."
        }
        Asked::Absent { .. } => "Threads need this model, and it was tried several times without an answer.",
    };
    vec![Block::Text(Visible::new(why))]
}

pub(super) fn draw(state: &Folded, item: &Item) -> Card {
    let Some(asking) = state.get::<Asking>() else { return Card::default() };
    let line = |text: &str| Visible::line(text);
    let heading = Block::Heading(line(&item.title));
    let blocks = match &asking.asked {
        Asked::FirstSync { account, mails, oldest, about_cost } => vec![
            heading,
            Block::Text(Visible::new(
                "This is the first look at this mailbox. Mail that comes later is taken in as it comes; whatever you \
                 leave now stays in the mailbox and is not touched.",
            )),
            Block::Fields(vec![
                (line("account"), line(account)),
                (line("mails"), line(&mails.to_string())),
                (line("oldest"), line(oldest)),
                (line("about cost"), line(about_cost)),
            ]),
        ],
        Asked::Unreadable { account, place, bytes, error, .. } => vec![
            heading,
            Block::Text(Visible::new(error)),
            Block::Fields(vec![
                (line("account"), line(account)),
                (line("place"), line(place)),
                (line("bytes"), line(&bytes.to_string())),
            ]),
            Block::Text(Visible::new(
                "Its bytes are kept. Look at it with another mail program, or leave it.",
            )),
        ],
        Asked::Login { account, why } => vec![
            heading,
            Block::Text(Visible::new(why)),
            Block::Fields(vec![(line("account"), line(account))]),
            Block::Text(Visible::new(
                "No mail of this account comes in meanwhile, and none is lost. This goes by itself as soon as the login \
                 works; accept to look again at once, or snooze it.",
            )),
        ],
        Asked::Absent { server, why } => vec![
            heading,
            Block::Text(Visible::new(why)),
            Block::Fields(vec![(line("server"), line(server))]),
            Block::Text(Visible::new(
                "Threads that need it wait, and nothing of them is lost. They are tried again by themselves, at least \
                 every two minutes; this goes as soon as one comes through. Accept to try now, or snooze it.",
            )),
        ],
    };
    Card { blocks }
}
