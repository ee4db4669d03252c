//! `sayso list`: lists open items.

use crate::cli::context::{Context, OpenFolder};
use crate::cli::failure::Failure;
use crate::cli::output::{Format, Output};
use crate::cli::pages;
use crate::cli::print::warning;
use crate::cli::query::QueryWords;
use crate::cli::table::{cut, full, name, right, table};
use crate::engine::graph::Warning;
use crate::inbox::door::action_words;
use crate::inbox::{Flag, Item, ItemKind, ItemQuery, Overview, Place, Query, SkippedCount, Status};
use crate::text::clock;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use jiff::Timestamp;

use super::activity;

/// List what waits for a decision, in the order of the inbox
#[derive(Debug, clap::Args)]
#[command(
    after_help = "If no process is driving, it checks the configured LangGraph servers once.\n\nExamples:\n  \
    sayso list\n  \
    sayso list kind:approval from:ines --json | jq -r '.[].id'\n  \
    sayso list kind:result"
)]
pub struct Args {
    #[command(flatten)]
    query: QueryWords,
    /// The same as kind:KIND; results, which are read and not decided, are listed only when asked for
    #[arg(long, value_name = "KIND", value_parser = kinds())]
    kind: Option<ItemKind>,
    /// The same as is:snoozed: the snoozed ones instead of the others
    #[arg(long)]
    snoozed: bool,
    /// At most this many
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    limit: Option<u32>,
}

fn kinds() -> impl TypedValueParser<Value = ItemKind> {
    PossibleValuesParser::new(ItemKind::ALL.map(ItemKind::word))
        .try_map(|word| ItemKind::from_word(&word).ok_or("not a kind of item"))
}

impl Args {
    pub(super) async fn run(self, context: Context) -> Result<Output, Failure> {
        let folder = context.open()?;
        let mut filter = self.query.parse(Place::Inbox, &folder.format)?;
        filter.kind = self.kind.or(filter.kind);
        filter.flags.extend(self.snoozed.then_some(Flag::Snoozed));
        let query = ItemQuery { filter, ..ItemQuery::default() };
        if query.is_snoozed() && query.filter.kind == Some(ItemKind::Result) {
            return Err(Failure::usage("results are not snoozed; leave is:snoozed or kind:result out"));
        }
        if query.filter.flags.contains(&Flag::Held) {
            return Err(Failure::usage("nothing open is held; `sayso decisions is:pending` lists what is"));
        }
        look_at_servers(&folder).await;
        let limit = self.limit.and_then(|limit| usize::try_from(limit).ok());
        let shown = pages::items(folder.inbox(), &query, limit, folder.format.now).await?;
        let (mut items, dated): (Vec<Item>, Vec<Timestamp>) = shown.into_iter().unzip();
        if folder.format.is_json() {
            for item in &mut items {
                pages::add_card(folder.inbox(), item).await;
            }
        }
        let everything = query.filter == Query::default();
        let overview = if items.is_empty() && everything && !folder.format.is_json() {
            Some((folder.inbox().statistics().overview().await?, activity::skipped(&folder).await?))
        } else {
            None
        };
        folder.format.answer(&items, |format| text(format, &folder, &items, &dated, overview.as_ref()))
    }
}

/// `dated` is the time each item's age counts from. `overview`, with the last day's skipped mail, is given only if
/// nothing at all is open.
fn text(
    format: &Format,
    folder: &OpenFolder,
    items: &[Item],
    dated: &[Timestamp],
    overview: Option<&(Overview, SkippedCount)>,
) -> String {
    if items.is_empty() {
        return match overview {
            Some((overview, skipped)) => {
                format!("Nothing is open in {}{}", folder.path, empty_list_suffix(overview, *skipped))
            }
            None => format!("Nothing open matches in {}.\n", folder.path),
        };
    }
    let rows: Vec<_> = items
        .iter()
        .zip(dated)
        .map(|(item, dated)| {
            let mark = Warning::highest_grade(item.warnings()).map(|grade| format!("{} ", grade.mark()));
            let question = item.question();
            let about = question.and_then(|question| folder.inbox().trouble_title(question));
            let about = about.map(|about| format!(" · {about}")).unwrap_or_default();
            let source = question.and_then(|question| question.source.as_deref());
            let until = question
                .and_then(|question| question.snoozed_until)
                .map(|until| format!(" (until {})", format.time(until)));
            let patience = question.and_then(|question| question.patience_left(format.now));
            let patience =
                patience.map(|patience| format!(" (gives up in {})", clock(patience))).unwrap_or_default();
            [
                item.id().to_owned(),
                item.kind().word().to_owned(),
                action_words(item.workflow(), item.action()),
                source.unwrap_or(item.workflow()).to_owned(),
                format.age(*dated),
                format!(
                    "{}{}{about}{}{patience}",
                    mark.unwrap_or_default(),
                    item.title(),
                    until.unwrap_or_default()
                ),
            ]
        })
        .collect();
    let columns = [full("ID"), full("KIND"), full("ACTION"), name("FROM"), right("AGE"), cut("TITLE")];
    table(format, columns, &rows)
}

/// Looks at the config's servers if nobody drives. If one cannot be read, everything else is still listed.
async fn look_at_servers(folder: &OpenFolder) {
    match folder.inbox().threads().look_at_servers().await {
        Ok(unread) => unread.iter().for_each(|what| warning(what)),
        Err(error) => warning(&format!("the servers could not be checked: {error}")),
    }
}

/// The end of the sentence about an empty list. It names results, ready threads and skipped mail, so that it does not
/// sound as if there were nothing to do.
fn empty_list_suffix(overview: &Overview, skipped: SkippedCount) -> String {
    let results = match overview.open_of(ItemKind::Result) {
        0 => String::new(),
        1 => "; 1 result waits, see `sayso list kind:result`".to_owned(),
        more => format!("; {more} results wait, see `sayso list kind:result`"),
    };
    // If everything is paused, driving would not help.
    let nobody_drives = overview.driver.is_none() && !overview.paused;
    let ready_threads = if nobody_drives { overview.threads_in(Status::Ready) } else { 0 };
    let ready = match ready_threads {
        0 => String::new(),
        1 => "1 thread is ready; `sayso run` takes it further.\n".to_owned(),
        more => format!("{more} threads are ready; `sayso run` takes them further.\n"),
    };
    let mail = match skipped.mails {
        0 => String::new(),
        _ => format!("Mail in the last day: {skipped}; `sayso mail` lists it.\n"),
    };
    format!("{results}.\n{ready}{mail}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_list_names_what_there_is_besides() {
        let sentence = |results: u64, ready: u64, paused: bool, driver: Option<u32>| {
            let open = vec![("question".to_owned(), 0), ("result".to_owned(), results)];
            let threads = vec![("ready".to_owned(), ready), ("done".to_owned(), 7)];
            let overview = Overview { open, snoozed: 0, threads, paused, driver, waiting_for_model: 0 };
            empty_list_suffix(&overview, SkippedCount::default())
        };
        let see = "see `sayso list kind:result`";
        assert_eq!(sentence(0, 0, false, None), ".\n");
        assert_eq!(sentence(1, 0, false, None), format!("; 1 result waits, {see}.\n"));
        let one = "1 thread is ready; `sayso run` takes it further.";
        assert_eq!(sentence(3, 1, false, None), format!("; 3 results wait, {see}.\n{one}\n"));
        assert_eq!(sentence(0, 2, false, None), ".\n2 threads are ready; `sayso run` takes them further.\n");
        for (paused, driver) in [(false, Some(7)), (true, None)] {
            assert_eq!(sentence(0, 2, paused, driver), ".\n");
        }
    }
}
