//! What was typed: the global flags, and the verb with its own.

use super::verbs::Verb;
use crate::config::Flags;
use clap::{ArgAction, Args, Parser};
use std::path::PathBuf;

/// A terminal inbox for people whose agents work for them: nothing leaves without your say-so.
#[derive(Debug, Parser)]
#[command(
    name = "sayso",
    version,
    max_term_width = 100,
    subcommand_value_name = "VERB",
    subcommand_help_heading = "Verbs",
    after_help = "Any unique beginning of an id will do.\n\n\
        Exit codes: 0 done, 1 failed, 2 wrong usage or config, 3 not found, no longer open or changed since shown; of a \
        request also 4 ignored, 5 expired, 6 not answered yet."
)]
pub(super) struct Sayso {
    #[command(flatten)]
    pub(super) global: Global,
    #[command(subcommand)]
    pub(super) verb: Option<Verb>,
}

/// Flags that every verb takes, before or after it.
#[derive(Debug, Args)]
#[command(next_help_heading = "Everywhere")]
pub(super) struct Global {
    /// Keep everything in this folder [env: SAYSO_DATA]
    #[arg(long, global = true, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Read this config [env: SAYSO_CONFIG]
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Use this model for everything: builtin, or one of [models.NAME] [env: SAYSO_MODEL]
    #[arg(long, global = true, value_name = "NAME")]
    model: Option<String>,
    /// Answer in JSON
    #[arg(long, global = true)]
    pub(super) json: bool,
    /// Also write the log to stderr; twice for more of it
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub(super) verbose: u8,
}

impl Global {
    /// Those that concern the config.
    pub(super) fn flags(&self) -> Flags {
        Flags { data: self.data.clone(), config: self.config.clone(), model: self.model.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definitions_hold_together() {
        Sayso::command().debug_assert();
    }

    #[test]
    fn global_flags_stand_on_either_side_of_the_verb() {
        for line in [
            ["sayso", "--data", "/d", "--json", "list"],
            ["sayso", "list", "--data", "/d", "--json"],
            ["sayso", "--json", "list", "--data", "/d"],
        ] {
            let typed = Sayso::try_parse_from(line).unwrap();
            assert_eq!(typed.global.flags().data, Some("/d".into()));
            assert!(typed.global.json);
        }
        assert!(Sayso::try_parse_from(["sayso", "--data", "", "list"]).is_err());
    }

    #[test]
    fn every_verb_says_what_it_does_with_an_example() {
        for verb in Sayso::command().get_subcommands() {
            let name = verb.get_name();
            assert!(verb.get_about().is_some(), "{name}");
            let after = verb.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(after.contains(&format!("sayso {name}")), "{name}: {after}");
        }
    }
}
