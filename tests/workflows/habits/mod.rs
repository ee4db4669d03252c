//! The habits of real models: every workflow, over every wire, with every habit of the list. The job ends with the right
//! result and no more calls than the habit costs, or in one card that says why.

mod bent;
mod jobs;
mod matrix;
mod script;
mod table;
mod transcripts;
