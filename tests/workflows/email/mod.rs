//! `email`: a post inbox with mailboxes that count, a calendar, and a model that says what a test wants.

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
