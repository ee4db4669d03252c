//! `ask`: questions to a server that behaves like the API, and to one that does not.

mod answers;
mod approve;
mod ask_inbox;
mod bad;
mod documents;
mod entities;
mod everyday;
mod going_on;
mod hosts;
mod server;
mod state;
