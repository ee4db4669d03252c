//! A query on the command line.

use super::failure::Failure;
use super::output::Format;
use crate::inbox::{Place, Query};

#[derive(Debug, clap::Args)]
pub(super) struct QueryWords {
    /// Only what matches: words, and terms such as from:ines kind:approval workflow:email older:2d newer:4h
    #[arg(value_name = "QUERY")]
    words: Vec<String>,
}

impl QueryWords {
    pub(super) fn parse(&self, place: Place, format: &Format) -> Result<Query, Failure> {
        let now = format.now.to_zoned(format.zone.clone());
        Query::parse(&self.words.join(" "), place, &now).map_err(Failure::usage)
    }
}
