//! The habits of real models: every workflow with every habit of the list, over real wires. The job ends with the right
//! result, after the model was told what is wrong if need be, or in one card that says why.

mod bent;
mod habit;
mod jobs;
mod matrix;
mod script;
mod transcripts;
