//! The engine on real SQLite: what happens to threads, and what they must survive.

mod arrivals;
mod audit;
mod batches;
mod children;
mod effects;
mod expiry;
mod files;
mod forks;
mod grants;
mod graphs;
mod holds;
mod interrupts;
mod laws;
mod limits;
mod narrowed;
mod others;
mod profiles;
mod prune;
mod samples;
mod set_aside;
mod skipped;
mod snapshots;
mod turns;
