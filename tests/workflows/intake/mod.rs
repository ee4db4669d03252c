//! Intake from outside: mailboxes that come and go, processes that die, and each mail once.

mod conversations;
mod elsewhere;
mod email_workflow;
mod first;
mod folder_mailbox;
mod following;
mod kills;
mod logins;
mod pages;
mod post;
mod trouble;
mod unreadable;

/// The least config that intake needs.
pub const CONFIG: &str = "[user]\naddress = \"ada@example.org\"\n";
