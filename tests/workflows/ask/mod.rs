//! `ask`: questions to a server that behaves like the API, and to one that does not.

mod approve;
mod bad;
mod documents;
mod entities;
mod hosts;
mod room;
mod server;
mod state;
mod words;
