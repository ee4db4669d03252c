//! `sayso list`: what is open.

use crate::cli::context::{Context, Here};
use crate::cli::failure::Failure;
use crate::cli::output::{Answer, Page};
use crate::cli::pages;
use crate::cli::table::{cut, right, table, whole};
use crate::graph::Kind;
use crate::inbox::{Item, ItemKind, ItemQuery};
use clap::builder::{PossibleValuesParser, TypedValueParser};

/// List what waits for a decision, oldest first
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    sayso list\n  \
    sayso list --kind approval --json | jq -r '.[].id'\n  \
    sayso list --kind result")]
pub(in crate::cli) struct Args {
    /// Only this kind; results, which are read and not decided, are listed only when asked for
    #[arg(long, value_name = "KIND", value_parser = kinds())]
    kind: Option<ItemKind>,
    /// The snoozed ones instead of the others
    #[arg(long)]
    snoozed: bool,
    /// At most so many
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    limit: Option<u32>,
}

fn kinds() -> impl TypedValueParser<Value = ItemKind> {
    let kinds = Kind::ALL.map(ItemKind::Interrupt).into_iter().chain([ItemKind::Result]);
    PossibleValuesParser::new(kinds.map(ItemKind::word))
        .try_map(|word| ItemKind::from_word(&word).ok_or("not a kind of item"))
}

impl Args {
    pub(super) async fn run(self, context: Context<'_>) -> Result<Answer, Failure> {
        if self.snoozed && self.kind == Some(ItemKind::Result) {
            return Err(Failure::usage("results are not snoozed; leave --snoozed or --kind result out"));
        }
        let here = context.open()?;
        let query = ItemQuery { kind: self.kind, snoozed: self.snoozed, ..ItemQuery::default() };
        let limit = self.limit.and_then(|limit| usize::try_from(limit).ok());
        let mut items = pages::items(here.backend(), query, limit).await?;
        if here.page.is_json() {
            let mut whole = Vec::with_capacity(items.len());
            for item in items {
                whole.push(pages::with_card(here.backend(), item).await);
            }
            items = whole;
        }
        here.page.answer(&items, |page| self.text(page, &here, &items))
    }

    fn text(&self, page: &Page, here: &Here, items: &[Item]) -> String {
        if items.is_empty() {
            let what = match (self.kind, self.snoozed) {
                (Some(ItemKind::Result), _) => "No result is waiting to be read",
                (_, true) => "Nothing is snoozed",
                (Some(_), false) => "Nothing of this kind is open",
                (None, false) => "Nothing is open",
            };
            return format!("{what} in {}.\n", here.folder);
        }
        let rows: Vec<_> = items
            .iter()
            .map(|item| {
                let warned = if item.warnings.is_empty() { "" } else { "! " };
                let until = item.snoozed_until.map(|until| format!(" (until {})", page.time(until)));
                [
                    item.id.clone(),
                    item.kind.word().to_owned(),
                    item.action.clone(),
                    item.source.clone().unwrap_or_else(|| item.workflow.clone()),
                    page.age(item.created_at),
                    format!("{warned}{}{}", item.title, until.unwrap_or_default()),
                ]
            })
            .collect();
        let columns =
            [whole("ID"), whole("KIND"), whole("ACTION"), whole("FROM"), right("AGE"), cut("TITLE")];
        table(page, columns, &rows)
    }
}
