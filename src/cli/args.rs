//! The command line as typed: the global flags, and the verb with its flags.

use super::failure::Failure;
use super::global::Global;
use super::output::Output;
use super::verbs::Verb;
use clap::Parser;
use std::sync::LazyLock;

/// A terminal inbox for people whose agents work for them: nothing leaves without your say-so.
#[derive(Debug, Parser)]
#[command(
    name = "sayso",
    version = version(),
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

/// What a report of a fault has to name.
fn version() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| {
        let commit = option_env!("SAYSO_COMMIT").unwrap_or("a debug build");
        format!("{} ({commit}, SQLite {})", env!("CARGO_PKG_VERSION"), rusqlite::version())
    });
    &TEXT
}

/// Turns the parser's result into ours: help and version are an answer, anything else is wrong usage.
pub(super) fn from_clap(error: &clap::Error) -> Result<Output, Failure> {
    let text = error.render();
    if error.kind() == clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return Ok(Output::usage(&text));
    }
    if error.use_stderr() {
        let text = text.to_string();
        return Err(Failure::usage(text.trim_end().trim_start_matches("error: ")));
    }
    Ok(Output::help(&text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;
    use std::collections::HashSet;

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
        let mut abouts = HashSet::new();
        for verb in Sayso::command().get_subcommands() {
            let name = verb.get_name();
            assert!(
                abouts.insert(verb.get_about().unwrap().to_string()),
                "{name} says what another verb does"
            );
            let after = verb.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(after.contains(&format!("sayso {name}")), "{name}: {after}");
        }
    }
}
