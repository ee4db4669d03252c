//! `email`: an inbox with a fake mailbox, a calendar, and a scripted model.

mod corpora;
mod event_news;
mod expiring;
mod forks;
mod learning;
mod meeting;
mod news;
mod observing;
mod putting_away;
mod reminding;
mod reply;
mod rules;
mod safety;
mod several;
mod start;
mod triage;
