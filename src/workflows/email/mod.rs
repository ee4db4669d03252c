//! `email`: what is said to a model about mail. The workflow itself is not here yet; `sayso eval triage` tries these
//! prompts on a labelled set.

pub mod prompts;
